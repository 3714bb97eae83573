#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Dependencies over a database and a transaction: what is said, in which words and order, the exit
# status, and the order of installing and erasing, are stock's.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root

# begin SPEC; pkg NAME EVR LINES...; built SPEC: one run of rpmbuild makes all packages. Each has
# a file of its name in /opt.
begin() {
    printf '%s\n' "Name: $1" 'Version: 1' 'Release: 1' 'Summary: s' 'License: none' \
        'BuildArch: noarch' '%description' text >"$1.spec"
    : >"$1.files"
}
pkg() { # NAME [EPOCH:]VERSION LINES...
    local name=$1 evr=$2
    shift 2
    {
        printf '%s\n' "%package -n $name" 'Summary: s' "Version: ${evr#*:}"
        case $evr in *:*) echo "Epoch: ${evr%%:*}" ;; esac
        printf '%s\n' "$@" "%description -n $name" text
    } >>"$spec.spec"
    printf '%s\n' "%files -n $name" "/opt/$name" "${file:-}" >>"$spec.files"
    names="$names $name"
}
built() {
    local dir
    {
        echo '%install'
        echo 'mkdir -p %{buildroot}/opt %{buildroot}/usr/bin'
        echo "for i in $names; do echo x >%{buildroot}/opt/\$i; done"
        echo 'echo x >%{buildroot}/usr/bin/rpmio-test-tool'
        cat "$spec.files"
    } >>"$spec.spec"
    dir=$(build_rpm "$spec.spec" --define '_unpackaged_files_terminate_build 0' | head -n 1) ||
        exit 1
    ln -s "$(dirname "$dir")" "${spec#set-}"
}

spec=set-1 names='' file=''
begin set-1
pkg lib 1 'Provides: libfoo = 1.5, cap, config(lib) = 1' 'Requires: config(lib) = 1'
pkg user 1 'Requires: lib'
pkg user-eq 1 'Requires: lib = 1'
pkg user-eqr 1 'Requires: lib = 1-1'
pkg user-ge 1 'Requires: libfoo >= 1.5'
pkg user-gt 1 'Requires: libfoo > 1.4'
pkg user-le 1 'Requires: libfoo <= 1.5'
pkg user-lt 1 'Requires: libfoo < 2'
pkg user-cap 1 'Requires: cap'
pkg user-two 1 'Requires: cap, libfoo, lib >= 1' 'Requires(post): lib'
pkg user-file 1 'Requires: /opt/lib'
pkg user-pre 1 'Requires(pre): lib'
pkg user-post 1 'Requires(post): lib, cap'
pkg user-preun 1 'Requires(preun): lib'
pkg user-postun 1 'Requires(postun): lib'
pkg user-pretrans 1 'Requires(pretrans): lib'
pkg user-meta 1 'Requires(meta): lib'
pkg user-weak 1 'Recommends: lib' 'Suggests: cap' 'Supplements: lib' 'Enhances: lib'
pkg user-rich 1 'Requires: (lib or nothing)'
pkg foe 1 'Conflicts: lib > 1'
pkg foe-all 1 'Conflicts: extra'
pkg foe-file 1 'Conflicts: /opt/extra'
pkg foe-self 1 'Provides: virtual' 'Conflicts: virtual' 'Obsoletes: virtual, foe-self < 1'
pkg heir 1 'Obsoletes: extra < 5'
pkg thing-a 1 'Provides: thing = 1'
pkg thing-b 1 'Provides: thing = 2'
pkg thing-user 1 'Requires: thing'
pkg thing-user-1 1 'Requires: thing < 2'
pkg loop-a 1 'Requires: loop-b'
pkg loop-b 1 'Requires: loop-a'
pkg chain-a 1
pkg chain-b 1 'Requires: chain-a'
pkg chain-c 1 'Requires: chain-b'
pkg epoch 1:1
pkg epoch-user 1 'Requires: epoch >= 1:0.5'
pkg tilde 2~rc1
pkg tilde-user 1 'Requires: tilde < 2'
pkg caret 2^git1
pkg caret-user 1 'Requires: caret > 2, caret < 2.1'
file=/usr/bin/rpmio-test-tool
pkg tool 1
file=
pkg tool-user 1 'Requires: /bin/rpmio-test-tool'
built

