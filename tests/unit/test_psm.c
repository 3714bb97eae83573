/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a transaction with a package database: upgrades, erasures and their failures. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmio.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmmacro.h>

#include "testinst.h"

static int addFails, removeFails, unlinkError;
static char unlinkName[64];

int __real_rpmdbAdd(rpmdb db, Header h);
int __wrap_rpmdbAdd(rpmdb db, Header h);
int __real_rpmdbRemove(rpmdb db, unsigned int hdrNum);
int __wrap_rpmdbRemove(rpmdb db, unsigned int hdrNum);
int __real_unlinkat(int dirfd, const char *name, int flags);
int __wrap_unlinkat(int dirfd, const char *name, int flags);

int __wrap_rpmdbAdd(rpmdb db, Header h)
{
    return addFails ? -1 : __real_rpmdbAdd(db, h);
}

int __wrap_rpmdbRemove(rpmdb db, unsigned int hdrNum)
{
    return removeFails ? -1 : __real_rpmdbRemove(db, hdrNum);
}

int __wrap_unlinkat(int dirfd, const char *name, int flags)
{
    if (unlinkError != 0 && strcmp(name, unlinkName) == 0) {
        errno = unlinkError;
        return -1;
    }
    return __real_unlinkat(dirfd, name, flags);
}

static int setup(void **state)
{
    addFails = removeFails = unlinkError = 0;
    return instSetupDb(state);
}

static FD_t package;

static void *notify(const void *h, const rpmCallbackType what, const rpm_loff_t amount,
                    const rpm_loff_t total, fnpyKey key, rpmCallbackData data)
{
    (void) h;
    (void) amount;
    (void) total;
    (void) data;
    if (what == RPMCALLBACK_INST_OPEN_FILE)
        return package = Fopen(key, "r.ufdio");
    if (what == RPMCALLBACK_INST_CLOSE_FILE)
        Fclose(package);
    return NULL;
}

static rpmts newSet(const char *tree)
{
    rpmts ts = rpmtsCreate();

    instLog[0] = '\0';
    rpmtsSetRootDir(ts, at(tree, "root"));
    rpmtsSetNotifyCallback(ts, notify, NULL);
    return ts;
}

/* Upgrade to the package of a manifest. */
static int upgrade(const char *tree, const char *manifest)
{
    rpmts ts = newSet(tree);
    char *path = strdup(at(tree, "pkg0.rpm"));
    Header h = NULL;
    FD_t fd;
    int rc;

    instBuild(tree, 0, manifest);
    fd = Fopen(path, "r.ufdio");
    rpmReadPackageFile(ts, fd, path, &h);
    Fclose(fd);
    assert_int_equal(rpmtsAddInstallElement(ts, h, path, 1, NULL), 0);
    headerFree(h);
    rc = rpmtsRun(ts, NULL, 0);
    rpmtsFree(ts);
    free(path);
    return rc;
}

static int erase(const char *tree, const char *name)
{
    rpmts ts = newSet(tree);
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_NAME, name, 0);
    Header h;
    int rc;

    while ((h = rpmdbNextIterator(mi)) != NULL)
        assert_int_equal(rpmtsAddEraseElement(ts, h, 0), 0);
    rpmdbFreeIterator(mi);
    rc = rpmtsRun(ts, NULL, 0);
    rpmtsFree(ts);
    return rc;
}

/* The versions that are recorded of p, in one word. */
static const char *recorded(const char *tree)
{
    static char versions[64];
    rpmts ts = newSet(tree);
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_NAME, "p", 0);
    Header h;

    versions[0] = '\0';
    while ((h = rpmdbNextIterator(mi)) != NULL)
        strncat(versions, headerGetString(h, RPMTAG_VERSION), 8);
    rpmdbFreeIterator(mi);
    rpmtsFree(ts);
    return versions;
}

#define P1 "name p\nversion 1\nrelease 1\narch noarch\ndir /d\nfile /d/a content=one\n" \
           "file /d/b content=b\n"
#define P2 "name p\nversion 2\nrelease 1\narch noarch\ndir /d\nfile /d/a content=two\n"

static void test_upgrade_and_erase(void **state)
{
    const char *tree = *state;

    assert_int_equal(upgrade(tree, P1), 0);
    assert_string_equal(recorded(tree), "1");
    assert_int_equal(upgrade(tree, P2), 0);
    assert_string_equal(recorded(tree), "2");
    assertContent(tree, "root/d/a", "two");
    assert_false(exists(tree, "root/d/b"));
    assert_int_equal(erase(tree, "p"), 0);
    assert_string_equal(recorded(tree), "");
    assert_false(exists(tree, "root/d"));
    assert_string_equal(instLog, "");
}

