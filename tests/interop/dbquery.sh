#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Queries and verification over the package database: output, errors and exit status are stock's,
# on a database that stock wrote and on one that we wrote.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root
export SOURCE_DATE_EPOCH=1600000000 LC_ALL=C

# -- what is installed ------------------------------------------------------------------------

cat >full.spec <<END
Name: full
Epoch: 2
Version: 1.5
Release: 3.x
Summary: Something of everything
Group: Some/Group
License: X
URL: https://example.org/
Vendor: A Vendor
BuildArch: noarch
Provides: full-thing = 7, other(x), /opt/alias
Requires: need-a, need-b >= 2, /bin/sh
Conflicts: con-a < 1
Obsoletes: obs-a < 5
Recommends: rec-a
Suggests: sug-a >= 1
Supplements: sup-a
Enhances: enh-a
%description
Something
of everything
%install
mkdir -p %{buildroot}/opt/full/sub %{buildroot}/etc
for f in a doc license artifact ghost gone net sub/b; do echo \$f >%{buildroot}/opt/full/\$f; done
ln -s sub %{buildroot}/opt/full/link
echo conf >%{buildroot}/etc/full.conf
echo keep >%{buildroot}/etc/full.keep
echo may >%{buildroot}/etc/full.may
%post
true
%triggerin -- trig-a, trig-b
true
%filetriggerin -- /opt
true
%files
%dir /opt/full
%dir /opt/full/sub
/opt/full/a
/opt/full/gone
/opt/full/net
/opt/full/link
/opt/full/sub/b
%doc /opt/full/doc
%license /opt/full/license
%artifact /opt/full/artifact
%ghost /opt/full/ghost
%config /etc/full.conf
%config(noreplace) /etc/full.keep
%config(missingok) /etc/full.may
%changelog
* Tue Jan 02 2024 Some One <one@example.org> - 1.5-3
- a change
END
cat >two.spec <<'END'
Name: two-things
Version: 1
Release: 1
Summary: One of two versions
Group: Other
License: X
BuildArch: noarch
Provides: two = %{version}
Requires: full-thing
%description
x
%install
mkdir -p %{buildroot}/opt/two %{buildroot}/opt/shared
echo a >%{buildroot}/opt/two/%{version}
echo same >%{buildroot}/opt/shared/file
%files
/opt/two
/opt/shared/file
END
sed 's/^Version:.*/Version: 2.1~b/' two.spec >two2.spec
cat >bare.spec <<'END'
Name: bare
Version: 0
Release: 0
Summary: Nothing at all
License: X
%description
x
%files
END
# Files of this test's own directory, for paths that are not absolute, and what leads to them.
host=$WORK/host
cat >host.spec <<END
Name: host
Version: 1
Release: 1
Summary: Files in the system's own root
License: X
BuildArch: noarch
%description
x
%install
mkdir -p %{buildroot}$host/real/deep "%{buildroot}$host/with space"
echo a >%{buildroot}$host/real/file
echo b >%{buildroot}$host/real/deep/file
echo c >"%{buildroot}$host/with space/file"
%verifyscript
echo "with \$#: \$1"
echo "and this" >&2
test ! -e $host/fail
%files
%dir $host
%dir $host/real
$host/real/file
$host/real/deep
"$host/with space"
END
full=$(build_rpm full.spec) || exit 1
two=$(build_rpm two.spec) || exit 1
two2=$(build_rpm two2.spec) || exit 1
bare=$(build_rpm bare.spec) || exit 1
bare32=$(build_rpm bare.spec --target i386) || exit 1
host_rpm=$(CACHE=$WORK/cache build_rpm host.spec) || exit 1
packages=("$two" "$full" "$bare" "$two2" "$bare32")
for rpm in Archer-3.4.5-6.x86_64 balicek-utf8-1.1.1-1.x86_64 hello-2.0-1.x86_64 \
    hlinktest-1.0-1.noarch super_kernel-6.0.1-2.x86_64; do
    if [ -e "$REAL_RPMS/$rpm.rpm" ]; then
        packages+=("$REAL_RPMS/$rpm.rpm")
    else
        skip_part "no $rpm.rpm"
    fi
