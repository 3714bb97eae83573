#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# check.sh [STEP...]: installs what is missing, builds and runs every test; with names, only those
# steps. Everything it makes is below build/. Exit status 0 if nothing failed.
set -u
cd "$(dirname "$0")" || exit 1
TOP=$PWD
LOGS=$TOP/build/check
export TOP LC_ALL=C

passed=0 failed=0
skips=() failures=()

# -- steps: each prints what it finds, returns 0, 1, or 77 for a skip ----------------------------

step_scripts() {
    local scripts
    mapfile -t scripts < <(our_files | while read -r f; do
        case $f in *.sh) echo "$f" ;; *) head -c 20 "$f" | grep -q '^#!.*sh$' && echo "$f" ;; esac
    done)
    shellcheck -x -S warning "${scripts[@]}"
}

step_spelling() { our_files | xargs -d '\n' codespell -L "$(tr '\n' , <tests/spelling)"; }

# Every file of code names its licence, in its first lines.
step_licence() {
    local file bad=0
    while read -r file; do
        case $file in
        *.md | *.json | .gitignore | docs/results/* | tests/data/* | tests/fuzz/seeds/* | \
            tests/spelling | patches/*.patch | patches/*/series | patches/*/inputs) continue ;;
        esac
        head -n 3 "$file" | grep -q 'SPDX-License-Identifier: LGPL-2.1-or-later' ||
            { echo "no SPDX line: $file"; bad=1; }
    done < <(our_files)
    return $bad
}

# First of all builds: in a fresh clone it has just what it builds for itself.
step_demo() { ./demo.sh; }

step_dev() { build dev && tests dev -L 'unit|command'; }

step_dev-clang() { build dev-clang && tests dev-clang -L unit; }

step_release() { build release && tests release -L 'unit|interop|release'; }

# The power cuts, in their short form; they take minutes, so that they are a step of their own. Each
# has a filesystem and a disk for itself.
step_crash() { build release && tests release -L crash; }

step_fuzz() {
    [ -d tests/fuzz ] || { echo "SKIPPED: no fuzzers"; return 77; }
    build fuzz && tests/fuzz/smoke build/fuzz
}

# What is installed is all below the prefix, and enough to build programs against.
step_install() {
    local stage=$LOGS/stage
    build release || return 1
    rm -rf "$stage"
    DESTDIR=$stage cmake --install build/release >/dev/null || return 1
    tests/installed "$stage" "$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' build/release/CMakeCache.txt)"
}

# The libraries export what their maps name, no more and no less.
step_exports() {
    local lib bad=0
    build release || return 1
    for lib in rpmio rpm; do
        sed '/^local:/,$d; /^RPM/d; s/global://; s/#.*//; s/{//' "$(find . -name "lib$lib.map" -not -path './build/*')" |
            tr -s ' ;\n' '\n' | sed '/^$/d' | sort >"$LOGS/$lib.map"
        nm -D --defined-only "$(find build/release -name "lib$lib-policy.so")" |
            awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$LOGS/$lib.exported"
        diff "$LOGS/$lib.map" "$LOGS/$lib.exported" || { echo "lib$lib: < in the map, > exported"; bad=1; }
    done
    return $bad
}

# -- how --------------------------------------------------------------------------------------

our_files() { git ls-files 2>/dev/null || find . -type f -not -path './build/*' -not -path './.git/*' -printf '%P\n'; }

build() {
    cmake --preset "$1" >"$LOGS/build-$1" 2>&1 && cmake --build --preset "$1" -j "$(nproc)" >>"$LOGS/build-$1" 2>&1 ||
        { grep -E -A 5 'error|warning|FAILED' "$LOGS/build-$1" | head -n 40; return 1; }
}

# tests PRESET ARGS...: ctest, two tests at a time, whose verdicts are counted one by one.
tests() {
    local preset=$1 rc=0
    shift
    ctest --preset "$preset" -j 2 "$@" >"$LOGS/tests-$preset" 2>&1 || rc=1
    # What a test or a part of one skipped is told only in the log.
    awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3 } /^SKIPPED: / { sub(/^SKIPPED: /, ""); print "skip " name ": " $0 }
         /^\[  SKIPPED \] [a-z]/ { print "skip " name ": " $4 }' \
        "build/$preset/Testing/Temporary/LastTest.log" | sort -u >>"$LOGS/verdicts"
    awk '/ Test +#[0-9]+: / { v = /   Passed / ? "pass" : /Skipped/ ? "" : /Not Run|Failed|Timeout|Exception/ ? "fail" : ""
         if (v) { n = $4; sub(/^[0-9]+:$/, "", n); print v, n } }' "$LOGS/tests-$preset" |
        sed "s|^\([a-z]*\) |\1 $preset:|" >>"$LOGS/verdicts"
    [ $rc = 0 ] || grep -vE '^ *Start|Passed' "$LOGS/tests-$preset" | head -n 100
    return $rc
}

run_step() {
    local name=$1 start=$SECONDS rc=0 own
    : >"$LOGS/verdicts"
    "step_$name" >"$LOGS/$name" 2>&1 || rc=$?
    own=$(grep -c '^pass' "$LOGS/verdicts")
    passed=$((passed + own))
    while read -r line; do skips+=("$line"); done < <(sed -n 's/^skip //p' "$LOGS/verdicts")
    while read -r line; do failures+=("$line"); done < <(sed -n 's/^fail //p' "$LOGS/verdicts")
    failed=$((failed + $(grep -c '^fail' "$LOGS/verdicts")))
    case $rc in
    0)
        passed=$((passed + 1))
        printf 'ok       %-10s %4d s%s\n' "$name" $((SECONDS - start)) "$([ "$own" = 0 ] || echo "  $own tests")"
        ;;
    77)
        skips+=("$name: $(sed -n 's/^SKIPPED: //p' "$LOGS/$name" | head -n 1)")
        printf 'skipped  %s\n' "$name"
        ;;
    *)
        failed=$((failed + 1))
        failures+=("$name")
        printf 'FAILED   %-10s %4d s\n' "$name" $((SECONDS - start))
        tail -n 100 "$LOGS/$name" | sed 's/^/    /'
        ;;
    esac
}

summary() {
    local line
    echo
    for line in "${failures[@]+"${failures[@]}"}"; do echo "failed: $line"; done
    for line in "${skips[@]+"${skips[@]}"}"; do echo "skipped: $line"; done
    echo "logs: $LOGS"
    echo "$passed passed, $failed failed, ${#skips[@]} skipped"
}

[ $# -gt 0 ] || set -- scripts spelling licence demo dev dev-clang release crash install exports fuzz
for step in "$@"; do
    declare -F "step_$step" >/dev/null || { echo "check.sh: no step '$step'" >&2; exit 2; }
done
./deps.sh check || exit 1
mkdir -p "$LOGS"
for step in "$@"; do run_step "$step"; done
summary
[ "$failed" = 0 ]
