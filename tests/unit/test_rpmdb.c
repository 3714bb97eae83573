/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The package database: what is kept when a write fails, and what a database that makes no sense
 * does. What it is like in detail the comparison with stock rpm shows. */
#include <fcntl.h>
#include <sys/wait.h>

#include "rpmdb_fixture.h"

static int fsyncsBefore = -1; /* the last rename: those until then */

int __real_renameat(int fromfd, const char *from, int tofd, const char *to);
int __wrap_renameat(int fromfd, const char *from, int tofd, const char *to);

int __wrap_renameat(int fromfd, const char *from, int tofd, const char *to)
{
    fsyncsBefore = fsyncs;
    return __real_renameat(fromfd, from, tofd, to);
}

static void addPackages(const char *const *names)
{
    rpmdb db = openDb(O_RDWR | O_CREAT, &noSync);

    for (; *names != NULL; names++)
        assert_int_equal(tryAdd(db, *names, 3), 0);
    closeDb(db);
}

static void testBracket(void **state)
{
    rpmdb db = openDb(O_RDWR | O_CREAT, NULL);

    (void)state;
    assert_int_equal(rpmdbBegin(db), 0);
    assert_int_equal(tryAdd(db, "a", 2), 0);
    assert_int_equal(tryAdd(db, "b", 0), 0);
    assertPackages("");
    assert_int_equal(recordOf(db, "b"), 2);
    assert_int_equal(rpmdbCommit(db), 0);
    assertPackages("a b ");

    assert_int_equal(rpmdbBegin(db), 0);
    assert_int_equal(tryAdd(db, "c", 2), 0);
    rpmdbRollback(db);
    assertPackages("a b ");

    assert_int_equal(rpmdbBegin(db), 0);
    assert_int_equal(rpmdbRemove(db, 1), 0);
    assert_int_equal(rpmdbRemove(db, 77), -1);
    assertLogged(DBPATH "/rpmdb.sqlite: there is no record #77\n");
    assert_int_equal(rpmdbCommit(db), -1);
    assertPackages("a b ");

    assert_int_equal(rpmdbBegin(db), 0);
    assert_int_equal(rpmdbBegin(db), -1);
    assertLogged("a transaction was begun already");
    assert_int_equal(rpmdbRemove(db, 1), 0);
    closeDb(db);
    assertPackages("a b ");
    db = openDb(O_RDONLY, NULL);
    assert_int_equal(tryAdd(db, "c", 0), -1);
    assertLogged("rpmdb.sqlite: attempt to write a readonly database\n");
    closeDb(db);
}

/* Replace a by b, with a call that fails. 0 if that call was not reached. */
static int replaceFailing(enum faultOp op, int call, int forEver)
{
    rpmdb db;
    int rc;

    removeDb();
    addPackages((const char *const[]){ "a", NULL });
    db = openDb(O_RDWR, &keepWal);
    faultArm(op, call, forEver);
    rc = rpmdbBegin(db) || tryAdd(db, "b", 500) || rpmdbRemove(db, 1) || rpmdbCommit(db);
    if (rc == 0)
        closeDb(db);
    else
        rpmdbClose(db);
    faultReset();
    return rc;
}

static void testFailures(void **state)
{
    int reached[FAULT_NOPS] = { 0 };

    (void)state;
    for (int op = FAULT_WRITE; op <= FAULT_SYNC; op++) {
        for (int call = 1; replaceFailing(op, call, 0); call++) {
            reached[op]++;
            assert_true(nlines == 1);
            assertLogged(DBPATH "/rpmdb.sqlite: ");
            assertPackages("a ");
        }
        assertPackages("b ");
    }
    assert_true(reached[FAULT_WRITE] > 5);
    assert_true(reached[FAULT_SYNC] >= 1);
}

static void testDeadDisk(void **state)
{
    (void)state;
    assert_int_not_equal(replaceFailing(FAULT_WRITE, 1, 1), 0);
    assertLogged("rpmdb.sqlite: database or disk is full\n");
    assertPackages("a ");
    assert_int_not_equal(replaceFailing(FAULT_SYNC, 1, 1), 0);
    assertLogged("rpmdb.sqlite: disk I/O error");
}

