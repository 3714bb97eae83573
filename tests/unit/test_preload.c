/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the shim makes of a transaction: the calls of rpm 4.16, 4.18 and 6, and failures. */

#include "preload_fixture.h"

/* ---- rpm 4.18 to 4.20: all files of a package, then all renames ---- */

static int files418(void)
{
    writeTemp418("a");
    writeTemp418("b");
    if (commit418("a") || commit418("b"))
        return -1;
    (void)sys.fsync(dirfd); /* as with %_flush_io 1 */
    return 0;
}

static int transaction418(void)
{
    int rc = rpmPackageFilesInstall(NULL, NULL, NULL, NULL, NULL);

    if (rc == 0)
        rc = record();
    (void)sys.syncfs(dirfd);
    return rc;
}

static int run418(void)
{
    transaction = transaction418;
    if (package == NULL)
        package = files418;
    return rpmtsRun(NULL, NULL, 0);
}

static void test_unset_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(run418(), 0);
    assert_string_equal(calls,
                        "fsync fsync rename rename fsync-dir pwrite fdatasync syncfs");
}

static void test_fsync_is_left_to_stock(void **state)
{
    (void)state;
    policy("fsync");
    assert_int_equal(run418(), 0);
    assert_string_equal(calls,
                        "fsync fsync rename rename fsync-dir pwrite fdatasync syncfs");
}

static void test_batch_418(void **state)
{
    (void)state;
    policy("batch");
    assert_int_equal(run418(), 0);
    assert_string_equal(calls, "fsync fsync rename rename fsync-dir pwrite fdatasync");
    assert_int_equal(openedWith & O_DSYNC, 0);
    assert_true(exists("a") && exists("b"));
    assert_null(shimRun);
}

static void test_batch_two_packages(void **state)
{
    (void)state;
    policy("batch");
    assert_int_equal(run418(), 0);
    calls[0] = '\0';
    assert_int_equal(run418(), 0);
    assert_string_equal(calls, "fsync fsync rename rename fsync-dir pwrite fdatasync");
}

static int scripted(void)
{
    int rc = rpmPackageFilesInstall(NULL, NULL, NULL, NULL, NULL);

    calls[0] = '\0';
    shimRun->scripts = true;
    (void)sys.syncfs(dirfd);
    return rc;
}

static void test_what_scripts_wrote_is_synced(void **state)
{
    (void)state;
    policy("batch");
    package = files418;
    transaction = scripted;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(calls, "syncfs");
}

static int scriptedAndLost(void)
{
    (void)rpmPackageFilesInstall(NULL, NULL, NULL, NULL, NULL);
    shimRun->scripts = true;
    failing = "syncfs";
    (void)sys.syncfs(dirfd);
    return 0;
}

static void test_a_failed_end_is_told(void **state)
{
    (void)state;
    policy("batch");
    package = files418;
    transaction = scriptedAndLost;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), -1);
    assert_non_null(strstr(said, "syncfs failed: Input/output error"));
}

static void test_open_flags(void **state)
{
    (void)state;
    policy("odsync");
    assert_int_equal(run418(), 0);
    assert_int_equal(openedWith & O_DSYNC, O_DSYNC);
    /* Files are on disk; directories are stock's to sync, and its end is. */
    assert_string_equal(calls, "rename rename fsync-dir pwrite fdatasync syncfs");
}

static int filesWithRoom(void)
{
    struct rpmop_s op;

    fileSize = 1 << 20;
    writeTemp418("a");
    assert_int_equal(rpmFlushGetOp(shimRun->flush, RPMFLUSH_KIND_ALLOC, &op), 0);
    assert_int_equal(op.bytes, 1 << 20);
    return commit418("a");
}

static void test_room_is_reserved_by_the_size_of_the_header(void **state)
{
    (void)state;
    policy("fdatasync");
    macros[3][0] = "_flush_io_fallocate";
    macros[3][1] = "1";
    package = filesWithRoom;
    assert_int_equal(run418(), 0);
}

/* ---- A failed barrier ---- */

/* As rpm takes a package back: whatever is not renamed goes, temporary name or not. */
static int takeBack418(void)
{
    int kept = someFile("touched", O_WRONLY | O_CREAT);
    int fd;

    sys.close(kept);
    assert_int_equal(real.mkdirat(dirfd, "old", 0755), 0);
    assert_int_equal(sys.mkdirat(dirfd, "new", 0755), 0);
    writeTemp418("a");
    fd = someFile("touched", O_RDONLY);
    (void)sys.futimens(fd, NULL);
    sys.close(fd);
    if (commit418("a") == 0)
        return 0;
    assert_int_equal(errno, EIO);
    assert_int_equal(sys.unlinkat(dirfd, "a" TID, 0), 0);
    assert_int_equal(sys.fchmodat(dirfd, "touched", 0, 0), -1);
    assert_int_equal(cap_set_fd(dirfd, NULL), -1);
    (void)sys.unlinkat(dirfd, "touched", 0);
    (void)sys.unlinkat(dirfd, "old", AT_REMOVEDIR);
    (void)sys.unlinkat(dirfd, "new", AT_REMOVEDIR);
    return -32774;
}

