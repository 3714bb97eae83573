/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shim's calls one by one: bad descriptors, cancellation, children, the environment, names. */

#include "preload_fixture.h"

#include <dlfcn.h>
#include <sys/wait.h>

static void test_temporary_names(void **state)
{
    (void)state;
    assert_true(shimTempName("a;0123abcd"));
    assert_true(shimTempName("/usr/bin/a;0123abcd"));
    assert_false(shimTempName("a;0123abc"));
    assert_false(shimTempName("a;0123abcg"));
    assert_false(shimTempName("a;0123ABCD"));
    assert_false(shimTempName("a0123abcd"));
    assert_false(shimTempName(";0123abcd"));
    assert_false(shimTempName("/;0123abcd"));
    assert_false(shimTempName(""));
    assert_true(shimMovedAway("/etc/x-RPMDELETE"));
    assert_false(shimMovedAway("-RPMDELETE"));
    assert_false(shimMovedAway("x-RPMDELETE;0123abcd"));
}

static void checkBadDescriptors(void)
{
    static const char byte = 'x';

    assert_int_equal(sys.close(-1), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys.fsync(9999), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys.fdatasync(9999), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys.syncfs(9999), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys.write(9999, &byte, 1), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys.dup(9999), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys.futimens(9999, NULL), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys.openat(9999, "a" TID, O_WRONLY | O_CREAT | O_EXCL, 0600), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys.renameat(9999, "a", 9999, "b"), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys.unlinkat(9999, "a", 0), -1);
    assert_int_equal(errno, EBADF);
}

static int inHand(void)
{
    checkBadDescriptors();
    return 0;
}

static int oneInHand(void)
{
    return rpmPackageFilesInstall(NULL, NULL, NULL, NULL, NULL);
}

static void test_bad_descriptors(void **state)
{
    static const char *const methods[] = { "batch", "odsync", "fdatasync" };

    (void)state;
    checkBadDescriptors();
    transaction = oneInHand;
    package = inHand;
    for (size_t i = 0; i < 3; i++) {
        policy(methods[i]);
        assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    }
    macros[0][1] = "none";
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
}

static int syncsOfOthers(void)
{
    int theirs = someFile("history", O_RDWR | O_CREAT);
    int touched;

    writeTemp418("a");
    touched = someFile("history", O_RDONLY);
    calls[0] = '\0';
    assert_int_equal(sys.fsync(dirfd), 0);
    assert_int_equal(sys.fsync(touched), 0);
    assert_string_equal(calls, "");
    assert_int_equal(sys.fsync(theirs), 0);
    assert_int_equal(sys.fdatasync(theirs), 0);
    assert_string_equal(calls, "fsync fdatasync");
    sys.close(theirs);
    sys.close(touched);
    return commit418("a");
}

static void test_files_of_others_are_synced(void **state)
{
    (void)state;
    policy("batch");
    transaction = oneInHand;
    package = syncsOfOthers;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
}

static int reusesNumber(void)
{
    int fd = sys.openat(dirfd, "a" TID, O_WRONLY | O_CREAT | O_EXCL, 0600);
    int again;

    /* Closed where the shim does not see it. */
    real.close(fd);
    again = sys.openat(dirfd, "b" TID, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_int_equal(again, fd);
    assert_int_equal(sys.write(again, "x", 1), 1);
    sys.close(again);
    return commit418("a") || commit418("b");
}

static void test_number_is_reused(void **state)
{
    (void)state;
    policy("batch");
    transaction = oneInHand;
    package = reusesNumber;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(calls, "fsync rename rename fsync-dir");
}

/* ---- Threads and children ---- */

static void *writeForEver(void *data)
{
    static char block[65536];

    for (;;)
        (void)!sys.write(*(int *)data, block, sizeof(block));
    return NULL;
}

static void test_write_is_a_cancellation_point(void **state)
{
    int ends[2];
    pthread_t thread;
    void *result = NULL;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pthread_create(&thread, NULL, writeForEver, &ends[1]), 0);
    pthread_cancel(thread);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    sys.close(ends[0]);
    sys.close(ends[1]);
}

static int forks(void)
{
    int status = -1;
    pid_t pid;

    writeTemp418("a");
    pid = fork();
    if (pid == 0) {
        int fd = sys.openat(dirfd, "script" TID, O_WRONLY | O_CREAT | O_EXCL, 0600);
        bool inert = shimRun == NULL && fd >= 0 && sys.close(fd) == 0;

        _exit(inert ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(shimRun->scripts);
    return commit418("a");
}

static void test_child_is_left_alone(void **state)
{
    (void)state;
    policy("batch");
    transaction = oneInHand;
    package = forks;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(calls, "fsync rename fsync-dir syncfs");
}

/* A child of vfork() closes what is its parent's, in its parent's memory. */
static int vforks(void)
{
    int fd = sys.openat(dirfd, "a" TID, O_WRONLY | O_CREAT | O_EXCL, 0600);
    int status = -1;
    pid_t pid = vfork();

    if (pid == 0) {
        sys.close(fd);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(sys.write(fd, "hello", 5), 5);
    assert_int_equal(sys.close(fd), 0);
    return commit418("a");
}

static void test_child_of_vfork_closes_nothing_of_ours(void **state)
{
    (void)state;
    policy("batch");
    transaction = oneInHand;
    package = vforks;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(calls, "fsync rename fsync-dir");
}

static void *otherThread(void *data)
{
    int fd = sys.openat(dirfd, "other", O_WRONLY | O_CREAT | O_EXCL, 0600);

    *(bool *)data = shimRun == NULL && fd >= 0 && fsync(fd) == 0 && close(fd) == 0;
    return NULL;
}

static int withThread(void)
{
    pthread_t thread;
    bool good = false;

    calls[0] = '\0';
    assert_int_equal(pthread_create(&thread, NULL, otherThread, &good), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(good);
    assert_string_equal(calls, "fsync");
    return 0;
}

static void test_other_threads_are_left_alone(void **state)
{
    (void)state;
    policy("batch");
    transaction = oneInHand;
    package = withThread;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
}

/* ---- The environment ---- */

static const char *inherited;

static int lookAtEnvironment(void)
{
    inherited = getenv("LD_PRELOAD");
    return 0;
}

/* The path of the code of the shim: of this program, here. */
static const char *ownPath(void)
{
    Dl_info info;

    assert_true(dladdr((void *)&shimReal, &info));
    return info.dli_fname;
}

static void test_scripts_do_not_inherit_the_shim(void **state)
{
    char value[8192];

    (void)state;
    transaction = lookAtEnvironment;
    snprintf(value, sizeof(value), "%s:/lib/other.so", ownPath());
    setenv("LD_PRELOAD", value, 1);
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(inherited, "/lib/other.so");
    assert_string_equal(getenv("LD_PRELOAD"), value);

    setenv("LD_PRELOAD", ownPath(), 1);
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_null(inherited);
    assert_string_equal(getenv("LD_PRELOAD"), ownPath());

    setenv("LD_PRELOAD", "/lib/other.so", 1);
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(inherited, "/lib/other.so");

    unsetenv("LD_PRELOAD");
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_null(inherited);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(temporary_names),
        T(bad_descriptors),
        T(files_of_others_are_synced),
        T(number_is_reused),
        T(write_is_a_cancellation_point),
        T(child_is_left_alone),
        T(child_of_vfork_closes_nothing_of_ours),
        T(other_threads_are_left_alone),
        T(scripts_do_not_inherit_the_shim),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
