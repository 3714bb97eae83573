#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Signals during an installation: before the first change it is taken back, after it completed,
# and both are told by exit status 128 and the signal's number. What a terminal that goes away
# does stops nothing. Scriptlets that wait on a FIFO make the moments exact.
. "$TOP/tests/lib.sh"
need_root # to change the root
need_busybox

where="--root $PWD/root --dbpath /.rpmdb --nodeps" # words without blanks

new_root() {
    busybox_root root
    mkdir root/opt
    mkfifo root/ready root/go
    echo old >root/opt/old
    chmod 600 root/opt/old
}

there() { # NAME FILE
    if [ -e "$2" ]; then ok; else fail "$1: no $2"; fi
}

# Waits until the test says so, which also says the status.
# shellcheck disable=SC2016
wait_script='echo\s>/ready;\sread\sx\s</go;\sexit\s$x'

package() { # NAME STATEMENTS...
    local name=$1
    shift
    { printf 'name %s\narch noarch\nfile /opt/%s content=%s\n' "$name" "$name" "$name"
      printf '%s\n' "$@"; } | make_pkg "$name.rpm"
}
package old "script prein /bin/sh $wait_script"
package late "script postin /bin/sh $wait_script"
package plain
package waits "script prein /bin/sh $wait_script" "script postin /bin/sh echo\s>/opt/post"
{ printf 'name big\narch noarch\n'
  for i in $(seq 3000); do echo "file /opt/big/$i size=2000"; done; } | make_pkg big.rpm

# Only what this test does not watch: the FIFOs, their directory, the script files' directory.
tree() { manifest root 1 | grep -v -e '^ready ' -e '^go ' -e '^var'; }

# start ARGS...: in the background with every signal as it is by default.
start() {
    env --default-signal "$RPM" -i $where --noorder --replacefiles "$@" >out 2>err &
    pid=$!
}

start_erasing() {
    env --default-signal "$RPM" -e $where --noorder "$@" >out 2>err &
    pid=$!
}

recorded() { # NAME PACKAGES
    is "$1: the database" "$("$RPM" -qa --root "$PWD/root" --dbpath /.rpmdb --qf '%{name}\n' | sort | xargs)" "$2"
}

# at_script SIGNAL [STATUS]: when the scriptlet runs, signal rpm, then let the scriptlet end.
at_script() {
    read -r _ <root/ready
    [ -z "$1" ] || kill -s "$1" "$pid"
    echo "${2:-0}" >root/go
}

ends() { # NAME STATUS
    local got=0
    wait "$pid" || got=$?
    is "$1: exit status" "$got" "$2"
}

