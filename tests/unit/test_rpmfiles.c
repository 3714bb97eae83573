/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <rpm/header.h>
#include <rpm/rpmcrypto.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "fileheader.h"
#include "rpmfiles_internal.h"

#define NFILES(_files) (int) (sizeof(_files) / sizeof((_files)[0]))
#define MD5 "0123456789abcdef0123456789ABCDEF"

static const struct testfile plain[] = {
    { "/usr/bin/", "tool", S_IFREG | 0755, 10, MD5, NULL, 0, 1 },
    { "/etc/", "tool.conf", S_IFREG | 0644, 20, MD5, NULL, RPMFILE_CONFIG, 2 },
    { "/usr/lib/", "tool", S_IFDIR | 0755, 4096, NULL, NULL, 0, 3 },
    { "/usr/lib/tool/", "link", S_IFLNK | 0777, 7, NULL, "../tool", 0, 4 },
    { "/var/log/", "tool", S_IFREG | 0600, 0, NULL, NULL, RPMFILE_GHOST, 5 },
};

/* Load the list of a header, which is freed. */
static rpmfiles load(Header h, rpmfiFlags flags)
{
    char *emsg = NULL;
    rpmfiles fi = rpmfilesLoad(h, flags, &emsg);

    if (emsg != NULL)
        print_error("refused: %s\n", emsg);
    assert_non_null(fi);
    headerFree(h);
    return fi;
}

/* The header is refused for this reason; it is freed. */
static void expectRefused(Header h, const char *reason)
{
    char *emsg = NULL;
    rpmfiles fi = rpmfilesLoad(h, 0, &emsg);

    assert_null(fi);
    assert_non_null(emsg);
    assert_string_equal(emsg, reason);
    rfree(emsg);
    headerFree(h);
}

static void test_lists_come_back_as_they_are(void **state)
{
    rpmfiles fi = load(fileHeader(plain, NFILES(plain), 0), 0);
    char *fn = rpmfilesFN(fi, 3);
    int algo = 0;
    size_t len = 0;

    (void)state;
    assert_int_equal(rpmfilesFC(fi), 5);
    assert_int_equal(rpmfilesDC(fi), 5);
    assert_string_equal(fn, "/usr/lib/tool/link");
    assert_string_equal(rpmfilesBN(fi, 1), "tool.conf");
    assert_string_equal(rpmfilesDN(fi, rpmfilesDI(fi, 1)), "/etc/");
    assert_int_equal(rpmfilesFMode(fi, 2), S_IFDIR | 0755);
    assert_int_equal(rpmfilesFSize(fi, 1), 20);
    assert_int_equal(rpmfilesFFlags(fi, 1), RPMFILE_CONFIG);
    assert_int_equal(rpmfilesVFlags(fi, 1), 0xffffffff);
    assert_int_equal(rpmfilesFMtime(fi, 4), 1004);
    assert_int_equal(rpmfilesFRdev(fi, 0), 0x0103);
    assert_int_equal(rpmfilesFInode(fi, 4), 5);
    assert_int_equal(rpmfilesFState(fi, 0), RPMFILE_STATE_MISSING);
    assert_int_equal(rpmfilesFNlink(fi, 0), 1);
    assert_string_equal(rpmfilesFLink(fi, 3), "../tool");
    assert_string_equal(rpmfilesFLink(fi, 0), "");
    assert_string_equal(rpmfilesFUser(fi, 0), "root");
    assert_string_equal(rpmfilesFGroup(fi, 4), "bin");
    assert_string_equal(rpmfilesFLangs(fi, 0), "");
    assert_string_equal(rpmfilesFCaps(fi, 0), "");
    assert_int_equal(rpmfilesDigestAlgo(fi), RPM_HASH_MD5);
    assert_memory_equal(rpmfilesFDigest(fi, 0, &algo, &len), "\x01\x23\x45\x67\x89\xab\xcd\xef"
                        "\x01\x23\x45\x67\x89\xab\xcd\xef", 16);
    assert_int_equal(algo, RPM_HASH_MD5);
    assert_int_equal(len, 16);
    assert_memory_equal(rpmfilesFDigest(fi, 2, NULL, NULL), "\0\0\0\0\0\0\0\0", 8);
    rfree(fn);
    rpmfilesFree(fi);
}

