#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Source packages: rpm -i puts the same files in the same places as stock's, for root and for an
# ordinary user, and records nothing.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root

mkdir sources
for f in small empty 'with space' program; do echo "content of $f" >"sources/$f"; done
: >sources/empty
chmod 755 sources/program
dd if=/dev/urandom of=sources/large bs=64k count=20 status=none
cat >source.spec <<'EOS'
Name: source
Version: 1.5
Release: 2
Summary: A source package
License: X
BuildArch: noarch
Source0: small
Source1: empty
Source2: program
Source3: large
%description
x
%files
EOS
# build_srpm DIR [rpmbuild options]
build_srpm() {
    local dir=$1
    shift
    mkdir -p "$dir"
    rpmbuild -bs --nodeps --define "_sourcedir $PWD/sources" --define "_srcrpmdir $dir" \
        --define "_topdir $PWD/top" --define '_dbpath /nonexistent' "$@" source.spec >/dev/null 2>&1
    printf '%s\n' "$dir"/*.src.rpm
}
packages=("$(build_srpm new)" "$(build_srpm bzip2 --define '_source_payload w9.bzdio')"
    "$(build_srpm plain --define '_source_payload w.ufdio')")
[ -e "${packages[0]}" ] || fail "rpmbuild -bs"
if [ -d "$REAL_RPMS" ]; then
    packages+=("$REAL_RPMS"/*.src.rpm)
else
    skip_part "real packages: $REAL_RPMS is not there"
fi
chmod -R a+rX .

# both NAME PREFIX... -- ARGS...: each in a home of its own, by way of a command; output, errors,
# exit status and trees are equal.
homes() {
    for who in theirs ours; do
        rm -rf home.$who
        mkdir -m 777 home.$who
    done
}
by=()
both() {
    local name=$1 theirs=0 ours=0
    shift
    HOME=$PWD/home.theirs "${by[@]}" "$STOCK" --force-debian --dbpath "$PWD/none" "$@" \
        >theirs.out 2>theirs.err || theirs=$?
    HOME=$PWD/home.ours "${by[@]}" "$RPM" --dbpath "$PWD/none" "$@" >out 2>err || ours=$?
    rm -rf none
    sed -i "s,home.theirs,home.ours,g" theirs.out theirs.err
    # An ordinary user cannot make the database that stock does not need.
    grep -v '^error: cannot open Packages database' theirs.err >theirs.err2
    same "$name" out theirs.out
    same "$name: errors" err theirs.err2
    is "$name: exit status" "$ours" "$theirs"
    manifest home.theirs "$started" >theirs.tree
    manifest home.ours "$started" >ours.tree
    same "$name: tree" ours.tree theirs.tree
}
started=$(date +%s)

for p in "${packages[@]}"; do
    homes
    both "-i $p" -i "$p"
    is "$p: spec files" "$(find home.ours/rpmbuild/SPECS -name '*.spec' | wc -l)" 1
    is "$p: there are sources" "$([ -n "$(ls home.ours/rpmbuild/SOURCES)" ] && echo yes)" yes
    both "-i again" -i "$p"
    both "-q" -q -p "$p"
    both "-ql" -qlv -p "$p"
    both "-qi" -qi -p "$p"
    both "-V" -V -p "$p"
    for home in home.*; do
        sources=("$home"/rpmbuild/SOURCES/*)
        echo more >>"${sources[0]}"
    done
    both "-V of a changed one" -V -p --nomtime "$p"
    both "-i over a changed one" -i "$p"
    both "-V again" -V -p "$p"
    homes
    both "-ivh" -ivh "$p"
    homes
    both "-i --percent" -i --percent "$p"
    both "-U" -Uv "$p"
    homes
    both "--test" -i --test "$p"
    both "-F" -F "$p"
    both "--nodeps --noscripts --force" -i --nodeps --noscripts --force "$p"
    homes
    as_nobody test -x "$RPM" || continue
    by=(as_nobody)
    both "an ordinary user, $p" -i "$p"
    is "the files are the user's" "$(stat -c %U home.ours/rpmbuild/SPECS/*.spec)" nobody
    both "an ordinary user, again" -i "$p"
    by=()
done

# Places that macros name, with what they know of the package.
homes
both "directories of the package" -i --define '_sourcedir %{getenv:HOME}/%{name}-%{version}/src' \
    --define '_specdir %{getenv:HOME}/%{name}-%{version}-%{release}' "${packages[0]}"
is "the spec file" "$(echo home.ours/*/*.spec)" home.ours/source-1.5-2/source.spec
both "both in one directory" -i --define '_sourcedir %{getenv:HOME}/one' \
    --define '_specdir %{getenv:HOME}/one' "${packages[0]}"
