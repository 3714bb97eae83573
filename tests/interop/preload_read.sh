#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Digests under the shim: rpm -V, createrepo_c and librepo say what they say alone, errors included,
# with fewer calls.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root
SHIM=$BUILD/preload/rpmio-policy
[ -e "$BUILD/preload/librpmio-policy-preload.so" ] || skip "no shim in a build with sanitizers"
command -v strace >/dev/null || skip "no strace"

# reads COMMAND...: how many calls read something, and the output in ./out.
reads() {
    run strace -f -y -o trace -e trace=read,pread64,readv,mmap "$@"
    grep -cE ' (read|pread64|readv)\(|resumed>.*= [0-9]+$' trace
}

# -- the calls alone --------------------------------------------------------------------------------

head -c 9000001 /dev/urandom >big
head -c 70000 /dev/zero >middle
printf 'hello' >small
: >empty
mkdir directory
mkfifo fifo
printf '%%_digest_mmap_threshold 64K\n' >"$HOME/.rpmmacros"
files=(big middle small empty directory "$PWD/big" "$PWD/middle" "$PWD/small" "$PWD/empty"
    "$PWD/directory" "$PWD/nothing" /proc/version)
compared=0
# compare NAME LIBRARIES...: the program of one library, with and without the shim.
compare() {
    local name=$1
    shift
    if ! cc -D"$name" "$TOP/tests/support/checksums.c" -o "sums-$name" -Wl,--no-as-needed "$@" 2>err; then
        skip_part "no library for $name: $(tail -n 1 err)"
        return
    fi
    run "./sums-$name" "${files[@]}"
    mv out said.alone
    is "$name alone: status" "$status" 0
    run "$SHIM" "./sums-$name" "${files[@]}"
    is "$name: status" "$status" 0
    same "$name" out said.alone
    holds "$name: something was compared" out '[0-9a-f]{64}'
    compared=$((compared + 1))
}
compare RPM -lrpm -lrpmio
compare CREATEREPO -l:libcreaterepo_c.so.0 -l:libglib-2.0.so.0
compare LIBREPO -l:librepo.so.0 -l:libglib-2.0.so.0 -l:librpmio.so.9
[ -e sums-LIBREPO ] && mv sums-LIBREPO sums-with-rpmio
compare LIBREPO -l:librepo.so.0 -l:libglib-2.0.so.0
[ "$compared" = 4 ] || fail "$compared of 4 programs were compared"

# fewer NAME FACTOR COMMAND...: with the shim it makes so many times fewer calls that read.
fewer() {
    local name=$1 factor=$2 alone with
    shift 2
    alone=$(reads "$@")
    with=$(reads "$SHIM" "$@")
    if [ "$((with * factor))" -le "$alone" ]; then ok; else fail "$name: $with reads, $alone alone"; fi
    echo "$name: $with reads, $alone alone"
}
fewer "cr_checksum_file" 20 ./sums-CREATEREPO "$PWD/big"
fewer "lr_checksum_fd" 20 ./sums-with-rpmio "$PWD/big"
is "a pipe is not mapped, nor waited for" "$(echo hello | "$SHIM" ./sums-RPM - | cut -c1-60 | grep -c ': 0 ')" \
    "$(echo hello | ./sums-RPM - | cut -c1-60 | grep -c ': 0 ')"

# -- rpm -V ------------------------------------------------------------------------------------------

for i in 1 2 3 4; do
    make_pkg "v$i-1.rpm" <<END
name v$i
version 1
dir /v$i
file /v$i/big size=3000000 fill=random link=b$i
file /v$i/small size=1000 fill=random link=s$i
file /v$i/gone content=x
END
done
empty_root root
run stock --nosignature --root "$PWD/root" -i v?-1.rpm
is "install: status" "$status" 0
for i in 1 3; do
    printf x | dd of="root/v$i/big" bs=1 seek=2000000 conv=notrunc status=none
    rm root/v$i/gone
done
truncate -s 2999999 root/v2/big
run stock --root "$PWD/root" -Va
alone=$status
mv out stock.out
mv err stock.err
run "$SHIM" "$STOCK" --force-debian --dbpath /.rpmdb --root "$PWD/root" -Va
is "-Va: status" "$status" "$alone"
same "-Va" out stock.out
same "-Va: said" err stock.err
holds "-Va finds something" out '^\.\.5.*v1/big'
fewer "rpm -Va" 1 "$STOCK" --force-debian --dbpath /.rpmdb --root "$PWD/root" -Va
holds "files are mapped" trace 'mmap\(.*, [0-9]+<[^>]*/v4/big>, 0'
printf '%%_digest_mmap_threshold never\n' >"$HOME/.rpmmacros"
"$SHIM" "$STOCK" --force-debian --dbpath /.rpmdb --root "$PWD/root" -Va >never.out 2>&1
same "-Va without maps" never.out stock.out

# -- createrepo_c ------------------------------------------------------------------------------------

rm "$HOME/.rpmmacros"
command -v createrepo_c >/dev/null || { skip_part "no createrepo_c"; finish; }
mkdir alone
for ((i = 1; i <= 12; i++)); do
    { printf 'name r%s\nversion 1\nfile /r%s content=x\n' $i $i
      [ $((i % 3)) != 0 ] || echo "file /r$i.big size=$((i * 700000)) fill=random"; } | make_pkg "alone/r$i-1.rpm"
done
echo "this is no package" >alone/bad.rpm
cp -a alone with

# described DIR: all that the metadata says, but when it was made.
described() {
    local file
    sed 's,<timestamp>[0-9]*</timestamp>,,; s,<revision>[0-9]*</revision>,,' "$1/repodata/repomd.xml"
    for file in "$1"/repodata/*; do
        echo "$(basename "$file") $(sha256sum <"$file")"
    done | grep -v repomd.xml
}
for options in "" "-s sha512" "-s sha1 --no-database" "--workers 1 --general-compress-type=xz"; do
    rm -rf alone/repodata with/repodata
    # shellcheck disable=SC2086
    run createrepo_c --set-timestamp-to-revision --revision 1600000000 $options alone
    theirs=$status
    sed 's,alone,DIR,g; s/^[0-9:]* //' err | sort >alone.err
    # shellcheck disable=SC2086
    run "$SHIM" createrepo_c --set-timestamp-to-revision --revision 1600000000 $options with
    is "createrepo_c $options: status" "$status" "$theirs"
    sed 's,with,DIR,g; s/^[0-9:]* //' err | sort >with.err
    same "createrepo_c $options: said" with.err alone.err
    described alone >alone.list
    described with >with.list
    case $options in
    *no-database*) same "createrepo_c $options" with.list alone.list ;;
    *) same "createrepo_c $options" <(grep -v -e sqlite with.list) <(grep -v -e sqlite alone.list) ;;
    esac
done
fewer createrepo_c 20 createrepo_c --no-database --workers 1 alone
finish
