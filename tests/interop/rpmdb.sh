#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The package database against stock rpm's: what one writes the other reads, and both write the
# same, table by table and byte by byte. (Stock also keeps statistics for SQLite's planner.)
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root
command -v sqlite3 >/dev/null || skip "no sqlite3"
DBTOOL=$BUILD/tests/dbtool
export SOURCE_DATE_EPOCH=1600000000

# Everything that has an index, and what is left out of one.
cat >many.spec <<'END'
Name: many
Version: 1.5
Release: 2
Epoch: 3
Summary: Everything that has an index
License: X
BuildArch: noarch
Provides: many-things = 7, other(x)
Requires: plain, plain, plain >= 2
Requires(pre): /bin/only-pre
Requires(post): only-post
Requires(preun): also-preun
Requires(pre,preun): both
Requires(pretrans): only-pretrans
Requires(meta): only-meta
Requires: (rich-a and (rich-b >= 1.0 if rich-c else rich-d))
Requires: (rich-e with rich-f(x) with rich-a)
Recommends: (rec-a or rec-b), rec-c
Suggests: sug-a >= 1
Supplements: (sup-a and sup-b)
Enhances: enh-a
Conflicts: con-a < 1, (con-b unless con-c)
Obsoletes: obs-a < 5
%description
x
%install
mkdir -p %{buildroot}/opt/many/deep %{buildroot}/usr/lib/many
echo a >%{buildroot}/opt/many/same
echo b >%{buildroot}/opt/many/deep/same
echo c >%{buildroot}/usr/lib/many/same
ln -s same %{buildroot}/usr/lib/many/link
%triggerin -- trig-a, trig-b
true
%triggerun -- trig-a
true
%filetriggerin -- /opt, /usr/lib/x
true
%filetriggerin -- /usr
true
%transfiletriggerin -- /etc
true
%files
/opt/many
/usr/lib/many
END
cat >few.spec <<'END'
Name: few
Version: 1~rc1
Release: 1
Summary: Little
Group: Some/Group
License: X
BuildArch: noarch
%description
x
%install
mkdir -p %{buildroot}/opt/few
echo a >%{buildroot}/opt/few/same
%files
/opt/few
END
many=$(build_rpm many.spec) || exit 1
few=$(build_rpm few.spec) || exit 1
sed 's/^Version:.*/Version: 2/; s/^Release:.*/Release: 1.fc1/' few.spec >few2.spec
few2=$(build_rpm few2.spec) || exit 1
packages=("$many" "$few" "$few2")
for name in third fourth fifth; do
    sed "s/^Name:.*/Name: $name/; s,/opt/few,/opt/$name,g" few.spec >$name.spec
    packages+=("$(build_rpm $name.spec)") || exit 1
done
for rpm in Archer-3.4.5-6.x86_64 balicek-utf8-1.1.1-1.x86_64 capstest-1.0-1.noarch \
    empty-0-0.x86_64 fake_bash-1.1.1-1.x86_64 foo-1.0-1.noarch hello-2.0-1.x86_64 \
    hlinktest-1.0-1.noarch super_kernel-6.0.1-2.x86_64; do
    if [ -e "$REAL_RPMS/$rpm.rpm" ]; then
        packages+=("$REAL_RPMS/$rpm.rpm")
    else
        skip_part "no $rpm.rpm"
    fi
done
force=(--nodeps --force --noscripts --notriggers --nosignature --noorder --ignorearch)

# SQLite's shell would remove the -wal and the -shm.
sql() {
    sqlite3 -cmd '.output /dev/null' -cmd '.filectrl persist_wal 1' -cmd '.output stdout' \
        "$1/.rpmdb/rpmdb.sqlite" "$2"
}
# SQLite's indexes sorted: nothing depends on the order they are made in.
dump() {
    sql "$1" .dump >whole.dump
    grep -v -e sqlite_stat1 -e '^ANALYZE' -e '^CREATE INDEX' whole.dump
    grep '^CREATE INDEX' whole.dump | sort
}
# same_db NAME OURS STOCKS
same_db() {
    dump "$2" >ours.dump
    dump "$3" >stocks.dump
    is "$1: a dump has something to compare" "$(($(wc -l <stocks.dump) > 50))" 1
    if cmp -s ours.dump stocks.dump; then
        ok
    else
        fail "$1: the databases differ"
        diff <(cut -c1-200 ours.dump) <(cut -c1-200 stocks.dump) | head -n 20
    fi
}
copy() { rm -rf "$2" && cp -a "$1" "$2"; }
ours() { "$DBTOOL" -r "$PWD/ours" "$@"; }
theirs() { stock --root "$PWD/stocks" "$@"; }

