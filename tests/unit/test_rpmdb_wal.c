/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commits of the package database: many packages in one, what they sync, and the size and the end of
 * the WAL. */

#include "rpmdb_fixture.h"
#include "rpmdb_sql.h"

enum { PACKAGES = 3000 };

static int countSyncs(void)
{
    int n = fault.calls[FAULT_SYNC] + fsyncs;

    faultReset();
    fsyncs = 0;
    return n;
}

static void testSyncs(void **state)
{
    rpmdb db = openDb(O_RDWR | O_CREAT, &keepWal);

    (void)state;
    assert_int_equal(tryAdd(db, "a", 1), 0);
    countSyncs();
    assert_int_equal(tryAdd(db, "b", 1), 0);
    assert_int_equal(countSyncs(), 1);
    assert_int_equal(rpmdbBegin(db), 0);
    for (int i = 0; i < 50; i++)
        assert_int_equal(tryAdd(db, "c", 100), 0);
    assert_int_equal(rpmdbCommit(db), 0);
    assert_int_equal(countSyncs(), 1);
    /* The header of a WAL that is written over is on the disk before its frames. */
    runSql("PRAGMA wal_checkpoint(RESTART)");
    countSyncs();
    assert_int_equal(tryAdd(db, "d", 1), 0);
    assert_int_equal(countSyncs(), 2);
    closeDb(db); /* one made by this handle */
    assert_in_range(countSyncs(), 1, 3);
    db = openDb(O_RDWR, &keepWal);
    assert_int_equal(tryAdd(db, "d", 1), 0);
    countSyncs();
    closeDb(db);
    assert_int_equal(countSyncs(), 0);
}

static void testNoSync(void **state)
{
    rpmdb db = openDb(O_RDWR | O_CREAT, &noSync);

    (void)state;
    assert_int_equal(tryAdd(db, "a", 1), 0);
    assert_int_equal(tryAdd(db, "b", 1), 0);
    assert_int_equal(rpmdbRemove(db, 1), 0);
    assert_int_equal(rpmdbCheckpoint(db), 0);
    closeDb(db);
    assert_int_equal(rpmdbRebuild(at(tree, "root"), DBPATH, NULL, NULL, &noSync), 0);
    assertPackages("b ");
    assert_int_equal(countSyncs(), 0);
}

static int count(rpmdb db, const char *name)
{
    return rpmdbCountPackages(db, name);
}

static void addMany(rpmdb db, const char *name, int n, int nfiles)
{
    Header h = package(name, nfiles);

    for (int i = 0; i < n; i++)
        assert_int_equal(rpmdbAdd(db, h), 0);
    headerFree(h);
}

static void removeMany(rpmdb db, const char *name)
{
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_NAME, name, 0);

    while (rpmdbNextIterator(mi) != NULL)
        assert_int_equal(rpmdbRemove(db, rpmdbGetIteratorOffset(mi)), 0);
    rpmdbFreeIterator(mi);
}

static void assertCounts(int old, int new)
{
    rpmdb db = openDb(O_RDONLY, NULL);

    assert_int_equal(count(db, "old"), old);
    assert_int_equal(count(db, "new"), new);
    closeDb(db);
    assert_int_equal(rpmdbVerify(at(tree, "root"), DBPATH), 0);
}

/* Headers of a name that can be had, and whether each has all its files. */
static int readAll(rpmdb db, const char *name)
{
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_NAME, name, 0);
    int n = 0;
    Header h;

    for (; (h = rpmdbNextIterator(mi)) != NULL; n++) {
        struct rpmtd_s td;

        assert_true(headerGet(h, RPMTAG_BASENAMES, &td, HEADERGET_MINMEM));
        assert_int_equal(rpmtdCount(&td), 20);
        rpmtdFreeData(&td);
    }
    rpmdbFreeIterator(mi);
    return n;
}

/* 500 packages take the place of 500: all is read as it is written, and is there at once. */
static void replaceAll(rpmdb db)
{
    rpmdbMatchIterator early;

    assert_int_equal(rpmdbBegin(db), 0);
    early = rpmdbInitIterator(db, RPMDBI_NAME, "old", 0);
    addMany(db, "new", 500, 20);
    assert_int_equal(readAll(db, "new"), 500);
    assert_non_null(rpmdbNextIterator(early));
    removeMany(db, "old");
    assert_int_equal(count(db, "old"), 0);
    assert_int_equal(count(db, "new"), 500);
    assert_null(rpmdbNextIterator(early));
    rpmdbFreeIterator(early);
    assertCounts(500, 0);
}

