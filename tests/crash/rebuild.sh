#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Cuts the power in the course of rpm --rebuilddb, of a database whose records are in part in its
# write-ahead log: at flushes of the disk and after the exit the same packages must be there. The
# control, on btrfs, is one whose first fsync, of the new file, is not done.
. "$TOP/tests/lib.sh"
. "$TOP/tests/crash/rig.sh"
need_rig ext4
command -v strace >/dev/null || skip "no strace"

DBTOOL=$BUILD/tests/dbtool
rig=$WORK/rig
SIZE=$((300 << 20))
mkdir -p "$rig/mnt"
for i in 1 2 3 4 5 6 7 8; do
    printf 'name p%s\narch noarch\nfile /opt/p%s content=x\n' $i $i | make_pkg p$i.rpm
done

# recorded ROOT: the packages, in a line; nothing that is wrong with the database is passed over.
recorded() {
    "$RPM" --root "$1" --dbpath /.rpmdb --verifydb 2>&1
    "$RPM" --root "$1" --dbpath /.rpmdb -qa --qf '%{NAME} ' 2>&1 | tr ' ' '\n' | sort | tr '\n' ' '
}

# A database of eight, of which four are in the log only.
prepared() {
    make_fs "$fs" "$rig/base" && mount_image "$fs" "$rig/base" "$rig/mnt" &&
        "$DBTOOL" -r "$rig/mnt" add p[1-4].rpm >out &&
        "$DBTOOL" -k -r "$rig/mnt" add p[5-8].rpm >out || return 1
    is "$fs: there is a log" "$([ -s "$rig/mnt/.rpmdb/rpmdb.sqlite-wal" ] && echo yes)" yes
    umount "$rig/mnt"
}

# rebuilt COMMAND...: under that.
rebuilt() {
    local loop
    disk_up && loop=$(losetup --direct-io=on -f --show "$rig/disk/disk") || return 1
    limited mount -t "$fs" -o "$(rig_options "$fs")" "$loop" "$rig/mnt"
    losetup -d "$loop"
    sync -f "$rig/mnt"
    mark start
    status=0
    "$@" "$RPM" --root "$rig/mnt" --dbpath /.rpmdb --rebuilddb 2>err </dev/null || status=$?
    mark "exit $status"
    sleep 0.2
    mark end
    umount "$rig/mnt"
    disk_down && "$REPLAY" "$rig/log" >"$rig/records"
    is "$fs: status" "$status" 0
}

# bad: how many cuts have other packages; each is told.
bad() {
    local n=0 record choice got
    cuts short >cuts
    while read -r record choice _; do
        rm -f "$rig/image"
        "$REPLAY" "$rig/log" "$record" "$choice" "$rig/base" "$rig/image" >sum &&
            mount_image "$fs" "$rig/image" "$rig/mnt" || return 1
        got=$(recorded "$rig/mnt")
        umount "$rig/mnt"
        [ "$got" = "p1 p2 p3 p4 p5 p6 p7 p8 " ] && continue
        echo "cut at $record, $choice: $got" | head -n 2 >&2
        n=$((n + 1))
    done <cuts
    echo $n
}

lost=(env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -f -o trace -e trace=fsync
    -e inject=fsync:retval=0:when=1)
for fs in ext4 xfs btrfs; do
    (need_rig $fs) || continue
    prepared && rebuilt || { fail "$fs: preparing"; continue; }
    is "$fs: bad cuts" "$(bad)" 0
    [ $fs = btrfs ] || continue # the others mostly write by themselves what takes another's name
    rebuilt "${lost[@]}" || fail "$fs: the control"
    is "$fs: bad cuts of the control" "$(($(bad 2>/dev/null) > 0))" 1
done
finish
