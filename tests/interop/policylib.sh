#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The write policy module built against a distribution's librpm-dev alone: its unit tests, a
# program built by pkg-config, and a policy set by the stock library's macros.
. "$TOP/tests/lib.sh"

pkg-config --exists rpm 2>/dev/null || skip "no librpm-dev"
command -v cmake >/dev/null || skip "no cmake"

lib=$WORK/lib
inst=$WORK/inst
succeeds "configure" cmake -G Ninja -S "$TOP/rpmio/standalone" -B "$lib" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_INSTALL_PREFIX="$inst"
succeeds "build" cmake --build "$lib"
pkg-config --exists cmocka 2>/dev/null && succeeds "unit tests" ctest --test-dir "$lib"
succeeds "install" cmake --install "$lib"
so=$(find "$inst" -name librpmiopolicy.so)
[ -n "$so" ] || { fail "no library"; finish; }

nm -D --defined-only "$so" | awk '{ print $3 }' | sed 's/@.*//' | grep -v '^RPMIOPOLICY' | sort >got
sed -n 's/^    \(rpmF.*\);/\1/p' "$TOP/rpmio/librpmiopolicy.map" >wanted
same "what is exported" got wanted
grep -ohE '\brpmF(lush|ileDigest)[A-Za-z]+\(' "$TOP"/include/rpm/rpm{flush,filedigest}.h |
    tr -d '(' | sort -u >declared
same "what is declared" declared wanted

# By pkg-config alone, in C and in C++.
PKG_CONFIG_PATH=$(dirname "$so")/pkgconfig
export PKG_CONFIG_PATH LD_LIBRARY_PATH="${so%/*}"
flags=$(pkg-config --cflags --libs rpmiopolicy)
# shellcheck disable=SC2086
succeeds "a C program" cc -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE \
    "$TOP/docs/examples/flushcopy.c" -o flushcopy $flags
# shellcheck disable=SC2086
succeeds "a program that checks packages" cc -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE \
    "$TOP/docs/examples/checkpkgs.c" -o checkpkgs $flags
if command -v c++ >/dev/null; then
    echo '#include <rpm/rpmfiledigest.h>
#include <rpm/rpmflush.h>
int main() { return rpmFlushOpenFlags(nullptr) || rpmFileDigestPoolFree(nullptr); }' >user.cc
    # shellcheck disable=SC2086
    succeeds "a C++ program" c++ -Wall -Wextra -Werror user.cc -o user $flags
    succeeds "it runs" ./user
fi
ldd ./flushcopy >libs
holds "the stock librpmio is used" libs '/librpmio\.so\.[0-9]+ '
if grep -q rpmio-policy libs; then fail "our own librpmio is used"; else ok; fi

seq 1 600000 | head -c 3763601 >data

# flushed NAME WANTED: copy the data and compare the counts printed (and those of strace).
flushed() {
    local name=$1 wanted=$2 trace=()
    if command -v strace >/dev/null; then
        trace=(strace -f -o trace -e 'trace=fallocate,fdatasync,fsync,fadvise64')
    fi
    rm -f copy
    # shellcheck disable=SC2016
    run bash -c '"$@" <data' - "${trace[@]}" ./flushcopy copy
    is "$name: status" "$status" 0
    same "$name: content" copy data
    is "$name: counts" "$(sed -n 's/^FDIO: *\([0-9]*\) \([a-z]*\),.*/\1 \2/p' out |
        grep -v probes | tr '\n' ' ')" "$wanted"
    [ ${#trace[@]} = 0 ] && return
    is "$name: strace" "$(grep -cE '^[0-9]+ +(fallocate|fdatasync|fsync|fadvise64)\(' trace)" \
        "$(sed -n 's/^FDIO: *\([0-9]*\) \(allocs\|dsyncs\|syncs\|advises\),.*/\1/p' out |
            awk '{ n += $1 } END { print n + 0 }')"
}

full='29 writes 1 allocs 15 dsyncs 1 syncs 15 advises '
flushed "no macro" '29 writes '
printf '%%_flush_io 1\n' >"$HOME/.rpmmacros"
flushed "stock's own switch" '29 writes 1 syncs '
printf '%%_flush_io 1\n%%_flush_io_method fdatasync\n%%_flush_io_dontneed 0\n' >"$HOME/.rpmmacros"
flushed "fdatasync" '29 writes 15 dsyncs 1 syncs '
printf '%%_flush_io odsync\n' >"$HOME/.rpmmacros"
flushed "odsync" '29 writes '
printf '%%_flush_io sometimes\n' >"$HOME/.rpmmacros"
refuses "an unknown word" "^macro %_flush_io: unknown value 'sometimes', accepted are: a number, y" \
    ./flushcopy copy
rm "$HOME/.rpmmacros"

# Packages that were downloaded: one is good, one damaged, one is not there; files large enough to
# be mapped, and not.
head -c 5000000 /dev/urandom >a.rpm
seq 1 1000 >b.rpm
seq 1 2000 >c.rpm
sha256sum a.rpm b.rpm c.rpm >list
checked() {
    run bash -c './checkpkgs <list'
    is "$1: status" "$status" "$2"
    is "$1: said" "$(tr '\n' ' ' <out)" "$3"
}
checked "packages" 0 "good good good "
for threshold in 0 never 1K; do
    echo "%_digest_mmap_threshold $threshold" >"$HOME/.rpmmacros"
    checked "packages, threshold $threshold" 0 "good good good "
done
rm "$HOME/.rpmmacros"
other_byte a.rpm 4999999
rm b.rpm
checked "damaged packages" 1 "DAMAGED good "
is "damaged packages: one line for what is not there" "$(cat err)" \
    "checkpkgs: b.rpm: open: No such file or directory"
echo '%_digest_mmap_threshold sometimes' >"$HOME/.rpmmacros"
run bash -c './checkpkgs <list'
is "an unknown threshold: status" "$status" 2
holds "an unknown threshold" err '^checkpkgs: macro %_digest_mmap_threshold: unknown value'
rm "$HOME/.rpmmacros"

# A snippet beside the stock library's own macro files.
case $(stat -f -c %T .) in
btrfs | zfs) skip_part "the rest counts reservations, which this filesystem does not take" ;;
*)
    cp -rs /usr/lib/rpm "$WORK/config"
    printf '%%_flush_io 1\n%%_flush_io_method fdatasync\n%%_flush_io_fallocate 1M\n' \
        >"$WORK/config/macros.d/macros.flush"
    export RPM_CONFIGDIR=$WORK/config
    flushed "a macros.d file" "$full"
    unset RPM_CONFIGDIR
    mkdir -p "$WORK/etc/rpm" "$WORK/work"
    cp "$WORK/config/macros.d/macros.flush" "$WORK/etc/rpm/macros"
    over="mount -t overlay -o lowerdir=/etc,upperdir=$WORK/etc,workdir=$WORK/work none /etc"
    if [ "$(id -u)" = 0 ] && unshare -m sh -c "$over" 2>/dev/null; then
        cat >flushcopy.sh <<END
#!/bin/sh
exec unshare -m sh -c '$over && exec ./flushcopy.bin "\$@"' - "\$@"
END
        mv flushcopy flushcopy.bin
        mv flushcopy.sh flushcopy
        chmod +x flushcopy
        flushed "/etc/rpm/macros" "$full"
    else
        skip_part "/etc/rpm/macros: no private mount namespace with an overlay"
    fi
    ;;
esac
finish
