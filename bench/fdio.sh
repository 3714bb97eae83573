#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# bench/fdio.sh BUILD_DIR [FLUSH_MS [FILESYSTEM...]]: the table of bench/fdio.c on the filesystem
# of the current directory, then on disks that are emulated with that flush time (10 ms unless
# given; needs root, FUSE and loop devices), one filesystem after the other. Use a release build.
set -u
[ $# -ge 1 ] || { echo "usage: bench/fdio.sh BUILD_DIR [FLUSH_MS [FILESYSTEM...]]" >&2; exit 2; }
build=$(realpath "$1") || exit 2
flush=${2:-10}
if [ $# -gt 2 ]; then systems=("${@:3}"); else systems=(ext4 xfs btrfs); fi

work=$(mktemp -d) || exit 1
here=$(mktemp -d ./fdio.XXXXXX) || exit 1
disk='' loop=''

clean_up() {
    mountpoint -q "$work/fs" && umount "$work/fs"
    [ -z "$loop" ] || losetup -d "$loop"
    loop=''
    [ -z "$disk" ] || { fusermount3 -u "$work/disk" && wait "$disk"; }
    disk=''
}
trap 'clean_up; rm -rf "$work" "$here"' EXIT
mkdir "$work/disk" "$work/fs"

title() {
    echo "== $*"
    echo
}

# emulated TYPE: a fresh filesystem on a fresh disk, mounted on $work/fs.
emulated() {
    local options=()
    : >"$work/ready"
    "$build/tests/flushdisk" 1024 "$work/disk" >"$work/ready" &
    disk=$!
    until grep -q ready "$work/ready"; do
        kill -0 "$disk" 2>/dev/null || return 1
        sleep 0.1
    done
    loop=$(losetup -f --show "$work/disk/disk") || return 1
    case $1 in
    ext4) options=(-q -E nodiscard) ;;
    xfs) options=(-q -K) ;;
    btrfs) options=(-q -K) ;;
    esac
    "mkfs.$1" "${options[@]}" "$loop" >/dev/null && mount "$loop" "$work/fs" || return 1
    echo "flush $((flush * 1000))" >"$work/disk/control"
}

title "$(findmnt -n -o FSTYPE -T .) of this machine, $(uname -r)"
"$build/bench/fdio" "$here" || exit 1
for fs in "${systems[@]}"; do
    echo
    title "$fs, a flush takes $flush ms"
    emulated "$fs" || { echo "fdio.sh: no $fs on an emulated disk" >&2; exit 1; }
    "$build/bench/fdio" -r 3 "$work/fs" || exit 1
    clean_up
done