# -- the same database -------------------------------------------------------------------------

empty_root stocks
succeeds "stock makes an empty database" "$STOCK" --root "$PWD/stocks" --dbpath /.rpmdb --initdb
empty_root ours
succeeds "we make an empty database" ours init
same_db "empty" ours stocks
for pragma in user_version application_id journal_mode page_size auto_vacuum encoding; do
    is "$pragma" "$(sql ours "PRAGMA $pragma")" "$(sql stocks "PRAGMA $pragma")"
done
names() { find "$1" -mindepth 1 -printf '%P\n' | sort | xargs; }
rm stocks/.rpmdb/.rpm.lock
is "files" "$(names ours/.rpmdb)" "$(names stocks/.rpmdb)"

succeeds "stock installs" theirs -i "${force[@]}" "${packages[@]}"
succeeds "stock installs into the database only" stock --root "$PWD/justdb" -i --justdb \
    "${force[@]}" "${packages[@]}"
copy stocks ours
rm -rf ours/.rpmdb
succeeds "we add all in one commit" ours add "${packages[@]}"
same_db "all packages" ours stocks
same_db "--justdb" justdb stocks
holds "rich dependencies are indexed" ours.dump "INTO Requirename VALUES\('!rich-c'"
holds "a file trigger's index" ours.dump "INTO Filetriggername VALUES\('/usr/lib/x',1,0\)"
is "only-pre is not indexed" "$(grep -c only-pre ours.dump)" 0
is "our integrity" "$(sql ours 'PRAGMA integrity_check')" ok
empty_root each
succeeds "we add each in a commit of its own" "$DBTOOL" -r "$PWD/each" -c add "${packages[@]}"
same_db "a commit each" each stocks

# -- stock reads ours --------------------------------------------------------------------------

# both NAME ARGS...: stock says the same of both databases.
both() {
    local name=$1 code
    shift
    run stock --root "$PWD/stocks" "$@"
    code=$status
    cat out err >wanted
    run stock --root "$PWD/ours" "$@"
    sed "s,$PWD/ours,$PWD/stocks,g" out err >got
    is "$name: status" "$status" "$code"
    same "$name" got wanted
}

both "-qa" -qa
both "all tags" -qa --xml
is "all tags are something" "$(($(wc -c <wanted) > 20000))" 1
both "lists" -qal
both "states" -qas
both "a file" -qf /opt/many/deep/same
both "nobody's file" -qf /opt/nobody
both "whatprovides" -q --whatprovides 'other(x)'
both "whatrequires" -q --whatrequires rich-d
both "whatrequires, left out" -q --whatrequires only-post
both "whatconflicts" -q --whatconflicts con-c
both "triggers" -q --triggeredby trig-a
both "by digest" -q --pkgid "$(stock -qp --qf '%{SIGMD5}' "$many")"
both "by transaction" -q --tid 1600000000
both "-V" -V many few-2
both "-Va" -Va --nodeps

# -- ours reads stock's ------------------------------------------------------------------------

# reads NAME STOCK-ARGS -- DBTOOL-ARGS
reads() {
    local name=$1 query=() code
    shift
    while [ "$1" != -- ]; do
        query+=("$1")
        shift
    done
    shift
    run theirs "${query[@]}"
    code=$status
    sed '/is not installed$\|^no package\|is not owned by\|^error: file/d' out >wanted
    run "$DBTOOL" -r "$PWD/stocks" "$@"
    is "$name: status" "$status" "$((code != 0))"
    same "$name" out wanted
}

