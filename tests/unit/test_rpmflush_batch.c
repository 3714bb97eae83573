/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch, until the barrier: write-behind, the bound of what is dirty, descriptors held. */

#include <sys/resource.h>

#include "batch_fixture.h"

/* ---- Write-behind ---- */

static void test_each_interval_is_started_and_the_one_before_awaited(void **state)
{
    static const struct {
        size_t size;
        const char *calls;
        size_t dirty;
    } cases[] = {
        { 0, "", 0 },
        { 1, "", 1 },
        { INTERVAL - 1, "", INTERVAL },
        { INTERVAL, "r", INTERVAL },
        { INTERVAL + 1, "rr", INTERVAL + 1 },
        { 2 * INTERVAL, "rrR", INTERVAL },
        { 4 * INTERVAL + 100, "rrRrRrRr", INTERVAL + 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);

        writeFile(flush, 0, cases[i].size);
        callsAre(cases[i].calls);
        assert_int_equal(rpmFlushDirty(flush), (cases[i].dirty + page - 1) / page * page);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        callsAre("sc");
        countsAre(flush, 1, 0);
        rpmFlushFree(flush);
        wrapReset();
    }
}

static void test_on_btrfs_small_files_are_started_at_close(void **state)
{
    rpmFlush flush;

    (void)state;
    wrapFsType = BTRFS;
    flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);
    writeFile(flush, 0, 100);
    writeFile(flush, 1, 0);
    callsAre("rcc");
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 0, 1);
    rpmFlushFree(flush);
}

static void test_after_a_seek_the_whole_file_is_awaited(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    rpmFlushFile file = openFile(flush, 0, -1);

    (void)state;
    assert_int_equal(rpmFlushFileWrite(file, bytes, 100), 100);
    rpmFlushFileSought(file, 3 * INTERVAL);
    assert_int_equal(rpmFlushFileWrite(file, bytes, INTERVAL), INTERVAL);
    callsAre("R");
    assert_int_equal(rpmFlushDirty(flush), 0);
    closed(file);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    rpmFlushFree(flush);
}

static void test_where_there_are_no_ranges_nothing_is_lost(void **state)
{
    static const int errors[] = { ENOSYS, EINVAL, ESPIPE, EOPNOTSUPP, EPERM };

    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);

        wrapFail(W_RANGE, 1, 99, errors[i]);
        writeFile(flush, 0, 4 * INTERVAL);
        writeFile(flush, 1, 4 * INTERVAL);
        callsAre("r");
        assert_int_equal(rpmFlushDirty(flush), 8 * INTERVAL);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        countsAre(flush, 2, 0);
        reportHas(flush, "sync_file_range is not used on device ");
        rpmFlushFree(flush);
        wrapReset();
    }
}

/* What the wait reports no later sync would report again. */
static void test_a_failed_writeback_fails_the_file(void **state)
{
    static const int errors[] = { EIO, ENOSPC, EDQUOT };

    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
        rpmFlushFile file = openFile(flush, 0, -1);
        char text[128];

        wrapFail(W_RANGE, 3, 1, errors[i]);
        assert_int_equal(rpmFlushFileWrite(file, bytes, sizeof(bytes)), -1);
        assert_int_equal(errno, errors[i]);
        assert_int_equal(rpmFlushFileClose(file), -1);
        rpmFlushFileFree(file);
        assert_int_equal(rpmFlushDirty(flush), 0);
        assert_int_equal(rpmFlushBarrier(flush), -1);
        assert_int_equal(errno, errors[i]);
        countsAre(flush, 0, 0);
        snprintf(text, sizeof(text), "writeback failed: %s", strerror(errors[i]));
        errorIs(flush, nameOf(0), text);
        rpmFlushFree(flush);
        wrapReset();
    }
}

static void test_a_pipe_has_nothing_to_sync(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_AUTO);
    rpmFlushFile file;
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(rpmFlushFileNew(flush, fds[1], 5, "a pipe", &file), 0);
    assert_int_equal(rpmFlushFileWrite(file, bytes, 5), 5);
    closed(file);
    assert_int_equal(rpmFlushDirty(flush), 0);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 1, 0);
    __real_close(fds[0]);
    rpmFlushFree(flush);
}

