#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Stock rpm with the shim against stock rpm alone: trees, databases, exit status and what is said
# must be equal, with every method; a barrier that fails leaves what was there.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
. "$TOP/tests/crash/workloads.sh"
need_stock
need_root
need_busybox
SHIM=$BUILD/preload/rpmio-policy
[ -e "$BUILD/preload/librpmio-policy-preload.so" ] || skip "no shim in a build with sanitizers"
command -v strace >/dev/null || skip "no strace"
export SOURCE_DATE_EPOCH=1600000000
batch=(--define '_flush_io 1' --define '_flush_io_method batch')
since=$(date +%s)

stock_run() { timeout 600 "$STOCK" --force-debian --nosignature --dbpath /.rpmdb --root "$PWD/stock" "$@"; }
shim_run() {
    timeout 600 "$SHIM" "$STOCK" --force-debian --nosignature --dbpath /.rpmdb --root "$PWD/shim" \
        "${policy[@]}" "$@"
}
policy=("${batch[@]}")

begin() {
    title=$1
    busybox_root stock
    busybox_root shim
    mkdir stock/opt shim/opt
}

# Names, addresses and numbers that are others each time.
clean() {
    sed -E 's/rpm-tmp\.[A-Za-z0-9]{6}/rpm-tmp/; s/0x[0-9a-f]+/0x/; s/^_=.*//; s/(pipe|socket):\[[0-9]*\]/\1/
        s,/(stock|shim)/,/ROOT/,' "$1"
}

# both ARGS...: the same transaction by both.
both() {
    local what="$title: $*" theirs who
    run stock_run "$@"
    theirs=$status
    clean out >stock.out
    clean err >stock.err
    run shim_run "$@"
    is "$what: exit status" "$status" "$theirs"
    same "$what: said" <(clean err) stock.err
    same "$what: output" <(clean out) stock.out
    for who in stock shim; do
        manifest $who "$since" >$who.list
        "$STOCK" --dbpath /.rpmdb --root "$PWD/$who" -qa --xml >$who.db 2>&1
    done
    same "$what: tree" shim.list stock.list
    same "$what: database" shim.db stock.db
}

# -- all packages of the tests -----------------------------------------------------------------

# A package with a FIFO hangs stock rpm 4.18.0 for ever.
installable() {
    local modes
    modes=$("$STOCK" -qp --nosignature --qf '[%{FILEMODES:perms} ]%{SOURCEPACKAGE}' "$1" 2>/dev/null) || return
    case " $modes" in *" p"*) return 1 ;; *[!\)]1) return 1 ;; esac
}

packages=0
while read -r package; do
    installable "$package" || continue
    begin "$(basename "$package")"
    both -i --nodeps --ignorearch --ignoreos "$package"
    both -e --nodeps "$("$STOCK" -qp --nosignature --qf '%{NAME}' "$package" 2>/dev/null)"
    packages=$((packages + 1))
done < <(find "$REAL_RPMS" "$CACHE"/{checksig,dbdepends,dbquery,depends,install} -name '*.rpm' \
    2>/dev/null | sort)
[ "$packages" -gt 0 ] || skip_part "no packages of other tests have been made yet"

# -- upgrades, configuration, erasing, by each method ----------------------------------------------

mixed_old >/dev/null
mixed_new >/dev/null
for version in 1 2; do
    make_pkg "c-$version.rpm" <<END
name c
version $version
dir /c
dir /c/empty
file /c/changed content=version-$version
file /c/conf flags=config content=config-$version
file /c/same flags=config content=same
file /c/kept flags=config,noreplace content=keep-$version
file /c/suid mode=04755 content=suid-$version
file /c/only$version content=x
END
done
methods="batch osync odsync fsync fdatasync"
for method in $methods none batch-syncfs batch-fsync; do
    policy=(--define '_flush_io 1' --define "_flush_io_method ${method%-*}")
    case $method in
    none) policy=(--define '_flush_io none') ;;
    batch-*) policy+=(--define "_flush_io_barrier ${method#*-}") ;;
    fdatasync) policy+=(--define '_flush_io_fallocate 4K' --define '_flush_io_interval 4K') ;;
    esac
    begin "$method"
    both -i m-1.rpm c-1.rpm
    for who in stock shim; do
        echo edited >$who/c/conf
        echo edited >$who/c/kept
        touch -d @1600000001 $who/c/conf $who/c/kept
    done
    both -U m-2.rpm c-2.rpm
    both -e m
    both -U --oldpackage c-1.rpm
    both -e c
done
policy=("${batch[@]}")

# -- a hundred packages ---------------------------------------------------------------------------

