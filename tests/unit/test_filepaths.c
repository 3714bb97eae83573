/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/rpmstring.h>

#include "filelist.h"

static void test_finds_paths_with_and_without_prefix(void **state)
{
    rpmfiles fi = load(fileHeader(plain, NFILES(plain), 0), 0);
    static const char *const none[] = {
        "", "/", "./", ".", "etc", "/etc/", "/etc/tool", "/etc/tool.conf2", "/etc/tool.conf/",
        "/etc//tool.conf", "/etc/../etc/tool.conf", "//etc/tool.conf2", "../etc/tool.conf",
        "/usr/lib/tool/lin", "/usr/lib/tool/link/", "/usr/libtool", "usr/lib/tool/linkx"
    };

    (void)state;
    for (int i = 0; i < NFILES(plain); i++) {
        char *fn = rpmfilesFN(fi, i);
        char *dotted = rstrscat(NULL, ".", fn, NULL);

        assert_int_equal(rpmfilesFindFN(fi, fn), i);
        assert_int_equal(rpmfilesFindFN(fi, fn + 1), i);
        assert_int_equal(rpmfilesFindFN(fi, dotted), i);
        rfree(dotted);
        rfree(fn);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_int_equal(rpmfilesFindFN(fi, none[i]), -1);
    assert_int_equal(rpmfilesFindFN(fi, NULL), -1);
    rpmfilesFree(fi);
}

static void test_the_root_directory_may_be_listed(void **state)
{
    static const struct testfile root[] = {
        { "/", "bin", S_IFDIR | 0755, 0, NULL, NULL, 0, 1 },
        { "/", "", S_IFDIR | 0755, 0, NULL, NULL, 0, 2 },
    };
    rpmfiles fi = load(fileHeader(root, 2, 0), 0);

    (void)state;
    assert_int_equal(rpmfilesFindFN(fi, "./"), 1);
    assert_int_equal(rpmfilesFindFN(fi, "/"), 1);
    assert_int_equal(rpmfilesFindFN(fi, "./bin"), 0);
    rpmfilesFree(fi);
}

static void test_source_packages_have_base_names_only(void **state)
{
    static const struct testfile source[] = {
        { "", "tool.spec", S_IFREG | 0644, 1, NULL, NULL, RPMFILE_SPECFILE, 1 },
        { "", "tool.tar", S_IFREG | 0644, 1, NULL, NULL, 0, 2 },
    };
    Header h = fileHeader(source, 2, 0);
    rpmfiles fi;

    (void)state;
    expectRefused(headerCopy(h), "bad directory name: ");
    headerDel(h, RPMTAG_SOURCERPM);
    fi = load(h, 0);
    assert_int_equal(rpmfilesFindFN(fi, "tool.tar"), 1);
    rpmfilesFree(fi);
}

static void test_whole_paths_of_old_packages(void **state)
{
    static const char *const paths[] = { "/usr/bin/a", "/usr/bin/b", "/etc/c", "/usr/bin/d" };
    static const char *const bad[] = { "/usr/../etc/a", "usr/a", "/usr/bin/", "a", "/usr//a" };
    Header h = fileHeader(plain, 4, 0);
    rpmfiles fi;

    (void)state;
    headerDel(h, RPMTAG_BASENAMES);
    headerDel(h, RPMTAG_DIRNAMES);
    headerDel(h, RPMTAG_DIRINDEXES);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        Header b = headerCopy(h);
        char *emsg = NULL;

        headerPutStringArray(b, RPMTAG_OLDFILENAMES, (const char **)paths, 3);
        headerPutString(b, RPMTAG_OLDFILENAMES, bad[i]);
        assert_null(rpmfilesLoad(b, 0, &emsg));
        assert_non_null(emsg);
        rfree(emsg);
        headerFree(b);
    }
    headerPutStringArray(h, RPMTAG_OLDFILENAMES, (const char **)paths, 4);
    fi = load(h, 0);
    assert_int_equal(rpmfilesDC(fi), 3);
    assert_string_equal(rpmfilesBN(fi, 3), "d");
    assert_string_equal(rpmfilesDN(fi, rpmfilesDI(fi, 3)), "/usr/bin/");
    for (int i = 0; i < 4; i++)
        assert_int_equal(rpmfilesFindFN(fi, paths[i]), i);
    rpmfilesFree(fi);
}

static void test_directory_indexes_are_in_range(void **state)
{
    static const uint32_t bad[] = { 2, 0x7fffffff, 0x80000000, 0xffffffff };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        Header h = fileHeader(plain, 2, 0);
        uint32_t indexes[2] = { 0, bad[i] };
        char *reason = NULL;

        headerDel(h, RPMTAG_DIRINDEXES);
        headerPutUint32(h, RPMTAG_DIRINDEXES, indexes, 2);
        rasprintf(&reason, "directory index %u of 2 is out of range", bad[i]);
        expectRefused(h, reason);
        rfree(reason);
    }
}

static void test_base_names(void **state)
{
    static const char *const good[] = {
        "...", ".a", "..a", "a b", "\xff\xfe", "a;rm", "-rf", "\x01", "a\tb", "\\"
    };
    static const char *const bad[][2] = {
        { "", "" }, { ".", "." }, { "..", ".." }, { "a/b", "a/b" }, { "/", "/" },
        { "/etc", "/etc" },
        { "a\nb", "a\\x0ab" }, { "\n", "\\x0a" }, { "../x\x7f", "../x\\x7f" }
    };

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        rpmfilesFree(load(named("/usr/", good[i]), 0));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *reason = rstrscat(NULL, "bad file name: ", bad[i][1], NULL);

        expectRefused(named("/usr/", bad[i][0]), reason);
        rfree(reason);
    }
}

