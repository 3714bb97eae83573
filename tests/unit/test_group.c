/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of packages: where they end, what they share, and what a failure in them leaves. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <rpm/argv.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>

#include "rpmdb_internal.h"
#include "testinst.h"

static long blocksFree;                   /* what every filesystem claims, -1: the truth */
static const char *failSync, *failRename; /* part of the path; name: the call fails with EIO */
static int failSyncfs, failMarks; /* so many of the next calls fail with EIO */
static int barriers, touched, commits, files, syncfses;
static int dropped, othersDropped; /* files from the page cache: ours, and under their own names */

int __real_fstatvfs(int fd, struct statvfs *sv);
int __wrap_fstatvfs(int fd, struct statvfs *sv);
int __wrap_fstatvfs64(int fd, struct statvfs *sv);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_posix_fadvise64(int fd, off_t offset, off_t len, int advice);
int __wrap_posix_fadvise64(int fd, off_t offset, off_t len, int advice);
int __real_syncfs(int fd);
int __wrap_syncfs(int fd);
int __real_renameat(int fromfd, const char *from, int tofd, const char *to);
int __wrap_renameat(int fromfd, const char *from, int tofd, const char *to);
int __real_rpmFlushBarrier(rpmFlush flush);
int __wrap_rpmFlushBarrier(rpmFlush flush);
int __real_rpmFlushTouchedBarrier(rpmFlush flush);
int __wrap_rpmFlushTouchedBarrier(rpmFlush flush);
int __real_rpmdbCommit(rpmdb db);
int __wrap_rpmdbCommit(rpmdb db);

int __wrap_fstatvfs(int fd, struct statvfs *sv)
{
    int rc = __real_fstatvfs(fd, sv);

    if (blocksFree >= 0) {
        sv->f_frsize = sv->f_bsize = 4096;
        sv->f_bavail = (fsblkcnt_t) blocksFree;
    }
    return rc;
}

int __wrap_fstatvfs64(int fd, struct statvfs *sv)
{
    return __wrap_fstatvfs(fd, sv);
}

static const char *pathOf(int fd)
{
    static _Thread_local char path[PATH_MAX];
    char link[64];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

int __wrap_posix_fadvise64(int fd, off_t offset, off_t len, int advice)
{
    if (strstr(pathOf(fd), ".rpmtmp") != NULL)
        dropped++;
    else
        othersDropped++;
    return __real_posix_fadvise64(fd, offset, len, advice);
}

int __wrap_fsync(int fd)
{
    const char *path = pathOf(fd);

    if (failSync != NULL && strstr(path, failSync) != NULL &&
        (strstr(path, ".rpmtmp") == NULL || strstr(failSync, ".rpmtmp") != NULL)) {
        errno = EIO;
        return -1;
    }
    return __real_fsync(fd);
}

static int failNext(int *left)
{
    errno = EIO;
    return *left > 0 && (*left)-- > 0;
}

int __wrap_fdatasync(int fd)
{
    return failNext(&failMarks) ? -1 : __real_fdatasync(fd);
}

int __wrap_syncfs(int fd)
{
    syncfses++;
    return failNext(&failSyncfs) ? -1 : __real_syncfs(fd);
}

int __wrap_renameat(int fromfd, const char *from, int tofd, const char *to)
{
    if (failRename != NULL && strcmp(to, failRename) == 0) {
        errno = EIO;
        return -1;
    }
    return __real_renameat(fromfd, from, tofd, to);
}

int __wrap_rpmFlushBarrier(rpmFlush flush)
{
    struct rlimit limit;

    barriers++;
    getrlimit(RLIMIT_NOFILE, &limit);
    files = (int) limit.rlim_cur;
    return __real_rpmFlushBarrier(flush);
}

int __wrap_rpmFlushTouchedBarrier(rpmFlush flush)
{
    touched++;
    return __real_rpmFlushTouchedBarrier(flush);
}

int __wrap_rpmdbCommit(rpmdb db)
{
    commits++;
    return __real_rpmdbCommit(db);
}

static int setup(void **state)
{
    blocksFree = -1;
    failSync = failRename = NULL;
    failSyncfs = failMarks = 0;
    rpmPushMacro(NULL, "_flush_io", NULL, "batch", RMIL_CMDLINE);
    rpmPushMacro(NULL, "_flush_io_barrier", NULL, "fsync", RMIL_CMDLINE);
    rpmSetVerbosity(RPMLOG_DEBUG);
    return instSetupDb(state);
}

static int teardown(void **state)
{
    rpmSetVerbosity(RPMLOG_NOTICE);
    rpmPopMacro(NULL, "_flush_io_barrier");
    rpmPopMacro(NULL, "_flush_io");
    return instTeardownDb(state);
}

/* How the groups of the last transaction ended: "2 with the transaction;". */
static const char *groups(void)
{
    static char text[4096];
    const char *line = instLog;

    text[0] = '\0';
    while ((line = strstr(line, "D: group of ")) != NULL) {
        line += strlen("D: group of ");
        strncat(text, line, strspn(line, "0123456789"));
        line = strstr(line, " ends ") + strlen(" ends");
        strncat(text, line, strcspn(line, "\n"));
        strcat(text, ";");
    }
    return text;
}

/* All messages that are no debugging. */
static const char *said(void)
{
    static char text[65536];
    char *copy = strdup(instLog), *save = NULL;

    text[0] = '\0';
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "error: ", 7) == 0 || strncmp(line, "warning: ", 9) == 0)
            strcat(strcat(text, line), "\n");
    }
    free(copy);
    return text;
}

