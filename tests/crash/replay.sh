#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The disk that the power is cut of (tests/support: flushdisk, replay) and the judge of what is
# found (check.awk) do as they say: without a filesystem, where every byte is known.
. "$TOP/tests/lib.sh"
. "$TOP/tests/crash/rig.sh"

need_root
[ -x "$FLUSHDISK" ] && [ -c /dev/fuse ] || skip "no FUSE or no libfuse3"

rig=$PWD
truncate -s 1M base
disk_up || skip "no disk by FUSE"

# put LETTER WHERE [dd options]: 64 KiB of a letter at the beginning of the disk.
put() {
    head -c 65536 /dev/zero | tr '\0' "$1" |
        dd of="$2" bs=65536 iflag=fullblock oflag=direct conv=notrunc"${3:-}" status=none
}

# cut RECORDS CHOICE: the image of a cut, and which letters are in its 4 KiB blocks.
cut_at() { "$REPLAY" log "$1" "$2" base image >digest; }
letters() { fold -w 1 | sort -u | tr -d '\n'; }
blocks() {
    local i
    for ((i = 0; i < 16; i++)); do
        dd if="${1:-image}" bs=4096 skip=$i count=1 status=none | tr '\0' . | letters
    done
}
all() { printf "$1%.0s" {1..16}; }

put A disk/disk ,fsync
put B disk/disk
mark end
"$REPLAY" log >records
kinds() { sed 's/ [0-9]*$//' | cut -d' ' -f2- | tr '\n' ,; }
is "the records" "$(kinds <records)" "write 0,arrival,flush,write 0,mark end,"

cut_at 4 lost
is "what was flushed is there" "$(blocks)" "$(all A)"
cut_at 4 kept
is "what was not may be" "$(blocks)" "$(all B)"
cut_at 2 lost
is "a flush that is not complete keeps nothing" "$(blocks)" "$(all .)"
cut_at 2 kept
is "or all" "$(blocks)" "$(all A)"
cut_at 3 kept
is "nothing of what comes after the cut" "$(blocks)" "$(all A)"
cp digest durable
cut_at 4 lost
same "the same image, the same digest" digest durable
cut_at 4 1
half=$(blocks)
is "a half is of whole blocks of both" "$(printf %s "$half" | letters)" AB
cut_at 4 1
is "the same seed, the same half" "$(blocks)" "$half"
! cmp -s digest durable || fail "another image, the same digest"
cut_at 4 2
[ "$(blocks)" != "$half" ] || fail "another seed chose the same half"
is "the base is as it was" "$(blocks base)" "$(all .)"
refuses "a cut that is not in the log" 'the log has 5 records only' "$REPLAY" log 6 lost base image
refuses "no choice" usage "$REPLAY" log 1 some base image

# A write that takes half a second is under way when a flush arrives, and is not covered by it.
if loop=$(losetup --direct-io=on -f --show disk/disk 2>/dev/null); then
    echo 'write 500000' >disk/control
    put C "$loop" &
    writer=$!
    sleep 0.2
    sync "$loop"
    wait $writer
    losetup -d "$loop"
    "$REPLAY" log >records
    is "the flush arrives within the write" "$(tail -n 3 records | kinds)" "arrival,write 0,flush,"
    cut_at "$(wc -l <records)" lost
    is "and does not cover it" "$(blocks | tr -d AB)" ""
else
    skip_part "a flush within a write: no loop device"
fi
disk_down
is "the disk's end" $? 0

# The judge, path by path.
line() { echo "$1 -0644 0:0 1.0 size=$2 sha256=$3"; }
{ line same 5 aa; line swap 5 aa; line off 5 aa; } >old
{ line same 5 aa; line swap 6 bb; line add 7 cc; } >new
printf 'same p 2\nswap p 2\nadd p 2\n' >owners
printf 'same p 1\nswap p 1\noff p 1\n' >oldOwners
echo 'by/.*' >scripted
echo 'p 1' >old.db
echo 'p 2' >new.db
# verdict PHASE DB-LINE: counts that are not 0, of the tree on stdin.
verdict() {
    cat >found
    echo "$2" | sed '/^$/d' >found.db
    awk -v phase="$1" -f "$CRASH/check.awk" is=old old is=new new is=owners owners \
        is=oldOwners oldOwners is=scripted scripted is=oldDb old.db is=newDb new.db \
        is=found found is=foundDb found.db |
        grep -oE '[a-z]+=[1-9][0-9]*' | tr '\n' ' '
}
is "all old" "$(verdict during 'p 1' <old)" ""
is "all new" "$(verdict after 'p 2' <new)" ""
is "new files before their record" "$(verdict during 'p 1' <new)" ""
is "a record before its files" "$(verdict during 'p 2' <old)" "b=3 ahead=2 stale=1 "
is "a record that is gone before its files" "$( (cat new; line off 5 aa) | verdict during 'p 2')" \
    "b=1 stale=1 "
