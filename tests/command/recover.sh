#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Transactions that are killed at every stage, and the command that comes next: what it says, and
# what it makes of it. strace kills the program at the n-th call of a kind; after that, another
# package is installed, or not, and the command repeated, and all must be as if nothing had been.
# RECOVER_FORM=long has three times as many cuts.
. "$TOP/tests/lib.sh"
need_root # to change the root
need_busybox
command -v strace >/dev/null || skip "no strace"
export ASAN_OPTIONS=detect_leaks=0 # which cannot be done under strace

note=root/.rpmdb/.rpm.inflight
kinds=mkdirat,renameat,renameat2,linkat,symlinkat,unlinkat,fsync,fdatasync,syncfs,pwrite64,fchmod
kinds=$kinds,utimensat,wait4

plain() { "$RPM" --root "$PWD/root" --dbpath /.rpmdb "$@"; }
batch() { plain --nodeps --define '_flush_io 1' --define '_flush_io_method batch' "$@"; }

package() { # NAME VERSION STATEMENTS...
    local name=$1 version=$2
    shift 2
    { printf 'name %s\nversion %s\nrelease 1\narch noarch\n' "$name" "$version"
      printf '%s\n' "$@"; } | make_pkg "$name-$version.rpm"
}

# says WHAT [TAG]: scriptlets that tell of themselves, where no list of the tree sees it.
says() {
    local what=$1 tag
    shift
    for tag; do
        printf 'script %s /bin/sh echo\\s%s\\s%s\\s$1>>/var/lib/rpm/log\n' "$tag" "$what" "$tag"
    done
}

# a: no scriptlets, every kind of file. b: scriptlets on both sides. c comes, d and e go.
package a 1 'dir /a' 'file /a/same content=one' 'file /a/old size=3000' 'symlink /a/link same' \
    'file /a/becomes-dir content=x' 'file /a/conf flags=config content=one' \
    'file /a/h1 content=h link=h' 'file /a/h2 content=h link=h'
package a 2 'dir /a' 'file /a/same content=second' 'file /a/new size=3000' 'symlink /a/link new' \
    'dir /a/becomes-dir' 'file /a/becomes-dir/f content=f' \
    'file /a/conf flags=config content=second' 'file /a/h1 content=hh link=hh' \
    'file /a/h2 content=hh link=hh'
package b 1 'file /b/f content=one' 'file /b/old content=old' "$(says b1 preun postun)"
package b 2 'file /b/f content=second' 'file /b/new content=new' "$(says b2 prein postin)"
package c 1 'dir /c' 'file /c/c content=c'
package d 1 'dir /d' 'file /d/d content=d' 'file /d/dd content=dd'
package e 1 'dir /d' 'file /d/e content=e' "$(says e1 preun postun)"
package x 1 'file /x content=x'

# base ROOT PACKAGES...: a root with these, installed.
base() {
    busybox_root root
    mkdir -p root/var/lib/rpm
    plain --initdb
    [ $# = 1 ] || batch -i "${@:2}" || fail "base $1"
    rm -rf "$1"
    mv root "$1"
}
fresh() {
    rm -rf root
    cp -a "$1" root
}
installed() { plain -qa --qf '%{nevra}\n' | LC_ALL=C sort; }
tree() { manifest root 1 | grep -v '^var/'; } # where scriptlets and their files are

# -- words ------------------------------------------------------------------------------------

# said NAME COMING GOING: the next command's warnings, against what was recorded before it.
said() {
    local package state
    if [ -n "$torn" ]; then
        is "$1: it was cut" "$(cat err)" \
            "warning: $PWD/$note: empty or torn note of a transaction, removed"
        return
    fi
    holds "$1: it was cut" err '^warning: transaction [0-9]+ was cut short; it had in hand:$'
    for package in $2; do
        state='not recorded'
        ! grep -qx "$package" before.db || state='recorded'
        holds "$1: of $package" err "^warning:     $package: $state\$"
    done
    for package in $3; do
        state='erased'
        ! grep -qx "$package" before.db || state='not erased( to the end, which is done now)?'
        holds "$1: of $package" err "^warning:     $package: $state\$"
    done
}

twice() { plain -qa --qf '%{name}\n' | sort | uniq -d; }

nothing_over() { # NAME
    is "$1: temporary names" "$(find root -name '.rpmtmp-*')" ""
    is "$1: the note" "$(find root/.rpmdb -name "*inflight*")" ""
    is "$1: names recorded twice" "$(twice)" ""
}

# -- one cut ----------------------------------------------------------------------------------

# again ALL: the command once more; or, without ALL, for what is left to do.
again() {
    local words=() word
    for word in "${command[@]:1}"; do
        case ${command[0]} in
        -e) ! plain -q "$word" >/dev/null || words+=("$word") ;;
        *) plain -q "$(basename "$word" .rpm)" >/dev/null || words+=("$word") ;;
        esac
    done
    [ -z "$1" ] || words=("${command[@]:1}")
    status=0
    : >err
    [ "${#words[@]}" = 0 ] || run batch "${command[0]}" "${words[@]}"
}

