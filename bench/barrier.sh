#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# bench/barrier.sh BUILD_DIR [RUNS [FILESYSTEM...]]: what a barrier of the method batch costs by
# fsync and by syncfs, for `auto` to choose by. Needs root, FUSE and loop devices; use a release
# build. On a disk that is emulated with a 10 ms flush and 1 ms a write, and on one in a file of
# the current directory, each a fresh filesystem of 3 GB; the kinds take turns.
#   1. N files of 5 KB in one directory; median seconds of both barriers (files, then names), and
#      flushes of the emulated disk.
#   2. 260 files while a neighbour has so many MiB dirty on the same filesystem.
set -u
[ $# -ge 1 ] || { echo "usage: bench/barrier.sh BUILD_DIR [RUNS [FILESYSTEM...]]" >&2; exit 2; }
build=$(realpath "$1") || exit 2
runs=${2:-5}
if [ $# -gt 2 ]; then systems=("${@:3}"); else systems=(ext4 xfs btrfs); fi
counts=${COUNTS:-1 2 4 8 16 32 64 260 2600}
neighbours=${NEIGHBOURS:-0 16 64 128 256 512}

work=$(mktemp -d) || exit 1
image=$(mktemp ./barrier.XXXXXX) || exit 1
disk='' loop=''

clean_up() {
    mountpoint -q "$work/fs" && umount "$work/fs"
    [ -z "$loop" ] || losetup -d "$loop"
    loop=''
    for _ in $(seq 50); do # the loop device lets go of it a moment later
        [ -n "$disk" ] || break
        fusermount3 -u "$work/disk" 2>/dev/null && wait "$disk" && disk=''
        sleep 0.1
    done
    disk=''
}
trap 'clean_up; rm -rf "$work" "$image"' EXIT
mkdir "$work/disk" "$work/fs"

emulated_disk() {
    : >"$work/ready"
    "$build/tests/flushdisk" 3072 "$work/disk" >"$work/ready" &
    disk=$!
    until grep -q ready "$work/ready"; do
        kill -0 "$disk" 2>/dev/null || return 1
        sleep 0.1
    done
    loop=$(losetup -f --direct-io=on --show "$work/disk/disk")
}

file_disk() {
    : >"$image"
    truncate -s 3G "$image"
    loop=$(losetup -f --direct-io=on --show "$image")
}

# fresh KIND TYPE: a new filesystem on a new disk, mounted on $work/fs.
fresh() {
    local make=(-q -f -K) mount=commit=300
    case $2 in
    ext4) make=(-q -E nodiscard) mount=commit=300,noinit_itable ;;
    xfs) mount=defaults ;;
    esac
    "$1_disk" || return 1
    "mkfs.$2" "${make[@]}" "$loop" >/dev/null && mount -o "$mount" "$loop" "$work/fs" || return 1
    [ "$1" != emulated ] || printf 'flush 10000\n' >"$work/disk/control"
    [ "$1" != emulated ] || printf 'write 1000\n' >"$work/disk/control"
}

# one KIND BARRIER FILES NEIGHBOUR: a line "KIND-of-barrier seconds flushes".
one() {
    local control=()
    [ "$1" != emulated ] || control=(-m "$work/disk/control")
    mkdir "$work/fs/run"
    sync -f "$work/fs"
    "$build/bench/barrier" -D "_flush_io_barrier $2" "${control[@]}" -n "$4" "$work/fs/run" "$3" \
        5000 | sed -E "s/.*barrier ([0-9.]+) names ([0-9.]+) .*flushes ([0-9]+) .*/$2 \1 \2 \3/"
    rm -rf "$work/fs/run"
    sync -f "$work/fs"
}

# Medians of what `one` has printed: seconds of both barriers, and flushes, by kind.
medians() {
    sort -k1,1 -k5,5n | awk '{ n[$1]++; t[$1, n[$1]] = $2 + $3; f[$1, n[$1]] = $4 }
        function median(a, k, i, j, v, m) {
            m = n[k]
            for (i = 1; i <= m; i++) v[i] = a[k, i]
            for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++)
                if (v[j] < v[i]) { x = v[i]; v[i] = v[j]; v[j] = x }
            return v[int((m + 1) / 2)]
        }
        END { printf " %.4f | %.4f | %d | %d |\n", median(t, "fsync"), median(t, "syncfs"),
              median(f, "fsync"), median(f, "syncfs") }'
}

row() {
    local i by
    printf '| %s |' "$3"
    for ((i = 0; i < runs; i++)); do
        for by in fsync syncfs; do one "$1" $by "$4" "$5"; done
    done | medians
}

heading() {
    printf '\n%s\n\n' "$1"
    printf '| %s | fsync, s | syncfs, s | fsync, flushes | syncfs, flushes |\n' "$2"
    printf '| --- | --- | --- | --- | --- |\n'
}

printf 'Linux %s, %s processors, %s runs\n' "$(uname -r)" "$(nproc)" "$runs"
for kind in emulated file; do
    for fs in "${systems[@]}"; do
        fresh $kind "$fs" || { echo "barrier.sh: no $fs on a disk ($kind)" >&2; exit 1; }
        one $kind syncfs 20 0 >/dev/null
        heading "$fs, $kind disk: by number of files" files
        for n in $counts; do row $kind "$fs" "$n" "$n" 0; done
        heading "$fs, $kind disk: 260 files, by MiB that a neighbour has dirty" MiB
        for n in $neighbours; do row $kind "$fs" "$n" 260 "$n"; done
        clean_up
    done
done
