/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adding and removing packages: any number in one commit. */

#include <stdlib.h>

#include <rpm/rpmlog.h>

#include "header_internal.h"
#include "rpmdb_sql.h"

static int mayWrite(rpmdb db)
{
    if (db->sql != NULL && rpmdbWritable(db))
        return 0;
    rpmlog(RPMLOG_ERR, "%s: attempt to write a readonly database\n", db->file);
    return -1;
}

int rpmdbBegin(rpmdb db)
{
    if (mayWrite(db))
        return -1;
    if (db->writing) {
        rpmlog(RPMLOG_ERR, "%s: a transaction was begun already\n", db->file);
        return -1;
    }
    if (rpmdbExec(db, "BEGIN IMMEDIATE"))
        return -1;
    db->writing = true;
    db->failed = false;
    return 0;
}

/* SQLite has undone everything by itself where it had to; there is nothing to roll back then. */
void rpmdbRollback(rpmdb db)
{
    if (!db->writing)
        return;
    db->writing = false;
    db->nchecked = 0; /* numbers are given again */
    if (!sqlite3_get_autocommit(db->sql))
        rpmdbExec(db, "ROLLBACK");
}

int rpmdbCommit(rpmdb db)
{
    if (mayWrite(db))
        return -1;
    if (!db->writing || db->failed || sqlite3_get_autocommit(db->sql)) {
        rpmdbRollback(db);
        return -1;
    }
    if (rpmdbExec(db, "COMMIT")) {
        rpmdbRollback(db);
        /* Where only the sync failed, all of it is in the WAL, and whoever opens the database next
         * would take it for good: let nothing of the WAL be left. */
        sqlite3_wal_checkpoint_v2(db->sql, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
        return -1;
    }
    db->writing = false;
    return 0;
}

/* End what one call writes: a commit of its own, or a part of the caller's bracket. */
static int finish(rpmdb db, bool own, int rc)
{
    if (rc != 0)
        db->failed = true;
    return own ? rpmdbCommit(db) : rc;
}

struct keyWriter {
    rpmdb db;
    int table;
    unsigned int hdrNum;
};

static int putKey(void *data, const void *key, size_t keylen, uint32_t ix)
{
    struct keyWriter *w = data;
    sqlite3_stmt *stmt = rpmdbStatement(w->db, w->table, RPMDB_PUT);

    if (stmt == NULL)
        return -1;
    rpmdbBindKey(stmt, w->table, key, keylen);
    sqlite3_bind_int64(stmt, 2, w->hdrNum);
    sqlite3_bind_int64(stmt, 3, ix);
    return rpmdbRun(w->db, stmt);
}

int rpmdbPutKeys(rpmdb db, int table, unsigned int hdrNum, Header h)
{
    struct keyWriter w = { .db = db, .table = table, .hdrNum = hdrNum };

    return rpmdbIndexKeys(h, rpmdbTables[table], putKey, &w);
}

/* hdrNum 0: a new record. */
static int putBlob(rpmdb db, enum rpmdbStatement_e kind, unsigned int hdrNum, Header h)
{
    sqlite3_stmt *stmt = rpmdbStatement(db, 0, kind);
    unsigned int size = 0;
    void *blob = headerExport(h, &size);
    int rc = -1;

    if (blob == NULL) {
        rpmlog(RPMLOG_ERR, "%s: header is too large\n", db->file);
    } else if (stmt != NULL) {
        if (hdrNum != 0)
            sqlite3_bind_int64(stmt, 1, hdrNum);
        sqlite3_bind_blob64(stmt, 2, blob, size, SQLITE_STATIC);
        rpmswEnter(&db->ops[RPMDB_OP_DBPUT], 0);
        rc = rpmdbRun(db, stmt);
        rpmswExit(&db->ops[RPMDB_OP_DBPUT], size);
        sqlite3_clear_bindings(stmt);
    }
    free(blob);
    return rc;
}

static int addRecord(rpmdb db, Header h, unsigned int *hdrNum)
{
    sqlite3_int64 number;

    if (putBlob(db, RPMDB_PUT, 0, h))
        return -1;
    number = sqlite3_last_insert_rowid(db->sql);
    if (number <= 0 || number > INT32_MAX) {
        rpmlog(RPMLOG_ERR, "%s: record numbers are used up\n", db->file);
        return -1;
    }
    *hdrNum = (unsigned int)number;
    for (int t = 1; t < RPMDB_NTABLES; t++) {
        if (rpmdbPutKeys(db, t, *hdrNum, h))
            return -1;
    }
    return 0;
}

int rpmdbAdd(rpmdb db, Header h)
{
    bool own = !db->writing;
    unsigned int hdrNum = 0;

    if (own && rpmdbBegin(db))
        return -1;
    if (finish(db, own, addRecord(db, h, &hdrNum)))
        return -1;
    headerSetInstance(h, hdrNum);
    return 0;
}

static int deleteRows(rpmdb db, int table, unsigned int hdrNum)
{
    sqlite3_stmt *stmt = rpmdbStatement(db, table, RPMDB_DEL);

    if (stmt == NULL)
        return -1;
    sqlite3_bind_int64(stmt, 1, hdrNum);
    return rpmdbRun(db, stmt);
}

static int removeRecord(rpmdb db, unsigned int hdrNum)
{
    int rc;

    rpmswEnter(&db->ops[RPMDB_OP_DBDEL], 0);
    rc = deleteRows(db, 0, hdrNum);
    rpmswExit(&db->ops[RPMDB_OP_DBDEL], 0);
    if (rc == 0 && sqlite3_changes(db->sql) != 1) {
        rpmlog(RPMLOG_ERR, "%s: there is no record #%u\n", db->file, hdrNum);
        rc = -1;
    }
    for (int t = 1; t < RPMDB_NTABLES && rc == 0; t++)
        rc = deleteRows(db, t, hdrNum);
    return rc;
}

int rpmdbRemove(rpmdb db, unsigned int hdrNum)
{
    bool own = !db->writing;

    if (own && rpmdbBegin(db))
        return -1;
    return finish(db, own, removeRecord(db, hdrNum));
}

int rpmdbRewrite(rpmdb db, unsigned int hdrNum, Header h)
{
    bool own = !db->writing;

    if (own && rpmdbBegin(db))
        return -1;
    return finish(db, own, putBlob(db, RPMDB_MOD, hdrNum, h));
}

int rpmdbCtrl(rpmdb db, rpmdbCtrlOp ctrl)
{
    switch (ctrl) {
    case RPMDB_CTRL_LOCK_RO:
    case RPMDB_CTRL_UNLOCK_RO:
    case RPMDB_CTRL_INDEXSYNC:
        return 0;
    case RPMDB_CTRL_LOCK_RW:
        return rpmdbBegin(db);
    case RPMDB_CTRL_UNLOCK_RW:
        return rpmdbCommit(db);
    }
    return 1;
}