static void testFailedBirth(void **state)
{
    rpmdb db;
    int call;

    (void)state;
    for (call = 1;; call++) {
        removeDb();
        faultArm(FAULT_WRITE, call, 0);
        if (rpmdbOpen(at(tree, "root"), DBPATH, &db, O_RDWR | O_CREAT, NULL) == 0)
            break;
        assert_null(db);
        assertLogged(DBPATH);
        faultReset();
        assertPackages("");
        assert_int_equal(treeCount(at(tree, "root"), "rpmdb.sqlite"), 0);
    }
    assert_true(call > 5);
    closeDb(db);
    faultReset();
    for (failFsync = 1;; failFsync++) {
        removeDb();
        fsyncs = 0;
        if (rpmdbOpen(at(tree, "root"), DBPATH, &db, O_RDWR | O_CREAT, NULL) == 0)
            break;
        assertLogged(": Input/output error\n");
        assertPackages("");
    }
    assert_true(failFsync > 4); /* the file, its directory, parents of three new ones */
    closeDb(db);
}

static void testFailedRebuild(void **state)
{
    for (int op = FAULT_WRITE; op <= FAULT_TRUNCATE; op++) {
        int call, rc = -1;
        for (call = 1; rc != 0; call++) {
            fresh(state);
            addPackages((const char *const[]){ "a", "b", "c", NULL });
            faultArm(op, call, 0);
            rc = rpmdbRebuild(at(tree, "root"), DBPATH, NULL, NULL, &keepWal);
            faultReset();
            if (rc != 0)
                assertLogged(DBPATH "/");
            assertPackages("a b c ");
            assert_int_equal(treeCount(at(tree, "root"), ".rebuild"), 0);
        }
        if (op == FAULT_WRITE)
            assert_true(call > 5);
    }
}

static int rebuildBy(const struct rpmdbPolicy_s *policy)
{
    fsyncs = 0;
    fsyncsBefore = -1;
    return rpmdbRebuild(at(tree, "root"), DBPATH, NULL, NULL, policy);
}

/* The new file is on the disk before it has the name, and then the name is. */
static void testRebuildIsDurable(void **state)
{
    (void)state;
    addPackages((const char *const[]){ "a", "b", NULL });
    assert_int_equal(rebuildBy(NULL), 0);
    assert_int_equal(fsyncsBefore, 1);
    assert_int_equal(fsyncs, 2);
    assert_int_equal(rebuildBy(&noSync), 0);
    assert_int_equal(fsyncsBefore, 0);
    assert_int_equal(fsyncs, 0);

    failFsync = 1;
    assert_int_equal(rebuildBy(NULL), -1);
    assert_int_equal(fsyncsBefore, -1);
    assertLogged("original database remains in place\n");
    assertPackages("a b ");
    failFsync = 2;
    assert_int_equal(rebuildBy(NULL), -1);
    assert_int_equal(fsyncsBefore, 1);
    assertLogged("new database is in place, but a power cut may bring the original back: Input/output error\n");
    assertPackages("a b ");
}

/* -- databases that make no sense ----------------------------------------------------------- */

static void walk(rpmdbMatchIterator mi)
{
    while (rpmdbNextIterator(mi) != NULL)
        ;
    rpmdbFreeIterator(mi);
}

/* Whatever is in it: no crash, and one that cannot be opened is named. */
static void readAnything(void)
{
    rpmdb db;
    rpmdbIndexIterator ii;
    const void *key;
    size_t len, total = 0;

    if (rpmdbOpen(at(tree, "root"), DBPATH, &db, O_RDONLY, NULL)) {
        assertLogged("rpmdb.sqlite");
        return;
    }
    walk(rpmdbInitIterator(db, RPMDBI_PACKAGES, NULL, 0));
    walk(rpmdbInitIterator(db, RPMDBI_BASENAMES, "/opt/file1", 0));
    walk(rpmdbInitIterator(db, RPMDBI_LABEL, "a-1.0", 0));
    ii = rpmdbIndexIteratorInit(db, RPMDBI_BASENAMES);
    while (rpmdbIndexIteratorNext(ii, &key, &len) == 0)
        total += len + rpmdbIndexIteratorNumPkgs(ii);
    assert_true(total < 1000000);
    rpmdbIndexIteratorFree(ii);
    rpmdbClose(db);
    forget();
}

static void assertSurvives(const char *sql)
{
    removeDb();
    addPackages((const char *const[]){ "a", "b", NULL });
    runSql(sql);
    readAnything();
}