/* ---- The bound of what is dirty ---- */

/* The most that was dirty while n files of that size were written. */
static uint64_t mostDirty(rpmFlush flush, int n, size_t size)
{
    uint64_t most = 0;

    for (int i = 0; i < n; i++) {
        rpmFlushFile file = openFile(flush, i, (int64_t)size);

        for (size_t at = 0; at < size; at += page) {
            size_t some = size - at < page ? size - at : page;

            assert_int_equal(rpmFlushFileWrite(file, bytes, some), some);
            most = most > rpmFlushDirty(flush) ? most : rpmFlushDirty(flush);
        }
        closed(file);
    }
    return most;
}

static void test_what_is_dirty_is_bounded(void **state)
{
    (void)state;
    for (int by = RPMFLUSH_BARRIER_AUTO; by <= RPMFLUSH_BARRIER_SYNCFS; by++) {
        rpmFlushPolicy policy = policyOf((rpmFlushBarrierBy)by);
        rpmFlush flush;
        uint64_t most;

        policy.dirty = 10 * page;
        flush = flushBy(&policy);
        most = mostDirty(flush, 40, page + 1);
        assert_in_range(most, 9 * page, 10 * page);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        rpmFlushFree(flush);
        policy.dirty = UINT64_C(1) << 30;
        flush = flushBy(&policy);
        assert_int_equal(mostDirty(flush, 40, page + 1), 80 * page);
        rpmFlushFree(flush);
        wrapReset();
    }
}

/* The oldest files are started, then waited for, until half is left; no sync of the disk. */
static void test_at_the_bound_the_oldest_are_written(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_FSYNC);
    rpmFlush flush;

    (void)state;
    policy.dirty = 4 * page;
    flush = flushBy(&policy);
    writeFiles(flush, 4);
    callsAre("");
    writeFile(flush, 4, 100);
    callsAre("rrrRRR");
    assert_int_equal(rpmFlushDirty(flush), 2 * page);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 5, 0);
    rpmFlushFree(flush);
}

static void test_closed_files_get_their_syncfs_early(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_SYNCFS);
    rpmFlush flush;

    (void)state;
    policy.dirty = 4 * page;
    flush = flushBy(&policy);
    writeFiles(flush, 4);
    callsAre("cccc");
    writeFile(flush, 4, 100);
    callsAre("Sc");
    assert_int_equal(rpmFlushDirty(flush), page);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    callsAre("S");
    reportHas(flush, "(ext4): syncfs barrier, 5 files (as set)\n");
    rpmFlushFree(flush);
}

static void test_an_early_syncfs_that_fails_fails_the_group(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_SYNCFS);
    rpmFlush flush;

    (void)state;
    policy.dirty = 4 * page;
    flush = flushBy(&policy);
    wrapFail(W_SYNCFS, 1, 1, EIO);
    writeFiles(flush, 6);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(wraps[W_SYNCFS].calls, 1);
    errorIs(flush, dir, "syncfs failed: Input/output error");
    assert_int_equal(rpmFlushDirty(flush), 0);
    rpmFlushFree(flush);
}

/* One file alone, with a bound below two intervals. */
static void test_the_file_in_hand_is_the_last_resort(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_FSYNC);
    rpmFlush flush;

    (void)state;
    policy.dirty = INTERVAL / 2;
    flush = flushBy(&policy);
    assert_in_range(mostDirty(flush, 1, 2 * INTERVAL), INTERVAL / 2, INTERVAL / 2);
    callsAre("RRR");
    rpmFlushFree(flush);
}

static void test_without_ranges_the_bound_holds_by_fdatasync(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_FSYNC);
    rpmFlush flush;

    (void)state;
    policy.dirty = 4 * page;
    flush = flushBy(&policy);
    wrapFail(W_RANGE, 1, 99, ENOSYS);
    writeFiles(flush, 5);
    callsAre("rddd");
    assert_int_equal(rpmFlushDirty(flush), 2 * page);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 5, 0);
    rpmFlushFree(flush);
}

