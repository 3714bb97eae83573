#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The write policy of an installation: the calls of each method and hint on each filesystem, as
# --stats and strace count them; what is left in the page cache; what a failure of each call does.
. "$TOP/tests/lib.sh"
need_root
command -v strace >/dev/null || skip "no strace"

PAGECACHE=$BUILD/tests/pagecache
CALLS=openat,fcntl,fstat,fstatfs,uname,lseek,write,pwritev2,fallocate,fdatasync,fsync,fadvise64
CALLS=$CALLS,syncfs,sync_file_range,ftruncate,close,fchown,fchmod,utimensat,renameat

# Five inodes; in intervals of 256 KiB: 15, 1, 0, 1 and 2.
make_pkg five.rpm <<'END'
name five
arch noarch
compressor gzip
dir /d
file /d/big size=3763601 fill=text
file /d/edge size=262144 fill=random
file /d/empty content=
file /d/l1 link=l size=300000 fill=text
file /d/l2 link=l size=300000 fill=text
file /d/one content=x
symlink /d/sym one
END

# check NAME COMMAND...: the command must succeed.
check() {
    local name=$1
    shift
    if "$@"; then ok; else fail "$name"; fi
}

# Under ptrace there is no leak detection.
trace() {
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -y -o "$WORK/trace" "$@"
}

install() { "$RPM" -i --nodb --root "$root" "$@"; }

# fdio NAME FIELD: a number of the JSON object in ./err.
fdio() { tail -n 1 err | grep -o "\"$1\":{[^}]*}" | grep -o "\"$2\":[0-9]*" | grep -o '[0-9]*$'; }

# traced CALL...: how often strace saw these calls; writes only below the root.
traced() {
    local calls
    calls=$(IFS='|'; echo "$*")
    grep -E "^[0-9]+ +($calls)\\([0-9]+<$root" "$WORK/trace" | grep -vc ENOENT
}

