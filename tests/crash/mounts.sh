#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a scriptlet wrote to a filesystem that is mounted below the root is there after exit 0,
# whatever the power does: that filesystem is on the disk that logs what reaches it, and nothing
# is kept that was not flushed when the command ended. The root itself is elsewhere.
. "$TOP/tests/lib.sh"
. "$TOP/tests/crash/rig.sh"

need_rig ext4
rig=$WORK/rig root=$WORK/root
SIZE=$((300 << 20))
mkdir -p "$rig/mnt"
busybox_root "$root"
mkdir "$root/home"

make_pkg writes.rpm <<'END'
name writes
arch noarch
script postin /bin/sh echo written >/home/file
file /opt/writes content=x
END

# found FILESYSTEM OPTIONS...: installs, cuts the power, prints what is there.
found() {
    local fs=$1 loop at
    shift
    make_fs "$fs" "$rig/base" && disk_up && loop=$(losetup --direct-io=on -f --show "$rig/disk/disk") ||
        return 1
    limited mount -t "$fs" -o "$(rig_options "$fs")" "$loop" "$root/home"
    losetup -d "$loop"
    sync -f "$root/home"
    limited "$RPM" -i --replacepkgs --dbpath /db --root "$root" "$@" writes.rpm </dev/null >&2
    mark "exit $?"
    umount "$root/home" && disk_down && "$REPLAY" "$rig/log" >"$rig/records"
    at=$(awk '$2 == "mark" && $3 == "exit" && $4 == 0 { print $1 }' "$rig/records")
    "$REPLAY" "$rig/log" "$at" lost "$rig/base" "$rig/image" >/dev/null &&
        mount_image "$fs" "$rig/image" "$rig/mnt" || return 1
    cat "$rig/mnt/file" 2>/dev/null || echo "nothing"
    umount "$rig/mnt"
    rm -f "$rig/image"
}

for fs in ext4 xfs btrfs; do
    (need_rig $fs) || continue
    is "$fs: batch" "$(found $fs --define '_flush_io batch')" written
    is "$fs: off, which has a sync at the end" "$(found $fs --define '_flush_io 0')" written
    is "$fs: none (the control)" "$(found $fs --define '_flush_io none')" nothing
done
finish
