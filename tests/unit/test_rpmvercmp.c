/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <rpm/rpmver.h>

/* The rows without an empty string were checked against stock rpm 4.18.0's rpm.vercmp(). */
static const struct {
    const char *a, *b;
    int expected;
} rows[] = {
    { "1.0", "1.0", 0 },
    { "1.0", "2.0", -1 },
    { "2.0.1", "2.0", 1 },
    { "5.5p1", "5.5p10", -1 },
    { "10xyz", "10.1xyz", -1 },
    { "xyz10", "xyz10.1", -1 },
    { "xyz.4", "8", -1 },
    { "8", "xyz.4", 1 },
    { "5.5p10", "5.5p1", 1 },
    { "6.0.rc1", "6.0", 1 },
    { "10b2", "10a1", 1 },
    { "1.0a", "1.0aa", -1 },
    { "10.0001", "10.0039", -1 },
    { "4.999.9", "5.0", -1 },
    { "20101121", "20101122", -1 },
    { "2_0", "2.0", 0 },
    { "a+", "a_", 0 },
    { "+_", "_+", 0 },
    { "+", "", 0 },
    { "00001", "1", 0 },
    { "1.0~rc1", "1.0", -1 },
    { "1.0~rc1", "1.0~rc2", -1 },
    { "1.0~rc1~git123", "1.0~rc1", -1 },
    { "1.0^", "1.0", 1 },
    { "1.0^git1", "1.0^git2", -1 },
    { "1.0^git1", "1.01", -1 },
    { "1.0^20160101", "1.0.1", -1 },
    { "1.0^20160101^git1", "1.0^20160102", -1 },
    { "1.0~rc1^git1", "1.0~rc1", 1 },
    { "1.0^git1~pre", "1.0^git1", -1 },
    { "~", "", -1 },
    { "^", "", 1 },
};

static void test_rows_in_both_directions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rpmvercmp(rows[i].a, rows[i].b) != rows[i].expected ||
            rpmvercmp(rows[i].b, rows[i].a) != -rows[i].expected)
            fail_msg("'%s' against '%s' is not %d", rows[i].a, rows[i].b, rows[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_in_both_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
