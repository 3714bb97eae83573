/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many files: order, errors, progress, cancelling, and what is left of it all. */

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "digest_fixture.h"

#define NFILES 600

static int createsLeft = -1; /* threads that can still be made; -1: any number */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *data);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *data)
{
    if (createsLeft == 0)
        return EAGAIN;
    if (createsLeft > 0)
        createsLeft--;
    return __real_pthread_create(thread, attr, start, data);
}

static int countIn(const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;

    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

/* A size for each index, large ones between small ones so that they end out of order. */
static size_t sizeOf(size_t i)
{
    return i % 50 == 7 ? 3000000 + i : i * 37;
}

static const char *nameOf(size_t i)
{
    static char name[32];

    snprintf(name, sizeof(name), "pool%zu", i);
    return name;
}

static void makeFiles(void)
{
    for (size_t i = 0; i < NFILES; i++) {
        if (i % 100 != 99)
            fileOf(nameOf(i), sizeOf(i));
    }
}

static void addFile(rpmFileDigestPool pool, size_t i)
{
    static const int algos[] = { SHA256, MD5 };
    char path[64];
    rpmFileDigestJob job = { .path = path, .algos = algos, .nalgos = 1 + (int)(i % 2) };

    snprintf(path, sizeof(path), "%s/%s", tree, nameOf(i));
    job.data = (void *)(i + 1);
    rpmFileDigestPoolAdd(pool, &job);
    memset(path, 'x', sizeof(path)); /* it was copied */
}

static void isResult(rpmFileDigestResult *res, void *data, size_t i)
{
    static const int algos[] = { SHA256, MD5 };

    assert_ptr_equal(data, (void *)(i + 1));
    if (i % 100 == 99)
        isFailure(res, ENOENT, nameOf(i));
    else
        isDigestOf(res, content, sizeOf(i), algos, 1 + (int)(i % 2));
}

static void test_order(void **state)
{
    static const int threads[] = { 1, 2, 3, 16, 0 };

    (void)state;
    makeFiles();
    for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
        int fds = countIn("/proc/self/fd"), tasks = countIn("/proc/self/task");
        rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_AUTO, threads[t]);
        rpmFileDigestPool pool = rpmFileDigestPoolNew(&opts);
        rpmFileDigestResult res;
        void *data;

        for (size_t i = 0; i < NFILES; i++)
            addFile(pool, i);
        for (size_t i = 0; i < NFILES; i++) {
            assert_int_equal(rpmFileDigestPoolNext(pool, &res, &data), 1);
            isResult(&res, data, i);
        }
        assert_int_equal(rpmFileDigestPoolNext(pool, &res, &data), 0);
        addFile(pool, 5);
        assert_int_equal(rpmFileDigestPoolNext(pool, &res, &data), 1);
        isResult(&res, data, 5);
        assert_null(rpmFileDigestPoolFree(pool));
        assert_int_equal(countIn("/proc/self/fd"), fds);
        assert_int_equal(countIn("/proc/self/task"), tasks);
    }
}

static void test_without_threads(void **state)
{
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_AUTO, 4);

    (void)state;
    for (int left = 0; left < 2; left++) {
        rpmFileDigestPool pool;
        rpmFileDigestResult res;
        void *data;

        createsLeft = left;
        pool = rpmFileDigestPoolNew(&opts);
        for (size_t i = 0; i < NFILES; i++)
            addFile(pool, i);
        for (size_t i = 0; i < NFILES; i++) {
            assert_int_equal(rpmFileDigestPoolNext(pool, &res, &data), 1);
            isResult(&res, data, i);
        }
        rpmFileDigestPoolFree(pool);
    }
    createsLeft = -1;
}

/* ---- Open functions, work ---- */

static int openOwn(void *openData, const char *path)
{
    sigset_t mask;

    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    if (!sigismember(&mask, SIGTERM) || !sigismember(&mask, SIGINT) || sigismember(&mask, SIGBUS)) {
        errno = EDOM;
        return -1;
    }
    if (strcmp(path, "refused") == 0) {
        errno = EACCES;
        return -1;
    }
    return openat(*(int *)openData, path, O_RDONLY);
}

static int doWork(void *data)
{
    return data == NULL ? EPERM : 0;
}

