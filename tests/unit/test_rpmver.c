/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rpm/rpmver.h>

#define LT RPMSENSE_LESS
#define GT RPMSENSE_GREATER
#define EQ RPMSENSE_EQUAL
#define LE (LT | EQ)
#define GE (GT | EQ)

static const struct row {
    const char *evr1;
    rpmsenseFlags f1;
    const char *evr2;
    rpmsenseFlags f2;
    int overlap;
} rows[] = {
    { "1", EQ, "1", EQ, 1 },
    { "1", EQ, "2", EQ, 0 },
    { "1", EQ, "2", LT, 1 },
    { "2", EQ, "2", LT, 0 },
    { "2", EQ, "2", LE, 1 },
    { "2", EQ, "1", GT, 1 },
    { "1", EQ, "1", GE, 1 },
    { "1", EQ, "1", GT, 0 },
    { "1", GT, "2", LT, 1 },
    { "2", GT, "1", LT, 0 },
    { "2", GE, "2", LE, 1 },
    { "2", GT, "2", LE, 0 },
    { "1", LT, "2", LT, 1 },
    { "2", GT, "1", GT, 1 },
    /* A release that one side leaves out. */
    { "1-5", EQ, "1", EQ, 1 },
    { "1-5", EQ, "1", GE, 1 },
    { "1-5", EQ, "1", LE, 1 },
    { "1-5", EQ, "1", GT, 0 },
    { "1-5", EQ, "1", LT, 0 },
    { "1", EQ, "1-5", LE, 1 },
    { "1-5", EQ, "1-6", EQ, 0 },
    { "1-5", EQ, "1-6", LT, 1 },
    /* An epoch that one side leaves out is 0. */
    { "1:1", EQ, "2", LT, 0 },
    { "1:1", EQ, "2", GT, 1 },
    { "2", EQ, "1:1", LT, 1 },
    { "2", EQ, "1:1", GT, 0 },
    { "0:1", EQ, "1", EQ, 1 },
    { "1", EQ, "0:1", EQ, 1 },
    { ":1", EQ, "1", EQ, 1 },
    { "1:1", EQ, "2:1", LT, 1 },
    { "2:1-1", EQ, "2:1-1", EQ, 1 },
    /* Tilde, caret and dashes in the version. */
    { "1~rc1", EQ, "1", LT, 1 },
    { "1^git", EQ, "1", GT, 1 },
    { "1-2-3", EQ, "1-2-3", EQ, 1 },
    { "1-2-3", EQ, "1-2-4", EQ, 0 },
};

static void overlaps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct row *r = &rows[i];
        rpmver v1 = rpmverParse(r->evr1);
        rpmver v2 = rpmverParse(r->evr2);

        if (rpmverOverlap(v1, r->f1, v2, r->f2) != r->overlap ||
            rpmverOverlap(v2, r->f2, v1, r->f1) != r->overlap)
            fail_msg("%s (%x) and %s (%x): not %d", r->evr1, r->f1, r->evr2, r->f2, r->overlap);
        assert_null(rpmverFree(v1));
        assert_null(rpmverFree(v2));
    }
}

static void nothing(void **state)
{
    (void)state;
    assert_null(rpmverParse(NULL));
    assert_null(rpmverParse(""));
    assert_null(rpmverFree(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps),
        cmocka_unit_test(nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
