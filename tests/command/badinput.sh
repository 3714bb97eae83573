#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Packages that are wrong, each in one place: one line that names the package and the fault, exit
# status not 0, nothing left under the root. The outer digests of these packages are right, so that
# nothing but the check under test can refuse them.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"

# Bounded memory: what a count in a package says is never allocated before it is checked.
if [ "$("$RPM" --version >/dev/null 2>&1; ulimit -v)" = unlimited ] && ! grep -qa __asan_init "$RPM"; then
    ulimit -v 1000000
fi

base='dir /opt/t
file /opt/t/a content=aaaa
file /opt/t/b content=bbbb
file /opt/t/c content=cccc'

# bad NAME PATTERN [MANIFEST-LINES [BASE]]
bad() {
    printf '%s\n' "${4-$base}" "${3:-}" | make_pkg bad.rpm || { fail "$1: mkpkg"; return; }
    bad_file "$1" "$2"
}

bad_file() {
    empty_root root
    refuses "$1" "$2" "$RPM" -i --nodb --nodeps --root "$PWD/root" bad.rpm
    holds "$1: names the package" err 'bad\.rpm|made-1\.0-1'
    nothing_left "$1" root
    rm -f canary outside
}

good() {
    printf '%s\n' "${3-$base}" "${2:-}" | make_pkg good.rpm || { fail "$1: mkpkg"; return; }
    empty_root root
    succeeds "$1" "$RPM" -i --nodb --nodeps --root "$PWD/root" good.rpm
}

# The control: the package without the fault.
good "the base"
is "the base's files" "$(cat root/opt/t/*)" aaaabbbbcccc

# -- formats --------------------------------------------------------------------------------------

bad "lead: no magic" 'not an rpm package' 'lead 0 edabeedc'
bad "lead: version 2" 'version|format' 'lead 4 02'
bad "lead: version 5" 'version|format' 'lead 4 05'
bad "format v3" 'v3' 'no-region'
bad "format v6" 'v6' 'tag main 5114 int32 6'
bad "a payload that is not cpio" 'Unsupported payload \(ustar\)' 'tag main 1124 string ustar'
bad "an unknown compressor" 'compress' 'tag main 1125 string arj'
: >bad.rpm
bad_file "an empty file" 'not an rpm package|bad.rpm'
printf 'hello\n' >bad.rpm
bad_file "a text" 'not an rpm package|bad.rpm'

# -- headers: counts and offsets ------------------------------------------------------------------

for header in main sig; do
    for edit in \
        'intro magic 0x8eade802' 'intro nindex 0' 'intro nindex 0xffff' 'intro nindex 0x10000' \
        'intro nindex 0xffffffff' 'intro nindex 0x10000001' 'intro hsize 0' 'intro hsize 15' \
        'intro hsize 0x0fffffff' 'intro hsize 0x10000000' 'intro hsize 0xffffffff' \
        'trailer tag 60' 'trailer type 6' 'trailer count 15' 'trailer offset 0' \
        'trailer offset 0xffffffff' 'trailer offset 0x80000000' 'trailer offset 0xffff0000' \
        'trailer offset 0xfffffff8'; do
        bad "$header: $edit" 'bad.rpm|made-1.0-1' "patch $header $edit"
    done
done
for edit in '63 offset 0' '63 offset 0xffffffff' '63 count 0' '63 type 4' \
    '1000 type 0' '1000 type 10' '1000 type 0xffffffff' '1000 count 0' '1000 count 2' \
    '1000 offset 0x7fffffff' '1000 offset 0xffffffff' '1000 offset 0x10000000' '1001 offset 0' \
    '1028 count 0' '1028 count 0x7fffffff' '1028 count 0x40000000' '1028 count 0xffffffff' \
    '1030 count 0x80000001' '1117 count 0x7fffffff' '1117 count 0x10000000' '1117 count 5' \
    '1028 offset 1' '1116 type 3' '1117 type 6' '1030 type 4' '1124 count 0x7fffffff'; do
    bad "main: $edit" 'bad.rpm|made-1.0-1' "patch main $edit"
done
for edit in '62 offset 0' '62 count 15' '269 type 8' '269 count 100' '1004 count 15' '1004 count 0x7fffffff' \
    '1004 offset 0xfffffff0' '273 count 0'; do
    bad "sig: $edit" 'bad.rpm|made-1.0-1' "patch sig $edit"
done

# -- file lists -----------------------------------------------------------------------------------

