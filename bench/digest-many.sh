#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# bench/digest-many.sh [-n RUNS] [-b BUILD]: rpmdigest with one thread and with two, against sha256sum
# and `openssl dgst`, over many files: 4,000 of 0.5 to 12.5 KB, and a repository of 500 packages of 10 KB to 50 MB (2.9 GB,
# made once and kept in the build tree; they should fit into the page cache twice). All is cached, runs
# take turns, and what they print is compared. Prints a table of medians of seconds by the clock (of
# the processor), then the peak of memory and the system calls. --repo needs createrepo_c.
# The ratio of one thread to two says something only on a machine that has two processors to spare.
set -eu

runs=7 build=build/release
while getopts n:b: option; do
    case $option in
    n) runs=$OPTARG ;;
    b) build=$OPTARG ;;
    *) echo "usage: bench/digest-many.sh [-n RUNS] [-b BUILD]" >&2; exit 2 ;;
    esac
done
cd "$(dirname "$0")/.."
build=$(realpath "$build")
digest=$build/tools/rpmdigest
made=$build/bench-digest
export RPMIO_POLICY_MACROS=$PWD/macros.in LC_ALL=C

work=$(mktemp -d "$build/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# -- files --------------------------------------------------------------------------------------

small() {
    local i
    [ ! -e "$made/small.done" ] || return 0
    rm -rf "$made/small"
    for i in $(seq 1 40); do mkdir -p "$made/small/$i"; done
    for i in $(seq 1 4000); do
        head -c $((i * 7919 % 12000 + 500)) /dev/urandom >"$made/small/$((i % 40 + 1))/$i"
    done
    touch "$made/small.done"
}

# Sizes from 10 KB to 50 MB in equal ratios, in an order without order.
packages() {
    local i size
    [ ! -e "$made/packages.done" ] || return 0
    rm -rf "$made/packages"
    mkdir -p "$made/packages/Packages"
    for i in $(seq 0 499); do
        size=$(awk -v i=$((i * 211 % 500)) 'BEGIN { printf "%d", 10000 * exp(log(5000) * i / 499) - 3000 }')
        printf '%s\n' "name many$i" 'compressor none' "file /opt/many/$i size=$size fill=random" |
            "$build/tests/mkpkg" -o "$made/packages/Packages/$i.rpm"
    done
    ! command -v createrepo_c >/dev/null || createrepo_c -q "$made/packages"
    touch "$made/packages.done"
}

# -- runs ---------------------------------------------------------------------------------------

list() { find "$1" -type f -print0 | sort -z; }

# one WHO DIRECTORY: to standard output.
one() {
    case $1 in
    ours-*) "$digest" -j "${1#ours-}" "$2" ;;
    sha256sum) xargs -0 sha256sum <"$work/list" ;;
    openssl) xargs -0 openssl dgst -sha256 -r <"$work/list" ;;
    # In parcels of a size that leaves neither processor without work; the order is anyone's.
    sha256sum-2) xargs -0 -P 2 -n "$parcel" sha256sum <"$work/list" ;;
    repo-*) "$digest" --repo -j "${1#repo-}" "$2" ;;
    esac
}

# timed WHO DIRECTORY: appends seconds by the clock and of the processor.
timed() {
    local start times
    start=$EPOCHREALTIME
    times=$(TIMEFORMAT='%U %S'; { time one "$1" "$2" >"$work/out" 2>"$work/err"; } 2>&1)
    awk -v a="$start" -v b="$EPOCHREALTIME" -v t="$times" \
        'BEGIN { split(t, c, " "); print b - a, c[1] + c[2] }' >>"$work/$1.times"
    sed 's/ \*/  /' "$work/out" | sort -k 2 >"$work/$1.sorted"
}

