#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The patch series, without upstream's sources: they parse, hold this tree's files as they are,
# quote at most a line on each side of a change, and are what their inputs make. And the generator
# on a made-up tree: what it does, and how it stops when a place has changed.
. "$TOP/tests/lib.sh"

PATCHES=$TOP/patches

# extracted PATCH: the new files of a patch, below `new`.
extracted() {
    rm -rf new
    mkdir new
    awk '
        /^--- / && new { new = "" }
        /^\+\+\+ b\// { if (before == "--- /dev/null") { new = "new/" substr($2, 3); system("mkdir -p \"$(dirname " new ")\"") } next }
        { before = $0 }
        /^@@/ { next }
        new && /^\+/ { print substr($0, 2) > new }' "$1"
}

# Context of more than a line beside a change: at a hunk's edge one, between two changes two.
contexts() {
    awk '
        function see(most) { if (run > most) print FILENAME ": context before line " NR; run = 0 }
        /^@@/ && !left {
            see(1)
            split($2, a, ","); split($3, b, ",")
            left = ($2 ~ /,/ ? a[2] : 1) + ($3 ~ /,/ ? b[2] : 1)
            changed = 0
            next
        }
        !left { see(1); next }
        /^ / { left -= 2; run++; next }
        { left--; see(1 + changed); changed = 1 }
        END { see(1) }' "$1"
}

# A copy in a patch goes by its name: the files of the module, and what only the patches need.
source_of() {
    case $1 in
    */rpm/*.h) echo "$TOP/include/rpm/$(basename "$1")" ;;
    */rpmio/*) echo "$TOP/rpmio/$(basename "$1")" ;;
    *) find "$PATCHES/files" -name "$(basename "$1")" ;;
    esac
}

check_series() { # RELEASE
    local dir=$PATCHES/$1 patch file copies=0
    is "$1: the series names the patches" "$(sort "$dir/series")" "$(cd "$dir" && ls ./*.patch | sed 's,./,,')"
    while read -r patch; do
        patch=$dir/$patch
        if git apply --numstat "$patch" >numstat 2>err && [ -s numstat ]; then ok; else fail "$patch: $(cat err)"; fi
        is "${patch#"$TOP/"}: lines of context" "$(contexts "$patch")" ""
        [ "$(grep -m 1 -n '^---$' "$patch" | cut -d : -f 1)" -gt 3 ] 2>/dev/null || fail "$patch: no message"
        extracted "$patch"
        while read -r file; do
            copies=$((copies + 1))
            if cmp -s "$file" "$(source_of "$file")"; then ok; else fail "$patch: ${file#new/} is not this tree's"; fi
        done < <(find new -type f)
    done < <(sed '/^$/d' "$dir/series")
    case $1 in rpm-*) is "$1: files of the module" $((copies >= 30)) 1 ;; esac
    if "$PATCHES/make-series" --check "$1" 2>err; then ok; else fail "$(cat err)"; fi
}

for dir in "$PATCHES"/*/series; do
    check_series "$(basename "$(dirname "$dir")")"
done

# ---- The checks can fail --------------------------------------------------------------------

printf -- '--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n a\n+n\n b\n c\n' >wide
[ -n "$(contexts wide)" ] || fail "wide context behind a change is not seen"
printf -- '--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n a\n b\n+n\n c\n' >wide
[ -n "$(contexts wide)" ] || fail "wide context before a change is not seen"
sed -i 's/^ b$/-b/; s/1,4/1,3/' wide
is "narrow context" "$(contexts wide)" ""
first=$(echo "$PATCHES"/rpm-*/0001-*.patch | cut -d ' ' -f 1)
sed '/^+.*rpmFlushBarrier/d' "$first" >changed
extracted changed
if cmp -s new/rpmio/rpmflush.c "$TOP/rpmio/rpmflush.c"; then fail "a changed copy is not seen"; else ok; fi

# ---- The generator --------------------------------------------------------------------------

mkdir -p tree/lib hooks/made
printf 'int one(void)\n{\n    call();\n    done();\n}\n\nint two(int n)\n{\n    call();\n    last();\n}\n' >tree/lib/a.c
cat >hooks/made/0001-first.hook <<'END'
lib: try it

Why.
--
copy patches/make-series lib/
file lib/none.c lib/a.c
in two
after call();
+    behind();
instead last();
+    other();
for made-9
before { never
+never
for made-1
in one
before done();
+    first();
END
generate() { HOOKS=$PWD/hooks OUT=$PWD/out "$PATCHES/make-series" "$1" tree >made.log 2>&1; }

rm -rf out
generate made-1.0 || fail "the generator: $(cat made.log)"
is "a series" "$(cat out/made-1.0/series)" 0001-first.patch
cp -r tree patched
patch -p1 -F0 -s -d patched <out/made-1.0/0001-first.patch || fail "the patch does not apply"
is "the edits" "$(tr -d ' \n' <patched/lib/a.c)" \
    "intone(void){call();first();done();}inttwo(intn){call();behind();other();}"
is "the copy" "$(cmp patched/lib/make-series "$PATCHES/make-series" 2>&1)" ""

refused() { # WHAT SED-PROGRAM EXPECTED-TEXT
    rm -rf out
    sed -i.keep "$2" tree/lib/a.c
    if generate made-1.0; then fail "$1: accepted"; else ok; fi
    grep -qF "$3" made.log || fail "$1: $(cat made.log)"
    [ ! -e out ] || fail "$1: something is written"
    mv tree/lib/a.c.keep tree/lib/a.c
}
refused "a place that is gone" 's/last();/latest();/' 'lib/a.c: two: no place for: last();'
refused "two places" 's/last();/last();\n    last();/' 'lib/a.c: two: 2 places for: last();'
refused "a function that is gone" 's/two/three/' 'lib/a.c: there is no function two'
mv tree/lib/a.c tree/lib/b.c
if generate made-1.0; then fail "a file that is gone: accepted"; else ok; fi
grep -qF 'the tree has no lib/none.c lib/a.c' made.log || fail "a file that is gone: $(cat made.log)"

finish
