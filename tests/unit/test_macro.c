/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <limits.h>
#include <pthread.h>

#include "macro_fixture.h"

static void test_push_and_pop_are_a_stack(void **state)
{
    (void)state;
    assert_int_equal(rpmPushMacro(NULL, "foo", NULL, "one", RMIL_SPEC), 0);
    assert_int_equal(rpmPushMacro(NULL, "foo", NULL, "two", RMIL_SPEC), 0);
    expands("%foo", "two");
    assert_int_equal(rpmPopMacro(NULL, "foo"), 0);
    expands("%foo", "one");
    assert_int_equal(rpmPopMacro(NULL, "foo"), 0);
    expands("%foo", "%foo");
    assert_int_equal(rpmPopMacro(NULL, "foo"), 0);
}

static void test_many_names_are_found(void **state)
{
    char name[16], body[16];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "m%d", i * 7919 % 1000);
        snprintf(body, sizeof(body), "%d", i * 7919 % 1000);
        rpmPushMacro(NULL, name, NULL, body, RMIL_SPEC);
    }
    for (int i = 0; i < 1000; i += 2) {
        snprintf(name, sizeof(name), "m%d", i);
        rpmPopMacro(NULL, name);
    }
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "%%m%d", i);
        snprintf(body, sizeof(body), "%d", i);
        expands(name, i % 2 ? body : name);
    }
}

static void test_literal_bodies_are_text(void **state)
{
    (void)state;
    rpmPushMacroFlags(NULL, "foo", NULL, "%{error:no} %%", RMIL_SPEC, RPMMACRO_LITERAL);
    expands("[%foo]", "[%{error:no} %%]");
    rpmPushMacro(NULL, "bar", NULL, NULL, RMIL_SPEC);
    expands("[%bar]", "[]");
}

static void test_defined_and_parametric(void **state)
{
    (void)state;
    defined("simple x");
    defined("par() x");
    assert_true(rpmMacroIsDefined(NULL, "simple"));
    assert_true(rpmMacroIsDefined(NULL, "echo"));
    assert_false(rpmMacroIsDefined(NULL, "simpl"));
    assert_false(rpmMacroIsDefined(NULL, "simplex"));
    assert_true(rpmMacroIsParametric(NULL, "par"));
    assert_false(rpmMacroIsParametric(NULL, "simple"));
    assert_false(rpmMacroIsParametric(NULL, "nosuch"));
}

static void test_contexts_are_apart_until_loaded(void **state)
{
    (void)state;
    assert_int_equal(rpmDefineMacro(rpmCLIMacroContext, "foo(a) cli%{-a}", RMIL_CMDLINE), 0);
    assert_false(rpmMacroIsDefined(NULL, "foo"));
    rpmLoadMacros(rpmCLIMacroContext, RMIL_CMDLINE);
    expands("%foo -a", "cli-a");
    rpmLoadMacros(NULL, RMIL_CMDLINE);
    rpmFreeMacros(rpmCLIMacroContext);
    assert_false(rpmMacroIsDefined(rpmCLIMacroContext, "foo"));
    assert_true(rpmMacroIsDefined(NULL, "foo"));
}

static void test_the_command_line_wins_over_files(void **state)
{
    const char *path = makeFile("%foo file\n%bar file\n", 20);

    (void)state;
    rpmDefineMacro(rpmCLIMacroContext, "foo cli", RMIL_CMDLINE);
    rpmInitMacros(NULL, path);
    expands("%foo %bar", "cli file");
    unlink(path);
}

static void test_rpmExpand_joins_and_survives_errors(void **state)
{
    char *s = rpmExpand("%{ba", "sename:/a/b}", "-x", NULL);

    (void)state;
    assert_string_equal(s, "b-x");
    free(s);
    s = rpmExpand("before%{error:oops}after", NULL);
    assert_string_equal(s, "before");
    assert_string_equal(messages, "oops\n");
    free(s);
}

static void test_rpmExpandNumeric(void **state)
{
    static const struct {
        const char *text;
        int wanted;
    } cases[] = {
        { "1", 1 },        { "0", 0 },          { "-3", -3 },     { "0x10", 16 },
        { "010", 8 },      { "yes", 1 },        { "Y", 1 },       { "no", 0 },
        { "12abc", 0 },    { "", 0 },           { "%nosuch", 0 }, { "%{?nosuch}", 0 },
        { "batch", 0 },    { "4294967296", INT_MAX },             { "-4294967296", INT_MIN },
        { "%{?foo}", 42 }, { "99999999999999999999", INT_MAX },   { "%", 0 },
    };

    (void)state;
    defined("foo 42");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(rpmExpandNumeric(cases[i].text), cases[i].wanted);
    assert_int_equal(rpmExpandNumeric(NULL), 0);
}

static void test_a_context_can_be_used_again(void **state)
{
    (void)state;
    rpmFreeMacros(NULL);
    expands("%{basename:/a}", "%{basename:/a}");
    rpmInitMacros(NULL, NULL);
    rpmInitMacros(NULL, NULL);
    expands("%{basename:/a}", "a");
}

static int expandInside(rpmlogRec rec, rpmlogCallbackData data)
{
    char *s = rpmExpand("%foo", NULL);

    assert_string_equal(s, "bar");
    assert_string_equal(rpmlogRecMessage(rec), "hello\n");
    ++*(int *)data;
    free(s);
    return 0;
}

static void test_a_log_callback_may_expand(void **state)
{
    int calls = 0;

    (void)state;
    defined("foo bar");
    rpmlogSetCallback(expandInside, &calls);
    expands("%{warn:hello}", "");
    assert_int_equal(calls, 1);
}

/* Each thread defines a name of its own and calls a macro that all share. */
static void *hammer(void *arg)
{
    int me = *(int *)arg;
    char text[64], wanted[64];
    long bad = 0;

    for (int i = 0; i < 300; i++) {
        char *s = NULL;

        snprintf(text, sizeof(text), "%%global t%d %d\n%%{call -a%d %%t%d}", me, i, i, me);
        snprintf(wanted, sizeof(wanted), "<%d-%d>", i, i);
        if (rpmExpandMacros(NULL, text, &s, 0) != 1 || strcmp(s, wanted) != 0)
            bad++;
        free(s);
    }
    return (void *)bad;
}

static void test_threads_share_a_context(void **state)
{
    pthread_t threads[4];
    int ids[4];

    (void)state;
    defined("call(a:) {%{expand:%%define loc %{-a*}}<%loc-%1>}");
    for (int i = 0; i < 4; i++) {
        ids[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &ids[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *bad = NULL;

        pthread_join(threads[i], &bad);
        assert_null(bad);
    }
    assert_string_equal(messages, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_push_and_pop_are_a_stack),
        TEST(test_many_names_are_found),
        TEST(test_literal_bodies_are_text),
        TEST(test_defined_and_parametric),
        TEST(test_contexts_are_apart_until_loaded),
        TEST(test_the_command_line_wins_over_files),
        TEST(test_rpmExpand_joins_and_survives_errors),
        TEST(test_rpmExpandNumeric),
        TEST(test_a_context_can_be_used_again),
        TEST(test_a_log_callback_may_expand),
        TEST(test_threads_share_a_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
