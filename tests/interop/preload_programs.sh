#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Other programs that use librpm, under the shim: dnf, which has it opened for itself alone, and a
# program in Python. And the wrapper's own ways: what does not fit is said and runs as if without.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root
SHIM=$BUILD/preload/rpmio-policy
[ -e "$BUILD/preload/librpmio-policy-preload.so" ] || skip "no shim in a build with sanitizers"
since=$(date +%s)
printf '%%_flush_io 1\n%%_flush_io_method batch\n%%_dbpath /.rpmdb\n' >"$HOME/.rpmmacros"
mkdir repo
make_pkg repo/foo-1-1.noarch.rpm <<'END'
name foo
version 1
release 1
arch noarch
require bar
dir /opt/foo
file /opt/foo/big size=3000000 fill=random
file /opt/foo/small content=x
END
make_pkg repo/bar-1-1.noarch.rpm <<'END'
name bar
version 1
release 1
arch noarch
provide bar
file /opt/bar content=x
script postin <lua> print("preload", os.getenv("LD_PRELOAD"))
END

# -- Python ---------------------------------------------------------------------------------------

cat >install.py <<'END'
import os, sys, rpm
ts = rpm.TransactionSet(sys.argv[1])
ts.setVSFlags(rpm._RPMVSF_NOSIGNATURES)
for path in sys.argv[2:]:
    with open(path) as f:
        ts.addInstall(ts.hdrFromFdno(f.fileno()), path, "i")
files = {}
def callback(reason, amount, total, key, data):
    if reason == rpm.RPMCALLBACK_INST_OPEN_FILE:
        files[key] = os.open(key, os.O_RDONLY)
        return files[key]
    if reason == rpm.RPMCALLBACK_INST_CLOSE_FILE:
        os.close(files.pop(key))
    if reason == rpm.RPMCALLBACK_INST_START:
        # A callback's own files are none of the package's.
        with open("journal;0123abcd", "xb") as f:
            f.write(b"x")
            os.fsync(f.fileno())
        os.rename("journal;0123abcd", "journal")
        os.unlink("journal")
problems = ts.run(callback, "")
print(problems, sorted(h["name"] for h in ts.dbMatch()), os.environ.get("KEPT"))
sys.exit(1 if problems else 0)
END
if /usr/bin/python3 -c 'import rpm' 2>/dev/null; then
    for who in stock shim; do
        empty_root $who
        with=()
        [ $who = stock ] || with=("$SHIM")
        KEPT=kept run "${with[@]}" /usr/bin/python3 install.py "$PWD/$who" repo/bar*.rpm repo/foo*.rpm
        is "Python, $who: status" "$status" 0
        cat out err >$who.said
        manifest $who "$since" >$who.list
    done
    same "Python: said" shim.said stock.said
    same "Python: tree" shim.list stock.list
    holds "Python: the script has no shim" shim.said '^preload.*nil'
    empty_root shim
    RPMIO_POLICY_DEBUG=1 run "$SHIM" /usr/bin/python3 install.py "$PWD/shim" repo/bar*.rpm
    holds "Python: what was done is said" err '^rpmio-policy: %_flush_io 1, %_flush_io_method batch$'
    holds "Python: librpm is reached" err '^rpmio-policy: batch on device .*barrier'
else
    skip_part "no python3-rpm"
fi

# -- dnf --------------------------------------------------------------------------------------------

if command -v dnf >/dev/null && command -v createrepo_c >/dev/null; then
    createrepo_c -q repo
    in_root() { # ROOT ARGS...
        local root=$1
        shift
        run "${with[@]}" dnf -y --installroot="$PWD/$root" --releasever=1 --setopt=reposdir=/nonexistent \
            --repofrompath=test,"file://$PWD/repo" --repo=test --nogpgcheck "$@"
    }
    for who in stock shim; do
        empty_root $who
        with=()
        [ $who = stock ] || with=(env RPMIO_POLICY_DEBUG=1 "$SHIM")
        in_root $who install foo
        is "dnf install, $who: status" "$status" 0
        cp err $who.err
        manifest $who "$since" | grep -E '^(opt|etc)' >$who.list
        "$STOCK" --root "$PWD/$who" -qa --qf '%{NEVRA}\n' | sort >>$who.list
    done
    same "dnf install" shim.list stock.list
    holds "dnf install: both packages" shim.list '^foo-1-1.noarch'
    holds "dnf install: librpm is reached" shim.err '^rpmio-policy: batch on device .*barrier'
    in_root shim remove foo bar
    is "dnf remove: status" "$status" 0
    is "dnf remove: nothing is left" "$(find shim/opt -mindepth 1 | wc -l)" 0
    echo 'damaged' >>repo/foo-1-1.noarch.rpm
    with=()
    in_root stock reinstall foo
    theirs=$status
    with=("$SHIM")
    empty_root shim
    in_root shim install foo
    is "dnf, a damaged package: refused" "$([ "$status" != 0 ] && echo refused)" refused
    [ "$theirs" != 0 ] || fail "dnf alone takes the damaged package"
