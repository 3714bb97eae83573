#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rpm -K: the same lines and exit status as stock's, on packages good, signed and damaged.
. "$TOP/tests/lib.sh"
need_stock

cat >checked.spec <<'EOF'
Name: checked
Version: 1.0
Release: 1
Summary: A package to damage
License: none
BuildArch: noarch
%description
A package to damage.
%install
mkdir -p %{buildroot}/opt
echo content >%{buildroot}/opt/checked
%files
/opt/checked
EOF
package=$(build_rpm checked.spec) || exit 1

# both NAME ARGS...: on stdout. That the size of the file is not the header's, only ours sees, and
# adds a line. Errors about what cannot be read at all are each rpm's own.
both() {
    local name=$1 theirs=0 ours=0
    shift
    stock -K "$@" >theirs.out 2>theirs.err || theirs=$?
    "$RPM" -K "$@" >all 2>err || ours=$?
    grep -v '^    Package size: BAD ' all >out
    [ -s theirs.out ] || [ "$1" = absent.rpm ] || fail "$name: stock says nothing"
    same "$name" out theirs.out
    is "$name: exit status" "$ours" "$theirs"
}

each() {
    local option
    both "$1" "$2"
    for option in -v --nodigest --nosignature "-v --nodigest" "-v --nosignature" \
        "--nodigest --nosignature" "-v --nodigest --nosignature"; do
        # shellcheck disable=SC2086  # the words of an option
        both "$1 $option" $option "$2"
    done
}

flip() { # FILE OFFSET
    printf '%b' "\\x$(printf %02x $(($(od -An -tu1 -j "$2" -N 1 "$1") ^ 1)))" |
        dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

each "good" "$package"
size=$(stat -c %s "$package")
cp "$package" payload.rpm
flip payload.rpm $((size - 20))
each "payload damaged" payload.rpm
cp "$package" cut.rpm
truncate -s -10 cut.rpm
each "payload cut" cut.rpm
cp "$package" longer.rpm
echo more >>longer.rpm
each "bytes after the payload" longer.rpm
for p in cut longer; do
    run "$RPM" -Kv $p.rpm
    holds "$p: size" out '^    Package size: BAD '
done

# The text of the summary: in the main header, in no tag that is used before the digests are.
offset=$(grep -abo 'A package to damage' "$package" | head -n 1 | cut -d: -f1)
cp "$package" header.rpm
flip header.rpm "$offset"
each "header damaged" header.rpm

if [ -d "$REAL_RPMS" ]; then
    for rpm in "$REAL_RPMS"/*.rpm; do
        each "$(basename "$rpm")" "$rpm"
    done
else
    skip_part "real packages: $REAL_RPMS is not there"
fi

both "several, one bad" "$package" payload.rpm "$package" header.rpm
both "absent" absent.rpm
both "--checksig" --checksig "$package"
echo 'no package' >none.rpm
run "$RPM" -K none.rpm
is "no package: exit status" "$status" 1
finish
