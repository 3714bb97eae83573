/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lock of those who write. The other process is a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmlock.h"
#include "testtree.h"

#define LOCK_NAME "/lib/rpm/.rpm.lock"
#define LOCK "/var" LOCK_NAME

static const char *tree;
static char *output;
static int terminal;

int __wrap_isatty(int fd);

int __wrap_isatty(int fd)
{
    (void)fd;
    return terminal;
}

static int keep(rpmlogRec rec, rpmlogCallbackData data)
{
    (void)data;
    rstrcat(&output, rpmlogRecMessage(rec));
    return 0;
}

static int setup(void **state)
{
    if (treeSetup(state) != 0)
        return -1;
    tree = *state;
    rpmlogSetCallback(keep, NULL);
    return 0;
}

static int fresh(void **state)
{
    (void)state;
    output = rfree(output);
    terminal = 0;
    return 0;
}

/* In another process: 0 if it gets the lock, 1 if not with the right message, 2 otherwise. */
static int other(void)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        rpmlock lock = rpmlockNewAcquire(tree, LOCK, "transaction");
        int said = output != NULL && strstr(output, "can't create transaction lock on ") &&
            strstr(output, LOCK " (Resource temporarily unavailable)\n");
        _exit(lock != NULL ? 0 : said ? 1 : 2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
}

static void testLock(void **state)
{
    rpmlock lock = rpmlockNewAcquire(tree, LOCK, "transaction");
    struct stat sb;

    (void)state;
    assert_non_null(lock);
    assert_null(output);
    assert_int_equal(stat(at(tree, "var" LOCK_NAME), &sb), 0);
    assert_int_equal(sb.st_mode, S_IFREG | 0644);
    assert_int_equal(other(), 1);
    assert_null(rpmlockFree(lock));
    assert_int_equal(other(), 0);
    assert_null(rpmlockFree(NULL));
}

/* On a terminal, the one that waits gets it when the other's descriptor is gone. */
static void testWait(void **state)
{
    int ready[2];
    char c;
    pid_t pid;
    rpmlock lock;

    (void)state;
    terminal = 1;
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        if (rpmlockNewAcquire(tree, LOCK, "transaction") == NULL || write(ready[1], "x", 1) != 1)
            _exit(1);
        usleep(300000);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    lock = rpmlockNewAcquire(tree, LOCK, "transaction");
    assert_non_null(lock);
    assert_non_null(output);
    assert_non_null(strstr(output, "waiting for transaction lock on "));
    rpmlockFree(lock);
    waitpid(pid, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}

static void assertRefused(const char *prefix, const char *path, const char *why)
{
    assert_null(rpmlockNewAcquire(prefix, path, "transaction"));
    assert_non_null(strstr(output, why));
    output = rfree(output);
}

static void testRefused(void **state)
{
    (void)state;
    assertRefused(at(tree, "nowhere"), LOCK, "(No such file or directory)\n");
    putFile(tree, "file", "");
    assertRefused(tree, "/file/x/.rpm.lock", "(Not a directory)\n");
    putDir(tree, "d");
    putLink(tree, "d/.rpm.lock", "../file");
    assertRefused(tree, "/d/.rpm.lock", "/d/.rpm.lock (Too many levels of symbolic links)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(testLock, fresh),
        cmocka_unit_test_setup(testWait, fresh),
        cmocka_unit_test_setup(testRefused, fresh),
    };

    return cmocka_run_group_tests(tests, setup, treeTeardown);
}
