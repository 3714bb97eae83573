/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that are cut, or otherwise changed, while they are mapped. */

#include <pthread.h>

#include "digest_acting.h"

static const struct {
    size_t size, at;
    off_t cut;
} cuts[] = {
    { 100000, 0, 0 },
    { 100000, 0, 1 },
    { 100000, 0, 50000 },
    { 100000, 0, 99999 }, /* within the last page: no fault */
    { 3 * WINDOW, WINDOW, 0 },
    { 3 * WINDOW, 0, WINDOW },
    { 3 * WINDOW, 0, 2 * WINDOW + 1 },
    { 3 * WINDOW + 5, 2 * WINDOW, 3 * WINDOW },
    { 3 * WINDOW, 0, 3 * WINDOW - 1 },
};

static void test_cut(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
            struct act act = actOn("cut", cuts[i].size, cuts[i].at, setSize);
            rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, threads);
            rpmFileDigestResult res;

            act.size = cuts[i].cut;
            assert_int_equal(feedTo(&act, &opts, &res), -1);
            assert_int_equal(errno, ESTALE);
            assert_string_equal(res.msg, "the file: was cut short while it was read");
            isFailure(&res, ESTALE, "");
            assert_true(atomic_load(&mapped) > 0);
            close(act.fdno);
        }
    }
    assert_true(atomic_load(&preads) <= 1);
}

static void change(struct act *act, const unsigned char *window, size_t len)
{
    (void)window;
    (void)len;
    switch (act->size) {
    case 0:
        assert_int_equal(pwrite(act->fdno, "more", 4, lseek(act->fdno, 0, SEEK_END)), 4);
        break;
    case 1:
        assert_int_equal(pwrite(act->fdno, "else", 4, 0), 4);
        break;
    case 2: /* cut, and filled up with zeros */
        assert_int_equal(ftruncate(act->fdno, 10), 0);
        assert_int_equal(ftruncate(act->fdno, 3 * WINDOW), 0);
        break;
    case 3:
        assert_int_equal(fchmod(act->fdno, 0600), 0);
        break;
    }
}

static void test_changes(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct act act = actOn("changes", 3 * WINDOW, WINDOW, change);
        rpmFileDigestOptions opts = optionsOf(i < 4 ? RPMFILEDIGEST_MAP : RPMFILEDIGEST_READ, 2);
        rpmFileDigestResult res;

        usleep(10000); /* times may have the grain of the timer */
        act.size = i % 4;
        assert_int_equal(feedTo(&act, &opts, &res), -1);
        assert_string_equal(res.msg, "the file: was changed while it was read");
        isFailure(&res, ESTALE, "");
        assert_true(i < 4 ? mapped > 0 && preads == 0 : mapped == 0 && preads > 0);
        close(act.fdno);
    }
}

/* Four sinks on one window in four threads; one of them cuts the file, all read to its end. */
static void test_cut_under_several_readers(void **state)
{
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 4);
    int fdno = open(fileOf("readers", 200000), O_RDWR), rounds = 2000;

    (void)state;
    for (int i = 0; i < rounds; i++) {
        struct act acts[4];
        rpmFileDigestSink sinks[4];
        rpmFileDigestResult res;

        assert_int_equal(ftruncate(fdno, 200000), 0);
        for (int k = 0; k < 4; k++) {
            acts[k] = (struct act){ .fdno = fdno };
            sinks[k] = (rpmFileDigestSink){ actingSink, &acts[k] };
        }
        acts[i % 4].what = setSize;
        acts[i % 4].size = (i * 7919) % 190000;
        assert_int_equal(rpmFileDigestFeed(fdno, "readers", 0, RPMFILEDIGEST_REST, sinks, 4, &opts,
                                           &res), -1);
        isFailure(&res, ESTALE, "readers: was cut short");
    }
    close(fdno);
}

struct cutter {
    int fdno;
    atomic_int end;
    int cuts;
};

static void *cutAndMend(void *data)
{
    struct cutter *cutter = data;
    unsigned x = 1;

    while (!atomic_load(&cutter->end)) {
        x = x * 1103515245 + 12345;
        if (ftruncate(cutter->fdno, x % 300000) ||
            pwrite(cutter->fdno, content, 300000, 0) != 300000)
            return cutter;
        cutter->cuts++;
        usleep(x / 65536 % 500);
    }
    return NULL;
}

/* At any moment, from outside: there is an error, or the digest is right. */
static void test_cut_at_any_time(void **state)
{
    struct cutter cutter = { .fdno = open(fileOf("anytime", 300000), O_RDWR) };
    int good = 0, bad = 0;
    pthread_t thread;
    void *failed;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, cutAndMend, &cutter), 0);
    for (int i = 0; i < 2500; i++) {
        rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1 + i % 3);
        rpmFileDigestResult res;

        if (rpmFileDigestPath(inTree("anytime"), allAlgos, 2, &opts, &res) == 0) {
            good++;
            if (res.size == 300000) {
                isDigestOf(&res, content, 300000, allAlgos, 2);
                continue;
            }
            /* It was opened while it was cut, and stayed so for as long. */
            isDigestOf(&res, content, res.size, allAlgos, 2);
        } else {
            bad++;
            isFailure(&res, ESTALE, "anytime: was ");
        }
    }
    atomic_store(&cutter.end, 1);
    pthread_join(thread, &failed);
    assert_null(failed);
    assert_true(bad > 0 && good > 0 && cutter.cuts > 0);
    close(cutter.fdno);
}

/* Some files are cut, the others next to them in the pool are not concerned. */
static void test_cut_in_a_pool(void **state)
{
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 4);
    rpmFileDigestPool pool = rpmFileDigestPoolNew(&opts);
    struct cutter cutter = { .fdno = open(fileOf("cutone", 300000), O_RDWR) };
    rpmFileDigestResult res;
    pthread_t thread;
    void *data;

    (void)state;
    signal(SIGBUS, SIG_DFL);
    fileOf("whole", 5000000);
    assert_int_equal(pthread_create(&thread, NULL, cutAndMend, &cutter), 0);
    for (intptr_t i = 0; i < 200; i++) {
        rpmFileDigestJob job = { .path = inTree(i % 2 ? "whole" : "cutone"), .algos = allAlgos,
                                 .nalgos = 1, .data = (void *)i };

        rpmFileDigestPoolAdd(pool, &job);
    }
    while (rpmFileDigestPoolNext(pool, &res, &data)) {
        if ((intptr_t)data % 2)
            isDigestOf(&res, content, 5000000, allAlgos, 1);
        else if (res.err != 0)
            isFailure(&res, ESTALE, "cutone: was ");
        else
            rpmFileDigestResultFini(&res);
    }
    rpmFileDigestPoolFree(pool);
    atomic_store(&cutter.end, 1);
    pthread_join(thread, NULL);
    close(cutter.fdno);
    assert_true(busIs(SIG_DFL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_cut_under_several_readers),
        cmocka_unit_test(test_cut_at_any_time),
        cmocka_unit_test(test_cut_in_a_pool),
    };

    return cmocka_run_group_tests(tests, digestSetup, digestTeardown);
}
