# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the benchmarks share: an emulated disk with a filesystem on it. The script sets
#   $build  the build tree    $work  its own directory, in which disk/ and fs/ are made
# and calls emulated_down at its end.
# Its mounts are in a namespace of its own, which nobody else's copies keep busy.
# shellcheck disable=SC2154

if [ "$(id -u)" = 0 ] && [ -z "${BENCH_NAMESPACE:-}" ]; then
    BENCH_NAMESPACE=1 exec unshare --mount --propagation private bash "$0" "$@"
fi

disk='' loop=''

emulated_down() {
    mountpoint -q "$work/fs" && umount "$work/fs"
    [ -z "$loop" ] || losetup -d "$loop"
    loop=''
    [ -z "$disk" ] || { fusermount3 -u "$work/disk" && wait "$disk"; }
    disk=''
}

# disk_up MIB: an empty disk, in memory: $loop.
disk_up() {
    mkdir -p "$work/disk" "$work/fs"
    : >"$work/ready"
    chrt -f 20 "$build/tests/flushdisk" "$1" "$work/disk" >"$work/ready" &
    disk=$!
    until grep -q ready "$work/ready"; do
        kill -0 "$disk" 2>/dev/null || return 1
        sleep 0.1
    done
    loop=$(losetup --direct-io=on -f --show "$work/disk/disk")
}

# emulated TYPE MIB FLUSH-USECS [WRITE-USECS [MOUNT-OPTIONS]]: a fresh filesystem on a fresh disk,
# mounted on $work/fs; flushes and writes take that long.
emulated() {
    local options=()
    disk_up "$2" || return 1
    case $1 in
    ext4) options=(-q -E "nodiscard,lazy_itable_init=0,lazy_journal_init=0") ;;
    xfs) options=(-q -K) ;;
    btrfs) options=(-q -K) ;;
    esac
    "mkfs.$1" "${options[@]}" "$loop" >/dev/null && mount -o "${5:-defaults}" "$loop" "$work/fs" ||
        return 1
    echo "flush $3" >"$work/disk/control"
    echo "write ${4:-0}" >"$work/disk/control"
}

# disk_counts: prints "writes N written BYTES flushes N" since the last reset.
disk_counts() { cat "$work/disk/control"; }
disk_reset() { echo reset >"$work/disk/control"; }