static void test_out_of_range_answers(void **state)
{
    rpmfiles fi = load(fileHeader(plain, NFILES(plain), 0), 0);
    static const int bad[] = { -1, 5, 1 << 30 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_null(rpmfilesFN(fi, bad[i]));
        assert_null(rpmfilesBN(fi, bad[i]));
        assert_null(rpmfilesDN(fi, bad[i]));
        assert_int_equal(rpmfilesDI(fi, bad[i]), -1);
        assert_int_equal(rpmfilesFMode(fi, bad[i]), 0);
        assert_int_equal(rpmfilesFSize(fi, bad[i]), 0);
        assert_int_equal(rpmfilesFLinks(fi, bad[i], NULL), 0);
        assert_null(rpmfilesFDigest(fi, bad[i], NULL, NULL));
        assert_null(rpmfilesFUser(fi, bad[i]));
        assert_null(rpmfilesFCaps(fi, bad[i]));
        assert_null(rpmfilesFN(NULL, bad[i]));
        assert_int_equal(rpmfilesFMode(NULL, bad[i]), 0);
    }
    assert_int_equal(rpmfilesFC(NULL), 0);
    assert_int_equal(rpmfilesFindFN(NULL, "/etc"), -1);
    assert_null(rpmfilesFree(NULL));
    rpmfilesFree(fi);
}

static void test_references_keep_a_set(void **state)
{
    rpmfiles fi = load(fileHeader(plain, NFILES(plain), 0), 0);

    (void)state;
    assert_ptr_equal(rpmfilesLink(fi), fi);
    assert_null(rpmfilesFree(fi));
    assert_string_equal(rpmfilesBN(fi, 0), "tool");
    assert_null(rpmfilesFree(fi));
}

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

static void test_flags_leave_lists_out(void **state)
{
    rpmfiles fi = load(fileHeader(plain, NFILES(plain), 0),
                       RPMFI_NOFILEMODES | RPMFI_NOFILESIZES | RPMFI_NOFILEDIGESTS
                       | RPMFI_NOFILEUSER | RPMFI_NOFILELINKTOS | RPMFI_NOFILEINODES);

    (void)state;
    assert_int_equal(rpmfilesFMode(fi, 0), 0);
    assert_int_equal(rpmfilesFSize(fi, 0), 0);
    assert_null(rpmfilesFDigest(fi, 0, NULL, NULL));
    assert_null(rpmfilesFUser(fi, 0));
    assert_null(rpmfilesFLink(fi, 3));
    assert_int_equal(rpmfilesFInode(fi, 0), 0);
    assert_string_equal(rpmfilesFGroup(fi, 0), "bin");
    rpmfilesFree(fi);
}

static void test_package_without_files_is_an_empty_set(void **state)
{
    rpmfiles fi = load(fileHeader(NULL, 0, 0), 0);

    (void)state;
    assert_int_equal(rpmfilesFC(fi), 0);
    assert_int_equal(rpmfilesFindFN(fi, "/etc"), -1);
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

        headerPutStringArray(b, RPMTAG_OLDFILENAMES, (const char **) paths, 3);
        headerPutString(b, RPMTAG_OLDFILENAMES, bad[i]);
        assert_null(rpmfilesLoad(b, 0, &emsg));
        assert_non_null(emsg);
        rfree(emsg);
        headerFree(b);
    }
    headerPutStringArray(h, RPMTAG_OLDFILENAMES, (const char **) paths, 4);
    fi = load(h, 0);
    assert_int_equal(rpmfilesDC(fi), 3);
    assert_string_equal(rpmfilesBN(fi, 3), "d");
    assert_string_equal(rpmfilesDN(fi, rpmfilesDI(fi, 3)), "/usr/bin/");
    for (int i = 0; i < 4; i++)
        assert_int_equal(rpmfilesFindFN(fi, paths[i]), i);
    rpmfilesFree(fi);
}

