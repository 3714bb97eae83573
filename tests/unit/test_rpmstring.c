/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <rpm/rpmstring.h>

static void test_characters(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        assert_int_equal(risspace(c), c != 0 && strchr(" \t\n\v\f\r", c) != NULL);
        assert_int_equal(rtoupper(rtolower(c)), rislower(c) ? c - 32 : c);
        assert_int_equal(risalnum(c), c != 0 && strchr("abcdefghijklmnopqrstuvwxyz0123456789",
                                                       rtolower(c)) != NULL);
    }
    assert_int_equal(rnibble('7'), 7);
    assert_int_equal(rnibble('c'), 12);
    assert_int_equal(rnibble('F'), 15);
    assert_int_equal(rnibble('g'), 0);
}

static void test_case_is_ignored(void **state)
{
    (void)state;
    assert_int_equal(rstrcasecmp("Payload", "pAYLOAD"), 0);
    assert_true(rstrcasecmp("abc", "ABD") < 0);
    assert_true(rstrcasecmp("abcd", "ABC") > 0);
    assert_true(rstrcasecmp("\xe9", "e") > 0);
    assert_int_equal(rstrncasecmp("abcX", "ABCy", 3), 0);
    assert_true(rstrncasecmp("abcX", "ABCy", 4) < 0);
    assert_int_equal(rstrncasecmp("a", "b", 0), 0);
}

static void test_equality(void **state)
{
    (void)state;
    assert_int_equal(rstreq("a", "a"), 1);
    assert_int_equal(rstreq("a", "b"), 0);
    assert_int_equal(rstreqn("abc", "abd", 2), 1);
    assert_int_equal(rstreqn("abc", "abd", 3), 0);
}

static void test_rasprintf(void **state)
{
    char *s = NULL;

    (void)state;
    assert_int_equal(rasprintf(&s, "%s-%d", "name", 12), 7);
    assert_string_equal(s, "name-12");
    rfree(s);
    assert_int_equal(rasprintf(&s, "%1000d", 1), 1000);
    assert_int_equal(strlen(s), 1000);
    rfree(s);
}

static void test_concatenation(void **state)
{
    char *s = NULL, *t;

    (void)state;
    assert_string_equal(rstrcat(&s, "a"), "a");
    assert_ptr_equal(rstrcat(&s, NULL), s);
    assert_string_equal(rstrscat(&s, "b", "", "cd", NULL), "abcd");
    assert_string_equal(s, "abcd");
    t = rstrscat(NULL, "x", "y", NULL);
    assert_string_equal(t, "xy");
    rfree(t);
    rfree(s);
}

static void test_rstrlcpy(void **state)
{
    char buf[4] = "zzz";

    (void)state;
    assert_int_equal(rstrlcpy(buf, "ab", sizeof(buf)), 2);
    assert_string_equal(buf, "ab");
    assert_int_equal(rstrlcpy(buf, "abcdef", sizeof(buf)), 6);
    assert_string_equal(buf, "abc");
    assert_int_equal(rstrlcpy(buf, "xyz", 0), 3);
    assert_string_equal(buf, "abc");
}

static void test_rpmhex(void **state)
{
    static const uint8_t bytes[] = { 0x00, 0x7f, 0x80, 0xfe };
    char *s = rpmhex(bytes, sizeof(bytes));

    (void)state;
    assert_string_equal(s, "007f80fe");
    rfree(s);
    s = rpmhex(bytes, 0);
    assert_string_equal(s, "");
    rfree(s);
    assert_null(rpmhex(NULL, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_case_is_ignored),
        cmocka_unit_test(test_equality),
        cmocka_unit_test(test_rasprintf),
        cmocka_unit_test(test_concatenation),
        cmocka_unit_test(test_rstrlcpy),
        cmocka_unit_test(test_rpmhex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
