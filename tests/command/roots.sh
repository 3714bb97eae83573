#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Roots that cannot take a package say so in one line, and keep nothing of it; and what an ordinary
# user gets.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"

make_pkg small.rpm <<'END'
dir /opt/t
file /opt/t/a content=hello
END

# -- roots that are none --------------------------------------------------------------------------

echo data >file
refuses "a root that is a file" 'file.*Not a directory' "$RPM" -i --nodb --root "$PWD/file" small.rpm
is "the file" "$(cat file)" data
refuses "a root that is not there" 'nowhere.*No such file' "$RPM" -i --nodb --root "$PWD/nowhere" small.rpm
is "no root is made" "$(ls -d nowhere 2>/dev/null)" ""

mkdir -p clash/opt/t/a/full
refuses "a directory where a file of the package comes" 'opt/t/a' "$RPM" -i --nodb --root "$PWD/clash" small.rpm
is "the old directory" "$(find clash | sort | tr '\n' ' ')" "clash clash/opt clash/opt/t clash/opt/t/a clash/opt/t/a/full "

empty_root good
succeeds "a good root" "$RPM" -i --nodb --root "$PWD/good" small.rpm
is "a good root's file" "$(cat good/opt/t/a)" hello
is "no other name" "$(find good -type f | wc -l)" 1

# -- an ordinary user -----------------------------------------------------------------------------

make_pkg kinds.rpm <<'END'
dir /opt/t mode=0700
file /opt/t/a content=hello user=daemon
file /opt/t/suid content=x mode=4755
file /opt/t/caps content=x caps=cap_net_raw=p
file /opt/t/l1 content=linked link=1
file /opt/t/l2 content=linked link=1
symlink /opt/t/s a
fifo /opt/t/fifo mode=0600
char /opt/t/null 1 3
socket /opt/t/sock
END

as_user() {
    if [ "$(id -u)" = 0 ]; then as_nobody "$@"; else "$@"; fi
}

if as_user "$RPM" --version >/dev/null 2>&1; then
    empty_root user
    [ "$(id -u)" != 0 ] || chown 65534:65534 user
    cp kinds.rpm "$WORK/kinds.rpm"
    succeeds "an ordinary user" as_user "$RPM" -i --nodb --root "$PWD/user" "$WORK/kinds.rpm"
    is "one note" "$(cat out err | wc -l)" 1
    holds "the note" out 'not root: owners and capabilities of files are not set, devices are left out'
    is "contents" "$(cat user/opt/t/a user/opt/t/l1)" hellolinked
    is "all but the devices" "$(cd user/opt/t && echo *)" "a caps fifo l1 l2 s sock suid"
    is "links" "$(stat -c %h user/opt/t/l1)" 2
    is "a FIFO" "$(stat -c '%F %a' user/opt/t/fifo)" "fifo 600"
    is "the directory's mode" "$(stat -c %a user/opt/t)" 700
    is "mtime" "$(stat -c %Y user/opt/t/a)" 1500000000
    rm -rf user/opt
    succeeds "bars for an ordinary user" \
        as_user "$RPM" -ivh --nodb --root "$PWD/user" "$WORK/kinds.rpm"
    holds "the note is on a line of its own" out '^not root:.*$'

    # Directories that their owner cannot open for reading, and so cannot sync one by one.
    for version in 1 2; do
        make_pkg "$WORK/unreadable-$version.rpm" <<END
name unreadable
version $version
arch noarch
dir /opt/t mode=0300
file /opt/t/a content=$version
file /opt/t/only$version content=x
END
    done
    rm -rf user/opt
    if [ "$(id -u)" = 0 ] && mount -t tmpfs none user; then
        chown 65534:65534 user # no syncfs barrier there
    fi
    unreadable() {
        name="unreadable, $1"
        shift
        succeeds "$name" as_user "$RPM" --define '_flush_io batch' --dbpath /.rpmdb --root \
            "$PWD/user" "$@"
    }
    unreadable new -i "$WORK/unreadable-1.rpm"
    unreadable upgrade -U "$WORK/unreadable-2.rpm"
    is "$name: mode" "$(stat -c %a user/opt/t)" 300
    is "$name: content" "$(cat user/opt/t/a)" 2
    is "$name: names" "$(ls user/opt/t)" $'a\nonly2'
    unreadable erase -e unreadable
    is "$name: names" "$(ls user/opt)" ""
    umount "$PWD/user" 2>/dev/null