for ((i = 1; i <= 100; i++)); do
    for version in 1 2; do
        { printf 'name h%s\nversion %s\ndir /h%s\n' $i $version $i
          for f in 1 2 3; do echo "file /h$i/f$f content=$version-$i-$f"; done
          echo "file /h$i/v$version content=x"; } | make_pkg "h$i-$version.rpm"
    done
done
begin "a hundred packages"
both -i h*-1.rpm
both -U h*-2.rpm
mapfile -t names < <(seq -f 'h%g' 1 100)
both -e "${names[@]}"

# -- scriptlets -------------------------------------------------------------------------------------

# A root whose programs are linked dynamically: where the shim would not be found.
dynamic_root() {
    local program lib
    mkdir -p "$1/bin"
    for program in bash env cat; do
        cp "$(command -v $program)" "$1/bin/"
        for lib in $(ldd "$(command -v $program)" | grep -oE '/[^ ]+'); do
            mkdir -p "$1$(dirname "$lib")"
            cp -L "$lib" "$1$lib"
        done
    done
    sed 's,^#! */.*,#!/bin/bash,' "$(command -v ldd)" >"$1/bin/ldd"
    chmod 755 "$1/bin/ldd"
    ln -sf bash "$1/bin/sh"
}
text='echo\sin\s$0:;env;\sldd\s/bin/bash;ulimit\s-n'
{
    printf 'name s\nversion 1\nfile /s content=s\n'
    for kind in prein postin preun postun pretrans posttrans verify; do
        echo "script $kind /bin/sh $text"
    done
} | make_pkg s-1.rpm
for who in stock shim; do
    rm -rf $who
    dynamic_root $who
done
title=scriptlets
# said ROOT PROGRAM ARGS...: with an environment that holds nothing of the test's.
said() {
    local root=$1
    shift
    run env -i PATH="$PATH" HOME="$HOME" LC_ALL=C KEPT="as it is" \
        "$@" --force-debian --nosignature --dbpath /.rpmdb --root "$PWD/$root" "${batch[@]}"
    { clean out; clean err; echo "status $status"; } >"$root.said"
}
for what in "-i --nodeps s-1.rpm" "-V s" "-e s"; do
    # shellcheck disable=SC2086
    { said stock "$STOCK" $what; said shim "$SHIM" "$STOCK" $what; }
    same "scriptlets: $what" shim.said stock.said
    holds "scriptlets: $what: libraries shown" shim.said 'libc\.so'
    if grep -qE 'LD_PRELOAD|preload|cannot be' shim.said; then fail "scriptlets: $what inherit the shim"; else ok; fi
done
# The control: what is started by the wrapper and is no scriptlet has it.
"$SHIM" env >out
holds "a program has the shim" out '^LD_PRELOAD=.*librpmio-policy-preload.so$'
LD_PRELOAD=/nonexistent.so "$SHIM" env 2>/dev/null >out
holds "before what was there" out '^LD_PRELOAD=.*librpmio-policy-preload.so:/nonexistent.so$'

# In / itself, with a database of its own: a package of scripts alone.
{ printf 'name n\nversion 1\n'; echo "script postin /bin/sh $text"
  echo 'script posttrans <lua> print(os.getenv("LD_PRELOAD"))'; } | make_pkg n-1.rpm
run env "$SHIM" "$STOCK" --force-debian --nosignature --nodeps --dbpath "$WORK/slashdb" "${batch[@]}" -i n-1.rpm
is "scripts alone in /: status" "$status" 0
if grep -qE 'LD_PRELOAD|librpmio-policy' out err; then fail "scripts in / inherit the shim"; else ok; fi
holds "a script in Lua neither" out '^nil$'

# -- system calls -------------------------------------------------------------------------------------

# counted ARGS...: runs the upgrade from c-1 to c-2 under strace; ./trace has its syncs.
counted() {
    begin counted
    run stock_run -i c-1.rpm
    rm -rf shim
    cp -a stock shim
    run strace -f -o trace -e trace=fsync,syncfs,fdatasync,openat,renameat,chroot "$@"
    is "$*: status" "$status" 0
}
count() { grep -cE "$1" trace; }

