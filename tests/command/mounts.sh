#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What scriptlets write to filesystems that are mounted below the root: each is synced once at the
# end, and no other, as strace sees it.
. "$TOP/tests/lib.sh"
need_root
need_busybox
command -v strace >/dev/null || skip "no strace"

root=$WORK/root
busybox_root "$root"
mkdir -p "$root"/{home,same,volatile,part,media/stick,proc,"a b"} "$WORK/root-2"
for name in home part stick frozen beside; do
    loop_fs ext4 16M "$WORK/$name" || skip "no loop devices"
done
mkdir "$root/frozen"
mount --bind "$WORK/home" "$root/home"
mount --bind "$WORK/home" "$root/same"
mount --bind "$WORK/part" "$root/a b"
mount --bind "$WORK/stick" "$root/media/stick"
mount --bind "$WORK/frozen" "$root/frozen" && mount -o remount,bind,ro "$root/frozen"
mount --bind "$WORK/beside" "$WORK/root-2"
mount -t tmpfs none "$root/volatile"
mount -t proc proc "$root/proc"
ln -s "$root" "$WORK/link"

for script in postin pretrans preun; do
    make_pkg $script.rpm <<END
name $script
arch noarch
script $script /bin/sh echo written >/home/$script; echo written >"/a b/$script"
file /etc/$script content=x
END
done
make_pkg home.rpm <<'END'
name home
arch noarch
script postin /bin/sh echo written >/home/file
file /home/packaged content=x
END

# synced NAME WANTED WORDS...: the directories by which filesystems were synced, in order.
synced() {
    local name=$1 wanted=$2
    shift 2
    run env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -f -y -o "$WORK/trace" \
        -e trace=syncfs "${inject[@]}" "$RPM" --define '_flush_io_barrier fsync' "$@"
    is "$name: syncfs" "$(sed -En 's/.*syncfs\([0-9]+<([^>]*)>.*/\1/p' "$WORK/trace" |
        sed "s,^$root,R," | tr '\n' ' ')" "$wanted"
}

inject=()
install=(-i --nodeps --dbpath /db --root "$root")
synced "a scriptlet" "R/db R/home R/a b " "${install[@]}" postin.rpm
is "a scriptlet: status" "$status" 0
is "a scriptlet: it wrote" "$(cat "$root/same/postin" "$root/a b/postin")" $'written\nwritten'
synced "before anything else" "R/db R/home R/a b " "${install[@]}" pretrans.rpm
synced "none (a control)" "" "${install[@]}" preun.rpm
synced "one that is left out (a control)" "" "${install[@]}" --replacepkgs --noscripts postin.rpm
synced "an erasure" "R/db R/home R/a b " -e --dbpath /db --root "$root" preun
synced "by a symlink" "R/db R/home R/a b " -i --nodeps --replacepkgs --dbpath /db \
    --root "$WORK/link" postin.rpm
synced "another method" "R/db R/home R/a b " --define '_flush_io fsync' "${install[@]}" \
    --replacepkgs postin.rpm
synced "none of the policy" "" --define '_flush_io none' "${install[@]}" --replacepkgs postin.rpm
synced "what a package writes to as well, once" "R/db R/home R/a b " "${install[@]}" home.rpm

# An error is one of the command.
inject=(-e inject=syncfs:error=EIO:when=2)
synced "an error" "R/db R/home R/a b " "${install[@]}" --replacepkgs postin.rpm
is "an error: status" "$((status != 0))" 1
holds "an error" err '^error: end of the transaction: /home: syncfs failed: Input/output error$'
inject=()

umount "$root/a b"
finish
