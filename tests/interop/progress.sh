#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rpm -i prints the same bytes as stock's: on a terminal, through a pipe, with and without marks.
. "$TOP/tests/lib.sh"
need_stock
need_root
command -v script >/dev/null || skip "no script(1) to make a terminal"

spec() { # NAME FILES SIZE
    cat <<EOF
Name: $1
Version: 1.0
Release: 1
Summary: Something to watch
License: none
BuildArch: noarch
%description
Something to watch.
%install
mkdir -p %{buildroot}/opt/$1
for i in \$(seq $2); do head -c $3 /dev/zero >%{buildroot}/opt/$1/\$i; done
%files
/opt/$1
EOF
}
spec small 3 100 >small.spec
spec many 200 1000 >many.spec
spec large 2 3000000 >large.spec
spec a-package-with-a-name-that-does-not-fit-on-the-line 1 1 >name.spec
packages=()
for s in small many large name; do
    packages+=("$(build_rpm $s.spec)") || exit 1
done

theirs_pipe() { stock -i --root "$WORK/root" --nodeps "$@" 2>&1; }
ours_pipe() { "$RPM" --dbpath /.rpmdb -i --root "$WORK/root" --nodeps "$@" 2>&1; }
on_terminal() { # COMMAND...: its output, as a terminal of 80 columns gets it
    script -q -e -c "$(printf '%q ' "$@")" /dev/null </dev/null | cat
}
theirs_terminal() {
    on_terminal "$STOCK" --dbpath /.rpmdb --force-debian -i --root "$WORK/root" --nodeps "$@"
}
ours_terminal() { on_terminal "$RPM" --dbpath /.rpmdb -i --root "$WORK/root" --nodeps "$@"; }

compare() { # pipe or terminal, ARGS...
    local where=$1
    shift
    empty_root "$WORK/root"
    "theirs_$where" "$@" >theirs.out
    is "stock on $where: $(printf '%s ' "$@" | sed 's,/[^ ]*/,,g'): exit status" $? 0
    empty_root "$WORK/root"
    "ours_$where" "$@" >out
    is "$where: $(printf '%s ' "$@" | sed 's,/[^ ]*/,,g'): exit status" $? 0
    same "$where: $(printf '%s ' "$@" | sed 's,/[^ ]*/,,g')" out theirs.out
}

for where in pipe terminal; do
    for p in "${packages[@]}"; do
        for options in "" -v -h -vh --percent "-v --percent" "-vh --test" "--quiet -h"; do
            # shellcheck disable=SC2086  # the words of an option
            compare $where $options "$p"
        done
    done
    # Stock puts packages in an order of its own unless told not to.
    compare $where -vh --noorder "${packages[@]}"
    compare $where -v --noorder "${packages[@]}"
    compare $where --percent --noorder "${packages[@]}"
done

# A reader that goes away does not stop the installation.
empty_root "$WORK/root"
"$RPM" --dbpath /.rpmdb -ivh --root "$WORK/root" --nodeps "${packages[@]}" 2>err | true
is "nobody reads: exit status" "${PIPESTATUS[0]}" 0
is "nobody reads: files" "$(find "$WORK/root/opt/many" -type f | wc -l)" 200
finish