static void test_sizes_over_4_gib(void **state)
{
    struct testfile big[2] = { plain[0], plain[1] };
    rpmfiles fi;

    (void)state;
    big[1].size = UINT64_C(5) << 32;
    fi = load(fileHeader(big, 2, 1), 0);
    assert_int_equal(rpmfilesFSize(fi, 0), 10);
    assert_true(rpmfilesFSize(fi, 1) == UINT64_C(5) << 32);
    rpmfilesFree(fi);
    big[1].size = INT64_MAX - 10;
    rpmfilesFree(load(fileHeader(big, 2, 1), 0));
    big[1].size++;
    expectRefused(fileHeader(big, 2, 1),
                  "file sizes add up to more than a file system can hold");
    big[1].size = UINT64_MAX;
    expectRefused(fileHeader(big, 2, 1),
                  "file sizes add up to more than a file system can hold");
}

static void test_hard_links_by_device_and_inode(void **state)
{
    static const struct testfile links[] = {
        { "/", "a", S_IFREG | 0644, 5, MD5, NULL, 0, 7 },
        { "/", "b", S_IFREG | 0644, 6, MD5, NULL, 0, 8 },
        { "/", "c", S_IFREG | 0644, 5, MD5, NULL, 0, 7 },
        { "/", "d", S_IFDIR | 0755, 5, NULL, NULL, 0, 7 },
        { "/", "e", S_IFREG | 0644, 9, NULL, NULL, RPMFILE_GHOST, 7 },
        { "/", "f", S_IFREG | 0644, 6, MD5, NULL, 0, 8 },
        { "/", "g", S_IFREG | 0644, 5, MD5, NULL, 0, 7 },
        { "/", "h", S_IFREG | 0644, 1, MD5, NULL, 0, 0 },
        { "/", "i", S_IFREG | 0644, 2, MD5, NULL, 0, 0 },
        { "/", "j", S_IFREG | 0644, 3, MD5, NULL, 0, 9 },
    };
    static const int set7[] = { 0, 2, 6 }, set8[] = { 1, 5 };
    rpmfiles fi = load(fileHeader(links, NFILES(links), 0), 0);
    const int *set = NULL;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rpmfilesFLinks(fi, set7[i], &set), 3);
        assert_memory_equal(set, set7, sizeof(set7));
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rpmfilesFLinks(fi, set8[i], &set), 2);
        assert_memory_equal(set, set8, sizeof(set8));
    }
    for (int i = 3; i < 10; i++) {
        if (i == 5 || i == 6)
            continue;
        assert_int_equal(rpmfilesFLinks(fi, i, &set), 1);
        assert_null(set);
    }
    rpmfilesFree(fi);
}

static void test_devices_keep_inodes_apart(void **state)
{
    Header h = fileHeader(plain, 2, 0);
    static const uint32_t inodes[] = { 7, 7 }, devs[] = { 1, 2 };
    rpmfiles fi;

    (void)state;
    headerDel(h, RPMTAG_FILEINODES);
    headerDel(h, RPMTAG_FILEDEVICES);
    headerPutUint32(h, RPMTAG_FILEINODES, inodes, 2);
    headerPutUint32(h, RPMTAG_FILEDEVICES, devs, 2);
    fi = load(h, 0);
    assert_int_equal(rpmfilesFNlink(fi, 0), 1);
    rpmfilesFree(fi);
}

static void test_hard_links_must_have_the_same_content(void **state)
{
    struct testfile links[2] = { plain[0], plain[0] };

    (void)state;
    links[1].bn = "other";
    rpmfilesFree(load(fileHeader(links, 2, 0), 0));
    links[1].size = 11;
    expectRefused(fileHeader(links, 2, 0),
                  "hard links with different contents: /usr/bin/other");
    links[1].size = 10;
    links[1].digest = "";
    expectRefused(fileHeader(links, 2, 0),
                  "hard links with different contents: /usr/bin/other");
}

