/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every test runs twice: with openat2() and, as on kernels before 5.6, without. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rpm/rpmutil.h>

#include "rpmroot.h"
#include "testtree.h"

static int noOpenat2;
static int openat2Calls;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
    va_list ap;
    long a[4];

    va_start(ap, number);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (number == SYS_openat2) {
        openat2Calls++;
        if (noOpenat2) {
            errno = ENOSYS;
            return -1;
        }
    }
    return __real_syscall(number, a[0], a[1], a[2], a[3]);
}

static int setupOld(void **state)
{
    noOpenat2 = 1;
    return treeSetup(state);
}

static int setupNew(void **state)
{
    noOpenat2 = 0;
    return treeSetup(state);
}

static rpmRoot newRoot(const char *tree)
{
    rpmRoot root;

    putDir(tree, "root");
    root = rpmRootNew(at(tree, "root"));
    assert_non_null(root);
    return root;
}

static void assertIs(int fd, const char *path)
{
    struct stat a, b;

    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &a), 0);
    assert_int_equal(stat(path, &b), 0);
    assert_int_equal(a.st_dev, b.st_dev);
    assert_int_equal(a.st_ino, b.st_ino);
}

static void assertFails(int fd, int error)
{
    int got = errno;

    assert_int_equal(fd, -1);
    assert_int_equal(got, error);
}

static void test_plain_paths(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);

    putDir(tree, "root/a");
    putDir(tree, "root/a/b");
    assertIs(rpmRootDir(root, "/a/b/", 0), at(tree, "root/a/b"));
    assertIs(rpmRootDir(root, "a//b", 0), at(tree, "root/a/b"));
    assertIs(rpmRootDir(root, "./a/.", 0), at(tree, "root/a"));
    assertIs(rpmRootDir(root, "/", 0), at(tree, "root"));
    assertIs(rpmRootDir(root, "", 0), at(tree, "root"));
    rpmRootFree(root);
}

static void test_same_directory_is_walked_once(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);
    int fd, calls;

    putDir(tree, "root/a");
    fd = rpmRootDir(root, "/a/", 0);
    calls = openat2Calls;
    assert_int_equal(rpmRootDir(root, "/a/", 0), fd);
    assert_int_equal(openat2Calls, calls);
    rpmRootForget(root);
    assertIs(rpmRootDir(root, "/a/", 0), at(tree, "root/a"));
    assert_int_equal(openat2Calls, calls + 1);
    rpmRootFree(root);
}

static void test_replaced_directory_is_found_after_forget(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);

    putDir(tree, "root/a");
    assertIs(rpmRootDir(root, "/a/", 0), at(tree, "root/a"));
    assert_int_equal(rename(at(tree, "root/a"), at(tree, "root/old")), 0);
    putDir(tree, "root/a");
    rpmRootForget(root);
    assertIs(rpmRootDir(root, "/a/", 0), at(tree, "root/a"));
    rpmRootFree(root);
}

static void test_dotdot_stops_at_the_root(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);

    putDir(tree, "root/a");
    assertIs(rpmRootDir(root, "/../../..", 0), at(tree, "root"));
    assertIs(rpmRootDir(root, "../../a", 0), at(tree, "root/a"));
    assertIs(rpmRootDir(root, "/a/../../a/..", 0), at(tree, "root"));
    rpmRootFree(root);
}

