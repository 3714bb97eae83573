#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The method batch on real filesystems, by the benchmark's program (bench/barrier.c), which writes
# one group: system calls as strace sees them, contents, errors that are injected and one that is
# real, and what is dirty at a time.
. "$TOP/tests/lib.sh"
need_root
command -v strace >/dev/null || skip "no strace"

BARRIER=$BUILD/bench/barrier
CALLS=fsync,fdatasync,syncfs,sync_file_range,renameat,rename,openat
mount=$WORK/fs

# check NAME COMMAND...: the command must succeed.
check() {
    local name=$1
    shift
    if "$@"; then ok; else fail "$name"; fi
}

# untraced OPTIONS... FILES SIZE: runs the program in a new directory.
untraced() {
    rm -rf "$mount/run"
    mkdir "$mount/run"
    run "${tracer[@]}" "$BARRIER" "${@:1:$#-2}" "$mount/run" "${@: -2}"
}
tracer=()

# group [strace options --] OPTIONS... FILES SIZE: the same under strace.
group() {
    local tracer=(env "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0" strace -f -y -o "$WORK/trace"
        -e "trace=$CALLS")
    while [ "$1" != -- ]; do
        tracer+=("$1")
        shift
    done
    shift
    untraced "$@"
}

traced() { grep -cE "^[0-9]+ +$1\\(|<\\.\\.\\. $1 resumed" "$WORK/trace"; }
called() { grep -cE "^[0-9]+ +$1\\([0-9]+<$mount" "$WORK/trace"; }
value() { sed -E "s/.*\\b$1 ([0-9]+) .*/\\1/" out; }

# calls NAME SYNCS FSSYNCS RANGES BY: what the program counted, and strace with it.
calls() {
    is "$fs, $1: status" "$status" 0
    is "$fs, $1: syncs, fssyncs, ranges" "$(value syncs) $(value fssyncs) $(value ranges)" "$2 $3 $4"
    is "$fs, $1: strace" "$(called fsync) $(called syncfs) $(called sync_file_range)" \
        "$2 $(($3 + 1)) $4" # one syncfs is the program's own, before it begins
    holds "$fs, $1" out " by $5"
    # Not one rename before the last fsync of a file, or the first syncfs of the module.
    is "$fs, $1: renames" "$(grep -c 'rename(' "$WORK/trace")" "$6"
}

# order NAME: all syncs of files are over before the first rename; those of directories after it.
order() {
    local first
    first=$(grep -n -m1 'rename(' "$WORK/trace" | cut -d: -f1)
    is "$fs, $1: files after the first rename" \
        "$(tail -n "+$first" "$WORK/trace" | grep -c 'fsync([0-9]*<[^>]*/\.new-')" 0
    check "$fs, $1: a sync after the last rename" \
        sh -c "tac '$WORK/trace' | sed '/rename(/q' | grep -q 'sync'"
}

contents() {
    is "$fs: files" "$(find "$mount/run" -type f ! -name neighbour -size "-${2}c" -o -type f \
        ! -name neighbour -size "+${2}c" | wc -l)" 0
    is "$fs: number of files" "$(find "$mount/run" -type f ! -name neighbour | wc -l)" "$1"
}

fsync='_flush_io_barrier fsync' syncfs='_flush_io_barrier syncfs' small='_flush_io_interval 64K'

barriers() {
    local starts=0 why='as set'
    [ "$fs" != btrfs ] || starts=40
    [ "$fs" != tmpfs ] || why='its syncfs does not report every error'
    group -- -D "$fsync" 40 5000
    calls "fsync" 41 0 $starts "fsync barrier, 40 files \\($why\\)" 40
    order "fsync"
    contents 40 5000
    group -- -D "$syncfs" 40 5000
    if [ "$fs" = tmpfs ]; then
        calls "syncfs" 41 0 0 "fsync barrier, 40 files \\($why\\)" 40
    else
        calls "syncfs" 0 2 $starts "syncfs barrier, 40 files \\($why\\)" 40
    fi
    order "syncfs"
    [ "$fs" = tmpfs ] || why='auto: at most 16 pending'
    group -- 16 5000
    calls "auto, few" 17 0 $((starts > 0 ? 16 : 0)) "fsync barrier, 16 files \\($why\\)" 16
    # Four whole intervals are started, the three before the last awaited, the rest is started.
    group -- -D "$fsync" -D "$small" 1 300000
    calls "write-behind" 2 0 8 'fsync barrier, 1 files' 1
    contents 1 300000
    group -- -D "$fsync" -D '_flush_io_pending 10' 100 100
    calls "bound of descriptors" 101 0 $((starts > 0 ? 100 : 0)) 'fsync barrier' 100
    contents 100 100
}