static rpmts openSet(const char *tree)
{
    rpmts ts = rpmtsCreate();

    rpmtsSetRootDir(ts, at(tree, "root"));
    return ts;
}

/* Names and versions of all that is recorded, sorted, in a line. */
static const char *recorded(const char *tree)
{
    static char text[4096];
    ARGV_t names = NULL;
    char *all;
    rpmts ts = openSet(tree);
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_PACKAGES, NULL, 0);
    Header h;

    while ((h = rpmdbNextIterator(mi)) != NULL) {
        snprintf(text, sizeof(text), "%s-%s", headerGetString(h, RPMTAG_NAME),
                 headerGetString(h, RPMTAG_VERSION));
        argvAdd(&names, text);
    }
    rpmdbFreeIterator(mi);
    rpmtsFree(ts);
    argvSort(names, NULL);
    all = names != NULL ? argvJoin(names, " ") : NULL;
    snprintf(text, sizeof(text), "%s", all != NULL ? all : "");
    free(all);
    argvFree(names);
    return text;
}

static int eraseAll(const char *tree)
{
    rpmts ts = openSet(tree);
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_PACKAGES, NULL, 0);
    Header h;
    int rc;

    while ((h = rpmdbNextIterator(mi)) != NULL)
        assert_int_equal(rpmtsAddEraseElement(ts, h, 0), 0);
    rpmdbFreeIterator(mi);
    instLog[0] = '\0';
    barriers = touched = commits = 0;
    rc = rpmtsRun(ts, NULL, 0);
    rpmtsFree(ts);
    return rc;
}

#define PKG(name, version) "name " name "\nversion " version "\nrelease 1\narch noarch\n"
#define P PKG("p", "1")
#define Q PKG("q", "1")
#define R PKG("r", "1")
#define WHOLE " with the transaction;"