done

force=(--nodeps --force --noscripts --notriggers --nosignature --noorder --ignorearch)
empty_root stocks
succeeds "stock installs" stock --root "$PWD/stocks" -i "${force[@]}" "${packages[@]}"
cp -a stocks ours
rm -rf ours/.rpmdb
succeeds "we install" "$BUILD/tests/dbtool" -r "$PWD/ours" add "${packages[@]}"

# -- comparing --------------------------------------------------------------------------------

root=
# compare NAME ARGS...: output, errors and exit status, both with the database below $root, or with
# $WORK/.rpmdb where that is empty.
compare() {
    local name=$1 theirs=0 ours=0 where=(--dbpath "$WORK/.rpmdb")
    shift
    [ -z "$root" ] || where=(--root "$PWD/$root" --dbpath /.rpmdb)
    "$STOCK" "${where[@]}" "$@" >theirs.out 2>theirs.err || theirs=$?
    "$RPM" "${where[@]}" "$@" >out 2>err || ours=$?
    same "$root $name" out theirs.out
    same "$root $name: errors" err theirs.err
    is "$root $name: exit status" "$ours" "$theirs"
}
# says NAME PATTERN: the last comparison was of something.
says() { holds "$root $1" theirs.out "$2"; }
words() {
    set -f
    # shellcheck disable=SC2086  # the words of a command line
    compare "$1" $1
    set +f
}

