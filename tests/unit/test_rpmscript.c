/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running a scriptlet: what a child gets, and what becomes of every failure on the way there. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "script_fixture.h"

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
    faultCall = NULL;
    return scriptSetup(state);
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, scriptTeardown)

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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
