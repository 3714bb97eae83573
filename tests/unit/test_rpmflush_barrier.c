/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch: the barriers. Which calls, chosen why, whose error, by which threads. */

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

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
              "fsync barrier, 17 files (auto: others have more dirty data)\n");
    autoTakes(17, limit / 2, limit / 2 + ours + 1,
              "fsync barrier, 17 files (auto: others have more dirty data)\n");
    autoTakes(17, ours / 2, 0, "syncfs barrier, 17 files (auto: more than 16 pending)\n");
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

static ino_t bad[2];

static bool isBad(int fd)
{
    struct stat sb;

    assert_int_equal(__real_fstat64(fd, &sb), 0);
    return sb.st_ino == bad[0] || sb.st_ino == bad[1];
}

static ino_t inodeOf(int i)
{
    struct stat sb;

    assert_int_equal(stat(nameOf(i), &sb), 0);
    return sb.st_ino;
}

/* Whatever thread meets it first, the first in order is told; the descriptors are all closed. */
static void test_the_first_in_order_is_told(void **state)
{
    int before = inUse() + 1;

    (void)state;
    for (int round = 0; round < 20; round++) {
        rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);

        writeFiles(flush, 100);
        bad[0] = inodeOf(41);
        bad[1] = inodeOf(40);
        wrapOnSync = isBad;
        assert_int_equal(rpmFlushBarrier(flush), -1);
        assert_int_equal(errno, EIO);
        errorIs(flush, nameOf(40), "fsync failed: Input/output error");
        assert_in_range(wraps[W_FSYNC].calls, 41, 100);
        assert_int_equal(inUse(), before);
        assert_int_equal(rpmFlushDirty(flush), 0);
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

/* ---- Threads ---- */

static pthread_mutex_t threadLock = PTHREAD_MUTEX_INITIALIZER;
static pid_t threads[64];
static int nThreads, unblocked, created;
static int awaited; /* threads that take part */
static int refuseThreads;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg)
{
    if (created >= refuseThreads)
        return EAGAIN;
    created++;
    return __real_pthread_create(thread, attr, run, arg);
}

/* Which threads sync, and which of their signals are open but SIGBUS. None goes on before all have
 * come; ten seconds are enough for that. */
static bool watchThread(int fd)
{
    pid_t me = (pid_t)syscall(SYS_gettid);
    sigset_t mask;
    int i = 0;

    (void)fd;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    pthread_mutex_lock(&threadLock);
    while (i < nThreads && threads[i] != me)
        i++;
    if (i == nThreads)
        threads[nThreads++] = me;
    if (me != getpid()) {
        unblocked += sigismember(&mask, SIGBUS) != 0;
        for (int sig = 1; sig < 32; sig++) {
            if (sig != SIGBUS && sig != SIGKILL && sig != SIGSTOP)
                unblocked += sigismember(&mask, sig) == 0;
        }
    }
    pthread_mutex_unlock(&threadLock);
    for (int wait = 0, all = 0; wait < 10000 && !all; wait++) {
        usleep(1000);
        pthread_mutex_lock(&threadLock);
        all = nThreads >= awaited;
        pthread_mutex_unlock(&threadLock);
    }
    return false;
}

/* A joined thread may be seen a moment longer. */
static bool isGone(pid_t thread)
{
    for (int wait = 0; wait < 10000; wait++) {
        if (syscall(SYS_tgkill, getpid(), thread, 0))
            return true;
        usleep(1000);
    }
    return false;
}

static void syncedBy(int nFiles, int mostThreads, int wanted)
{
    rpmFlush flush = flushOf(RPMFLUSH_BARRIER_FSYNC);
    sigset_t before, after;

    nThreads = unblocked = created = 0;
    awaited = wanted;
    refuseThreads = mostThreads;
    wrapOnSync = watchThread;
    writeFiles(flush, nFiles);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    countsAre(flush, nFiles, 0);
    for (int sig = 1; sig < 65; sig++)
        assert_int_equal(sigismember(&after, sig), sigismember(&before, sig));
    assert_int_equal(nThreads, wanted);
    assert_int_equal(unblocked, 0);
    for (int i = 0; i < nThreads; i++)
        assert_true(threads[i] == getpid() || isGone(threads[i]));
    rpmFlushFree(flush);
    refuseThreads = 64;
    wrapReset();
}

