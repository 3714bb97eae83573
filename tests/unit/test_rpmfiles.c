/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "filelist.h"

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

/* Replace a list by one of another length. */
static Header withCount(rpmTagVal tag, int count)
{
    Header h = fileHeader(plain, 4, 0);
    static const char *const strings[] = { "a", "b", "c", "d", "e" };
    static const uint32_t numbers[5];

    headerDel(h, tag);
    switch (rpmTagGetTagType(tag)) {
    case RPM_INT16_TYPE:
        headerPutUint16(h, tag, (const uint16_t *)numbers, (rpm_count_t)count);
        break;
    case RPM_INT32_TYPE:
        headerPutUint32(h, tag, numbers, (rpm_count_t)count);
        break;
    case RPM_CHAR_TYPE:
        headerPutChar(h, tag, (const char *)numbers, (rpm_count_t)count);
        break;
    default:
        headerPutStringArray(h, tag, (const char **)strings, (rpm_count_t)count);
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
    assert_string_equal(logged, "test-: bad file name: ..\n");
    headerFree(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_come_back_as_they_are),
        cmocka_unit_test(test_out_of_range_answers),
        cmocka_unit_test(test_references_keep_a_set),
        cmocka_unit_test(test_flags_leave_lists_out),
        cmocka_unit_test(test_package_without_files_is_an_empty_set),
        cmocka_unit_test(test_sizes_over_4_gib),
        cmocka_unit_test(test_every_list_has_one_entry_for_each_file),
        cmocka_unit_test(test_lists_that_must_be_there),
        cmocka_unit_test(test_digest_algorithms),
        cmocka_unit_test(test_malformed_digests),
        cmocka_unit_test(test_symlinks_have_a_target),
        cmocka_unit_test(test_rpmfilesNew_logs_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