/* Replace a list by one of another length. */
static Header withCount(rpmTagVal tag, int count)
{
    Header h = fileHeader(plain, 4, 0);
    static const char *const strings[] = { "a", "b", "c", "d", "e" };
    static const uint32_t numbers[5];

    headerDel(h, tag);
    switch (rpmTagGetTagType(tag)) {
    case RPM_INT16_TYPE:
        headerPutUint16(h, tag, (const uint16_t *) numbers, (rpm_count_t) count);
        break;
    case RPM_INT32_TYPE:
        headerPutUint32(h, tag, numbers, (rpm_count_t) count);
        break;
    case RPM_CHAR_TYPE:
        headerPutChar(h, tag, (const char *) numbers, (rpm_count_t) count);
        break;
    default:
        headerPutStringArray(h, tag, (const char **) strings, (rpm_count_t) count);
        break;
    }
    return h;
}

static void test_every_list_has_one_entry_for_each_file(void **state)
{
    static const rpmTagVal tags[] = {
        RPMTAG_DIRINDEXES, RPMTAG_FILEMODES, RPMTAG_FILEFLAGS, RPMTAG_FILEVERIFYFLAGS,
        RPMTAG_FILESIZES, RPMTAG_FILECOLORS, RPMTAG_FILESTATES, RPMTAG_FILEMTIMES,
        RPMTAG_FILERDEVS, RPMTAG_FILEINODES, RPMTAG_FILEDEVICES, RPMTAG_FILECAPS,
        RPMTAG_FILELINKTOS, RPMTAG_FILELANGS, RPMTAG_FILEUSERNAME, RPMTAG_FILEGROUPNAME,
        RPMTAG_FILEDIGESTS
    };

    (void)state;
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        for (int count = 1; count <= 5; count++) {
            char *reason = NULL;

            if (count == 4)
                continue;
            rasprintf(&reason, "Wrong number of entries for tag %s: %d found but 4 expected.",
                      rpmTagGetName(tags[i]), count);
            expectRefused(withCount(tags[i], count), reason);
            rfree(reason);
        }
    }
}

static void test_lists_that_must_be_there(void **state)
{
    static const rpmTagVal tags[] = {
        RPMTAG_FILEMODES, RPMTAG_FILESIZES, RPMTAG_FILEUSERNAME, RPMTAG_FILEGROUPNAME
    };
    Header h = fileHeader(plain, 2, 0);

    (void)state;
    headerDel(h, RPMTAG_DIRNAMES);
    expectRefused(h, "package has file names without directories");
    h = fileHeader(plain, 2, 0);
    headerDel(h, RPMTAG_DIRINDEXES);
    expectRefused(h, "Wrong number of entries for tag Dirindexes: 0 found but 2 expected.");
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        char *reason = NULL;

        h = fileHeader(plain, 2, 0);
        headerDel(h, tags[i]);
        rasprintf(&reason, "package has files but no tag %s", rpmTagGetName(tags[i]));
        expectRefused(h, reason);
        rfree(reason);
    }
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

/* A header of one file with this name. */
static Header named(const char *dn, const char *bn)
{
    struct testfile f = plain[0];

    f.dn = dn;
    f.bn = bn;
    return fileHeader(&f, 1, 0);
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

static void test_digest_algorithms(void **state)
{
    static const uint32_t bad[] = { 0, 3, 99, 0xffffffff };
    static const char sha256[] =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    struct testfile f = plain[0];
    uint32_t algo = RPM_HASH_SHA256;
    size_t len = 0;
    rpmfiles fi;
    Header h;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *emsg = NULL;

        h = fileHeader(plain, 2, 0);
        headerPutUint32(h, RPMTAG_FILEDIGESTALGO, &bad[i], 1);
        assert_null(rpmfilesLoad(h, 0, &emsg));
        assert_memory_equal(emsg, "unknown file digest algorithm ", 30);
        rfree(emsg);
        headerFree(h);
    }
    f.digest = sha256;
    h = fileHeader(&f, 1, 0);
    headerPutUint32(h, RPMTAG_FILEDIGESTALGO, &algo, 1);
    fi = load(h, 0);
    assert_memory_equal(rpmfilesFDigest(fi, 0, NULL, &len), "\xe3\xb0\xc4\x42", 4);
    assert_int_equal(len, 32);
    rpmfilesFree(fi);
}

