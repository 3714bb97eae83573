/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch: names and attributes, the page cache after a barrier, the end of a transaction. */

#include "batch_fixture.h"

/* ---- What else changed ---- */

static void test_names_are_synced_at_the_second_barrier(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    int path = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int before = inUse();

    (void)state;
    assert_int_equal(rpmFlushTouch(flush, path, dir, RPMFLUSH_TOUCH_NAMES), 0);
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_ATTRS), 0);
    assert_int_equal(inUse(), before + 1);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 0, 0);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 1, 0);
    assert_int_equal(inUse(), before);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 1, 0);
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 2, 0);
    __real_close(path);
    rpmFlushFree(flush);
}

static void test_nodes_are_synced_at_the_first(void **state)
{
    (void)state;
    for (int by = RPMFLUSH_BARRIER_FSYNC; by <= RPMFLUSH_BARRIER_SYNCFS; by++) {
        rpmFlush flush = flushOf((rpmFlushBarrierBy)by);
        int bySyncFs = by == RPMFLUSH_BARRIER_SYNCFS;

        assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NODE), 0);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        countsAre(flush, !bySyncFs, bySyncFs);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
        countsAre(flush, !bySyncFs, bySyncFs);
        rpmFlushFree(flush);
        wrapReset();
    }
}

/* btrfs: whatever is set, where nodes were made or attributes changed. */
static void test_btrfs_takes_syncfs_for_more_than_contents(void **state)
{
    static const struct {
        int node, names, attrs;
        int syncs[2], syncfses[2];
    } cases[] = {
        { 0, 0, 0, { 1, 1 }, { 0, 0 } }, { 0, 1, 0, { 1, 2 }, { 0, 0 } },
        { 1, 0, 0, { 0, 0 }, { 1, 1 } }, { 1, 1, 0, { 0, 0 }, { 1, 2 } },
        { 0, 0, 1, { 1, 1 }, { 0, 1 } }, { 0, 1, 1, { 1, 1 }, { 0, 1 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rpmFlush flush;

        wrapReset();
        wrapFsType = BTRFS;
        flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
        writeFiles(flush, 1);
        if (cases[i].node)
            assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NODE), 0);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        countsAre(flush, cases[i].syncs[0], cases[i].syncfses[0]);
        if (cases[i].names)
            assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
        if (cases[i].attrs)
            assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_ATTRS), 0);
        assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
        countsAre(flush, cases[i].syncs[1], cases[i].syncfses[1]);
        writeFiles(flush, 1);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        countsAre(flush, cases[i].syncs[1] + 1, cases[i].syncfses[1]);
        rpmFlushFree(flush);
    }
}

static void test_many_directories_are_one_syncfs_for_auto(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_AUTO);

    (void)state;
    for (int i = 0; i < 17; i++) {
        int fd;

        assert_int_equal(mkdir(nameOf(i), 0700), 0);
        fd = open(nameOf(i), O_RDONLY | O_DIRECTORY);
        assert_int_equal(rpmFlushTouch(flush, fd, nameOf(i), RPMFLUSH_TOUCH_NAMES), 0);
        __real_close(fd);
    }
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 0, 1);
    rpmFlushFree(flush);
}

static void test_what_cannot_be_opened_takes_syncfs_if_it_may(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    int fd;

    (void)state;
    writeFiles(flush, 1);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    fd = open(nameOf(0), O_PATH);
    assert_int_equal(rpmFlushTouch(flush, fd, nameOf(0), RPMFLUSH_TOUCH_ATTRS), 0);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 1, 1);
    rpmFlushFree(flush);
    wrapReset();
    wrapFsType = TMPFS;
    flush = flushOf(RPMFLUSH_BARRIER_AUTO);
    assert_int_equal(rpmFlushTouch(flush, fd, nameOf(0), RPMFLUSH_TOUCH_ATTRS), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(rpmFlushTouch(flush, -1, "none", RPMFLUSH_TOUCH_ATTRS), -1);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 0, 0);
    __real_close(fd);
    rpmFlushFree(flush);
}