# counts NAME WANTED OPTIONS...: installs under strace; the counts of --stats are WANTED, strace
# agrees, the content is right.
counts() {
    local name="$fs, $1" wanted=$2 got kind n
    shift 2
    empty_root "$root"
    run trace -e "trace=$CALLS" "$RPM" -i --nodb --root "$root" --stats=json "$@" five.rpm
    is "$name: status" "$status" 0
    got=
    for kind in allocs dsyncs syncs advises fssyncs; do
        n=$(fdio $kind count)
        [ "$n" = 0 ] || got="$got$n $kind "
    done
    is "$name: counts" "$got" "$wanted"
    is "$name: strace, allocs" "$(traced fallocate)" "$(fdio allocs count)"
    is "$name: strace, dsyncs" "$(traced fdatasync)" "$(fdio dsyncs count)"
    is "$name: strace, syncs" "$(traced fsync)" "$(fdio syncs count)"
    is "$name: strace, advises" "$(traced fadvise64)" "$(fdio advises count)"
    is "$name: strace, fssyncs" "$(traced syncfs)" "$(fdio fssyncs count)"
    is "$name: strace, writes" "$(traced write pwritev2)" "$(fdio writes count)"
    is "$name: bytes" "$(fdio writes bytes)" 4325746
    (cd "$root/d" && sha256sum ./*) >sums
    same "$name: content" sums wanted.sums
}

# resident PATH...: pages in the cache.
resident() { "$PAGECACHE" resident "$@"; }

methods() {
    local alloc=$1 method calls open
    # The default, batch: the first of four links that has content counts; few files, so auto takes
    # fsync but for a symlink on btrfs.
    case $fs in
    btrfs) counts default '2 fssyncs ' ;;
    *) counts default '8 syncs ' ;;
    esac
    [ "$fs" = tmpfs ] ||
        counts "batch, syncfs" '2 fssyncs ' --define '_flush_io_barrier syncfs'
    counts off '1 fssyncs ' --define '_flush_io 0'
    counts none '' --define '_flush_io none'
    counts fsync '5 syncs 1 fssyncs ' --define '_flush_io fsync'
    counts fdatasync '19 dsyncs 5 syncs 19 advises 1 fssyncs ' --define '_flush_io fdatasync'
    counts "fdatasync, dontneed 0" '19 dsyncs 5 syncs 1 fssyncs ' --define '_flush_io fdatasync' \
        --define '_flush_io_dontneed 0'
    counts "fdatasync, interval 1M" '7 dsyncs 5 syncs 7 advises 1 fssyncs ' \
        --define '_flush_io 1' --define '_flush_io_method fdatasync' \
        --define '_flush_io_interval 1M'
    for method in osync:O_SYNC odsync:O_DSYNC; do
        open=${method#*:} method=${method%:*}
        counts "$method" '1 fssyncs ' --define "_flush_io $method"
        # One for each inode, and one more where the content of the links comes.
        is "$fs, $method: opens" "$(grep -cE "openat\\(.*rpmtmp.*\\|${open}[|,]" "$WORK/trace")" 6
    done
    counts "fallocate" "${alloc}1 fssyncs " --define '_flush_io 0' \
        --define '_flush_io_fallocate 256K'
    counts "all hints" "${alloc}19 dsyncs 5 syncs 19 advises 1 fssyncs " \
        --define '_flush_io fdatasync' --define '_flush_io_fallocate 256K'
}

hygiene() {
    local method before after
    head -c 5000000 /dev/urandom >"$mount/hot"
    sync -f "$mount/hot"
    cat "$mount/hot" >/dev/null
    before=$(resident "$mount/hot")
    check "$fs: the hot file is in the cache" [ "$before" -gt 1000 ]
    for method in osync odsync fsync fdatasync batch; do
        empty_root "$root"
        run install --define "_flush_io $method" --define '_flush_io_dontneed 1' five.rpm
        is "$fs, $method: pages left" "$(resident "$root"/d/*)" 0
    done
    after=$(resident "$mount/hot")
    # The kernel moves pages about: a few may be away for a moment. One wrong call loses 64 or more.
    check "$fs: the hot file's pages: $after of $before" [ "$after" -ge $((before - 24)) ]
    empty_root "$root"
    run install --define "_flush_io fsync" five.rpm
    check "$fs: control: pages of installed files left" [ "$(resident "$root"/d/*)" -gt 1000 ]
}

# On which filesystems a reservation is made, and RWF_DONTCACHE taken, is the kernel's business
# but for btrfs: there neither is.
abilities() {
    empty_root "$root"
    run install --stats --define '_flush_io 1' --define '_flush_io_dontneed 1' \
        --define '_flush_io_fallocate 1' five.rpm
    case $fs in
    btrfs)
        holds "$fs: left out" err '^fallocate is not used on device [0-9:]* \(btrfs\)$'
        holds "$fs: left out" err '^RWF_DONTCACHE is not used on device [0-9:]* \(btrfs\)$'
        ;;
    *) is "$fs: left out" "$(grep -c 'fallocate is not used' err)" 0 ;;
    esac
}

for fs in ext4 xfs btrfs tmpfs; do
    mount=$WORK/$fs
    root=$mount/root
    if [ "$fs" = tmpfs ]; then
        mkdir "$mount" && mount -t tmpfs -o size=200m none "$mount"
    else
        command -v "mkfs.$fs" >/dev/null && loop_fs "$fs" 400M "$mount"
    fi || { skip_part "no $fs on a loop device"; continue; }
    if ! [ -e wanted.sums ]; then
        empty_root "$root"
        install --define '_flush_io none' five.rpm
        (cd "$root/d" && sha256sum ./*) >wanted.sums
    fi
    alloc='3 allocs '
    [ "$fs" = btrfs ] && alloc=
    methods "$alloc"
    # The pages of a tmpfs are the files themselves.
    [ "$fs" = tmpfs ] || hygiene
    abilities
    umount "$mount"
done

# -- what it cost, file by file ----------------------------------------------------------------

root=$WORK/debugged
empty_root "$root"
run install --rpmiodebug --define '_flush_io fdatasync' five.rpm
is "--rpmiodebug: dsyncs of each file" \
    "$(sed -nE 's/^FDIO: *([0-9]+) dsyncs,.*/\1/p' err | sort -n | tr '\n' ' ')" "1 1 2 15 "
is "--rpmiodebug: syncs of each file" "$(grep -cE '^FDIO: +1 syncs,' err)" 5

# -- with the policy off nothing is added --------------------------------------------------------

# The calls on temporary files, in order.
on_files() {
    grep rpmtmp "$WORK/trace" | sed -nE 's/^[0-9]+ +([a-z0-9]+)\(.*/\1/p' | tr '\n' ' '
}

root=$WORK/plain
echo 'name small
arch noarch
file /one content=x' | make_pkg small.rpm
empty_root "$root"
run trace -e "trace=$CALLS" "$RPM" -i --nodb --root "$root" --define '_flush_io none' small.rpm
on_files >got
is "none: the calls on a file" "$(cat got)" \
    'openat write fchmod utimensat close renameat '
is "none: no sync call at all" "$(grep -cE 'sync|fadvise|fallocate|pwritev2' "$WORK/trace")" 0
empty_root "$root"
run trace -e trace=fsync,fdatasync,syncfs,sync_file_range,sync,msync "$RPM" -i --root "$root" \
    --define '_flush_io none' small.rpm
is "none: status with a database" "$status" 0
is "none: no sync call of the database either" "$(grep -c 'sync.*(' "$WORK/trace")" 0
empty_root "$root"
run trace -e trace=fsync,fdatasync "$RPM" -i --root "$root" small.rpm
check "control: the database syncs" grep -q 'fdatasync(.*rpmdb' "$WORK/trace"
empty_root "$root"
run trace -e "trace=$CALLS" "$RPM" -i --nodb --root "$root" --define '_flush_io 0' small.rpm
on_files >got.off
same "off: the calls on a file" got.off got
is "off: one syncfs" "$(grep -cE 'sync|fadvise|fallocate|pwritev2' "$WORK/trace")" 1
holds "off: of the root's filesystem" "$WORK/trace" "syncfs\\([0-9]+<$root>\\)"

# Looks at files below /own, by descriptor or by name.
looks() {
    grep -cE "stat[a-z]*\\([0-9]+<$root/own(/|>, \"[^\"])" "$WORK/trace"
}

echo 'name own
arch noarch
dir /own
file /own/one content=x
file /own/two content=y' | make_pkg own.rpm
empty_root "$root"
run trace -e "trace=$CALLS,%%stat" "$RPM" -i --nodb --root "$root" --define '_flush_io none' own.rpm
is "none: the calls on the files of a new directory, whose mode is looked at once" "$(on_files)" \
    'openat write newfstatat utimensat close openat write utimensat close renameat renameat '
is "none: looks at them" "$(looks)" 1
chmod 700 "$root/own"
rm "$root/own/one"
run trace -e trace=%%stat "$RPM" -i --nodb --root "$root" --define '_flush_io none' own.rpm
is "none: looks in a directory that was there: owners of both, names, what is replaced" "$(looks)" 5

# The table of descriptors that batch may hold is made before there are threads, which would make
# each doubling wait: how often, before the first.
table() {
    empty_root "$root"
    run trace -e trace=fcntl,clone,clone3 "$RPM" -i --nodb --root "$root" --define '_flush_io batch' \
        "$@" five.rpm
    check "table: threads" grep -q 'clone.*CLONE_FILES' "$WORK/trace"
    sed '/CLONE_FILES/q' "$WORK/trace" | grep -c "F_DUPFD_CLOEXEC, $((most - 1))"
}
most=$(ulimit -Hn)
[ "$most" != unlimited ] && [ "$most" -lt 4096 ] || most=4096
is "batch: the table of descriptors" "$(table)" 1
is "batch by syncfs holds none" "$(table --define '_flush_io_barrier syncfs')" 0

# -- failures ---------------------------------------------------------------------------------

root=$WORK/broken

# broken NAME CALL ERROR WHEN PATTERN OPTIONS...: nothing is renamed, nothing left, and the
# message matches.
broken() {
    local name="$1: $2 $3 $4" inject=$2:error=$3:when=$4 pattern=$5
    shift 5
    empty_root "$root"
    run trace -e "trace=$CALLS" -e "inject=$inject" "$RPM" -i --nodb --root "$root" "$@" five.rpm
    is "$name: injected" "$(grep -c INJECTED "$WORK/trace")" 1
    is "$name: status" "$status" 1
    holds "$name: message" err \
        "^error: five-1.0-1.noarch: unpacking of archive failed on file $pattern"
    is "$name: renames" "$(grep -c 'renameat(' "$WORK/trace")" 0
    nothing_left "$name" "$root"
}

# Survived: the same with exit status 0 and the right content.
survived() {
    local name="$1: $2 $3 $4" inject=$2:error=$3:when=$4
    shift 4
    empty_root "$root"
    run trace -e "trace=$CALLS" -e "inject=$inject" "$RPM" -i --nodb --root "$root" "$@" five.rpm
    check "$name: something was injected" grep -q INJECTED "$WORK/trace"
    is "$name: status" "$status" 0
    (cd "$root/d" && sha256sum ./*) >sums
    same "$name: content" sums wanted.sums
}

[ -e wanted.sums ] || { install --define '_flush_io none' five.rpm; }
text() { case $1 in EIO) echo Input/output error ;; ENOSPC) echo No space left on device ;;
    EDQUOT) echo Disk quota exceeded ;; EFBIG) echo File too large ;; esac; }
for error in EIO ENOSPC EDQUOT; do
    for when in 1 3 5; do
        broken fsync fsync $error $when "/d/[a-z0-9]+: fsync failed: $(text $error)$" \
            --define '_flush_io fsync'
    done
    for when in 1 15 19; do
        broken fdatasync fdatasync $error $when "/d/[a-z0-9]+: .*$(text $error)$" \
            --define '_flush_io fdatasync'
    done
    broken fdatasync fsync $error 5 "/d/[a-z0-9]+: fsync failed: $(text $error)$" \
        --define '_flush_io fdatasync'
    for when in 1 3; do
        broken fallocate fallocate $error $when \
            "/d/[a-z0-9]+: cannot reserve [0-9]+ bytes: $(text $error)$" \
            --define '_flush_io 0' --define '_flush_io_fallocate 256K'
    done
    survived fadvise fadvise64 $error 1+ --define '_flush_io fdatasync'
done
broken fallocate fallocate EFBIG 1 "/d/big: cannot reserve 3763601 bytes: File too large$" \
    --define '_flush_io 0' --define '_flush_io_fallocate 1'
for error in EOPNOTSUPP ENOSYS EINVAL EPERM EINTR; do
    survived fallocate fallocate $error 1 --define '_flush_io 0' \
        --define '_flush_io_fallocate 256K'
done
for call in fsync fdatasync; do
    survived "$call" "$call" EINTR 2 --define '_flush_io fdatasync'
done
survived uncached pwritev2 EOPNOTSUPP 1+ --define '_flush_io 1' --define '_flush_io_dontneed 1'

empty_root "$root"
run trace -e "trace=$CALLS" -e inject=syncfs:error=EIO "$RPM" -i --nodb --root "$root" \
    --define '_flush_io 0' five.rpm
check "a failed syncfs at the end: exit status" [ "$status" != 0 ]
holds "a failed syncfs at the end" err \
    '^error: end of the transaction: .*: syncfs failed: Input/output error$'

# -- a gigabyte -------------------------------------------------------------------------------

echo 'name giant
arch noarch
compressor zstd
file /giant size=1073741824 fill=zero' | make_pkg giant.rpm
mount=$WORK/giant

# peak OPTIONS...: sets $most to the most bytes of a file that were not clean at a time.
peak() {
    empty_root "$mount/root"
    run "$PAGECACHE" peak "$mount" "$RPM" -i --nodb --root "$mount/root" "$@" giant.rpm
    most=$(cut -d' ' -f1 out)
    is "a gigabyte: status" "$status" 0
}

if "$PAGECACHE" peak / true >/dev/null && loop_fs ext4 2G "$mount"; then
    peak --define '_flush_io fdatasync'
    check "a gigabyte: $most bytes not clean at a time: some" [ "$most" -gt 0 ]
    check "a gigabyte: $most bytes not clean at a time: few" [ "$most" -le $((4 * 262144)) ]
    peak --define '_flush_io batch' --define '_flush_io_interval 256K'
    check "a gigabyte, batch: $most bytes not clean at a time: some" [ "$most" -gt 0 ]
    check "a gigabyte, batch: $most bytes not clean at a time: few" [ "$most" -le $((4 * 262144)) ]
    peak --define '_flush_io none'
    check "control: only $most bytes were not clean" [ "$most" -gt $((4 * 262144)) ]
    umount "$mount"
else
    skip_part "dirty pages of a gigabyte: no cachestat(2), or no loop device"
fi

# -- where the macros come from ---------------------------------------------------------------

root=$WORK/configured

# configured NAME SOURCE-PATTERN COMMAND...: fdatasync is in force, and --showrc says from where.
configured() {
    local name=$1 source=$2
    shift 2
    empty_root "$root"
    run "$@" -i --root "$root" --stats=json five.rpm
    is "$name: dsyncs" "$(fdio dsyncs count)" 19
    run "$@" --showrc
    holds "$name: --showrc" out "^    %_flush_io_method     fdatasync  \\($source\\)$"
    empty_root "$root"
    run "$@" -i -vv --root "$root" five.rpm
    holds "$name: -vv" err "^D: write policy: %_flush_io_method     fdatasync  \\($source\\)$"
}

configured "--define" "command line" "$RPM" --define '_flush_io 1' \
    --define '_flush_io_method fdatasync'
configured "the shorthand" "command line" "$RPM" --define '_flush_io fdatasync' \
    --define '_flush_io_method osync'
printf '%%_flush_io 1\n%%_flush_io_method fdatasync\n' >"$HOME/.rpmmacros"
configured "the user's file" ".*/\\.rpmmacros:2" "$RPM"
mkdir -p "$WORK/config/macros.d"
mv "$HOME/.rpmmacros" "$WORK/config/macros.d/macros.flush"
RPM_CONFIGDIR=$WORK/config configured "a macros.d file" ".*/macros\\.d/macros\\.flush:2" "$RPM"
mkdir -p "$WORK/etc/rpm" "$WORK/work"
cp "$WORK/config/macros.d/macros.flush" "$WORK/etc/rpm/macros"
over="mount -t overlay -o lowerdir=/etc,upperdir=$WORK/etc,workdir=$WORK/work none /etc"
if unshare -m sh -c "$over" 2>/dev/null; then
    configured "/etc/rpm/macros" "/etc/rpm/macros:2" \
        unshare -m sh -c "$over && exec \"\$@\"" - "$RPM"
else
    skip_part "/etc/rpm/macros: no private mount namespace with an overlay"
fi
for bad in '_flush_io sometimes' '_flush_io_method batches' '_flush_io_interval 0' \
    '_flush_io_barrier sync' '_flush_io_dirty 0' '_flush_io_pending 1.5' \
    '_flush_io_fallocate 1X' '_flush_io_dontneed maybe'; do
    empty_root "$root"
    refuses "%$bad" "^error: macro %${bad% *}: unknown value '${bad#* }', accepted are: " \
        "$RPM" -i --nodb --root "$root" --define "$bad" five.rpm
    nothing_left "%$bad" "$root"
done

# -- reservations by the header's word --------------------------------------------------------

echo 'name liar
arch noarch
file /liar size=65536 fill=text hdrsize=1000000000000 cpiosize=1000000000000' | make_pkg liar.rpm
empty_root "$root"
refuses "a size that the archive cannot hold" \
    '^error: liar-.* failed on file /liar: .*its size is more than the archive has left$' \
    "$RPM" -i --nodb --root "$root" --ignoresize --define '_flush_io_fallocate 1M' liar.rpm
nothing_left "a size that the archive cannot hold" "$root"
mkdir -p "$WORK/full"
if mount -t tmpfs -o size=10m none "$WORK/full"; then
    echo 'name large
arch noarch
file /large size=20000000 fill=zero' | make_pkg large.rpm
    empty_root "$WORK/full/root"
    refuses "a file larger than what is free" \
        '^error: large-.* on file /large: cannot reserve 20000000 bytes: No space left on device$' \
        "$RPM" -i --nodb --root "$WORK/full/root" --ignoresize --define '_flush_io_fallocate 1M' large.rpm
    nothing_left "a file larger than what is free" "$WORK/full/root"
fi
finish
