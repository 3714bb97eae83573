# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What becomes of a disk whose power was cut: the next writing command, of an unrelated package,
# and then the command that was cut, again, for the packages that it has not done with. Each trouble
# adds 1 to d. The disk's first state is in $rig as rig.sh says.
# shellcheck disable=SC2154

NOTE=.rpm.inflight

trouble() {
    troubles=$((troubles + 1))
    told+=" d:$(printf %s "$*" | tr -s ' =\n' '_-_' | cut -c 1-160)"
}

# names: of the packages of the command.
names() { cut -d' ' -f1 "$rig/old.db" "$rig/new.db" | sort -u; }

# left_behind DIR: what belongs to a transaction that is under way.
left_behind() {
    find "$1" \( -path "$1/host" -o -path "$1/proc" \) -prune -o \
        \( -name '.rpmtmp-*' -o -name "$NOTE*" \) -print | head -n 1
}

# A note that can be read, of packages that the database does not have, is told of.
check_message() {
    local name
    cmp -s "$rig/found.db" "$rig/new.db" && return
    name=$(names | grep -Fwao -m 1 -f - "$rig/note" | head -n 1)
    [ -z "$name" ] || grep -Fqw "$name" next.err || trouble "the next command does not name $name"
}

# by_ours ROOT OPTIONS DIR WORD...
by_ours() {
    local root=$1 options=$2 dir=$3
    shift 3
    the_command "$root" ours "$dir" "$(printf %s "$options" | sed 's/^without=[^,]*,*//')" "$@"
}

# rest: the command's words without the packages that it has done with, which rpm would refuse.
rest() {
    awk 'FILENAME ~ /db$/ { has[$1 "-" $2]; next }
        FNR == 1 { erasing = $0 == "-e"; print; next }
        { name = $0; sub(/.*\//, "", name); sub(/\.rpm$/, "", name) }
        (name in has) == erasing' "$rig/next.db" "$rig/words"
}

# recover ROOT OPTIONS DIR: prints d=COUNT and what it is about.
recover() {
    local troubles=0 told='' words found
    cp "$3/.rpmdb/$NOTE" "$rig/note" 2>/dev/null || : >"$rig/note"
    by_ours "$1" "$2" "$3" -i "$PWD/zz-1.rpm" >next.out 2>next.err ||
        trouble "the next command: $(tail -n 1 next.err)"
    found=$(left_behind "$3")
    [ -z "$found" ] || trouble "left behind: ${found#"$3"}"
    check_message
    list "$3" "$rig/next" "$rig/next.db"
    found=$(cut -d' ' -f1 "$rig/next.db" | uniq -d | head -n 1)
    [ -z "$found" ] || trouble "two records of $found"
    mapfile -t words < <(rest)
    if [ "${#words[@]}" -gt 1 ]; then
        by_ours "$1" "$2" "$3" "${words[@]}" >next.out 2>next.err ||
            trouble "the command again: $(tail -n 1 next.err)"
        list "$3" "$rig/next" "$rig/next.db"
    fi
    found=$(counts again "$rig/next" "$rig/next.db")
    case $found in
    *" c=0 "*) ;;
    *) trouble "after the command again: $(echo "$found" | sed 's/ [a-z]*=0//g')" ;;
    esac
    printf 'd=%d%s' "$troubles" "$told"
}