static void touchDirectory(rpmFlush flush, int i)
{
    int fd = open(nameOf(i), O_PATH | O_DIRECTORY);

    assert_int_equal(rpmFlushTouch(flush, fd, nameOf(i), RPMFLUSH_TOUCH_NAMES), 0);
    __real_close(fd);
}

/* At the limit the label has to do, where a syncfs cannot. */
static void test_at_the_limit_directories_are_opened_by_label(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_FSYNC);
    rpmFlush flush;

    (void)state;
    policy.pending = 2;
    wrapFsType = TMPFS;
    flush = flushBy(&policy);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(mkdir(nameOf(i), 0700), 0);
        touchDirectory(flush, i);
    }
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 5, 0);
    rpmFlushFree(flush);
}

/* One that was removed meanwhile needs no sync; one that cannot be opened otherwise fails. */
static void test_at_the_limit_directories_may_go(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_FSYNC);
    rpmFlush flush;

    (void)state;
    policy.pending = 1;
    wrapFsType = TMPFS;
    flush = flushBy(&policy);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mkdir(nameOf(i), 0700), 0);
        touchDirectory(flush, i);
    }
    assert_int_equal(rmdir(nameOf(0)), 0);
    assert_int_equal(rmdir(nameOf(2)), 0);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 2, 0);
    touchDirectory(flush, 1);
    assert_int_equal(mkdir(nameOf(2), 0700), 0);
    touchDirectory(flush, 2);
    assert_int_equal(rmdir(nameOf(2)), 0);
    assert_int_equal(symlink(".", nameOf(2)), 0);
    assert_int_equal(rpmFlushTouchedBarrier(flush), -1);
    errorIs(flush, nameOf(2), "cannot be opened to be synced: Too many levels of symbolic links");
    rpmFlushFree(flush);
}

/* A directory that its owner, who is not root, cannot open for reading. */
static int touchUnreadable(rpmFlush flush, int i)
{
    uid_t uid = geteuid();
    int fd, rc;

    assert_int_equal(mkdir(nameOf(i), 0700), 0);
    fd = open(nameOf(i), O_PATH | O_DIRECTORY);
    assert_int_equal(chmod(nameOf(i), 0300), 0);
    if (uid == 0)
        assert_int_equal(seteuid(65534), 0);
    rc = rpmFlushTouch(flush, fd, nameOf(i), RPMFLUSH_TOUCH_NAMES);
    if (uid == 0)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(rc == 0 || errno == EACCES, 1);
    __real_close(fd);
    return rc;
}

/* One syncfs for all of them, whatever it promises otherwise. */
static void test_unreadable_directories_take_syncfs(void **state)
{
    rpmFlush flush;
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_FSYNC);

    (void)state;
    wrapFsType = TMPFS;
    flush = flushBy(&policy);
    assert_int_equal(touchUnreadable(flush, 0), 0);
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
    assert_int_equal(touchUnreadable(flush, 1), 0);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 1, 1);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 1, 1);
    assert_int_equal(touchUnreadable(flush, 2), 0);
    wrapFail(W_SYNCFS, 2, 1, EIO);
    assert_int_equal(rpmFlushTouchedBarrier(flush), -1);
    errorIs(flush, dir, "syncfs failed: Input/output error");
    rpmFlushFree(flush);

    flush = rpmFlushNew(&policy);
    assert_int_equal(touchUnreadable(flush, 3), -1);
    rpmFlushFree(flush);
}

static void test_a_failed_sync_of_a_directory_is_told(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);

    (void)state;
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
    wrapFail(W_FSYNC, 1, 1, EIO);
    assert_int_equal(rpmFlushTouchedBarrier(flush), -1);
    assert_int_equal(errno, EIO);
    errorIs(flush, dir, "fsync failed: Input/output error");
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
    wrapFail(W_FSYNC, 2, 1, EINVAL);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    rpmFlushFree(flush);
}

