#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Dependencies: rpm -i lists what is missing in the words and the order of stock's.
. "$TOP/tests/lib.sh"
need_stock
need_root

spec() { # NAME LINES...
    local name=$1
    shift
    {
        printf '%s\n' "Name: $name" 'Version: 2' 'Release: 3' 'Summary: s' 'License: none' \
            'BuildArch: noarch' "$@" '%description' text '%install' \
            'mkdir -p %{buildroot}/opt' "echo x >%{buildroot}/opt/$name" '%files' "/opt/$name"
    } >"$name.spec"
    build_rpm "$name.spec"
}
plain=$(spec plain) || exit 1
needs=$(spec needs "Requires: plain = 2-3, plain >= 1, plain < 2-4, plain <= 2" \
    "Requires: plain > 2, plain < 2, plain = 1:2, plain >= 2~rc1, plain > 2^git" \
    "Requires: /opt/plain, /opt/nothing, nothing, nothing >= 3" \
    "Requires(pre): early" "Requires(pretrans): plain") || exit 1
foe=$(spec foe "Conflicts: plain < 3, foe, thing, nobody" "Provides: thing = 3") || exit 1
heir=$(spec heir "Obsoletes: plain < 3, thing, heir < 9") || exit 1
other=$(spec other "Provides: thing" "Requires: thing > 1, foe, heir = 2") || exit 1

compare() { # NAME PACKAGE...
    local name=$1 theirs=0 ours=0
    shift
    empty_root root
    stock -i --test --noorder --root "$PWD/root" "$@" >theirs.out 2>&1 || theirs=$?
    rm -rf root/.rpmdb
    "$RPM" -i --test --noorder --root "$PWD/root" "$@" >out 2>&1 || ours=$?
    same "$name" out theirs.out
    is "$name: exit status" "$ours" "$theirs"
}

compare "nothing needed" "$plain"
compare "alone" "$needs"
compare "with what it needs" "$needs" "$plain"
compare "in the other order" "$plain" "$needs"
compare "conflict" "$foe" "$plain"
compare "conflict with what others provide" "$other" "$foe"
compare "obsoleted name that is only provided" "$heir" "$other"
compare "needs of each other" "$other" "$foe" "$heir"

# Machines and systems.
alien() { # NAME TARGET [rpmbuild options]
    printf '%s\n' "Name: $1" 'Version: 1' 'Release: 1' 'Summary: s' 'License: none' \
        '%description' text '%files' >"$1.spec"
    build_rpm "$1.spec" --target "$2"
}
for target in s390x-linux aarch64-linux i686-linux i386-linux athlon-linux amd64-linux \
    x86_64-solaris2.7; do
    package=$(alien "alien-$target" "$target") || exit 1
    compare "for $target" "$package"
    compare "for $target, --ignorearch" --ignorearch "$package"
    compare "for $target, --ignoreos" --ignoreos "$package"
    compare "for $target, --ignorearch --ignoreos" --ignorearch --ignoreos "$package"
done

if [ -d "$REAL_RPMS" ]; then
    for rpm in "$REAL_RPMS"/*.rpm; do
        case $rpm in
        *.src.rpm) ;;
        *) compare "$(basename "$rpm")" "$rpm" ;;
        esac
    done
    compare "two real ones" "$REAL_RPMS"/fake_bash*.rpm "$REAL_RPMS"/super_kernel*.rpm
else
    skip_part "real packages: $REAL_RPMS is not there"
fi
finish
