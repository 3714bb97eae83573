/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the database, exactly as upstream makes them, and how an empty one comes to be. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmdb_sql.h"

const rpmDbiTagVal rpmdbTables[RPMDB_NTABLES] = {
    RPMDBI_PACKAGES,
    RPMDBI_NAME,
    RPMDBI_BASENAMES,
    RPMDBI_GROUP,
    RPMDBI_REQUIRENAME,
    RPMDBI_PROVIDENAME,
    RPMDBI_CONFLICTNAME,
    RPMDBI_OBSOLETENAME,
    RPMDBI_TRIGGERNAME,
    RPMDBI_DIRNAMES,
    RPMDBI_INSTALLTID,
    RPMDBI_SIGMD5,
    RPMDBI_SHA1HEADER,
    RPMDBI_FILETRIGGERNAME,
    RPMDBI_TRANSFILETRIGGERNAME,
    RPMDBI_RECOMMENDNAME,
    RPMDBI_SUGGESTNAME,
    RPMDBI_SUPPLEMENTNAME,
    RPMDBI_ENHANCENAME,
};

int rpmdbTableOf(rpmDbiTagVal tag)
{
    for (int t = 0; t < RPMDB_NTABLES; t++) {
        if (rpmdbTables[t] == tag)
            return t;
    }
    return -1;
}

int rpmdbHasTable(rpmdb db, int table)
{
    return sqlite3_table_column_metadata(db->sql, NULL, rpmTagGetName(rpmdbTables[table]),
        table == 0 ? "blob" : "key", NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static int execText(rpmdb db, char *sql)
{
    int rc = rpmdbExec(db, sql);

    sqlite3_free(sql);
    return rc;
}

static bool isString(int table)
{
    return rpmTagGetClass(rpmdbTables[table]) == RPM_STRING_CLASS;
}

static int makeTable(rpmdb db, int table)
{
    const char *name = rpmTagGetName(rpmdbTables[table]);

    if (table == 0)
        return execText(db, sqlite3_mprintf("CREATE TABLE IF NOT EXISTS '%q' ("
            "hnum INTEGER PRIMARY KEY AUTOINCREMENT,blob BLOB NOT NULL)", name));
    return execText(db, sqlite3_mprintf("CREATE TABLE IF NOT EXISTS '%q' ("
        "key '%q' NOT NULL, hnum INTEGER NOT NULL, idx INTEGER NOT NULL, "
        "FOREIGN KEY (hnum) REFERENCES 'Packages'(hnum))",
        name, isString(table) ? "TEXT" : "BLOB"));
}

static int makeIndex(rpmdb db, int table, const char *column)
{
    const char *name = rpmTagGetName(rpmdbTables[table]);

    return execText(db, sqlite3_mprintf("CREATE INDEX IF NOT EXISTS '%q_%q_idx' ON '%q'(%s ASC)",
        name, column, name, column));
}

static int makeIndexes(rpmdb db, int table)
{
    if (isString(table) && makeIndex(db, table, "key"))
        return -1;
    if (rpmTagGetReturnType(rpmdbTables[table]) == RPM_ARRAY_RETURN_TYPE)
        return makeIndex(db, table, "hnum");
    return 0;
}

int rpmdbMakeTables(rpmdb db, bool indexes)
{
    for (int t = 0; t < RPMDB_NTABLES; t++) {
        if (makeTable(db, t) || (indexes && t > 0 && makeIndexes(db, t)))
            return -1;
    }
    return 0;
}

int rpmdbMakeIndexes(rpmdb db)
{
    for (int t = 1; t < RPMDB_NTABLES; t++) {
        if (makeIndexes(db, t))
            return -1;
    }
    return 0;
}

static int fillTables(rpmdb db, const bool *missing)
{
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_PACKAGES, NULL, 0);
    int rc = mi != NULL ? 0 : -1;
    Header h;

    while (rc == 0 && (h = rpmdbNextIterator(mi)) != NULL) {
        for (int t = 1; t < RPMDB_NTABLES && rc == 0; t++) {
            if (missing[t])
                rc = rpmdbPutKeys(db, t, rpmdbGetIteratorOffset(mi), h);
        }
    }
    rpmdbFreeIterator(mi);
    return rc;
}

int rpmdbRepairTables(rpmdb db)
{
    bool missing[RPMDB_NTABLES];
    int nmissing = 0;

    for (int t = 0; t < RPMDB_NTABLES; t++) {
        missing[t] = !rpmdbHasTable(db, t);
        nmissing += missing[t];
    }
    if (nmissing == 0)
        return 0;
    if (!missing[0])
        rpmlog(RPMLOG_WARNING, "Generating %d missing index(es), please wait...\n", nmissing);
    if (rpmdbBegin(db))
        return -1;
    if (rpmdbMakeTables(db, true) || fillTables(db, missing))
        db->failed = true;
    return rpmdbCommit(db);
}

/* The name decides: whoever links first has made the database. */
static int nameFile(rpmdb db, const char *side)
{
    if (linkat(db->dirfd, side, db->dirfd, RPMDB_FILE, 0) && errno != EEXIST)
        return -1;
    if (db->policy.sync && fsync(db->dirfd))
        return -1;
    return 0;
}

static int syncFile(rpmdb db, const char *name)
{
    int fd, rc;

    if (!db->policy.sync)
        return 0;
    fd = openat(db->dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    rc = fsync(fd);
    if (close(fd))
        rc = -1;
    return rc;
}

/* Nothing is synced on the way: the whole file is, before it gets its name. */
static int fillFile(rpmdb db, const char *side)
{
    struct rpmdb_s temp = { .mode = O_RDWR, .dirfd = -1 };
    int rc = -1;

    temp.file = rstrscat(NULL, db->home, "/", side, NULL);
    if (rpmdbConnect(&temp, true) == 0 && rpmdbBegin(&temp) == 0) {
        temp.failed = rpmdbMakeTables(&temp, true) != 0;
        if (rpmdbCommit(&temp) == 0)
            rc = rpmdbCheckpoint(&temp);
    }
    rpmdbDropConnection(&temp);
    rfree(temp.file);
    return rc;
}

static void removeFiles(int dirfd, const char *name)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        char *path = rstrscat(NULL, name, ends[i], NULL);
        unlinkat(dirfd, path, 0);
        rfree(path);
    }
}

int rpmdbMakeFile(rpmdb db)
{
    char side[64];
    int rc;

    snprintf(side, sizeof(side), "." RPMDB_FILE ".%d", (int)getpid());
    removeFiles(db->dirfd, side);
    rc = fillFile(db, side);
    if (rc == 0 && (syncFile(db, side) || nameFile(db, side))) {
        rpmlog(RPMLOG_ERR, "Unable to open sqlite database %s: %s\n", db->file, strerror(errno));
        rc = -1;
    }
    removeFiles(db->dirfd, side);
    return rc;
}
