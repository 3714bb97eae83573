/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <sched.h>

#include "macro_fixture.h"

static void test_arguments_must_fit(void **state)
{
    (void)state;
    fails("%{basename}", "%basename: argument expected\n");
    fails("%{echo }", "%echo: argument expected\n");
    fails("%{?define}", "%define: argument expected\n");
    fails("%{dnl}", "%dnl: argument expected\n");
    fails("%{getncpus:x}", "%getncpus: unexpected argument\n");
    fails("%{getconfdir x}", "%getconfdir: unexpected argument\n");
    fails("%{dump:}", "%dump: unexpected argument\n");
}

static void test_comments(void **state)
{
    (void)state;
    expands("a %dnl b %{unterminated\nc", "a c");
    expands("a %dnl", "a ");
    expands("%{dnl:a %{error:no}}b", "b");
}

static void test_output(void **state)
{
    (void)state;
    expands("%{echo:a %%}%{warn: b}%echo c d", "");
    assert_string_equal(messages, "a %\n b\nc\n");
    assert_int_equal(rpmlogGetNrecsByMask(RPMLOG_MASK(RPMLOG_WARNING)), 1);
    assert_int_equal(rpmlogGetNrecsByMask(RPMLOG_MASK(RPMLOG_ERR)), 0);
    fails("%{error:c}%{echo:never}", "c\n");
    assert_int_equal(rpmlogGetNrecsByMask(RPMLOG_MASK(RPMLOG_ERR)), 1);
}

static void test_expand_and_body(void **state)
{
    (void)state;
    defined("foo bar%{nosuch}");
    expands("%{expand:%%foo}|%{expand:}|%{macrobody:foo}|%{macrobody:}|%{macrobody:echo}",
            "bar%{nosuch}||bar%{nosuch}||<builtin>");
    fails("%{macrobody:nosuch}", "no such macro: 'nosuch'\n");
}

static void test_sources(void **state)
{
    (void)state;
    rpmPushMacro(NULL, "SOURCE1", NULL, "a.tar", RMIL_SPEC);
    rpmPushMacro(NULL, "PATCH0", NULL, "a.patch", RMIL_SPEC);
    defined("__rpmuncompress /usr/lib/rpm/rpmuncompress");
    expands("%{S:1} %{P:0} %{S:2}", "a.tar a.patch %SOURCE2");
    expands("%{uncompress:a.gz}|%{uncompress:}", "/usr/lib/rpm/rpmuncompress a.gz|");
}

static void test_verbose(void **state)
{
    int mask = rpmlogSetMask(RPMLOG_UPTO(RPMLOG_NOTICE));

    (void)state;
    expands("%verbose %{verbose} [%{verbose:%{nosuch}%%}]", "0 0 []");
    rpmlogSetMask(RPMLOG_UPTO(RPMLOG_INFO));
    expands("%verbose %{verbose} [%{verbose:%{nosuch}%%}]", "1 1 [%{nosuch}%]");
    rpmlogSetMask(mask);
}

static void test_paths(void **state)
{
    (void)state;
    expands("%{basename:/a/b.c}|%{basename:b}|%{basename:/a/}|%{basename:}", "b.c|b||");
    expands("%{dirname:/a/b.c}|%{dirname:b}|%{dirname:/a/}|%{dirname:/a}", "/a|b|/a|");
    expands("%{suffix:/a/b.c}|%{suffix:b}|%{suffix:.}|%{suffix:a.b.}", "c|||");
    expands("%{u2p:http://h/a}|%{url2path:https://h}|%{u2p:file:///a}|%{u2p:ftp://h/}",
            "/a|/|/a|/");
    expands("%{u2p:a/b}|%{u2p:-}|%{u2p:gopher://h/a}", "a/b|/|gopher://h/a");
    expands("%{exists:/}%{exists:/no/such}%{exists:}", "100");
}

static void test_strings(void **state)
{
    (void)state;
    expands("[%{shrink: \t a \n b  c }]", "[a b c]");
    expands("[%{shrink:  }][%{shrink:a}]", "[][a]");
    expands("%{shescape:a}%{shescape:}%{shescape:it's ''}", "'a''''it'\\''s '\\'''\\'''");
    expands("%(printf %%s %{shescape:a'b\"$c})", "a'b\"$c");
    expands("%{quote:a b}|%{quote a b}", "\x1f" "a b\x1f|\x1f" "a\x1f \x1f" "b\x1f");
}

static void test_the_system(void **state)
{
    cpu_set_t set;
    char number[16];

    (void)state;
    setenv("RPMIO_TEST_VARIABLE", "a %b", 1);
    expands("%{getenv:RPMIO_TEST_VARIABLE}|%{getenv:RPMIO_NO_SUCH_VARIABLE}", "a %b|");
    expands("%getconfdir %{getconfdir}", "/usr/lib/rpm /usr/lib/rpm");
    assert_string_equal(rpmConfigDir(), "/usr/lib/rpm");
    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    snprintf(number, sizeof(number), "%d", CPU_COUNT(&set));
    expands("%getncpus", number);
}

static void test_load(void **state)
{
    const char *path = makeFile("%foo %{bar}\n%bar x\n", 19);
    char text[128];

    (void)state;
    snprintf(text, sizeof(text), "%%{load:%s}%%foo", path);
    expands(text, "x");
    fails("%{load:/no/such/file}", "failed to load macro file /no/such/file\n");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_arguments_must_fit),
        TEST(test_comments),
        TEST(test_output),
        TEST(test_expand_and_body),
        TEST(test_sources),
        TEST(test_verbose),
        TEST(test_paths),
        TEST(test_strings),
        TEST(test_the_system),
        TEST(test_load),
    };
    unsetenv("RPM_CONFIGDIR");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
