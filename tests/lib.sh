# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the test scripts share. A script begins with
#     . "$TOP/tests/lib.sh"
# makes its checks with the calls below and ends with `finish`. run-one gives it an empty
# current directory and
#     $TOP    the source tree           $BUILD   the build tree
#     $WORK   the test's own directory  $HOME    an empty one
# and this file adds
#     $RPM     our rpm                  $MKPKG   our writer of packages (tests/support)
#     $POLICY  %_flush_io for the whole script, where it is run with several
#     $CACHE   a directory of the build tree where packages made once are kept
#     $status  the exit status of the last `run`; its output is in ./out and ./err
set -u

RPM=${RPM:-$BUILD/tools/rpm}
MKPKG=$BUILD/tests/mkpkg
TREELIST=$BUILD/tests/treelist
CACHE=$BUILD/tests/packages
STOCK=${STOCK:-/usr/bin/rpm}
REAL_RPMS=${RPMIO_TEST_RPMS:-$TOP/../shared/data/rpms}
export RPM MKPKG TREELIST CACHE STOCK REAL_RPMS
mkdir -p "$CACHE"
# Stock's rpm takes the word for 0.
[ "${POLICY:-default}" = default ] || printf '%%_flush_io %s\n' "$POLICY" >"$HOME/.rpmmacros"
passed=0 failed=0 status=0 finished=

# -- verdicts ---------------------------------------------------------------------------------

ok() { passed=$((passed + 1)); }

fail() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$*"
}

# skip REASON: the whole script; skip_part REASON: one part of it, listed by check.sh.
skip() {
    printf 'SKIPPED: %s\n' "$*"
    finished=1
    exit 77
}

skip_part() { printf 'SKIPPED: %s\n' "$*"; }

finish() {
    printf '%d passed, %d failed\n' "$passed" "$failed"
    finished=1
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
    exit
}

# A script that dies on the way (set -u, an `exit` of its own) has not passed.
trap '[ -n "$finished" ] || { echo "FAILED: the script ended before its end"; exit 1; }' EXIT

# is NAME GOT WANTED
is() {
    if [ "$2" = "$3" ]; then ok; else fail "$1: got '$2', not '$3'"; fi
}

# same NAME FILE WANTED-FILE
same() {
    if diff -u "$3" "$2" >"$WORK/diff"; then
        ok
    else
        fail "$1"
        head -n "${DIFF_LINES:-30}" "$WORK/diff"
    fi
}

# holds NAME FILE PATTERN: an extended regular expression that some line must match.
holds() {
    if grep -Eqa -e "$3" "$2"; then
        ok
    else
        fail "$1: no line matches '$3' in:"
        head -n 10 "$2"
    fi
}

# run COMMAND...: never fails itself; see $status, ./out, ./err.
run() {
    status=0
    "$@" >out 2>err </dev/null || status=$?
}

# A crash, a sanitizer's report, a signal or a command that is not there.
crashed() { [ "$status" -ge 99 ]; }

# succeeds NAME COMMAND...
succeeds() {
    local name=$1
    shift
    run "$@"
    if [ "$status" = 0 ]; then
        ok
    else
        fail "$name: exit status $status"
        head -n 20 err
    fi
}

# refuses NAME PATTERN COMMAND...: exit status not 0, one line on stderr, matching PATTERN.
refuses() {
    local name=$1 pattern=$2
    shift 2
    run "$@"
    if [ "$status" = 0 ]; then
        fail "$name: succeeded"
    elif crashed; then
        fail "$name: crashed, status $status"
        head -n 30 err
    elif [ "$(wc -l <err)" != 1 ]; then
        fail "$name: not one line of error, but:"
        head -n 10 err
    else
        holds "$name" err "$pattern"
    fi
}

# -- stock rpm --------------------------------------------------------------------------------

# stock ARGS...: Debian's rpm, without its notice about alien, and with a database that is
# nobody else's: below the root if there is one, else in the test's own directory.
stock() {
    case " $* " in
    *" -K "* | *" --checksig "*) ;;
    *) set -- --force-debian "$@" ;;
    esac
    case " $* " in
    *" --root "*) "$STOCK" --dbpath /.rpmdb "$@" ;;
    *) "$STOCK" --dbpath "$WORK/.rpmdb" "$@" ;;
    esac
}

need_stock() {
    [ -x "$STOCK" ] || skip "no stock rpm ($STOCK)"
    command -v rpmbuild >/dev/null || skip "no rpmbuild"
}

need_root() { [ "$(id -u)" = 0 ] || skip "not root"; }

