/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "macro_fixture.h"

static void sourceIs(const char *name, const char *wanted, int wantedLevel)
{
    int level = 99;
    char *source = rpmMacroSource(NULL, name, &level);

    assert_non_null(source);
    assert_string_equal(source, wanted);
    assert_int_equal(level, wantedLevel);
    free(source);
}

static void test_sources(void **state)
{
    const char *path = makeFile("# x\n%foo \\\n  x\n%bar x\n%baz x\n", 30);
    char wanted[80];

    (void)state;
    rpmDefineMacro(rpmCLIMacroContext, "baz x", RMIL_CMDLINE);
    rpmInitMacros(NULL, path);
    rpmDefineMacro(NULL, "bar y", RMIL_CMDLINE);
    rpmPushMacro(NULL, "_target", NULL, "z", RMIL_RPMRC);
    expands("%global here x\n", "");
    snprintf(wanted, sizeof(wanted), "%s:2", path);
    sourceIs("foo", wanted, RMIL_MACROFILES);
    sourceIs("bar", "command line", RMIL_CMDLINE);
    sourceIs("baz", "command line", RMIL_CMDLINE);
    sourceIs("echo", "built-in", RMIL_BUILTIN);
    sourceIs("_target", "default", RMIL_RPMRC);
    sourceIs("here", "run time", RMIL_GLOBAL);
    assert_null(rpmMacroSource(NULL, "nosuch", NULL));
    rpmPopMacro(NULL, "bar");
    snprintf(wanted, sizeof(wanted), "%s:4", path);
    sourceIs("bar", wanted, RMIL_MACROFILES);
    unlink(path);
}

static void test_a_loaded_file_is_the_source(void **state)
{
    const char *path = makeFile("%foo x\n", 7);
    char text[128];

    (void)state;
    snprintf(text, sizeof(text), "%%{load:%s}%%{global:bar x}", path);
    expands(text, "");
    snprintf(text, sizeof(text), "%s:1", path);
    sourceIs("foo", text, RMIL_MACROFILES);
    sourceIs("bar", "run time", RMIL_GLOBAL);
    unlink(path);
}

static void test_the_table(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *fp = open_memstream(&text, &size);

    (void)state;
    rpmFreeMacros(NULL);
    rpmPushMacro(NULL, "foo", NULL, "a\nb", RMIL_SPEC);
    rpmPushMacro(NULL, "bar", "ab:", "x", RMIL_CMDLINE);
    rpmPushMacro(NULL, "Zed", "", "", RMIL_BUILTIN);
    rpmPushMacro(NULL, "foo", NULL, "c", RMIL_GLOBAL);
    expands("%bar", "x");
    rpmDumpMacroTable(NULL, fp);
    fclose(fp);
    assert_string_equal(text, "========================\n"
                              "-20: Zed\n"
                              " -7= bar(ab:)\tx\n"
                              "  0: foo\tc\n"
                              "======================== active 3 empty 0\n");
    free(text);
}

/* Expand with stderr in a file; returns what was written there. */
static char *traced(const char *expression, const char *wanted)
{
    FILE *fp = tmpfile();
    int saved = dup(STDERR_FILENO);
    char *text = calloc(1, 4096);

    fflush(stderr);
    dup2(fileno(fp), STDERR_FILENO);
    expands(expression, wanted);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(fp);
    assert_true(fread(text, 1, 4095, fp) > 0);
    fclose(fp);
    return text;
}

static void test_traces(void **state)
{
    char *text;

    (void)state;
    defined("foo a\\\nb");
    defined("bar %foo");
    text = traced("%{expand:%%trace\n%%{bar} x} y", "\na\nb x y");
    assert_string_equal(text, "  2>     %{bar}^x\n"
                              "  3>       %foo^\n"
                              "  3<        (%)\nb\n"
                              "  2<      (%foo)\nb\n"
                              "  1<    (%bar)\nb x\n");
    free(text);
    text = traced("%trace%{foo}.\nz", "a\nb.\nz");
    assert_string_equal(text, "  1>   %{foo}^\n"
                              "  1<    (%)\nb\n"
                              "  0<  (%foo)\na\nb.\nz\n");
    free(text);
    text = traced("%foo", "a\nb"); /* it goes on */
    assert_non_null(strstr(text, "  1>   %foo^\n"));
    free(text);
}

static void test_dump_built_in(void **state)
{
    char *text = traced("%dump", "");

    (void)state;
    assert_non_null(strstr(text, "\n-20: echo\t<builtin>\n"));
    assert_non_null(strstr(text, "\n-20= dump\t<builtin>\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sources),
        TEST(test_a_loaded_file_is_the_source),
        TEST(test_the_table),
        TEST(test_traces),
        TEST(test_dump_built_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
