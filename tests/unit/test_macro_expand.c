/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>

#include "macro_fixture.h"

#define RECURSION                                                                         \
    "Too many levels of recursion in macro expansion. It is likely caused by recursive " \
    "macro declaration.\n"
#define TOO_LARGE "Macro expansion takes more than 16 MiB of text\n"

static int popenErrno;    /* what popen() fails with, 0 not to */
static int readErrnos[2]; /* what the next calls of read() fail with */
static bool shortReads;   /* read() gives 3 bytes at most */

FILE *__real_popen(const char *cmd, const char *mode);
FILE *__wrap_popen(const char *cmd, const char *mode);
FILE *__wrap_popen(const char *cmd, const char *mode)
{
    if (popenErrno == 0)
        return __real_popen(cmd, mode);
    errno = popenErrno;
    return NULL;
}

ssize_t __real_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n)
{
    int err = readErrnos[0];

    readErrnos[0] = readErrnos[1];
    readErrnos[1] = 0;
    if (err == 0)
        return __real_read(fd, buf, shortReads && n > 3 ? 3 : n);
    errno = err;
    return -1;
}

static void test_text_and_percent_signs(void **state)
{
    (void)state;
    expands("", "");
    expands("text", "text");
    expands("%", "%");
    expands("100%", "100%");
    expands("%%", "%");
    expands("%%%", "%%");
    expands("50% off, %.", "50% off, %.");
    expands("%{}", "%{}");
    expands("%nosuch %{nosuch:%{nosuch}}", "%nosuch %{nosuch:%{nosuch}}");
}

static void test_tests(void **state)
{
    (void)state;
    defined("foo bar");
    expands("%{?foo}|%{!?foo}|%{?foo:x%foo}|%{!?foo:y}|%?foo|%{?!foo:y}", "bar||xbar||bar|");
    expands("%{?no}|%{!?no}|%{?no:x}|%{!?no:y}|%?no|%{?!no:y}|%{!!?no:x}", "|||y||y|");
    expands("%{?foo:}", "bar");
    expands("%{?foo:{a}%{?foo:b}}", "{a}b");
}

static void test_unterminated(void **state)
{
    (void)state;
    fails("a %{foo", "Unterminated {: {foo\n");
    fails("a %(foo", "Unterminated (: (foo\n");
    fails("a %[foo", "Unterminated [: [foo\n");
    fails("%{foo\\}", "Unterminated {: {foo\\}\n");
    fails("%{foo\\", "Unterminated {: {foo\\\n");
    fails("%{?basename:%(a}", "Unterminated (: (a\n");
}

static void test_shell(void **state)
{
    (void)state;
    defined("foo bar");
    expands("<%(echo %foo %%x)>", "<bar %x>");
    shortReads = true;
    expands("<%(printf 'long text a\\n\\nb\\r\\n\\n')>", "<long text a\n\nb>");
    shortReads = false;
    expands("<%(exit 1)>", "<>");
    expands("<%()>", "<>");
    fails("%(echo %{error:no})", "no\n");
}

static void test_shell_errors(void **state)
{
    (void)state;
    popenErrno = EMFILE;
    fails("%(echo a)", "Failed to open shell expansion pipe for command: echo a: "
                       "Too many open files\n");
    popenErrno = 0;
    readErrnos[0] = EIO;
    fails("%(echo a)", "Failed to read from shell expansion pipe: Input/output error\n");
    readErrnos[0] = readErrnos[1] = EINTR;
    expands("%(echo abcdefgh)", "abcdefgh");
}

static void test_lua_and_expressions_fail_only_when_expanded(void **state)
{
    (void)state;
    defined("luamacro %{lua:print(\"}\")}");
    defined("exprmacro %[1 + 1]");
    fails("%luamacro", "%{lua:...} is not supported\n");
    fails("%exprmacro", "Expressions are not supported: %[1 + 1]\n");
    fails("%[1\n+ 1]", "Expressions are not supported: %[1...\n");
    fails("%{expr:1 + 1}", "%{expr:...} is not supported\n");
    expands("%{?nosuch:%{lua:x}%[1]}%{!?luamacro:%[1]}", "");
}

static void test_a_macro_may_remove_itself(void **state)
{
    (void)state;
    defined("foo {%{undefine:foo}%{!?foo:gone} %{global:foo new}%foo}");
    expands("%foo %foo", "gone new new");
}