static void test_failed_barrier_takes_back_no_more_than_was_made(void **state)
{
    (void)state;
    policy("batch");
    package = takeBack418;
    failing = "fsync";
    assert_int_equal(run418(), -32774);
    assert_string_equal(calls, "fsync");
    assert_true(exists("touched") && exists("old"));
    assert_false(exists("new") || exists("a") || exists("a" TID));
    assert_non_null(strstr(said, "/a" TID ": fsync failed: Input/output error"));
    assert_int_equal(capsSet, 0);
}

/* The control: without the shim's policy the same calls remove them all. */
static void test_stock_takes_back_too_much(void **state)
{
    (void)state;
    assert_int_equal(real.mkdirat(dirfd, "old", 0755), 0);
    assert_int_equal(sys.unlinkat(dirfd, "old", AT_REMOVEDIR), 0);
    assert_int_equal(cap_set_fd(dirfd, NULL), 0);
    assert_false(exists("old"));
}

static int goodAfterBad(void)
{
    package = takeBack418;
    failing = "fsync";
    assert_int_equal(rpmPackageFilesInstall(NULL, NULL, NULL, NULL, NULL), -32774);
    failing = NULL;
    package = files418;
    return rpmPackageFilesInstall(NULL, NULL, NULL, NULL, NULL);
}

static void test_next_package_is_none_the_worse(void **state)
{
    (void)state;
    policy("batch");
    transaction = goodAfterBad;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_true(exists("a") && exists("b"));
}

static void test_names_that_are_not_durable_fail_the_package(void **state)
{
    (void)state;
    policy("batch");
    failing = "fsync-dir";
    assert_int_equal(run418(), -32771); /* RPMERR_WRITE_FAILED */
    assert_string_equal(calls, "fsync fsync rename rename fsync-dir");
}

static int lostWhileClosing(void)
{
    failing = "fsync";
    writeTemp418("a"); /* stock does not look at what sys.close() returns */
    failing = NULL;
    return commit418("a");
}

static void test_failed_close_fails_the_rename(void **state)
{
    (void)state;
    policy("fdatasync");
    package = lostWhileClosing;
    assert_int_equal(run418(), -1);
    assert_null(strstr(calls, "rename"));
}

/* ---- What else is in a package ---- */

static int otherKinds(void)
{
    int fd;

    assert_int_equal(sys.symlinkat("target", dirfd, "link" TID), 0);
    writeTemp418("a");
    assert_int_equal(sys.linkat(dirfd, "a" TID, dirfd, "hard" TID, 0), 0);
    fd = someFile("old", O_WRONLY | O_CREAT);
    sys.close(fd);
    /* Moved away in order to be removed, while others are still unpacked. */
    assert_int_equal(sys.renameat(dirfd, "old", dirfd, "old-RPMDELETE"), 0);
    assert_int_equal(sys.unlinkat(dirfd, "old-RPMDELETE", 0), 0);
    writeTemp418("b");
    return commit418("link") || commit418("a") || commit418("hard") || commit418("b");
}

static void test_other_kinds(void **state)
{
    (void)state;
    policy("batch");
    package = otherKinds;
    assert_int_equal(run418(), 0);
    assert_string_equal(calls + strcspn(calls, " "),
                        strstr(calls, "rename") + strlen("rename"));
}

static int removes(void)
{
    int rc = rpmPackageFilesRemove(NULL, NULL, NULL, NULL, NULL);

    return rc ? rc : record();
}

static int removal(void)
{
    return sys.unlinkat(dirfd, "a", 0);
}

static int noRemoval(void)
{
    (void)sys.fsync(dirfd);
    return 0;
}

static void test_removed_names_are_durable_before_the_record(void **state)
{
    (void)state;
    policy("batch");
    sys.close(someFile("a", O_WRONLY | O_CREAT));
    transaction = removes;
    package = removal;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(calls, "fsync-dir pwrite fdatasync");
    calls[0] = '\0';
    package = noRemoval;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(calls, "pwrite fdatasync");
}

/* ---- rpm 4.16: by path, each file renamed when it is there ---- */

static int files416(void)
{
    static const char *const names[] = { "a", "b" };
    char temp[160], final[128];

    for (int i = 0; i < 2; i++) {
        int fd;

        snprintf(final, sizeof(final), "%s/%s", directory, names[i]);
        snprintf(temp, sizeof(temp), "%s" TID, final);
        fd = sys.open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_EXCL, 0200);
        assert_true(fd >= 0);
        (void)rpmfiFSize(NULL);
        assert_int_equal(sys.write(fd, "hello", 5), 5);
        sys.close(fd);
        (void)chmod(temp, 0644);
        if (sys.rename(temp, final))
            return -1;
    }
    return 0;
}

