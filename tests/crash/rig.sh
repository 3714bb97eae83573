# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2154 # busybox is set by lib.sh
# The power-cut rig. For a filesystem and a workload:
#   prepare   makes $rig/base, an image in which the old packages are installed, and by stock rpm's
#             hand the lists of both states: old, new, owners, old.db, new.db
#   record    runs the command on that image as a disk that logs what reaches it: $rig/log
#   cuts      chooses where the power fails, and what of the unflushed is kept
#   judge     makes the disk of one cut, mounts it and tells what is there (check.awk), and what
#             becomes of it (recovery.sh)
# All mounts are in a namespace of the script's own, loop devices go with the mounts, the disk's
# process with the script: nothing is left however a test ends.
set -u

if [ "$(id -u)" = 0 ] && [ -z "${CRASH_NAMESPACE:-}" ]; then
    CRASH_NAMESPACE=1 exec unshare --mount --propagation private bash "$0"
fi

CRASH=$TOP/tests/crash
FLUSHDISK=$BUILD/tests/flushdisk
REPLAY=$BUILD/tests/replay
UNORDERED=$BUILD/tests/libunordered.so
rig='' since=0 # of the test: the directory of this workload, the second in which it began
SIZE=$((3 << 30))      # a small btrfs flushes for space
DB_SIZE=$((512 << 20)) # of a second filesystem behind it, in a root of the kind `split`
# For what is thrown away after each cut: in memory, where it can be had.
IMAGES=$WORK/images
mkdir "$IMAGES"
mount -t tmpfs -o size=2g tmpfs "$IMAGES" 2>/dev/null

limited() { timeout -k 5 "${LIMIT:-120}" "$@"; }

need_rig() {
    need_root
    need_stock
    need_busybox
    [ -x "$FLUSHDISK" ] && [ -c /dev/fuse ] || skip "no FUSE or no libfuse3"
    [ -e /dev/loop-control ] || skip "no loop devices"
    command -v "mkfs.$1" >/dev/null || skip "no mkfs.$1"
    grep -qw "$1" /proc/filesystems || modprobe -q "$1" || skip "the kernel has no $1"
}

rig_options() {
    case $1 in
    ext4) echo commit=300,noinit_itable ;;
    btrfs) echo commit=300 ;;
    *) echo defaults ;;
    esac
}

# make_fs FILESYSTEM IMAGE [BYTES]
make_fs() {
    truncate -s "${3:-$SIZE}" "$2"
    case $1 in
    ext4) set -- mkfs.ext4 -q -F -m 0 "$2" ;;
    xfs) set -- mkfs.xfs -q -f "$2" ;;
    btrfs) set -- mkfs.btrfs -q -f "$2" ;;
    esac
    limited "$@" >mkfs.log 2>&1
}

# The database's filesystem, as a second part of the image.
add_db_fs() { # FILESYSTEM IMAGE
    make_fs "$1" "$2.db" "$DB_SIZE" && truncate -s $((SIZE + DB_SIZE)) "$2" &&
        dd if="$2.db" of="$2" bs=1M seek=$((SIZE >> 20)) conv=sparse,notrunc status=none &&
        rm "$2.db"
}
is_split() { [ "$(stat -c %s "$1")" -gt "$SIZE" ]; }

# mount_part FILESYSTEM IMAGE DIR OFFSET BYTES [DIRECT-IO]
mount_part() {
    local loop rc=0
    loop=$(losetup ${6:+--direct-io=on} -o "$4" --sizelimit "$5" -f --show "$2") || return 1
    # Another device that once had this filesystem is not a part of it.
    [ "$1" != btrfs ] || btrfs device scan --forget >/dev/null 2>&1
    limited mount -t "$1" -o "$(rig_options "$1")" "$loop" "$3" 2>mount.log || rc=1
    losetup -d "$loop" # if it is mounted: when it is not any more
    return $rc
}

# mount_image FILESYSTEM IMAGE DIR [DIRECT-IO]
mount_image() {
    mount_part "$1" "$2" "$3" 0 "$SIZE" "${4:-}" || return 1
    is_split "$2" || return 0
    mkdir -p "$3/.rpmdb" && mount_part "$1" "$2" "$3/.rpmdb" "$SIZE" "$DB_SIZE" "${4:-}"
}