for edit in '1028 int32 1 2' '1028 int32 0 4 4 4 4' '1030 int16 1 2 3' '1033 int16 0' '1034 int32 1' \
    '1035 strings a b' '1036 strings a' '1037 int32 0' '1039 strings root' '1040 strings root root' \
    '1096 int32 1 2 3' '1116 int32 0 1' '1097 strings a'; do
    bad "too few or too many: $edit" 'made-1.0-1|bad.rpm' "tag main $edit"
done
for edit in '1116 int32 0 1 1 2' '1116 int32 0xffffffff 1 1 1' '1116 int32 0x80000000 1 1 1' '1117 strings t a b' \
    '1118 strings /opt/' '5011 int32 99' '5011 int32 0' '5010 strings x x x x' \
    '5010 strings \s cap_nonesuch=p \s \s'; do
    bad "wrong: $edit" 'made-1.0-1|bad.rpm' "tag main $edit"
done
for tag in 1117 1118 1116 1030 1028 1035 1039 1040; do
    bad "no tag $tag" 'made-1.0-1|bad.rpm' "drop main $tag"
done
bad "no name" 'bad.rpm' 'drop main 1000'
bad "a digest of the wrong length" '/opt/t/d|digest' 'file /opt/t/d content=x sum=abcdef'
bad "a digest that is not hexadecimal" '/opt/t/d|digest' \
    'file /opt/t/d content=x sum=zd711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'
bad "no digest of a file with content" '/opt/t/d|digest' 'file /opt/t/d content=x sum='

# -- names ----------------------------------------------------------------------------------------

long=$(printf 'n%.0s' $(seq 1 4096))
echo mine >canary
bad "..: in a directory" '\.\.' 'file /opt/../../canary content=x'
bad "..: as a name" '\.\.' 'dir /opt/..'
bad "..: in the payload only" '\.\.' 'file /opt/t/d content=x as=./opt/t/../../../canary'
bad "..: at its end" '\.\.' 'file /opt/t/.. content=x'
bad ".: as a name" 'file name: \.$' 'file /opt/t/. content=x'
bad "a slash in the header's name" 'opt/t/|/canary' 'file /opt/t/d content=x base=../../../canary'
bad "an absolute name in the payload" 'opt/t/d|canary' "file /opt/t/d content=x as=$PWD/canary"
bad "a relative directory" 'opt' 'file opt/t/d content=x'
bad "an empty name" 'file name: $' 'file /opt/t/ content=x'
bad "a newline in the header" 'd\\x0ae' 'file /opt/t/d\ne content=x'
bad "a newline in the payload only" 'opt/t' 'file /opt/t/d content=x as=./opt/t/d\ne'
bad "NUL in the payload" 'name does not end' 'file /opt/t/d content=x as=./opt/t/d\x00e'
bad "a name of 4 KiB" 'nnn' "file /opt/t/$long content=x"
bad "a name of 4 KiB in the payload only" 'length of the name' "file /opt/t/d content=x as=./opt/t/$long"
bad "a name of 256 bytes" 'nnn' "file /opt/t/${long:0:256} content=x"
bad "a path of more than 4 KiB" 'nnn' "file $(printf "/${long:0:250}%.0s" $(seq 1 20))/d content=x"
bad "twice the same name in the header" '/opt/t/a' 'file /opt/t/a content=again'
bad "a file as a directory" '/opt/t/a' 'file /opt/t/a/d content=x'
for field in name version release; do
    bad "control characters in the $field" "control characters in name" "$field 1\\x1b[2J"
done
good "a name of 255 bytes" "file /opt/t/${long:0:255} content=x"

# -- payloads -------------------------------------------------------------------------------------