cp -a stocks/.rpmdb before
format='%{DBINSTANCE} %{NEVRA} %{INSTALLTIME} %{INSTALLTID} %{INSTALLCOLOR} %{SHA1HEADER}\n'
format+='[%{FILENAMES} %{FILESTATES}\n]'
reads "all" -qa --qf "$format" -- list "$format"
is "all are some" "$(grep -c 1600000000 out)" "${#packages[@]}"
reads "a pattern" -qa --qf '%{NEVRA}\n' 'f*' -- list '%{NEVRA}\n' 'f*'
for label in many many-1.5 many-3:1.5 many-3:1.5-2 many-2:1.5 many-1.5-2 many-1.5-2.noarch \
    many.noarch many.i386 many-1.5-3 many-9 few few-1~rc1 few-1~rc1-1 few-2 few-2-1.fc1.noarch \
    few-2-1 'few-*' 'few-[12]' 'few-*-1' 'few-?-1' 'few-2-1.*' few-0:2 few-2-1.fc1. nothing \
    no-thing-at-all '' few- 'few-[1-2]-1.fc1' 'few-2-[0-9].fc1' 'few-2.noarch' \
    'few(2)' 'few(2-1.fc1)' 'many(3:1.5-2)' 'many(7:1.5-2)' 'many(:1.5-2)' 'few(2).noarch' \
    'few)2' '(few)'; do
    reads "label '$label'" -q --qf '%{NEVRA}\n' "$label" -- find label "$label" '%{NEVRA}\n'
done
for label in 'few(2' 'few((2))' 'few(2))'; do
    refuses "label '$label'" "(extra|missing) '[()]' in package label: few" \
        "$DBTOOL" -r "$PWD/stocks" find label "$label" x
done
refuses "a bad pattern" 'regcomp failed' "$DBTOOL" -r "$PWD/stocks" find label 'few-{2' x
for key in plain rich-d '!rich-c' /bin/only-pre also-preun both only-meta 'rich-f(x)'; do
    reads "requirename $key" -q --qf '%{NEVRA}\n' --whatrequires "$key" \
        -- find requirename "$key" '%{NEVRA}\n'
done
reads "providename" -q --qf '%{NEVRA}\n' --whatprovides many-things \
    -- find providename many-things '%{NEVRA}\n'
reads "group" -q --qf '%{NEVRA}\n' -g Some/Group -- find group Some/Group '%{NEVRA}\n'
for file in /opt/many/same /opt/many/deep/same /opt/many/deep//same /usr/lib/many/link \
    /opt/few/same /opt/many /opt/nothing same /; do
    reads "file $file" -qf --qf '%{NEVRA}\n' "$file" -- find basenames "$file" '%{NEVRA}\n'
done
# Every table, by the index iterator.
for table in Name Basenames Group Requirename Providename Conflictname Obsoletename Triggername \
    Dirnames Sha1header Filetriggername Transfiletriggername Recommendname Suggestname \
    Supplementname Enhancename; do
    succeeds "keys of $table" "$DBTOOL" -r "$PWD/stocks" keys "$table"
    sql stocks "SELECT key, hnum, idx FROM '$table' ORDER BY key, rowid" >wanted
    same "keys of $table" out wanted
done
for table in Installtid Sigmd5; do
    succeeds "keys of $table" "$DBTOOL" -r "$PWD/stocks" keys "$table"
    sql stocks "SELECT lower(hex(key)), hnum, idx FROM '$table' ORDER BY key, rowid" >wanted
    same "keys of $table" out wanted
done
succeeds "verify" "$DBTOOL" -r "$PWD/stocks" verify
if /usr/bin/python3 -c 'import rpm' 2>/dev/null; then
    /usr/bin/python3 -c 'import rpm, sys
rpm.addMacro("_dbpath", "/.rpmdb")
ts = rpm.TransactionSet(sys.argv[1])
ts.openDB()
print(ts.dbCookie())' "$PWD/stocks" >wanted
    succeeds "cookie" "$DBTOOL" -r "$PWD/stocks" cookie
    same "cookie" out wanted
else
    skip_part "no python3-rpm for the cookie"
