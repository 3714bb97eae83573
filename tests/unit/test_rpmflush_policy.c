/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/rpmflush.h>
#include <rpm/rpmmacro.h>

#define METHODS "osync, odsync, fsync, fdatasync, batch"
#define SWITCH "a number, y, n, none, " METHODS
#define SIZES "bytes, with K, M or G for 1024 and its powers"

static const char *const names[] = { "_flush_io", "_flush_io_method", "_flush_io_barrier",
                                     "_flush_io_interval", "_flush_io_dirty", "_flush_io_pending",
                                     "_flush_io_fallocate", "_flush_io_dontneed" };

static void define(const char *text)
{
    assert_int_equal(rpmDefineMacro(NULL, text, -1), 0);
}

static int undefineAll(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        rpmPopMacro(NULL, names[i]);
    return 0;
}

/* Parse one value into a fresh policy. */
static rpmFlushPolicy parsed(const char *key, const char *value)
{
    rpmFlushPolicy policy;
    char *emsg = NULL;

    rpmFlushPolicyInit(&policy);
    assert_int_equal(rpmFlushPolicyParse(&policy, key, value, &emsg), 0);
    assert_null(emsg);
    return policy;
}

/* A refused value leaves the policy alone and is answered with the whole of text. */
static void refused(const char *key, const char *value, const char *text)
{
    rpmFlushPolicy policy, before;
    char *emsg = NULL;

    rpmFlushPolicyInit(&policy);
    before = policy;
    assert_int_equal(rpmFlushPolicyParse(&policy, key, value, &emsg), -1);
    assert_memory_equal(&policy, &before, sizeof(policy));
    assert_string_equal(emsg, text);
    free(emsg);
    assert_int_equal(rpmFlushPolicyParse(&policy, key, value, NULL), -1);
}

static void test_nothing_is_off_and_idle(void **state)
{
    rpmFlushPolicy policy;

    (void)state;
    rpmFlushPolicyInit(&policy);
    assert_int_equal(policy.whether, RPMFLUSH_OFF);
    assert_int_equal(policy.method, RPMFLUSH_FSYNC);
    assert_int_equal(policy.interval, 0);
    assert_int_equal(policy.fallocate, 0);
    assert_int_equal(policy.dontneed, -1);
    assert_int_equal(policy.barrier, RPMFLUSH_BARRIER_AUTO);
    assert_int_equal(policy.dirty, 67108864);
    assert_int_equal(policy.pending, 0);
    assert_true(rpmFlushPolicyIdle(&policy));
}

static void test_numbers_y_and_n_mean_what_they_mean_upstream(void **state)
{
    static const char *const off[] = { "",  " ", "0",  "-1",  "-7", "n",
                                       "N", "no", "NO", " 0 ", "00" };
    static const char *const on[] = { "1", "2", "+1",  "0x1", "010",
                                      "y", "Y", "yes", "Yes", "\t1\n" };

    (void)state;
    for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
        assert_int_equal(parsed("_flush_io", off[i]).whether, RPMFLUSH_OFF);
    for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
        assert_int_equal(parsed("_flush_io", on[i]).whether, RPMFLUSH_ON);
        assert_int_equal(parsed("_flush_io", on[i]).method, RPMFLUSH_FSYNC);
    }
    assert_int_equal(parsed("_flush_io", "none").whether, RPMFLUSH_NONE);
}

static void test_a_method_is_on_with_that_method(void **state)
{
    static const char *const methods[] = { "osync", "odsync", "fsync", "fdatasync",
                                           "batch" };

    (void)state;
    for (int i = 0; i < 5; i++) {
        rpmFlushPolicy policy = parsed("_flush_io", methods[i]);

        assert_int_equal(policy.whether, RPMFLUSH_ON);
        assert_int_equal(policy.method, i);
        assert_false(rpmFlushPolicyIdle(&policy));
        policy = parsed("_flush_io_method", methods[i]);
        assert_int_equal(policy.whether, RPMFLUSH_OFF);
        assert_int_equal(policy.method, i);
        assert_true(rpmFlushPolicyIdle(&policy));
    }
}

