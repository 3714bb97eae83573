#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The benchmark of the write policies makes the calls of the original measurements, and the disk
# that it is run on counts what arrives.
. "$TOP/tests/lib.sh"

succeeds "fdio" "$BUILD/bench/fdio" -r 1 .
sed -n '/^BASE+fallocate+fdatasync/,/times BASE/p' out |
    sed -nE 's/^ *FDIO: *([0-9]+ [a-z]+,).*/\1/p' | grep -v advises | tr '\n' ' ' >got
case $(stat -f -c %T .) in
btrfs | zfs) wanted='29 writes, 15 dsyncs, 1 syncs, ' ;;
*) wanted='29 writes, 1 allocs, 15 dsyncs, 1 syncs, ' ;;
esac
is "the calls of the original" "$(cat got)" "$wanted"
sed -n '/^BASE$/,/times BASE/p' out | sed -nE 's/^ *FDIO: *([0-9]+ [a-z]+),.*/\1/p' >got
is "the calls of a plain write" "$(cat got)" "29 writes"
is "nothing is left behind" "$(find . -name 'fdio.*')" ""
holds "no directory" <("$BUILD/bench/fdio" nowhere 2>&1) 'nowhere.*: No such file or directory'

if [ "$(id -u)" != 0 ] || ! [ -x "$BUILD/tests/flushdisk" ] || ! [ -c /dev/fuse ]; then
    skip_part "the emulated disk: not root, no FUSE or no libfuse3"
    finish
fi
mkdir disk fs
: >ready
"$BUILD/tests/flushdisk" 64 disk >ready &
pid=$!
until grep -q ready ready || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
if ! loop=$(losetup -f --show disk/disk 2>/dev/null); then
    skip_part "the emulated disk: no loop device"
else
    counts() { sed -E 's/[a-z]+ ([0-9]+)/\1/g' disk/control; }
    succeeds "mkfs" mkfs.ext4 -q -E nodiscard "$loop"
    succeeds "mount" mount "$loop" fs
    echo reset >disk/control
    is "counts start at nothing" "$(counts)" "0 0 0"
    succeeds "a synced write" dd if=/dev/zero of=fs/file bs=64k count=1 conv=fsync
    read -r writes written flushes < <(counts)
    [ "$written" -ge 65536 ] || fail "a synced write: $written bytes in $writes writes"
    is "a synced write: data, then the journal" "$flushes" 2
    if (echo nonsense >disk/control) 2>/dev/null; then fail "an unknown command is taken"; fi
    umount fs
    losetup -d "$loop"
fi
fusermount3 -u disk
wait $pid
is "the disk's end" $? 0
finish