fi
is "reading has written nothing" "$(cd stocks/.rpmdb && sha256sum -- * .rpm.lock)" \
    "$(cd before && sha256sum -- * .rpm.lock)"

# Files are found where they are: below the root, through symlinks of directories.
mv stocks/opt/many stocks/opt/moved
ln -s /opt/moved stocks/opt/many
mkdir -p elsewhere/many
ln -s "$PWD/elsewhere" stocks/opt/outside
owner() { "$DBTOOL" -r "$PWD/stocks" find basenames "$1" '%{NAME}'; }
is "through a symlink" "$(owner /opt/moved/deep/same)" many
is "by its own name" "$(owner /opt/many/deep/same)" many
is "not outside" "$(owner /opt/outside/many/same)" ""
rm stocks/opt/many stocks/opt/outside
mv stocks/opt/moved stocks/opt/many

# -- removing and rewriting --------------------------------------------------------------------

number() { sql "$1" "SELECT hnum FROM Name WHERE key='$2' LIMIT 1"; }
copy stocks ours
for name in many few-2 fourth; do
    ours remove "$(ours find label "$name" '%{DBINSTANCE}')" || fail "remove $name"
    theirs -e --justdb --nodeps --noscripts --notriggers "$name" || fail "stock -e --justdb $name"
    same_db "$name removed" ours stocks