static void test_unknown_words_are_errors(void **state)
{
    (void)state;
    refused("_flush_io", "maybe",
            "macro %_flush_io: unknown value 'maybe', accepted are: " SWITCH);
    refused("_flush_io", "1x",
            "macro %_flush_io: unknown value '1x', accepted are: " SWITCH);
    refused("_flush_io", "%nothing",
            "macro %_flush_io: unknown value '%nothing', accepted are: " SWITCH);
    refused("_flush_io_method", "fsyncs",
            "macro %_flush_io_method: unknown value 'fsyncs', accepted are: " METHODS);
    refused("_flush_io_method", "1",
            "macro %_flush_io_method: unknown value '1', accepted are: " METHODS);
    refused("_flush_io_method", "a\nb",
            "macro %_flush_io_method: unknown value 'a?b', accepted are: " METHODS);
    refused("_flush_io_dontneed", "2x",
            "macro %_flush_io_dontneed: unknown value '2x', accepted are: a number, y, n");
    refused("_flush", "1",
            "macro %_flush is not part of the write policy, which has: _flush_io_method, "
            "_flush_io, _flush_io_barrier, _flush_io_interval, _flush_io_dirty, "
            "_flush_io_pending, _flush_io_fallocate, _flush_io_dontneed");
    refused("_flush_io_barrier", "fdatasync",
            "macro %_flush_io_barrier: unknown value 'fdatasync', accepted are: auto, fsync, "
            "syncfs");
    refused("_flush_io_pending", "-1",
            "macro %_flush_io_pending: unknown value '-1', accepted are: 0 or a number, with K, M "
            "or G for 1024 and its powers");
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(parsed("_flush_io_interval", "1").interval, 1);
    assert_int_equal(parsed("_flush_io_interval", "256K").interval, 262144);
    assert_int_equal(parsed("_flush_io_interval", "3m").interval, 3145728);
    assert_int_equal(parsed("_flush_io_interval", "010").interval, 10);
    assert_int_equal(parsed("_flush_io_fallocate", "0").fallocate, 0);
    assert_true(parsed("_flush_io_fallocate", "5G").fallocate == UINT64_C(5368709120));
    assert_true(parsed("_flush_io_fallocate", "9223372036854775807").fallocate == INT64_MAX);
    assert_true(parsed("_flush_io_fallocate", "8589934591G").fallocate ==
                UINT64_C(8589934591) << 30);
}

static void test_bad_sizes_are_errors(void **state)
{
    static const char *const bad[] = { "K", "-1", "+1", "1KB", "1 K", "1.5M", "0x10", "1T", "x",
                                       "9223372036854775808", "8589934592G", "9007199254740992K",
                                       "18446744073709551616", "99999999999999999999999G" };
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(text, sizeof(text), "macro %%_flush_io_interval: unknown value '%s', accepted "
                 "are: a number above 0 of " SIZES, bad[i]);
        refused("_flush_io_interval", bad[i], text);
        snprintf(text, sizeof(text), "macro %%_flush_io_fallocate: unknown value '%s', accepted "
                 "are: 0 or a number of " SIZES, bad[i]);
        refused("_flush_io_fallocate", bad[i], text);
    }
    refused("_flush_io_interval", "0",
            "macro %_flush_io_interval: unknown value '0', accepted are: a number above 0 of "
            SIZES);
    refused("_flush_io_dirty", "0",
            "macro %_flush_io_dirty: unknown value '0', accepted are: a number above 0 of " SIZES);
}

static void test_hints_alone_are_not_idle(void **state)
{
    rpmFlushPolicy policy = parsed("_flush_io_fallocate", "1M");

    (void)state;
    assert_false(rpmFlushPolicyIdle(&policy));
    policy = parsed("_flush_io_dontneed", "1");
    assert_false(rpmFlushPolicyIdle(&policy));
    policy = parsed("_flush_io_interval", "1M");
    assert_true(rpmFlushPolicyIdle(&policy));
    policy = parsed("_flush_io", "none");
    assert_true(rpmFlushPolicyIdle(&policy));
}

static void isValue(const rpmFlushPolicy *policy, const char *key, const char *wanted)
{
    char *value = rpmFlushPolicyValue(policy, key);

    assert_string_equal(value, wanted);
    free(value);
}

static void test_values_come_back_as_text(void **state)
{
    rpmFlushPolicy policy = parsed("_flush_io", "fdatasync");
    rpmFlushPolicy again;

    (void)state;
    policy.fallocate = 65536;
    isValue(&policy, "_flush_io", "1");
    isValue(&policy, "_flush_io_method", "fdatasync");
    isValue(&policy, "_flush_io_interval", "262144");
    isValue(&policy, "_flush_io_fallocate", "65536");
    isValue(&policy, "_flush_io_dontneed", "1");
    assert_null(rpmFlushPolicyValue(&policy, "_flush"));
    rpmFlushPolicyInit(&again);
    for (int i = 0; rpmFlushPolicyKey(i) != NULL; i++) {
        char *value = rpmFlushPolicyValue(&policy, rpmFlushPolicyKey(i));

        assert_int_equal(rpmFlushPolicyParse(&again, rpmFlushPolicyKey(i), value, NULL), 0);
        free(value);
    }
    policy.dontneed = 1;
    policy.interval = 262144;
    assert_memory_equal(&again, &policy, sizeof(policy));
    assert_null(rpmFlushPolicyKey(-1));
    policy = parsed("_flush_io", "batch");
    isValue(&policy, "_flush_io_interval", "1048576");
    isValue(&policy, "_flush_io_dontneed", "0");
    isValue(&policy, "_flush_io_barrier", "auto");
    isValue(&policy, "_flush_io_dirty", "67108864");
    isValue(&policy, "_flush_io_pending", "0");
    policy = parsed("_flush_io_barrier", "syncfs");
    isValue(&policy, "_flush_io_barrier", "syncfs");
    policy = parsed("_flush_io", "none");
    isValue(&policy, "_flush_io", "none");
    isValue(&policy, "_flush_io_dontneed", "0");
}

