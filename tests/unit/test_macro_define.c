/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "macro_fixture.h"

/* The definition fails with this message, and defines nothing. */
static void refused(const char *definition, const char *message)
{
    clearMessages();
    assert_int_equal(rpmDefineMacro(NULL, definition, RMIL_SPEC), 1);
    assert_string_equal(messages, message);
    assert_false(rpmMacroIsDefined(NULL, "foo"));
}

/* The definition has this body. */
static void gives(const char *definition, const char *body)
{
    char *got = NULL;

    assert_int_equal(rpmDefineMacro(NULL, definition, RMIL_SPEC), 0);
    assert_int_equal(rpmExpandMacros(NULL, "%{macrobody:foo}", &got, 0), 1);
    assert_string_equal(got, body);
    free(got);
}

static void test_bodies(void **state)
{
    (void)state;
    gives("foo bar", "bar");
    gives("  foo \t a  b \t ", "a  b");
    gives("foo a\nb", "a");
    gives("foo a\\\nb", "a\nb");
    gives("foo a\\b\\\\c", "ab\\c");
    gives("foo a\\", "a\\");
    gives("foo %{x\ny} z\nw", "%{x\ny} z");
    gives("foo %(x\ny)\nw", "%(x\ny)");
    gives("foo %{a{b}c\n}\nw", "%{a{b}c\n}");
    gives("foo %{a\\}b\n}", "%{a}b\n}");
    gives("foo %%{a", "%%{a");
    gives("foo {a\n\\b {c} }d", "a\n\\b {c} ");
    gives("foo(ab:) x", "x");
    gives("foo \\\n x", "\n x");
    assert_string_equal(messages, "");
}

static void test_a_body_should_be_set_apart(void **state)
{
    (void)state;
    gives("foo{x}", "x");
    assert_string_equal(messages, "Macro %foo needs whitespace before body\n");
    clearMessages();
    gives("foo(a)x", "x");
    assert_string_equal(messages, "Macro %foo needs whitespace before body\n");
}

static void test_faulty_definitions(void **state)
{
    (void)state;
    refused("foo", "Macro %foo has empty body\n");
    refused("foo  \t\n", "Macro %foo has empty body\n");
    refused("foo {}", "Macro %foo has empty body\n");
    refused("foo {x", "Macro %foo has unterminated body\n");
    refused("foo %{x", "Macro %foo has unterminated body\n");
    refused("foo %(x\n", "Macro %foo has unterminated body\n");
    refused("foo %[x\n]", "Macro %foo has unterminated body\n");
    refused("foo(a x", "Macro %foo has unterminated opts\n");
    refused("", "Macro % has illegal name (%define)\n");
    refused("1foo x", "Macro %1foo has illegal name (%define)\n");
    refused("_ x", "Macro %_ has illegal name (%define)\n");
    refused("basename x", "Macro %basename is a built-in (%define)\n");
    fails("%global echo x", "Macro %echo is a built-in (%global)\n");
    fails("%undefine echo", "Macro %echo is a built-in (%undefine)\n");
    fails("%undefine 1x", "Macro %1x has illegal name (%undefine)\n");
}

static void test_in_text(void **state)
{
    (void)state;
    expands("%define foo a b \n\n[%foo]", "[a b]");
    expands("x%define foo {a\nb}c%foo", "xca\nb");
    expands("%{define foo c}%{foo}%{define:foo d  }[%foo]", "c[d  ]");
    expands("%undefine foo\n%undefine foo\n%foo", "\n\na\nb");
}

static void test_global_expands_now_define_later(void **state)
{
    (void)state;
    defined("when first");
    expands("%define late %when\n%global soon %when\n", "");
    defined("when then");
    expands("%late %soon", "then first");
    fails("%global foo %{error:no}", "no\nMacro %foo failed to expand\n");
    expands("%global foo %{!?nosuch}\n[%foo]", "[]");
}

static void test_arguments_cannot_be_redefined(void **state)
{
    (void)state;
    rpmPushMacro(NULL, "one", "", "%{undefine:1}", RMIL_SPEC);
    fails("%{one x}", "Macro %1 has illegal name (%undefine)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bodies),
        TEST(test_a_body_should_be_set_apart),
        TEST(test_faulty_definitions),
        TEST(test_in_text),
        TEST(test_global_expands_now_define_later),
        TEST(test_arguments_cannot_be_redefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
