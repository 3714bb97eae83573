/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch: which system calls before, at and after its barriers, and what a failure of each does. */

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rpm/rpmflush.h>

#include "flushwrap.h"

#define INTERVAL 65536

static char bytes[8 * INTERVAL];
static char dir[64];
static int dirFd;

static int start(void **state)
{
    (void)state;
    snprintf(dir, sizeof(dir), "/tmp/test_rpmflush_batch.XXXXXX");
    assert_non_null(mkdtemp(dir));
    dirFd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    wrapReset();
    return dirFd < 0;
}

static int removeOne(const char *path, const struct stat *sb, int type, struct FTW *ftw)
{
    (void)sb, (void)type, (void)ftw;
    return remove(path);
}

static int stop(void **state)
{
    (void)state;
    __real_close(dirFd);
    return nftw(dir, removeOne, 8, FTW_DEPTH | FTW_PHYS);
}

static rpmFlushPolicy policyOf(rpmFlushBarrierBy barrier)
{
    rpmFlushPolicy policy;

    rpmFlushPolicyInit(&policy);
    assert_int_equal(rpmFlushPolicyParse(&policy, "_flush_io", "batch", NULL), 0);
    policy.barrier = barrier;
    policy.interval = INTERVAL;
    return policy;
}

/* Told of the filesystem, which pretends to be ext4. */
static rpmFlush flushOf(rpmFlushBarrierBy barrier)
{
    rpmFlushPolicy policy = policyOf(barrier);
    rpmFlush flush = rpmFlushNew(&policy);

    assert_int_equal(rpmFlushWillWrite(flush, dirFd, dir), 0);
    return flush;
}

static const char *nameOf(int i)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%d", dir, i);
    return path;
}

/* Write file i, size bytes; its label is its path. Returns the number that it had. */
static int writeFile(rpmFlush flush, int i, size_t size)
{
    int fd = open(nameOf(i), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    rpmFlushFile file;

    assert_true(fd >= 0);
    assert_int_equal(rpmFlushFileNew(flush, fd, (int64_t)size, nameOf(i), &file), 0);
    assert_int_equal(rpmFlushFileWrite(file, bytes, size), size);
    assert_int_equal(rpmFlushFileClose(file), 0);
    rpmFlushFileFree(file);
    return fd;
}

static void writeFiles(rpmFlush flush, int n)
{
    for (int i = 0; i < n; i++)
        writeFile(flush, i, 100);
}

static int isOpen(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* The calls so far, probes and writes left out, and forget them. */
static void callsAre(const char *wanted)
{
    char seen[sizeof(wrapLog)];
    size_t n = 0;

    for (const char *c = wrapLog; *c != '\0'; c++) {
        if (*c != 'p' && *c != 'w')
            seen[n++] = *c;
    }
    seen[n] = '\0';
    assert_string_equal(seen, wanted);
    memset(wrapLog, 0, sizeof(wrapLog));
}

static void countsAre(int syncs, int syncfses, int closes)
{
    assert_int_equal(wraps[W_FSYNC].calls, syncs);
    assert_int_equal(wraps[W_SYNCFS].calls, syncfses);
    assert_int_equal(wraps[W_CLOSE].calls, closes);
}

static void reportHas(rpmFlush flush, const char *wanted)
{
    char *text = rpmFlushReport(flush);

    if (strstr(text, wanted) == NULL)
        fail_msg("no '%s' in '%s'", wanted, text);
    free(text);
}

static void errorIs(rpmFlush flush, const char *label, const char *rest)
{
    char *error = rpmFlushTakeError(flush);
    char wanted[256];

    snprintf(wanted, sizeof(wanted), "%s: %s", label, rest);
    assert_string_equal(error, wanted);
    free(error);
}

/* ---- The barriers ---- */

static void test_fsync_holds_until_the_barrier(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    int first, second;

    (void)state;
    first = writeFile(flush, 0, 100);
    second = writeFile(flush, 1, 100);
    callsAre("");
    assert_true(isOpen(first) && isOpen(second));
    assert_int_equal(rpmFlushDirty(flush), 200);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(2, 0, 2);
    assert_false(isOpen(first) || isOpen(second));
    assert_int_equal(rpmFlushDirty(flush), 0);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(2, 0, 2);
    reportHas(flush, "(ext4): fsync barrier, 2 files (as set)\n");
    rpmFlushFree(flush);
}

static void test_syncfs_closes_at_once_and_is_one_call(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);
    int fd = writeFile(flush, 0, 100);

    (void)state;
    assert_false(isOpen(fd));
    writeFiles(flush, 40);
    memset(wrapLog, 0, sizeof(wrapLog));
    assert_int_equal(rpmFlushBarrier(flush), 0);
    callsAre("S");
    assert_int_equal(rpmFlushBarrier(flush), 0);
    callsAre("");
    reportHas(flush, "(ext4): syncfs barrier, 41 files (as set)\n");
    rpmFlushFree(flush);
}

static void test_nothing_written_nothing_synced(void **state)
{
    (void)state;
    for (int by = RPMFLUSH_BARRIER_AUTO; by <= RPMFLUSH_BARRIER_SYNCFS; by++) {
        rpmFlush flush = flushOf((rpmFlushBarrierBy)by);

        assert_int_equal(rpmFlushBarrier(flush), 0);
        assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
        countsAre(0, 0, 0);
        rpmFlushFree(flush);
        wrapReset();
    }
}

/* ---- Errors ---- */

static void test_a_failed_fsync_names_its_file(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);

    (void)state;
    writeFile(flush, 0, 100);
    wrapFail(W_FSYNC, 1, 1, EIO);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    assert_int_equal(errno, EIO);
    errorIs(flush, nameOf(0), "fsync failed: Input/output error");
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(1, 0, 1);
    rpmFlushFree(flush);
}

