/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include <rpm/rpmsw.h>

/* The clock stands where the test puts it. */
static struct timespec now;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
    assert_int_equal(clock, CLOCK_MONOTONIC);
    *ts = now;
    return 0;
}

static void setClock(time_t sec, long usec)
{
    now.tv_sec = sec;
    now.tv_nsec = usec * 1000;
}

static void test_difference(void **state)
{
    struct rpmsw_s a, b;

    (void)state;
    setClock(10, 999999);
    assert_ptr_equal(rpmswNow(&a), &a);
    setClock(12, 1);
    rpmswNow(&b);
    assert_int_equal(rpmswDiff(&b, &a), 1000002);
    assert_int_equal(rpmswDiff(&a, &b), 0);
    assert_int_equal(rpmswDiff(&a, NULL), 0);
    assert_int_equal(rpmswDiff(NULL, &a), 0);
    assert_null(rpmswNow(NULL));
    assert_int_equal(rpmswInit(), 0);
}

static void test_operations(void **state)
{
    struct rpmop_s op = { .count = 0 }, sum = { .count = 1, .bytes = 1, .usecs = 1 };

    (void)state;
    for (int i = 0; i < 3; i++) {
        setClock(100, 0);
        assert_int_equal(rpmswEnter(&op, 0), 0);
        setClock(100, 25);
        assert_int_equal(rpmswExit(&op, i < 2 ? 1000 : -1), (i + 1) * 25);
    }
    assert_int_equal(op.count, 3);
    assert_int_equal(op.bytes, 2000);
    assert_int_equal(op.usecs, 75);
    assert_int_equal(rpmswAdd(&sum, &op), 76);
    assert_int_equal(sum.count, 4);
    assert_int_equal(sum.bytes, 2001);
    assert_int_equal(rpmswSub(&sum, &op), 1);
    assert_int_equal(sum.count, 1);
    assert_int_equal(sum.bytes, 1);
}

static void test_clearing(void **state)
{
    struct rpmop_s op = { .count = 5, .bytes = 10, .usecs = 20 };

    (void)state;
    setClock(1, 0);
    rpmswEnter(&op, -1);
    assert_int_equal(rpmswExit(&op, 7), 0);
    assert_int_equal(op.count, 6);
    assert_int_equal(op.bytes, 7);
}

static void test_null(void **state)
{
    struct rpmop_s op = { .count = 0 };

    (void)state;
    assert_int_equal(rpmswEnter(NULL, 0), 0);
    assert_int_equal(rpmswExit(NULL, 0), 0);
    assert_int_equal(rpmswAdd(NULL, &op), 0);
    assert_int_equal(rpmswAdd(&op, NULL), 0);
    assert_int_equal(rpmswSub(NULL, &op), 0);
    assert_int_equal(rpmswSub(&op, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_difference),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_clearing),
        cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
