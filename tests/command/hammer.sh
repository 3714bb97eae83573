#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Two small packages cut at every byte, with each bit turned over, with 10,000 random changes, and
# with 10,000 more that no digest guards: see tests/support/hammer.c.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"

hammer() {
    in_memory work
    run "$BUILD/tests/hammer" "$@"
    is "$*" "$status" 0
    cat out
    [ "$status" = 0 ] || head -n 40 err
    is "$*: beside the root" "$(ls work | tr '\n' ' ')" "damaged.rpm root "
    ! mountpoint -q work || umount work
    rm -rf work
}

make_pkg plain.rpm <<'END'
compressor none
dir /d mode=0700
file /d/a content=hello
file /d/b content=linked link=1
file /d/c content=linked link=1
symlink /d/s a
fifo /d/p
END
make_pkg zstd.rpm <<'END'
compressor zstd
large
digest md5
dir /d
file /d/a content=hello flags=config,noreplace
file /d/b content=doc flags=doc
file /d/g flags=ghost
file /d/t size=300 fill=text mode=4755
END

# Control: a wrong tree, something left, no message, a process that dies.
in_memory work
run "$BUILD/tests/hammer" control plain.rpm work 4
is "control" "$status $(sed -nE 's/^control [0-9]: ([a-z ]*): .*/\1/p' out | paste -sd,)" \
    "1 installed another tree,left something,no message,died"
! mountpoint -q work || umount work
rm -rf work

hammer truncate plain.rpm work
hammer truncate zstd.rpm work
hammer flip plain.rpm work 8
hammer flip zstd.rpm work 1
hammer random plain.rpm work 5000
hammer random zstd.rpm work 5000
hammer unchecked plain.rpm work 5000
hammer unchecked zstd.rpm work 5000
finish