static void testNonsense(void **state)
{
    (void)state;
    assertSurvives("UPDATE Packages SET blob=x''");
    assertSurvives("UPDATE Packages SET blob=x'0000'");
    assertSurvives("UPDATE Packages SET blob='text'");
    assertSurvives("UPDATE Packages SET blob=7");
    assertSurvives("UPDATE Packages SET blob=zeroblob(10000000)");
    assertSurvives("UPDATE Packages SET hnum=hnum+9223372036854775000");
    assertSurvives("UPDATE Packages SET hnum=-hnum");
    assertSurvives("UPDATE Basenames SET hnum=hnum+4294967296");
    assertSurvives("UPDATE Basenames SET hnum='x'");
    assertSurvives("UPDATE Basenames SET idx=999999");
    assertSurvives("UPDATE Basenames SET idx=-1");
    assertSurvives("UPDATE Basenames SET idx=4294967295");
    assertSurvives("UPDATE Basenames SET key=x'00ff00'");
    assertSurvives("UPDATE Basenames SET hnum=2");
    assertSurvives("UPDATE Name SET hnum=99");
    assertSurvives("DROP TABLE Basenames");
    assertSurvives("DROP TABLE Packages");
    assertSurvives("DROP TABLE Basenames; CREATE VIEW Basenames AS SELECT 1 AS key, 2, 3");
    assertSurvives("DROP TABLE Basenames; CREATE TABLE Basenames(key)");
    assertSurvives("ALTER TABLE Packages RENAME TO p; CREATE VIEW Packages AS WITH RECURSIVE "
                   "r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r LIMIT 100) "
                   "SELECT n AS hnum, x'00' AS blob FROM r");
}

/* Each bad record is named, the good ones are there. */
static void testBadRecord(void **state)
{
    (void)state;
    addPackages((const char *const[]){ "a", "b", "c", NULL });
    runSql("UPDATE Packages SET blob=substr(blob, 1, length(blob)-1) WHERE hnum=2");
    assertPackages("a c ");
    assert_int_equal(nlines, 1);
    assertLogged("rpmdb: damaged header #2 retrieved -- skipping: ");
}

/* Bytes of the file itself, anywhere. */
static void testDamage(void **state)
{
    unsigned int seed = 1;

    (void)state;
    for (int i = 0; i < 60; i++) {
        struct stat sb;
        int fd;

        removeDb();
        addPackages((const char *const[]){ "a", "b", NULL });
        fd = open(at(tree, "root" DBPATH "/rpmdb.sqlite"), O_RDWR);
        assert_true(fd >= 0);
        assert_int_equal(fstat(fd, &sb), 0);
        for (int k = 0; k < 40; k++) {
            unsigned char byte = (unsigned char)rand_r(&seed);
            off_t where = k < 10 ? 100 + rand_r(&seed) % 3996 : rand_r(&seed) % sb.st_size;
            assert_int_equal(pwrite(fd, &byte, 1, where), 1);
        }
        close(fd);
        readAnything();
    }
}

/* -- reading -------------------------------------------------------------------------------- */

static void testReadingWritesNothing(void **state)
{
    char *before, *after;

    (void)state;
    before = treeList(at(tree, "root"));
    assertPackages("");
    after = treeList(at(tree, "root"));
    assert_string_equal(after, before);
    free(before);
    free(after);
    addPackages((const char *const[]){ "a", "b", NULL });
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            assert_int_equal(unlink(at(tree, "root" DBPATH "/rpmdb.sqlite-shm")), 0);
        if (i == 2)
            assert_int_equal(unlink(at(tree, "root" DBPATH "/rpmdb.sqlite-wal")), 0);
        before = treeList(at(tree, "root"));
        assertPackages("a b ");
        after = treeList(at(tree, "root"));
        assert_string_equal(after, before);
        free(before);
        free(after);
    }
}

/* In the child: a commit for each pair of packages, so that there is never an odd number. */
static void writePairs(void)
{
    for (int i = 0; i < 100; i++) {
        rpmdb db = NULL;
        int rc = rpmdbOpen(at(tree, "root"), DBPATH, &db, O_RDWR,
            i % 3 ? &keepWal : &rpmdbPolicyDefault);
        if (rc || rpmdbBegin(db) || tryAdd(db, "x", 50) || tryAdd(db, "x", 50) ||
            (i > 5 && (rpmdbRemove(db, 2 * (unsigned int)i - 9) ||
                rpmdbRemove(db, 2 * (unsigned int)i - 8))) ||
            rpmdbCommit(db) || rpmdbClose(db))
            _exit(1);
    }
    _exit(0);
}

