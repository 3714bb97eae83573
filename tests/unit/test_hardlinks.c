/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filelist.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hard_links_by_device_and_inode),
        cmocka_unit_test(test_devices_keep_inodes_apart),
        cmocka_unit_test(test_hard_links_must_have_the_same_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
