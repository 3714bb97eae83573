#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The command line of rpm: what it takes, what it refuses and with which words and status.
. "$TOP/tests/lib.sh"

# says NAME TEXT COMMAND...: exit status 1 and exactly one line on stderr.
says() {
    local name=$1 text=$2
    shift 2
    run "$@"
    is "$name: exit status" "$status" 1
    is "$name" "$(cat err)" "$text"
}

succeeds "--version" "$RPM" --version
is "--version" "$(cat out)" "RPM version $(sed -n 's/^project(.* VERSION \([0-9.]*\) .*/\1/p' \
    "$TOP/CMakeLists.txt") (rpmio-policy)"
succeeds "--help" "$RPM" --help
for option in --install --query --verify --checksig --root --define --eval --showrc --stats \
    --queryformat --percent --noscripts --notriggers --nodeps --nodigest --nosignature --info \
    --scripts --provides --requires --changelog --all --file --group --whatprovides --whatrequires \
    --initdb --rebuilddb --last --dupes --upgrade --freshen --erase --reinstall --justdb --nodb \
    --noorder --oldpackage --allmatches --replacepkgs --replacefiles --force; do
    holds "--help lists $option" out "[ ,]$option"
done
succeeds "-?" "$RPM" '-?'
succeeds "--usage" "$RPM" --usage
holds "--usage" out '^Usage: rpm'

run "$RPM"
is "no arguments: exit status" "$status" 1
holds "no arguments" err '^Usage: rpm'
run "$RPM" word
is "a word alone: exit status" "$status" 2
run "$RPM" -v
is "-v alone: exit status" "$status" 0

says "unknown option" "rpm: --nonsense: unknown option" "$RPM" --nonsense
says "unknown letter" "rpm: -Z: unknown option" "$RPM" -Z
says "argument missing" "rpm: --define: missing argument" "$RPM" --define
says "nothing to install" "rpm: no packages given for install" "$RPM" -i
says "nothing to query" "rpm: no arguments given for query" "$RPM" -q -p
says "nothing to verify" "rpm: no arguments given for verify" "$RPM" -V -p
says "nothing to query by file" "rpm: no arguments given for query" "$RPM" -q -f
says "nothing to check" "rpm: no arguments given" "$RPM" -K
says "relative root" "rpm: arguments to --root (-r) must begin with a /" "$RPM" -i -r root x
says "relative database" "rpm: arguments to --dbpath must begin with '/'" "$RPM" --dbpath db -i x

says "two modes" "rpm: only one major mode may be specified" "$RPM" -V -p --install x
says "two modes" "rpm: only one major mode may be specified" "$RPM" -K -q -p x
says "-h elsewhere" \
    "rpm: --hash (-h) may only be specified during package installation and erasure" \
    "$RPM" -q -p -h x
says "--percent elsewhere" \
    "rpm: --percent may only be specified during package installation and erasure" \
    "$RPM" -K --percent x
for option in --excludedocs --includedocs --ignorearch --ignoreos --ignoresize --allfiles \
    --replacepkgs; do
    says "$option elsewhere" "rpm: $option may only be specified during package installation" \
        "$RPM" -q -p "$option" x
done
says "--test elsewhere" \
    "rpm: --test may only be specified during package installation and erasure" \
    "$RPM" -V -p --test x
says "--nodeps elsewhere" \
    "rpm: --nodeps may only be specified during package installation, erasure, and verification" \
    "$RPM" -q -p --nodeps x
says "--nopost elsewhere" \
    "rpm: script disabling options may only be specified during package installation and erasure" \
    "$RPM" -q -p --nopost x
says "--notriggers elsewhere" \
    "rpm: trigger disabling options may only be specified during package installation and erasure" \
    "$RPM" -K --notriggers x
says "--justdb elsewhere" \
    "rpm: --justdb may only be specified during package installation and erasure" \
    "$RPM" -q --justdb x
says "--allmatches elsewhere" "rpm: --allmatches may only be specified during package erasure" \
    "$RPM" -U --allmatches x
says "--oldpackage elsewhere" "rpm: only installation and upgrading may be forced" \
    "$RPM" -e --oldpackage x
says "--force elsewhere" "rpm: only installation and upgrading may be forced" "$RPM" -e --force x
says "--nodb elsewhere" "rpm: --nodb may only be specified during package installation" \
    "$RPM" -e --nodb x
says "--nodb --justdb" "rpm: only one of --nodb and --justdb may be specified" \
    "$RPM" -U --nodb --justdb x
says "--nodb -F" "rpm: --freshen (-F) needs the database that --nodb goes without" \
    "$RPM" -F --nodb x
for option in -U -F --reinstall --upgrade --freshen; do
    says "nothing to install, $option" "rpm: no packages given for install" "$RPM" "$option"
    says "erase and $option" "rpm: only one major mode may be specified" "$RPM" -e "$option" x
done
says "nothing to erase" "rpm: no packages given for erase" "$RPM" -e
says "documents both ways" "rpm: only one of --excludedocs and --includedocs may be specified" \
    "$RPM" -i --excludedocs --includedocs x

