/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch: the barriers of files. Which calls, chosen why, whose error. */

#include <sys/resource.h>

#include "batch_fixture.h"

/* ---- fsync or syncfs ---- */

static void test_fsync_holds_until_the_barrier(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    int before = inUse();

    (void)state;
    writeFiles(flush, 2);
    callsAre("");
    assert_int_equal(inUse(), before + 2);
    assert_int_equal(rpmFlushDirty(flush), 2 * page);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 2, 0);
    assert_int_equal(inUse(), before);
    assert_int_equal(rpmFlushDirty(flush), 0);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 2, 0);
    reportHas(flush, "(ext4): fsync barrier, 2 files (as set)\n");
    rpmFlushFree(flush);
}

static void test_syncfs_closes_at_once_and_is_one_call(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);
    int before = inUse();

    (void)state;
    writeFiles(flush, 40);
    assert_int_equal(inUse(), before);
    memset(wrapLog, 0, sizeof(wrapLog));
    assert_int_equal(rpmFlushBarrier(flush), 0);
    callsAre("S");
    assert_int_equal(rpmFlushBarrier(flush), 0);
    callsAre("");
    reportHas(flush, "(ext4): syncfs barrier, 40 files (as set)\n");
    rpmFlushFree(flush);
}

static void test_nothing_written_nothing_synced(void **state)
{
    (void)state;
    for (int by = RPMFLUSH_BARRIER_AUTO; by <= RPMFLUSH_BARRIER_SYNCFS; by++) {
        rpmFlush flush = flushOf((rpmFlushBarrierBy)by);

        assert_int_equal(rpmFlushBarrier(flush), 0);
        assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
        countsAre(flush, 0, 0);
        rpmFlushFree(flush);
        wrapReset();
    }
}

static void test_where_syncfs_is_no_barrier_it_is_fsync(void **state)
{
    static const struct {
        unsigned type;
        const char *release;
        int syncs, syncfses;
    } cases[] = {
        { 0xef53, "5.17.0", 0, 1 },     { 0xef53, "5.16.20", 3, 0 },
        { 0x58465342, "6.1.0", 0, 1 },  { BTRFS, "6.1.0-49-amd64", 0, 1 },
        { TMPFS, "6.18.0", 3, 0 },      { 0x794c7630 /* overlayfs */, "6.18.0", 3, 0 },
        { 0x6969 /* NFS */, "7.0", 3, 0 }, { 0xef53, "strange", 3, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rpmFlush flush;

        wrapReset();
        wrapFsType = cases[i].type;
        wrapRelease = cases[i].release;
        flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);
        writeFiles(flush, 3);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        countsAre(flush, cases[i].syncs, cases[i].syncfses);
        if (cases[i].syncs > 0)
            reportHas(flush, ": fsync barrier, 3 files (its syncfs does not report every error)\n");
        rpmFlushFree(flush);
    }
}

static void test_a_descriptor_older_than_the_first_write_is_needed(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_SYNCFS);
    rpmFlush flush = rpmFlushNew(&policy);

    (void)state;
    writeFiles(flush, 2);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 2, 0);
    reportHas(flush, "fsync barrier, 2 files (not told of before the first write)\n");
    writeFiles(flush, 1);
    assert_int_equal(rpmFlushWillWrite(flush, dirFd, dir), 0);
    writeFiles(flush, 2);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 5, 0);
    reportHas(flush, "fsync barrier, 5 files (told of after the first write)\n");
    writeFiles(flush, 2);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, 5, 1);
    rpmFlushFree(flush);
}

static void test_a_filesystem_is_told_of_by_any_descriptor_once(void **state)
{
    int path = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_SYNCFS);
    rpmFlush flush = rpmFlushNew(&policy);
    int before = inUse();

    (void)state;
    assert_int_equal(rpmFlushWillWrite(flush, path, dir), 0);
    assert_int_equal(rpmFlushWillWrite(flush, dirFd, "another"), 0);
    assert_int_equal(inUse(), before + 1);
    assert_int_equal(rpmFlushWillWrite(flush, -1, "none"), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(rpmFlushWillWrite(NULL, dirFd, dir), 0);
    rpmFlushFree(flush);
    policy.whether = RPMFLUSH_NONE;
    flush = rpmFlushNew(&policy);
    assert_int_equal(rpmFlushWillWrite(flush, path, dir), 0);
    assert_int_equal(inUse(), before);
    rpmFlushFree(flush);
    __real_close(path);
}

/* ---- auto ---- */

