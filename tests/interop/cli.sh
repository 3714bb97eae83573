#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rpm -i, -U, -F, -e and --reinstall as commands: what they print, their exit status, what is
# recorded and what is in the root afterwards are stock's, one after the other in equal roots.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root
export SOURCE_DATE_EPOCH=1600000000

for version in 1 2 3; do
    make_pkg p-$version.rpm <<END
name p
version $version
provide p = $version-1
dir /opt/p
file /opt/p/f content=v$version
file /opt/p/v$version content=x
END
    make_pkg q-$version.rpm <<END
name q
version $version
require p
file /opt/q/f content=v$version
END
done
printf '%s\n' 'name epoch' 'version 1' 'tag main 1003 int32 5' 'file /opt/epoch content=5' |
    make_pkg epoch-5.rpm
printf '%s\n' 'name epoch' 'version 9' 'file /opt/epoch content=0' | make_pkg epoch-0.rpm
for version in 1.0 1.0~rc 1.0^git; do
    printf '%s\n' 'name tilde' "version $version" "file /opt/tilde content=$version" |
        make_pkg "tilde-$version.rpm"
done
printf '%s\n' 'name nothing' | make_pkg nothing.rpm
printf '%s\n' 'name other' 'file /opt/p/f content=other' | make_pkg other.rpm
printf '%s\n' 'name docs' 'file /opt/docs/a content=a flags=doc' 'file /opt/docs/b content=b' |
    make_pkg docs.rpm
for who in theirs ours; do empty_root root.$who; done
started=$(date +%s)

recorded='%{nevra} %{dbinstance} %{installtid} %{installtime} %{installcolor} [%{filestates} ]\n'
state() { # WHO: what is recorded and what is there
    "$STOCK" --root "$PWD/root.$1" --dbpath /.rpmdb -qa --qf "$recorded" >"$1.db" 2>&1
    manifest "root.$1" "$started" >"$1.tree"
}
both() {
    local theirs=0 ours=0
    "$STOCK" --force-debian --root "$PWD/root.theirs" --dbpath /.rpmdb "$@" >theirs.out \
        2>theirs.err || theirs=$?
    "$RPM" --root "$PWD/root.ours" --dbpath /.rpmdb "$@" >out 2>err || ours=$?
    sed -i 's/ (or package manifest): $//' theirs.err
    same "$*" out theirs.out
    same "$*: errors" err theirs.err
    is "$*: exit status" "$ours" "$theirs"
    state theirs
    state ours
    same "$*: database" ours.db theirs.db
    same "$*: tree" ours.tree theirs.tree
}

both -F p-1.rpm
both -e p
both -i p-1.rpm
is "installed" "$(cut -d' ' -f1 ours.db)" p-1-1.noarch
both -i p-1.rpm
both -i p-1.rpm --replacepkgs
both -U p-2.rpm q-1.rpm --test
both -i q-1.rpm
both -U p-1.rpm
both -U p-1.rpm --oldpackage
both -Uvh p-3.rpm q-2.rpm
both -U p-2.rpm
both -U p-2.rpm --oldpackage
both -Uv --oldpackage p-1.rpm
both -U --force p-2.rpm
both -F p-2.rpm q-1.rpm
both -F p-3.rpm nothing.rpm
both -F --oldpackage p-1.rpm
both -Fvh p-3.rpm q-3.rpm docs.rpm
both -i p-1.rpm
both -ivh p-1.rpm p-2.rpm --force
both -e p
both -e p-1
both -e p-1 --test
both -e p q nosuch nobody
both -e p --allmatches
both -e p --allmatches --test --nodeps
both -ev p-2 --nodeps
both -evh p --allmatches --nodeps
is "erased" "$(grep -c '^p-' ours.db)" 0
both -V q
both -Uvh p-3.rpm
both --reinstall p-3.rpm
both --reinstall -vh p-3.rpm q-3.rpm
both --reinstall p-2.rpm
both --reinstall docs.rpm
both -e docs-1.0-1 p-3-1.noarch
both -ev --justdb nosuch
both -e q --justdb
both -i q-3.rpm
both -U --justdb q-2.rpm --oldpackage
both -U --justdb --force q-3.rpm
both -evh --percent q
both -ivh --percent q-1.rpm
both -Uvh --percent q-2.rpm
both -U --percent p-3.rpm q-3.rpm
is "both are there" "$(cut -d' ' -f1 ours.db | sort | xargs)" \
    "docs-1.0-1.noarch p-3-1.noarch q-2-1.noarch"
both -evh q p
both -e ''
both -U epoch-0.rpm
both -U epoch-5.rpm
both -U epoch-0.rpm
both -F epoch-0.rpm
both -q epoch
both -e epoch-5:1
both -U tilde-1.0~rc.rpm
both -F tilde-1.0.rpm
both -U tilde-1.0~rc.rpm
both -F tilde-1.0^git.rpm
both -e tilde-1.0^git
both -i nothing.rpm p-1.rpm q-1.rpm
both -e nothing
both -i other.rpm
both -i other.rpm --replacefiles
both -q --state -l p
both -e other
both -e p q --noorder
both -i --noorder q-1.rpm p-1.rpm
both -i p-1.rpm absent.rpm
both -U absent.rpm none.rpm
both -F absent.rpm
both -U --excludedocs docs.rpm
both -q --state -l docs
both -Va
both -Fvh --oldpackage docs.rpm
both -e docs q p

# Without the database.
names() { find root.ours/.rpmdb -printf '%P %s %T@\n' | sort; }
succeeds "-i" "$RPM" --root "$PWD/root.ours" --dbpath /.rpmdb -i p-1.rpm q-1.rpm
names >before
for words in "-i p-2.rpm" "-U p-3.rpm" "--reinstall p-1.rpm" "-i p-1.rpm"; do
    # shellcheck disable=SC2086  # the words of a command line
    succeeds "$words --nodb" "$RPM" --root "$PWD/root.ours" --dbpath /.rpmdb --nodb $words
    is "$words --nodb: content" "$(cat root.ours/opt/p/f)" "v$(echo "$words" | tr -dc 0-9)"
    names >after
    same "$words --nodb: the database stays" after before
done
is "files of old versions stay" "$(echo root.ours/opt/p/v*)" \
    "root.ours/opt/p/v1 root.ours/opt/p/v2 root.ours/opt/p/v3"
run "$RPM" --root "$PWD/root.ours" --dbpath /.rpmdb --nodb -i q-1.rpm
is "--nodb knows of no other package" "$status $(cat err)" \
    "1 $(printf 'error: Failed dependencies:\n\tp is needed by q-1-1.noarch')"
empty_root root.ours
succeeds "--nodb --nodeps" \
    "$RPM" --root "$PWD/root.ours" --dbpath /.rpmdb --nodb --nodeps -i q-1.rpm
is "no database, no lock" "$(ls -A root.ours)" opt
finish