# What is not here: refused by its name, whatever comes with it.
for option in --restore --setperms --setugids --setcaps --badreloc --excludepath --prefix \
    --relocate --target --rcfile --import --addsign --delsign --resign --specfile; do
    says "$option" "rpm: $option: not available in this version" "$RPM" "$option" x
done

# What is selected.
says "two sources" "rpm: one type of query/verify may be performed at a time" "$RPM" -q -a -f x
says "two sources" "rpm: one type of query/verify may be performed at a time" \
    "$RPM" -V --whatprovides --whatrequires x
says "no operand" "rpm: x: no operand is expected here" "$RPM" --initdb x
says "no operand" "rpm: x: no operand is expected here" "$RPM" --rebuilddb x
says "two of the database" "rpm: only one major mode may be specified" "$RPM" --initdb --rebuilddb

# --pipe.
run "$RPM" -q -p --pipe "sed 's/^/piped: /'" --qf 'one\ntwo\n' absent.rpm
is "--pipe: exit status" "$status" 1
run "$RPM" --pipe 'sed "s/^/piped: /"; exit 3' -q --dbpath "$PWD/none" none
is "--pipe: output" "$(cat out)" "piped: package none is not installed"
is "--pipe: exit status of a command that fails" "$status" 1
run "$RPM" --pipe "cat" -q --dbpath "$PWD/none" none nobody
is "--pipe: exit status of rpm" "$status" 2
says "two pipes" "rpm: error: more than one --pipe specified (incompatible popt aliases?)" \
    "$RPM" --pipe a --pipe b -q x

# Files that are none.
says "absent file" "error: open of absent.rpm failed: No such file or directory" \
    "$RPM" -q -p absent.rpm
run "$RPM" -i absent.rpm
is "absent package: exit status" "$status" 1
holds "absent package" err "^error: open of absent.rpm failed: No such file or directory\$"
echo words >words.rpm
says "no package" "error: words.rpm: not an rpm package" "$RPM" -q -p words.rpm
for scheme in http https ftp; do
    says "$scheme" "error: $scheme://example.org/x.rpm: URLs are not available in this version" \
        "$RPM" -q -p "$scheme://example.org/x.rpm"
done
run "$RPM" -q -p a.rpm b.rpm c.rpm
is "each file that cannot be read counts" "$status" 3

# Macros, in the order of the command line.
eval_is() { # NAME WANTED ARGS...
    local name=$1 wanted=$2
    shift 2
    run "$RPM" "$@"
    is "$name" "$status: $(cat out)" "0: $wanted"
}
eval_is "--eval" 7 --eval 7
eval_is "-E" "a b" -E "a b"
eval_is "--define" yes --define "mine yes" --eval "%{mine}"
eval_is "-D with a percent sign" yes -D "%mine yes" -E "%mine"
eval_is "--define with a dash" yes --define "my-own yes" --eval "%{my_own}"
eval_is "--define, later" "%{mine}" --eval "%{mine}" --define "mine yes"
eval_is "parametric" "<a>" --define "wrap() <%1>" --eval "%{wrap a}"
eval_is "--undefine" "%{mine}" --define "mine yes" --undefine mine --eval "%{mine}"
eval_is "--dbpath" /some/where --dbpath /some/where --eval "%{_dbpath}"
echo '%loaded from a file' >some.macros
eval_is "--load" "from a file" --load some.macros --eval "%{loaded}"
eval_is "--macros" "from a file" --macros some.macros --eval "%{loaded}"
eval_is "two" "$(printf '1\n2')" --eval 1 --eval 2
says "--load of nothing" "rpm: failed to load macro file absent.macros" "$RPM" --load absent.macros
run "$RPM" --define "bad"
is "--define without a body: exit status" "$status" 1
run "$RPM" --eval '%{error:stop}'
holds "%{error}" err '^error: stop$'
mkdir -p "$HOME"
echo 'rpm alias --mine --eval "%{1}mine"' >"$HOME/.popt"
eval_is "an alias of ~/.popt" "%{1}mine" --mine
rm "$HOME/.popt"

# Output that cannot be written is an error.
for args in --version --help --usage --querytags --showrc "--eval 1"; do
    # shellcheck disable=SC2086  # the words of an option
    "$RPM" $args >/dev/full 2>err
    is "$args to a full device: exit status" $? 1
    holds "$args to a full device" err 'error writing to stdout'
    # shellcheck disable=SC2086
    "$RPM" $args >&- 2>err
    is "$args to nowhere: exit status" $? 1
done

# --showrc: the parts of rpm's that make sense here, in its order.
succeeds "--showrc" "$RPM" --define "shown here" --showrc
grep -E '^(ARCHITECTURE AND OS|Features supported by rpmlib|Macro path):|^=+$' out |
    sed 's/:.*//; s/^=*$/=/' >parts
is "parts of --showrc" "$(tr '\n' ',' <parts)" \
    "ARCHITECTURE AND OS,Features supported by rpmlib,Macro path,=,"
holds "features" out '^    rpmlib\(CompressedFileNames\) = 3\.0\.4-1$'
holds "macros" out '^ *-7: shown	here$'
finish