/* There sync_file_range() says that all is well and does nothing. */
static void test_on_overlayfs_the_bound_holds_by_fsync(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_FSYNC);
    int before = inUse() + 1;
    rpmFlush flush;

    (void)state;
    policy.dirty = 4 * page;
    wrapFsType = 0x794c7630;
    flush = flushBy(&policy);
    writeFiles(flush, 5);
    countsAre(flush, 3, 0);
    assert_int_equal(rpmFlushDirty(flush), 2 * page);
    assert_int_equal(inUse() - before, 2);
    writeFile(flush, 5, 8 * INTERVAL);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 6, 0);
    assert_int_equal(wraps[W_RANGE].calls, 0);
    assert_true(wraps[W_FDATASYNC].calls > 0);
    reportHas(flush, "sync_file_range is not used on device ");
    rpmFlushFree(flush);
}

/* ---- Descriptors ---- */

static ino_t synced[64];
static int nSynced;

static bool noteSync(int fd)
{
    struct stat sb;

    assert_int_equal(__real_fstat64(fd, &sb), 0);
    synced[nSynced++] = sb.st_ino;
    return false;
}

static void isFile(ino_t ino, int i)
{
    struct stat sb;

    assert_int_equal(stat(nameOf(i), &sb), 0);
    assert_int_equal(sb.st_ino, ino);
}

static void test_at_the_bound_the_oldest_quarter_is_synced(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_FSYNC);
    int before = inUse() + 1;
    rpmFlush flush;

    (void)state;
    policy.pending = 4;
    flush = flushBy(&policy);
    nSynced = 0;
    wrapOnSync = noteSync;
    for (int i = 0; i < 10; i++) {
        writeFile(flush, i, 100);
        assert_int_equal(inUse() - before, i < 4 ? i + 1 : 4);
        assert_int_equal(nSynced, i < 4 ? 0 : i - 3);
    }
    for (int i = 0; i < 6; i++)
        isFile(synced[i], i);
    wrapOnSync = NULL;
    assert_int_equal(rpmFlushBarrier(flush), 0);
    assert_int_equal(inUse(), before);
    countsAre(flush, 10, 0);
    rpmFlushFree(flush);
}

static void test_at_the_bound_auto_settles_for_syncfs(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_AUTO);
    int before = inUse() + 2;
    rpmFlush flush;

    (void)state;
    policy.pending = 20;
    flush = flushBy(&policy);
    writeFiles(flush, 20);
    assert_int_equal(inUse() - before, 20);
    writeFile(flush, 20, 100);
    assert_int_equal(inUse(), before);
    writeFile(flush, 21, 100);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 0, 1);
    writeFile(flush, 0, 100);
    assert_int_equal(inUse() - before, 1);
    rpmFlushFree(flush);
    assert_int_equal(inUse(), before - 2);
}

static void test_at_a_bound_below_17_auto_syncs_the_oldest(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_AUTO);
    rpmFlush flush;

    (void)state;
    policy.pending = 8;
    flush = flushBy(&policy);
    writeFiles(flush, 9);
    countsAre(flush, 2, 0);
    rpmFlushFree(flush);
}

/* A quarter of a small limit stays free for the program. */
static void test_the_limit_of_the_process_is_the_bound(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    struct rlimit before, small;
    int used = inUse();
    int most = 0;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    small = before;
    small.rlim_cur = 40;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    for (int i = 0; i < 50; i++) {
        writeFile(flush, i, 100);
        most = inUse() > most ? inUse() : most;
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_in_range(most, 28, 30);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 50, 0);
    assert_int_equal(inUse(), used);
    rpmFlushFree(flush);
}

static void test_without_a_descriptor_to_spare_files_are_synced_at_close(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    struct rlimit before, small;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    small = before;
    small.rlim_cur = (rlim_t)inUse() + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    writeFiles(flush, 3);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    callsAre("scscsc");
    assert_int_equal(rpmFlushDirty(flush), 0);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 3, 0);
    rpmFlushFree(flush);
}