static void test_a_group_shares_barriers_and_commit(void **state)
{
    const char *tree = *state;
    char *names;

    instDb = instUpgrade = 1;
    assert_int_equal(inst(tree, PKG("base", "1"), NULL), 0);
    barriers = touched = commits = 0;
    assert_int_equal(inst(tree, P "file /p/a content=1\nfile /p/old content=1\n",
                          Q "file /q/a content=1\n", R "file /r/a content=1\n", NULL), 0);
    assert_string_equal(groups(), "3" WHOLE);
    assert_int_equal(barriers, 1);
    assert_int_equal(touched, 1);
    assert_int_equal(commits, 1);
    assert_string_equal(recorded(tree), "base-1 p-1 q-1 r-1");

    barriers = touched = commits = 0;
    assert_int_equal(inst(tree, PKG("p", "2") "file /p/a content=2\n",
                          PKG("q", "2") "file /q/a content=2\n", NULL), 0);
    assert_non_null(strstr(groups(), "2 before "));
    assert_int_equal(barriers, 1);
    assert_int_equal(touched, 1);
    assert_int_equal(commits, 1);
    assert_string_equal(recorded(tree), "base-1 p-2 q-2 r-1");
    assertContent(tree, "root/p/a", "2");
    assert_false(exists(tree, "root/p/old"));

    assert_int_equal(eraseAll(tree), 0);
    assert_string_equal(groups(), "4" WHOLE);
    assert_int_equal(touched, 1);
    assert_int_equal(commits, 1);
    assert_string_equal(recorded(tree), "");
    names = treeList(at(tree, "root"));
    assert_null(strstr(names, "/a"));
    free(names);
}

/* The control: each package is by itself. */
static void test_no_groups_without_batch(void **state)
{
    const char *tree = *state;

    rpmPushMacro(NULL, "_flush_io", NULL, "fsync", RMIL_CMDLINE);
    instDb = 1;
    assert_int_equal(inst(tree, PKG("base", "1"), NULL), 0);
    barriers = touched = commits = 0;
    assert_int_equal(inst(tree, P "file /p content=1\n", Q "file /q content=1\n", NULL), 0);
    rpmPopMacro(NULL, "_flush_io");
    assert_string_equal(groups(), "");
    assert_int_equal(barriers, 2);
    assert_int_equal(commits, 2);
}

/* Scriptlets that run end groups, those that are left out do not. None can be run in these roots:
 * only %pre stops its package. */
static void test_scriptlets(void **state)
{
    const char *tree = *state;

    (void) inst(tree, P "file /p content=1\n", Q "script prein /bin/sh x\nfile /q content=1\n",
                R "file /r content=1\n", NULL);
    assert_string_equal(groups(), "1 before q-1-1.noarch: it has %pre;1" WHOLE);
    assert_int_equal(instFailed, 1);
    assertContent(tree, "root/r", "1");
    instFlags = RPMTRANS_FLAG_NOPRE;
    assert_int_equal(instBuilt(tree, 3), 0);
    assert_string_equal(groups(), "3" WHOLE);

    instFlags = 0;
    (void) inst(tree, P "file /p content=1\n", Q "script postin /bin/sh x\nfile /q content=1\n",
                R "file /r content=1\n", NULL);
    assert_string_equal(groups(), "2 after q-1-1.noarch: it has %post;1" WHOLE);
    instFlags = RPMTRANS_FLAG_NOPOST;
    assert_int_equal(instBuilt(tree, 3), 0);
    assert_string_equal(groups(), "3" WHOLE);
}

static void test_scriptlets_of_old_versions(void **state)
{
    const char *tree = *state;

    instDb = instUpgrade = 1;
    assert_int_equal(inst(tree, P "script postun /bin/sh x\nfile /p content=1\n",
                          Q "file /q content=1\n", NULL), 0);
    instFlags = RPMTRANS_FLAG_TEST;
    assert_int_equal(inst(tree, PKG("p", "2") "file /p content=2\n",
                          PKG("q", "2") "file /q content=2\n", NULL), 0);
    instFlags = RPMTRANS_FLAG_NOPOSTUN;
    commits = 0;
    assert_int_equal(instBuilt(tree, 2), 0);
    assert_int_equal(commits, 1);
    assert_string_equal(recorded(tree), "p-2 q-2");

    /* And the other way round: in their turn, after all that comes. */
    instFlags = 0;
    assert_int_equal(inst(tree, PKG("p", "3") "script preun /bin/sh x\nfile /p content=3\n", NULL),
                     0);
    commits = 0;
    (void) inst(tree, PKG("p", "4") "file /p content=4\n", PKG("q", "4") "file /q content=4\n",
                NULL);
    assert_non_null(strstr(groups(), " after p-4-1.noarch: its old version has scriptlets;"));
    assertContent(tree, "root/p", "4");
    assertContent(tree, "root/q", "4");
}

