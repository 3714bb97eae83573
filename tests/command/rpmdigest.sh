#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rpmdigest against coreutils' md5sum ... sha512sum: the same lines, the same verdicts.
. "$TOP/tests/lib.sh"

DIGEST=$BUILD/tools/rpmdigest

# says NAME STATUS TEXT COMMAND...: that exit status, nothing on stdout, TEXT on stderr.
says() {
    local name=$1 wanted=$2 text=$3
    shift 3
    run "$@"
    is "$name: exit status" "$status" "$wanted"
    is "$name" "$(cat err)" "$text"
    is "$name: output" "$(cat out)" ""
}

# twice NAME ALGORITHM ARGS...: our output is that of coreutils' program for the algorithm, stderr
# too but for the program's name. Leaves sha256sum's exit status in $theirs.
twice() {
    local name=$1 algorithm=$2
    shift 2
    theirs=0
    "${algorithm}sum" "$@" >wanted 2>wanted-err </dev/null || theirs=$?
    run "$DIGEST" -a "$algorithm" "$@"
    same "$name" out wanted
    sed -i "s/^${algorithm}sum:/rpmdigest:/; /^Try /d; s/: '\(.*\)': /: \1: /" wanted-err
    sed -i 's/: open: /: /' err
    same "$name: stderr" err wanted-err
}

# -- files --------------------------------------------------------------------------------------

mkdir files
cd files || exit 1
: >empty
printf x >one
head -c 4096 /dev/zero >page
head -c 4097 /dev/zero >page-and-one
head -c 3000000 /dev/urandom >large
printf a >'with blank'
printf b >' leads'
printf c >'*star'
printf d >'back\slash'
printf e >$'new\nline'
printf f >$'carriage\rreturn'
printf g >$'odd\xff\x01'
printf h >'a) = b'
printf i >'-dash'
ln -s one link
names=(*)

for algorithm in md5 sha1 sha224 sha256 sha384 sha512; do
    twice "$algorithm" $algorithm -- "${names[@]}"
    is "$algorithm: exit status" "$status" "$theirs"
    twice "$algorithm --tag" $algorithm --tag -- "${names[@]}"
    twice "$algorithm -z" $algorithm -z -- "${names[@]}"
    twice "$algorithm -b" $algorithm -b -- "${names[@]}"
    twice "$algorithm --tag -z" $algorithm --tag -z -- "${names[@]}"
done
run "$DIGEST" one
sha256sum one >wanted
same "the default is sha256" out wanted
echo input | "$DIGEST" >out
is "stdin" "$(cat out)" "$(echo input | sha256sum)"
echo input | "$DIGEST" one - empty >out
echo input | sha256sum one - empty >wanted
same "stdin among others" out wanted
printf 'first\nrest\n' >lines
{ read -r _ && "$DIGEST"; } <lines >out
is "stdin from where it is" "$(cat out)" "$(printf 'rest\n' | sha256sum || true)"
is "/dev/stdin" "$(echo input | "$DIGEST" /dev/stdin | cut -c1-64)" "$(echo input | sha256sum | cut -c1-64)"
is "<()" "$("$DIGEST" <(echo input) | cut -c1-64)" "$(echo input | sha256sum | cut -c1-64)"

# Several algorithms: the order is that of -a.
"$DIGEST" -a sha512,md5 one empty >out
{ sha512sum one; md5sum one; sha512sum empty; md5sum empty; } >wanted
same "two algorithms" out wanted
run "$DIGEST" -a sha512 -a md5 -a sha512 one empty
same "two algorithms by two options" out wanted
run "$DIGEST" -a sha512,md5 --tag one empty
{ sha512sum --tag one; md5sum --tag one; sha512sum --tag empty; md5sum --tag empty; } >wanted
same "two algorithms --tag" out wanted

says "a directory on stdin" 2 "rpmdigest: -: read: Is a directory" sh -c '"$0" <.' "$DIGEST"
says "no stdin" 2 "rpmdigest: -: fstat: Bad file descriptor" sh -c '"$0" <&-' "$DIGEST"
says "missing" 2 "rpmdigest: none: open: No such file or directory" "$DIGEST" none
says "a line" 2 'rpmdigest: no\012ne: open: No such file or directory' "$DIGEST" $'no\nne'
run "$DIGEST" none one
is "one of two is missing" "$(cat out)" "$(sha256sum one)"
is "one of two is missing: exit status" "$status" 2

# -- check files --------------------------------------------------------------------------------

sha256sum -- "${names[@]}" >../gnu
sha256sum --tag -- "${names[@]}" >../bsd
for list in ../gnu ../bsd; do
    twice "--check $list" sha256 --check $list
    is "--check $list: exit status" "$status" 0
    twice "--check $list --quiet" sha256 --check --quiet $list
    run "$DIGEST" -c $list
    same "-c $list, by the digests' length" out <(sha256sum -c $list)
