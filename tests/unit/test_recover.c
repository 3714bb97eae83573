/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the next transaction does about one that was cut short. The notes are made here, and what
 * they tell of is made true by installing packages in transactions of that number. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rpm/header.h>
#include <rpm/rpmdb.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>

#include "note_text.h"
#include "testinst.h"

static int removeFails, syncs;

int __real_rpmdbRemove(rpmdb db, unsigned int hdrNum);
int __wrap_rpmdbRemove(rpmdb db, unsigned int hdrNum);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_syncfs(int fd);
int __wrap_syncfs(int fd);

int __wrap_rpmdbRemove(rpmdb db, unsigned int hdrNum)
{
    return removeFails ? -1 : __real_rpmdbRemove(db, hdrNum);
}

int __wrap_fsync(int fd)
{
    syncs++;
    return __real_fsync(fd);
}

int __wrap_fdatasync(int fd)
{
    syncs++;
    return __real_fdatasync(fd);
}

int __wrap_syncfs(int fd)
{
    syncs++;
    return __real_syncfs(fd);
}

static struct noteText note;

static int setup(void **state)
{
    removeFails = syncs = 0;
    if (instSetupDb(state))
        return -1;
    putDir(*state, "root/db");
    instDb = 1;
    note = (struct noteText) { .tid = 1000 };
    return 0;
}

static int teardown(void **state)
{
    noteTextFini(&note);
    unsetenv("SOURCE_DATE_EPOCH");
    return instTeardownDb(state);
}

#define P1 "name p\nversion 1\nrelease 1\narch noarch\ndir /d\nfile /d/a content=one\n" \
           "file /d/old content=old\n"
#define P2 "name p\nversion 2\nrelease 1\narch noarch\ndir /d\nfile /d/a content=one\n" \
           "file /d/new content=new\n"
#define Q "name q\nversion 1\nrelease 1\narch noarch\nfile /q content=q\n"
#define R "name r\nversion 1\nrelease 1\narch noarch\nfile /r content=r\n"
#define NAME "root/db/.rpm.inflight"
#define CUT "warning: transaction 1000 was cut short; it had in hand:\n"

/* Install in a transaction of that number. */
static int instIn(const char *tree, const char *tid, const char *manifest)
{
    int rc;

    setenv("SOURCE_DATE_EPOCH", tid, 1);
    rc = inst(tree, manifest, NULL);
    unsetenv("SOURCE_DATE_EPOCH");
    return rc;
}

static void erasure(const char *nevra, unsigned int num, rpm_tid_t tid, int by, int begun)
{
    struct noteErasure e = { .nevra = (char *) nevra, .num = num, .tid = tid, .by = by,
                             .begun = begun };

    noteTextAddErasure(&note, &e);
}

static void putNote(const char *tree)
{
    size_t length, begun;
    char *text = noteTextWrite(&note, &length, &begun);

    putFile(tree, NAME, text);
    free(text);
}

/* The packages that are recorded, in one line. */
static const char *recorded(const char *tree)
{
    static char line[256];
    rpmts ts = rpmtsCreate();
    rpmdbMatchIterator mi;
    Header h;

    rpmtsSetRootDir(ts, at(tree, "root"));
    mi = rpmtsInitIterator(ts, RPMDBI_PACKAGES, NULL, 0);
    line[0] = '\0';
    while ((h = rpmdbNextIterator(mi)) != NULL) {
        strncat(line, headerGetString(h, RPMTAG_NAME), 8);
        strncat(line, headerGetString(h, RPMTAG_VERSION), 8);
        strcat(line, " ");
    }
    rpmdbFreeIterator(mi);
    rpmtsFree(ts);
    return line;
}

/* An upgrade of p that was cut between its new and its old record. */
static void cutBetween(const char *tree)
{
    assert_int_equal(instIn(tree, "500", P1), 0);
    assert_int_equal(instIn(tree, "1000", P2), 0);
    assert_string_equal(recorded(tree), "p1 p2 ");
    noteTextAddPackage(&note, "p-2-1.noarch");
    erasure("p-1-1.noarch", 1, 500, 1, 0);
    noteTextAddDir(&note, "/d/");
    putNote(tree);
}

