/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Somebody else changes the tree: before, or while a package is installed. Nothing may come out
 * of the root, nor get to where others' symlinks point. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testinst.h"

/* Called once, before the first look at a target: all is unpacked, nothing renamed. */
static void (*betweenPasses)(const char *tree);
static const char *treeNow;
static int renames;

int __real_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *sx);
int __wrap_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *sx);
int __real_renameat(int od, const char *o, int d, const char *p);
int __wrap_renameat(int od, const char *o, int d, const char *p);

int __wrap_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *sx)
{
    void (*call)(const char *tree) = betweenPasses;

    betweenPasses = NULL;
    if (call != NULL)
        call(treeNow);
    return __real_statx(dirfd, path, flags, mask, sx);
}

int __wrap_renameat(int od, const char *o, int d, const char *p)
{
    renames++;
    return __real_renameat(od, o, d, p);
}

static int run(const char *tree, void (*between)(const char *tree), const char *manifest)
{
    int rc;

    betweenPasses = between;
    treeNow = tree;
    renames = 0;
    rc = inst(tree, manifest, NULL);
    assert_null(betweenPasses);
    return rc;
}

static void test_absolute_symlink_stays_in_the_root(void **state)
{
    const char *tree = *state;

    putDir(tree, "outside");
    putLink(tree, "root/way", at(tree, "outside"));
    assert_int_equal(run(tree, NULL, "file /way/f content=x\n"), -1);
    assert_int_equal(treeCount(at(tree, "outside"), ""), 0);
    assert_non_null(strstr(instLog, "on file /way/f: cpio: open failed - No such file"));

    putDir(tree, "root/inside");
    assert_int_equal(unlink(at(tree, "root/way")), 0);
    putLink(tree, "root/way", "/inside");
    assert_int_equal(run(tree, NULL, "file /way/f content=x\n"), 0);
    assertContent(tree, "root/inside/f", "x");
}

static void test_climbing_symlink_stays_in_the_root(void **state)
{
    const char *tree = *state;

    putDir(tree, "outside");
    putDir(tree, "root/outside");
    putLink(tree, "root/way", "../../../outside");
    assert_int_equal(run(tree, NULL, "file /way/f content=x\n"), 0);
    assert_int_equal(treeCount(at(tree, "outside"), ""), 0);
    assertContent(tree, "root/outside/f", "x");
}

static void test_symlink_planted_by_a_user(void **state)
{
    const char *tree = *state;
    char *before, *after;

    if (getuid() != 0)
        skip();
    putDir(tree, "root/secret");
    putLink(tree, "root/way", "secret");
    assert_int_equal(lchown(at(tree, "root/way"), 1234, 1234), 0);
    before = treeList(at(tree, "root"));
    assert_int_equal(run(tree, NULL, "file /a content=x\nfile /way/f content=x\n"), -1);
    after = treeList(at(tree, "root"));
    assert_string_equal(before, after);
    assert_non_null(strstr(instLog, "on file /way/f: cpio: Invalid symlink"));
    free(before);
    free(after);

    /* The user's own directory is the user's to link to. */
    assert_int_equal(chown(at(tree, "root/secret"), 1234, 1234), 0);
    assert_int_equal(run(tree, NULL, "file /way/f content=x\n"), 0);
    assertContent(tree, "root/secret/f", "x");
}

static void test_symlink_for_a_file_is_replaced_not_followed(void **state)
{
    const char *tree = *state;

    putFile(tree, "target", "precious");
    putLink(tree, "root/f", at(tree, "target"));
    putLink(tree, "root/g", "/f");
    assert_int_equal(run(tree, NULL, "file /f content=x\nfifo /g\n"), 0);
    assertContent(tree, "target", "precious");
    assertContent(tree, "root/f", "x");
}

static void swapForSymlink(const char *tree)
{
    assert_int_equal(rename(at(tree, "root/d"), at(tree, "moved")), 0);
    putLink(tree, "root/d", "../outside");
    putLink(tree, "root/outside", "other");
}

