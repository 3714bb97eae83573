/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scriptlets: what of a header runs and what is refused, what a child gets, and what becomes of
 * every failure on the way there. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rpm/rpmdb.h>
#include <rpm/rpmds.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "rpmdb_internal.h"
#include "rpmscript.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"
#include "testinst.h"

/* -- faults ------------------------------------------------------------------------------------ */

/* Call number `faultNth` of `faultCall` fails with `faultError`. */
static const char *faultCall;
static int faultNth, faultError;

static int fault(const char *call)
{
    if (faultCall == NULL || strcmp(call, faultCall) != 0 || --faultNth != 0)
        return 0;
    errno = faultError;
    return 1;
}

#define WRAP(type, name, params, args) \
    type __real_##name params; \
    type __wrap_##name params; \
    type __wrap_##name params \
    { \
        return fault(#name) ? -1 : __real_##name args; \
    }

WRAP(pid_t, fork, (void), ())
WRAP(int, pipe2, (int ends[2], int flags), (ends, flags))
WRAP(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
WRAP(ssize_t, write, (int fd, const void *buf, size_t n), (fd, buf, n))
WRAP(ssize_t, getrandom, (void *buf, size_t n, unsigned flags), (buf, n, flags))
WRAP(int, chroot, (const char *path), (path))
WRAP(int, chdir, (const char *path), (path))
WRAP(int, fchdir, (int fd), (fd))

int __real_openat(int dirfd, const char *path, int flags, mode_t mode);
int __wrap_openat(int dirfd, const char *path, int flags, mode_t mode);
int __wrap_openat64(int dirfd, const char *path, int flags, mode_t mode);
long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
int __real_fcntl(int fd, int cmd, long arg);
int __wrap_fcntl(int fd, int cmd, long arg);
int __wrap_fcntl64(int fd, int cmd, long arg);

int __wrap_openat(int dirfd, const char *path, int flags, mode_t mode)
{
    if ((flags & O_CREAT) && fault("openat"))
        return -1;
    return __real_openat(dirfd, path, flags, mode);
}

int __wrap_openat64(int dirfd, const char *path, int flags, mode_t mode)
{
    return __wrap_openat(dirfd, path, flags, mode);
}

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_close_range && fault("close_range"))
        return -1;
    return __real_syscall(number, a, b, c, d, e, f);
}

int __wrap_fcntl(int fd, int cmd, long arg)
{
    if (cmd == F_DUPFD_CLOEXEC && fault("dup"))
        return -1;
    return __real_fcntl(fd, cmd, arg);
}

int __wrap_fcntl64(int fd, int cmd, long arg)
{
    return __wrap_fcntl(fd, cmd, arg);
}

static void failNext(const char *call, int nth, int error)
{
    faultCall = call;
    faultNth = nth;
    faultError = error;
}

/* -- running one ------------------------------------------------------------------------------- */

static char output[65536];

static Header package(void)
{
    Header h = headerNew();

    headerPutString(h, RPMTAG_NAME, "a");
    headerPutString(h, RPMTAG_VERSION, "1");
    headerPutString(h, RPMTAG_RELEASE, "1");
    headerPutString(h, RPMTAG_ARCH, "noarch");
    headerPutString(h, RPMTAG_OS, "linux");
    headerPutString(h, RPMTAG_SOURCERPM, "a.src.rpm");
    return h;
}

static void readOutput(const char *tree)
{
    char *text = getFile(tree, "out");

    snprintf(output, sizeof(output), "%s", text);
    free(text);
}

static rpmts newSet(const char *rootDir)
{
    rpmts ts = rpmtsCreate();

    rpmtsSetRootDir(ts, rootDir);
    ts->root = rpmRootNew(rootDir);
    assert_non_null(ts->root);
    getrlimit(RLIMIT_NOFILE, &ts->nofile);
    return ts;
}

static void endSet(rpmts ts)
{
    ts->root = rpmRootFree(ts->root);
    rpmtsFree(ts);
}