bad "no entry for a file" '/opt/t/d' 'file /opt/t/d content=x copies=0'
bad "two entries for a file" '/opt/t/d' 'file /opt/t/d content=x copies=2'
bad "two entries for a directory" '/opt/t/d' 'dir /opt/t/d copies=2'
bad "an entry more" '/opt/t/d' 'extra /opt/t/d content=x'
bad "an entry more, a directory" '/opt/t/d' 'extra /opt/t/d content= cpiomode=40755'
bad "another name" '/opt/t/[de]' 'file /opt/t/d content=x as=./opt/t/e'
bad "shorter than the header says" '/opt/t/d' 'file /opt/t/d content=xyz hdrsize=4'
bad "longer than the header says" '/opt/t/d' 'file /opt/t/d content=xyz hdrsize=2'
bad "1 TB, says the header" 'needs [0-9]+MB more space' 'file /opt/t/d content=xyz hdrsize=1099511627776' "$base"$'\nlarge'
bad "2^63, says the header" 'sizes add up to more' 'file /opt/t/d content=xyz hdrsize=0x8000000000000000' "$base"$'\nlarge'
bad "2^64 - 1, says the header" 'sizes add up to more' 'file /opt/t/d content=xyz hdrsize=0xffffffffffffffff' "$base"$'\nlarge'
bad "4 GiB - 1, says the header" '/opt/t/d' 'file /opt/t/d content=xyz hdrsize=0xffffffff'
bad "4 GiB - 1, says the payload" '/opt/t/d' 'file /opt/t/d content=xyz cpiosize=0xffffffff'
bad "a wrong digest of a file" '/opt/t/d: cpio: Digest mismatch' \
    'file /opt/t/d content=x sum=0000000000000000000000000000000000000000000000000000000000000000'
bad "a wrong digest of the last of a set of links" 'hard links with different contents: /opt/t/l2' \
    'file /opt/t/l1 link=1 content=x
     file /opt/t/l2 link=1 content=x sum=0000000000000000000000000000000000000000000000000000000000000000'
bad "no trailer" 'made-1.0-1|bad.rpm' 'no-trailer'
bad "an index out of range, in the stripped form" 'made-1.0-1|bad.rpm' 'file /opt/t/d content=x index=99' "$base"$'\nlarge'
bad "an index twice, in the stripped form" '/opt/t' 'file /opt/t/d content=x index=1' "$base"$'\nlarge'
bad "a symlink of another target" '/opt/t/s' 'tag main 1036 strings \x00 \x00 \x00 \x00 elsewhere' "$base"$'\nsymlink /opt/t/s target'

# What counts is the header's type: the stripped form has none.
good "another type in the payload" 'file /opt/t/d content=xyz cpiomode=120777'
is "another type in the payload" "$(cat root/opt/t/d)" xyz

# 2 GB of zeros behind a file of 1 byte and behind the trailer: 64 KiB of package.
bad "a file that expands without end" '/opt/t/d' 'compressor zstd
file /opt/t/d size=2000000000 fill=zero hdrsize=1'
bad "a payload that expands without end" 'made-1.0-1|bad.rpm' 'compressor zstd
tail zero 2000000000'

# -- digests of the package -----------------------------------------------------------------------

bad "SHA-1 of the header" 'SHA1' 'wrong sha1'
bad "SHA-256 of the header" 'SHA256' 'wrong sha256'
bad "MD5" 'MD5' 'wrong md5'
bad "SHA-256 of the payload" '[Pp]ayload.*SHA256' 'wrong payload'

# -- damage by hand, through the command ----------------------------------------------------------

printf '%s\n' "$base" 'compressor zstd' 'file /opt/t/e size=2000 fill=text' | make_pkg whole.rpm
size=$(stat -c %s whole.rpm)
empty_root root
succeeds "the whole package" "$RPM" -i --nodb --nodeps --root "$PWD/root" whole.rpm
manifest root 1600000000 >whole.list

for cut in 0 1 95 96 97 111 112 113 200 300 400 500 600 700 1000 1500 $((size / 2)) $((size - 500)) $((size - 2)) $((size - 1)); do
    head -c "$cut" whole.rpm >bad.rpm
    bad_file "cut at $cut" 'bad.rpm|made-1.0-1'
done
{ cat whole.rpm; echo; } >bad.rpm
bad_file "a byte more" 'bad.rpm|made-1.0-1'

at=0
while [ $at -lt "$size" ]; do
    cp whole.rpm bad.rpm
    byte=$(od -An -tu1 -j$at -N1 whole.rpm)
    printf "$(printf '\\%03o' $((byte ^ 1 << at % 8)))" | dd of=bad.rpm bs=1 seek=$at conv=notrunc status=none
    empty_root root
    run "$RPM" -i --nodb --nodeps --root "$PWD/root" bad.rpm
    if [ "$status" = 0 ]; then
        manifest root 1600000000 >list
        same "a bit of byte $at" list whole.list
    else
        crashed && fail "a bit of byte $at: crashed"
        is "a bit of byte $at: lines" "$(wc -l <err)" 1
        nothing_left "a bit of byte $at" root
    fi
    at=$((at + 61))
done
finish