select_all() {
    words "-qa"
    is "-qa: packages" "$(wc -l <theirs.out)" ${#packages[@]}
    words "-qa two*"
    says "-qa two*" '^two-things-2.1~b-1'
    words "-qa *are* full"
    words "-qa full"
    words "-qa nosuch*"
    words "-qa !two*"
    words "-qa [bf]*"
    words "-qa name=full"
    words "-qa version=1*"
    words "-qa arch=noarch release=1"
    words "-qa name=full name=bare"
    words "-qa group=Some/*"
    words "-qa epoch=2"
    words "-qa nosuchtag=x"
    words "-qa --last"
    says "--last" '^[^ ]* +[A-Z][a-z]{2} '
    words "-qa --dupes"
    says "--dupes" '^two-things.noarch$'
    words "-qa --queryformat %{name}|%{dbinstance}\\n"
    words "-qa --nodigest --nosignature"
    words "-qa --nohdrchk"
}

select_labels() {
    local label
    for label in full full-1.5 full-1.5-3.x full-1.5-3.x.noarch full.noarch full-2:1.5 \
        full-2:1.5-3.x full-2:1.5-3.x.noarch full-3:1.5-3.x full-1.6 full-1.5-4 full.i386 \
        full-1.5.noarch two-things two-things-1 two-things-1-1 two-things-2.1~b two bare \
        bare.i386 bare-0-0.i386 bare-0 bare-0-0 'ful*' 'full-1*' 'full-1.5-*' nosuch no-such-thing \
        no.such 'full-[0-9]*' '' - -- . full- absent.rpm; do
        compare "-q '$label'" -q "$label"
    done
    words "-q full nosuch bare nothing"
    is "exit status counts what is not there" "$(tail -n 1 theirs.out)" \
        "package nothing is not installed"
    compare "-q of a package file" -q "$full" bare
}

select_others() {
    local words
    for words in "-g Some/Group" "-g Other Unspecified Nosuch" "--group Some" \
        "--whatprovides full" "--whatprovides full-thing other(x) nosuch" "--whatprovides two" \
        "--whatprovides /opt/full/doc" "--whatprovides /opt/alias" "--whatprovides /nosuch" \
        "--whatrequires full-thing" "--whatrequires need-a" "--whatrequires nosuch" \
        "--whatrequires /bin/sh" "--whatconflicts con-a" "--whatconflicts nosuch" \
        "--whatobsoletes obs-a" "--whatobsoletes nosuch" "--whatrecommends rec-a" \
        "--whatrecommends nosuch" "--whatsuggests sug-a" "--whatsuggests nosuch" \
        "--whatsupplements sup-a" "--whatsupplements nosuch" "--whatenhances enh-a" \
        "--whatenhances nosuch" "--triggeredby trig-b" "--triggeredby nosuch" \
        "--querybynumber 1" "--querybynumber 2 0x3 99" "--querybynumber x" "--querybynumber -1" \
        "--querybynumber 4294967295" "--tid 1600000000" "--tid 1" "--tid x" "--tid 0x5f5e1000" \
        "--pkgid 0123456789abcdef0123456789abcdef" "--pkgid 0123" "--pkgid x" \
        "--hdrid 0123456789abcdef0123456789abcdef01234567" "--hdrid 0123" \
        "-f /opt/full/doc" "-f /opt/full" "-f /opt/full/" "-f //opt/./full/sub/../doc" \
        "-f /opt/full/ghost" "-f /opt/alias" "-f /opt/shared/file" "-f /nosuch" \
        "-f /opt/nosuch/a" "-f /etc/full.conf /nosuch /opt/two/1" "--file /opt/full/doc" \
        "--path /opt/full/gone" "--path /nosuch" "-f /opt/full/net" "--path /opt/full/net"; do
        words "-q $words"
    done
    words "-q --pkgid $("$STOCK" -q -p --qf '%{sigmd5}' "$full")"
    says "--pkgid" '^full-1.5'
    words "-q --hdrid $("$STOCK" -q -p --qf '%{sha1header}' "$full")"
    says "--hdrid" '^full-1.5'
}

show_all() {
    local option format=
    while read -r tag; do
        format="$format$tag=[%{$tag}|]\n"
    done < <("$STOCK" --querytags)
    compare "all tags" -qa --qf "$format"
    says "all tags" '^INSTALLTID=1600000000'
    for option in -l -i -lv --dump -c -d -L -A "-l --state" "-lv --state" "--dump --state" -s \
        "-l --noghost" "-l --noconfig" "-l --noartifact" --info --scripts --triggers \
        --filetriggers --provides -P --requires -R --conflicts --obsoletes --recommends \
        --suggests --supplements --enhances "-v --requires" "-i -l" --changelog --changes \
        --filesbypkg --fileclass --filecolor --fileprovide --filerequire --filecaps --quiet \
        "--qf %{name}|%{installtime:date}|%{installcolor}\\n -l" --xml; do
        words "-qa $option"
        words "-q $option full two-things-1"
    done
    words "-ql bare"
    words "-qi nosuch"
}

verify_all() {
    local words
    for words in "-Va" "-Va --nodeps" "-Va -v --nodeps" "-V full" "-V full --nodeps" \
        "-V full -v --nodeps" "-V nosuch" "-V nosuch full bare --nodeps" "-V two-things" \
        "-V two-things --nofiles" "-V --noscripts bare" "-V full --nodeps --nofiledigest" \
        "-V full --nodeps --nomtime --nosize" "-Vf /opt/full/a --nodeps" "-Vf /opt/shared/file -v" \
        "-Vf /nosuch" "-Vg Some/Group --nodeps" "-V --whatprovides full-thing --nodeps" \
        "-Vc full --nodeps" "-Vd full -v --nodeps" "-V --noghost --noconfig -v full --nodeps" \
        "-Va two* -v --nodeps" "-Va nosuch*" "-V --nofiles full" "-Va --nofiles" \
        "-V --querybynumber 2 --nodeps" "-V -p /nosuch.rpm"; do
        words "$words"
    done
}

# States as they come with excluded documents, network filesystems and other packages' files.
set_states() {
    local number i=0 file
    number=$("$STOCK" --root "$PWD/$root" --dbpath /.rpmdb -q --qf '%{dbinstance}' full)
    while read -r file; do
        case $file in
        /opt/full/gone) "$BUILD/tests/dbtool" -r "$PWD/$root" state "$number" $i 2 ;;
        /opt/full/net) "$BUILD/tests/dbtool" -r "$PWD/$root" state "$number" $i 3 ;;
        /opt/full/a) "$BUILD/tests/dbtool" -r "$PWD/$root" state "$number" $i 1 ;;
        /opt/full/sub/b) "$BUILD/tests/dbtool" -r "$PWD/$root" state "$number" $i 4 ;;
        esac
        i=$((i + 1))
    done < <("$STOCK" --root "$PWD/$root" --dbpath /.rpmdb -ql full)
}