# median WHO COLUMN
median() {
    sort -n -k "$2,$2" "$work/$1.times" | awk -v c="$2" '{ v[NR] = $c }
        END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# compare NAME DIRECTORY BASE WHO...: BASE is what the ratios are to.
compare() {
    local name=$1 dir=$2 base=$3 i who bytes
    shift 3
    rm -f "$work"/*.times
    list "$dir" >"$work/list"
    xargs -0 cat <"$work/list" >/dev/null
    bytes=$(xargs -0 stat -c %s <"$work/list" | awk '{ n += $1 } END { print n }')
    for i in $(seq 1 "$runs"); do
        for who in $(if [ $((i % 2)) = 0 ]; then printf '%s\n' "$@" | tac; else echo "$@"; fi); do
            timed "$who" "$dir"
        done
    done
    for who in "$@"; do
        cmp "$work/$who.sorted" "$work/$base.sorted" || exit 1
        awk -v name="$name" -v who="$who" -v bytes="$bytes" -v s="$(median "$who" 1)" -v c="$(median "$who" 2)" \
            -v b="$(median "$base" 1)" 'BEGIN {
                printf "| %s | %s | %.3f (%.3f) | %.0f | %.2f |\n", name, who, s, c, bytes / s / 1e6, b / s }'
    done
}

# peak COMMAND...: the most anonymous memory and the most with mapped files, in MiB, looked at every
# few milliseconds.
peak() {
    local pid
    # As an ordinary process, if all this is run as a real-time one: who looks must get to it.
    chrt -o 0 "$@" >/dev/null 2>&1 &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        grep -E '^(RssAnon|VmRSS)' /proc/$pid/status 2>/dev/null || true
        sleep 0.005
    done | awk '{ if ($2 > m[$1]) m[$1] = $2 }
        END { printf "%.1f MiB anonymous, %.1f MiB with mapped files and libraries\n", m["RssAnon:"] / 1024, m["VmRSS:"] / 1024 }'
    wait $pid
}

# calls COMMAND...: system calls that read, by count.
calls() {
    strace -f -qq -c -e trace=read,pread64,mmap,open,openat,fadvise64,madvise -o "$work/trace" "$@" >/dev/null 2>&1
    awk '$1 ~ /^[0-9]/ && $NF != "total" { printf "%s%s %s", sep, $4, $NF; sep = ", " } END { print "" }' "$work/trace"
}

mkdir -p "$made"
small
packages
echo "Medians of $runs runs; $(uname -r), $(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg)."
echo
echo "| files | who | s (CPU) | MB/s | to one thread |"
echo "| --- | --- | --- | --- | --- |"
: >"$work/empty"
parcel=250
compare "one empty" "$work/empty" ours-1 ours-1 ours-2 sha256sum
compare "4,000 small" "$made/small" ours-1 ours-1 ours-2 sha256sum sha256sum-2 openssl
parcel=10
compare "500 packages" "$made/packages" ours-1 ours-1 ours-2 sha256sum sha256sum-2 openssl
compare "both" "$made" ours-1 ours-1 ours-2
if [ -d "$made/packages/repodata" ]; then
    compare "500 packages, --repo" "$made/packages" repo-1 repo-1 repo-2
fi
echo
echo "Memory, 500 packages:"
for threads in 1 2; do echo "  ours-$threads: $(peak "$digest" -j $threads "$made/packages")"; done
echo "  sha256sum: $(peak xargs -0 -a "$work/list" sha256sum)"
if command -v strace >/dev/null; then
    echo "System calls, 500 packages:"
    list "$made/packages" >"$work/list"
    echo "  ours-2: $(calls "$digest" -j 2 "$made/packages")"
    echo "  sha256sum: $(calls xargs -0 -a "$work/list" sha256sum)"
    echo "System calls, 4,000 small:"
    list "$made/small" >"$work/list"
    echo "  ours-2: $(calls "$digest" -j 2 "$made/small")"
    echo "  sha256sum: $(calls xargs -0 -a "$work/list" sha256sum)"
fi
