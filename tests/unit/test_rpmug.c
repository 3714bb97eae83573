/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpmug.h"
#include "testtree.h"

static rpmug open_ug(const char *tree, rpmRoot *root)
{
    putDir(tree, "etc");
    putFile(tree, "etc/passwd",
            "daemon:x:42:43:Not the host's:/:/bin/sh\n"
            "app:x:1001:7::/:\n"
            "nonsense\n"
            ":x:9:9::/:\n"
            "letters:x:abc:1::/:\n"
            "negative:x:-5:1::/:\n"
            "toobig:x:4294967295:1::/:\n"
            "app:x:1002:7::/:\n"
            "+nis:x::::::\n"
            "last:x:77");
    putFile(tree, "etc/group", "wheel:x:10:a,b\napp:x:2001:\n");
    *root = rpmRootNew(tree);
    assert_non_null(*root);
    return rpmugNew(*root);
}

static void test_files_of_the_root(void **state)
{
    rpmRoot root;
    rpmug ug = open_ug(*state, &root);
    uid_t uid = 0;
    gid_t gid = 0;

    assert_int_equal(rpmugUid(ug, "daemon", &uid), 0);
    assert_int_equal(uid, 42);
    assert_int_equal(rpmugUid(ug, "app", &uid), 0);
    assert_int_equal(uid, 1001);
    assert_int_equal(rpmugUid(ug, "last", &uid), 0);
    assert_int_equal(uid, 77);
    assert_int_equal(rpmugGid(ug, "app", &gid), 0);
    assert_int_equal(gid, 2001);
    assert_int_equal(rpmugGid(ug, "wheel", &gid), 0);
    assert_int_equal(gid, 10);
    rpmugFree(ug);
    rpmRootFree(root);
}

static void test_unknown_and_malformed(void **state)
{
    static const char *const names[] = { "nonsense", "letters", "negative", "toobig", "+nis", "",
                                         "nobody", "app:x" };
    rpmRoot root;
    rpmug ug = open_ug(*state, &root);
    uid_t uid = 5;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(rpmugUid(ug, names[i], &uid), -1);
    assert_int_equal(uid, 5);
    rpmugFree(ug);
    rpmRootFree(root);
}

static void test_root_is_zero_without_files(void **state)
{
    rpmRoot root = rpmRootNew(*state);
    rpmug ug = rpmugNew(root);
    uid_t uid = 5;
    gid_t gid = 5;

    assert_int_equal(rpmugUid(ug, "root", &uid), 0);
    assert_int_equal(rpmugGid(ug, "root", &gid), 0);
    assert_int_equal(uid, 0);
    assert_int_equal(gid, 0);
    assert_int_equal(rpmugUid(ug, "daemon", &uid), -1);
    rpmugFree(ug);
    rpmRootFree(root);
}

static void test_fifo_or_symlink_for_a_file(void **state)
{
    const char *tree = *state;
    rpmRoot root = rpmRootNew(tree);
    rpmug ug = rpmugNew(root);
    uid_t uid;
    gid_t gid;

    putDir(tree, "etc");
    assert_int_equal(mkfifo(at(tree, "etc/passwd"), 0600), 0);
    putLink(tree, "etc/group", "/etc/group");
    assert_int_equal(rpmugUid(ug, "daemon", &uid), -1);
    assert_int_equal(rpmugGid(ug, "daemon", &gid), -1);
    rpmugFree(ug);
    rpmRootFree(root);
}

static void test_host(void **state)
{
    rpmug ug = rpmugNew(NULL);
    struct passwd *pw = getpwnam("daemon");
    uid_t uid = 0;

    (void) state;
    if (pw == NULL)
        skip();
    assert_int_equal(rpmugUid(ug, "daemon", &uid), 0);
    assert_int_equal(uid, pw->pw_uid);
    assert_int_equal(rpmugUid(ug, "daemon", &uid), 0);
    assert_int_equal(rpmugUid(ug, "no such user here", &uid), -1);
    assert_int_equal(rpmugUid(ug, "no such user here", &uid), -1);
    rpmugFree(ug);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, treeSetup, treeTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_files_of_the_root),
        TEST(test_unknown_and_malformed),
        TEST(test_root_is_zero_without_files),
        TEST(test_fifo_or_symlink_for_a_file),
        TEST(test_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