for root in stocks ours; do
    select_all
    select_labels
    select_others
    # And through symlinks of the root, which stock does not see.
    run "$RPM" --root "$PWD/$root" --dbpath /.rpmdb -qf /opt/full/link/b
    is "-qf through a symlink" "$status $(cat out)" "0 full-1.5-3.x.noarch"
    show_all
    verify_all
    echo more >>$root/opt/full/doc
    rm -f $root/opt/full/license $root/opt/full/ghost $root/etc/full.may
    touch -d @1000000000 $root/opt/shared/file $root/opt/full/artifact
    verify_all
    set_states
    # Stock looks for what is not owned in the system's root, whatever its --root.
    for file in a gone sub/b; do
        run "$RPM" --root "$PWD/$root" --dbpath /.rpmdb -qf /opt/full/$file
        is "-qf of $file, which the package does not have" "$status $(cat out err)" \
            "1 file /opt/full/$file is not owned by any package"
        words "-q --path /opt/full/$file"
    done
    words "-q --state -l full"
    for state in normal replaced "not installed" "net shared" "wrong color"; do
        says "state" "^$state "
    done
    select_others
    verify_all
    rm -r $root/opt/full
    verify_all
done

# -- the system's own root --------------------------------------------------------------------

root=
succeeds "stock installs at home" stock -i "${force[@]}" "$host_rpm"
ln -s real "$host/link"
ln -s "$host/real/deep" "$host/real/short"
echo mine >"$host/mine"
cd "$host/real" || exit 1
for path in file ./file ../real/file deep/file short/file ../link/file "$host/link/file" . .. ./ \
    ../.. / "$host/real/" deep "../with space/file" "$host/with space" ../mine nosuch ./nosuch \
    /nosuch/x "$host/link" short; do
    compare "-qf '$path'" -qf "$path"
    compare "-Vf '$path'" -Vf "$path"
    compare "--path '$path'" -q --path "$path"
done
compare "--whatprovides ./file" -q --whatprovides ./file
compare "-qf of several" -qf file nosuch ../mine
says "several" '^host-1-1'
compare "-Va" -Va
says "the scriptlet" '^and this$'
compare "-Va -v" -Va -v
says "the scriptlet" '^with 1: 1$'
compare "-V --noscripts" -V host --noscripts
compare "-V --noscript --nofiles" -V host --noscript --nofiles
touch "$host/fail"
compare "a scriptlet that fails" -V host
compare "a scriptlet that fails, of all" -Va
compare "a scriptlet that fails, of a package file" -V -p "$host_rpm"
cd "$WORK" || exit 1

# -- no database ------------------------------------------------------------------------------

# Stock makes an empty one where it may.
rm -rf .rpmdb
for words in "-q full" "-qf /bin/sh" "-V full" "-q --whatprovides x" "-q --querybynumber 1"; do
    # shellcheck disable=SC2086  # the words of a command line
    run "$RPM" --dbpath "$WORK/.rpmdb" $words
    ours="$status $(cat out err)"
    rm -rf .rpmdb
    # shellcheck disable=SC2086
    run "$STOCK" --dbpath "$WORK/.rpmdb" $words
    is "no database, $words" "$ours" "$status $(cat out err)"
    rm -rf .rpmdb
done
finish