/* Runs a scriptlet of a header with its output in `output`, its messages in instLog. */
static rpmRC runIn(const char *tree, const char *rootDir, Header h, rpmTagVal tag, int arg1,
                   int arg2, ARGV_const_t prefixes)
{
    rpmts ts = newSet(rootDir);
    rpmScript script = rpmScriptFromTag(h, tag);
    FD_t fd = Fopen(at(tree, "out"), "w.ufdio");
    rpmRC rc;

    assert_non_null(script);
    assert_non_null(fd);
    instLog[0] = '\0';
    rc = rpmScriptRun(script, ts, arg1, arg2, fd, prefixes);
    faultCall = NULL;
    Fclose(fd);
    rpmScriptFree(script);
    endSet(ts);
    readOutput(tree);
    return rc;
}

static rpmRC run(const char *tree, const char *body, int arg1, int arg2)
{
    Header h = package();
    rpmRC rc;

    headerPutString(h, RPMTAG_PREIN, body);
    headerPutString(h, RPMTAG_PREINPROG, "/bin/sh");
    rc = runIn(tree, "/", h, RPMTAG_PREIN, arg1, arg2, NULL);
    headerFree(h);
    return rc;
}

static int setup(void **state)
{
    int rc = instSetup(state);

    faultCall = NULL;
    rpmSetVerbosity(RPMLOG_INFO);
    putDir(*state, "tmp");
    rpmPushMacro(NULL, "_tmppath", NULL, at(*state, "tmp"), RMIL_CMDLINE);
    return rc;
}

static int teardown(void **state)
{
    rpmPopMacro(NULL, "_tmppath");
    rpmSetVerbosity(RPMLOG_NOTICE);
    return instTeardown(state);
}

static void assertNothingLeft(const char *tree)
{
    assert_int_equal(treeCount(at(tree, "tmp"), ""), 0);
}

/* -- what runs --------------------------------------------------------------------------------- */

static void test_arguments(void **state)
{
    const char *tree = *state;

    assert_int_equal(run(tree, "echo \"$#:$*:${0%/rpm-tmp.??????}\"; echo err >&2\n", 2, -1), 0);
    assert_string_equal(instLog, "");
    assert_memory_equal(output, "1:2:", 4);
    assert_memory_equal(output + 4, at(tree, "tmp"), strlen(at(tree, "tmp")));
    assert_string_equal(strchr(output, '\n'), "\nerr\n");
    assert_int_equal(run(tree, "echo \"$*\"", 0, 3), 0);
    assert_string_equal(output, "0 3\n");
    assert_int_equal(run(tree, "echo \"$#\"", -1, -1), 0);
    assert_string_equal(output, "0\n");
    assertNothingLeft(tree);
}

static void test_interpreters(void **state)
{
    const char *tree = *state;
    Header h = package();

    headerPutString(h, RPMTAG_POSTINPROG, "/bin/echo");
    headerPutString(h, RPMTAG_POSTINPROG, "one two");
    assert_int_equal(runIn(tree, "/", h, RPMTAG_POSTIN, 1, -1, NULL), 0);
    assert_string_equal(output, "one two\n");
    headerPutString(h, RPMTAG_POSTIN, "body");
    assert_int_equal(runIn(tree, "/", h, RPMTAG_POSTIN, 1, -1, NULL), 0);
    assert_memory_equal(output, "one two /", 9);
    assert_non_null(strstr(output, " 1\n"));
    headerPutString(h, RPMTAG_POSTUN, "echo \"${RPM_INSTALL_PREFIX-}\"");
    assert_int_equal(runIn(tree, "/", h, RPMTAG_POSTUN, 1, -1, NULL), 0);
    assert_string_equal(output, "\n");
    headerFree(h);
}

static void test_quiet_scriptlets_only_complain(void **state)
{
    rpmSetVerbosity(RPMLOG_NOTICE);
    assert_int_equal(run(*state, "echo out; echo err >&2", 1, -1), 0);
    assert_string_equal(output, "err\n");
}