static void test_malformed_digests(void **state)
{
    static const char *const bad[] = {
        "0", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0",
        "0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcde "
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct testfile f = plain[0];

        f.digest = bad[i];
        expectRefused(fileHeader(&f, 1, 0), "malformed file digest: /usr/bin/tool");
    }
}

static void test_symlinks_have_a_target(void **state)
{
    struct testfile f = plain[3];
    char target[4097];
    Header h;

    (void)state;
    memset(target, 't', sizeof(target));
    target[4095] = '\0';
    f.link = target;
    rpmfilesFree(load(fileHeader(&f, 1, 0), 0));
    target[4095] = 't';
    target[4096] = '\0';
    expectRefused(fileHeader(&f, 1, 0), "bad symlink target: /usr/lib/tool/link");
    f.link = "";
    expectRefused(fileHeader(&f, 1, 0), "bad symlink target: /usr/lib/tool/link");
    h = fileHeader(&plain[3], 1, 0);
    headerDel(h, RPMTAG_FILELINKTOS);
    expectRefused(h, "bad symlink target: /usr/lib/tool/link");
}

static char logged[256];

static int catchLog(rpmlogRec rec, rpmlogCallbackData data)
{
    (void)data;
    rstrlcpy(logged, rpmlogRecMessage(rec), sizeof(logged));
    return 0;
}

static void test_rpmfilesNew_logs_why(void **state)
{
    Header h = named("/usr/", "..");

    (void)state;
    rpmlogSetCallback(catchLog, NULL);
    assert_null(rpmfilesNew(NULL, h, 0, 0));
    rpmlogSetCallback(NULL, NULL);
    assert_string_equal(logged, "bad file name: ..\n");
    headerFree(h);
}

static void test_ten_thousand_files(void **state)
{
    int n = 10000;
    struct testfile *files = rcalloc((size_t) n, sizeof(*files));
    char (*names)[32] = rcalloc((size_t) n, sizeof(*names));
    rpmfiles fi;

    (void)state;
    for (int i = 0; i < n; i++) {
        files[i] = plain[0];
        snprintf(names[i], sizeof(names[i]), "file-%d", (i * 7919) % n);
        files[i].bn = names[i];
        files[i].inode = (uint32_t) i + 1;
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
        cmocka_unit_test(test_lists_come_back_as_they_are),
        cmocka_unit_test(test_out_of_range_answers),
        cmocka_unit_test(test_references_keep_a_set),
        cmocka_unit_test(test_finds_paths_with_and_without_prefix),
        cmocka_unit_test(test_flags_leave_lists_out),
        cmocka_unit_test(test_package_without_files_is_an_empty_set),
        cmocka_unit_test(test_the_root_directory_may_be_listed),
        cmocka_unit_test(test_source_packages_have_base_names_only),
        cmocka_unit_test(test_whole_paths_of_old_packages),
        cmocka_unit_test(test_sizes_over_4_gib),
        cmocka_unit_test(test_hard_links_by_device_and_inode),
        cmocka_unit_test(test_devices_keep_inodes_apart),
        cmocka_unit_test(test_hard_links_must_have_the_same_content),
        cmocka_unit_test(test_every_list_has_one_entry_for_each_file),
        cmocka_unit_test(test_lists_that_must_be_there),
        cmocka_unit_test(test_directory_indexes_are_in_range),
        cmocka_unit_test(test_base_names),
        cmocka_unit_test(test_directory_names),
        cmocka_unit_test(test_name_lengths_at_and_over_the_limits),
        cmocka_unit_test(test_paths_come_only_once),
        cmocka_unit_test(test_no_paths_below_a_file),
        cmocka_unit_test(test_digest_algorithms),
        cmocka_unit_test(test_malformed_digests),
        cmocka_unit_test(test_symlinks_have_a_target),
        cmocka_unit_test(test_rpmfilesNew_logs_why),
        cmocka_unit_test(test_ten_thousand_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