spec=set-2 names=''
begin set-2
pkg lib 2 'Provides: libfoo = 2, cap'
pkg user-eq 2 'Requires: lib = 2'
pkg user 2 'Requires: lib >= 2'
pkg user-file 2
pkg foe 2
pkg extra 2 'Provides: virtual'
pkg more 1 'Requires: extra = 2-1, thing >= 2, lib, /opt/extra'
pkg none 1 'Requires: nothing, nothing >= 3, /opt/none-such, lib > 2, lib < 1:0'
pkg foe-old 1 'Conflicts: lib < 2, /opt/user, user = 1, none-such'
pkg heir-old 1 'Obsoletes: user < 2, chain-a, cap, heir-old < 3'
pkg thing-a 2
pkg thing-b 2 'Provides: thing = 2'
pkg chain-a 2
pkg chain-b 2 'Requires: chain-a = 2'
pkg chain-c 2 'Requires: chain-b = 2'
pkg epoch 0.9
pkg epoch-new 1 'Requires: epoch < 1'
pkg tilde 2
pkg caret 2.1
pkg tilde-new 1 'Requires: tilde >= 2~rc1, tilde < 2~rc2'
pkg caret-new 1 'Requires: caret >= 2^git1, caret < 2^git2, caret > 2~1'
pkg features 1 'Requires: rpmlib(NoSuchThing) <= 9, rpmlib(FileDigests) <= 4.6.0-1' \
    'Requires: rpmlib(FileDigests) <= 4.5'
pkg tool 2
pkg rich-new 1 'Requires: (lib and cap)'
pkg diamond-a 1
pkg diamond-b 1 'Requires: diamond-a'
pkg diamond-c 1 'Requires(pre): diamond-a'
pkg diamond-d 1 'Requires: diamond-b, diamond-c'
pkg ring-a 1 'Requires: ring-b'
pkg ring-b 1 'Requires(pre): ring-c'
pkg ring-c 1 'Requires: ring-a, diamond-a'
pkg ring-d 1 'Requires: ring-c'
pkg order-a 1 'OrderWithRequires: order-c'
pkg order-b 1 'Recommends: order-c'
pkg order-c 1 'Supplements: order-d'
pkg order-d 1
built

have() { # PACKAGE...: what is installed
    empty_root root
    if [ -L /bin ]; then
        mkdir -p root/usr/bin
        ln -s usr/bin root/bin
    fi
    stock -i --justdb --nodeps --root "$PWD/root" "$@" >have.out 2>&1 || fail "have $*"
    state=$*
}

verdicts() { # ARGS...: ./theirs.out, ./out, $theirs, $ours
    theirs=0 ours=0
    stock --root "$PWD/root" "$@" >theirs.out 2>&1 || theirs=$?
    "$RPM" --dbpath /.rpmdb --root "$PWD/root" "$@" >out 2>&1 || ours=$?
}

compare() { # ARGS...
    verdicts "$@" --test
    same "with $state: $*" out theirs.out
    is "with $state: $*: exit status" "$ours" "$theirs"
}

fails() { # the same, and both refuse
    compare "$@"
    if [ "$theirs" = 0 ]; then fail "with $state: $*: nobody refused"; else ok; fi
}

passes() { # the same, and both go on
    compare "$@"
    is "with $state: $*: status" "$theirs" 0
}

sequence() { sed -n 's/^D: .* \([+-][^ ]*\.noarch\)$/\1/p' "$1"; }

orders() { # ARGS...: elements are in the same order
    verdicts "$@" --test -vv
    sequence theirs.out >theirs.order
    sequence out >order
    same "with $state: order of $*" order theirs.order
    if [ -s order ]; then ok; else fail "with $state: order of $*: there is none"; fi
}

# What a package asks for.
have 1/lib.rpm
passes -i 1/user.rpm 1/user-eq.rpm 1/user-eqr.rpm 1/user-ge.rpm 1/user-gt.rpm 1/user-le.rpm \
    1/user-lt.rpm 1/user-cap.rpm 1/user-file.rpm 1/user-two.rpm
