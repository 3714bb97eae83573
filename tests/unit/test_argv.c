/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/argv.h>
#include <rpm/rpmutil.h>

/* The array, joined by '|', must be this. */
static void expectJoined(ARGV_const_t argv, const char *expected)
{
    char *joined = argvJoin(argv, "|");

    if (expected == NULL)
        assert_null(joined);
    else
        assert_string_equal(joined, expected);
    rfree(joined);
}

static void test_null_is_empty(void **state)
{
    ARGV_t argv = NULL, fresh = argvNew();

    (void)state;
    assert_int_equal(argvCount(NULL), 0);
    assert_int_equal(argvSort(NULL, NULL), 0);
    assert_null(argvSearch(NULL, "a", NULL));
    expectJoined(NULL, NULL);
    assert_null(argvFree(NULL));
    argvAppend(&argv, NULL);
    assert_int_equal(argvCount(argv), 0);
    argvFree(argv);
    assert_non_null(fresh);
    assert_int_equal(argvCount(fresh), 0);
    argvFree(fresh);
}

static void test_adding(void **state)
{
    ARGV_t argv = NULL, other = NULL;

    (void)state;
    argvAdd(&argv, "one");
    argvAddN(&argv, "twofold", 3);
    argvAddN(&argv, "x", 10);
    argvAddNum(&argv, -3);
    expectJoined(argv, "one|two|x|-3");
    argvAdd(&other, "zero");
    argvAppend(&other, argv);
    expectJoined(other, "zero|one|two|x|-3");
    assert_int_equal(argvCount(other), 5);
    assert_ptr_not_equal(other[1], argv[0]);
    assert_ptr_equal(argvData(argv), argv);
    argvFree(argv);
    argvFree(other);
}

static const struct {
    const char *str, *seps;
    argvFlags flags;
    int count;
    const char *joined;
} splits[] = {
    { "a:b:c", ":", ARGV_NONE, 3, "a|b|c" },
    { "a::b:", ":", ARGV_NONE, 3, "a||b" },
    { "a::b::", ":", ARGV_NONE, 4, "a||b|" },
    { ":a", ":", ARGV_NONE, 2, "|a" },
    { ":a::b::", ":", ARGV_SKIPEMPTY, 2, "a|b" },
    { "a b\tc", " \t", ARGV_SKIPEMPTY, 3, "a|b|c" },
    { "abc", "", ARGV_NONE, 1, "abc" },
    { "", ":", ARGV_NONE, 0, NULL },
    { ":::", ":", ARGV_SKIPEMPTY, 0, NULL },
};

static void test_splitting(void **state)
{
    ARGV_t argv = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
        argv = argvSplitString(splits[i].str, splits[i].seps, splits[i].flags);
        assert_non_null(argv);
        assert_int_equal(argvCount(argv), splits[i].count);
        expectJoined(argv, splits[i].joined);
        argvFree(argv);
    }
    assert_null(argvSplitString(NULL, ":", ARGV_NONE));
    argvSplit(&argv, "::p::q:", ":");
    expectJoined(argv, "p|q");
    argvFree(argv);
}

static int reversed(const void *a, const void *b)
{
    return argvCmp(b, a);
}

static void test_sorting_and_searching(void **state)
{
    ARGV_t argv = argvSplitString("c a d b", " ", ARGV_NONE);

    (void)state;
    argvSort(argv, NULL);
    expectJoined(argv, "a|b|c|d");
    assert_ptr_equal(argvSearch(argv, "c", NULL), argv + 2);
    assert_null(argvSearch(argv, "cc", NULL));
    argvSort(argv, reversed);
    expectJoined(argv, "d|c|b|a");
    assert_ptr_equal(argvSearch(argv, "d", reversed), argv);
    argvFree(argv);
}

static void test_join_without_separator(void **state)
{
    ARGV_t argv = argvSplitString("a b", " ", ARGV_NONE);
    char *joined = argvJoin(argv, NULL);

    (void)state;
    assert_string_equal(joined, "ab");
    rfree(joined);
    argvFree(argv);
}

static void test_printing(void **state)
{
    ARGV_t argv = argvSplitString("a b", " ", ARGV_NONE);
    char *text = NULL;
    size_t size;
    FILE *fp = open_memstream(&text, &size);

    (void)state;
    argvPrint("list", argv, fp);
    argvPrint(NULL, NULL, fp);
    fclose(fp);
    assert_string_equal(text, "list:\na\nb\n");
    free(text);
    argvFree(argv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_is_empty),
        cmocka_unit_test(test_adding),
        cmocka_unit_test(test_splitting),
        cmocka_unit_test(test_sorting_and_searching),
        cmocka_unit_test(test_join_without_separator),
        cmocka_unit_test(test_printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