# A root with the machine's own beside it, so that every program and path of it is there. What is
# on the machine's other filesystems is not.
live_root() {
    local name
    mkdir "$1/host" "$1/dev" "$1/proc"
    cp -a /dev/null "$1/dev/null"
    for name in /*; do
        name=${name#/}
        case $name in
        dev | host | proc | srv) ;;
        *) [ -e "$1/$name" ] || ln -s "host/$name" "$1/$name" ;;
        esac
    done
}

# list ROOT TREE DB: what is found below the root.
list() {
    "$TREELIST" "$1" "$since" .rpmdb bin host lost+found proc zz >"$2" || return 1
    if ! limited "$STOCK" --dbpath "$1/.rpmdb" -qa --qf '%{NAME} %{VERSION}\n' 2>db.log >"$3" ||
        grep -q '^error' db.log; then
        echo unreadable >"$3"
    fi
    sed -i '/^zz/d' "$3"
    LC_ALL=C sort -o "$3" "$3"
}

# owners PACKAGE...: "PATH NAME VERSION" a line.
owners() {
    local name
    for name; do
        "$STOCK" -qp --nosignature --qf '[%{FILENAMES} %{=NAME} %{=VERSION}\n]' "$name"
    done 2>/dev/null | sed 's,^/,,'
}

# What scripts need of a root that has nothing else.
own_shell() {
    mkdir "$1/bin" && cp -p "$busybox" "$1/bin/busybox" && ln -s busybox "$1/bin/sh" &&
        ln -s busybox "$1/bin/rm"
}

# optional FUNCTION ARGS...: if there is one.
optional() { if declare -F "$1" >/dev/null; then "$@"; fi; }

# bind_host ROOT DIR: a live root's machine.
bind_host() {
    [ "$1" = root ] || { mount --bind / "$2/host" && mount -t proc proc "$2/proc"; }
}
unbind_host() { [ "$1" = root ] || umount "$2/host" "$2/proc"; }

by_stock() { limited "$STOCK" --force-debian --dbpath /.rpmdb "$@" 2>stock.log; }

# operation OLD-COUNT NEW-COUNT: of what kind the command is.
operation() {
    if [ "$2" = 0 ]; then printf '%s\n' -e; elif [ "$1" = 0 ]; then echo -i; else echo -U; fi
}

# packages WORKLOAD old|new: their files, made.
packages() {
    local names
    names=$("$1_$2") && printf '%s\n' "$names" | sed '/^$/d; s/$/.rpm/'
}

# describe WORKLOAD: what is the command's, and who owns what.
describe() {
    local old new
    packages "$1" old >"$rig/oldPackages" && packages "$1" new >"$rig/newPackages" || return 1
    mapfile -t old <"$rig/oldPackages"
    mapfile -t new <"$rig/newPackages"
    owners "${old[@]}" >"$rig/oldOwners"
    owners "${new[@]}" >"$rig/owners"
    optional "$1_scripted" >"$rig/scripted"
    operation "${#old[@]}" "${#new[@]}" >"$rig/words"
    [ "${#new[@]}" = 0 ] || old=("${new[@]/#/$PWD/}")
    printf '%s\n' "${old[@]}" | sed '/\//!s/\.rpm$//' >>"$rig/words"
}

# first_state WORKLOAD ROOT: on an empty filesystem. On a live one a command of ours has left a
# write-ahead log behind, as is the rule there.
first_state() {
    local dir=$rig/mnt old
    mapfile -t old <"$rig/oldPackages"
    mkdir -p "$dir/.rpmdb" && limited "$STOCK" --dbpath "$dir/.rpmdb" --initdb || return 1
    if [ "$2" = root ]; then own_shell "$dir"; else live_root "$dir"; fi || return 1
    bind_host "$2" "$dir" || return 1
    [ "${#old[@]}" = 0 ] || by_stock --root "$dir" -i "${old[@]}" || return 1
    [ "$2" = root ] || the_command live ours "$dir" batch/auto -i "$PWD/zz-wal-1.rpm" || return 1
    unbind_host "$2" "$dir" && optional "$1_edit" "$dir"
}

# prepare FILESYSTEM WORKLOAD ROOT
prepare() {
    local words dir=$rig/mnt
    describe "$2" || return 1
    mapfile -t words <"$rig/words"
    mkdir -p "$dir"
    make_fs "$1" "$rig/base" || return 1
    [ "$3" != split ] || add_db_fs "$1" "$rig/base" || return 1
    mount_image "$1" "$rig/base" "$dir" || return 1
    first_state "$2" "$3" || return 1
    # The base is left as the command left it: a query tidies the database.
    umount -R "$dir" && cp --sparse=always "$rig/base" "$rig/reference" &&
        mount_image "$1" "$rig/reference" "$dir" || return 1
    list "$dir" "$rig/old" "$rig/old.db"
    bind_host "$3" "$dir" && by_stock --root "$dir" "${words[@]}" || return 1
    unbind_host "$3" "$dir"
    list "$dir" "$rig/new" "$rig/new.db"
    umount -R "$dir"
    rm -f "$rig/reference"
}

disk_up() {
    mkdir -p "$rig/disk"
    : >"$rig/ready"
    setpriv --pdeathsig TERM "$FLUSHDISK" "$rig/base" "$rig/disk" "$rig/log" >"$rig/ready" &
    disk=$!
    until grep -q ready "$rig/ready"; do
        kill -0 "$disk" 2>/dev/null || return 1
        sleep 0.05
    done
}

disk_down() {
    fusermount3 -u "$rig/disk"
    wait "$disk"
}

mark() { echo "mark $*" >"$rig/disk/control"; }

# the_command ROOT WRITER DIR OPTIONS WORD...: a live root's machine is bound.
the_command() {
    local root=$1 writer=$2 dir=$3 options=${4/#-/} command=() option without
    shift 4
    [ "$writer" != shim ] || command=("$BUILD/preload/rpmio-policy")
    [ "$root" = root ] || command+=(chroot "$dir")
    without=$(printf %s "$options" | sed -n 's/^without=\([a-z]*\).*/\1/p')
    [ -z "$without" ] || command+=(env "LD_PRELOAD=$UNORDERED" "RPMIO_WITHOUT=$without")
    if [ "$writer" = ours ]; then command+=("$RPM"); else command+=("$STOCK" --force-debian); fi
    command+=(--dbpath /.rpmdb)
    [ "$root" != root ] || command+=(--root "$dir")
    options=${options/batch\//_flush_io=1,_flush_io_method=batch,_flush_io_barrier=}
    for option in ${options//,/ }; do
        [ "${option%%=*}" = without ] || command+=(--define "${option/=/ }")
    done
    limited "${command[@]}" "$@" </dev/null
}

# record FILESYSTEM ROOT WRITER OPTIONS: $status is the command's.
record() {
    local dir=$rig/mnt words
    mapfile -t words <"$rig/words"
    status=0
    disk_up || return 1
    mount_image "$1" "$rig/disk/disk" "$dir" direct || return 1
    bind_host "$2" "$dir" || return 1
    sync -f "$dir"
    sync -f "$dir/.rpmdb"
    echo "flush ${CRASH_FLUSH:-0}" >"$rig/disk/control"
    echo "write ${CRASH_WRITE:-0}" >"$rig/disk/control"
    mark start
    the_command "$2" "$3" "$dir" "$4" "${words[@]}" >out 2>err || status=$?
    mark "exit $status"
    sleep 0.5
    mark end
    unbind_host "$2" "$dir" && umount -R "$dir" && disk_down && "$REPLAY" "$rig/log" >"$rig/records"
}

# cuts FORM: prints "RECORD CHOICE PHASE" a line. The short form has 20: before 14 of the flushes
# (or other records, if there are not so many) and six after the exit. The long form has each flush
# with each choice, and where these are few, halves at 60 other records.
cuts() {
    awk -v form="$1" '
        function show(cut, choice) { print cut, choice, (cut > leave ? "after" : "during") }
        $2 == "mark" && $3 == "start" { start = $1 }
        $2 == "mark" && $3 == "exit" { leave = $1 }
        $2 == "mark" && $3 == "end" { end = $1 }
        $2 == "flush" && start && !leave { flush[n++] = $1 }
        END {
            split("17 lost 23 kept", turn, " ")
            if (form == "long") {
                for (i = 0; i < n; i++) {
                    show(flush[i], "lost"); show(flush[i], "kept"); show(flush[i], i + 1)
                }
                show(leave, "lost"); show(leave, "kept"); show(leave, 5)
                for (i = 0; n < 100 && i < 60 && i < leave - start; i++)
                    show(start + int(i * (leave - start) / 60), i + 100)
            } else {
                few = n < 14 ? n : 14
                for (i = 0; i < few; i++)
                    show(flush[int(i * n / few)], turn[i % 4 + 1])
                for (i = 0; i < 14 - few; i++)
                    show(leave - int(i * (leave - start) / (15 - few)), turn[i % 4 + 1])
            }
            show(leave + 1, "lost"); show(leave + 1, 3)
            show(end, "lost"); show(end, "kept"); show(end, 1); show(end, 2)
        }' "$rig/records"
}

# counts PHASE FOUND FOUND-DB
counts() {
    awk -v phase="$1" -f "$CRASH/check.awk" is=old "$rig/old" is=new "$rig/new" \
        is=owners "$rig/owners" is=oldOwners "$rig/oldOwners" is=scripted "$rig/scripted" \
        is=oldDb "$rig/old.db" is=newDb "$rig/new.db" is=found "$2" is=foundDb "$3"
}

# look FILESYSTEM ROOT OPTIONS RECOVERY PHASE IMAGE: the counts; of (d), too, where RECOVERY is
# not empty.
look() {
    local dir=$rig/mnt
    if ! mount_image "$1" "$6" "$dir"; then
        echo "unmountable=1"
        return
    fi
    list "$dir" "$rig/found" "$rig/found.db" || echo "unlistable:" >>"$rig/found"
    counts "$5" "$rig/found" "$rig/found.db" | tr -d '\n'
    if [ -n "$4" ]; then
        bind_host "$2" "$dir"
        recover "$2" "$3" "$dir"
        unbind_host "$2" "$dir"
    fi
    echo
    umount -R "$dir" || umount -l "$dir"
}

# judge FILESYSTEM ROOT OPTIONS RECOVERY RECORD CHOICE PHASE: a line of counts. A disk that is byte
# for byte one that was looked at before, in the same phase, has the same.
judge() {
    local image=$IMAGES/image seen
    rm -f "$image"
    seen=$("$REPLAY" "$rig/log" "$5" "$6" "$rig/base" "$image") || return 1
    seen=$rig/judged/$7-$4-$seen
    printf 'cut=%s choice=%s phase=%s ' "$5" "$6" "$7"
    if [ -e "$seen" ]; then
        sed 's/$/ same=1/' "$seen"
    else
        look "$1" "$2" "$3" "$4" "$7" "$image" >"$seen"
        cat "$seen"
    fi
}

# summary FILE: NAME=MAXIMUM of every count, and NAME_after for cuts after the exit.
summary() {
    awk '{
            phase = $3
            for (i = 4; i <= NF; i++)
                if (split($i, w, "=") == 2) {
                    if (w[2] > top[w[1]] + 0) top[w[1]] = w[2]
                    else top[w[1]] += 0
                    if (phase == "phase=after" && w[2] > top[w[1] "_after"] + 0)
                        top[w[1] "_after"] = w[2]
                    else top[w[1] "_after"] += 0
                    if (w[2] > 0) top[w[1] "_cuts"]++
                }
        }
        END { print "cuts=" NR; for (key in top) print key "=" top[key] }' "$1"
    awk '$2 == "mark" && $3 == "start" { on = 1 } $2 == "mark" && $3 == "exit" { on = 0 }
        on && $2 == "flush" { n++ } on && $2 == "write" { w++ }
        END { print "flushes=" n + 0; print "writes=" w + 0 }' "$rig/records"
}