static void test_paths_through_what_is_put_in_place(void **state)
{
    const char *tree = *state;

    putDir(tree, "root/usr");
    putDir(tree, "root/usr/lib");
    putLink(tree, "root/here", ".");
    assert_int_equal(inst(tree, P "symlink /lib usr/lib\n", Q "file /lib/x content=x\n", NULL), 0);
    assert_string_equal(groups(), "1 before q-1-1.noarch: its paths pass through what the group "
                                  "puts in place;1" WHOLE);
    assertContent(tree, "root/usr/lib/x", "x");
    /* By another name. */
    assert_int_equal(inst(tree, P "symlink /lib2 usr/lib\n", Q "file /here/lib2/y content=y\n",
                          NULL), 0);
    assert_non_null(strstr(groups(), "pass through"));
    assertContent(tree, "root/usr/lib/y", "y");
    /* The controls: a link beside the path, one that was there, directories. */
    assert_int_equal(inst(tree, P "symlink /lib3 usr/lib\ndir /d\nfile /d/a content=1\n",
                          Q "file /lib/z content=z\ndir /d\nfile /d/b content=1\n", NULL), 0);
    assert_string_equal(groups(), "2" WHOLE);
    assertContent(tree, "root/usr/lib/z", "z");
}

/* A file in the place of a directory or the other way round is none of the group's. */
static void test_types_of_names(void **state)
{
    const char *tree = *state;

    instIgnore = RPMPROB_FILTER_REPLACENEWFILES;
    (void) inst(tree, P "symlink /t x\n", Q "dir /t\n", NULL);
    assert_non_null(strstr(groups(), "1 before q-1-1.noarch: its paths pass"));
    assert_int_equal(inst(tree, P "file /f content=1\n", Q "file /f content=2\n", NULL), 0);
    assert_string_equal(groups(), "2" WHOLE);
    assertContent(tree, "root/f", "2");
}

static void test_little_space(void **state)
{
    const char *tree = *state;

    blocksFree = 15;
    assert_int_equal(inst(tree, P "file /p size=4000\n", Q "file /q size=45000\n", NULL), 0);
    assert_string_equal(groups(), "1 before q-1-1.noarch: there is little free space;1" WHOLE);
    blocksFree = 100;
    assert_int_equal(instBuilt(tree, 2), 0);
    assert_string_equal(groups(), "2" WHOLE);
}

static void test_users(void **state)
{
    const char *tree = *state;
    struct stat sb;

    assert_int_equal(inst(tree, P "file /etc/passwd content=new:x:77:77::/:\n",
                          Q "file /q content=1 user=new\n", NULL), 0);
    assert_string_equal(groups(), "1 after p-1-1.noarch: it brings users or groups;1" WHOLE);
    assert_int_equal(stat(at(tree, "root/q"), &sb), 0);
    assert_int_equal(sb.st_uid, geteuid() == 0 ? 77 : geteuid());
}

/* The old version's symlink is on the way of a package of a later group. */
static void test_old_versions_wait_for_paths_through_them(void **state)
{
    const char *tree = *state;

    instDb = instUpgrade = 1;
    putDir(tree, "root/real");
    assert_int_equal(inst(tree, P "symlink /l real\nfile /p content=1\n", NULL), 0);
    blocksFree = 15;
    assert_int_equal(inst(tree, PKG("p", "2") "provide p\nfile /p content=2\n",
                          Q "require p\nfile /l/x size=45000\n", NULL), 0);
    assert_non_null(strstr(groups(), "1 before q-1-1.noarch: there is little"));
    assert_true(exists(tree, "root/real/x"));
    assert_false(exists(tree, "root/l"));
    assert_string_equal(recorded(tree), "p-2 q-1");
}

static void test_one_that_fails(void **state)
{
    const char *tree = *state;

    instDb = 1;
    assert_int_equal(inst(tree, P "file /p content=1\n",
                          Q "file /q1 content=1\nfile /q2 content=1 sum=ffffffffffffffffffffffffffff"
                            "ffffffffffffffffffffffffffffffffffff\n",
                          R "file /r content=1\n", NULL), -1);
    assert_string_equal(groups(), "2" WHOLE);
    assert_int_equal(instFailed, 1);
    assert_string_equal(recorded(tree), "p-1 r-1");
    assert_false(exists(tree, "root/q1"));
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp"), 0);
}

