#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Queries and verification where nothing can be written, and where there is no database: they
# work, and they make no file.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"

DBTOOL=$BUILD/tests/dbtool
for name in one two three; do
    make_pkg $name.rpm <<END
name $name
provide $name-thing = 1
dir /opt/$name
file /opt/$name/file content=content\\sof\\s$name
END
done
empty_root root
mkdir -p root/opt/one root/opt/two root/opt/three
for name in one two three; do printf 'content of %s' $name >root/opt/$name/file; done
succeeds "the database" "$DBTOOL" -r "$PWD/root" add one.rpm two.rpm three.rpm

# What there is: every name with its size, time of change and inode.
names() { find "$1" -printf '%P %s %T@ %i\n' | sort; }

queries=("-qa:0:3" "-q one two:0:2" "-q nobody:1:1" "-qf /opt/two/file:0:1" "-ql one:0:2"
    "-q --whatprovides two-thing:0:1" "-q --whatrequires nothing:1:1" "-qi three:0:15"
    "-Va --nodeps --nomtime --nouser --nogroup:0:0" "-V two --nofiles:0:0" "-qf /opt/nosuch:1:0"
    "-q --last one two:0:2" "--verifydb:0:0")

# all_work NAME DIR [COMMAND...]: every query, by way of a command, and DIR stays as it is.
all_work() {
    local name=$1 dir=$2 query words
    shift 2
    names "$dir" >before
    for query in "${queries[@]}"; do
        words=${query%%:*} wanted=${query#*:}
        # shellcheck disable=SC2086  # the words of a command line
        run "$@" "$RPM" --root "$dir" --dbpath /.rpmdb $words
        is "$name, $words" "$status:$(wc -l <out)" "$wanted"
        [ "$status" != 0 ] || is "$name, $words: errors" "$(cat err)" ""
    done
    names "$dir" >after
    same "$name: nothing changed" after before
}

all_work "as usual" "$PWD/root"

# With a log that is not in the main file yet, as after a kill.
cp -a root wal
succeeds "one more package, left in the log" "$DBTOOL" -r "$PWD/wal" -k remove 3
succeeds "and again" "$DBTOOL" -r "$PWD/wal" -k add three.rpm
is "there is a log" "$([ -s wal/.rpmdb/rpmdb.sqlite-wal ] && echo yes)" yes
cp -a wal noshm
rm noshm/.rpmdb/rpmdb.sqlite-shm
all_work "with a log" "$PWD/wal"

# Without a database, or without the directory for one.
empty_root none
queries_none=("-qa:0:0" "-q one:1:1" "-qf /opt/nosuch:1:0" "-Va:0:0" "-V one:1:1"
    "-q --whatprovides x:1:1")
saved=("${queries[@]}")
queries=("${queries_none[@]}")
all_work "no database" "$PWD/none"
mkdir none/.rpmdb
all_work "an empty directory" "$PWD/none"
queries=("${saved[@]}")
succeeds "--initdb" "$RPM" --root "$PWD/none" --dbpath /.rpmdb --initdb
is "the control: --initdb makes files" "$([ -s none/.rpmdb/rpmdb.sqlite ] && echo yes)" yes
queries=("${queries_none[@]}")
all_work "an empty database" "$PWD/none"
queries=("${saved[@]}")

# What is asked of the kernel: no name to be made, nothing to be written, removed or synced.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    writing='O_CREAT|O_WRONLY|O_RDWR|O_TRUNC|^[0-9]+ +(unlink|rename|mkdir|rmdir|ftruncate|truncate'
    writing="$writing|fsync|fdatasync|syncfs|sync|pwrite64|fallocate|chmod|fchmod|symlink|link)"
    for query in "${queries[@]}"; do
        words=${query%%:*}
        [ "$words" != "-q --last one two" ] || continue # whose sort is not ours
        # shellcheck disable=SC2086
        run strace -f -o trace "$RPM" --root "$PWD/root" --dbpath /.rpmdb $words
        grep -E "$writing" trace | grep -v -e '"/dev/null"' -e '"/dev/tty"' >writes
        is "system calls of $words" "$(cat writes)" ""
    done
    run strace -f -o trace "$RPM" --root "$PWD/root" --dbpath /.rpmdb --rebuilddb
    is "the control: --rebuilddb writes" \
        "$([ "$(grep -cE "$writing" trace)" -gt 3 ] && echo yes)" yes
else
    skip_part "system calls: no strace"
fi

# An ordinary user in root's database.
if [ "$(id -u)" != 0 ]; then
    skip_part "read-only and full filesystems: not root"
    finish
fi
chmod -R a+rX .
if as_nobody test -x "$RPM"; then
    all_work "as nobody" "$PWD/root" as_nobody
    all_work "as nobody, with a log" "$PWD/wal" as_nobody
else
    skip_part "an ordinary user: the build tree is not open to others"
fi

# A filesystem that is full to the last byte, and one that is mounted read-only.
if loop_fs ext4 16M "$WORK/small"; then
    cp -a root "$WORK/small/clean"
    cp -a wal "$WORK/small/wal"
    cp -a noshm "$WORK/small/noshm"
    dd if=/dev/zero of="$WORK/small/fill" bs=64k status=none 2>/dev/null
    dd if=/dev/zero of="$WORK/small/fill2" bs=1 status=none 2>/dev/null
    run dd if=/dev/zero of="$WORK/small/fill3" bs=1 count=1 status=none
    is "the filesystem is full" "$status" 1
    all_work "full" "$WORK/small/clean"
    all_work "full, with a log" "$WORK/small/wal"
    run "$RPM" --root "$WORK/small/clean" --dbpath /other --initdb
    is "the control: --initdb on the full one" "$status" 1
    mount -o remount,ro "$WORK/small"
    all_work "read-only" "$WORK/small/clean"
    all_work "read-only, with a log" "$WORK/small/wal"
    all_work "read-only, with a log and no index of it" "$WORK/small/noshm"
    run "$RPM" --root "$WORK/small/clean" --dbpath /other --initdb
    is "the control: --initdb on the read-only one" "$status" 1
    run "$RPM" --root "$WORK/small/clean" --dbpath /.rpmdb --rebuilddb
    is "the control: --rebuilddb on the read-only one" "$status" 1
    holds "--rebuilddb on the read-only one" err "Read-only file system"
    umount "$WORK/small"
else
    skip_part "read-only and full filesystems: no loop devices"
fi
finish