# cut CASE KIND N OTHER
cut() {
    local name="$1, killed at $2 $3" noted=''
    fresh "$base"
    run strace -o /dev/null -e "trace=$2" -e "inject=$2:signal=KILL:when=$3" "$RPM" \
        --root "$PWD/root" --dbpath /.rpmdb --nodeps --define '_flush_io 1' \
        --define '_flush_io_method batch' "${command[@]}"
    # One thread of several makes that call: which, is not always the same.
    [ "$2" != fsync ] || [ "$status" != 0 ] || return
    [ "$status" = 137 ] || { fail "$name: not killed, but $status"; return; }
    installed >before.db
    [ ! -e "$note" ] || noted=1
    torn=''
    [ -z "$noted" ] || grep -q '^begun' "$note" || torn=1
    if [ -n "$noted" ] && [ -n "$(twice)" ] && [ ! -e both ]; then cp -a root both; fi
    cuts=$((cuts + 1)) noteds=$((noteds + ${noted:-0}))
    if [ -n "$4" ]; then
        succeeds "$name: the next command" plain --nodeps --define "_flush_io $4" -i x-1.rpm
        if [ -s err ]; then said "$name" "$coming" "$going"; fi
        nothing_over "$name: after the next command"
    fi
    if [ -z "$4" ]; then
        again all
        if [ "${command[0]}" = -e ] && grep -q ' is not installed$' err; then
            # As ever: nothing is erased then, but what had been begun.
            grep -v ' is not installed$' err >err.first
            again ''
            cat err.first >>err
        fi
        if [ "$status" != 0 ]; then
            # All is there, and nobody asked for more.
            is "$name: repeated, what is wrong" "$(grep -v 'already installed$' err)" ""
            same "$name: repeated in vain" before.db "$base.db"
        elif [ -s err ]; then
            said "$name" "$coming" "$going"
        fi
    else
        again ''
        is "$name: the rest" "$status" 0
    fi
    nothing_over "$name: repeated"
    tree >after
    same "$name: the tree" after "$base.tree${4:+x}"
    installed >after.db
    same "$name: the database" after.db "$base.db${4:+x}"
    for line in "${lines[@]}"; do holds "$name: scriptlets" root/var/lib/rpm/log "^$line\$"; done
}

thin=3
[ "${RECOVER_FORM:-short}" != long ] || thin=1

# case_of CASE COMING GOING LINES COMMAND...: killed at every call, or, where there are many, at
# every eighth; in all, at every STEPth. The short form has every third of these, but waits all.
case_of() {
    local case=$1 kind n total other=0 step
    coming=$2 going=$3 base=base-$1
    mapfile -t lines < <(printf '%s' "$4")
    command=("${@:5}")
    cuts=0 noteds=0
    fresh "$base"
    succeeds "$case undisturbed" strace -o trace -e "trace=$kinds" "$RPM" --root "$PWD/root" \
        --dbpath /.rpmdb --nodeps --define '_flush_io 1' --define '_flush_io_method batch' \
        "${command[@]}"
    is "$case undisturbed: what it says" "$(cat err)" ""
    tree >"$base.tree"
    installed >"$base.db"
    batch -i x-1.rpm
    tree >"$base.treex"
    installed >"$base.dbx"
    for kind in ${kinds//,/ }; do
        total=$(grep -c "^$kind(" trace)
        step=$((${STEP:-1} * thin))
        case $kind in
        pwrite64 | fchmod | utimensat) step=$((8 * thin)) ;;
        wait4) step=1 ;;
        esac
        for ((n = 1 + (total > 0 ? (total - 1) % step / 2 : 0); n <= total; n += step)); do
            other=$((other + 1))
            case $((other % 4)) in
            0) cut "$case" "$kind" "$n" none ;;
            1) cut "$case" "$kind" "$n" batch ;;
            *) cut "$case" "$kind" "$n" '' ;;
            esac
        done
    done
    echo "$case: $cuts cuts, $noteds of them with a note"
    [ "$noteds" -gt $((15 / thin)) ] || fail "$case: too few cuts"
}