/* n files with so many kB dirty and under writeback on the system: is it a syncfs? */
static void autoTakes(int n, unsigned long dirty, unsigned long writeback, const char *report)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_AUTO);
    int bySyncFs = strstr(report, "syncfs barrier") != NULL;
    char text[256];

    snprintf(text, sizeof(text), "MemFree: 5 kB\nDirty: %15lu kB\nWriteback:    %lu kB\n"
             "WritebackTmp:   99999999 kB\n", dirty, writeback);
    wrapReset();
    wrapMeminfo = text;
    writeFiles(flush, n);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    countsAre(flush, bySyncFs ? 0 : n, bySyncFs);
    reportHas(flush, report);
    rpmFlushFree(flush);
}

static void test_auto_chooses_by_number_and_neighbours(void **state)
{
    unsigned long limit = 64 * 1024, ours = 17 * page / 1024;

    (void)state;
    autoTakes(1, 0, 0, "fsync barrier, 1 files (auto: at most 16 pending)\n");
    autoTakes(16, 0, 0, "fsync barrier, 16 files (auto: at most 16 pending)\n");
    autoTakes(17, 0, 0, "syncfs barrier, 17 files (auto: more than 16 pending)\n");
    autoTakes(17, limit + ours, 0, "syncfs barrier, 17 files (auto: more than 16 pending)\n");
    autoTakes(17, limit + ours + 1, 0,
              "fsync barrier, 17 files (auto: others have much dirty data)\n");
    autoTakes(17, limit / 2, limit / 2 + ours + 1,
              "fsync barrier, 17 files (auto: others have much dirty data)\n");
    autoTakes(17, ours / 2, 0, "syncfs barrier, 17 files (auto: more than 16 pending)\n");
}

/* An fsync of each of many files takes as long as a syncfs that waits for half a MiB for each; but
 * for no more than a GiB. */
static void test_auto_waits_longer_for_many_files(void **state)
{
    static const struct {
        int files;
        unsigned long mib;
    } cases[] = { { 200, 100 }, { 1000, 500 }, { 3000, 1024 } };

    struct rlimit limit;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_max < 4096)
        skip();
    limit.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned long kb = cases[i].mib * 1024 + (unsigned long)cases[i].files * page / 1024;
        char text[128];

        snprintf(text, sizeof(text), "syncfs barrier, %d files (auto", cases[i].files);
        autoTakes(cases[i].files, kb, 0, text);
        snprintf(text, sizeof(text), "fsync barrier, %d files (auto: others", cases[i].files);
        autoTakes(cases[i].files, kb + 1, 0, text);
    }
}

/* More than 64 MiB of others are no more than what we have. */
static void test_auto_compares_with_what_is_ours(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_AUTO);
    rpmFlushFile file;
    rpmFlush flush;

    (void)state;
    policy.dirty = UINT64_C(1) << 40;
    policy.interval = UINT64_C(1) << 30;
    for (int more = 0; more <= 1; more++) {
        flush = flushBy(&policy);
        wrapReset();
        wrapMeminfo = more ? "a\nDirty: 204801 kB\nWriteback: 0 kB\n"
                           : "a\nDirty: 204800 kB\nWriteback: 0 kB\n";
        writeFiles(flush, 16);
        file = openFile(flush, 16, -1);
        assert_int_equal(rpmFlushFileWrote(file, 100 * 1024 * 1024 - 16 * page), 0);
        closed(file);
        assert_int_equal(rpmFlushDirty(flush), 100 * 1024 * 1024);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        countsAre(flush, more ? 17 : 0, !more);
        rpmFlushFree(flush);
    }
}

/* ---- Errors ---- */

static void test_a_failed_fsync_names_its_file(void **state)
{
    static const int errors[] = { EIO, ENOSPC, EDQUOT };

    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
        char text[64];

        writeFile(flush, 0, 100);
        wrapFail(W_FSYNC, 1, 1, errors[i]);
        assert_int_equal(rpmFlushBarrier(flush), -1);
        assert_int_equal(errno, errors[i]);
        snprintf(text, sizeof(text), "fsync failed: %s", strerror(errors[i]));
        errorIs(flush, nameOf(0), text);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        countsAre(flush, 1, 0);
        rpmFlushFree(flush);
        wrapReset();
    }
}

static void test_a_group_that_has_failed_is_not_synced(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    rpmFlushFile file;

    (void)state;
    writeFiles(flush, 5);
    file = openFile(flush, 5, -1);
    wrapFail(W_WRITE, 6, 1, EIO);
    assert_int_equal(rpmFlushFileWrite(file, bytes, 10), -1);
    assert_int_equal(rpmFlushFileClose(file), -1);
    rpmFlushFileFree(file);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    countsAre(flush, 0, 0);
    errorIs(flush, nameOf(5), "write failed: Input/output error");
    assert_int_equal(rpmFlushBarrier(flush), 0);
    rpmFlushFree(flush);
}