for sig in INT:2 QUIT:3 TERM:15; do
    name=${sig%:*} number=${sig#*:}

    # While %pre runs: nothing of this package or a later one.
    new_root
    tree >before
    start old.rpm plain.rpm
    at_script "$name"
    ends "SIG$name in %pre" $((128 + number))
    tree >after
    same "SIG$name in %pre: the tree" after before
    holds "SIG$name in %pre" err "^error: stopped by signal $number: no file was changed\$"

    # While %post runs: this package and the later one are installed.
    new_root
    start late.rpm plain.rpm
    at_script "$name"
    ends "SIG$name in %post" $((128 + number))
    is "SIG$name in %post: all files" "$(cat root/opt/late root/opt/plain)" "lateplain"
    holds "SIG$name in %post" err \
        "^warning: signal $number came after the first change: the transaction was completed\$"

    # While the %pre of a second package runs: the first cannot be taken back.
    new_root
    start plain.rpm waits.rpm
    at_script "$name"
    ends "SIG$name in a second %pre" $((128 + number))
    is "SIG$name in a second %pre: all files" "$(cat root/opt/plain root/opt/waits)" "plainwaits"
    there "SIG$name in a second %pre: its %post" root/opt/post
done

# Erasures and upgrades: as long as nothing is removed they are taken back, too.
package leaves "script preun /bin/sh $wait_script"
package left "script postun /bin/sh $wait_script"
for sig in INT:2 TERM:15; do
    name=${sig%:*} number=${sig#*:}

    new_root
    start leaves.rpm plain.rpm
    ends "install" 0
    start_erasing leaves plain
    at_script "$name"
    ends "SIG$name in %preun" $((128 + number))
    is "SIG$name in %preun: all files" "$(cat root/opt/leaves root/opt/plain)" "leavesplain"
    recorded "SIG$name in %preun" "leaves plain"

    new_root
    start left.rpm plain.rpm
    ends "install" 0
    start_erasing left plain
    at_script "$name"
    ends "SIG$name in %postun" $((128 + number))
    is "SIG$name in %postun: all files" "$(ls root/opt)" old
    recorded "SIG$name in %postun" ""
done

# Ignored beforehand means ignored.
new_root
env --default-signal --ignore-signal=INT "$RPM" -i $where --replacefiles \
    old.rpm >out 2>err &
pid=$!
at_script INT
ends "SIGINT, ignored" 0
is "SIGINT, ignored" "$(cat root/opt/old)" old

# The terminal goes away.
for moment in old late; do
    new_root
    start "$moment.rpm" plain.rpm
    at_script HUP
    ends "SIGHUP in the scriptlet of $moment" 0
    is "SIGHUP: all files" "$(cat "root/opt/$moment" root/opt/plain)" "${moment}plain"
done
# A hangup reaches scriptlets, too.
new_root
package hangup "script prein /bin/sh kill\s-HUP\s\$\$;\sexit\s0"
start hangup.rpm
ends "SIGHUP to a scriptlet" 0
is "SIGHUP to a scriptlet" "$(cat root/opt/hangup)" hangup

# Nobody reads the output.
for options in -vh -vvh; do
    new_root
    package talks "script prein /bin/sh echo\sa;\secho\sb\s>&2;\secho\sc" \
        "script postin /bin/sh echo\sa&&echo\sb&&>/opt/post"
    exec 3> >(exec head -c 0)
    wait $! # the reader is gone
    env --default-signal "$RPM" -i $options $where talks.rpm plain.rpm \
        >&3 2>&3
    is "$options without a reader" $? 0
    exec 3>&-
    is "$options without a reader: all files" "$(cat root/opt/talks root/opt/plain)" talksplain
    there "$options without a reader: %post" root/opt/post
done

# At whatever moment: all or nothing.
new_root
tree >before
begin=${EPOCHREALTIME//[.,]/}
start big.rpm
ends "undisturbed" 0
whole=$((${EPOCHREALTIME//[.,]/} - begin))
tree >complete
stopped=0 completed=0
for percent in 3 10 20 30 50 70 80 85 90 95 100; do
    printf -v delay '%d.%06d' $((whole * percent / 100 / 1000000)) \
        $((whole * percent / 100 % 1000000))
    new_root
    start big.rpm
    sleep "$delay"
    kill -TERM "$pid" 2>/dev/null
    got=0
    wait "$pid" || got=$?
    tree >after
    if cmp -s after before; then
        stopped=$((stopped + 1))
        is "SIGTERM after $delay s, nothing changed" "$got" 143
    elif [ "$(wc -l <after)" = "$(wc -l <complete)" ]; then
        completed=$((completed + 1))
        case $got in
        0 | 143) ok ;;
        *) fail "SIGTERM after $delay s: all files, and exit status $got" ;;
        esac
    else
        fail "SIGTERM after $delay s: $(wc -l <after) of $(wc -l <complete) names"
    fi
done
echo "$stopped stopped, $completed completed"
if [ "$stopped" -gt 0 ]; then ok; else fail "no moment was early enough"; fi

# A query stops at once, with the signal's own end.
mkfifo package
env --default-signal "$RPM" -qp package >out 2>err &
pid=$!
exec 3>package # it has opened it
kill -TERM "$pid"
ends "SIGTERM in a query" 143
exec 3>&-

finish