/* The new version cannot be unpacked: nothing of the old one goes. */
static void test_a_failed_upgrade_erases_nothing(void **state)
{
    const char *tree = *state;

    assert_int_equal(upgrade(tree, P1), 0);
    assert_int_equal(upgrade(tree, P2 "file /d/x content=x sum=ffffffffffffffffffffffffffffffff"
                                      "ffffffffffffffffffffffffffffffff\n"), -1);
    assert_string_equal(recorded(tree), "1");
    assertContent(tree, "root/d/a", "one");
    assertContent(tree, "root/d/b", "b");
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp"), 0);
}

/* The record cannot be written: the old version stays recorded, with its files. */
static void test_no_record_no_erasure(void **state)
{
    const char *tree = *state;

    assert_int_equal(upgrade(tree, P1), 0);
    addFails = 1;
    assert_int_equal(upgrade(tree, P2), -1);
    assert_non_null(strstr(instLog, "error: p-2-1.noarch: its files are in place, but it is not "
                                    "recorded\n"));
    assert_non_null(strstr(instLog, "error: p-1-1.noarch: erase skipped\n"));
    assert_string_equal(recorded(tree), "1");
    assertContent(tree, "root/d/b", "b");
}

static void test_record_that_stays(void **state)
{
    const char *tree = *state;

    assert_int_equal(upgrade(tree, P1), 0);
    removeFails = 1;
    assert_int_equal(erase(tree, "p"), -1);
    removeFails = 0;
    assert_string_equal(recorded(tree), "1");
    assert_false(exists(tree, "root/d"));
}

/* A file that cannot be removed is told of, and no reason to stop. */
static void test_files_that_cannot_be_removed(void **state)
{
    const char *tree = *state;

    assert_int_equal(upgrade(tree, P1), 0);
    strcpy(unlinkName, "b");
    unlinkError = EPERM;
    assert_int_equal(erase(tree, "p"), 0);
    assert_string_equal(instLog,
                        "warning: file /d/b: remove failed: Operation not permitted\n");
    assert_string_equal(recorded(tree), "");
    assert_false(exists(tree, "root/d/a"));
    assert_true(exists(tree, "root/d/b"));

    unlinkError = 0;
    assert_int_equal(upgrade(tree, P1), 0);
    unlinkError = EPERM;
    rpmPushMacro(NULL, "_strict_erasures", NULL, "1", RMIL_CMDLINE);
    assert_int_equal(erase(tree, "p"), -1);
    rpmPopMacro(NULL, "_strict_erasures");
    assert_non_null(strstr(instLog, "error: file /d/b: remove failed: Operation not permitted\n"));
    assert_string_equal(recorded(tree), "1");
}

/* Erasing leaves the privileges of a file to nobody who has another name of it. */
static void test_privileges_go_with_the_name(void **state)
{
    const char *tree = *state;
    struct stat sb;

    assert_int_equal(upgrade(tree, "name p\nversion 1\nrelease 1\narch noarch\n"
                                   "file /su content=x mode=04755\n"), 0);
    assert_int_equal(link(at(tree, "root/su"), at(tree, "root/kept")), 0);
    assert_int_equal(erase(tree, "p"), 0);
    assert_int_equal(stat(at(tree, "root/kept"), &sb), 0);
    assert_int_equal(sb.st_mode & 07777, 0755);
}

/* A symlink that an ordinary user made leads no erasure elsewhere. */
static void test_erasure_stays_below_the_root(void **state)
{
    const char *tree = *state;

    putDir(tree, "outside");
    putFile(tree, "outside/a", "mine");
    assert_int_equal(upgrade(tree, P1), 0);
    assert_int_equal(rename(at(tree, "root/d"), at(tree, "gone")), 0);
    putLink(tree, "root/d", "../outside");
    assert_int_equal(erase(tree, "p"), 0);
    assertContent(tree, "outside/a", "mine");
    assert_string_equal(recorded(tree), "");
}

static void test_a_locked_database(void **state)
{
    const char *tree = *state;
    int fds[2];
    pid_t pid;

    assert_int_equal(upgrade(tree, P1), 0);
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        struct flock lock = { .l_type = F_WRLCK };
        int fd = open(at(tree, "root/db/lock"), O_RDWR);
        char c = fcntl(fd, F_SETLK, &lock) == 0;
        (void) !write(fds[1], &c, 1);
        pause();
        _exit(1);
    } else {
        char c = 0;
        assert_int_equal(read(fds[0], &c, 1), 1);
        assert_int_equal(c, 1);
        assert_int_equal(upgrade(tree, P2), -1);
        kill(pid, SIGKILL);
        assert_non_null(strstr(instLog, "can't create transaction lock"));
    }
    close(fds[0]);
    close(fds[1]);
    assert_string_equal(recorded(tree), "1");
    assertContent(tree, "root/d/a", "one");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, instTeardownDb)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_upgrade_and_erase),
        TEST(test_a_failed_upgrade_erases_nothing),
        TEST(test_no_record_no_erasure),
        TEST(test_record_that_stays),
        TEST(test_files_that_cannot_be_removed),
        TEST(test_privileges_go_with_the_name),
        TEST(test_erasure_stays_below_the_root),
        TEST(test_a_locked_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