static void test_a_close_that_fails_fails_the_group(void **state)
{
    (void)state;
    for (int by = RPMFLUSH_BARRIER_FSYNC; by <= RPMFLUSH_BARRIER_SYNCFS; by++) {
        rpmFlush flush = flushOf((rpmFlushBarrierBy)by);
        rpmFlushFile file = openFile(flush, 0, -1);
        int rc;

        wrapFail(W_CLOSE, 1, 1, EIO);
        rc = rpmFlushFileClose(file);
        assert_int_equal(rc, by == RPMFLUSH_BARRIER_SYNCFS ? -1 : 0);
        rpmFlushFileFree(file);
        assert_int_equal(rpmFlushBarrier(flush), -1);
        errorIs(flush, nameOf(0), "close failed: Input/output error");
        rpmFlushFree(flush);
        wrapReset();
    }
}

static void test_a_failed_syncfs_names_the_culprit(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);

    (void)state;
    writeFiles(flush, 30);
    bad[0] = bad[1] = inodeOf(17);
    wrapOnSync = isBad;
    wrapFail(W_SYNCFS, 1, 1, EIO);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    assert_int_equal(errno, EIO);
    errorIs(flush, nameOf(17), "fsync failed: Input/output error");
    assert_int_equal(wraps[W_SYNCFS].calls, 1);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    rpmFlushFree(flush);
}

static void test_an_error_of_no_file_is_the_filesystems(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);

    (void)state;
    writeFiles(flush, 3);
    unlink(nameOf(1));
    wrapFail(W_SYNCFS, 1, 1, ENOSPC);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    assert_int_equal(errno, ENOSPC);
    countsAre(flush, 2, 1);
    errorIs(flush, dir, "syncfs failed: No space left on device");
    rpmFlushFree(flush);
}

static int reopened;

static int reopen(void *data, const char *label)
{
    assert_string_equal((const char *)data, "data");
    assert_memory_equal(label, dir, strlen(dir));
    reopened++;
    return open(label, O_RDONLY | O_CLOEXEC);
}

static void test_the_caller_may_know_better_how_to_open(void **state)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_SYNCFS);
    char data[] = "data";

    (void)state;
    rpmFlushSetReopen(flush, reopen, data);
    reopened = 0;
    writeFiles(flush, 1);
    wrapFail(W_SYNCFS, 1, 1, EIO);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    assert_int_equal(reopened, 1);
    rpmFlushFree(flush);
}

/* Put another file in the place of one. */
static void replace(int i)
{
    char other[128];
    int fd;

    snprintf(other, sizeof(other), "%s", nameOf(1000));
    fd = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "x", 1), 1);
    __real_close(fd);
    assert_int_equal(rename(other, nameOf(i)), 0);
}

/* What is found by the path of a file may be another by then: its pages are not ours to drop, nor
 * is it to blame. */
static void test_only_our_files_are_opened_again(void **state)
{
    rpmFlushPolicy policy = policyOf(RPMFLUSH_BARRIER_SYNCFS);
    rpmFlush flush;

    (void)state;
    policy.dontneed = 1;
    flush = flushBy(&policy);
    writeFiles(flush, 3);
    replace(1);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    assert_int_equal(wraps[W_FADVISE].calls, 2);
    writeFiles(flush, 3);
    replace(1);
    wrapFail(W_SYNCFS, 2, 1, EIO);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    countsAre(flush, 2, 2);
    rpmFlushFree(flush);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fsync_holds_until_the_barrier),
        TEST(test_syncfs_closes_at_once_and_is_one_call),
        TEST(test_nothing_written_nothing_synced),
        TEST(test_where_syncfs_is_no_barrier_it_is_fsync),
        TEST(test_a_descriptor_older_than_the_first_write_is_needed),
        TEST(test_a_filesystem_is_told_of_by_any_descriptor_once),
        TEST(test_auto_chooses_by_number_and_neighbours),
        TEST(test_auto_waits_longer_for_many_files),
        TEST(test_auto_compares_with_what_is_ours),
        TEST(test_a_failed_fsync_names_its_file),
        TEST(test_a_group_that_has_failed_is_not_synced),
        TEST(test_a_close_that_fails_fails_the_group),
        TEST(test_a_failed_syncfs_names_the_culprit),
        TEST(test_an_error_of_no_file_is_the_filesystems),
        TEST(test_the_caller_may_know_better_how_to_open),
        TEST(test_only_our_files_are_opened_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
