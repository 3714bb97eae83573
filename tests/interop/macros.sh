#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Expansions of macros.list: stdout, exit status and messages are those of stock rpm.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
[ -x "$STOCK" ] || skip "no stock rpm ($STOCK)"

# call PROGRAM ARGS...: its output in ./text (stdout, then the status) and ./messages.
call() {
    local rc=0
    "$@" >text 2>messages </dev/null || rc=$?
    echo "status $rc" >>text
    # getopt(3) has a line of its own on an unknown option.
    sed -i '/^[a-z]*: invalid option/d; /^[a-z]*: option requires/d' messages
}

# as_stock NAME ARGS...: both programs say the same.
as_stock() {
    local name=$1
    shift
    call "$STOCK" "$@"
    mv text text.stock
    mv messages messages.stock
    call "$RPM" "$@"
    same "output of $name" text text.stock
    same "messages of $name" messages messages.stock
}

# compare RECORD
compare() {
    local record=${1//<NL>/$'\n'} args=()
    record=${record//<TAB>/$'\t'}
    while [[ $record == *" @@ "* ]]; do
        args+=(--define "${record%%" @@ "*}")
        record=${record#*" @@ "}
    done
    as_stock "$1" "${args[@]}" --eval "$record"
}

records=0
while IFS= read -r record; do
    case $record in
    '' | '# '*) continue ;;
    esac
    records=$((records + 1))
    compare "$record"
done <"$TOP/tests/interop/macros.list"
[ "$records" -ge 150 ] || fail "only $records records"

# The control: a difference is seen.
call "$STOCK" --eval '%{_prefix}'
mv text text.stock
call "$RPM" --eval '%{_prefix}.'
if cmp -s text text.stock; then fail "the comparison sees no difference"; else ok; fi

as_stock "a verbose run" -v --eval '%{verbose} %verbose %{verbose:yes %{_prefix}}'
as_stock "an error in a verbose run" -v --eval 'a %{basename:%{error:no}} b'

# table PROGRAM ARGS...: all macros, but for what comes of rpmrc files and of what a program has
# looked up so far; and but for the two that make this rpm's writes crash-safe by default, which
# stock leaves unset.
table() {
    "$@" --showrc 2>messages | sed -n '/^====/,$p' |
        sed 's/^\(...\)[:=]/\1:/; /^-1[13]: optflags/d; /^-1[13]: _flush_io\(_method\)\?\t/d; s/ active [0-9]* / /'
}

# same_table NAME ARGS...
same_table() {
    local name=$1
    shift
    table "$STOCK" "$@" >table.stock
    mv messages messages.stock
    table "$RPM" "$@" >table.ours
    same "$name" table.ours table.stock
    same "messages on $name" messages messages.stock
}

same_table "the distribution's macros"

# Macro files of all shapes.
mkdir d
cat >d/macros.a <<'END'
# %comment no
text that is no macro
%simple   value  with  blanks
	  %indented	yes
%none
%braces {a {b} c}
%open %{?x:
  second line
  third}
%shell %(echo a
echo b)
%continued one \
  two \
	three
%escaped a\\
%escaped2 a\\\
b
%par(ab:c) %{-a} %1 \
  %*
%percent 100%% %%{x}
%nested %{?a:%{?b:%{?c:deep}}}
%define x y
%1digit x
%x
%dup one
%dup two
%blanks_at_end x   
%opts(ab x
%expr %[1 + 1]
%lua %{lua:print("}")}
%tab	x	y
%paren (unbalanced
%bracket [unbalanced
%unclosed %{x
END
printf '%s\r\n' '%crlf one' '%crlf2 one \' ' two' '%brace %{x' '}' >d/macros.b
printf '%%last without newline' >>d/macros.b
printf '%%open %%{never closed\n\n%%x y\n' >d/macros.c
printf '%%leftover x\n' | tee d/macros.d.rpmnew d/macros.e.rpmsave d/macros.f.rpmorig >/dev/null
printf '%%tilde x\n' | tee d/macros.g~ "$HOME/mine" >/dev/null
printf '%%late %%{dup}\n%%dup three\n' >d/macros.h
: >d/macros.i
files="$PWD/d/macros.[a-f]*:$PWD/nonexistent:$PWD/d/macros.{h,i,g~}:~/mine:$PWD/d"
same_table "macro files" --macros "$files"
as_stock "macros of the files" --macros "$files" \
    --eval '[%simple][%open][%shell][%continued][%escaped][%escaped2][%percent][%late][%crlf2]' \
    --eval '[%par -a -b x y z]' --eval '[%crlf]' --eval '[%brace]'
as_stock "loading a file" --eval "%{load:$PWD/d/macros.h}%late"
as_stock "loading a faulty file" --eval "%{load:$PWD/d/macros.a}%simple"
as_stock "defining over a file" --macros "$files" --define 'dup mine' --eval '%dup %late'
as_stock "several in a row" --define 'a 1' --eval '%a' --define 'a 2' --eval '%a' \
    --undefine a --eval '%a' --undefine '%a' --eval '%a'
finish