# as_nobody COMMAND...: as an ordinary user without any privilege.
as_nobody() {
    setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
        --no-new-privs "$@"
}

# build_rpm SPEC [rpmbuild options]: prints the path of the binary package that stock rpmbuild
# makes of the spec file; made once for each build tree, script and content of the spec, by whichever
# of several runs is first.
# Every file's mtime is 2020-09-13 12:26:40 UTC, unless it is older.
build_rpm() {
    local spec=$1 key dir new
    shift
    key=$( (cat "$spec"; echo "$@") | sha256sum | cut -c1-16)
    dir=$CACHE/$(basename "$0" .sh)/$(basename "$spec" .spec)-$key
    if ! [ -e "$dir/done" ]; then
        mkdir -p "${dir%/*}" && new=$(mktemp -d "$CACHE/new.XXXXXX") && chmod 755 "$new" || return 1
        if ! SOURCE_DATE_EPOCH=1600000000 rpmbuild -bb --nodeps --define "_topdir $new/top" \
            --define "_rpmdir $new" --define '_build_name_fmt %%{NAME}.rpm' \
            --define 'clamp_mtime_to_source_date_epoch 1' --define 'debug_package %{nil}' \
            --define '__os_install_post %{nil}' --define '_build_id_links none' \
            --define '_dbpath /nonexistent' "$@" "$spec" >"$new/log" 2>&1; then
            tail -n 20 "$new/log" >&2
            rm -rf "$new"
            echo "rpmbuild failed on $spec" >&2
            return 1
        fi
        rm -rf "$new/top"
        touch "$new/done"
        # Another may have been faster: its package is the same.
        mv -T "$new" "$dir" 2>/dev/null || rm -rf "$new"
    fi
    printf '%s\n' "$dir"/*.rpm
}

# make_pkg OUTPUT [mkpkg options]: a package from the manifest on stdin.
make_pkg() { "$MKPKG" -o "$@"; }

# other_byte FILE OFFSET: the byte there is another one.
other_byte() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059
    printf "$(printf '\\%03o' $((byte ^ 255)))" |
        dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# -- trees ------------------------------------------------------------------------------------

# manifest ROOT [SINCE]: every name below ROOT (its rpmdb left out), one a line, with type, mode,
# owner, group, links, the first name of its inode, device, size, mtime in ns, SHA-256 and
# extended attributes. Times of SINCE (seconds) or later read "new"; directories that are not
# empty have none.
manifest() { "$TREELIST" "$1" "${2:-}" .rpmdb var/lib/rpm; }

# empty_root NAME: a fresh empty directory that a package can be installed under.
empty_root() {
    rm -rf "$1"
    mkdir "$1"
}

# need_busybox: skips where scriptlets cannot be given a shell; busybox_root DIR: a fresh root
# with nothing but that.
need_busybox() {
    busybox=$(command -v busybox) || skip "no busybox"
    if ldd "$busybox" >/dev/null 2>&1; then skip "busybox is not static"; fi
}

busybox_root() {
    local name
    rm -rf "$1"
    mkdir -p "$1/bin"
    cp -p "$busybox" "$1/bin/busybox"
    for name in sh env cat ls id pwd sort grep; do ln -s busybox "$1/bin/$name"; done
}

# nothing_left NAME ROOT: the root is as empty as it was.
nothing_left() {
    if [ -z "$(ls -A "$2")" ]; then
        ok
    else
        fail "$1: left under the root:"
        (cd "$2" && find . -mindepth 1 | head -n 5)
    fi
}

# in_memory DIR: mounts a tmpfs there, if that can be had: for what waits for no disk.
in_memory() {
    mkdir -p "$1"
    mount -t tmpfs none "$1" 2>/dev/null || true
}

# loop_fs TYPE SIZE DIR [mkfs options]: makes a filesystem in a file and mounts it on DIR (below
# $WORK: run-one unmounts it). Fails where loop devices cannot be had.
loop_fs() {
    local type=$1 size=$2 dir=$3 image
    shift 3
    image=$WORK/$(basename "$dir").$type
    rm -f "$image"
    truncate -s "$size" "$image"
    case $type in
    ext4) set -- -q -F -m 0 "$@" ;;
    xfs) set -- -q -f "$@" ;;
    esac
    "mkfs.$type" "$@" "$image" >"$WORK/mkfs.log" 2>&1 || return 1
    mkdir -p "$dir"
    mount -o loop "$image" "$dir" 2>"$WORK/mount.log" || return 1
    rmdir "$dir/lost+found" 2>/dev/null || true
}
