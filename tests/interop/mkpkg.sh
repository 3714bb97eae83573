#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Stock rpm takes what mkpkg writes: all compressors, both cpio forms, both kinds of digests. And
# a digest that mkpkg spoils is one that stock rpm finds wrong.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root

everything() {
    cat <<'END'
dir /opt/made mode=0750
file /opt/made/a content=hello\sworld\n mode=4755
file /opt/made/b content=two flags=config,noreplace user=daemon
file /opt/made/l1 link=x size=100000 fill=text
file /opt/made/l2 link=x size=100000 fill=text
file /opt/other/l3 link=x size=100000 fill=text
symlink /opt/made/s ../other/l3
file /opt/made/g flags=ghost
file /opt/made/cap caps=cap_net_raw=ep content=x
file /opt/made/odd\s\xff\xc3\xa4;name content=x
char /opt/made/null 1 3 mode=0666
require foo >= 1.0
provide made = 1.0
script postin /bin/sh echo hello
END
}

for compressor in gzip xz lzma bzip2 zstd none; do
    for form in "" large; do
        for digest in md5 sha256; do
            what="$compressor ${form:-newc} $digest"
            { everything; printf '%s\n' "$form" "compressor $compressor" "digest $digest"; } |
                make_pkg a.rpm || fail "$what: mkpkg"
            succeeds "$what: -K" stock -K a.rpm
            holds "$what: -K" out '^a.rpm: digests OK$'
            empty_root root
            succeeds "$what: -i" stock -i --nodeps --noscripts --root "$PWD/root" a.rpm
            succeeds "$what: -V" stock -V --nodeps --root "$PWD/root" made
        done
    done
done

manifest root >list
holds "the links" list '^opt/made/l2 .* links=3:opt/made/l1$'
holds "the capability" list '^opt/made/cap .* security.capability='

for digest in sha1 sha256 md5 payload; do
    { everything; echo "wrong $digest"; } | make_pkg a.rpm
    run stock -K a.rpm
    is "wrong $digest: -K" "$status" 1
    holds "wrong $digest: -K" out 'DIGESTS NOT OK'
done
finish
