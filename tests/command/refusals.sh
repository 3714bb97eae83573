#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What rpm -i will not do: each refused by its name, with the option that goes without, and with
# nothing written.
. "$TOP/tests/lib.sh"

install() { "$RPM" -i --nodb --root "$PWD/root" "$@"; }

no_run=", which this version does not run"

# refused NAME PATTERN ARGS...: one line that matches, and nothing below the root.
refused() {
    local name=$1 pattern=$2
    shift 2
    empty_root root
    refuses "$name" "$pattern" install "$@"
    nothing_left "$name" root
}

# installed NAME ARGS...
installed() {
    local name=$1
    shift
    empty_root root
    succeeds "$name" install "$@"
    is "$name" "$(cat root/opt/file)" content
    is "$name: says nothing" "$(cat err)" ""
}

package() { # NAME STATEMENTS...
    local name=$1
    shift
    { printf 'name %s\narch noarch\nfile /opt/file content=content\n' "$name"
      printf '%s\n' "$@"; } | make_pkg "$name.rpm"
}

# Scriptlets in Lua: those that an installation runs.
for script in "prein:%pre:nopre" "postin:%post:nopost" "pretrans:%pretrans:nopretrans" \
    "posttrans:%posttrans:noposttrans"; do
    IFS=: read -r kind name option <<<"$script"
    package "$kind" "script $kind <lua> print(1)"
    refused "$name" "^error: package $kind-[^ ]* has scriptlets in <lua> \($name\)$no_run: \
--noscripts installs without\$" "$kind.rpm"
    installed "$name, --noscripts" --noscripts "$kind.rpm"
    installed "$name, --$option" "--$option" "$kind.rpm"
    refused "$name, --notriggers" "scriptlets" --notriggers "$kind.rpm"
    refused "$name, --nodeps" "scriptlets" --nodeps "$kind.rpm"
    refused "$name, --test" "scriptlets" --test "$kind.rpm"
done
package several "script prein <lua> print(1)" "script postin <lua> print(1)"
refused "two scriptlets" 'scriptlets in <lua> \(%pre, %post\)' several.rpm
refused "one of two" 'scriptlets in <lua> \(%post\)' --nopre several.rpm
for kind in preun postun; do
    package "$kind" "script $kind <lua> print(1)"
    installed "%$kind, which an installation does not run" "$kind.rpm"
done
package verify "script verify <lua> print(1)"
installed "%verifyscript, which an installation does not run" verify.rpm
refuses "%verifyscript" "^error: package verify-[^ ]* has a %verifyscript in <lua>$no_run: \
--noscripts verifies without\$" \
    "$RPM" -V -p --nodeps --nouser --nogroup --root "$PWD/root" verify.rpm
succeeds "%verifyscript, --noscripts" \
    "$RPM" -V -p --nodeps --nouser --nogroup --noscripts --root "$PWD/root" verify.rpm

# Triggers of each kind.
for kind in in un postun prein; do
    package "t$kind" "trigger $kind other /bin/sh true"
    refused "%trigger$kind" "^error: package t$kind-[^ ]* has triggers \(%trigger$kind\)$no_run: \
--notriggers installs without\$" "t$kind.rpm"
    installed "%trigger$kind, --notriggers" --notriggers "t$kind.rpm"
    installed "%trigger$kind, --notrigger$kind" "--notrigger$kind" "t$kind.rpm"
    installed "%trigger$kind, --noscripts" --noscripts "t$kind.rpm"
done
package filetrigger "tag main 5069 strings /opt" "tag main 5072 int32 65536"
refused "%filetriggerin" 'has triggers \(%filetriggerin\)' filetrigger.rpm
installed "%filetriggerin, --notriggers" --notriggers filetrigger.rpm
package transfiletrigger "tag main 5079 strings /opt" "tag main 5082 int32 262144"
refused "%transfiletriggerpostun" 'has triggers \(%transfiletriggerpostun\)' transfiletrigger.rpm
installed "%transfiletriggerpostun, --notriggers" --notriggers transfiletrigger.rpm

# Dependencies.
package needy "require thing >= 2"
empty_root root
run install needy.rpm
is "missing: exit status" "$status" 1
is "missing" "$(sed 's/needy-[^ ]*/needy/' err)" \
    "error: Failed dependencies:
	thing >= 2 is needed by needy"
nothing_left "missing" root
installed "missing, --nodeps" --nodeps needy.rpm
printf '%s\n' 'name giver' 'arch noarch' 'provide thing = 3' | make_pkg giver.rpm
installed "given by another package" needy.rpm giver.rpm
package rich "require (a\\sif\\sb)"
refused "rich dependency" "^error: package rich-[^ ]* has the rich dependency \(a if b\), \
which this version does not evaluate: --nodeps goes without\$" rich.rpm
installed "rich dependency, --nodeps" --nodeps rich.rpm
printf '%s\n' 'name foe' 'arch noarch' 'conflict thing' | make_pkg foe.rpm
run install foe.rpm giver.rpm
holds "conflict" err '^	thing conflicts with foe-[^ ]*$'
printf '%s\n' 'name heir' 'arch noarch' 'obsolete giver < 9' | make_pkg heir.rpm
run install heir.rpm giver.rpm
holds "obsoletes" err '^	giver < 9 is obsoleted by heir-[^ ]*$'

# Machines and systems that are not this one, what is no package.
printf '%s\n' 'name alien' 'arch s390x' 'file /opt/file content=content' | make_pkg alien.rpm
refused "other machine" '^	package alien-[^ ]* is intended for a different architecture$' alien.rpm
installed "other machine, --ignorearch" --ignorearch alien.rpm
echo giver.rpm >list
refused "list of packages" '^error: list: not an rpm package$' list
refused "absent" '^error: open of absent.rpm failed: No such file or directory$' absent.rpm
refused "pattern" '^error: open of g\*.rpm failed: No such file or directory$' 'g*.rpm'
refused "directory" '^error: .*root' "$PWD/root"
refused "URL" '^error: http://localhost/a.rpm: URLs are not available in this version$' \
    http://localhost/a.rpm
empty_root root
run install giver.rpm absent.rpm needy.rpm
is "one of several absent: exit status" "$status" 1
nothing_left "one of several absent" root

# --test writes nothing and says nothing.
empty_root root
succeeds "--test" install --test needy.rpm giver.rpm
nothing_left "--test" root
is "--test: says nothing" "$(cat out err)" ""
finish
