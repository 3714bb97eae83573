#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The helpers of lib.sh must be able to fail, or nothing that uses them means anything.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"

# fails_with NAME COMMAND...: in a subshell, the helper must count a failure.
fails_with() {
    local name=$1 count
    shift
    count=$(failed=0; trap - EXIT; "$@" >/dev/null; echo "$failed")
    is "$name" "$count" 1
}

printf 'one\n' >one
printf 'two\n' >two
fails_with "is" is x a b
fails_with "same" same x one two
fails_with "holds" holds x one two
fails_with "succeeds" succeeds x false
fails_with "refuses, which succeeds" refuses x . true
fails_with "refuses, without a message" refuses x . false
fails_with "refuses, two lines" refuses x . sh -c 'echo one >&2; echo two >&2; exit 1'
fails_with "refuses, another message" refuses x two sh -c 'echo one >&2; exit 1'
fails_with "refuses, a crash" refuses x one sh -c 'echo one >&2; kill -SEGV $$'
refuses "refuses, as wanted" one sh -c 'echo one >&2; exit 1'

# A change of anything that treelist looks at shows.
mkdir tree
echo hello >tree/file
ln tree/file tree/link
ln -s file tree/symlink
manifest tree >before
changes() {
    local name=$1
    shift
    "$@"
    manifest tree >after
    if cmp -s before after; then fail "treelist does not see $name"; else ok; fi
    cp after before
}
changes "content" sh -c 'touch -r tree/file ref && echo HELLO >tree/file && touch -r ref tree/file'
changes "a mode" chmod 4755 tree/file
changes "an mtime" touch -h -d @1000000000.000000001 tree/symlink
changes "a link less" sh -c 'rm tree/link && cp -p tree/file tree/link'
changes "a target" ln -sfn elsewhere tree/symlink
changes "a name" mv tree/link $'tree/new\nline'
[ "$(id -u)" != 0 ] || changes "an owner" chown 5:6 tree/file
if setfattr -n user.a -v b tree/file 2>/dev/null; then changes "an attribute" setfattr -n user.a -v c tree/file; fi

for script in 'exit 0' 'finish' 'fail x; finish'; do
    printf '. "$TOP/tests/lib.sh"\n%s\n' "$script" >script.sh
    run "$TOP/tests/run-one" script.sh "$BUILD"
    is "a script of '$script'" "$status" 1
done
printf '. "$TOP/tests/lib.sh"\nskip because\n' >script.sh
run "$TOP/tests/run-one" script.sh "$BUILD"
is "a script that skips" "$status" 77
finish