# The calls that the shim stands for: none more and none less, if the policy is for nothing.
plain=write,pwrite64,dup,renameat,utimensat,fchown,fchmod,fchmodat,unlinkat,mkdirat,symlinkat,linkat
plain+=,fsync,fdatasync,syncfs,fstatfs,sync_file_range,fadvise64,fallocate,readlinkat,chroot
kinds() { sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' trace | sort | uniq -c; }
begin unset
run strace -f -o trace -e trace="$plain" "$STOCK" --force-debian --nosignature --dbpath /.rpmdb \
    --root "$PWD/stock" -i c-1.rpm m-1.rpm
kinds >stock.calls
run strace -f -o trace -e trace="$plain" "$SHIM" "$STOCK" --force-debian --nosignature --dbpath /.rpmdb \
    --root "$PWD/shim" -i c-1.rpm m-1.rpm
kinds >shim.calls
same "unset: calls" shim.calls stock.calls
holds "unset: calls are counted" shim.calls ' renameat$'

counted "$STOCK" --force-debian --nosignature --dbpath /.rpmdb --root "$PWD/shim" -U c-2.rpm
stock_opens=$(count 'O_CREAT\|O_EXCL')
stock_data=$(count fdatasync)
policy=()
counted "$SHIM" "$STOCK" --force-debian --nosignature --dbpath /.rpmdb --root "$PWD/shim" -U c-2.rpm
is "unset: fsync" "$(count 'fsync\(')" 0
is "unset: O_SYNC" "$(count 'O_D?SYNC')" 0
is "unset: fdatasync" "$(count fdatasync)" "$stock_data"
is "unset: syncfs, of the host's /" "$(count 'syncfs\(')" 1
counted "$SHIM" "$STOCK" --force-debian --nosignature --dbpath /.rpmdb --root "$PWD/shim" \
    --define '_flush_io odsync' -U c-2.rpm
is "odsync: files" "$(grep -E ';[0-9a-f]{8}"' trace | grep -c 'O_DSYNC')" "$(grep -cE 'O_EXCL.*;|;[0-9a-f]{8}.*O_EXCL' trace)"
is "odsync: nothing else" "$(grep O_DSYNC trace | grep -vcE ';[0-9a-f]{8}"')" 0
counted "$SHIM" "$STOCK" --force-debian --nosignature --dbpath /.rpmdb --root "$PWD/shim" \
    "${batch[@]}" --define '_flush_io_barrier fsync' -U c-2.rpm
files=$(grep -cE ';[0-9a-f]{8}".*O_EXCL' trace)
[ "$files" -gt 0 ] || fail "no files in the trace"
is "batch: opens as stock's" "$(count 'O_CREAT\|O_EXCL')" "$stock_opens"
is "batch: an fsync for each file before the first rename" \
    "$(sed '/renameat/,$d' trace | grep -c 'fsync(')" "$files"
is "batch: after it two directories, and a file that only gets its attributes" \
    "$(sed '1,/renameat/d; /chroot("\.")/,$d' trace | grep -c 'fsync(')" 3
is "batch: no sync of the host's /" "$(count 'syncfs\(')" 0

# -- few descriptors --------------------------------------------------------------------------------

upgrade_new >/dev/null
begin "few descriptors"
policy=("${batch[@]}" --define '_flush_io_barrier fsync')
limited=$(ulimit -n 40; failed=0; both -i t-2.rpm; [ "$failed" = 0 ] && echo good)
[ "$limited" = good ] && ok || fail "few descriptors: $limited"
policy=("${batch[@]}")

# -- a barrier that fails ------------------------------------------------------------------------------

# failing CALL BARRIER
failing() {
    begin "$1 fails"
    run shim_run -i c-1.rpm
    manifest shim "$since" | grep -v '^c d' >before
    policy+=(--define "_flush_io_barrier $2")
    run timeout 120 strace -f -o trace -e "trace=$1" -e "inject=$1:error=EIO" \
        "$SHIM" "$STOCK" --force-debian --nosignature --dbpath /.rpmdb --root "$PWD/shim" "${policy[@]}" -U c-2.rpm
    [ "$status" -ne 0 ] && [ "$status" -lt 99 ] && ok || fail "$title: exit status $status"
    holds "$title: it is said" err '^error: .*failed: Input/output error'
    manifest shim "$since" | grep -v '^c d' >after
    same "$title: tree" after before
    is "$title: database" "$("$STOCK" --dbpath /.rpmdb --root "$PWD/shim" -qa c --qf '%{VERSION}')" 1
    policy=("${batch[@]}")
}
failing fsync fsync
failing syncfs syncfs

# The control: stock does not notice.
begin "stock"
run stock_run -i c-1.rpm
run timeout 120 strace -f -o trace -e trace=fsync -e inject=fsync:error=EIO \
    "$STOCK" --force-debian --nosignature --dbpath /.rpmdb --root "$PWD/stock" --define '_flush_io 1' -U c-2.rpm
is "stock: status" "$status" 0

# -- wrong settings ---------------------------------------------------------------------------------

begin "an unknown word"
run shim_run --define '_flush_io sometimes' -i c-1.rpm
[ "$status" -ne 0 ] && ok || fail "an unknown word: succeeded"
holds "an unknown word" err "^error: macro %_flush_io: unknown value 'sometimes', accepted are: a number, y"
[ ! -e shim/c ] && ok || fail "an unknown word: something was installed"
finish
