#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# bench/digest-verify.sh [-n RUNS] [-b BUILD]: rpm -V and rpm -K of this tree against stock's, as root.
# On a fresh loop filesystem (ext4): -V of a package of 4,000 installed files of 5 KB, in the page
# cache and after the filesystem was mounted anew (its loop device reads the disk directly); -K of a
# package of 87 MB, and of 500 of 10 KB to 5 MB, in the page cache. All of it with all processors and
# with one. Runs take turns, and what they print is compared. `start` is rpm -q of the package: what
# each command takes before it has looked at a file. A table of medians of seconds by the clock (of
# the processor). On a busy machine, run it under `chrt -f 50`.
set -eu

runs=9 build=build/release
while getopts n:b: option; do
    case $option in
    n) runs=$OPTARG ;;
    b) build=$OPTARG ;;
    *) echo "usage: bench/digest-verify.sh [-n RUNS] [-b BUILD]" >&2; exit 2 ;;
    esac
done
cd "$(dirname "$0")/.."
build=$(realpath "$build")
[ "$(id -u)" = 0 ] || { echo "bench/digest-verify.sh: needs root" >&2; exit 1; }
# In a namespace of its own: mounts that another's has a copy of are not cold when mounted anew.
[ -n "${BENCH_NAMESPACE:-}" ] ||
    BENCH_NAMESPACE=1 exec unshare --mount --propagation private bash "$0" -n "$runs" -b "$build"
stock=${STOCK:-/usr/bin/rpm}
export RPMIO_POLICY_MACROS=$PWD/macros.in LC_ALL=C

work=$(mktemp -d "$build/bench.XXXXXX")
root=$work/root loop=
clean_up() {
    ! mountpoint -q "$root" || umount "$root"
    [ -z "$loop" ] || losetup -d "$loop"
    rm -rf "$work"
}
trap clean_up EXIT

# -- files --------------------------------------------------------------------------------------

truncate -s 2G "$work/image"
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$work/image"
mkdir "$root"
loop=$(losetup --find --show --direct-io=on "$work/image")
mount "$loop" "$root"
mkdir "$root/packages"

{
    echo 'name small'
    for i in $(seq 1 40); do echo "dir /opt/small/$i"; done
    for i in $(seq 1 4000); do echo "file /opt/small/$((i % 40 + 1))/$i size=5000 fill=random"; done
} | "$build/tests/mkpkg" -o "$work/small.rpm"
db=(--dbpath /var/lib/rpm --root "$root")
"$stock" --force-debian -i --nodeps "${db[@]}" "$work/small.rpm"
echo changed >>"$root/opt/small/7/6"
rm "$root/opt/small/40/3999"
printf '%s\n' 'name large' 'compressor none' 'file /large size=87000000 fill=random' |
    "$build/tests/mkpkg" -o "$root/large.rpm"
for i in $(seq 0 499); do
    size=$(awk -v i=$((i * 211 % 500)) 'BEGIN { printf "%d", 10000 * exp(log(500) * i / 499) }')
    printf '%s\n' "name many$i" 'compressor none' "file /opt/many/$i size=$size fill=random" |
        "$build/tests/mkpkg" -o "$root/packages/$i.rpm"
done
sync -f "$root"

# -- runs ---------------------------------------------------------------------------------------

# one RPM WHAT
one() {
    case $2 in
    start) "$1" -q "${db[@]}" small ;;
    verify*) "$1" -V --nodeps "${db[@]}" small || true ;;
    large) "$1" -K --nosignature "$root/large.rpm" ;;
    many) "$1" -K --nosignature "$root"/packages/*.rpm ;;
    esac
}

# timed WHO WHAT
timed() {
    local start times rpm=$stock
    [ "$1" = stock ] || rpm=$build/tools/rpm
    if [ "$2" = verify-cold ]; then
        umount "$root"
        mount "$loop" "$root"
    fi
    start=$EPOCHREALTIME
    times=$(TIMEFORMAT='%U %S'; { time one "$rpm" "$2" >"$work/$1.out" 2>"$work/$1.err"; } 2>&1)
    awk -v a="$start" -v b="$EPOCHREALTIME" -v t="$times" \
        'BEGIN { split(t, c, " "); print b - a, c[1] + c[2] }' >>"$work/$1.times"
}

# median WHO COLUMN
median() {
    sort -n -k "$2,$2" "$work/$1.times" | awk -v c="$2" '{ v[NR] = $c }
        END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# compare TITLE WHAT
compare() {
    local i who
    one "$stock" "$2" >/dev/null
    rm -f "$work"/*.times
    for i in $(seq 1 "$runs"); do
        for who in $(if [ $((i % 2)) = 0 ]; then echo stock ours; else echo ours stock; fi); do
            timed "$who" "$2"
        done
        cmp "$work/ours.out" "$work/stock.out" || exit 1
    done
    awk -v title="$1" -v s="$(median stock 1)" -v sc="$(median stock 2)" -v o="$(median ours 1)" \
        -v oc="$(median ours 2)" 'BEGIN { printf "| %s | %.3f (%.3f) | %.3f (%.3f) | %.2f |\n",
            title, s, sc, o, oc, s / o }'
}

all() {
    compare "start$1" start
    compare "-V, 4,000 files, cached$1" verify
    compare "-V, 4,000 files, from the disk$1" verify-cold
    compare "-K, 87 MB$1" large
    compare "-K, 500 packages$1" many
}

echo "Medians of $runs runs; $(uname -r), $(nproc) CPUs, $("$stock" --version), load $(cut -d' ' -f1 /proc/loadavg)."
echo
echo "| what | stock, s (CPU) | ours | times faster |"
echo "| --- | --- | --- | --- |"
all ""
taskset -p -c 0 $$ >/dev/null
all ", one processor"
echo
echo "Load at the end: $(cut -d' ' -f1 /proc/loadavg)."