static void test_environment(void **state)
{
    const char *tree = *state;
    char *prefixes[] = { "/opt", "/usr local", NULL };
    Header h = package();

    setenv("RPM_INSTALL_PREFIX", "stale", 1);
    setenv("SCRIPT_TEST", "kept", 1);
    headerPutString(h, RPMTAG_PREIN,
                    "echo $PATH $SCRIPT_TEST; echo \"$RPM_INSTALL_PREFIX $RPM_INSTALL_PREFIX0 "
                    "$RPM_INSTALL_PREFIX1 ${RPM_INSTALL_PREFIX2-none}\"; pwd; cat; env | "
                    "grep -c ^PATH=");
    assert_int_equal(runIn(tree, "/", h, RPMTAG_PREIN, 1, -1, prefixes), 0);
    assert_string_equal(output, "/sbin:/bin:/usr/sbin:/usr/bin:/usr/X11R6/bin kept\n"
                                "/opt /opt /usr local none\n/\n1\n");
    rpmPushMacro(NULL, "_install_script_path", NULL, "/usr/bin", RMIL_CMDLINE);
    assert_int_equal(run(tree, "echo $PATH", 1, -1), 0);
    assert_string_equal(output, "/usr/bin\n");
    rpmPopMacro(NULL, "_install_script_path");
    unsetenv("RPM_INSTALL_PREFIX");
    unsetenv("SCRIPT_TEST");
    headerFree(h);
}

