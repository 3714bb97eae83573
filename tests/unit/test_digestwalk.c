/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpmdigest: walking trees, and opening what is in them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "rpmdigest.h"
#include "testtree.h"

static char seen[4096];

static void note(void *data, const char *path, mode_t type)
{
    size_t len = strlen(seen);

    snprintf(seen + len, sizeof(seen) - len, "%s%c\n", path + strlen(data),
             S_ISREG(type) ? ' ' : S_ISLNK(type) ? '@' : '|');
}

/* The order is that of the paths' bytes, not that of the names': '-' and '.' are before '/'. */
static void test_order(void **state)
{
    const char *tree = *state;

    putDir(tree, "a");
    putFile(tree, "a/x", "");
    putDir(tree, "a/b");
    putFile(tree, "a/b/y", "");
    putFile(tree, "a-b", "");
    putFile(tree, "a.b", "");
    putFile(tree, "a0", "");
    putFile(tree, "new\nline", "");
    putDir(tree, "empty");
    putLink(tree, "link", "a");
    assert_int_equal(mkfifo(at(tree, "pipe"), 0600), 0);
    seen[0] = '\0';
    walkTree(tree, note, (void *)tree);
    assert_string_equal(seen, "/a-b \n/a.b \n/a/b/y \n/a/x \n/a0 \n/link@\n/new\nline \n/pipe|\n");
    assert_int_equal(finalStatus(), STATUS_RIGHT);
}

static void test_paths(void **state)
{
    char *path;

    (void)state;
    path = joinPath("/", "a");
    assert_string_equal(path, "/a");
    free(path);
    path = joinPath("d//", "a");
    assert_string_equal(path, "d//a");
    free(path);
}

static int openAs(const char *path, bool inTree, uint64_t size, enum jobFault fault)
{
    struct digestJob *job = newJob(path, NULL, NULL);
    int fdno;

    job->inTree = inTree;
    job->wantSize = size;
    fdno = openJob(job, path);
    assert_int_equal(job->fault, fault);
    freeJob(job);
    if (fdno < 0)
        return errno;
    close(fdno);
    return 0;
}

/* Nothing here may wait: the FIFO has no writer. */
static void test_opening(void **state)
{
    const char *tree = *state;

    putFile(tree, "file", "1234567");
    putLink(tree, "to-file", "file");
    putLink(tree, "to-nothing", "nothing");
    assert_int_equal(mkfifo(at(tree, "fifo"), 0600), 0);
    assert_int_equal(openAs(at(tree, "file"), false, SIZE_UNKNOWN, FAULT_NONE), 0);
    assert_int_equal(openAs(at(tree, "file"), true, 7, FAULT_NONE), 0);
    assert_int_equal(openAs(at(tree, "file"), true, 6, FAULT_SIZE), EINVAL);
    assert_int_equal(openAs(at(tree, "file"), false, 8, FAULT_SIZE), EINVAL);
    assert_int_equal(openAs(at(tree, "to-file"), false, SIZE_UNKNOWN, FAULT_NONE), 0);
    assert_int_equal(openAs(at(tree, "to-file"), true, SIZE_UNKNOWN, FAULT_NONE), ELOOP);
    assert_int_equal(openAs(at(tree, "to-nothing"), false, SIZE_UNKNOWN, FAULT_NONE), ENOENT);
    assert_int_equal(openAs(at(tree, "fifo"), false, SIZE_UNKNOWN, FAULT_TYPE), EINVAL);
    assert_int_equal(openAs(at(tree, "fifo"), true, SIZE_UNKNOWN, FAULT_TYPE), EINVAL);
    assert_int_equal(openAs("/dev/zero", false, SIZE_UNKNOWN, FAULT_TYPE), EINVAL);
    assert_int_equal(openAs(tree, false, SIZE_UNKNOWN, FAULT_NONE), EISDIR);
    assert_int_equal(openAs(at(tree, "file/x"), false, SIZE_UNKNOWN, FAULT_NONE), ENOTDIR);
}

/* A pipe that this process has open already is read as a file is. */
static void test_own_descriptor(void **state)
{
    char path[64], c;
    int fds[2], fdno;
    struct digestJob *job;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    snprintf(path, sizeof(path), "/dev/fd/%d", fds[0]);
    job = newJob(path, NULL, NULL);
    fdno = openJob(job, path);
    assert_true(fdno >= 0);
    assert_int_equal(fcntl(fdno, F_GETFL) & O_NONBLOCK, 0);
    assert_int_equal(read(fdno, &c, 1), 1);
    close(fdno);
    close(fds[0]);
    close(fds[1]);
    freeJob(job);
}

static void test_second_name(void **state)
{
    const char *tree = *state;
    struct digestJob *job = newJob(at(tree, "a%20b"), NULL, NULL);
    int fdno;

    job->otherPath = strdup(at(tree, "a b"));
    assert_int_equal(openJob(job, job->path), -1);
    assert_int_equal(errno, ENOENT);
    putFile(tree, "a b", "12");
    job->wantSize = 2;
    fdno = openJob(job, job->path);
    assert_true(fdno >= 0);
    close(fdno);
    putFile(tree, "a%20b", "1");
    assert_int_equal(openJob(job, job->path), -1);
    assert_int_equal(job->fault, FAULT_SIZE);
    freeJob(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, treeSetup, treeTeardown),
        cmocka_unit_test(test_paths),
        cmocka_unit_test_setup_teardown(test_opening, treeSetup, treeTeardown),
        cmocka_unit_test(test_own_descriptor),
        cmocka_unit_test_setup_teardown(test_second_name, treeSetup, treeTeardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