static void test_a_failed_syncfs_names_the_culprit(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);

    (void)state;
    writeFile(flush, 0, 100);
    wrapFail(W_SYNCFS, 1, 1, EIO);
    wrapFail(W_FSYNC, 1, 1, EIO);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    errorIs(flush, nameOf(0), "fsync failed: Input/output error");
    assert_int_equal(rpmFlushBarrier(flush), 0);
    rpmFlushFree(flush);
}

static void test_an_error_of_no_file_is_the_filesystems(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);

    (void)state;
    writeFiles(flush, 3);
    wrapFail(W_SYNCFS, 1, 1, ENOSPC);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(wraps[W_FSYNC].calls, 3);
    errorIs(flush, dir, "syncfs failed: No space left on device");
    rpmFlushFree(flush);
}

/* ---- What else changed ---- */

static void test_names_are_synced_at_the_second_barrier(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    int path = open(dir, O_PATH | O_DIRECTORY);

    (void)state;
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
    assert_int_equal(rpmFlushTouch(flush, path, dir, RPMFLUSH_TOUCH_NAMES), 0);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(0, 0, 0);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(1, 0, 1);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(1, 0, 1);
    __real_close(path);
    rpmFlushFree(flush);
}

static void test_the_end_syncs_each_filesystem_once(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);

    (void)state;
    assert_int_equal(rpmFlushWillWrite(flush, dirFd, dir), 0);
    assert_int_equal(rpmFlushSyncAll(flush), 0);
    assert_int_equal(wraps[W_SYNCFS].calls, 1);
    assert_int_equal(rpmFlushSyncAll(flush), 0);
    assert_int_equal(wraps[W_SYNCFS].calls, 1);
    assert_int_equal(rpmFlushWillWrite(flush, dirFd, dir), 0);
    wrapFail(W_SYNCFS, 2, 1, EIO);
    assert_int_equal(rpmFlushSyncAll(flush), -1);
    assert_int_equal(errno, EIO);
    errorIs(flush, dir, "syncfs failed: Input/output error");
    rpmFlushFree(flush);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fsync_holds_until_the_barrier, start, stop),
        cmocka_unit_test_setup_teardown(test_syncfs_closes_at_once_and_is_one_call, start, stop),
        cmocka_unit_test_setup_teardown(test_nothing_written_nothing_synced, start, stop),
        cmocka_unit_test_setup_teardown(test_a_failed_fsync_names_its_file, start, stop),
        cmocka_unit_test_setup_teardown(test_a_failed_syncfs_names_the_culprit, start, stop),
        cmocka_unit_test_setup_teardown(test_an_error_of_no_file_is_the_filesystems, start, stop),
        cmocka_unit_test_setup_teardown(test_names_are_synced_at_the_second_barrier, start, stop),
        cmocka_unit_test_setup_teardown(test_the_end_syncs_each_filesystem_once, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