static void test_directory_names(void **state)
{
    static const char *const good[] = { "/", "/a/", "/.a/...b/", "/a b/" };
    static const char *const bad[] = {
        "", "a/", "./", "../", "/a", "//", "/a//", "/./", "/../", "/a/./b/", "/a/../b/", "/a/..",
        "/a\nb/", "a"
    };

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        rpmfilesFree(load(named(good[i], "x"), 0));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *shown = rpmfilesEscape(bad[i]);
        char *reason = rstrscat(NULL, "bad directory name: ", shown, NULL);

        expectRefused(named(bad[i], "x"), reason);
        rfree(reason);
        rfree(shown);
    }
}

static void test_name_lengths_at_and_over_the_limits(void **state)
{
    char bn[257], dn[4200], shown[300];

    (void)state;
    memset(bn, 'n', 255);
    bn[255] = '\0';
    rpmfilesFree(load(named("/", bn), 0));
    strcpy(bn + 255, "n");
    snprintf(shown, sizeof(shown), "bad file name: %.200s...", bn);
    expectRefused(named("/", bn), shown);

    /* 17 * 241 - 2 bytes of directories, so that 4095 bytes are reached with one byte more. */
    bn[240] = '\0';
    dn[0] = '\0';
    for (int i = 0; i < 16; i++)
        snprintf(dn + strlen(dn), sizeof(dn) - strlen(dn), "/%s", bn);
    snprintf(dn + strlen(dn), sizeof(dn) - strlen(dn), "/%.230s/", bn);
    bn[4095 - strlen(dn)] = '\0';
    rpmfilesFree(load(named(dn, bn), 0));
    bn[strlen(bn)] = 'n';
    bn[4096 - strlen(dn)] = '\0';
    snprintf(shown, sizeof(shown), "file name is too long: %.200s...", dn);
    expectRefused(named(dn, bn), shown);
}

static void test_paths_come_only_once(void **state)
{
    struct testfile twice[4] = { plain[0], plain[1], plain[2], plain[1] };

    (void)state;
    expectRefused(fileHeader(twice, 4, 0), "file is listed twice: /etc/tool.conf");
    twice[3].bn = "tool.conf2";
    rpmfilesFree(load(fileHeader(twice, 4, 0), 0));
}

static void test_no_paths_below_a_file(void **state)
{
    struct testfile f[] = {
        { "/usr/", "lib", S_IFREG | 0755, 1, NULL, NULL, 0, 1 },
        { "/usr/lib/tool/x/", "file", S_IFREG | 0644, 1, NULL, NULL, 0, 2 },
    };

    (void)state;
    expectRefused(fileHeader(f, 2, 0),
                  "not a directory, but there are files below it: /usr/lib");
    f[0].mode = S_IFIFO | 0644;
    expectRefused(fileHeader(f, 2, 0),
                  "not a directory, but there are files below it: /usr/lib");
    f[0].mode = S_IFDIR | 0755;
    rpmfilesFree(load(fileHeader(f, 2, 0), 0));
    f[0].mode = S_IFLNK | 0777;
    f[0].link = "lib64";
    rpmfilesFree(load(fileHeader(f, 2, 0), 0));
    f[0].mode = S_IFREG | 0755;
    f[0].bn = "lib2";
    rpmfilesFree(load(fileHeader(f, 2, 0), 0));
}

static void test_ten_thousand_files(void **state)
{
    int n = 10000;
    struct testfile *files = rcalloc((size_t)n, sizeof(*files));
    char (*names)[32] = rcalloc((size_t)n, sizeof(*names));
    rpmfiles fi;

    (void)state;
    for (int i = 0; i < n; i++) {
        files[i] = plain[0];
        snprintf(names[i], sizeof(names[i]), "file-%d", (i * 7919) % n);
        files[i].bn = names[i];
        files[i].inode = (uint32_t)i + 1;
    }
    fi = load(fileHeader(files, n, 0), 0);
    for (int i = 0; i < n; i += 97) {
        char *fn = rstrscat(NULL, "./usr/bin/", names[i], NULL);

        assert_int_equal(rpmfilesFindFN(fi, fn), i);
        rfree(fn);
    }
    rpmfilesFree(fi);
    strcpy(names[n - 1], names[17]);
    {
        char *reason = rstrscat(NULL, "file is listed twice: /usr/bin/", names[17], NULL);

        expectRefused(fileHeader(files, n, 0), reason);
        rfree(reason);
    }
    rfree(names);
    rfree(files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_paths_with_and_without_prefix),
        cmocka_unit_test(test_the_root_directory_may_be_listed),
        cmocka_unit_test(test_source_packages_have_base_names_only),
        cmocka_unit_test(test_whole_paths_of_old_packages),
        cmocka_unit_test(test_directory_indexes_are_in_range),
        cmocka_unit_test(test_base_names),
        cmocka_unit_test(test_directory_names),
        cmocka_unit_test(test_name_lengths_at_and_over_the_limits),
        cmocka_unit_test(test_paths_come_only_once),
        cmocka_unit_test(test_no_paths_below_a_file),
        cmocka_unit_test(test_ten_thousand_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