static void test_upgrade_between_its_records(void **state)
{
    const char *tree = *state;

    cutBetween(tree);
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_string_equal(instLog, CUT "warning:     p-2-1.noarch: recorded\n"
                        "warning:     p-1-1.noarch: not erased to the end, which is done now\n");
    assert_string_equal(recorded(tree), "p2 q1 ");
    assert_false(exists(tree, "root/d/old"));
    assertContent(tree, "root/d/a", "one");
    assertContent(tree, "root/d/new", "new");
    assert_false(exists(tree, NAME));
}

/* The control of all others: without the note nobody knows. */
static void test_without_the_note(void **state)
{
    const char *tree = *state;

    cutBetween(tree);
    assert_int_equal(unlink(at(tree, NAME)), 0);
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_string_equal(instLog, "");
    assert_string_equal(recorded(tree), "p1 p2 q1 ");
    assert_true(exists(tree, "root/d/old"));
    assert_int_equal(inst(tree, P2, NULL), 1);
    assert_non_null(strstr(instProblems, "package p-2-1.noarch is already installed"));
}

static void test_everything_is_recorded(void **state)
{
    const char *tree = *state;

    assert_int_equal(instIn(tree, "1000", P2), 0);
    noteTextAddPackage(&note, "p-2-1.noarch");
    erasure("p-1-1.noarch", 1, 500, 1, 0);
    erasure("x-1-1.noarch", 9, 500, 0, 1);
    putNote(tree);
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_string_equal(instLog, "");
    assert_false(exists(tree, NAME));
}

static void test_nothing_is_recorded(void **state)
{
    const char *tree = *state;

    assert_int_equal(instIn(tree, "500", P1), 0);
    noteTextAddPackage(&note, "p-2-1.noarch");
    erasure("p-1-1.noarch", 1, 500, 1, 0);
    noteTextAddDir(&note, "/d/");
    noteTextAddDir(&note, "/nowhere/");
    noteTextAddDir(&note, "/d/a/no-directory/");
    putNote(tree);
    putFile(tree, "root/d/.rpmtmp-000003e8-00000001", "new");
    putDir(tree, "root/d/.rpmtmp-000003e8-00000002");
    putFile(tree, "root/d/.rpmtmp-000003e8-00000002/.rpmtmp-000003e8-00000003", "new");
    putFile(tree, "root/d/.rpmtmp-000003e9-00000001", "another's");
    putFile(tree, "root/.rpmtmp-000003e8-00000001", "elsewhere");
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_string_equal(instLog, CUT "warning:     p-2-1.noarch: not recorded\n"
                        "warning:     p-1-1.noarch: not erased\n"
                        "warning:     2 temporary files of it were removed\n");
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp-"), 2);
    assert_string_equal(recorded(tree), "p1 q1 ");
    assert_true(exists(tree, "root/d/old"));
    assert_false(exists(tree, NAME));
}

static void test_packages_to_erase(void **state)
{
    const char *tree = *state;

    assert_int_equal(instIn(tree, "500", P1), 0);
    assert_int_equal(instIn(tree, "501", Q), 0);
    erasure("p-1-1.noarch", 1, 500, 0, 1);
    erasure("q-1-1.noarch", 2, 501, 0, 0);
    putNote(tree);
    assert_int_equal(unlink(at(tree, "root/d/a")), 0);
    assert_int_equal(inst(tree, R, NULL), 0);
    assert_string_equal(recorded(tree), "q1 r1 ");
    assert_false(exists(tree, "root/d"));
    assert_string_equal(instLog, CUT "warning:     p-1-1.noarch: not erased to the end, which "
                        "is done now\nwarning:     q-1-1.noarch: not erased\n");
}

/* Records go by what they say, where their numbers are others now. */
static void test_records_of_other_numbers(void **state)
{
    const char *tree = *state;

    assert_int_equal(instIn(tree, "499", R), 0);
    assert_int_equal(instIn(tree, "500", P1), 0);
    assert_int_equal(instIn(tree, "501", Q), 0);
    erasure("p-1-1.noarch", 1, 500, 0, 1); /* 1 is r's */
    erasure("q-1-1.noarch", 3, 500, 0, 1); /* one that was installed anew */
    putNote(tree);
    assert_int_equal(inst(tree, P2, NULL), 0);
    assert_string_equal(recorded(tree), "r1 q1 p2 ");
}

