#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A neighbour that has 300 MiB dirty on the filesystem that is installed to: `auto` does not write
# one page of it, a syncfs barrier (the control) all. The disk is in memory.
. "$TOP/tests/lib.sh"
need_root

PAGECACHE=$BUILD/tests/pagecache
MIB=300
pages=$((MIB * 1048576 / $(getconf PAGESIZE)))
available=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
# The kernel begins to write at a tenth of that, unless told otherwise.
[ "$available" -gt 4500 ] || skip "less than 4.5 GiB of memory"
[ "$(cat /proc/sys/vm/dirty_background_ratio)" -ge 10 ] || skip "dirty memory is written early here"
"$PAGECACHE" dirty /bin/sh >/dev/null || skip "no cachestat(2)"

{ echo "name few" && echo "arch noarch" && echo "dir /few mode=0750 user=daemon"
  for i in $(seq 200); do echo "file /few/$i size=5000 fill=text"; done
} | make_pkg few.rpm

disk=$WORK/disk mount=$WORK/fs
mkdir "$disk" "$mount"

# beside FILESYSTEM BARRIER: installs there; $left pages of the neighbour are still dirty.
beside() {
    mount -t tmpfs -o size=2g none "$disk"
    truncate -s 1800M "$disk/image"
    if ! "mkfs.$1" -q "$disk/image" >mkfs.log 2>&1 || ! mount -o loop "$disk/image" "$mount"; then
        umount "$disk"
        return 1
    fi
    mkdir "$mount/root"
    sync -f "$mount"
    dd if=/dev/zero of="$mount/neighbour" bs=1M count=$MIB status=none
    is "$1, $2: dirty before" "$("$PAGECACHE" dirty "$mount/neighbour")" "$pages"
    run "$RPM" -vv --define '_flush_io 1' --define '_flush_io_method batch' \
        --define "_flush_io_barrier $2" --dbpath /db --root "$mount/root" -i few.rpm
    left=$("$PAGECACHE" dirty "$mount/neighbour")
    is "$1, $2: status" "$status" 0
    umount "$mount"
    umount "$disk"
}

for fs in ext4 xfs btrfs; do
    beside $fs auto || { skip_part "$fs: no loop device or no mkfs"; continue; }
    holds "$fs, auto: why" err ' fsync barrier, 200 files \(auto: others have much dirty data\)$'
    is "$fs, auto: still dirty" "$left" "$pages"
    beside $fs syncfs
    holds "$fs, syncfs: why" err ' syncfs barrier, 200 files \(as set\)$'
    is "$fs, syncfs: still dirty" "$left" 0
done
finish