# broken NAME PATTERN INJECT... -- OPTIONS...: the message matches, nothing has been renamed.
broken() {
    local name=$1 pattern=$2
    shift 2
    group "$@"
    is "$fs, $name: status" "$status" 1
    holds "$fs, $name" err "$pattern"
    is "$fs, $name: lines" "$(wc -l <err)" 1
    is "$fs, $name: renames" "$(grep -c 'rename(' "$WORK/trace")" 0
}

errors() {
    local error text
    for error in EIO:Input/output\ error ENOSPC:No\ space\ left\ on\ device; do
        text=${error#*:} error=${error%:*}
        broken "fsync $error" "^barrier: $mount/run/0/\\.new-[0-9]+: fsync failed: $text$" \
            -e "inject=fsync:error=$error:when=1" -- -D "$fsync" 40 100
        broken "range $error" "^barrier: $mount/run/0/\\.new-0: writeback failed: $text$" \
            -e "inject=sync_file_range:error=$error:when=3" -- -D "$small" 3 300000
        [ "$fs" != tmpfs ] || continue
        broken "syncfs $error" "^barrier: $mount/run: syncfs failed: $text$" \
            -e "inject=syncfs:error=$error:when=2" -- -D "$syncfs" 40 100
        broken "syncfs $error, a culprit" \
            "^barrier: $mount/run/0/\\.new-[0-9]+: fsync failed: $text$" \
            -e "inject=syncfs:error=$error:when=2" -e "inject=fsync:error=$error:when=1" -- \
            -D "$syncfs" 40 100
    done
    group -e inject=sync_file_range:error=ENOSYS -- -D "$small" 3 300000
    is "$fs, no ranges: status" "$status" 0
    contents 3 300000
}

# A bound of 2 MiB: small files, which btrfs writes early anyway, and large ones. Every file is looked
# at again after each write, which strace would stop at each time.
dirty() {
    local bound=$((2 << 20)) interval=65536 by
    for by in fsync syncfs auto; do
        untraced -c -D "_flush_io_barrier $by" -D '_flush_io_dirty 2M' -D "$small" 300 20000
        is "$fs, dirty, $by: status" "$status" 0
        check "$fs, dirty, $by: $(value dirty) bytes" [ "$(value dirty)" -le $((bound + interval)) ]
        [ $fs = btrfs ] ||
            check "$fs, dirty, $by: only $(value dirty) bytes" [ "$(value dirty)" -gt $((bound / 2)) ]
        untraced -c -D "_flush_io_barrier $by" -D '_flush_io_dirty 2M' -D "$small" 3 20000000
        check "$fs, large, $by: $(value dirty) bytes" [ "$(value dirty)" -le $((bound + interval)) ]
    done
    untraced -c -D "$fsync" -D '_flush_io_dirty 1G' -D '_flush_io_interval 1G' 3 20000000
    check "$fs, control: only $(value dirty) bytes" [ "$(value dirty)" -gt $((bound + interval)) ]
    [ $fs != btrfs ] || return 0
    untraced -c -D "$fsync" -D '_flush_io_dirty 1G' 300 20000
    check "$fs, control, small: only $(value dirty) bytes" \
        [ "$(value dirty)" -gt $((bound + interval)) ]
}

cachestat=1
"$BUILD/tests/pagecache" peak / true >/dev/null || cachestat=
for fs in ext4 xfs btrfs tmpfs; do
    mkdir -p "$mount"
    if [ $fs = tmpfs ]; then
        mount -t tmpfs none "$mount" || { skip_part "no tmpfs"; continue; }
    elif ! loop_fs $fs 1G "$mount"; then
        skip_part "$fs: no loop device or no mkfs"
        continue
    fi
    barriers
    errors
    if [ $fs != tmpfs ]; then
        if [ -n "$cachestat" ]; then dirty; else skip_part "dirty pages: no cachestat(2)"; fi
    fi
    umount "$mount"
done

# -- a disk that loses what it was given --------------------------------------------------------

# The image of the filesystem is itself on one that is full before it: its disk answers with EIO.
full=$WORK/full
mkdir -p "$full"
for fs in ext4 xfs btrfs; do
    for by in fsync syncfs auto; do
        if ! mount -t tmpfs -o size=100m none "$full" || ! truncate -s 400M "$full/image" ||
            ! "mkfs.$fs" -q "$full/image" >mkfs.log 2>&1 ||
            ! mount -o loop "$full/image" "$mount" 2>mount.log; then
            skip_part "$fs: no disk that fails"
            umount "$full"
            continue
        fi
        mkdir "$mount/run"
        run "$BARRIER" -D "_flush_io_barrier $by" "$mount/run" 200 1000000
        is "$fs, a disk that fails, $by: status" "$status" 1
        holds "$fs, a disk that fails, $by" err '^barrier: .*: [a-z ]+ failed: [A-Z]'
        umount "$mount"
        umount "$full"
    done
done
finish