static void test_symlinks_stay_inside(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);

    putDir(tree, "outside");
    putDir(tree, "root/a");
    putDir(tree, "root/a/b");
    putDir(tree, "root/tmp");
    putLink(tree, "root/absolute", "/a/b");
    putLink(tree, "root/relative", "a/b");
    putLink(tree, "root/a/up", "../../../../a");
    putLink(tree, "root/host", "/etc");
    putLink(tree, "root/escape", at(tree, "outside"));
    putLink(tree, "root/climb", "../outside");
    putLink(tree, "root/chain", "absolute");

    assertIs(rpmRootDir(root, "/absolute", 0), at(tree, "root/a/b"));
    assertIs(rpmRootDir(root, "/relative/../b", 0), at(tree, "root/a/b"));
    assertIs(rpmRootDir(root, "/chain/..", 0), at(tree, "root/a"));
    assertIs(rpmRootDir(root, "/a/up/b", 0), at(tree, "root/a/b"));
    assertFails(rpmRootDir(root, "/host/", 0), ENOENT);
    assertFails(rpmRootDir(root, "/escape/", 0), ENOENT);
    assertFails(rpmRootDir(root, "/climb/", 0), ENOENT);
    assert_false(rpmRootUntrusted(root));
    rpmRootFree(root);
}

static void test_symlink_loop(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);

    putLink(tree, "root/x", "y");
    putLink(tree, "root/y", "/x");
    assertFails(rpmRootDir(root, "/x", 0), ELOOP);
    assert_false(rpmRootUntrusted(root));
    assertFails(rpmRootDir(root, "/x/z", 1), ELOOP);
    rpmRootFree(root);
}

static void test_only_symlinks_of_root_or_the_owner(void **state)
{
    const char *tree = *state;
    rpmRoot root;

    if (getuid() != 0)
        skip();
    root = newRoot(tree);
    putDir(tree, "root/mine");
    putDir(tree, "root/theirs");
    putLink(tree, "root/planted", "mine");
    putLink(tree, "root/own", "theirs");
    putLink(tree, "root/good", "theirs");
    putLink(tree, "root/hop", "planted");
    assert_int_equal(lchown(at(tree, "root/theirs"), 1234, 1234), 0);
    assert_int_equal(lchown(at(tree, "root/planted"), 1234, 1234), 0);
    assert_int_equal(lchown(at(tree, "root/own"), 1234, 1234), 0);

    assertIs(rpmRootDir(root, "/own", 0), at(tree, "root/theirs"));
    assertIs(rpmRootDir(root, "/good", 0), at(tree, "root/theirs"));
    assertFails(rpmRootDir(root, "/planted/", 0), ELOOP);
    assert_true(rpmRootUntrusted(root));
    assertFails(rpmRootDir(root, "/planted/deeper", 1), ELOOP);
    assertFails(rpmRootDir(root, "/hop/", 0), ELOOP);
    assert_true(rpmRootUntrusted(root));
    rpmRootFree(root);
}

static void onMake(void *data, const char *path)
{
    strcat(data, path);
    strcat(data, ";");
}

static void test_missing_directories_are_made(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);
    char made[256] = "";
    struct stat sb;
    mode_t mask = umask(022);

    putDir(tree, "root/a");
    putLink(tree, "root/link", "a");
    rpmRootOnMake(root, onMake, made);
    assertFails(rpmRootDir(root, "/a/b/c", 0), ENOENT);
    assertIs(rpmRootDir(root, "/a/b/c/", 1), at(tree, "root/a/b/c"));
    assertIs(rpmRootDir(root, "/link/d", 1), at(tree, "root/a/d"));
    umask(mask);
    assert_string_equal(made, "/a/b;/a/b/c;/a/d;");
    assert_int_equal(stat(at(tree, "root/a/b/c"), &sb), 0);
    assert_int_equal(sb.st_mode & 07777, 0755);
    rpmRootFree(root);
}

static void test_nothing_is_made_behind_a_dangling_symlink(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);

    putLink(tree, "root/dangling", "missing");
    assertFails(rpmRootDir(root, "/dangling/x", 1), ENOENT);
    assert_int_not_equal(access(at(tree, "root/missing"), F_OK), 0);
    rpmRootFree(root);
}

static void test_not_a_directory(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);

    putFile(tree, "root/file", "x");
    putLink(tree, "root/link", "file");
    assertFails(rpmRootDir(root, "/file", 1), ENOTDIR);
    assertFails(rpmRootDir(root, "/file/x", 1), ENOTDIR);
    assertFails(rpmRootDir(root, "/link/x", 0), ENOTDIR);
    rpmRootFree(root);
}