static void test_recursion_ends(void **state)
{
    (void)state;
    defined("foo x%foo");
    defined("a %b");
    defined("b %{expand:%%a}");
    defined("par() %{par %1}");
    fails("%foo", RECURSION);
    fails("%a", RECURSION);
    fails("%{par x}", RECURSION RECURSION); /* the argument, then the body */
    expands("%{?nosuch:%foo}", "");
}

static void test_nesting_of_64_is_allowed(void **state)
{
    char name[16], definition[32];

    (void)state;
    defined("m0 end");
    for (int i = 1; i <= 63; i++) {
        snprintf(definition, sizeof(definition), "m%d %%m%d", i, i - 1);
        defined(definition);
    }
    snprintf(name, sizeof(name), "%%m62");
    expands(name, "end");
    fails("%m63", RECURSION);
}

static void doubling(const char *end)
{
    char definition[64];

    rpmPushMacro(NULL, "d0", NULL, end, RMIL_SPEC);
    for (int i = 1; i <= 60; i++) {
        snprintf(definition, sizeof(definition), "d%d %%d%d%%d%d", i, i - 1, i - 1);
        defined(definition);
    }
}

static void test_exponential_texts_end(void **state)
{
    (void)state;
    doubling("0123456789abcdef");
    expands("%d3", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    fails("%d60", TOO_LARGE);
    expands("%d1", "0123456789abcdef0123456789abcdef"); /* the next one starts afresh */
}

static void test_exponential_nothings_end(void **state)
{
    (void)state;
    doubling("");
    expands("%d3", "");
    fails("%d60", TOO_LARGE);
    fails("%{basename:%d60}", TOO_LARGE);
}

static void test_endless_commands_end(void **state)
{
    (void)state;
    fails("%(yes)", TOO_LARGE);
}

static void test_growing_definitions_end(void **state)
{
    char *text = calloc(1, 100 * 20 + 1);

    (void)state;
    defined("g 0123456789abcdef");
    for (int i = 0; i < 100; i++)
        strcat(text, "%global g %g%g\n");
    fails(text, TOO_LARGE
                "Macro %g failed to expand\n");
    free(text);
}

/* A text, then n times the same. */
static char *repeated(const char *before, const char *what, size_t n)
{
    size_t len = strlen(what);
    char *text = malloc(strlen(before) + n * len + 1);
    char *end = stpcpy(text, before);

    for (size_t i = 0; i < n; i++)
        end = stpcpy(end, what);
    return text;
}

/* Texts that ask for ever more memory, or for time that grows with the square. */
static void test_large_texts_end(void **state)
{
    char *texts[] = {
        repeated("%many ", "a ", 2000000),
        repeated("%many -", "a", 2000000),
        repeated("", "%define x y\n", 100000),
        repeated("", "%x %x %x ", 200000),
        repeated("", "%{no:", 100000),
    };
    const size_t n = sizeof(texts) / sizeof(texts[0]);
    char *nested = repeated(texts[n - 1], "}", 100000);

    (void)state;
    free(texts[n - 1]);
    texts[n - 1] = nested;
    defined("many(a) %#");
    defined("x y");
    for (size_t i = 0; i < n; i++) {
        fails(texts[i], TOO_LARGE);
        free(texts[i]);
    }
}

static void test_long_texts_are_expanded(void **state)
{
    char *text = repeated("%many ", "a ", 2000);

    (void)state;
    defined("many() %#");
    expands(text, "2000");
    free(text);
    text = repeated("", "%define x y\n", 5000);
    expands(text, "");
    expands("%x", "y");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_text_and_percent_signs),
        TEST(test_tests),
        TEST(test_unterminated),
        TEST(test_shell),
        TEST(test_shell_errors),
        TEST(test_lua_and_expressions_fail_only_when_expanded),
        TEST(test_a_macro_may_remove_itself),
        TEST(test_recursion_ends),
        TEST(test_nesting_of_64_is_allowed),
        TEST(test_exponential_texts_end),
        TEST(test_exponential_nothings_end),
        TEST(test_endless_commands_end),
        TEST(test_growing_definitions_end),
        TEST(test_large_texts_end),
        TEST(test_long_texts_are_expanded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
