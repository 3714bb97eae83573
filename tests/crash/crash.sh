#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Cuts the power (rig.sh says how) in the course of each command of the file `cases`, and judges
# what is found. By hand, as root:
#   CRASH_FS=xfs CRASH_FORM=long CRASH_CASES='stock-unset ours-fsync' CRASH_OUT=FILE \
#       tests/run-one tests/crash/crash.sh build/release
# Without a name all cases of the form are run. Every cut is a line of CRASH_OUT. With CRASH_FLUSH
# and CRASH_WRITE, in microseconds, the disk is slow.
. "$TOP/tests/lib.sh"
. "$TOP/tests/crash/rig.sh"
. "$TOP/tests/crash/recovery.sh"
. "$TOP/tests/crash/workloads.sh"

fs=${CRASH_FS:-ext4}
form=${CRASH_FORM:-short}
need_rig "$fs"
since=$(($(date +%s) - 1))

# expect CASE WORD: [FILESYSTEM:]SUM OP VALUE against the summary.
expect() {
    local word=$2 left right sum=0 key value other
    case $word in
    "$fs":*) word=${word#*:} ;;
    *:*) return ;;
    esac
    left=${word%%[<=>]*}
    right=${word#"$left"}
    other=${right#*@}
    if [ "$other" != "$right" ]; then
        [ -e "$WORK/$other.$left" ] || return
        right=${right%@*}$(cat "$WORK/$other.$left")
    fi
    for key in ${left//+/ }; do
        value=$(sed -n "s/^$key=//p" "$rig/summary")
        sum=$((sum + ${value:-0}))
    done
    [ "${right#=}" = "$right" ] || right="=$right"
    if [ "$((${sum}${right}))" = 1 ]; then ok; else fail "$1 on $fs: $left is $sum, not $right"; fi
}

# prepared CASE WORKLOAD ROOT: once for all cases that have the two.
prepared() {
    rig=$WORK/$2-$3
    mkdir -p "$rig"
    [ -e "$rig/prepared" ] || prepare "$fs" "$2" "$3" || {
        fail "$1 on $fs: preparing"
        tail -n 5 ./*.log
        umount "$rig/mnt"
        return 1
    }
    touch "$rig/prepared"
}

# Is a bound of the flushes of this case, or of another by this one's, among what is expected?
counts_flushes() { # NAME EXPECTED...
    case " ${*:2}" in *[\ :]flushes\<*) return 0 ;; esac
    grep -q "@$1\( \|\$\)" "$TOP/tests/crash/cases"
}

# Commits of a journal at its own time and the kernel's writeback add flushes to some runs: of three
# the least counts.
fewest_flushes() {
    local try n least
    least=$(sed -n 's/^flushes=//p' "$rig/summary")
    for try in 1 2; do
        record "$@" && [ "$status" = 0 ] || { fail "recording again ($try)"; return; }
        n=$(summary /dev/null | sed -n 's/^flushes=//p')
        [ "$n" -ge "$least" ] || least=$n
    done
    sed -i "s/^flushes=.*/flushes=$least/" "$rig/summary"
}

run_case() {
    local name=$1 workload=$2 root=$3 writer=$4 options=$6 recovery='' n=0 cut now word before
    case " ${*:8}" in *[\ :]d[\<=\>]*) recovery=1 ;; esac
    prepared "$name" "$workload" "$root" || return
    record "$fs" "$root" "$writer" "$options" || { fail "$name on $fs: recording"; return; }
    if [ "$status" != 0 ]; then
        fail "$name on $fs: the command exits with $status"
        head -n 5 err
        return
    fi
    cuts "$form" >"$rig/cuts"
    [ "$(wc -l <"$rig/cuts")" -ge 20 ] || fail "$name on $fs: too few cuts"
    while read -r -a cut; do
        n=$((n + 1))
        [ "$form" != long ] && [ $((n % 3)) != 0 ] && now='' || now=$recovery
        judge "$fs" "$root" "$options" "$now" "${cut[@]}"
    done <"$rig/cuts" >"$rig/verdicts"
    sed "s/^/$fs $name /" "$rig/verdicts" >>"${CRASH_OUT:-/dev/null}"
    summary "$rig/verdicts" >"$rig/summary"
    counts_flushes "$name" "${@:8}" && fewest_flushes "$fs" "$root" "$writer" "$options"
    sed -n 's/^flushes=//p' "$rig/summary" >"$WORK/$name.flushes"
    is "$name on $fs: cuts judged" "$(grep -c ' a=' "$rig/verdicts")" "$(wc -l <"$rig/cuts")"
    echo "$name on $fs: $(grep -v '=0$' "$rig/summary" | sort | tr '\n' ' ')"
    shift 7
    before=$failed
    for word; do expect "$name" "$word"; done
    [ "$failed" = "$before" ] || grep -v 'a=0 b=0 c=0.*d=0' "$rig/verdicts" | head -n 5
}

printf 'dir /zz\nfile /zz/f size=9 fill=text\n' | package zz 1 >made
{ directories /zz; numbered 1 300 wal /zz; } | package zz-wal 1 >made
while read -r -a words; do
    [ "${#words[@]}" -gt 7 ] && [ "${words[0]}" != '#' ] || continue
    case " ${CRASH_CASES:-${words[0]}} " in *" ${words[0]} "*) ;; *) continue ;; esac
    [ "$form" = long ] || [ "${words[4]}" = short ] || [ -n "${CRASH_CASES:-}" ] || continue
    start=$SECONDS
    run_case "${words[@]}"
    echo "    $((SECONDS - start)) s"
done <"$TOP/tests/crash/cases"
finish