static void test_macros_undefined_give_the_built_in_values(void **state)
{
    rpmFlushPolicy policy, wanted;

    (void)state;
    memset(&policy, 0x5a, sizeof(policy));
    rpmFlushPolicyInit(&wanted);
    assert_int_equal(rpmFlushPolicyFromMacros(&policy, NULL), 0);
    assert_memory_equal(&policy, &wanted, sizeof(policy));
}

static void test_macros_are_expanded_and_read(void **state)
{
    rpmFlushPolicy policy;

    (void)state;
    define("_flush_io 1");
    define("size 2M");
    define("_flush_io_method fdatasync");
    define("_flush_io_interval %{size}");
    define("_flush_io_fallocate 1K");
    define("_flush_io_dontneed n");
    define("_flush_io_barrier fsync");
    define("_flush_io_dirty 8M");
    define("_flush_io_pending 100");
    assert_int_equal(rpmFlushPolicyFromMacros(&policy, NULL), 0);
    assert_int_equal(policy.whether, RPMFLUSH_ON);
    assert_int_equal(policy.method, RPMFLUSH_FDATASYNC);
    assert_int_equal(policy.interval, 2097152);
    assert_int_equal(policy.fallocate, 1024);
    assert_int_equal(policy.dontneed, 0);
    assert_int_equal(policy.barrier, RPMFLUSH_BARRIER_FSYNC);
    assert_int_equal(policy.dirty, 8388608);
    assert_int_equal(policy.pending, 100);
    rpmPopMacro(NULL, "size");
}

static void test_the_shorthand_wins_over_the_method(void **state)
{
    rpmFlushPolicy policy;

    (void)state;
    define("_flush_io odsync");
    define("_flush_io_method fdatasync");
    assert_int_equal(rpmFlushPolicyFromMacros(&policy, NULL), 0);
    assert_int_equal(policy.whether, RPMFLUSH_ON);
    assert_int_equal(policy.method, RPMFLUSH_ODSYNC);
}

static void test_each_read_sees_the_macros_of_the_moment(void **state)
{
    rpmFlushPolicy policy;

    (void)state;
    define("_flush_io fsync");
    assert_int_equal(rpmFlushPolicyFromMacros(&policy, NULL), 0);
    assert_int_equal(policy.whether, RPMFLUSH_ON);
    define("_flush_io 0");
    assert_int_equal(rpmFlushPolicyFromMacros(&policy, NULL), 0);
    assert_int_equal(policy.whether, RPMFLUSH_OFF);
    rpmPopMacro(NULL, "_flush_io");
}

static void test_a_bad_macro_is_an_error_even_where_it_would_not_count(void **state)
{
    rpmFlushPolicy policy;
    char *emsg = NULL;

    (void)state;
    define("_flush_io 0");
    define("_flush_io_method sometimes");
    assert_int_equal(rpmFlushPolicyFromMacros(&policy, &emsg), -1);
    assert_string_equal(emsg, "macro %_flush_io_method: unknown value 'sometimes', accepted are: "
                        METHODS);
    free(emsg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_off_and_idle),
        cmocka_unit_test(test_numbers_y_and_n_mean_what_they_mean_upstream),
        cmocka_unit_test(test_a_method_is_on_with_that_method),
        cmocka_unit_test(test_unknown_words_are_errors),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_bad_sizes_are_errors),
        cmocka_unit_test(test_hints_alone_are_not_idle),
        cmocka_unit_test(test_values_come_back_as_text),
        cmocka_unit_test(test_macros_undefined_give_the_built_in_values),
        cmocka_unit_test_teardown(test_macros_are_expanded_and_read, undefineAll),
        cmocka_unit_test_teardown(test_the_shorthand_wins_over_the_method, undefineAll),
        cmocka_unit_test_teardown(test_each_read_sees_the_macros_of_the_moment, undefineAll),
        cmocka_unit_test_teardown(test_a_bad_macro_is_an_error_even_where_it_would_not_count,
                                  undefineAll),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);

    rpmFreeMacros(NULL);
    return rc;
}
