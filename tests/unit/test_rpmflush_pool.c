/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch: the threads of a barrier, and several threads that write. */

#include <signal.h>
#include <sys/syscall.h>

#include "batch_fixture.h"

static pthread_mutex_t threadLock = PTHREAD_MUTEX_INITIALIZER;
static pid_t threads[128];
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
    refuseThreads = 1 << 20;
    wrapReset();
}

static void test_threads_block_signals_and_are_gone(void **state)
{
    (void)state;
    syncedBy(1, 200, 1);
    syncedBy(3, 200, 3);
    syncedBy(300, 200, 128);
}

static void test_without_threads_the_caller_does_the_work(void **state)
{
    (void)state;
    syncedBy(20, 0, 1);
    syncedBy(50, 2, 3);
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
        /* And one more for the directory, unless there was no descriptor to spare for it. */
        if (by == RPMFLUSH_BARRIER_FSYNC)
            assert_in_range(countOf(flush, RPMFLUSH_KIND_SYNC), 240, 241);
        rpmFlushFree(flush);
        wrapReset();
        wrapMeminfo = "";
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_threads_block_signals_and_are_gone),
        TEST(test_without_threads_the_caller_does_the_work),
        TEST(test_the_first_in_order_is_told),
        TEST(test_several_threads_write),
    };

    refuseThreads = 1 << 20;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