else
    skip_part "no dnf or no createrepo_c"
fi

# -- programs that look names up, or allocate in their own way ---------------------------------------

cat >lookup.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
typedef int (*digest)(int, const char *, int, unsigned char *);
int main(int argc, char **argv)
{
    unsigned char by[2][200] = { "", "" };
    void *lib = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
    digest all = (digest)dlsym(RTLD_DEFAULT, "rpmDoDigest");
    digest own = lib ? (digest)dlsym(lib, "rpmDoDigest") : NULL;
    printf("%d ", all ? all(8, argv[1], 1, by[0]) : -1);
    printf("%d %s %s\n", own ? own(8, argv[1], 1, by[1]) : -1, by[0], by[1]);
    return 0;
}
END
cc lookup.c -o lookup
head -c 3000000 /dev/zero >zeros
sum=$(sha256sum zeros | cut -d' ' -f1)
is "looked up, the library opened for one other" \
    "$("$SHIM" ./lookup "$PWD/zeros" librpmio.so.9)" "0 0 $sum $sum"
is "looked up, no library at all" "$("$SHIM" ./lookup "$PWD/zeros")" "1 -1  "

# As some allocators do: the first allocation reads a file, with a lock held.
cat >allocator.c <<'END'
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char heap[1 << 24];
static size_t used;
static int state;
void *malloc(size_t n)
{
    char *at;
    if (state == 1)
        for (;;)
            pause(); /* what a lock would do that is not recursive */
    if (state == 0) {
        int fd;
        state = 1;
        fd = open("/dev/null", O_RDWR);
        if (write(fd, "x", 1) == 1)
            close(fd);
        state = 2;
    }
    at = heap + used + 16;
    *(size_t *)(at - 16) = n;
    used += (n + 47) / 16 * 16;
    return at;
}
void free(void *ptr) { (void)ptr; }
void *calloc(size_t n, size_t m) { return memset(malloc(n * m), 0, n * m); }
void *realloc(void *ptr, size_t n)
{
    void *new = malloc(n);
    size_t old = ptr ? *(size_t *)((char *)ptr - 16) : 0;
    return ptr ? memcpy(new, ptr, old < n ? old : n) : new;
}
int main(void) { return puts("alive") < 0; }
END
cc -O1 -fno-builtin allocator.c -o allocator
is "an allocator that opens a file" "$(timeout 20 "$SHIM" ./allocator)" alive

# -- the wrapper --------------------------------------------------------------------------------------

run "$SHIM" /nonexistent/x
is "not found: status" "$status" 127
is "not found" "$(cat err)" "rpmio-policy: /nonexistent/x: No such file or directory"
run "$SHIM" "$HOME"
is "no program: status" "$status" 126
is "no program" "$(cat err)" "rpmio-policy: $HOME: Permission denied"
run "$SHIM"
is "no argument: status" "$status" 2
run "$SHIM" sh -c 'exit 3'
is "the status is the command's" "$status" 3
run "$SHIM" --version
holds "version" out '^rpmio-policy [0-9]'

fits() { # NAME PATTERN COMMAND...
    local name=$1 pattern=$2
    shift 2
    RPMIO_POLICY_DEBUG=1 run "$@"
    is "$name: status" "$status" 0
    is "$name: said once" "$(grep -c 'as if without' err)" "$([ -n "$pattern" ] && echo 1 || echo 0)"
    [ -z "$pattern" ] || holds "$name" err "^rpmio-policy: .*: $pattern: it runs as if without$"
    run "$@"
    is "$name: nothing is said by itself" "$(cat err)" ""
}
fits "a program that fits" "" "$SHIM" true
printf '#!/bin/sh\nexit 0\n' >script
chmod 755 script
fits "a script" "" "$SHIM" ./script
if command -v busybox >/dev/null && ! ldd "$(command -v busybox)" >/dev/null 2>&1; then
    fits "static" "it is linked statically" "$SHIM" busybox true
    printf '#!%s sh\nexit 0\n' "$(command -v busybox)" >static-script
    chmod 755 static-script
    fits "a script of it" "it is linked statically" "$SHIM" ./static-script
else
    skip_part "no static busybox"
fi
cp "/bin/true" suid
chmod 4755 suid
chmod 711 "$HOME" "$WORK"
fits "setuid" "it has privileges of its own" as_nobody "$SHIM" "$PWD/suid"
cp "/bin/true" capable
if setcap cap_net_raw+ep capable 2>/dev/null; then
    fits "capabilities" "it has privileges of its own" \
        setpriv --reuid 65534 --regid 65534 --clear-groups "$SHIM" "$PWD/capable"
fi
finish