/* $SOURCE_DATE_EPOCH gives all transactions one number. */
static void test_records_of_one_transaction_number(void **state)
{
    const char *tree = *state;

    assert_int_equal(instIn(tree, "1000", P2), 0);
    noteTextAddPackage(&note, "p-2-1.noarch");
    erasure("p-2-1.noarch", 1, 1000, 1, 0); /* reinstalled: not yet recorded */
    putNote(tree);
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_string_equal(recorded(tree), "p2 q1 ");
    assert_non_null(strstr(instLog, "p-2-1.noarch: not recorded\n"));

    instIgnore = RPMPROB_FILTER_REPLACEPKG;
    assert_int_equal(instIn(tree, "1000", P2), 0); /* the old one is gone */
    putNote(tree);
    assert_int_equal(inst(tree, R, NULL), 0);
    assert_string_equal(recorded(tree), "q1 p2 r1 ");
    assert_string_equal(instLog, "");
}

/* The same command again completes what was cut: what is there is no problem, and not done twice.
 * Another package of the same name and version is. */
static void test_command_repeated(void **state)
{
    const char *tree = *state;

    cutBetween(tree);
    assert_int_equal(inst(tree, P2, Q, NULL), 0);
    assert_string_equal(instProblems, "");
    assert_string_equal(recorded(tree), "p2 q1 ");
    assert_int_equal(inst(tree, P2, NULL), 1); /* the usual answer again */
}

static void test_only_package_is_done(void **state)
{
    const char *tree = *state;

    cutBetween(tree);
    assert_int_equal(inst(tree, P2, NULL), 0);
    assert_string_equal(recorded(tree), "p2 ");
}

static void test_other_package_of_the_name(void **state)
{
    const char *tree = *state;

    cutBetween(tree);
    assert_int_equal(inst(tree, P2 "file /d/more content=x\n", NULL), 1);
    assert_non_null(strstr(instProblems, "package p-2-1.noarch is already installed"));
    assert_string_equal(recorded(tree), "p2 ");
}

static void test_replaced_on_demand(void **state)
{
    const char *tree = *state;

    cutBetween(tree);
    assert_int_equal(unlink(at(tree, "root/d/new")), 0);
    instIgnore = RPMPROB_FILTER_REPLACEPKG;
    assert_int_equal(inst(tree, P2, NULL), 0);
    assertContent(tree, "root/d/new", "new");
    assert_string_equal(recorded(tree), "p2 ");
}

/* -- bad notes --------------------------------------------------------------------------------- */

static void assertGoesOn(const char *tree, const char *warning, int saved)
{
    instIgnore = RPMPROB_FILTER_REPLACEPKG;
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_string_equal(recorded(tree), "q1 ");
    assert_non_null(strstr(instLog, warning));
    assert_null(strchr(strchr(instLog, '\n') + 1, '\n'));
    assert_false(exists(tree, NAME));
    assert_int_equal(exists(tree, NAME ".rpmsave"), saved);
}

static void test_torn_notes(void **state)
{
    const char *tree = *state;
    const char *warning = "/root/db/.rpm.inflight: empty or torn note of a transaction, removed\n";

    putFile(tree, NAME, "");
    assertGoesOn(tree, warning, 0);
    putFile(tree, NAME, "rpm transaction note 1\ntid 3\n");
    assertGoesOn(tree, warning, 0);
}

static void test_alien_notes(void **state)
{
    const char *tree = *state;
    const char *warning = "/root/db/.rpm.inflight: not a note of this rpm, saved as ";

    putFile(tree, NAME, "rpm transaction note 2\n");
    assertGoesOn(tree, warning, 1);
    assertContent(tree, NAME ".rpmsave", "rpm transaction note 2\n");
    putFile(tree, "target", "untouched");
    putLink(tree, NAME, "../../target");
    assertGoesOn(tree, warning, 1);
    assertContent(tree, "target", "untouched");
    assert_int_equal(mkfifo(at(tree, NAME), 0600), 0);
    assertGoesOn(tree, warning, 1);
    assert_int_equal(unlink(at(tree, NAME ".rpmsave")), 0);
    putDir(tree, NAME);
    assertGoesOn(tree, warning, 1);
}