static void test_barrier_that_fails(void **state)
{
    const char *tree = *state;

    instDb = instUpgrade = 1;
    assert_int_equal(inst(tree, P "file /p content=1\n", NULL), 0);
    failSync = "root/.rpmtmp";
    assert_int_equal(inst(tree, PKG("p", "2") "file /p content=2\n",
                          Q "dir /q\nfile /q/a content=1\n", NULL), -1);
    assert_non_null(strstr(said(), "error: p-2-1.noarch: unpacking of archive failed on file /p: "
                                   "fsync failed: Input/output error\n"));
    assert_non_null(strstr(said(), "error: q-1-1.noarch: unpacking of archive failed: /p: "));
    assert_non_null(strstr(said(), "error: p-1-1.noarch: erase skipped\n"));
    assertContent(tree, "root/p", "1");
    assert_false(exists(tree, "root/q"));
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp"), 0);
    assert_string_equal(recorded(tree), "p-1");
    failSync = NULL;
    assert_int_equal(instBuilt(tree, 2), 0);
    assert_string_equal(recorded(tree), "p-2 q-1");
}

/* By the path of a file that was given up the old one is found, whose pages are not ours. */
static void test_pages_of_old_files_stay(void **state)
{
    const char *tree = *state;

    instDb = instUpgrade = 1;
    assert_int_equal(inst(tree, Q "file /q1 content=1\n", NULL), 0);
    rpmPushMacro(NULL, "_flush_io_barrier", NULL, "syncfs", RMIL_CMDLINE);
    rpmPushMacro(NULL, "_flush_io_dontneed", NULL, "1", RMIL_CMDLINE);
    dropped = othersDropped = syncfses = 0;
    (void) inst(tree, P "file /p content=1\n",
                PKG("q", "2") "file /q1 content=2\nfile /q2 content=2 sum=ffffffffffffffffffffffff"
                "ffffffffffffffffffffffffffffffffffffffff\n", NULL);
    rpmPopMacro(NULL, "_flush_io_dontneed");
    rpmPopMacro(NULL, "_flush_io_barrier");
    assert_string_equal(recorded(tree), "p-1 q-1");
    if (syncfses == 0)
        skip(); /* of this filesystem it is no barrier */
    assert_int_equal(dropped, 1);
    assert_int_equal(othersDropped, 0);
}

/* While more is unpacked, too, the policy finds what has only its temporary name. */
static void test_early_syncfs_that_fails(void **state)
{
    const char *tree = *state;

    instDb = 1;
    rpmPushMacro(NULL, "_flush_io_barrier", NULL, "syncfs", RMIL_CMDLINE);
    rpmPushMacro(NULL, "_flush_io_dirty", NULL, "4K", RMIL_CMDLINE);
    failSync = "root/.rpmtmp";
    failSyncfs = 1;
    syncfses = 0;
    (void) inst(tree, P "file /p content=1\n", Q "file /q content=1\n",
                R "file /r content=1\n", NULL);
    rpmPopMacro(NULL, "_flush_io_dirty");
    rpmPopMacro(NULL, "_flush_io_barrier");
    if (syncfses == 0)
        skip(); /* of this filesystem it is no barrier */
    assert_non_null(strstr(said(), "error: p-1-1.noarch: unpacking of archive failed on file /p: "
                                   "fsync failed: Input/output error\n"));
    assert_string_equal(recorded(tree), "");
}

/* A scriptlet may write where the package itself has nothing. */
static void test_scriptlets_alone_are_synced(void **state)
{
    const char *tree = *state;

    syncfses = 0;
    (void) inst(tree, P, NULL);
    assert_int_equal(syncfses, 0);
    (void) inst(tree, P "script postin /bin/sh x\n", NULL);
    assert_int_equal(syncfses, 1);
    rpmPushMacro(NULL, "_flush_io", NULL, "none", RMIL_CMDLINE);
    (void) instBuilt(tree, 1);
    rpmPopMacro(NULL, "_flush_io");
    assert_int_equal(syncfses, 1);
}