static void assertNearest(rpmRoot root, const char *path, const char *dir, const char *rest)
{
    char *got = NULL;
    int fd = rpmRootNearestDir(root, path, &got);

    assertIs(fd, dir);
    assert_string_equal(got, rest);
    close(fd);
    rfree(got);
}

static void test_nearest(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);
    int fd;

    putDir(tree, "root/a");
    putLink(tree, "root/l", "/a");
    putLink(tree, "root/d", "a/gone");
    assertNearest(root, "/a/", at(tree, "root/a"), "");
    assertNearest(root, "/l/x/y/", at(tree, "root/a"), "x/y");
    assertNearest(root, "/d/x", at(tree, "root/a"), "gone/x");
    assertNearest(root, "/none/at/all", at(tree, "root"), "none/at/all");
    fd = rpmRootNearestDir(root, "/none", NULL);
    assertIs(fd, at(tree, "root"));
    close(fd);
    rpmRootFree(root);
}

static void test_alias(void **state)
{
    const char *tree = *state;
    rpmRoot root = newRoot(tree);

    putFile(tree, "root/name", "still a file");
    putDir(tree, "root/.hidden");
    putDir(tree, "root/.hidden/in");
    assert_int_equal(rpmRootAlias(root, rpmRootDir(root, "/", 0), "name", ".hidden"), 0);
    assertIs(rpmRootDir(root, "/name/in", 0), at(tree, "root/.hidden/in"));
    assertIs(rpmRootDir(root, "/name/new", 1), at(tree, "root/.hidden/new"));
    assert_int_equal(rpmRootAlias(root, rpmRootDir(root, "/", 0), "name", NULL), 0);
    assertFails(rpmRootDir(root, "/name/in", 0), ENOTDIR);
    rpmRootFree(root);
}

static void test_root_itself(void **state)
{
    const char *tree = *state;
    rpmRoot root;

    putDir(tree, "dir");
    putDir(tree, "dir/a");
    putLink(tree, "link", "dir");
    putFile(tree, "file", "");
    root = rpmRootNew(at(tree, "link"));
    assertIs(rpmRootDir(root, "/a", 0), at(tree, "dir/a"));
    rpmRootFree(root);
    assert_null(rpmRootNew(at(tree, "file")));
    assert_int_equal(errno, ENOTDIR);
    assert_null(rpmRootNew(at(tree, "none")));
    assert_int_equal(errno, ENOENT);
    assert_null(rpmRootFree(NULL));
}

static void test_no_descriptor_leaks(void **state)
{
    const char *tree = *state;
    int before = open("/dev/null", O_RDONLY);
    int after;
    rpmRoot root = newRoot(tree);

    putDir(tree, "root/a");
    putLink(tree, "root/l", "a");
    rpmRootDir(root, "/l/../l/x", 0);
    rpmRootDir(root, "/l/x/y", 1);
    rpmRootDir(root, "/l/x/y/z", 0);
    rpmRootFree(root);
    close(before);
    after = open("/dev/null", O_RDONLY);
    assert_int_equal(before, after);
    close(after);
}

#define BOTH(test) \
    cmocka_unit_test_setup_teardown(test, setupNew, treeTeardown), \
    cmocka_unit_test_setup_teardown(test, setupOld, treeTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(test_plain_paths),
        BOTH(test_same_directory_is_walked_once),
        BOTH(test_replaced_directory_is_found_after_forget),
        BOTH(test_dotdot_stops_at_the_root),
        BOTH(test_symlinks_stay_inside),
        BOTH(test_symlink_loop),
        BOTH(test_only_symlinks_of_root_or_the_owner),
        BOTH(test_missing_directories_are_made),
        BOTH(test_nothing_is_made_behind_a_dangling_symlink),
        BOTH(test_not_a_directory),
        BOTH(test_nearest),
        BOTH(test_alias),
        BOTH(test_root_itself),
        BOTH(test_no_descriptor_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