/* -- others, and failures ---------------------------------------------------------------------- */

static pid_t holdLock(const char *tree)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int ready[2];
    char c;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        int fd = open(at(tree, NAME), O_RDWR);
        if (fcntl(fd, F_OFD_SETLK, &lock) == 0 && write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void test_living_transaction(void **state)
{
    const char *tree = *state;
    pid_t pid;

    cutBetween(tree);
    pid = holdLock(tree);
    assert_int_equal(inst(tree, Q, NULL), -1);
    assert_non_null(strstr(instLog, "error: "));
    assert_non_null(strstr(instLog, "/.rpm.inflight: the transaction that it notes is not over yet\n"));
    assert_string_equal(recorded(tree), "p1 p2 ");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_string_equal(recorded(tree), "p2 q1 ");
}

static void test_test_touches_nothing(void **state)
{
    const char *tree = *state;

    cutBetween(tree);
    instFlags = RPMTRANS_FLAG_TEST;
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_string_equal(instLog, "");
    instFlags = 0;
    instDb = 0;
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_true(exists(tree, NAME));
    assert_string_equal(recorded(tree), "p1 p2 ");
}

static void test_database_fails(void **state)
{
    const char *tree = *state;

    cutBetween(tree);
    removeFails = 1;
    assert_int_equal(inst(tree, Q, NULL), -1);
    assert_non_null(strstr(instLog, "error: p-1-1.noarch: its files are removed, but its record "
                                    "stays"));
    assert_true(exists(tree, NAME));
    assert_false(exists(tree, "root/q"));
    removeFails = 0;
    assert_int_equal(inst(tree, Q, NULL), 0);
    assert_string_equal(recorded(tree), "p2 q1 ");
    assert_false(exists(tree, NAME));
}

static void test_no_sync_without_a_policy(void **state)
{
    const char *tree = *state;

    cutBetween(tree);
    putFile(tree, "root/d/.rpmtmp-000003e8-00000001", "new");
    rpmPushMacro(NULL, "_flush_io", NULL, "none", RMIL_CMDLINE);
    syncs = 0;
    assert_int_equal(inst(tree, Q, NULL), 0);
    rpmPopMacro(NULL, "_flush_io");
    assert_int_equal(syncs, 0);
    assert_string_equal(recorded(tree), "p2 q1 ");
}

/* Before elements are found by what is installed. */
static void test_recover_alone(void **state)
{
    const char *tree = *state;
    rpmts ts = rpmtsCreate();

    rpmtsSetRootDir(ts, at(tree, "root"));
    assert_int_equal(rpmtsRecover(ts), 0);
    cutBetween(tree);
    rpmtsSetFlags(ts, RPMTRANS_FLAG_TEST);
    assert_int_equal(rpmtsRecover(ts), 0);
    assert_string_equal(recorded(tree), "p1 p2 ");
    rpmtsSetFlags(ts, 0);
    assert_int_equal(rpmtsRecover(ts), 0);
    assert_string_equal(recorded(tree), "p2 ");
    rpmtsFree(ts);
    ts = rpmtsCreate();
    rpmtsSetRootDir(ts, at(tree, "nowhere"));
    assert_int_equal(rpmtsRecover(ts), 0);
    rpmtsFree(ts);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(upgrade_between_its_records),
        TEST(without_the_note),
        TEST(everything_is_recorded),
        TEST(nothing_is_recorded),
        TEST(packages_to_erase),
        TEST(records_of_other_numbers),
        TEST(records_of_one_transaction_number),
        TEST(command_repeated),
        TEST(only_package_is_done),
        TEST(other_package_of_the_name),
        TEST(replaced_on_demand),
        TEST(torn_notes),
        TEST(alien_notes),
        TEST(living_transaction),
        TEST(test_touches_nothing),
        TEST(database_fails),
        TEST(no_sync_without_a_policy),
        TEST(recover_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