/* What may not be marked on the disk is not begun, nor what was to be marked with it. */
static void test_marks_that_cannot_be_synced(void **state)
{
    const char *tree = *state;

    instDb = 1;
    assert_int_equal(inst(tree, P "script preun /bin/sh x\n", Q "file /q content=1\n",
                          R "file /r content=1\n", NULL), 0);
    failMarks = 1;
    (void) eraseAll(tree);
    assert_int_equal(failMarks, 0);
    assert_non_null(strstr(said(), "/root/db/.rpm.inflight: cannot note what is going to be "
                                   "erased: Input/output error\n"));
    assert_true(exists(tree, "root/q"));
    assert_true(exists(tree, "root/r"));
    assert_string_equal(recorded(tree), "p-1 q-1 r-1");
    (void) eraseAll(tree);
    assert_string_equal(recorded(tree), "p-1");
}

static void test_directory_that_cannot_be_synced(void **state)
{
    const char *tree = *state;

    instDb = 1;
    failSync = "root/sub";
    assert_int_equal(inst(tree, P "file /p content=1\n", Q "file /sub/a content=1\n", NULL), -1);
    assert_non_null(strstr(said(), "error: q-1-1.noarch: its files are in place, but it is not "
                                   "recorded: /sub"));
    assert_non_null(strstr(said(), "warning: q-1-1.noarch: /sub/a is in its place already\n"));
    assert_non_null(strstr(said(), "warning: p-1-1.noarch: /p is in its place already\n"));
    assert_string_equal(recorded(tree), "");
}

static void test_rename_that_fails(void **state)
{
    const char *tree = *state;

    instDb = 1;
    failRename = "b";
    assert_int_equal(inst(tree, P "file /p content=1\n",
                          Q "file /q/a content=1\nfile /q/b content=1\n", R "file /r content=1\n",
                          NULL), -1);
    assert_string_equal(said(), "warning: q-1-1.noarch: /q/a is in its place already\n"
                                "error: q-1-1.noarch: unpacking of archive failed on file /q/b: "
                                "cpio: rename failed - Input/output error\n");
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp"), 0);
    assert_string_equal(recorded(tree), "p-1 r-1");
}

/* Raised for the barrier, and as before afterwards. */
static void test_limit_of_descriptors(void **state)
{
    const char *tree = *state;
    struct rlimit before, low, after;

    getrlimit(RLIMIT_NOFILE, &before);
    low = before;
    low.rlim_cur = 200;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_int_equal(inst(tree, P "file /p content=1\n", NULL), 0);
    getrlimit(RLIMIT_NOFILE, &after);
    assert_int_equal(after.rlim_cur, 200);
    assert_int_equal(files, before.rlim_max < 4096 ? before.rlim_max : 4096);
    rpmPushMacro(NULL, "_flush_io", NULL, "fsync", RMIL_CMDLINE);
    assert_int_equal(instBuilt(tree, 1), 0);
    rpmPopMacro(NULL, "_flush_io");
    assert_int_equal(files, 200);
    setrlimit(RLIMIT_NOFILE, &before);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_group_shares_barriers_and_commit),
        TEST(test_no_groups_without_batch),
        TEST(test_scriptlets),
        TEST(test_scriptlets_of_old_versions),
        TEST(test_paths_through_what_is_put_in_place),
        TEST(test_types_of_names),
        TEST(test_little_space),
        TEST(test_users),
        TEST(test_old_versions_wait_for_paths_through_them),
        TEST(test_one_that_fails),
        TEST(test_barrier_that_fails),
        TEST(test_pages_of_old_files_stay),
        TEST(test_early_syncfs_that_fails),
        TEST(test_scriptlets_alone_are_synced),
        TEST(test_marks_that_cannot_be_synced),
        TEST(test_directory_that_cannot_be_synced),
        TEST(test_rename_that_fails),
        TEST(test_limit_of_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