static void test_kept_numbers_are_free_at_once(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    int mine = nextNumber();
    rpmFlushFile file = openFile(flush, 0, -1);
    int used = inUse();

    (void)state;
    rpmFlushKeepNumbers(flush, 1);
    assert_int_equal(rpmFlushFileWrite(file, bytes, 100), 100);
    assert_int_equal(fcntl(mine, F_GETFD), FD_CLOEXEC);
    memset(wrapLog, 0, sizeof(wrapLog));
    closed(file);
    assert_int_equal(fcntl(mine, F_GETFD), -1);
    assert_int_equal(inUse(), used);
    callsAre("c");
    assert_int_equal(rpmFlushBarrier(flush), 0);
    callsAre("sc");
    rpmFlushFree(flush);
}

static void test_kept_numbers_at_the_limit_are_synced(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    rpmFlushFile file;
    struct rlimit before, small;

    (void)state;
    rpmFlushKeepNumbers(flush, 1);
    writeFile(flush, 0, 100);
    file = openFile(flush, 1, -1);
    assert_int_equal(rpmFlushFileWrite(file, bytes, 100), 100);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    small = before;
    small.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    memset(wrapLog, 0, sizeof(wrapLog));
    closed(file);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    callsAre("sc");
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 2, 0);
    rpmFlushFree(flush);
}

static void test_giving_up_closes_without_a_sync(void **state)
{
    int before = inUse() + 1;
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);

    (void)state;
    writeFiles(flush, 5);
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NODE), 0);
    assert_int_equal(inUse() - before, 7);
    rpmFlushGiveUp(flush);
    assert_int_equal(inUse(), before);
    assert_int_equal(rpmFlushDirty(flush), 0);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 0, 0);
    rpmFlushFree(flush);
    assert_int_equal(inUse(), before - 1);
}

static void test_a_file_given_up_is_not_dirty(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    int mine = nextNumber();
    rpmFlushFile file = openFile(flush, 0, -1);

    (void)state;
    assert_int_equal(rpmFlushFileWrite(file, bytes, 100), 100);
    rpmFlushFileFree(file);
    assert_int_equal(rpmFlushDirty(flush), 0);
    __real_close(mine);
    rpmFlushFree(flush);
}

static void test_off_with_the_method_set_adds_no_call(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_AUTO);
    int before = inUse();
    rpmFlush flush;

    (void)state;
    policy.whether = RPMFLUSH_OFF;
    flush = rpmFlushNew(&policy);
    assert_int_equal(inUse(), before);
    writeFile(flush, 0, 3 * INTERVAL);
    assert_string_equal(wrapLog, "wc");
    assert_int_equal(rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES), 0);
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    assert_string_equal(wrapLog, "wc");
    rpmFlushFree(flush);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_interval_is_started_and_the_one_before_awaited),
        TEST(test_on_btrfs_small_files_are_started_at_close),
        TEST(test_after_a_seek_the_whole_file_is_awaited),
        TEST(test_where_there_are_no_ranges_nothing_is_lost),
        TEST(test_a_failed_writeback_fails_the_file),
        TEST(test_a_pipe_has_nothing_to_sync),
        TEST(test_what_is_dirty_is_bounded),
        TEST(test_at_the_bound_the_oldest_are_written),
        TEST(test_closed_files_get_their_syncfs_early),
        TEST(test_an_early_syncfs_that_fails_fails_the_group),
        TEST(test_the_file_in_hand_is_the_last_resort),
        TEST(test_without_ranges_the_bound_holds_by_fdatasync),
        TEST(test_on_overlayfs_the_bound_holds_by_fsync),
        TEST(test_at_the_bound_the_oldest_quarter_is_synced),
        TEST(test_at_the_bound_auto_settles_for_syncfs),
        TEST(test_at_a_bound_below_17_auto_syncs_the_oldest),
        TEST(test_the_limit_of_the_process_is_the_bound),
        TEST(test_without_a_descriptor_to_spare_files_are_synced_at_close),
        TEST(test_kept_numbers_are_free_at_once),
        TEST(test_kept_numbers_at_the_limit_are_synced),
        TEST(test_giving_up_closes_without_a_sync),
        TEST(test_a_file_given_up_is_not_dirty),
        TEST(test_off_with_the_method_set_adds_no_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