passes -i 1/user-pre.rpm 1/user-post.rpm 1/user-preun.rpm 1/user-postun.rpm 1/user-meta.rpm
passes -i 1/user-weak.rpm 1/user-pretrans.rpm
fails -i 2/none.rpm
fails -i 2/more.rpm
fails -i 2/more.rpm 2/extra.rpm
passes -i 2/more.rpm 2/extra.rpm 1/thing-b.rpm
fails -i 2/features.rpm
passes -i 2/features.rpm --nodeps
fails -U 2/user-eq.rpm
passes -U 2/lib.rpm 2/user-eq.rpm
fails -U 2/lib.rpm 1/user-lt.rpm 1/user-pretrans.rpm 1/user-file.rpm
passes -U 2/lib.rpm 1/user-lt.rpm --nodeps
fails -i 1/loop-a.rpm
passes -i 1/loop-a.rpm 1/loop-b.rpm
passes -i 1/foe-self.rpm
fails -i 1/foe-self.rpm 2/extra.rpm
fails -U 1/foe.rpm 2/lib.rpm
passes -i 1/foe.rpm
have 1/user.rpm
fails -i 1/user-two.rpm 1/user-pre.rpm 1/user-post.rpm 1/user-preun.rpm 1/user-postun.rpm
passes -i 1/user-weak.rpm

# What is erased, and who needs it.
have 1/lib.rpm 1/user.rpm 1/user-eq.rpm 1/user-ge.rpm 1/user-cap.rpm 1/user-file.rpm 1/user-two.rpm
fails -e lib
passes -e lib --nodeps
passes -e user
passes -e lib user user-eq user-ge user-cap user-file user-two
fails -e lib user user-cap
fails -U 2/lib.rpm
passes -U 2/lib.rpm 2/user-eq.rpm
fails -U 2/user-eq.rpm 2/user.rpm
fails -e lib --allmatches
have 1/lib.rpm 1/user-lt.rpm 1/user-le.rpm 1/user-gt.rpm 1/user-file.rpm
fails -U 2/lib.rpm
fails -U 2/lib.rpm 2/user-file.rpm
have 1/lib.rpm 1/user.rpm 1/user-cap.rpm 1/user-file.rpm 1/user-gt.rpm
passes -U 2/lib.rpm
passes -U 2/lib.rpm 2/user-file.rpm
have 1/lib.rpm 1/user-pre.rpm 1/user-post.rpm 1/user-pretrans.rpm 1/user-weak.rpm
passes -e lib
for kind in preun postun meta; do
    have 1/lib.rpm "1/user-$kind.rpm"
    fails -e lib
done
have 1/thing-a.rpm 1/thing-b.rpm 1/thing-user.rpm
passes -e thing-a
passes -e thing-b
fails -e thing-a thing-b
passes -U 2/thing-a.rpm
passes -U 2/thing-a.rpm 2/thing-b.rpm
have 1/thing-a.rpm 1/thing-b.rpm 1/thing-user-1.rpm
fails -e thing-a
fails -U 2/thing-a.rpm
have 1/loop-a.rpm 1/loop-b.rpm
fails -e loop-a
passes -e loop-a loop-b
have 1/chain-a.rpm 1/chain-b.rpm 1/chain-c.rpm
fails -e chain-a
fails -e chain-b
passes -e chain-c chain-b
fails -U 2/chain-b.rpm
passes -U 2/chain-a.rpm 2/chain-b.rpm 2/chain-c.rpm

# Who conflicts with and obsoletes whom.
have 1/lib.rpm 1/foe.rpm
fails -U 2/lib.rpm
passes -U 2/lib.rpm 2/foe.rpm
passes -U 2/lib.rpm --nodeps
have 1/foe-all.rpm
fails -i 2/extra.rpm
passes -i 2/extra.rpm --nodeps
have 1/foe-file.rpm
fails -i 2/extra.rpm
have 1/foe-self.rpm
fails -i 2/extra.rpm
have 1/heir.rpm
fails -i 2/extra.rpm
passes -i 2/extra.rpm --nodeps
have 1/lib.rpm 1/user.rpm
fails -i 2/foe-old.rpm
fails -U 2/foe-old.rpm 2/lib.rpm
passes -U 2/foe-old.rpm 2/lib.rpm --nodeps
have 1/lib.rpm 1/user.rpm 1/chain-a.rpm
fails -i 2/heir-old.rpm
passes -i 2/heir-old.rpm --nodeps