static void test_batch_416(void **state)
{
    (void)state;
    policy("batch");
    package = files416;
    assert_int_equal(run418(), 0);
    assert_string_equal(calls, "fsync rename fsync rename fsync-dir pwrite fdatasync");
}

static void test_failed_barrier_416(void **state)
{
    (void)state;
    policy("batch");
    package = files416;
    failing = "fsync";
    assert_int_equal(run418(), -1);
    assert_string_equal(calls, "fsync");
}

/* ---- rpm 6: where a package begins and ends is hidden ---- */

static int package6(void)
{
    int rc = files418();

    return rc ? rc : record();
}

static void test_batch_6(void **state)
{
    (void)state;
    policy("batch");
    assert_int_equal(package6(), 0);
    assert_string_equal(calls, "fsync fsync rename rename fsync-dir pwrite fdatasync");
    assert_non_null(shimRun);
    calls[0] = '\0';
    assert_int_equal(package6(), 0);
    assert_string_equal(calls, "fsync fsync rename rename fsync-dir pwrite fdatasync");
    calls[0] = '\0';
    assert_int_equal(sys.syncfs(dirfd), 0);
    assert_string_equal(calls, "syncfs");
    assert_null(shimRun);
}

static void test_batch_6_run_seen(void **state)
{
    (void)state;
    policy("batch");
    transaction = package6;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(calls, "fsync fsync rename rename fsync-dir pwrite fdatasync syncfs");
}

static void test_6_names_are_not_durable(void **state)
{
    (void)state;
    policy("batch");
    failing = "fsync-dir";
    assert_int_equal(package6(), -1);
    assert_int_equal(errno, EIO);
    assert_null(strstr(calls, "pwrite"));
}

static void test_6_failed_barrier(void **state)
{
    (void)state;
    policy("batch");
    failing = "fsync";
    assert_int_equal(package6(), -1);
    assert_null(strstr(calls, "rename"));
    failing = NULL;
    (void)sys.unlinkat(dirfd, "a" TID, 0);
    (void)sys.unlinkat(dirfd, "b" TID, 0);
    calls[0] = '\0';
    assert_int_equal(package6(), 0);
    assert_string_equal(calls, "fsync fsync rename rename fsync-dir pwrite fdatasync");
}

static void test_6_unset(void **state)
{
    (void)state;
    assert_int_equal(package6(), 0);
    assert_null(shimRun);
    assert_string_equal(calls, "fsync fsync rename rename fsync-dir pwrite fdatasync");
    assert_int_equal(sys.syncfs(dirfd), 0);
}

/* ---- The policy ---- */

static int never(void)
{
    fail();
    return 0;
}

static void test_wrong_policy_runs_nothing(void **state)
{
    (void)state;
    macros[0][0] = "_flush_io";
    macros[0][1] = "sometimes";
    transaction = never;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), -1);
    assert_non_null(strstr(said, "macro %_flush_io: unknown value 'sometimes', accepted are:"));
    /* Where the run cannot be seen, the first file. */
    assert_int_equal(sys.openat(dirfd, "a" TID, O_WRONLY | O_EXCL | O_CREAT, 0200), -1);
    assert_int_equal(errno, EINVAL);
}

static void test_none_syncs_nothing(void **state)
{
    (void)state;
    macros[0][0] = "_flush_io";
    macros[0][1] = "none";
    assert_int_equal(run418(), 0);
    assert_string_equal(calls, "rename rename pwrite");
    /* The database is closed after it. */
    assert_int_equal(record(), 0);
    assert_string_equal(calls, "rename rename pwrite pwrite");
    /* The policy is read for each transaction. */
    macros[0][1] = "0";
    calls[0] = '\0';
    transaction = record;
    assert_int_equal(rpmtsRun(NULL, NULL, 0), 0);
    assert_string_equal(calls, "pwrite fdatasync");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(unset_changes_nothing),
        T(fsync_is_left_to_stock),
        T(batch_418),
        T(batch_two_packages),
        T(what_scripts_wrote_is_synced),
        T(a_failed_end_is_told),
        T(open_flags),
        T(room_is_reserved_by_the_size_of_the_header),
        T(failed_barrier_takes_back_no_more_than_was_made),
        T(stock_takes_back_too_much),
        T(next_package_is_none_the_worse),
        T(names_that_are_not_durable_fail_the_package),
        T(failed_close_fails_the_rename),
        T(other_kinds),
        T(removed_names_are_durable_before_the_record),
        T(batch_416),
        T(failed_barrier_416),
        T(batch_6),
        T(batch_6_run_seen),
        T(6_names_are_not_durable),
        T(6_failed_barrier),
        T(6_unset),
        T(wrong_policy_runs_nothing),
        T(none_syncs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