/* A program that has everything open, blocked, ignored and set. */
static rpmRC runUnclean(const char *tree, Header h)
{
    struct rlimit limit, lower;
    sigset_t all, old;
    rpmts ts = newSet("/");
    rpmScript script = rpmScriptFromTag(h, RPMTAG_PREIN);
    FD_t fd = Fopen(at(tree, "out"), "w.ufdio");
    int leak = open("/dev/null", O_RDONLY);
    rpmRC rc;

    lower = limit = ts->nofile;
    lower.rlim_cur = 500;
    setrlimit(RLIMIT_NOFILE, &lower);
    signal(SIGPIPE, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    rc = rpmScriptRun(script, ts, 1, -1, fd, NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    signal(SIGPIPE, SIG_DFL);
    setrlimit(RLIMIT_NOFILE, &limit);
    faultCall = NULL;
    close(leak);
    Fclose(fd);
    rpmScriptFree(script);
    endSet(ts);
    readOutput(tree);
    return rc;
}

static void test_clean_start(void **state)
{
    Header h = package();
    struct rlimit limit;
    char wanted[100];

    /* Not through a shell: some reset their signals. */
    headerPutString(h, RPMTAG_PREINPROG, "/bin/grep");
    headerPutString(h, RPMTAG_PREINPROG, "-E");
    headerPutString(h, RPMTAG_PREINPROG, "^Sig(Blk|Ign)");
    headerPutString(h, RPMTAG_PREINPROG, "/proc/self/status");
    assert_int_equal(runUnclean(*state, h), 0);
    assert_string_equal(output, "SigBlk:\t0000000000000006\nSigIgn:\t0000000000000000\n");
    headerFree(h);

    h = package();
    headerPutString(h, RPMTAG_PREIN, "ls /proc/self/fd | tr '\\n' ' '; ulimit -n");
    getrlimit(RLIMIT_NOFILE, &limit);
    snprintf(wanted, sizeof(wanted), "0 1 2 3 %llu\n", (unsigned long long) limit.rlim_cur);
    assert_int_equal(runUnclean(*state, h), 0);
    assert_string_equal(output, wanted);
    failNext("close_range", 1, ENOSYS);
    assert_int_equal(runUnclean(*state, h), 0);
    assert_string_equal(output, wanted);
    headerFree(h);
}

static void test_closed_standard_descriptors(void **state)
{
    const char *tree = *state;
    int saved[3];
    rpmRC rc;

    for (int i = 0; i < 3; i++) {
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
        close(i);
    }
    rc = run(tree, "cat; echo out; echo err >&2", 1, -1);
    for (int i = 0; i < 3; i++) {
        dup2(saved[i], i);
        close(saved[i]);
    }
    assert_int_equal(rc, 0);
    assert_string_equal(output, "out\nerr\n");
}

/* Its output goes to nobody, which is no reason to die. */
static void test_reader_gone(void **state)
{
    rpmts ts = newSet("/");
    Header h = package();
    rpmScript script;
    int ends[2], saved = dup(STDOUT_FILENO);
    rpmRC rc;

    (void) state;
    headerPutString(h, RPMTAG_PREIN, "echo out && echo out");
    script = rpmScriptFromTag(h, RPMTAG_PREIN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    rc = rpmScriptRun(script, ts, 1, -1, NULL, NULL);
    dup2(saved, STDOUT_FILENO);
    close(ends[1]);
    close(saved);
    assert_int_equal(rc, 0);
    rpmScriptFree(script);
    headerFree(h);
    endSet(ts);
}

static void test_expansion(void **state)
{
    const char *tree = *state;
    uint32_t flags = RPMSCRIPT_FLAG_EXPAND | RPMSCRIPT_FLAG_QFORMAT;
    Header h = package();

    rpmPushMacro(NULL, "what", NULL, "%%{name}", RMIL_CMDLINE);
    headerPutString(h, RPMTAG_PREIN, "echo '%{what}'");
    assert_int_equal(runIn(tree, "/", h, RPMTAG_PREIN, 1, -1, NULL), 0);
    assert_string_equal(output, "%{what}\n");
    headerPutUint32(h, RPMTAG_PREINFLAGS, &flags, 1);
    assert_int_equal(runIn(tree, "/", h, RPMTAG_PREIN, 1, -1, NULL), 0);
    assert_string_equal(output, "a\n");
    rpmPopMacro(NULL, "what");
    headerDel(h, RPMTAG_PREIN);
    headerPutString(h, RPMTAG_PREIN, "echo '%%{nonsense");
    assert_int_equal(runIn(tree, "/", h, RPMTAG_PREIN, 1, -1, NULL), RPMRC_FAIL);
    assert_memory_equal(instLog, "error: %prein(a-1-1.noarch): ", 29);
    headerFree(h);
}

static void test_trace(void **state)
{
    rpmSetVerbosity(RPMLOG_DEBUG);
    assert_int_equal(run(*state, "true 1", 1, -1), 0);
    assert_string_equal(output, "+ true 1\n");
    assert_memory_equal(instLog, "D: %prein(a-1-1.noarch): scriptlet start\n"
                                 "D: %prein(a-1-1.noarch): execv(/bin/sh) pid ", 85);
    assertNothingLeft(*state);
}

/* -- what fails -------------------------------------------------------------------------------- */

static void assertFails(const char *tree, const char *body, const char *log)
{
    assert_int_equal(run(tree, body, 1, -1), RPMRC_FAIL);
    assert_string_equal(instLog, log);
    assertNothingLeft(tree);
}

static void test_failures(void **state)
{
    const char *tree = *state;
    Header h = package();

    assertFails(tree, "exit 3", "error: %prein(a-1-1.noarch) scriptlet failed, exit status 3\n");
    assertFails(tree, "kill -9 $$", "error: %prein(a-1-1.noarch) scriptlet failed, signal 9\n");
    headerPutString(h, RPMTAG_POSTIN, "exit 1");
    assert_int_equal(runIn(tree, "/", h, RPMTAG_POSTIN, 1, -1, NULL), RPMRC_FAIL);
    assert_string_equal(instLog,
                        "warning: %post(a-1-1.noarch) scriptlet failed, exit status 1\n");
    headerPutString(h, RPMTAG_PREUNPROG, "/no/such");
    assert_int_equal(runIn(tree, "/", h, RPMTAG_PREUN, 1, -1, NULL), RPMRC_FAIL);
    assert_string_equal(instLog,
                        "error: failed to exec scriptlet interpreter /no/such: No such file or "
                        "directory\n"
                        "error: %preun(a-1-1.noarch) scriptlet failed, exit status 127\n");
    headerFree(h);
}

#define TEMP_FAILS "error: Couldn't create temporary file for %prein(a-1-1.noarch): "

static void test_faults(void **state)
{
    const char *tree = *state;
    static const struct {
        const char *call;
        int nth, error;
        const char *log;
    } faults[] = {
        { "fork", 1, EAGAIN,
          "error: Couldn't fork %prein(a-1-1.noarch): Resource temporarily unavailable\n" },
        { "pipe2", 1, EMFILE, "error: Couldn't create pipe: Too many open files\n" },
        { "pipe2", 2, EMFILE, "error: Couldn't create pipe: Too many open files\n" },
        { "dup", 1, EMFILE, "error: Couldn't create pipe: Too many open files\n" },
        { "dup", 4, EMFILE, "error: Couldn't create pipe: Too many open files\n" },
        { "dup", 5, EMFILE, "error: Couldn't duplicate file descriptor: %prein(a-1-1.noarch): "
                            "Too many open files\n" },
        { "dup", 6, EMFILE, "error: Couldn't duplicate file descriptor: %prein(a-1-1.noarch): "
                            "Too many open files\n" },
        { "openat", 1, EROFS, TEMP_FAILS "Read-only file system\n" },
        { "write", 1, ENOSPC, TEMP_FAILS "No space left on device\n" },
        { "getrandom", 1, ENOSYS, TEMP_FAILS "Function not implemented\n" },
        { "chdir", 1, EACCES, "error: Unable to change root directory: Permission denied\n" },
    };

    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        failNext(faults[i].call, faults[i].nth, faults[i].error);
        assertFails(tree, "exit 0", faults[i].log);
        assert_string_equal(output, "");
    }
    failNext("waitpid", 1, ECHILD);
    assert_int_equal(run(tree, "exit 0", 1, -1), RPMRC_FAIL);
    assert_non_null(strstr(instLog, " rc -1: No child processes\n"));
    wait(NULL);
}

static void test_passing_faults(void **state)
{
    const char *tree = *state;

    failNext("openat", 1, EEXIST);
    assert_int_equal(run(tree, "exit 0", 1, -1), 0);
    failNext("write", 1, EINTR);
    assert_int_equal(run(tree, "exit 0", 1, -1), 0);
    failNext("waitpid", 1, EINTR);
    assert_int_equal(run(tree, "exit 0", 1, -1), 0);
    assertNothingLeft(tree);
}

/* Nothing of the host may run for want of a root. */
static void test_no_root(void **state)
{
    const char *tree = *state;
    static const char *const calls[] = { "fchdir", "chroot" };
    Header h = package();

    rpmPushMacro(NULL, "_tmppath", NULL, "/var/tmp", RMIL_CMDLINE);
    headerPutString(h, RPMTAG_PREIN, "echo host");
    for (size_t i = 0; i < 2; i++) {
        failNext(calls[i], 1, EPERM);
        assert_int_equal(runIn(tree, at(tree, "root"), h, RPMTAG_PREIN, 1, -1, NULL), RPMRC_FAIL);
        assert_string_equal(instLog,
                            "error: Unable to change root directory: Operation not permitted\n");
        assert_string_equal(output, "");
    }
    assert_int_equal(treeCount(at(tree, "root"), "rpm-tmp"), 0);
    assert_int_equal(treeCount(at(tree, "root"), "tmp"), 1);
    rpmPopMacro(NULL, "_tmppath");
    headerFree(h);
}

/* -- what is wanted, and what is refused ------------------------------------------------------- */

static void test_wanted(void **state)
{
    static const struct {
        rpmTagVal tag;
        rpmtransFlags without;
    } kinds[] = {
        { RPMTAG_PRETRANS, RPMTRANS_FLAG_NOPRETRANS },
        { RPMTAG_PREIN, RPMTRANS_FLAG_NOPRE },
        { RPMTAG_POSTIN, RPMTRANS_FLAG_NOPOST },
        { RPMTAG_PREUN, RPMTRANS_FLAG_NOPREUN },
        { RPMTAG_POSTUN, RPMTRANS_FLAG_NOPOSTUN },
        { RPMTAG_POSTTRANS, RPMTRANS_FLAG_NOPOSTTRANS },
    };
    const rpmtransFlags never[] = { RPMTRANS_FLAG_NOSCRIPTS, RPMTRANS_FLAG_JUSTDB,
                                    RPMTRANS_FLAG_TEST };

    (void) state;
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++)
            assert_int_equal(rpmScriptIsWanted(kinds[i].tag, kinds[j].without), i != j);
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(rpmScriptIsWanted(kinds[i].tag, never[j]), 0);
    }
    assert_int_equal(rpmScriptIsWanted(RPMTAG_NAME, 0), 0);
}