# Epochs, tildes and carets.
have 1/epoch.rpm
passes -i 1/epoch-user.rpm
fails -i 2/epoch-new.rpm
have 1/epoch.rpm 1/epoch-user.rpm
fails -U 2/epoch.rpm --oldpackage
have 1/tilde.rpm 1/tilde-user.rpm
passes -i 2/tilde-new.rpm
fails -U 2/tilde.rpm
have 1/caret.rpm 1/caret-user.rpm
passes -i 2/caret-new.rpm
fails -U 2/caret.rpm

# A file by way of a symlink. (Stock looks for it on the host, not below the root.)
if [ "$(readlink -f /bin)" = /usr/bin ]; then
    have 1/tool.rpm
    passes -i 1/tool-user.rpm
    have 1/lib.rpm
    fails -i 1/tool-user.rpm
    passes -i 1/tool-user.rpm 1/tool.rpm
    have 1/tool.rpm 1/tool-user.rpm
    fails -e tool
    fails -U 2/tool.rpm
else
    skip_part "files by way of symlinks: /bin is none on this machine"
fi

# Rich dependencies are not evaluated: of a package that comes they are an error, of one that is
# installed only where something that they name comes or goes.
have 1/lib.rpm 1/user-rich.rpm 1/chain-a.rpm
passes -e chain-a
passes -U 2/lib.rpm
rich='has the rich dependency \(lib or nothing\), which this version does not evaluate'
refuses "erase what a rich dependency names" "installed package user-rich-1-1.noarch $rich" \
    "$RPM" --dbpath /.rpmdb --root "$PWD/root" -e lib --test
passes -e lib --nodeps
rich='has the rich dependency \(lib and cap\), which this version does not evaluate'
run "$RPM" --dbpath /.rpmdb --root "$PWD/root" -i 2/rich-new.rpm --test
is "a new rich dependency: status" "$status" 1
holds "a new rich dependency" err "package rich-new-1-1.noarch $rich"
passes -i 2/rich-new.rpm --nodeps

# Obsoletes of a package that comes are refused, where stock would erase.
have 1/user.rpm 1/lib.rpm
run "$RPM" --dbpath /.rpmdb --root "$PWD/root" -U 2/heir-old.rpm --test
is "upgrade by an heir: status" "$status" 1
holds "upgrade by an heir" err 'user < 2 is obsoleted by heir-old-1-1.noarch'

# What an installed package lacks.
have 1/user.rpm 1/user-two.rpm 1/user-pre.rpm 1/foe-self.rpm 1/loop-a.rpm
for name in user user-two user-pre foe-self loop-a; do
    verdicts -V --nofiles "$name"
    same "-V $name" out theirs.out
    is "-V $name: status" "$ours" "$theirs"
done

# Order.
have 1/lib.rpm
orders -i 1/chain-c.rpm 1/chain-b.rpm 1/chain-a.rpm
orders -i 2/diamond-d.rpm 2/diamond-c.rpm 2/diamond-b.rpm 2/diamond-a.rpm
orders -i 2/ring-d.rpm 2/ring-a.rpm 2/ring-b.rpm 2/ring-c.rpm 2/diamond-a.rpm
orders -i 2/ring-c.rpm 2/ring-b.rpm 2/diamond-a.rpm 2/ring-a.rpm 2/ring-d.rpm
orders -i 2/order-a.rpm 2/order-b.rpm 2/order-d.rpm 2/order-c.rpm
orders -i 1/loop-a.rpm 1/loop-b.rpm 1/user.rpm 1/user-two.rpm
orders -i 1/loop-b.rpm 1/user-two.rpm 1/loop-a.rpm 1/user.rpm
have 1/chain-[abc].rpm 2/diamond-[abcd].rpm 2/ring-[abcd].rpm 1/loop-[ab].rpm
orders -U 2/chain-c.rpm 2/chain-b.rpm 2/chain-a.rpm
orders -e chain-a chain-b chain-c
orders -e diamond-a diamond-b diamond-c diamond-d --nodeps
orders -e ring-a ring-b ring-c ring-d
orders -e loop-a loop-b chain-c chain-a --nodeps
verdicts -i --test --noorder 1/chain-c.rpm 1/chain-b.rpm --nodeps --replacepkgs -vv
is "--noorder orders nothing" "$(sequence out)" ''
finish