done
refuses "no such record" 'rpmdb.sqlite: there is no record #99$' ours remove 99
ours add "$many" >out || fail "add after remove"
is "numbers are not used again" "$(cat out)" $((${#packages[@]} + 1))
refuses "one of two fails: neither is there" 'there is no record #99$' \
    ours remove "$(cat out)" 99
is "it is still there" "$(ours find label many '%{NAME}')" many

succeeds "stock erases from ours" stock --root "$PWD/ours" -e --noscripts --notriggers many
is "stock erased" "$(ours find label many '%{NAME}')" ""
[ ! -e ours/opt/many ] || fail "stock left files"

copy stocks ours
number=$(number ours third)
succeeds "a state is changed" ours state "$number" 0 1
is "stock sees it" "$(stock --root "$PWD/ours" -qs third | head -n 1 | cut -d' ' -f1)" replaced
is "-qf of a replaced file" "$(ours find instfilenames "$(ours find label third '[%{FILENAMES}\n]' |
    head -n 1)" '%{NAME}')" ""
is "the rest is as it was" "$(dump ours | grep -v 'INTO Packages')" \
    "$(dump stocks | grep -v 'INTO Packages')"

# One byte within the region of a header: its digests tell.
copy stocks bad
bad=$(number bad third)
sql bad "SELECT hex(blob) FROM Packages WHERE hnum=$bad" | sed 's/4C6974746C65/6C6974746C65/' >hex
sql bad "UPDATE Packages SET blob=x'$(cat hex)' WHERE hnum=$bad"
run stock --root "$PWD/bad" -qa
cat out err >wanted
holds "a damaged region is noticed" wanted 'Header SHA256 digest: BAD'
run "$RPM" --root "$PWD/bad" --dbpath /.rpmdb -qa
cat out err >got
same "by us, too" got wanted

# -- rebuilding --------------------------------------------------------------------------------

sql ours "UPDATE Packages SET blob=x'00' WHERE hnum=$(number ours fifth)"
sql stocks "UPDATE Packages SET blob=x'00' WHERE hnum=$(number stocks fifth)"
copy stocks ours
run "$DBTOOL" -r "$PWD/ours" list '%{NAME}\n'
holds "a bad record is named" err "damaged header #[0-9]+ retrieved .*/ours/.rpmdb/rpmdb.sqlite"
is "the others are there" "$(wc -l <out)" "$(theirs -qa 2>/dev/null | wc -l)"
mkdir ours/.rpmdb/pubkeys
succeeds "rebuild" ours rebuild
is "nothing but the file is replaced" "$(names ours/.rpmdb)" \
    ".rpm.lock pubkeys rpmdb.sqlite rpmdb.sqlite-shm rpmdb.sqlite-wal"
"$STOCK" --root "$PWD/stocks" --dbpath /.rpmdb --rebuilddb 2>/dev/null || fail "stock --rebuilddb"
same_db "rebuilt" ours stocks
is "integrity" "$(sql ours 'PRAGMA integrity_check')" ok
sql ours "DROP TABLE Requirename; DROP TABLE Dirnames"
run ours add "$few"
holds "missing indexes are made" err 'Generating 2 missing index\(es\), please wait'
is "and filled" "$(sql ours 'SELECT count(*) FROM Dirnames')" \
    "$(sql ours 'SELECT sum(n) FROM (SELECT count(DISTINCT key) AS n FROM Dirnames GROUP BY hnum)')"

for step in 1 2 3 4 5 6 7 8; do
    copy stocks ours
    "$DBTOOL" -r "$PWD/ours" rebuild 2>/dev/null &
    sleep "0.0$((step * 3))"
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    same_db "rebuild killed after 0.0$((step * 3)) s" ours stocks
    is "killed: integrity" "$(sql ours 'PRAGMA integrity_check')" ok
done
succeeds "a rebuild after a killed one" ours rebuild
[ ! -e ours/.rpmdb/.rebuild ] || fail "the side directory is left"

# -- locks -------------------------------------------------------------------------------------

"$DBTOOL" -r "$PWD/ours" hold 600 >held &
holder=$!
for _ in $(seq 100); do grep -q held held && break; sleep 0.1; done
run stock --root "$PWD/ours" -i "${force[@]}" --justdb "$few"
holds "stock waits for our lock" err "can't create transaction lock on .*/ours/.rpmdb/.rpm.lock"
refuses "so do we" "can't create transaction lock on .*/ours/.rpmdb/.rpm.lock \(Resource temp" \
    ours hold 0
is "readers do not" "$(ours find label third '%{NAME}')" third
kill -9 $holder
wait $holder 2>/dev/null
succeeds "the lock went with its holder" ours hold 0

# -- reading changes nothing -------------------------------------------------------------------

empty_root none
succeeds "a missing database is empty" "$DBTOOL" -r "$PWD/none" list
nothing_left "a missing database" none
succeeds "stock takes it so, too" stock --root "$PWD/none" -qa
is "stock says nothing" "$(cat out err)" ""
empty_root none
run "$DBTOOL" -r "$PWD/none" remove 1
is "writing makes one, in vain" "$status" 1
mkdir -p none2/.rpmdb
: >none2/.rpmdb/rpmdb.sqlite
succeeds "a database cut at birth is empty" "$DBTOOL" -r "$PWD/none2" list
is "and stays as it is" "$(ls none2/.rpmdb)" rpmdb.sqlite
succeeds "the next writer makes it" "$DBTOOL" -r "$PWD/none2" add "$few"
is "made" "$("$DBTOOL" -r "$PWD/none2" list '%{NAME}')" few
echo 'no database at all, but text that is longer than a header' >none2/.rpmdb/rpmdb.sqlite
refuses "no database" 'rpmdb.sqlite: file is not a database' "$DBTOOL" -r "$PWD/none2" list
mkdir -p none3/.rpmdb
sqlite3 none3/.rpmdb/rpmdb.sqlite 'CREATE TABLE x(y)'
refuses "another's database" 'no package database' "$DBTOOL" -r "$PWD/none3" list
rm none3/.rpmdb/*
touch none3/.rpmdb/Packages
refuses "a database of another kind" 'Packages: Berkeley DB databases are not supported' \
    "$DBTOOL" -r "$PWD/none3" list
rm none3/.rpmdb/*
ln -s "$PWD/ours/.rpmdb/rpmdb.sqlite" none3/.rpmdb/rpmdb.sqlite
refuses "a symlink" 'rpmdb.sqlite: Invalid argument' "$DBTOOL" -r "$PWD/none3" list

copy stocks ours
is "through -wal and -shm" "$(ours find label third '%{NAME}')" third
rm ours/.rpmdb/rpmdb.sqlite-wal ours/.rpmdb/rpmdb.sqlite-shm
is "without" "$(ours find label third '%{NAME}')" third
is "none was made" "$(names ours/.rpmdb)" rpmdb.sqlite
chmod a-w ours/.rpmdb ours/.rpmdb/*
is "as an ordinary user" "$(as_nobody "$DBTOOL" -r "$PWD/ours" find label third '%{NAME}')" third

# A writer that was killed leaves its WAL: what it committed is read, and no file is touched.
copy stocks ours
ours -k add "$few" >out
is "a WAL is left" "$([ -s ours/.rpmdb/rpmdb.sqlite-wal ] && echo yes)" yes
last=$(cat out)
sum() { cat ours/.rpmdb/rpmdb.sqlite* | sha256sum; }
before=$(sum)
is "read with it" "$(ours list '%{DBINSTANCE}\n' | tail -n 1)" "$last"
rm ours/.rpmdb/rpmdb.sqlite-shm
before=$(sum)
is "without its -shm" "$(ours list '%{DBINSTANCE}\n' | tail -n 1)" "$last"
is "untouched" "$(sum)" "$before"
is "stock reads it" "$(stock --root "$PWD/ours" -qa --qf '%{DBINSTANCE}\n' | tail -n 1)" "$last"

# Stock reads it as an ordinary user, who can write neither the files nor the directory: through the
# -wal and -shm that a close leaves, and those that a writer leaves that was killed.
plain() { as_nobody "$STOCK" --force-debian --dbpath "$PWD/ours/.rpmdb" -qa --qf '%{DBINSTANCE}\n' | tail -n 1; }
copy stocks ours
last=$(ours -k add "$few")
is "a WAL is left for others" "$([ -s ours/.rpmdb/rpmdb.sqlite-wal ] && echo yes)" yes
is "stock reads it as an ordinary user" "$(plain 2>err)" "$last"
chmod a-w ours/.rpmdb ours/.rpmdb/*
is "of files that nobody may write" "$(plain 2>err)" "$last"
chmod u+w ours/.rpmdb ours/.rpmdb/*
"$DBTOOL" -r "$PWD/ours" hold 600 >held &
holder=$!
for _ in $(seq 100); do grep -q held held && break; sleep 0.1; done
is "while another writes" "$(plain 2>err)" "$last"
kill -9 $holder
wait $holder 2>/dev/null
is "after that was killed" "$(plain 2>err)" "$last"
mkdir alone && cp ours/.rpmdb/rpmdb.sqlite alone/
alone() { "$STOCK" --force-debian --dbpath "$PWD/alone" -qa --qf '%{DBINSTANCE}\n' | tail -n 1; }
is "the main file alone is older" "$(alone)" "$(($last - 1))"
last=$(ours add "$few")
rm alone/* && cp ours/.rpmdb/rpmdb.sqlite alone/
is "and is all there is, after a close that checkpoints" "$(alone)" "$last"

# A transaction leaves a WAL only with `batch` in the machine's own root, and not in the first one.
for n in 1 2 3 4 5; do
    printf 'name none%s\n' $n | make_pkg none$n.rpm || exit 1
done
# main_alone NAME DBDIR PACKAGES [rpm options]: after ours has installed one more package.
main_alone() {
    local name=$1 dir=$2 count=$3
    shift 3
    succeeds "$name" "$RPM" -i --nodeps "$@"
    rm -rf alone && mkdir alone && cp "$dir/rpmdb.sqlite" alone/
    is "$name: packages in the main file alone" "$(alone | grep -c .)" "$count"
    is "$name: packages" "$(as_nobody "$STOCK" --force-debian --dbpath "$dir" -qa 2>err | wc -l)" \
        "$("$RPM" --dbpath "$dir" -qa | wc -l)"
}
alone() { "$STOCK" --force-debian --dbpath "$PWD/alone" -qa; }
live=(--dbpath "$PWD/live" --define '_flush_io 1' --define '_flush_io_method batch')
main_alone "batch, a first install" "$PWD/live" 1 "${live[@]}" none1.rpm
main_alone "batch, a second one" "$PWD/live" 1 "${live[@]}" none2.rpm
is "both are recorded" "$("$STOCK" --force-debian --dbpath "$PWD/live" -qa 2>err | wc -l)" 2
main_alone "batch, a third one" "$PWD/live" 1 "${live[@]}" none3.rpm
main_alone "none" "$PWD/live" 4 --dbpath "$PWD/live" --define '_flush_io none' none4.rpm
main_alone "fsync" "$PWD/live" 5 --dbpath "$PWD/live" --define '_flush_io fsync' none5.rpm
empty_root other
for n in 1 2; do
    main_alone "batch with --root, $n" "$PWD/other/db" $n --root "$PWD/other" --dbpath /db \
        --define '_flush_io batch' none$n.rpm
done

# A commit is not larger than the WAL may become.
for n in 1 2 3 4; do
    { echo "name big$n"; seq 50000 | sed 's,.*,file /opt/big/& size=0,'; } | make_pkg big$n.rpm
done
succeeds "packages with large headers" "$RPM" --root "$PWD/other" --dbpath /db -i --justdb -vv \
    --nodeps --force --noorder --define '_flush_io batch' big[1-4].rpm
holds "a group ends when there is enough to record" err \
    '^D: group of 3 ends after big3-1.0-1.noarch: there is enough to record'

if loop_fs ext4 16M "$WORK/disk"; then
    cp -a stocks/.rpmdb "$WORK/disk/"
    dd if=/dev/zero of="$WORK/disk/fill" bs=4096 2>/dev/null
    fill() { "$DBTOOL" -r "$WORK/disk" "$@"; }
    is "on a full disk" "$(fill find label third '%{NAME}')" third
    run fill add "${packages[@]}"
    is "writing to it fails" "$status" 1
    is "in one line" "$(wc -l <err)" 1
    holds "which says so" err \
        'disk/.rpmdb/rpmdb.sqlite: (database or disk is full|.*No space left on device)$'
    is "nothing is kept" "$(fill list x)" "$("$DBTOOL" -r "$PWD/stocks" list x)"
    rm "$WORK/disk/fill" "$WORK/disk/.rpmdb"/*-wal "$WORK/disk/.rpmdb"/*-shm
    mount -o remount,ro "$WORK/disk"
    is "read-only, without a -shm" "$(fill find label third '%{NAME}')" third
    refuses "a read-only disk" 'rpmdb.sqlite: Read-only file system$' fill remove 1
    umount "$WORK/disk"
else
    skip_part "no loop devices: full and read-only disks"
fi

# -- durability --------------------------------------------------------------------------------

if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    calls=fsync,fdatasync,sync,syncfs,sync_file_range,msync
    # syncs COMMAND...: number of calls that sync
    syncs() {
        ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace="$calls" "$@" >/dev/null ||
            fail "strace $*"
        grep -cE '(sync|sync_file_range)\(' trace
    }
    new() { rm -rf ours && mkdir ours && echo "$PWD/ours"; }
    is "no sync: new" "$(syncs "$DBTOOL" -n -r "$(new)" add "${packages[@]}")" 0
    is "no sync: more" "$(syncs "$DBTOOL" -n -c -r "$PWD/ours" add "${packages[@]}")" 0
    is "no sync: remove" "$(syncs "$DBTOOL" -n -r "$PWD/ours" remove 1)" 0
    is "no sync: rebuild" "$(syncs "$DBTOOL" -n -r "$PWD/ours" rebuild)" 0
    copy stocks ours
    n=$(syncs "$DBTOOL" -r "$PWD/ours" rebuild)
    is "a rebuild syncs, 5 times at most: $n" "$((n >= 2 && n <= 5))" 1
    ours -k add "$few" >/dev/null
    one=$(syncs "$DBTOOL" -k -r "$PWD/ours" add "$few")
    is "a commit syncs" "$((one >= 1 && one <= 3))" 1
    is "however many packages there are" "$(syncs "$DBTOOL" -k -r "$PWD/ours" add \
        "${packages[@]}" "${packages[@]}" "${packages[@]}")" "$one"
    n=$(syncs "$DBTOOL" -k -r "$(new)" init)
    is "a new database syncs, 4 times at most: $n" "$((n >= 2 && n <= 4))" 1
else
    skip_part "no strace: sync calls"
fi
finish