static void assertRefused(Header h, rpmElementType type, rpmtransFlags flags, const char *wanted)
{
    instLog[0] = '\0';
    assert_int_equal(rpmRefuseScripts(h, type, flags), *wanted ? -1 : 0);
    assert_string_equal(instLog, wanted);
}

#define REFUSED "error: package a-1-1.noarch has "
#define NO_RUN ", which this version does not run: "

static void test_lua(void **state)
{
    Header h = package();

    (void) state;
    assertRefused(h, TR_ADDED, 0, "");
    headerPutString(h, RPMTAG_PREUNPROG, "<lua>");
    headerPutString(h, RPMTAG_POSTIN, "echo");
    headerPutString(h, RPMTAG_POSTINPROG, "/bin/lua");
    assertRefused(h, TR_ADDED, 0, "");
    assertRefused(h, TR_REMOVED, 0,
                  REFUSED "scriptlets in <lua> (%preun)" NO_RUN "--noscripts erases without\n");
    headerPutString(h, RPMTAG_PREIN, "%{echo:expanded}");
    headerPutString(h, RPMTAG_PREINPROG, "<lua>");
    headerPutString(h, RPMTAG_POSTTRANSPROG, "<lua>");
    assertRefused(h, TR_ADDED, 0, REFUSED "scriptlets in <lua> (%pre, %posttrans)" NO_RUN
                                          "--noscripts installs without\n");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_TEST | RPMTRANS_FLAG_NOPRE,
                  REFUSED "scriptlets in <lua> (%posttrans)" NO_RUN
                          "--noscripts installs without\n");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOPRE | RPMTRANS_FLAG_NOPOSTTRANS, "");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOSCRIPTS, "");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_JUSTDB, "");
    assert_int_equal(rpmScriptIsLua(h, RPMTAG_POSTIN), 0);
    assert_int_equal(rpmScriptIsLua(h, RPMTAG_PREIN), 1);
    headerFree(h);
}