static void testGroup(void **state)
{
    rpmdb db;

    (void)state;
    db = openDb(O_RDWR | O_CREAT, &keepWal);
    assert_int_equal(rpmdbBegin(db), 0);
    addMany(db, "old", 500, 20);
    assert_int_equal(rpmdbCommit(db), 0);

    replaceAll(db);
    rpmdbRollback(db);
    assertCounts(500, 0);
    assert_int_equal(readAll(db, "old"), 500);
    assert_int_equal(readAll(db, "new"), 0);

    replaceAll(db);
    assert_int_equal(rpmdbRemove(db, 99999), -1);
    assertLogged("there is no record #99999");
    assert_int_equal(rpmdbCommit(db), -1);
    assertCounts(500, 0);

    for (int op = FAULT_WRITE; op <= FAULT_SYNC; op++) {
        replaceAll(db);
        faultArm(op, 1, 0);
        assert_int_equal(rpmdbCommit(db), -1);
        assertLogged("rpmdb.sqlite: ");
        faultReset();
        assertCounts(500, 0);
    }

    replaceAll(db);
    countSyncs();
    assert_int_equal(rpmdbCommit(db), 0);
    assert_int_equal(countSyncs(), 1); /* though the WAL begins anew */
    assertCounts(0, 500);
    assert_int_equal(readAll(db, "new"), 500);
    closeDb(db);
    assertCounts(0, 500);
}

static int nchecks;

static rpmRC countCheck(rpmts ts, const void *uh, size_t uc, char **msg)
{
    (void)ts, (void)uh, (void)uc, (void)msg;
    nchecks++;
    return RPMRC_OK;
}

static void readChecked(rpmdb db, unsigned int hdrNum)
{
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_PACKAGES, &hdrNum, sizeof(hdrNum));

    nchecks = 0;
    rpmdbSetHdrChk(mi, NULL, countCheck);
    assert_non_null(rpmdbNextIterator(mi));
    rpmdbFreeIterator(mi);
}

/* A number that was undone is given again, to another header. */
static void testChecked(void **state)
{
    rpmdb db = openDb(O_RDWR | O_CREAT, &noSync);

    (void)state;
    assert_int_equal(rpmdbBegin(db), 0);
    addMany(db, "a", 1, 1);
    readChecked(db, 1);
    assert_int_equal(nchecks, 1);
    readChecked(db, 1);
    assert_int_equal(nchecks, 0);
    rpmdbRollback(db);
    addMany(db, "b", 1, 1);
    readChecked(db, 1);
    assert_int_equal(nchecks, 1);
    closeDb(db);
}

static off_t walSize(void)
{
    struct stat sb;

    assert_int_equal(stat(at(tree, "root" DBPATH "/rpmdb.sqlite-wal"), &sb), 0);
    return sb.st_size;
}

/* PACKAGES, so many in a commit, so many commits in a process: the largest WAL there was. */
static off_t largestWal(int group, int commits, const struct rpmdbPolicy_s *policy)
{
    off_t most = 0;

    removeDb();
    closeDb(openDb(O_RDWR | O_CREAT, policy));
    for (int n = 0; n < PACKAGES;) {
        rpmdb db = openDb(O_RDWR, policy);
        for (int c = 0; c < commits && n < PACKAGES; c++, n += group) {
            assert_int_equal(rpmdbBegin(db), 0);
            addMany(db, "a", group, 20);
            assert_int_equal(rpmdbCommit(db), 0);
            if (walSize() > most)
                most = walSize();
        }
        closeDb(db);
        if (!policy->checkpoint)
            assert_true(walSize() <= RPMDB_WAL_KEEP);
        else
            assert_int_equal(walSize(), 0);
    }
    return most;
}

static void testWalBound(void **state)
{
    static const int groups[][2] = { { 1, 1 }, { 1, PACKAGES }, { 7, 3 }, { 500, 6 },
        { PACKAGES, 1 } };

    (void)state;
    for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
        off_t most = largestWal(groups[i][0], groups[i][1], &keepWal);

        if (most > 16 << 20 || most < 1 << 20)
            fail_msg("%d packages in a commit, %d commits in a process: %lld bytes of WAL",
                groups[i][0], groups[i][1], (long long)most);
    }
    assert_in_range(largestWal(1, 50, &noSync), 1 << 20, 64 << 20);
}

/* As large as a header is, beside its index entries. */
static Header largePackage(const char *name)
{
    Header h = package(name, 3000);
    char digest[65];

    memset(digest, 'a', 64);
    digest[64] = '\0';
    for (int i = 0; i < 3000; i++) {
        headerPutString(h, RPMTAG_FILEDIGESTS, digest);
        headerPutString(h, RPMTAG_FILEUSERNAME, "root");
        headerPutString(h, RPMTAG_FILEGROUPNAME, "root");
    }
    return h;
}

/* The largest group that is asked for, onto the largest WAL that a commit appends to. */
static void testLargeHeaders(void **state)
{
    Header h = largePackage("b");
    rpmdb db;
    size_t bytes = 0;

    (void)state;
    closeDb(openDb(O_RDWR | O_CREAT, &keepWal));
    db = openDb(O_RDWR, &keepWal);
    while (walSize() < RPMDB_WAL_KEEP - (1 << 20))
        addMany(db, "a", 1, 3000);
    assert_int_equal(rpmdbBegin(db), 0);
    while (bytes < RPMDB_GROUP_MAX) {
        bytes += headerSizeof(h, HEADER_MAGIC_NO);
        assert_int_equal(rpmdbAdd(db, h), 0);
    }
    headerFree(h);
    removeMany(db, "a");
    assert_int_equal(rpmdbCommit(db), 0);
    assert_in_range(walSize(), RPMDB_WAL_KEEP, 64 << 20);
    closeDb(db);
    assert_int_equal(walSize(), 0);
}

