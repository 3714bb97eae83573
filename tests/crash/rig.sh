# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The power-cut rig. For a filesystem and a workload:
#   prepare   makes $rig/base, an image in which the old packages are installed, and by stock rpm's
#             hand the lists of both states: old, new, owners, old.db, new.db
#   record    runs the command on that image as a disk that logs what reaches it: $rig/log
#   cuts      chooses where the power fails, and what of the unflushed is kept
#   judge     makes the disk of one cut, mounts it and tells what is there (check.awk)
# All mounts are in a namespace of the script's own, loop devices go with the mounts, the disk's
# process with the script: nothing is left however a test ends.
set -u

if [ "$(id -u)" = 0 ] && [ -z "${CRASH_NAMESPACE:-}" ]; then
    CRASH_NAMESPACE=1 exec unshare --mount --propagation private bash "$0"
fi

CRASH=$TOP/tests/crash
FLUSHDISK=$BUILD/tests/flushdisk
REPLAY=$BUILD/tests/replay
rig='' since=0 # of the test: the directory of this workload, the second in which it began
SIZE=3G # a small btrfs flushes for space
# For what is thrown away after each cut: in memory, where it can be had.
IMAGES=$WORK/images
mkdir "$IMAGES"
mount -t tmpfs -o size=2g tmpfs "$IMAGES" 2>/dev/null

limited() { timeout -k 5 "${LIMIT:-120}" "$@"; }

need_rig() {
    need_root
    need_stock
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

make_fs() {
    truncate -s "$SIZE" "$2"
    case $1 in
    ext4) set -- mkfs.ext4 -q -F -m 0 "$2" ;;
    xfs) set -- mkfs.xfs -q -f "$2" ;;
    btrfs) set -- mkfs.btrfs -q -f "$2" ;;
    esac
    limited "$@" >mkfs.log 2>&1
}

# mount_image FILESYSTEM IMAGE DIR
mount_image() {
    # Another device that once had this filesystem is not a part of it.
    [ "$1" != btrfs ] || btrfs device scan --forget >/dev/null 2>&1
    limited mount -t "$1" -o "loop,$(rig_options "$1")" "$2" "$3" 2>mount.log
}

# A root with the machine's own beside it, so that every program and path of it is there. What is
# on the machine's other filesystems is not.
live_root() {
    local name
    mkdir "$1/host" "$1/dev"
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
    "$TREELIST" "$1" "$since" .rpmdb host lost+found >"$2" || return 1
    if ! limited "$STOCK" --dbpath "$1/.rpmdb" -qa --qf '%{NAME} %{VERSION}\n' 2>db.log >"$3" ||
        grep -q '^error' db.log; then
        echo unreadable >"$3"
    fi
    LC_ALL=C sort -o "$3" "$3"
}

by_stock() { limited "$STOCK" --force-debian --dbpath /.rpmdb "$@"; }

# operation OLD-COUNT NEW-COUNT: of what kind the command is.
operation() {
    if [ "$2" = 0 ]; then printf '%s\n' -e; elif [ "$1" = 0 ]; then echo -i; else echo -U; fi
}

