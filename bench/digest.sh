#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# bench/digest.sh [-n RUNS] [-m MIB] [-p MSECS] [-b BUILD] [-d DIR]: one digest of one file. A package of 1 GiB (or so
# many MiB) is digested by all peers of bench/digest.c in turn, in the page cache in small folios
# and in those that readahead makes, and from the disk; then files of 1 byte to 64 MiB and that one
# by reads, maps and the method of choice. SHA-256, medians; tables on the standard output. Use a
# release build, on a quiet machine (-d: files elsewhere, as on a disk with another readahead), or under `chrt -f 10` with -p 1000: a pause before each run.
set -eu

runs=5 mib=1024 pause=0 build=build/release dir=
while getopts n:m:p:b:d: option; do
    case $option in
    n) runs=$OPTARG ;;
    m) mib=$OPTARG ;;
    p) pause=$OPTARG ;;
    b) build=$OPTARG ;;
    d) dir=$(realpath "$OPTARG") ;;
    *) echo "usage: bench/digest.sh [-n RUNS] [-m MIB] [-p MSECS] [-b BUILD] [-d DIR]" >&2; exit 2 ;;
    esac
done
cd "$(dirname "$0")/.."
build=$(realpath "$build")
work=$(mktemp -d "${dir:-$build}/digest.XXXXXX")
trap 'rm -rf "$work"' EXIT
big=$work/package.rpm
export LC_ALL=C

peers=(memory read2k fread2k read map auto sha256sum openssl)
if command -v rpm >/dev/null; then peers+=(rpm); fi

digest() { "$build/bench/digest" -p "$pause" "$@"; }

# make MIB FILE: a package, written 4 KiB at a time.
make() {
    printf 'name big\ncompressor none\nfile /big size=%s fill=random\n' $(($1 * 1048576 - 8192)) |
        "$build/tests/mkpkg" -o "$work/made.rpm"
    dd if="$work/made.rpm" of="$2" bs=4k status=none
    rm "$work/made.rpm"
}

# rates TITLE: a table of what digest prints; the last column is the rate over that of `memory`.
rates() {
    printf '\n## %s\n\n| | s (CPU) | MB/s | of memory |\n| --- | --- | --- | --- |\n' "$1"
    awk '$1 == "memory" { memory = $2 }
        $1 != "peak" { printf "| %s | %.3f (%.3f) | %.0f | %.2f |\n", $1, $2, $4, $3 / 1e6, memory / $2 }'
}

echo "$(uname -r), $(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg), $(openssl version |
    cut -d' ' -f1-2), $(findmnt -n -o FSTYPE -T "$work"), medians of $runs runs"
make "$mib" "$big"

digest -n "$runs" "$big" "${peers[@]}" | rates "$mib MiB, cached as it was written, 4 KiB at a time"
digest -n "$runs" -t 1 "$big" memory read map | rates "The same, without helper threads"
digest -n "$runs" -3 -t 1 "$big" memory read map | rates "MD5, SHA-1 and SHA-256, one thread"
digest -n "$runs" -3 "$big" memory read map | rates "MD5, SHA-1 and SHA-256, a thread for each processor"
digest -c -n 1 "$big" disk >/dev/null
digest -n "$runs" "$big" "${peers[@]}" | rates "$mib MiB, cached as it was read from the disk"
make $((mib / 2)) "$work/half"
digest -c -n $((runs * 2 + 1)) "$work/half" disk "${peers[@]}" |
    rates "$((mib / 2)) MiB, from the disk, medians of $((runs * 2 + 1))"
rm "$work/half"

# sweep THREADS SIZE...: files of these sizes, the big one's beginning.
sweep() {
    local threads=$1 size repeat pause=$((pause / 20))
    shift
    printf '\n## Sizes, %s\n\n| bytes | read MB/s | map | auto | auto of the better |\n' "$threads"
    echo '| --- | --- | --- | --- | --- |'
    for size in "$@"; do
        [ "$size" -le 67108864 ] || pause=$((pause * 20))
        head -c "$size" "$big" >"$work/part"
        repeat=$((16777216 / (size + 16384)))
        digest -n $((runs * 2 + 1)) -r $((repeat > 0 ? repeat : 1)) -t "${threads%% *}" \
            "$work/part" read map auto |
            awk -v size="$size" '$1 != "peak" { rate[$1] = $3 / 1e6 }
                END { best = rate["read"] > rate["map"] ? rate["read"] : rate["map"]
                    printf "| %d | %.1f | %.1f | %.1f | %.3f |\n", size, rate["read"],
                        rate["map"], rate["auto"], rate["auto"] / best }'
    done
    rm "$work/part"
}

sizes=(1 100 1000 4096 16384 65536 131072 262144 524288 1048576 1572864 2097152 3145728 4194304
    8388608 16777216 67108864 $((mib * 1048576)))
sweep "1 thread" "${sizes[@]}"
sweep "0 (a thread for each processor)" "${sizes[@]}"

printf '\nPeak of resident memory, pages of the file included, by maps and by reads: %s and %s KiB.\n' \
    "$(digest -n 1 "$big" map | awk '$1 == "peak" { print $2 }')" \
    "$(digest -n 1 "$big" read | awk '$1 == "peak" { print $2 }')"