static void test_triggers(void **state)
{
    Header h = package();
    uint32_t in = RPMSENSE_TRIGGERIN;
    uint32_t postun = RPMSENSE_TRIGGERPOSTUN;

    (void) state;
    headerPutUint32(h, RPMTAG_TRIGGERFLAGS, &in, 1);
    headerPutUint32(h, RPMTAG_TRIGGERFLAGS, &postun, 1);
    headerPutUint32(h, RPMTAG_TRANSFILETRIGGERFLAGS, &in, 1);
    assertRefused(h, TR_ADDED, 0, REFUSED
                  "triggers (%triggerin, %triggerpostun, %transfiletriggerin)" NO_RUN
                  "--notriggers installs without\n");
    assertRefused(h, TR_REMOVED, RPMTRANS_FLAG_NOTRIGGERIN,
                  REFUSED "triggers (%triggerpostun)" NO_RUN "--notriggers erases without\n");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOTRIGGERIN | RPMTRANS_FLAG_NOTRIGGERPOSTUN, "");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOTRIGGERS, "");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOSCRIPTS, "");
    headerFree(h);
}

static void addTrigger(Header h, const char *name, uint32_t sense, const char *version)
{
    headerPutString(h, RPMTAG_TRIGGERNAME, name);
    headerPutString(h, RPMTAG_TRIGGERVERSION, version);
    headerPutUint32(h, RPMTAG_TRIGGERFLAGS, &sense, 1);
}