/* ---- The page cache ---- */

static void test_pages_are_dropped_after_the_barrier(void **state)
{
    (void)state;
    for (int by = RPMFLUSH_BARRIER_FSYNC; by <= RPMFLUSH_BARRIER_SYNCFS; by++) {
        rpmFlushPolicy policy = policyOf((rpmFlushBarrierBy)by);
        rpmFlush flush;

        policy.dontneed = 1;
        flush = flushBy(&policy);
        writeFiles(flush, 3);
        writeFile(flush, 3, 0);
        assert_int_equal(wraps[W_FADVISE].calls, 0);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        assert_int_equal(wraps[W_FADVISE].calls, 3);
        assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
        assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
        assert_int_equal(wraps[W_FADVISE].calls, 3);
        rpmFlushFree(flush);
        wrapReset();
    }
}

/* ---- The end ---- */

static void test_the_end_syncs_each_filesystem_once(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_FSYNC);
    int before = inUse(), methods = 5;

    (void)state;
    for (int method = 0; method < methods; method++) {
        rpmFlush flush;

        wrapReset();
        policy.method = (rpmFlushMethod)method;
        flush = flushBy(&policy);
        assert_int_equal(rpmFlushWillWrite(flush, dirFd, dir), 0);
        assert_int_equal(rpmFlushSyncAll(flush), 0);
        assert_int_equal(wraps[W_SYNCFS].calls, 1);
        assert_int_equal(inUse(), before);
        assert_int_equal(rpmFlushSyncAll(flush), 0);
        assert_int_equal(wraps[W_SYNCFS].calls, 1);
        rpmFlushFree(flush);
    }
    assert_int_equal(rpmFlushSyncAll(NULL), 0);
}

static void test_filesystems_can_be_let_go_unsynced(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);
    int before = inUse();

    (void)state;
    wrapReset();
    rpmFlushReleaseFs(flush); /* the fixture has told of dir */
    assert_int_equal(inUse(), before - 1);
    assert_int_equal(rpmFlushWillWrite(flush, dirFd, dir), 0);
    assert_int_equal(inUse(), before);
    rpmFlushReleaseFs(flush);
    assert_int_equal(inUse(), before - 1);
    assert_int_equal(rpmFlushSyncAll(flush), 0);
    assert_int_equal(wraps[W_SYNCFS].calls, 0);
    rpmFlushReleaseFs(NULL);
    rpmFlushFree(flush);
}

static void test_at_the_end_all_are_tried(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    int other = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat here, there;

    (void)state;
    if (other < 0 || __real_fstat64(other, &there) || __real_fstat64(dirFd, &here) ||
        here.st_dev == there.st_dev)
        skip();
    assert_int_equal(rpmFlushWillWrite(flush, other, "/dev/shm"), 0);
    wrapFail(W_SYNCFS, 1, 1, EIO);
    assert_int_equal(rpmFlushSyncAll(flush), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(wraps[W_SYNCFS].calls, 2);
    errorIs(flush, dir, "syncfs failed: Input/output error");
    __real_close(other);
    rpmFlushFree(flush);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_names_are_synced_at_the_second_barrier),
        TEST(test_nodes_are_synced_at_the_first),
        TEST(test_btrfs_takes_syncfs_for_more_than_contents),
        TEST(test_many_directories_are_one_syncfs_for_auto),
        TEST(test_what_cannot_be_opened_takes_syncfs_if_it_may),
        TEST(test_at_the_limit_directories_are_opened_by_label),
        TEST(test_at_the_limit_directories_may_go),
        TEST(test_unreadable_directories_take_syncfs),
        TEST(test_a_failed_sync_of_a_directory_is_told),
        TEST(test_pages_are_dropped_after_the_barrier),
        TEST(test_the_end_syncs_each_filesystem_once),
        TEST(test_filesystems_can_be_let_go_unsynced),
        TEST(test_at_the_end_all_are_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