/* Is everything in the main file, nothing needed from beside it? */
static int mainAloneHas(const char *name)
{
    rpmdb db;
    int n;

    if (unlink(at(tree, "root" DBPATH "/rpmdb.sqlite-wal")) == 0)
        unlink(at(tree, "root" DBPATH "/rpmdb.sqlite-shm"));
    else
        assert_int_equal(errno, ENOENT);
    db = openDb(O_RDONLY, NULL);
    n = count(db, name);
    closeDb(db);
    return n;
}

static void addOne(const struct rpmdbPolicy_s *policy)
{
    rpmdb db = openDb(O_RDWR | O_CREAT, policy);

    addMany(db, "a", 1, 20);
    closeDb(db);
}

static void testMainFile(void **state)
{
    (void)state;
    addOne(&keepWal); /* made by it */
    assert_int_equal(mainAloneHas("a"), 1);
    addOne(&keepWal);
    addOne(&keepWal);
    addOne(&rpmdbPolicyDefault);
    assert_int_equal(mainAloneHas("a"), 4);
    addOne(&noSync);
    assert_int_equal(mainAloneHas("a"), 5);
    addOne(&keepWal); /* the control */
    assert_int_equal(mainAloneHas("a"), 5);
}

enum { FRAME = 24 + 4096 };

static sqlite3 *openFrames(const char *vfs)
{
    sqlite3 *sql;

    assert_int_equal(sqlite3_open_v2(at(tree, "root/frames"), &sql,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs), SQLITE_OK);
    return sql;
}

static void run(sqlite3 *sql, const char *text)
{
    assert_int_equal(sqlite3_exec(sql, text, NULL, NULL, NULL), SQLITE_OK);
}

/* Run it; returns how many writes it has more than it adds frames to the WAL. */
static int moreWrites(sqlite3 *sql, const char *text, int *frames)
{
    struct stat before, after;

    assert_int_equal(stat(at(tree, "root/frames-wal"), &before), 0);
    faultReset();
    run(sql, text);
    assert_int_equal(stat(at(tree, "root/frames-wal"), &after), 0);
    *frames = (int)((after.st_size - before.st_size) / FRAME);
    return fault.calls[FAULT_WRITE] - *frames;
}

static int answer(sqlite3 *sql, const char *query)
{
    sqlite3_stmt *stmt;
    int n;

    assert_int_equal(sqlite3_prepare_v2(sql, query, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    n = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    return n;
}

/* A frame is one write. When a transaction is larger than the cache, pages are written before it
 * ends, some of them again, and headers again for their checksums: another connection, which knows
 * nothing of all this, finds everything. */
static void testFrames(void **state)
{
    static const char insert[] = "INSERT INTO t VALUES (NULL, zeroblob(9000))";
    static const char spill[] =
        "BEGIN; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
        " INSERT INTO t SELECT NULL, randomblob(1000) FROM n;"
        " UPDATE t SET b = zeroblob(1001); UPDATE t SET b = zeroblob(7); COMMIT";
    sqlite3 *sql = openFrames(rpmdbWalVfs()), *other;
    int frames, more;

    (void)state;
    run(sql, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;"
             "CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)");
    assert_int_equal(moreWrites(sql, insert, &frames), 0);
    assert_in_range(frames, 3, 9);
    run(sql, "PRAGMA cache_size = 5");
    assert_true(moreWrites(sql, spill, &frames) > 300);
    other = openFrames(NULL);
    assert_int_equal(answer(other, "SELECT count(*) FROM pragma_integrity_check"
                                   " WHERE integrity_check = 'ok'"), 1);
    assert_int_equal(answer(other, "SELECT sum(length(b)) FROM t"), 301 * 7);
    run(other, "PRAGMA synchronous = OFF");
    more = moreWrites(other, insert, &frames);
    assert_int_equal(more, frames);
    assert_int_equal(moreWrites(sql, insert, &frames), 1); /* where the other one has ended */
    assert_int_equal(moreWrites(sql, insert, &frames), 0);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_int_equal(sqlite3_close(sql), SQLITE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(testSyncs, fresh, quiet),
        cmocka_unit_test_setup_teardown(testNoSync, fresh, quiet),
        cmocka_unit_test_setup_teardown(testGroup, fresh, quiet),
        cmocka_unit_test_setup_teardown(testChecked, fresh, quiet),
        cmocka_unit_test_setup_teardown(testWalBound, fresh, quiet),
        cmocka_unit_test_setup_teardown(testLargeHeaders, fresh, quiet),
        cmocka_unit_test_setup_teardown(testMainFile, fresh, quiet),
        cmocka_unit_test_setup_teardown(testFrames, fresh, quiet),
    };

    faultRegister();
    return cmocka_run_group_tests(tests, setup, treeTeardown);
}
