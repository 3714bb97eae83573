/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every system call of an installation fails once. Before the first rename that must leave the
 * tree as it was; from then on each file is the old one or the new one, and nothing else is left.
 *
 * Counted are only calls that an installation makes to change something: files opened for
 * writing, and descriptors that are. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "testinst.h"

/* The fault: call number `nth` of `call` fails with `error`; SHORT_WRITE halves it. */
#define SHORT_WRITE (-1)
static const char *faultCall;
static int faultNth, faultError, faultSeen, armed;
static int renames;

static int fault(const char *call)
{
    if (!armed || faultCall == NULL || strcmp(call, faultCall) != 0 || ++faultSeen != faultNth)
        return 0;
    errno = faultError;
    return 1;
}

static int isWritable(int fd)
{
    int saved = errno;
    int flags = fcntl(fd, F_GETFL);

    errno = saved;
    return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) == O_WRONLY;
}

int __real_openat(int dirfd, const char *path, int flags, mode_t mode);
int __wrap_openat(int dirfd, const char *path, int flags, mode_t mode);
int __wrap_openat64(int dirfd, const char *path, int flags, mode_t mode);
ssize_t __real_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n);
int __real_close(int fd);
int __wrap_close(int fd);

#define WRAP(name, params, args) \
    int __real_##name params; \
    int __wrap_##name params; \
    int __wrap_##name params \
    { \
        return fault(#name) ? -1 : __real_##name args; \
    }

WRAP(fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
WRAP(fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(futimens, (int fd, const struct timespec t[2]), (fd, t))
WRAP(cap_set_fd, (int fd, cap_t caps), (fd, caps))
WRAP(fchownat, (int d, const char *p, uid_t u, gid_t g, int f), (d, p, u, g, f))
WRAP(fchmodat, (int d, const char *p, mode_t m, int f), (d, p, m, f))
WRAP(utimensat, (int d, const char *p, const struct timespec t[2], int f), (d, p, t, f))
WRAP(mkdirat, (int d, const char *p, mode_t m), (d, p, m))
WRAP(mknodat, (int d, const char *p, mode_t m, dev_t r), (d, p, m, r))
WRAP(symlinkat, (const char *t, int d, const char *p), (t, d, p))
WRAP(linkat, (int od, const char *o, int d, const char *p, int f), (od, o, d, p, f))

int __real_renameat(int od, const char *o, int d, const char *p);
int __wrap_renameat(int od, const char *o, int d, const char *p);

int __wrap_renameat(int od, const char *o, int d, const char *p)
{
    if (fault("renameat"))
        return -1;
    renames++;
    return __real_renameat(od, o, d, p);
}

int __wrap_openat(int dirfd, const char *path, int flags, mode_t mode)
{
    if ((flags & O_ACCMODE) == O_WRONLY && fault("openat"))
        return -1;
    return __real_openat(dirfd, path, flags, mode);
}

int __wrap_openat64(int dirfd, const char *path, int flags, mode_t mode)
{
    return __wrap_openat(dirfd, path, flags, mode);
}

ssize_t __wrap_write(int fd, const void *buf, size_t n)
{
    if (n > 1 && faultError == SHORT_WRITE && armed && isWritable(fd)) {
        faultSeen++;
        n = (n + 1) / 2;
    } else if (isWritable(fd) && fault("write")) {
        return -1;
    }
    return __real_write(fd, buf, n);
}

/* As on Linux, the descriptor is gone whatever close() says. */
int __wrap_close(int fd)
{
    int fails = isWritable(fd) && fault("close");
    int rc = __real_close(fd);

    if (fails) {
        errno = faultError;
        return -1;
    }
    return rc;
}

static void arm(const char *tree, rpmCallbackType what, rpm_loff_t amount, rpm_loff_t total)
{
    (void) tree;
    (void) amount;
    (void) total;
    if (what == RPMCALLBACK_INST_START)
        armed = 1;
    else if (what == RPMCALLBACK_INST_STOP)
        armed = 0;
}

static const char manifest[] =
    "name p\nversion 1\nrelease 1\narch noarch\n"
    "dir /new mode=0750\n"
    "dir /new/deep\n"
    "file /new/deep/a content=aaaa\n"
    "file /new/deep/b link=s content=linked\n"
    "file /new/c link=s content=linked\n"
    "symlink /new/link a\n"
    "dir /old mode=0755\n"
    "file /old/caps content=caps mode=0755 caps=cap_net_raw=ep\n"
    "file /old/conf content=newconf flags=config\n"
    "fifo /old/fifo mode=0666\n"
    "file /old/plain content=newplain\n"
    "symlink /old/sym new\n"
    "file /parent/made/here content=x\n";

static void fillTree(const char *tree)
{
    putDir(tree, "root/old");
    putFile(tree, "root/old/caps", "oldcaps");
    putFile(tree, "root/old/conf", "oldconf");
    putFile(tree, "root/old/fifo", "oldfifo");
    putFile(tree, "root/old/plain", "oldplain");
    putLink(tree, "root/old/sym", "old");
    putDir(tree, "root/untouched");
}

static int run(const char *tree, const char *call, int nth, int error)
{
    int rc;

    faultCall = call;
    faultNth = nth;
    faultError = error;
    faultSeen = renames = 0;
    instHook = arm;
    rc = instBuilt(tree, 1);
    armed = 0;
    faultCall = NULL;
    faultError = 0;
    return rc;
}

static void assertIsNewTree(const char *tree)
{
    char *a = getFile(tree, "root/new/deep/a");
    char *c = getFile(tree, "root/new/c");
    char *plain = getFile(tree, "root/old/plain");
    char *orig = getFile(tree, "root/old/conf.rpmorig");
    struct stat sb;

    assert_string_equal(a, "aaaa");
    assert_string_equal(c, "linked");
    assert_string_equal(plain, "newplain");
    assert_string_equal(orig, "oldconf");
    assert_int_equal(stat(at(tree, "root/new"), &sb), 0);
    assert_int_equal(sb.st_mode & 07777, 0750);
    assert_int_equal(stat(at(tree, "root/old/fifo"), &sb), 0);
    assert_int_equal(sb.st_mode, S_IFIFO | 0666);
    free(a);
    free(c);
    free(plain);
    free(orig);
}

static void refill(void **state)
{
    assert_int_equal(instTeardown(state), 0);
    assert_int_equal(instSetup(state), 0);
    fillTree(*state);
    instBuild(*state, 0, manifest);
}

/* Lets call number 1, 2, ... fail until there is none of that number. */
static int failEach(void **state, const char *call, int error)
{
    int nth = 0;

    for (;;) {
        char *before, *after;
        int rc;

        refill(state);
        before = treeList(at(*state, "root"));
        rc = run(*state, call, ++nth, error);
        if (faultSeen < nth) {
            assert_int_equal(rc, 0);
            assertIsNewTree(*state);
            free(before);
            break;
        }
        if (rc == 0)
            fail_msg("%s number %d failed, the installation did not", call, nth);
        assert_int_equal(instFailed, 1);
        if (strstr(instLog, strerror(error)) == NULL ||
            strstr(instLog, "error: p-1-1.noarch: unpacking of archive failed on file /") == NULL)
            fail_msg("%s number %d: %s", call, nth, instLog);
        after = treeList(at(*state, "root"));
        if (renames == 0)
            assert_string_equal(before, after);
        assert_int_equal(treeCount(at(*state, "root"), ".rpmtmp"), 0);
        free(before);
        free(after);
    }
    return nth - 1;
}

static void needRoot(void)
{
    if (getuid() != 0)
        skip();
}

static void test_before_the_renames(void **state)
{
    static const struct {
        const char *call;
        int error;
        int calls; /* that there must be at least */
    } rows[] = {
        { "openat", EACCES, 6 }, { "openat", ENOSPC, 6 }, { "write", EIO, 6 },
        { "write", ENOSPC, 6 },  { "write", EDQUOT, 6 },  { "cap_set_fd", EPERM, 1 },
        { "mkdirat", ENOSPC, 4 }, { "mknodat", EPERM, 1 }, { "symlinkat", ENOSPC, 2 },
        { "utimensat", EIO, 3 }, { "close", EIO, 6 },
    };

    needRoot();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_true(failEach(state, rows[i].call, rows[i].error) >= rows[i].calls);
}

/* Calls that the second pass makes, too. */
static void test_in_both_passes(void **state)
{
    needRoot();
    assert_true(failEach(state, "renameat", EIO) >= 8);
    assert_true(failEach(state, "linkat", EIO) >= 2);
}

/* A failed change of mode or owner is none where there is nothing to change: different ones. */
static void failAttribute(void **state, const char *call)
{
    static const char other[] = "name p\nversion 1\nrelease 1\narch noarch\n"
                                "file /a content=x mode=0751 user=app\nfile /b content=y\n"
                                "symlink /s t user=app\n";
    char *before, *after;

    refill(state);
    putDir(*state, "root/etc");
    putFile(*state, "root/etc/passwd", "app:x:1001:1::/:\n");
    instBuild(*state, 0, other);
    before = treeList(at(*state, "root"));
    assert_int_equal(run(*state, call, 1, EPERM), -1);
    after = treeList(at(*state, "root"));
    assert_string_equal(before, after);
    assert_non_null(strstr(instLog, "Operation not permitted"));
    free(before);
    free(after);
}

static void test_attributes_of_files(void **state)
{
    needRoot();
    failAttribute(state, "fchown");
    failAttribute(state, "fchmod");
    failAttribute(state, "fchownat");
    failAttribute(state, "futimens");
}

static void test_useless_failure_is_none(void **state)
{
    refill(state);
    instBuild(*state, 0, "dir /d mode=0700\n");
    assert_int_equal(run(*state, "fchmod", 1, EPERM), 0);
    assert_int_equal(faultSeen, 1);
}

static int modeOf(const char *tree, const char *name)
{
    struct stat sb;

    assert_int_equal(stat(at(tree, name), &sb), 0);
    return (int) (sb.st_mode & 07777);
}

/* In a new directory files are made with their modes. The umask is 022: one that it would change is
 * set, as those with privileges and those of hard links are, and the directory's own, which is
 * last. */
static void test_modes_in_a_new_directory(void **state)
{
    refill(state);
    instBuild(*state, 0, "dir /d mode=0755\n"
                         "file /d/a content=x mode=0644\nfile /d/b content=x mode=0400\n"
                         "file /d/c content=x mode=0755\nfile /d/d content=x mode=0711\n"
                         "file /d/e content=x mode=0664\nfile /d/f content=x mode=04755\n"
                         "file /d/g link=s content=x mode=0444\n"
                         "file /d/h link=s content=x mode=0444\n");
    assert_int_equal(run(*state, "fchmod", 0, 0), 0);
    assert_int_equal(faultSeen, 4);
    assert_int_equal(modeOf(*state, "root/d"), 0755);
    assert_int_equal(modeOf(*state, "root/d/a"), 0644);
    assert_int_equal(modeOf(*state, "root/d/b"), 0400);
    assert_int_equal(modeOf(*state, "root/d/c"), 0755);
    assert_int_equal(modeOf(*state, "root/d/d"), 0711);
    assert_int_equal(modeOf(*state, "root/d/e"), 0664);
    assert_int_equal(modeOf(*state, "root/d/f"), 04755);
    assert_int_equal(modeOf(*state, "root/d/g"), 0444);
}

/* An access control list for what is made in a directory takes bits away, different ones from the
 * umask: here all of the group's and of others'. */
static void test_modes_below_an_access_control_list(void **state)
{
    static const unsigned char list[] = { 2, 0, 0, 0,
                                          1, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,
                                          4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
                                          32, 0, 0, 0, 0xff, 0xff, 0xff, 0xff };

    refill(state);
    if (setxattr(at(*state, "root"), "system.posix_acl_default", list, sizeof(list), 0) != 0)
        skip();
    instBuild(*state, 0, "dir /d mode=0755\n"
                         "file /d/a content=x mode=0600\nfile /d/b content=x mode=0640\n"
                         "file /d/c content=x mode=0644\n");
    assert_int_equal(run(*state, "fchmod", 0, 0), 0);
    assert_int_equal(faultSeen, 3);
    assert_int_equal(modeOf(*state, "root/d/a"), 0600);
    assert_int_equal(modeOf(*state, "root/d/b"), 0640);
    assert_int_equal(modeOf(*state, "root/d/c"), 0644);
}

static void test_failure_in_mid_commit_lists_what_is_done(void **state)
{
    needRoot();
    refill(state);
    assert_int_equal(run(*state, "renameat", 3, EIO), -1);
    assert_non_null(strstr(instLog, "p-1-1.noarch: /new/c is in its place already\n"));
    assert_non_null(strstr(instLog, "p-1-1.noarch: /new/deep/"));
    assert_null(strstr(instLog, "/old/plain is in its place"));
    assert_int_equal(treeCount(at(*state, "root"), ".rpmtmp"), 0);
}

static void test_interrupted_calls_are_made_again(void **state)
{
    static const char *const calls[] = { "openat", "write", "fchown", "fchmod", "futimens",
                                         "cap_set_fd", "fchownat", "utimensat", "mkdirat",
                                         "mknodat", "symlinkat", "linkat", "renameat" };

    needRoot();
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        refill(state);
        assert_int_equal(run(*state, calls[i], 1, EINTR), 0);
        assert_true(faultSeen >= 2);
        assertIsNewTree(*state);
    }
}

static void test_short_writes_are_continued(void **state)
{
    needRoot();
    refill(state);
    assert_int_equal(run(*state, "write", 0, SHORT_WRITE), 0);
    assert_true(faultSeen >= 6);
    assertIsNewTree(*state);
}

static void test_existing_temporary_names_are_stepped_over(void **state)
{
    static const char *const calls[] = { "openat", "mknodat", "symlinkat", "linkat" };

    needRoot();
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        refill(state);
        assert_int_equal(run(*state, calls[i], 1, EEXIST), 0);
        assertIsNewTree(*state);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, instSetup, instTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_before_the_renames),
        TEST(test_in_both_passes),
        TEST(test_attributes_of_files),
        TEST(test_useless_failure_is_none),
        TEST(test_modes_in_a_new_directory),
        TEST(test_modes_below_an_access_control_list),
        TEST(test_failure_in_mid_commit_lists_what_is_done),
        TEST(test_interrupted_calls_are_made_again),
        TEST(test_short_writes_are_continued),
        TEST(test_existing_temporary_names_are_stepped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
