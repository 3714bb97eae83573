/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "macro_fixture.h"

static void test_arguments(void **state)
{
    (void)state;
    defined("foo() [%0|%*|%**|%#|%1|%2|%{?3}]");
    expands("%foo", "[foo|||0|%1|%2|]");
    expands("%{foo}x", "[foo|||0|%1|%2|]x");
    expands("%foo a  b\nc", "[foo|a b|a b|2|a|b|]\nc");
    expands("%{foo a b}c", "[foo|a b|a b|2|a|b|]c");
    expands("%{foo:a b}c", "[foo|a b|a b|1|a b|%2|]c");
    expands("%{foo:}", "[foo|||1||%2|]");
    expands("%foo %{nosuch} %%", "[foo|%{nosuch} %|%{nosuch} %|2|%{nosuch}|%|]");
    expands("%foo a\\\nb", "[foo|a\\|a\\|1|a\\|%2|]b");
}

static void test_eleven_arguments(void **state)
{
    (void)state;
    defined("foo() %1 %10 %{11}");
    expands("%foo a b c d e f g h i j k", "a j k");
}

static void test_quoted_arguments(void **state)
{
    (void)state;
    defined("foo() %#:%1|%2");
    expands("%foo %{quote:a b} c", "2:a b|c");
    expands("%foo %{quote:} c", "2:|c");
    expands("%foo x%{quote: y }z", "1:x y z|%2");
    expands("%foo %{quote a b}", "2:a|b");
}

static void test_options(void **state)
{
    (void)state;
    defined("foo(ab:c::) %{-a}|%{-b}|%{-b*}|%{-c}|%{-c*}|%{!-a:no}|%{-b:<%{-b*}>}|%*|%#");
    expands("%foo", "|||||no|||0");
    expands("%foo -a x", "-a|||||||x|1");
    expands("%foo -b x y", "|-b x|x|||no|<x>|y|1");
    expands("%foo -bx y", "|-b x|x|||no|<x>|y|1");
    expands("%foo -ab x", "-a|-b x|x||||<x>||0");
    expands("%foo -b -a x", "|-b -a|-a|||no|<-a>|x|1");
    expands("%foo -c x", "|||-c||no||x|1");
    expands("%foo -cx", "|||-c x|x|no|||0");
    expands("%foo x -a y", "-a|||||||x y|2");
    expands("%foo -- -a", "|||||no||-a|1");
    expands("%foo - -a", "-a|||||||-|1");
    expands("%foo -b1 -b2", "|-b 2|2|||no|<2>||0");
}

static void test_options_can_be_left_alone(void **state)
{
    (void)state;
    defined("foo(-) %*|%#");
    expands("%foo -a --b -- c", "-a --b -- c|4");
    rpmPushMacro(NULL, "bar", "+a", "%{-a}|%*", RMIL_SPEC);
    expands("%bar -a b -a", "-a|b -a");
}

static void test_wrong_options(void **state)
{
    (void)state;
    defined("foo(ab:) x");
    fails("%foo -x", "Unknown option x in foo(ab:)\n");
    fails("%foo -ax", "Unknown option x in foo(ab:)\n");
    fails("%foo -b", "Unknown option b in foo(ab:)\n");
    fails("%foo --long", "Unknown option - in foo(ab:)\n");
    fails("%foo -:", "Unknown option : in foo(ab:)\n");
    expands("%foo -a", "x");
}

static void test_arguments_are_not_seen_below(void **state)
{
    (void)state;
    defined("inner() <%{?1}%{-a}%{-b}>");
    defined("simple %1%{-a}");
    defined("foo(a) %inner%simple");
    expands("%{foo -a x}", "<>x-a");
    expands("%1%{-a}%#", "%1%#");
}

static void test_definitions_end_with_the_call(void **state)
{
    (void)state;
    defined("foo() {%{define:loc %1}%{global:glo %1}[%loc]}");
    expands("%{foo a}%loc%glo", "[a]%loca");
    defined("bar() {%{define:glo inner}%{define:glo innermost}<%glo>}");
    expands("%{bar}%glo", "<innermost>a");
    assert_string_equal(messages, "");
}

static void test_unused_definitions_are_noted(void **state)
{
    (void)state;
    defined("foo() {%{define:loc %1}x}");
    expands("%{foo a}", "x");
    assert_string_equal(messages, "Macro %loc defined but not used within scope\n");
}

static void test_a_call_may_undefine_its_own(void **state)
{
    (void)state;
    defined("foo() {%{define:loc %1}%{undefine:loc}%{?loc}x}");
    expands("%{foo a}", "x");
    assert_string_equal(messages, "");
}

static void test_an_error_ends_all_calls(void **state)
{
    (void)state;
    defined("inner() %{define:loc x}%loc%{error:bad %1}");
    defined("outer() %{inner %1}never");
    fails("%{outer a}", "bad a\n");
    expands("%{?loc}%{?1}ok", "ok");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_arguments),
        TEST(test_eleven_arguments),
        TEST(test_quoted_arguments),
        TEST(test_options),
        TEST(test_options_can_be_left_alone),
        TEST(test_wrong_options),
        TEST(test_arguments_are_not_seen_below),
        TEST(test_definitions_end_with_the_call),
        TEST(test_unused_definitions_are_noted),
        TEST(test_a_call_may_undefine_its_own),
        TEST(test_an_error_ends_all_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