static void test_directory_becomes_a_symlink_between_the_passes(void **state)
{
    const char *tree = *state;

    putDir(tree, "outside");
    putDir(tree, "root/d");
    putDir(tree, "root/other");
    putFile(tree, "root/a", "old");
    assert_int_equal(run(tree, swapForSymlink, "file /a content=new\nfile /d/f content=new\n"),
                     -1);
    assert_int_equal(renames, 0);
    assertContent(tree, "root/a", "old");
    assert_int_equal(treeCount(at(tree, "outside"), ""), 0);
    assert_int_equal(treeCount(at(tree, "root/other"), ""), 0);
    assert_non_null(strstr(instLog, "/d/f: cpio: Internal error: its directory was replaced"));
}

static void swapForDirectory(const char *tree)
{
    assert_int_equal(rename(at(tree, "root/d"), at(tree, "moved")), 0);
    putDir(tree, "root/d");
    putFile(tree, "root/d/f", "theirs");
}

static void test_directory_becomes_another_between_the_passes(void **state)
{
    const char *tree = *state;

    putDir(tree, "root/d");
    assert_int_equal(run(tree, swapForDirectory, "file /a content=new\nfile /d/f content=new\n"),
                     -1);
    assert_int_equal(renames, 0);
    assert_false(exists(tree, "root/a"));
    assertContent(tree, "root/d/f", "theirs");
}

static void becomesDirectory(const char *tree)
{
    putDir(tree, "root/f");
}

static void test_file_becomes_a_directory_between_the_passes(void **state)
{
    const char *tree = *state;

    assert_int_equal(run(tree, becomesDirectory, "file /a content=new\nfile /f content=new\n"),
                     -1);
    assert_int_equal(renames, 0);
    assert_false(exists(tree, "root/a"));
    assert_int_equal(treeCount(at(tree, "root"), ""), 1);
}

static void replaceTemp(const char *tree, rpmCallbackType what, rpm_loff_t amount,
                        rpm_loff_t total)
{
    char command[256];

    (void) amount;
    (void) total;
    /* The set's first member is there, its content comes with the second. */
    if (what != RPMCALLBACK_INST_PROGRESS || treeCount(at(tree, "root"), ".rpmtmp") != 1)
        return;
    snprintf(command, sizeof(command), "cd %s/root && for f in .rpmtmp*; do rm $f; "
             "ln ../precious $f; done", tree);
    assert_int_equal(system(command), 0);
}

static void test_temporary_name_is_replaced(void **state)
{
    const char *tree = *state;

    putFile(tree, "precious", "precious");
    instHook = replaceTemp;
    assert_int_equal(run(tree, NULL, "interleaved\nfile /a link=s content=new\n"
                                     "file /b link=s content=new\n"), -1);
    assertContent(tree, "precious", "precious");
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
}

/* The last member, which carries the content, is left out: it goes to the first one's name. */
static void test_temporary_name_is_replaced_before_its_content_comes(void **state)
{
    const char *tree = *state;

    putFile(tree, "precious", "precious");
    instHook = replaceTemp;
    instFlags = RPMTRANS_FLAG_NODOCS;
    assert_int_equal(run(tree, NULL, "file /a link=s content=new\n"
                                     "file /b link=s content=new flags=doc\n"), -1);
    assertContent(tree, "precious", "precious");
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
    assert_non_null(strstr(instLog, "its temporary file was replaced meanwhile"));
}

static void test_dotdot_in_a_name(void **state)
{
    const char *tree = *state;

    assert_int_equal(inst(tree, "file /a/f content=x as=./../../f\n", NULL), -1);
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
    assert_false(exists(tree, "f"));
}

static void test_root_is_a_symlink(void **state)
{
    const char *tree = *state;

    putDir(tree, "real");
    putLink(tree, "alias", "real");
    instRoot = at(tree, "alias");
    assert_int_equal(run(tree, NULL, "file /d/f content=x\n"), 0);
    assertContent(tree, "real/d/f", "x");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, instSetup, instTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_absolute_symlink_stays_in_the_root),
        TEST(test_climbing_symlink_stays_in_the_root),
        TEST(test_symlink_planted_by_a_user),
        TEST(test_symlink_for_a_file_is_replaced_not_followed),
        TEST(test_directory_becomes_a_symlink_between_the_passes),
        TEST(test_directory_becomes_another_between_the_passes),
        TEST(test_file_becomes_a_directory_between_the_passes),
        TEST(test_temporary_name_is_replaced),
        TEST(test_temporary_name_is_replaced_before_its_content_comes),
        TEST(test_dotdot_in_a_name),
        TEST(test_root_is_a_symlink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