static void assertSetOff(rpmts ts, rpmElementType type, rpmtransFlags flags, const char *wanted)
{
    instLog[0] = '\0';
    ts->elements[0]->type = type;
    ts->flags = flags;
    assert_int_equal(rpmRefuseRecordedTriggers(ts), *wanted ? -1 : 0);
    assert_string_equal(instLog, wanted);
}

static Header named(const char *name, const char *version)
{
    Header h = package();

    headerDel(h, RPMTAG_NAME);
    headerDel(h, RPMTAG_VERSION);
    headerPutString(h, RPMTAG_NAME, name);
    headerPutString(h, RPMTAG_VERSION, version);
    return h;
}

/* A set with an element of name and version that has the file /opt/file, and a database of its
 * own. */
static rpmts newTarget(const char *tree, const char *name, const char *version)
{
    rpmts ts = newSet(at(tree, "root"));
    Header h = named(name, version);
    uint32_t zero = 0;
    uint16_t mode = 0100644;
    uint32_t mtime = 1;

    headerPutString(h, RPMTAG_DIRNAMES, "/opt/");
    headerPutString(h, RPMTAG_BASENAMES, "file");
    headerPutUint32(h, RPMTAG_DIRINDEXES, &zero, 1);
    headerPutUint16(h, RPMTAG_FILEMODES, &mode, 1);
    headerPutUint32(h, RPMTAG_FILEMTIMES, &mtime, 1);
    headerPutUint32(h, RPMTAG_FILESIZES, &zero, 1);
    headerPutUint32(h, RPMTAG_FILEFLAGS, &zero, 1);
    headerPutString(h, RPMTAG_FILEUSERNAME, "root");
    headerPutString(h, RPMTAG_FILEGROUPNAME, "root");
    headerPutString(h, RPMTAG_FILELINKTOS, "");
    headerPutString(h, RPMTAG_FILEDIGESTS, "");
    rpmPushMacro(NULL, "_dbpath", NULL, "/db", RMIL_CMDLINE);
    assert_int_equal(rpmtsOpenDB(ts, O_RDWR | O_CREAT), 0);
    rpmPopMacro(NULL, "_dbpath");
    rpmtsSetVSFlags(ts, RPMVSF_NOHDRCHK);
    ts->elements = rcalloc(1, sizeof(*ts->elements));
    ts->elements[0] = rpmteNew(h, TR_ADDED, NULL);
    assert_non_null(ts->elements[0]);
    ts->nelements = 1;
    headerFree(h);
    return ts;
}

static void record(rpmts ts, Header h)
{
    assert_int_equal(rpmdbAdd(rpmtsGetRdb(ts), h), 0);
    headerFree(h);
}

static void test_recorded_triggers(void **state)
{
    rpmts ts = newTarget(*state, "other", "2");
    Header h = named("t", "1");
    uint32_t sense = RPMSENSE_TRIGGERPOSTUN | RPMSENSE_TRIGGERIN;

    assertSetOff(ts, TR_ADDED, 0, "");
    addTrigger(h, "stranger", RPMSENSE_TRIGGERPREIN, "");
    addTrigger(h, "other", RPMSENSE_TRIGGERIN | RPMSENSE_LESS, "2");
    addTrigger(h, "other", RPMSENSE_TRIGGERUN | RPMSENSE_LESS | RPMSENSE_EQUAL, "2");
    record(ts, h);
    assertSetOff(ts, TR_ADDED, 0, "");
    assertSetOff(ts, TR_REMOVED, 0,
                 "error: package t-1-1.noarch has triggers on other-2-1.noarch (%triggerun)" NO_RUN
                 "--notriggers erases without\n");
    assertSetOff(ts, TR_REMOVED, RPMTRANS_FLAG_NOTRIGGERUN, "");
    assertSetOff(ts, TR_REMOVED, RPMTRANS_FLAG_NOTRIGGERS, "");
    assertSetOff(ts, TR_REMOVED, RPMTRANS_FLAG_NOSCRIPTS, "");
    assertSetOff(ts, TR_REMOVED, RPMTRANS_FLAG_JUSTDB, "");

    h = named("f", "1");
    headerPutString(h, RPMTAG_TRANSFILETRIGGERNAME, "/usr");
    headerPutUint32(h, RPMTAG_TRANSFILETRIGGERFLAGS, &sense, 1);
    headerPutString(h, RPMTAG_TRANSFILETRIGGERNAME, "/opt/fi");
    headerPutUint32(h, RPMTAG_TRANSFILETRIGGERFLAGS, &sense, 1);
    record(ts, h);
    assertSetOff(ts, TR_ADDED, 0,
                 "error: package f-1-1.noarch has triggers on other-2-1.noarch "
                 "(%transfiletriggerin)" NO_RUN "--notriggers installs without\n");
    assertSetOff(ts, TR_ADDED, RPMTRANS_FLAG_NOTRIGGERIN, "");
    endSet(ts);
}

