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
        umount -R "$rig/mnt"
        return 1
    }
    touch "$rig/prepared"
}

# The least bound that is set for the flushes here; nothing without one.
flushes_bound() { # EXPECTED...
    local word value other
    for word; do
        case $word in "$fs":flushes\<=* | flushes\<=*) value=${word#*flushes<=} ;; *) continue ;; esac
        other=${value#*@}
        if [ "$other" != "$value" ]; then
            [ -e "$WORK/$other.flushes" ] || continue
            value=${value%@*}$(cat "$WORK/$other.flushes")
        fi
        echo $((value))
    done | sort -n | head -n 1
}

# The kernel adds flushes to some runs: a journal that commits at its own time and, in ext4's syncfs,
# a second commit for extents whose writing ended after the first had begun. So the fewest of
# several runs count: of three, or of as many as it takes to meet the bound, up to twenty.
fewest_flushes() { # BOUND RECORD-ARGUMENTS...
    local bound=$1 n=1 count least
    shift
    least=$(sed -n 's/^flushes=//p' "$rig/summary")
    while [ $n -lt 3 ] || { [ $n -lt 20 ] && [ -n "$bound" ] && [ "$least" -gt "$bound" ]; }; do
        n=$((n + 1))
        record "$@" && [ "$status" = 0 ] || { fail "recording again ($n)"; return; }
        count=$(summary /dev/null | sed -n 's/^flushes=//p')
        [ "$count" -ge "$least" ] || least=$count
    done
    sed -i "s/^flushes=.*/flushes=$least/" "$rig/summary"
}

# Is there a bound that this case is the measure of?
is_measure() { grep -q "@$1\( \|\$\)" "$TOP/tests/crash/cases"; }

run_case() {
    local name=$1 workload=$2 root=$3 writer=$4 options=$6 recovery='' n=0 cut now word before bound
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
    rm -rf "$rig/judged"
    mkdir "$rig/judged"
    while read -r -a cut; do
        n=$((n + 1))
        [ "$form" != long ] && [ $((n % 3)) != 0 ] && now='' || now=$recovery
        judge "$fs" "$root" "$options" "$now" "${cut[@]}"
    done <"$rig/cuts" >"$rig/verdicts"
    sed "s/^/$fs $name /" "$rig/verdicts" >>"${CRASH_OUT:-/dev/null}"
    summary "$rig/verdicts" >"$rig/summary"
    bound=$(flushes_bound "${@:8}")
    if [ -n "$bound" ] || is_measure "$name"; then
        fewest_flushes "$bound" "$fs" "$root" "$writer" "$options"
    fi
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