is "both records" "$( (cat new; line off 5 aa) | verdict during "$(printf 'p 1\np 2\n')")" ""
is "empty" "$( (line same 5 aa; line swap 0 e3) | verdict during 'p 1')" "a=1 empty=1 "
is "torn" "$( (line same 5 aa; line swap 6 dd) | verdict during 'p 1')" "a=1 torn=1 "
is "missing" "$(line same 5 aa | verdict during 'p 1')" "a=1 missing=1 "
is "attributes" "$( (line same 5 aa; line swap 6 bb | sed s,0644,0600,) | verdict during 'p 1')" \
    "a=1 attrs=1 "
is "a new file that is torn" "$( (cat old; line add 7 dd) | verdict during 'p 1')" "a=1 torn=1 "
is "a name of nobody" "$( (cat old; line alien 1 aa) | verdict during 'p 1')" "a=1 alien=1 "
{ cat old; line 'swap;6b0de9a7' 1 aa; line d/.rpmtmp-6b0de9a7-3 1 aa; } >left
is "temporary names" "$(verdict during 'p 1' <left)" "left=2 "
is "no record" "$(verdict during '' <old)" "b=2 stale=1 lost=1 "
is "no rpmdb" "$(verdict during unreadable <old)" "b=1 unreadable=1 "
is "old after the exit" "$(verdict after 'p 1' <old)" "c=5 "
is "what a script wrote, in the course of it" "$( (cat new; line by/s 0 aa) | verdict during 'p 2')" \
    ""
is "after the exit" "$( (cat new; line by/s 0 aa) | verdict after 'p 2')" "c=1 "
is "old after the command was run again" "$(verdict again 'p 1' <old)" "c=5 "
is "left over after the exit" "$( (cat new; line 'swap;6b0de9a7' 1 aa) | verdict after 'p 2')" \
    "c=1 left=1 "

# Directories: each attribute is the old one or the new one.
dir() { echo "$1 d$2 $3 full${4:+ user.x=$4}"; }
{ dir both 0755 0:0 aa; dir off 0755 0:0; line turn 5 aa; dir turn2 0755 0:0; } >old
{ dir both 0700 1:1 bb; dir add 0711 0:0; dir turn 0755 0:0; line turn2 5 aa; } >new
printf 'both p 2\nadd p 2\nturn p 2\nturn2 p 2\n' >owners
printf 'both p 1\noff p 1\nturn p 1\nturn2 p 1\n' >oldOwners
is "old directories" "$(verdict during 'p 1' <old)" ""
is "new ones" "$(verdict during 'p 1' <new)" ""
is "a mixture" "$( (dir both 0700 0:0 bb; dir off 0755 0:0) | verdict during 'p 1')" ""
for mixture in '0750 0:0 aa' '0755 2:0 aa' '0755 0:0 cc' '0755 0:0'; do
    # shellcheck disable=SC2086 # three words
    is "of neither: $mixture" "$(dir both $mixture | verdict during 'p 1')" "a=1 attrs=1 "
done
is "a directory that is new" "$( (cat old; dir add 0700 0:0) | verdict during 'p 1')" ""
is "and recorded" "$( (sed '/^add/d' new; dir add 0700 0:0) | verdict during 'p 2')" "b=1 ahead=1 "
is "another type" "$( (dir both 0755 0:0 aa; line turn2 5 aa; dir turn 0700 0:0) | verdict during 'p 1')" ""
is "torn" "$( (dir both 0755 0:0 aa; line turn2 0 e3) | verdict during 'p 1')" "a=1 empty=1 "
is "missing" "$(verdict during 'p 1' </dev/null)" "a=1 missing=1 "
finish