static void test_threads_block_signals_and_are_gone(void **state)
{
    (void)state;
    syncedBy(1, 64, 1);
    syncedBy(3, 64, 3);
    syncedBy(200, 64, 32);
}

static void test_without_threads_the_caller_does_the_work(void **state)
{
    (void)state;
    syncedBy(20, 0, 1);
    syncedBy(50, 2, 3);
}

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
        int fd;

        assert_int_equal(mkdir(nameOf(i), 0700), 0);
        fd = open(nameOf(i), O_PATH | O_DIRECTORY);
        assert_int_equal(rpmFlushTouch(flush, fd, nameOf(i), RPMFLUSH_TOUCH_NAMES), 0);
        __real_close(fd);
    }
    assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
    countsAre(flush, 5, 0);
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

/* ---- Several threads write ---- */

static void *writeSome(void *data)
{
    rpmFlush flush = (rpmFlush)data;

    for (int i = 0; i < 60; i++) {
        int fd = open("/tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
        rpmFlushFile file;

        if (fd < 0 || rpmFlushFileNew(flush, fd, -1, "unnamed", &file))
            return data;
        rpmFlushFileWrite(file, bytes, 3 * page);
        rpmFlushFileClose(file);
        rpmFlushFileFree(file);
        rpmFlushTouch(flush, dirFd, dir, RPMFLUSH_TOUCH_NAMES);
    }
    return NULL;
}

static void test_several_threads_write(void **state)
{
    (void)state;
    for (int by = RPMFLUSH_BARRIER_AUTO; by <= RPMFLUSH_BARRIER_SYNCFS; by++) {
        rpmFlushPolicy policy = policyOf((rpmFlushBarrierBy)by);
        pthread_t writers[4];
        rpmFlush flush;

        policy.pending = 30;
        policy.dirty = 40 * page;
        flush = flushBy(&policy);
        refuseThreads = 1 << 20;
        for (int i = 0; i < 4; i++)
            assert_int_equal(__real_pthread_create(&writers[i], NULL, writeSome, flush), 0);
        for (int i = 0; i < 4; i++) {
            void *failed;

            pthread_join(writers[i], &failed);
            assert_null(failed);
        }
        assert_int_equal(rpmFlushBarrier(flush), 0);
        assert_int_equal(rpmFlushTouchedBarrier(flush), 0);
        assert_int_equal(rpmFlushDirty(flush), 0);
        assert_int_equal(countOf(flush, RPMFLUSH_KIND_WRITE), 240);
        if (by == RPMFLUSH_BARRIER_FSYNC)
            assert_int_equal(countOf(flush, RPMFLUSH_KIND_SYNC), 241);
        rpmFlushFree(flush);
        wrapReset();
        wrapMeminfo = "";
    }
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
        TEST(test_auto_compares_with_what_is_ours),
        TEST(test_a_failed_fsync_names_its_file),
        TEST(test_the_first_in_order_is_told),
        TEST(test_a_group_that_has_failed_is_not_synced),
        TEST(test_a_close_that_fails_fails_the_group),
        TEST(test_a_failed_syncfs_names_the_culprit),
        TEST(test_an_error_of_no_file_is_the_filesystems),
        TEST(test_the_caller_may_know_better_how_to_open),
        TEST(test_threads_block_signals_and_are_gone),
        TEST(test_without_threads_the_caller_does_the_work),
        TEST(test_names_are_synced_at_the_second_barrier),
        TEST(test_nodes_are_synced_at_the_first),
        TEST(test_btrfs_takes_syncfs_for_more_than_contents),
        TEST(test_many_directories_are_one_syncfs_for_auto),
        TEST(test_what_cannot_be_opened_takes_syncfs_if_it_may),
        TEST(test_at_the_limit_directories_are_opened_by_label),
        TEST(test_a_failed_sync_of_a_directory_is_told),
        TEST(test_pages_are_dropped_after_the_barrier),
        TEST(test_the_end_syncs_each_filesystem_once),
        TEST(test_at_the_end_all_are_tried),
        TEST(test_several_threads_write),
    };

    refuseThreads = 1 << 20;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