base base-upgrade a-1.rpm b-1.rpm
base base-install a-1.rpm
base base-erase c-1.rpm d-1.rpm e-1.rpm
case_of upgrade 'a-2-1.noarch b-2-1.noarch c-1-1.noarch' 'a-1-1.noarch b-1-1.noarch' \
    $'b1 preun 1\nb1 postun 1' -U a-2.rpm b-2.rpm c-1.rpm

# The control: without the note, both versions of b stay.
if [ -e both ]; then
    fresh both
    rm "$note"
    run batch -U b-2.rpm
    is "without the note: it is refused" "$((status > 0))" 1
    holds "without the note" err 'package b-2-1.noarch is already installed'
    is "without the note: names recorded twice" "$(twice)" b
    # Queries and --test leave the note alone.
    fresh both
    sum=$(sha256sum "$note")
    plain -q b >/dev/null
    plain -V b >/dev/null
    run batch --test -i x-1.rpm
    is "after --test: the note" "$(sha256sum "$note")" "$sum"
    is "after --test: names recorded twice" "$(twice)" b
    # An erasure finds its package once.
    succeeds "erased after the cut" plain --nodeps -e b
    holds "erased after the cut" err '    b-1-1.noarch: not erased to the end, which is done now$'
    is "erased after the cut: recorded" "$(plain -q b)" "package b is not installed"
    nothing_over "erased after the cut"
else
    fail "no cut between a new and an old record"
fi

STEP=2 case_of install 'b-2-1.noarch c-1-1.noarch' '' '' -i b-2.rpm c-1.rpm
STEP=2 case_of erase '' 'c-1-1.noarch d-1-1.noarch e-1-1.noarch' $'e1 preun 0\ne1 postun 0' -e c d e

# Packages that rpmbuild has made.
real=()
for name in hello-2.0-1.x86_64 hlinktest-1.0-1.noarch capstest-1.0-1.noarch foo-1.0-1.noarch; do
    [ ! -e "$REAL_RPMS/$name.rpm" ] || real+=("$name")
done
if [ "${#real[@]}" = 4 ]; then
    base base-real
    # shellcheck disable=SC2046,SC2059
    STEP=4 case_of real "${real[*]}" '' '' \
        -i $(printf "$REAL_RPMS/%s.rpm " "${real[@]}")
else
    skip_part "packages of rpmbuild: none in $REAL_RPMS"
fi

# A scriptlet that fails ends the matter, as it does in a transaction: the command goes on. Who
# does not want it run says so.
package f 1 'file /f content=one' 'script preun /bin/sh exit\s3'
package f 2 'file /f content=second'
base base-f f-1.rpm
for options in '' --noscripts; do
    fresh base-f
    run strace -o /dev/null -e trace=wait4 -e inject=wait4:signal=KILL:when=1 "$RPM" \
        --root "$PWD/root" --dbpath /.rpmdb --define '_flush_io 1' \
        --define '_flush_io_method batch' -U f-2.rpm
    is "cut in %preun: names recorded twice" "$(twice)" f
    # shellcheck disable=SC2086
    succeeds "after a cut in %preun, $options" batch $options -i x-1.rpm
    is "after a cut in %preun, $options: the note" "$(find root/.rpmdb -name "*inflight*")" ""
    if [ -z "$options" ]; then
        holds "after a cut in %preun" err '%preun\(f-1-1.noarch\) scriptlet failed, exit status 3'
        is "after a cut in %preun: names recorded twice" "$(twice)" f
    else
        is "after a cut in %preun, $options: names recorded twice" "$(twice)" ""
    fi
done

# A disk that is full, or takes no writes: one line names the file, and nothing is begun.
mkdir small
if mount -t tmpfs -o size=8m tmpfs small; then
    base base-small a-1.rpm
    cp -a base-small small/root
    at_small() { "$RPM" --root "$PWD/small/root" --dbpath /.rpmdb --nodeps --ignoresize \
        --define '_flush_io 1' --define '_flush_io_method batch' "$@"; }
    succeeds "before the disk is full" at_small -i c-1.rpm
    manifest small/root 1 >before
    dd if=/dev/zero of=small/fill bs=4k status=none 2>/dev/null
    refuses "a full disk" '(inflight|rpmdb.sqlite).*([Nn]o space left|disk is full|disk I/O)' \
        at_small -i x-1.rpm
    manifest small/root 1 >after
    same "a full disk: the tree" after before
    is "a full disk: the note" "$(find small/root/.rpmdb -name "*inflight*")" ""
    rm small/fill
    mount -o remount,ro small
    refuses "a read-only disk" '/.rpmdb/.rpm.lock .*Read-only file system' at_small -i x-1.rpm
    mount -o remount,rw small
    succeeds "when it is writable again" at_small -i x-1.rpm
    umount small
else
    skip_part "full and read-only disks: no tmpfs"
fi
finish
