/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems and sets of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rpm/rpmps.h>

static const struct {
    rpmProblemType type;
    uint64_t number;
    const char *text;
} rows[] = {
    { RPMPROB_BADARCH, 0, "package p-1-1 is intended for a S architecture" },
    { RPMPROB_BADOS, 0, "package p-1-1 is intended for a S operating system" },
    { RPMPROB_PKG_INSTALLED, 1, "package p-1-1 is already installed" },
    { RPMPROB_PKG_INSTALLED, 0, "package p-1-1 is not installed" },
    { RPMPROB_BADRELOCATE, 0, "path S in package p-1-1 is not relocatable" },
    { RPMPROB_NEW_FILE_CONFLICT, 0,
      "file S conflicts between attempted installs of p-1-1 and q-2-2" },
    { RPMPROB_FILE_CONFLICT, 0,
      "file S from install of p-1-1 conflicts with file from package q-2-2" },
    { RPMPROB_OLDPACKAGE, 0, "package q-2-2 (which is newer than p-1-1) is already installed" },
    { RPMPROB_DISKSPACE, 1, "installing package p-1-1 needs 1KB more space on the S filesystem" },
    { RPMPROB_DISKSPACE, 1024 * 1024,
      "installing package p-1-1 needs 1024KB more space on the S filesystem" },
    { RPMPROB_DISKSPACE, 1024 * 1024 + 1,
      "installing package p-1-1 needs 2MB more space on the S filesystem" },
    { RPMPROB_DISKSPACE, UINT64_MAX,
      "installing package p-1-1 needs 17592186044416MB more space on the S filesystem" },
    { RPMPROB_DISKNODES, 7, "installing package p-1-1 needs 7 more inodes on the S filesystem" },
    { RPMPROB_REQUIRES, 0, "S is needed by q-2-2" },
    { RPMPROB_REQUIRES, 1, "S is needed by (installed) q-2-2" },
    { RPMPROB_CONFLICT, 0, "S conflicts with q-2-2" },
    { RPMPROB_OBSOLETES, 1, "S is obsoleted by (installed) q-2-2" },
    { RPMPROB_VERIFY, 0, "package p-1-1 does not verify: S" },
    { (rpmProblemType) 99, 0, "unknown error 99 encountered while manipulating package p-1-1" },
};

static rpmProblem make(rpmProblemType type, const char *str, uint64_t number)
{
    return rpmProblemCreate(type, "p-1-1", "key", "q-2-2", str, number);
}

static void test_messages(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        rpmProblem prob = make(rows[i].type, "S", rows[i].number);
        char *text = rpmProblemString(prob);
        assert_string_equal(text, rows[i].text);
        free(text);
        rpmProblemFree(prob);
    }
}

static void test_without_strings(void **state)
{
    rpmProblem prob = rpmProblemCreate(RPMPROB_FILE_CONFLICT, NULL, NULL, NULL, NULL, 0);
    char *text = rpmProblemString(prob);

    (void) state;
    assert_string_equal(text, "file different from install of ?pkgNEVR? conflicts with file from "
                              "package ? ?altNEVR?");
    free(text);
    rpmProblemFree(prob);
}

static void test_getters_and_comparison(void **state)
{
    rpmProblem a = make(RPMPROB_DISKSPACE, "/", 5);
    rpmProblem b = make(RPMPROB_DISKSPACE, "/", 5);
    rpmProblem c = make(RPMPROB_DISKSPACE, "/usr", 5);

    (void) state;
    assert_string_equal(rpmProblemGetPkgNEVR(a), "p-1-1");
    assert_string_equal(rpmProblemGetAltNEVR(a), "q-2-2");
    assert_string_equal(rpmProblemGetStr(a), "/");
    assert_string_equal(rpmProblemGetKey(a), "key");
    assert_int_equal(rpmProblemGetType(a), RPMPROB_DISKSPACE);
    assert_int_equal(rpmProblemGetDiskNeed(a), 5);
    assert_int_equal(rpmProblemCompare(a, b), 0);
    assert_int_equal(rpmProblemCompare(a, c), 1);
    assert_int_equal(rpmProblemCompare(a, NULL), 1);
    assert_int_equal(rpmProblemCompare(NULL, NULL), 0);
    rpmProblemFree(a);
    rpmProblemFree(b);
    rpmProblemFree(c);
}

static void test_sets(void **state)
{
    rpmps ps = rpmpsCreate();
    rpmps more = rpmpsCreate();
    rpmProblem a = make(RPMPROB_VERIFY, "one", 0);
    rpmProblem b = make(RPMPROB_VERIFY, "two", 0);
    rpmpsi psi;

    (void) state;
    rpmpsAppendProblem(ps, a);
    rpmpsAppendProblem(more, a);
    rpmpsAppendProblem(more, b);
    assert_int_equal(rpmpsMerge(ps, more), 2);
    assert_int_equal(rpmpsMerge(ps, NULL), 0);
    assert_int_equal(rpmpsNumProblems(ps), 3);
    assert_int_equal(rpmpsNumProblems(NULL), 0);

    psi = rpmpsInitIterator(ps);
    assert_ptr_equal(rpmpsiNext(psi), a);
    assert_ptr_equal(rpmpsiNext(psi), a);
    assert_ptr_equal(rpmpsiNext(psi), b);
    assert_null(rpmpsiNext(psi));
    rpmpsFreeIterator(psi);
    assert_null(rpmpsInitIterator(NULL));
    assert_null(rpmpsiNext(NULL));

    rpmProblemFree(a);
    rpmProblemFree(b);
    rpmpsFree(more);
    rpmpsFree(ps);
}

static void test_print(void **state)
{
    rpmps ps = rpmpsCreate();
    rpmProblem a = make(RPMPROB_VERIFY, "one", 0);
    rpmProblem b = make(RPMPROB_VERIFY, "two", 0);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    (void) state;
    rpmpsAppendProblem(ps, a);
    rpmpsAppendProblem(ps, b);
    rpmpsPrint(f, ps);
    rpmpsPrint(f, NULL);
    fclose(f);
    assert_string_equal(text, "\tpackage p-1-1 does not verify: one\n"
                              "\tpackage p-1-1 does not verify: two\n");
    free(text);
    rpmProblemFree(a);
    rpmProblemFree(b);
    rpmpsFree(ps);
}

static void test_print_keeps_to_a_line(void **state)
{
    rpmps ps = rpmpsCreate();
    rpmProblem a = make(RPMPROB_VERIFY, "a\nb\033[2J", 0);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    (void) state;
    rpmpsAppendProblem(ps, a);
    rpmpsPrint(f, ps);
    fclose(f);
    assert_string_equal(text, "\tpackage p-1-1 does not verify: a\\x0ab\\x1b[2J\n");
    free(text);
    rpmProblemFree(a);
    rpmpsFree(ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_without_strings),
        cmocka_unit_test(test_getters_and_comparison),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_keeps_to_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