# prepare FILESYSTEM WORKLOAD ROOT
prepare() {
    local old new packages words name dir=$rig/mnt
    old=$("$2_old") && new=$("$2_new") || return 1
    mapfile -t old < <(printf '%s\n' "$old" | sed '/^$/d; s/$/.rpm/')
    mapfile -t new < <(printf '%s\n' "$new" | sed '/^$/d; s/$/.rpm/')
    new=("${new[@]/#/$PWD/}")
    packages=("${new[@]}")
    {
        operation "${#old[@]}" "${#new[@]}"
        if [ "${#new[@]}" = 0 ]; then new=("${old[@]%.rpm}"); fi
        printf '%s\n' "${new[@]}"
    } >"$rig/words"
    mapfile -t words <"$rig/words"
    for name in "${packages[@]}"; do
        "$STOCK" -qp --nosignature --qf '[%{FILENAMES} %{=NAME} %{=VERSION}\n]' "$name"
    done >"$rig/owners" 2>/dev/null
    sed -i 's,^/,,' "$rig/owners"
    mkdir -p "$dir"
    make_fs "$1" "$rig/base" && mount_image "$1" "$rig/base" "$dir" || return 1
    mkdir "$dir/.rpmdb" && limited "$STOCK" --dbpath "$dir/.rpmdb" --initdb || return 1
    [ "$3" = root ] || live_root "$dir"
    [ "${#old[@]}" = 0 ] || by_stock --root "$dir" -i "${old[@]}" || return 1
    # The base is left as the command left it: a query tidies the database.
    umount "$dir" && cp --sparse=always "$rig/base" "$rig/reference" &&
        mount_image "$1" "$rig/reference" "$dir" || return 1
    list "$dir" "$rig/old" "$rig/old.db"
    by_stock --root "$dir" "${words[@]}" || return 1
    list "$dir" "$rig/new" "$rig/new.db"
    umount "$dir"
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

# the_command ROOT WRITER DIR OPTIONS: what is recorded.
the_command() {
    local command=("$RPM") option
    [ "$2" = ours ] || command=("$STOCK" --force-debian)
    command+=(--dbpath /.rpmdb)
    [ "$1" = live ] || command+=(--root "$3")
    if [ "$4" != - ]; then
        for option in ${4//,/ }; do command+=(--define "${option/=/ }"); done
    fi
    mapfile -t -O "${#command[@]}" command <"$rig/words"
    if [ "$1" = live ]; then
        mount --bind / "$3/host" || return 1
        limited chroot "$3" "${command[@]}"
    else
        limited "${command[@]}"
    fi
}

# record FILESYSTEM ROOT WRITER OPTIONS: $status is the command's.
record() {
    local dir=$rig/mnt loop
    status=0
    disk_up || return 1
    loop=$(losetup --direct-io=on -f --show "$rig/disk/disk") || return 1
    [ "$1" != btrfs ] || btrfs device scan --forget >/dev/null 2>&1
    limited mount -t "$1" -o "$(rig_options "$1")" "$loop" "$dir" || status=$?
    losetup -d "$loop" # if it is mounted: when it is not any more
    [ "$status" = 0 ] || return 1
    sync -f "$dir"
    echo "flush ${CRASH_FLUSH:-0}" >"$rig/disk/control"
    echo "write ${CRASH_WRITE:-0}" >"$rig/disk/control"
    mark start
    the_command "$2" "$3" "$dir" "$4" >out 2>err </dev/null || status=$?
    mark "exit $status"
    sleep 0.5
    mark end
    mountpoint -q "$dir/host" && umount "$dir/host"
    umount "$dir" && disk_down && "$REPLAY" "$rig/log" >"$rig/records"
}

# cuts FORM: prints "RECORD CHOICE PHASE" a line. The short form has 20: before 14 of the flushes
# (or other records, if there are not so many) and six after the exit; the long form has each
# flush with each choice.
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

# judge FILESYSTEM RECORD CHOICE PHASE: a line of counts.
judge() {
    local image=$IMAGES/image dir=$rig/mnt
    rm -f "$image"
    "$REPLAY" "$rig/log" "$2" "$3" "$rig/base" "$image" || return 1
    printf 'cut=%s choice=%s phase=%s ' "$2" "$3" "$4"
    if ! mount_image "$1" "$image" "$dir"; then
        echo "unmountable=1"
        return 0
    fi
    list "$dir" "$rig/found" "$rig/found.db" || echo "unlistable:" >>"$rig/found"
    umount "$dir" || umount -l "$dir"
    awk -v phase="$4" -f "$CRASH/check.awk" is=old "$rig/old" is=new "$rig/new" \
        is=owners "$rig/owners" is=oldDb "$rig/old.db" is=newDb "$rig/new.db" \
        is=found "$rig/found" is=foundDb "$rig/found.db"
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