both "several" -i "${packages[@]}"
homes
mkdir home.{ours,theirs}/elsewhere
ln -s elsewhere home.ours/rpmbuild
ln -s elsewhere home.theirs/rpmbuild
both "through a symlink" -i "${packages[0]}"

# Below a root.
for who in theirs ours; do empty_root root.$who; done
HOME=/home/x "$STOCK" --force-debian --root "$PWD/root.theirs" --dbpath /.rpmdb -i "${packages[0]}"
HOME=/home/x run "$RPM" --root "$PWD/root.ours" --dbpath /.rpmdb -i "${packages[0]}"
is "below a root: exit status" "$status" 0
rm -rf root.theirs/.rpmdb
manifest root.theirs "$started" >theirs.tree
manifest root.ours "$started" >ours.tree
same "below a root" ours.tree theirs.tree
is "nothing is recorded" "$(find root.ours -name '*rpmdb*')" ""

# With binary packages: those first, and no source package after a failure of theirs.
printf '%s\n' 'name binary' 'file /opt/binary content=x' | make_pkg binary.rpm
printf '%s\n' 'name needy' 'require nothing-like-it' | make_pkg needy.rpm
empty_root root.ours
HOME=/home/x succeeds "both kinds" "$RPM" --root "$PWD/root.ours" --dbpath /.rpmdb -U \
    "${packages[0]}" binary.rpm
is "both are there" "$(cd root.ours && ls opt/binary home/x/rpmbuild/SPECS)" \
    "$(printf 'opt/binary\n\nhome/x/rpmbuild/SPECS:\nsource.spec')"
is "one is recorded" "$("$RPM" --root "$PWD/root.ours" --dbpath /.rpmdb -qa)" binary-1.0-1.noarch
empty_root root.ours
HOME=/home/x run "$RPM" --root "$PWD/root.ours" --dbpath /.rpmdb -U "${packages[0]}" needy.rpm
is "a failed dependency: exit status" "$status" 1
is "a failed dependency: no source" "$(find root.ours -name '*.spec')" ""

# What is refused, and leaves nothing.
homes
bad() { # NAME PATTERN PACKAGE
    both "$1" -i "$3"
    holds "$1" err "$2"
    nothing_left "$1" home.ours
    homes
}
printf '%s\n' source 'name nospec' 'file nospec.txt content=x' | make_pkg nospec.src.rpm
bad "no spec file" "^error: source package contains no .spec file" nospec.src.rpm
printf '%s\n' source no-rpmlib 'name needs' 'file needs.spec content=x' \
    'tag main 1049 strings rpmlib(NoSuchThing) rpmlib(CompressedFileNames)' \
    'tag main 1050 strings 1.2 3.0.4-1' \
    'tag main 1048 int32 16777226 16777226' | make_pkg needs.src.rpm
bad "a feature that is missing" "	rpmlib\(NoSuchThing\) <= 1.2" needs.src.rpm
printf '%s\n' source 'name digest' 'file digest.spec content=x sum=bad' 'file other content=y' |
    make_pkg digest.src.rpm
HOME=$PWD/home.ours run "$RPM" -i digest.src.rpm
is "a digest that is wrong: exit status" "$status" 1
holds "a digest that is wrong" err "digest.spec: Digest mismatch|digest.src.rpm cannot be installed"
is "a digest that is wrong leaves no file" "$(find home.ours -type f)" ""
for bad in ../escape /etc/escape a/b; do
    printf '%s\n' source 'name bad' 'file x.spec content=x' "file s content=x base=$bad as=$bad" |
        make_pkg bad.src.rpm
    HOME=$PWD/home.ours run "$RPM" -i bad.src.rpm
    is "the name $bad: exit status" "$status" 1
    holds "the name $bad" err "bad file name"
    is "the name $bad leaves no file" "$(find . -name 'escape*')$(find home.ours -type f)" ""
done
[ ! -e /etc/escape ] || fail "a file was written outside"

# A home that cannot be written.
if ! as_nobody test -x "$RPM"; then
    skip_part "an ordinary user: the build tree is not open to others"
    finish
fi
homes
chmod 555 home.ours
HOME=$PWD/home.ours run as_nobody "$RPM" -i "${packages[0]}"
is "no permission: exit status" "$status" 1
holds "no permission" err "Permission denied"
finish
