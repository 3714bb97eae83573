#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# bench/fdio.sh BUILD_DIR [FLUSH_MS [FILESYSTEM...]]: the table of bench/fdio.c on the filesystem
# of the current directory, then on disks that are emulated with that flush time (10 ms unless
# given; needs root, FUSE and loop devices), one filesystem after the other. Use a release build.
. "$(dirname "$0")/emulated.sh"
set -u
[ $# -ge 1 ] || { echo "usage: bench/fdio.sh BUILD_DIR [FLUSH_MS [FILESYSTEM...]]" >&2; exit 2; }
build=$(realpath "$1") || exit 2
flush=${2:-10}
if [ $# -gt 2 ]; then systems=("${@:3}"); else systems=(ext4 xfs btrfs); fi

work=$(mktemp -d) || exit 1
here=$(mktemp -d ./fdio.XXXXXX) || exit 1
trap 'emulated_down; rm -rf "$work" "$here"' EXIT

title() {
    echo "== $*"
    echo
}

title "$(findmnt -n -o FSTYPE -T .) of this machine, $(uname -r)"
"$build/bench/fdio" "$here" || exit 1
for fs in "${systems[@]}"; do
    echo
    title "$fs, a flush takes $flush ms"
    emulated "$fs" 1024 $((flush * 1000)) || { echo "fdio.sh: no $fs on an emulated disk" >&2; exit 1; }
    "$build/bench/fdio" -r 3 "$work/fs" || exit 1
    emulated_down
done