static void test_open_and_work(void **state)
{
    static const int algo = SHA1;
    int dirfd = open(tree, O_RDONLY | O_DIRECTORY);
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_AUTO, 2);
    rpmFileDigestPool pool = rpmFileDigestPoolNew(&opts);
    rpmFileDigestJob opened = { .path = "opened", .open = openOwn, .openData = &dirfd,
                                .algos = &algo, .nalgos = 1 };
    rpmFileDigestJob refused = { .path = "refused", .open = openOwn, .openData = &dirfd,
                                 .algos = &algo, .nalgos = 1 };
    rpmFileDigestJob worked = { .work = doWork, .data = &opts };
    rpmFileDigestJob failed = { .work = doWork };
    rpmFileDigestResult res;
    void *data;

    (void)state;
    fileOf("opened", 12345);
    rpmFileDigestPoolAdd(pool, &opened);
    rpmFileDigestPoolAdd(pool, &refused);
    rpmFileDigestPoolAdd(pool, &worked);
    rpmFileDigestPoolAdd(pool, &failed);
    assert_int_equal(rpmFileDigestPoolNext(pool, &res, NULL), 1);
    isDigestOf(&res, content, 12345, &algo, 1);
    assert_int_equal(rpmFileDigestPoolNext(pool, &res, &data), 1);
    isFailure(&res, EACCES, "refused: open: ");
    assert_int_equal(rpmFileDigestPoolNext(pool, &res, &data), 1);
    assert_int_equal(res.err, 0);
    assert_ptr_equal(data, &opts);
    assert_int_equal(rpmFileDigestPoolNext(pool, &res, &data), 1);
    assert_int_equal(res.err, EPERM);
    assert_null(data);
    rpmFileDigestPoolFree(pool);
    close(dirfd);
}

/* ---- Progress, cancelling ---- */

struct told {
    int calls;
    uint64_t bytes;
    pthread_t thread;
};

static void tell(void *data, uint64_t bytes)
{
    struct told *told = data;

    assert_true(bytes >= told->bytes);
    told->calls++;
    told->bytes = bytes;
    told->thread = pthread_self();
}

static int sleepABit(void *data)
{
    (void)data;
    usleep(350000);
    return 0;
}

static void test_progress(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_AUTO, threads);
        rpmFileDigestPool pool = rpmFileDigestPoolNew(&opts);
        rpmFileDigestJob sleeping = { .work = sleepABit };
        rpmFileDigestResult res;
        struct told told = { 0, 0, pthread_self() };
        void *data;

        rpmFileDigestPoolProgress(pool, tell, &told);
        addFile(pool, 7);
        rpmFileDigestPoolAdd(pool, &sleeping);
        while (rpmFileDigestPoolNext(pool, &res, &data))
            rpmFileDigestResultFini(&res);
        assert_true(told.calls >= 1 && told.calls < 10);
        assert_true(pthread_equal(told.thread, pthread_self()));
        assert_int_equal(told.bytes, sizeOf(7));
        rpmFileDigestPoolFree(pool);
    }
}

static void *cancelSoon(void *pool)
{
    usleep(1000);
    rpmFileDigestPoolCancel(pool);
    return NULL;
}

static void test_cancel(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_AUTO, threads);
        rpmFileDigestPool pool = rpmFileDigestPoolNew(&opts);
        rpmFileDigestResult res;
        pthread_t canceller;
        void *data;
        int cancelled = 0;

        __real_pthread_create(&canceller, NULL, cancelSoon, pool);
        for (size_t i = 0; i < NFILES * 4; i++)
            addFile(pool, i % NFILES);
        for (size_t i = 0; i < NFILES * 4; i++) {
            assert_int_equal(rpmFileDigestPoolNext(pool, &res, &data), 1);
            assert_ptr_equal(data, (void *)(i % NFILES + 1));
            if (res.err == ECANCELED) {
                cancelled++;
                isFailure(&res, ECANCELED, nameOf(i % NFILES));
            } else {
                isResult(&res, data, i % NFILES);
            }
        }
        pthread_join(canceller, NULL);
        assert_true(cancelled > 0);
        rpmFileDigestPoolFree(pool);
    }
}

static void test_free_with_work_left(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_AUTO, threads);
        rpmFileDigestPool pool = rpmFileDigestPoolNew(&opts);
        rpmFileDigestResult res;
        void *data;

        for (size_t i = 0; i < 100; i++)
            addFile(pool, i);
        rpmFileDigestPoolNext(pool, &res, &data);
        isResult(&res, data, 0);
        rpmFileDigestPoolFree(pool);
    }
    rpmFileDigestPoolFree(rpmFileDigestPoolNew(NULL));
    assert_null(rpmFileDigestPoolFree(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_without_threads),
        cmocka_unit_test(test_open_and_work),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_free_with_work_left),
    };

    return cmocka_run_group_tests(tests, digestSetup, digestTeardown);
}