done
for algorithm in md5 sha1 sha224 sha384 sha512; do
    "${algorithm}sum" one large >../list
    "${algorithm}sum" --tag one large >>../list
    twice "--check of $algorithm" $algorithm -c ../list
done
{ md5sum one; sha512sum large; sha1sum --tag empty; } >../mixed
succeeds "three algorithms" "$DIGEST" -c ../mixed
is "three algorithms" "$(cat out)" $'one: OK\nlarge: OK\nempty: OK'
says "not those of -a" 2 "rpmdigest: ../mixed: no properly formatted checksum lines found" \
    "$DIGEST" -a sha256 -c ../mixed

one=$(sha256sum <one | cut -c1-64)
wrong=${one//[0-7]/8}
# verdict NAME STATUS LINES [OPTIONS]: as sha256sum's; its status is 1 where ours is STATUS.
verdict() {
    local name=$1 wanted=$2 lines=$3
    shift 3
    # shellcheck disable=SC2059
    printf "$lines" >../list
    twice "check: $name" sha256 "$@" -c ../list
    is "check: $name: exit status" "$status" "$wanted"
    is "check: $name: theirs" "$theirs" $((wanted > 0 ? 1 : 0))
}
verdict "right" 0 "$one  one\n"
verdict "wrong" 1 "$wrong  one\n$one  one\n"
verdict "two wrong" 1 "$wrong  one\n$wrong *one\n"
verdict "wrong --quiet" 1 "$wrong  one\n$one  one\n" --quiet
verdict "wrong --status" 1 "$wrong  one\n" --status
verdict "missing" 2 "$one  none\n$one  one\n"
verdict "missing and wrong" 2 "$one  none\n$wrong  one\n$one  neither\n"
verdict "missing --status" 2 "$one  none\n" --status
verdict "a directory" 2 "$one  .\n"
verdict "--ignore-missing" 0 "$one  none\n$one  one\n" --ignore-missing
verdict "--ignore-missing of all" 2 "$one  none\n" --ignore-missing
verdict "--ignore-missing and wrong" 1 "$one  none\n$wrong  one\n" --ignore-missing
verdict "malformed" 0 "text\n$one  one\nmore\n"
verdict "malformed --warn" 0 "text\n$one  one\n" --warn
verdict "malformed --strict" 2 "text\n$one  one\n" --strict
verdict "malformed --strict --warn" 2 "$one  one\n${one}0  one\n" --strict --warn
verdict "nothing" 2 ""
verdict "comments" 2 "# $one  one\n\n"
verdict "comment and line" 0 "# text\n\n$one  one\n"
verdict "no end" 0 "$one  one"
verdict "CR" 0 "$one  one\r\n"
verdict "CR and no end" 0 "$one  one\r"
verdict "upper case" 0 "${one^^}  one\n"
verdict "one blank" 0 "$one one\n$one one\n"
verdict "leading blanks" 0 " \t$one  one\n"
verdict "one blank, then two" 2 "$one one\n$one  one\n"
verdict "two blanks, then one" 0 "$one  one\n$one one\n"
verdict "no blank" 2 "${one}one\n"
verdict "tab" 0 "$one\tone\n"
verdict "tag without blanks" 0 "SHA256(one)=$one\n"
verdict "tag and blank behind" 2 "SHA256 (one) = $one \n"
verdict "another tag" 2 "SHA1 (one) = $one\n"
verdict "too short" 2 "${one%?}  one\n"
verdict "bad escape" 2 "\\\\$one  a\\\\xb\n"
verdict "escape at the end" 2 "\\\\$one  a\\\\\n"
verdict "no escape meant" 2 "$one  new\\\\nline\n"
says "absent check file" 2 "rpmdigest: none: No such file or directory" "$DIGEST" -c none
says "check file is a directory" 2 "rpmdigest: .: Is a directory" "$DIGEST" -c .
sha256sum one | "$DIGEST" -c >out 2>err || fail "check file on stdin"
is "check file on stdin" "$(cat out)" "one: OK"
printf '%s  -\n' "$one" | "$DIGEST" -c >out 2>err && fail "stdin as check file and file"
is "stdin as check file and file" "$(cat err)" \
    "rpmdigest: standard input: no properly formatted checksum lines found"
printf '%s  -\n' "$one" >../list
is "stdin as a file" "$("$DIGEST" -c ../list <one)" "-: OK"
printf '%s  one\0x\n' "$one" >../list
says "NUL" 2 "rpmdigest: ../list: no properly formatted checksum lines found" "$DIGEST" -c ../list
head -c 100000 /dev/urandom >../list
says "binary" 2 "rpmdigest: ../list: no properly formatted checksum lines found" \
    "$DIGEST" -c ../list
{ head -c 5000000 /dev/zero | tr '\0' a; printf '\n%s  one\n' "$one"; } >../list
run "$DIGEST" -c ../list
is "a long line" "$status: $(cat out err)" \
    $'0: one: OK\nrpmdigest: WARNING: 1 line is improperly formatted'
run "$DIGEST" -c ../gnu ../bsd none ../list
is "several check files" "$status $(grep -c OK out)" "2 $((2 * $(wc -l <../gnu) + 1))"
rm -f out err wanted wanted-err lines
cd .. || exit 1

# -- trees --------------------------------------------------------------------------------------

mkdir -p tree/a/b tree/a-b tree/empty
echo 1 >tree/a/b/file
echo 2 >tree/a/file
echo 3 >tree/a-b/file
echo 4 >tree/a.b
echo 5 >tree/$'new\nline'
ln -s a/file tree/link
ln -s a tree/dirlink
ln -s tree toplink
sums() { find "$1" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum; }
succeeds "a tree" "$DIGEST" tree
sums tree >wanted
same "a tree" out wanted
is "a tree: stderr" "$(cat err)" ""
run "$DIGEST" tree/
sums tree/ >wanted
same "a tree with a slash" out wanted
run "$DIGEST" toplink files/one tree/link tree/dirlink
{ sums toplink/ && sha256sum files/one tree/link && sums tree/dirlink/; } >wanted
same "links as operands" out wanted
(cd tree && "$DIGEST" .) >out
(cd tree && sums .) >wanted
same "." out wanted
mkdir many
for i in $(seq 3000); do echo "$i" >"many/$((i * 7919 % 3001))"; done
sums many >wanted
for threads in 0 1 2 7; do
    run "$DIGEST" -j $threads many
    same "3000 files, -j $threads" out wanted
done
succeeds "check 3000 files" "$DIGEST" -c wanted
is "check 3000 files" "$(grep -c ': OK$' out)" 3000

# Nothing that could wait is opened.
mkfifo tree/a/fifo
cp -a tree/a/fifo fifo
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("tree/socket")'
run timeout 60 "$DIGEST" tree
is "special files: exit status" "$status" 0
is "special files" "$(cat err)" "rpmdigest: tree/a/fifo: is a FIFO: skipped
rpmdigest: tree/socket: is a socket: skipped"
sums tree >wanted
same "special files: the others" out wanted
says "a FIFO" 2 "rpmdigest: fifo: is a FIFO" timeout 60 "$DIGEST" fifo
says "a device" 2 "rpmdigest: /dev/zero: is a character device" timeout 60 "$DIGEST" /dev/zero
says "a FIFO of lines" 2 "rpmdigest: fifo: is a FIFO" timeout 60 "$DIGEST" -c fifo
printf '%s  fifo\n' "$one" >list
run timeout 60 "$DIGEST" -c list
is "a FIFO in a check file" "$status $(cat out)" "2 fifo: FAILED open or read"

# As an ordinary user; others' directories are named, and the rest is done.
if [ "$(id -u)" = 0 ]; then
    chmod 755 . tree
    chmod 700 tree/a-b
    chmod 600 tree/a.b
    mkdir -p home
    chmod 755 home
    run as_nobody "$DIGEST" tree
    is "unreadable: exit status" "$status" 2
    is "unreadable" "$(grep -v skipped err)" "rpmdigest: tree/a-b: Permission denied
rpmdigest: tree/a.b: open: Permission denied"
    sums tree | grep -vE 'a-b|a\.b' >wanted
    same "unreadable: the others" out wanted
else
    skip_part "unreadable files: not root"
fi

# Files that change while they are read and directories that come and go: an end, and no crash.
mkdir changing
for i in $(seq 100); do head -c 100000 /dev/zero >"changing/$i"; done
(for i in $(seq 100); do
    mkdir "changing/d$i" && echo x >"changing/d$i/f"
    truncate -s $((i * 1000)) "changing/$i"
    rm -rf "changing/d$((i - 3))"
done) &
changer=$!
for i in 1 2 3 4 5; do
    run "$DIGEST" changing
    if crashed || [ "$status" = 1 ]; then fail "changing files: status $status"; else ok; fi
done
wait $changer

# -- JSON ---------------------------------------------------------------------------------------

run "$DIGEST" --json -a sha256,md5 files
python3 - out files >err 2>&1 <<'EOF' || { fail "--json"; cat err; }
import hashlib, json, os, sys
seen = []
for line in open(sys.argv[1], encoding="utf-8"):
    o = json.loads(line)
    path = bytes.fromhex(o["path_hex"]) if "path_hex" in o else o["path"].encode()
    data = open(path, "rb").read()
    assert o["size"] == len(data), o
    assert o["md5"] == hashlib.md5(data).hexdigest(), o
    assert o["sha256"] == hashlib.sha256(data).hexdigest(), o
    seen.append(path)
top = os.fsencode(sys.argv[2])
wanted = sorted(top + b"/" + n for n in os.listdir(top) if not os.path.islink(top + b"/" + n))
assert seen == wanted, (seen, wanted)
EOF
ok
printf '%s  one\n%s  one\n%s  no"ne\n' "$one" "$wrong" "$one" >list
run sh -c 'cd files && "$0" --json -c ../list' "$DIGEST"
is "--json --check" "$(cat out)" '{"path":"one","status":"ok"}
{"path":"one","status":"failed"}
{"path":"no\"ne","status":"unreadable"}'

# -- summary, stdout, options -------------------------------------------------------------------

for option in -v --progress; do
    run "$DIGEST" $option files/page files/one
    holds "$option" err '^rpmdigest: 2 files, 4097 bytes in [0-9.]+ s, [0-9]+ bytes/s$'
    is "$option: nothing else" "$(wc -l <err)" 1
done
if command -v script >/dev/null; then
    truncate -s 400M sparse
    script -qec "$DIGEST --progress sparse" /dev/null >out </dev/null
    holds "progress on a terminal" out $'\r[0-9]+ files, [0-9]+ MiB, [0-9]+ s\033'
    holds "progress on a terminal is wiped" out $'\r\033\\[K[0-9a-f]{64}  sparse'
else
    skip_part "progress on a terminal: no script"
fi
"$DIGEST" files/one >/dev/full 2>err
is "full: exit status" "$?" 2
is "full" "$(cat err)" "rpmdigest: error writing to stdout: No space left on device"
"$DIGEST" many >/dev/full 2>err
is "full, many: exit status" "$?" 2
is "full, many" "$(wc -l <err)" 1
(exec >&- && "$DIGEST" files/one) 2>err
is "no stdout: exit status" "$?" 2
"$DIGEST" many 2>err | head -n 1 >out
is "SIGPIPE" "${PIPESTATUS[0]}" 141
is "SIGPIPE: one line was read" "$(wc -l <out) $(cat err)" "1 "
(trap '' PIPE && "$DIGEST" many 2>err || echo $? >code) | head -n 1 >/dev/null
is "EPIPE" "$(cat code) $(cat err)" "2 rpmdigest: error writing to stdout: Broken pipe"

says "unknown option" 2 "rpmdigest: --nonsense: unknown option" "$DIGEST" --nonsense
says "unknown algorithm" 2 \
    "rpmdigest: -a: 'sha3' is none of md5, sha1, sha224, sha256, sha384, sha512" "$DIGEST" -a sha3
says "no algorithm" 2 "rpmdigest: -a: '' is none of md5, sha1, sha224, sha256, sha384, sha512" \
    "$DIGEST" -a sha1, files/one
says "threads" 2 "rpmdigest: -j: from 1 to 1024, or 0 for one per processor" "$DIGEST" -j -1 files
says "threads" 2 "rpmdigest: -j: from 1 to 1024, or 0 for one per processor" "$DIGEST" -j 1025 files
says "--repo" 2 "rpmdigest: --repo: no directory given" "$DIGEST" --repo
says "--repo --check" 2 "rpmdigest: only one of --check and --repo may be given" \
    "$DIGEST" --repo --check x
for option in --tag --zero --binary --text; do
    twice "$option --check" sha256 $option --check files/one
    is "$option --check: exit status" "$status" 2
done
for option in --quiet --status --strict --warn --ignore-missing; do
    twice "$option without --check" sha256 $option files/one
    is "$option without --check: exit status" "$status" 2
done
twice "--tag --text" sha256 --tag --text files/one
HOME=$WORK/odd
mkdir "$HOME"
echo '%_digest_mmap_threshold nonsense' >"$HOME/.rpmmacros"
run "$DIGEST" files/one
is "a bad macro: exit status" "$status" 2
holds "a bad macro" err '^rpmdigest: .*_digest_mmap_threshold.*nonsense'
for threshold in 0 never 4K; do
    echo "%_digest_mmap_threshold $threshold" >"$HOME/.rpmmacros"
    run "$DIGEST" files/large files/page
    same "threshold $threshold" out <(sha256sum files/large files/page)
done

# The controls: a changed byte is seen, and so is a line that is not there.
cp files/large large
sha256sum large >list
other_byte large 2999999
run "$DIGEST" -c list
is "control: the last byte" "$status $(cat out)" "1 large: FAILED"

finish