else
    skip_part "an ordinary user cannot reach $RPM"
fi

# -- limits ---------------------------------------------------------------------------------------

make_pkg long.rpm <<'END'
file /opt/t/long size=9000000 fill=zero
END
empty_root limited
refuses "a file over the limit" '/opt/t/long: .*File too large' \
    bash -c 'ulimit -f 2000; exec "$@"' - "$RPM" -i --nodb --root "$PWD/limited" long.rpm
is "a file over the limit: what is left" "$(find limited -name '.rpmtmp*' -o -name long)" ""

# -- filesystems ----------------------------------------------------------------------------------

[ "$(id -u)" = 0 ] || { skip_part "not root: no full and no read-only filesystem"; finish; }

if grep -q __asan_init "$RPM"; then
    skip_part "AddressSanitizer reads its options from /proc: it cannot be taken away"
elif unshare -m true 2>/dev/null; then
    empty_root noproc
    # shellcheck disable=SC2016
    succeeds "without /proc" unshare -m sh -c 'umount -l /proc && exec "$@"' - \
        "$RPM" -i --root "$PWD/noproc" kinds.rpm
    is "without /proc: a FIFO's mode" "$(stat -c '%F %a' noproc/opt/t/fifo)" "fifo 600"
else
    skip_part "no mount namespaces: /proc cannot be taken away"
fi

mkdir ramfs
if mount -t ramfs ramfs ramfs; then
    succeeds "a filesystem without a size" "$RPM" -i --root "$PWD/ramfs" small.rpm
else
    skip_part "no ramfs: no filesystem without a size"
fi

make_pkg big.rpm <<'END'
dir /opt/big
file /opt/big/0first content=first
file /opt/big/data size=9000000 fill=random
file /opt/big/zlast content=last
END

files_below() { (cd "$1" && find . ! -type d | sort); }

for type in ext4 tmpfs; do
    case $type in
    ext4) loop_fs ext4 8M full || { skip_part "no loop device: no full $type"; continue; } ;;
    tmpfs) mkdir full-tmpfs && mount -t tmpfs -o size=6m tmpfs full-tmpfs || { skip_part "no tmpfs"; continue; } ;;
    esac
    [ $type = tmpfs ] && dir=full-tmpfs || dir=full
    mkdir -p $dir/opt/big
    echo old >$dir/opt/big/zlast
    refuses "a full $type, beforehand" 'needs [0-9]+MB more space' "$RPM" -i --nodb --root "$PWD/$dir" big.rpm
    refuses "a full $type" '/opt/big/data.*No space left on device' \
        "$RPM" -i --nodb --ignoresize --root "$PWD/$dir" big.rpm
    holds "a full $type: the package" err 'made-1.0-1|big.rpm'
    is "a full $type: what is left" "$(files_below $dir)" ./opt/big/zlast
    is "a full $type: the old file" "$(cat $dir/opt/big/zlast)" old
    succeeds "a full $type takes a small package then" "$RPM" -i --nodb --root "$PWD/$dir" small.rpm
done

{
    echo 'dir /opt/many'
    for i in $(seq 1 200); do echo "file /opt/many/$i content=$i"; done
} | make_pkg many.rpm
if loop_fs ext4 8M inodes -N 64; then
    refuses "no inodes left, beforehand" 'needs [0-9]+ more inodes' "$RPM" -i --nodb --root "$PWD/inodes" many.rpm
    refuses "no inodes left" '/opt/many/[0-9]+.*No space left on device' \
        "$RPM" -i --nodb --ignoresize --root "$PWD/inodes" many.rpm
    is "no inodes left: what is left" "$(files_below inodes)" ""

    mount -o remount,ro inodes
    refuses "a read-only root" '[Rr]ead-only' "$RPM" -i --nodb --root "$PWD/inodes" small.rpm
    is "a read-only root: what is left" "$(files_below inodes)" ""
    mount -o remount,rw inodes
    succeeds "the same root, writable" "$RPM" -i --nodb --root "$PWD/inodes" small.rpm
else
    skip_part "no loop device: no full and no read-only filesystem"
fi
finish
