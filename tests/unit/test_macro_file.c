/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <sys/stat.h>

#include "macro_fixture.h"

static bool failRead;

/* stdio reads through its own read(): let the stream itself say that one failed. */
int __real_ferror(FILE *fp);
int __wrap_ferror(FILE *fp);
int __wrap_ferror(FILE *fp)
{
    if (!failRead)
        return __real_ferror(fp);
    errno = EIO;
    return 1;
}

/* Load a file with this text. The messages have its path replaced by FILE. */
static int load(const char *text, size_t len)
{
    const char *path = makeFile(text, len);
    size_t n = strlen(path);
    char *at;
    int rc;

    clearMessages();
    rc = rpmLoadMacroFile(NULL, path);
    while ((at = strstr(messages, path)) != NULL) {
        memmove(at + 4, at + n, strlen(at + n) + 1);
        memcpy(at, "FILE", 4);
    }
    unlink(path);
    return rc;
}

static void loads(const char *text)
{
    assert_int_equal(load(text, strlen(text)), 0);
    assert_string_equal(messages, "");
}

static void test_definitions(void **state)
{
    (void)state;
    loads("# %comment x\nother text\n\n%foo a\n \t%bar  b  \n");
    expands("%foo|%bar|%comment", "a|b|%comment");
    loads("%foo one \\\n two\\\n%bar c");
    expands("%{macrobody:foo}|%bar", "one \n two\n%bar c|b");
    loads("%foo %{?x:\n %(y\n)\n}\n%bar {d\\\ne}\n%last f");
    expands("%{macrobody:foo}|%bar|%last", "%{?x:\n %(y\n)\n}|d\\\ne|f");
    loads("%foo a\r\n%bar b\\\r\nc\r\n");
    expands("%foo|%bar", "a|b\nc");
    loads("");
    loads("\n\n");
}

static void test_faults_are_located(void **state)
{
    static const char text[] = "%a x\n%foo\n%b {x\n\n%c %{x\n}\n%1d x\n%e x\n%f %{x";

    (void)state;
    assert_int_equal(load(text, strlen(text)), 1);
    assert_string_equal(messages, "FILE: line 2: Macro %foo has empty body\n"
                                  "FILE: line 3: Macro %b has unterminated body\n"
                                  "FILE: line 7: Macro %1d has illegal name (%define)\n"
                                  "FILE: line 9: Macro %f has unterminated body\n");
    expands("%a%e%{c}", "xx%{x\n}");
    assert_false(rpmMacroIsDefined(NULL, "__file_name"));
    assert_false(rpmMacroIsDefined(NULL, "__file_lineno"));
}

static void test_what_is_no_macro_file(void **state)
{
    size_t len = (2 << 20) + 6;
    char *text = malloc(len);

    (void)state;
    assert_int_equal(rpmLoadMacroFile(NULL, "/no/such/file"), -1);
    assert_int_equal(rpmLoadMacroFile(NULL, "/usr"), 0);
    assert_int_equal(load("%a x\n%b \0x\n%c x\n", 16), 1);
    assert_string_equal(messages, "FILE: line 2: NUL byte\n");
    assert_int_equal(rpmLoadMacroFile(NULL, "/dev/zero"), 1);
    memcpy(text, "%foo x", 6);
    memset(text + 6, 'x', len - 6);
    assert_int_equal(load(text, len), 1);
    assert_string_equal(messages, "FILE: line 1: definition is longer than 1 MiB\n");
    expands("%{?foo}%{?b}%{?c}%a", "x");
    free(text);
}

static void test_a_failing_read_is_reported(void **state)
{
    (void)state;
    failRead = true;
    assert_int_equal(load("%foo x\n", 7), 1);
    failRead = false;
    assert_string_equal(messages, "FILE: line 1: Input/output error\n");
}

static void put(const char *dir, const char *name, const char *text)
{
    char path[256];
    FILE *fp;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    fp = fopen(path, "w");
    assert_non_null(fp);
    fputs(text, fp);
    fclose(fp);
}

static void test_path_lists(void **state)
{
    char dir[] = "/tmp/rpmio-macros.XXXXXX";
    char list[256], command[64];

    (void)state;
    assert_non_null(mkdtemp(dir));
    put(dir, "macros.a", "%foo a\n%only_a a\n");
    put(dir, "macros.B", "%foo B\n%only_b B\n");
    put(dir, "macros.c.rpmnew", "%foo c\n");
    put(dir, "macros.d.rpmsave", "%foo d\n");
    put(dir, "macros.e.rpmorig", "%foo e\n");
    put(dir, ".rpmmacros", "%home yes\n%only_b home\n");
    setenv("HOME", dir, 1);
    snprintf(list, sizeof(list), "%s/nosuch:%s/nosuch*:%s/macros.*::~/.rpmmacros", dir, dir, dir);
    rpmInitMacros(NULL, list);
    expands("%foo %only_a %only_b %home", "a a home yes");
    assert_string_equal(messages, "");
    snprintf(command, sizeof(command), "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

static void test_debians_files(void **state)
{
    (void)state;
    if (access("/usr/lib/rpm/macros", R_OK) != 0)
        skip();
    rpmInitMacros(NULL, "/usr/lib/rpm/macros:/usr/lib/rpm/macros.d/macros.*:"
                        "/usr/lib/rpm/fileattrs/*.attr:/usr/lib/rpm/platform/*/macros");
    assert_string_equal(messages, "");
    expands("%{_usr}|%{nil}|%{?_db_backend:x}", "/usr||x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_definitions),
        TEST(test_faults_are_located),
        TEST(test_what_is_no_macro_file),
        TEST(test_a_failing_read_is_reported),
        TEST(test_path_lists),
        TEST(test_debians_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