/* While another writes, with and without a -shm at the start. */
static void testReadingMeanwhile(void **state)
{
    int status = -1, reads = 0;
    pid_t pid;

    (void)state;
    addPackages((const char *const[]){ "x", "x", NULL });
    unlink(at(tree, "root" DBPATH "/rpmdb.sqlite-shm"));
    unlink(at(tree, "root" DBPATH "/rpmdb.sqlite-wal"));
    pid = fork();
    if (pid == 0)
        writePairs();
    while (waitpid(pid, &status, WNOHANG) == 0) {
        rpmdb db = openDb(O_RDONLY, NULL);
        for (int i = 0; i < 5; i++, reads++) {
            rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_NAME, "x", 0);
            int count = rpmdbGetIteratorCount(mi);
            assert_true(count >= 2 && count % 2 == 0);
            walk(mi);
            assert_int_equal(rpmdbCountPackages(db, "x") % 2, 0);
        }
        closeDb(db);
    }
    assert_int_equal(status, 0);
    assert_true(reads > 10);
}

/* A handle that is open all the time sees what is committed. */
static void testReadingLater(void **state)
{
    rpmdb reader, writer;

    (void)state;
    addPackages((const char *const[]){ "a", NULL });
    unlink(at(tree, "root" DBPATH "/rpmdb.sqlite-shm"));
    unlink(at(tree, "root" DBPATH "/rpmdb.sqlite-wal"));
    reader = openDb(O_RDONLY, NULL);
    assert_int_equal(rpmdbCountPackages(reader, "a"), 1);
    writer = openDb(O_RDWR, &keepWal);
    assert_int_equal(tryAdd(writer, "a", 3), 0);
    assert_int_equal(rpmdbCountPackages(reader, "a"), 2);
    closeDb(writer);
    assert_int_equal(rpmdbCountPackages(reader, "a"), 2);
    writer = openDb(O_RDWR, &rpmdbPolicyDefault);
    assert_int_equal(tryAdd(writer, "a", 3), 0);
    closeDb(writer);
    assert_int_equal(rpmdbCountPackages(reader, "a"), 3);
    closeDb(reader);
}

static void testRoots(void **state)
{
    struct stat sb;
    rpmdb db;

    (void)state;
    putDir(tree, "root/data");
    putLink(tree, "root/var", "/data");
    putDir(tree, "outside");
    addPackages((const char *const[]){ "a", NULL });
    assert_int_equal(stat(at(tree, "root/data/lib/rpm/rpmdb.sqlite"), &sb), 0);
    assertPackages("a ");
    db = openDb(O_RDONLY, NULL);
    assert_string_equal(rpmdbHome(db), at(tree, "root/data/lib/rpm"));
    closeDb(db);
    removeDb();
    putLink(tree, "root/var", "../../outside");
    assert_int_equal(rpmdbOpen(at(tree, "root"), DBPATH, &db, O_RDWR | O_CREAT, NULL), -1);
    assertLogged("Unable to open sqlite database ");
    assert_int_equal(treeCount(at(tree, "outside"), ""), 0);
    assert_int_equal(rpmdbOpen(at(tree, "nowhere"), DBPATH, &db, O_RDWR | O_CREAT, NULL), -1);
    assertLogged("rpmdb.sqlite: No such file or directory\n");
    assert_int_equal(rpmdbOpen(at(tree, "root"), "lib", &db, O_RDWR | O_CREAT, NULL), -1);
    assertLogged("no dbpath has been set\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(testBracket, fresh, quiet),
        cmocka_unit_test_setup_teardown(testFailures, fresh, quiet),
        cmocka_unit_test_setup_teardown(testDeadDisk, fresh, quiet),
        cmocka_unit_test_setup_teardown(testFailedBirth, fresh, quiet),
        cmocka_unit_test_setup_teardown(testFailedRebuild, fresh, quiet),
        cmocka_unit_test_setup_teardown(testRebuildIsDurable, fresh, quiet),
        cmocka_unit_test_setup_teardown(testNonsense, fresh, quiet),
        cmocka_unit_test_setup_teardown(testBadRecord, fresh, quiet),
        cmocka_unit_test_setup_teardown(testDamage, fresh, quiet),
        cmocka_unit_test_setup_teardown(testReadingWritesNothing, fresh, quiet),
        cmocka_unit_test_setup_teardown(testReadingMeanwhile, fresh, quiet),
        cmocka_unit_test_setup_teardown(testReadingLater, fresh, quiet),
        cmocka_unit_test_setup_teardown(testRoots, fresh, quiet),
    };

    faultRegister();
    return cmocka_run_group_tests(tests, setup, treeTeardown);
}