/* -- as a step of a transaction ---------------------------------------------------------------- */

static char events[1000];

static void *note(const void *h, const rpmCallbackType what, const rpm_loff_t amount,
                  const rpm_loff_t total, fnpyKey key, rpmCallbackData data)
{
    size_t used = strlen(events);

    (void) h;
    (void) key;
    snprintf(events + used, sizeof(events) - used, "%s %d %d\n",
             what == RPMCALLBACK_SCRIPT_START ? "start" : what == RPMCALLBACK_SCRIPT_STOP
                                                             ? "stop"
                                                             : "error",
             (int) amount, (int) total);
    return what == RPMCALLBACK_SCRIPT_START ? data : NULL;
}

static void test_step(void **state)
{
    const char *tree = *state;
    rpmts ts = newSet("/");
    Header h = package();
    rpmte te;
    FD_t fd;

    headerPutString(h, RPMTAG_PREFIXES, "/opt");
    headerPutString(h, RPMTAG_PREIN, "echo $1 $RPM_INSTALL_PREFIX0; exit 1");
    headerPutString(h, RPMTAG_POSTIN, "exit 1");
    headerPutString(h, RPMTAG_POSTUN, "exit 0");
    te = rpmteNew(h, TR_ADDED, NULL);
    fd = Fopen(at(tree, "out"), "w.ufdio");
    events[0] = '\0';
    rpmtsSetNotifyCallback(ts, note, fd);
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_PREUN, 1), 0);
    assert_int_equal(rpmtsOp(ts, RPMTS_OP_SCRIPTLETS)->count, 0);
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_PREIN, 7), RPMRC_FAIL);
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_POSTIN, 1), 0);
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_POSTUN, 1), 0);
    assert_string_equal(events, "start 1023 0\nstop 1023 2\nerror 1023 2\n"
                                "start 1024 0\nstop 1024 1\nerror 1024 0\n"
                                "start 1026 0\nstop 1026 0\n");
    assert_int_equal(rpmtsOp(ts, RPMTS_OP_SCRIPTLETS)->count, 3);
    ts->flags = RPMTRANS_FLAG_NOPRE;
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_PREIN, 7), 0);
    assert_int_equal(rpmtsOp(ts, RPMTS_OP_SCRIPTLETS)->count, 3);
    Fclose(fd);
    readOutput(tree);
    assert_string_equal(output, "7 /opt\n");
    rpmteFree(te);
    headerFree(h);
    endSet(ts);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_arguments),
        TEST(test_interpreters),
        TEST(test_quiet_scriptlets_only_complain),
        TEST(test_environment),
        TEST(test_clean_start),
        TEST(test_closed_standard_descriptors),
        TEST(test_reader_gone),
        TEST(test_expansion),
        TEST(test_trace),
        TEST(test_failures),
        TEST(test_faults),
        TEST(test_passing_faults),
        TEST(test_no_root),
        TEST(test_wanted),
        TEST(test_lua),
        TEST(test_triggers),
        TEST(test_recorded_triggers),
        TEST(test_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
