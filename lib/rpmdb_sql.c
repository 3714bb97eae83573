/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connections to SQLite, statements and errors. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"
#include "rpmdb_sql.h"

#define BUSY_TIMEOUT_MS 10000
#define CACHE_KIB 16384
#define READ_TRIES 100
#define READ_PAUSE_US 20000

/* The largest header there can be. */
#define BLOB_MAX (8 + HEADER_TAGS_MAX * HEADER_ENTRY_SIZE + HEADER_DATA_MAX)

/* For the headers and for indexes; %w is the table. */
static const char *const statementTexts[2][RPMDB_NSTATEMENTS] = {
    {
        [RPMDB_PUT] = "INSERT INTO \"%w\" VALUES(?, ?)",
        [RPMDB_DEL] = "DELETE FROM \"%w\" WHERE hnum=?",
        [RPMDB_GET] = "SELECT blob FROM \"%w\" WHERE hnum=?",
        [RPMDB_ALL] = "SELECT hnum, 0 FROM \"%w\" ORDER BY hnum",
        [RPMDB_MOD] = "UPDATE \"%w\" SET blob=?2 WHERE hnum=?1",
    },
    {
        [RPMDB_PUT] = "INSERT INTO \"%w\" VALUES(?, ?, ?)",
        [RPMDB_DEL] = "DELETE FROM \"%w\" WHERE hnum=?",
        [RPMDB_GET] = "SELECT hnum, idx FROM \"%w\" WHERE key=?",
        [RPMDB_ALL] = "SELECT hnum, idx, key FROM \"%w\" ORDER BY key, rowid",
    },
};

bool rpmdbWritable(rpmdb db)
{
    return (db->mode & O_ACCMODE) != O_RDONLY;
}

/* SQLite's text, and the system's where that says more. */
void rpmdbError(rpmdb db, int sqlError)
{
    int ours = db->sql == NULL || (sqlite3_errcode(db->sql) & 0xff) != (sqlError & 0xff);
    const char *text = ours ? sqlite3_errstr(sqlError) : sqlite3_errmsg(db->sql);
    int syserr = 0;

    if (!ours && ((sqlError & 0xff) == SQLITE_IOERR || (sqlError & 0xff) == SQLITE_CANTOPEN))
        syserr = sqlite3_system_errno(db->sql);
    rpmlog(RPMLOG_ERR, "%s: %s%s%s\n", db->file, text, syserr != 0 ? ": " : "",
        syserr != 0 ? strerror(syserr) : "");
}

int rpmdbExec(rpmdb db, const char *sql)
{
    int rc = sqlite3_exec(db->sql, sql, NULL, NULL, NULL);

    if (rc != SQLITE_OK) {
        rpmdbError(db, rc);
        return -1;
    }
    return 0;
}

/* What changes whenever somebody writes to the file or its WAL. */
struct stamp {
    struct stat file;
    struct stat wal;
};

static void takeStamp(rpmdb db, struct stamp *stamp)
{
    char *wal;

    memset(stamp, 0, sizeof(*stamp));
    if (rpmdbWritable(db))
        return;
    wal = rstrscat(NULL, db->file, "-wal", NULL);
    stat(db->file, &stamp->file);
    stat(wal, &stamp->wal);
    rfree(wal);
}

static bool sameStat(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
        a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
        a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool sameStamp(rpmdb db, const struct stamp *before)
{
    struct stamp now;

    takeStamp(db, &now);
    return sameStat(&before->file, &now.file) && sameStat(&before->wal, &now.wal);
}

/* The index of the WAL may be of no use for the moment in which a writer that has just come makes
 * it: to the reader, that it must not make it itself. */
static bool isWritersMoment(rpmdb db, int rc)
{
    return !rpmdbWritable(db) && ((rc & 0xff) == SQLITE_READONLY || rc == SQLITE_PROTOCOL ||
        rc == SQLITE_BUSY_RECOVERY);
}

/* And a writer may begin while nobody guards what is read. */
static bool worthRetry(rpmdb db, int rc, const struct stamp *before)
{
    return isWritersMoment(db, rc) || (rpmdbVfsUnguarded(db->sql) && !sameStamp(db, before));
}

/* Try again what failed for no better reason. */
static bool tryAgain(rpmdb db, int rc, int try, struct stamp *before)
{
    if (rc == SQLITE_OK || try == READ_TRIES || !worthRetry(db, rc, before))
        return false;
    usleep(READ_PAUSE_US);
    takeStamp(db, before);
    return true;
}

/* Preparing may read the schema, as others write it. */
static int prepare(rpmdb db, const char *sql, sqlite3_stmt **stmt)
{
    struct stamp before;
    int try = 0;
    int rc;

    takeStamp(db, &before);
    do {
        rc = sqlite3_prepare_v3(db->sql, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
    } while (tryAgain(db, rc, ++try, &before));
    return rc;
}

sqlite3_stmt *rpmdbStatement(rpmdb db, int table, enum rpmdbStatement_e kind)
{
    sqlite3_stmt **stmt = &db->statements[table][kind];
    char *sql;
    int rc;

    if (*stmt != NULL) {
        sqlite3_reset(*stmt);
        sqlite3_clear_bindings(*stmt);
        return *stmt;
    }
    sql = sqlite3_mprintf(statementTexts[table > 0][kind], rpmTagGetName(rpmdbTables[table]));
    rc = prepare(db, sql, stmt);
    sqlite3_free(sql);
    if (rc != SQLITE_OK)
        rpmdbError(db, rc);
    return *stmt;
}

int rpmdbBindKey(sqlite3_stmt *stmt, int table, const void *key, size_t keylen)
{
    if (rpmTagGetClass(rpmdbTables[table]) == RPM_STRING_CLASS)
        return sqlite3_bind_text64(stmt, 1, key, keylen, SQLITE_TRANSIENT, SQLITE_UTF8);
    return sqlite3_bind_blob64(stmt, 1, key, keylen, SQLITE_TRANSIENT);
}

int rpmdbRun(rpmdb db, sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt);

    if (rc != SQLITE_DONE)
        rpmdbError(db, rc);
    sqlite3_reset(stmt);
    return rc == SQLITE_DONE ? 0 : -1;
}

static int queryOnce(sqlite3_stmt *stmt, rpmdbRow row, void *data)
{
    int rc;

    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
        row(data, stmt);
    return rc;
}

int rpmdbQuery(rpmdb db, sqlite3_stmt *stmt, rpmdbRow row, void (*restart)(void *data),
    void *data)
{
    struct stamp before;
    int rc = SQLITE_DONE;

    for (int try = 0; try < READ_TRIES; try++) {
        restart(data);
        takeStamp(db, &before);
        rc = queryOnce(stmt, row, data);
        if (!worthRetry(db, rc, &before))
            break;
        sqlite3_reset(stmt);
        usleep(READ_PAUSE_US);
        if (rc == SQLITE_DONE)
            rc = SQLITE_BUSY;
    }
    if (rc != SQLITE_DONE)
        rpmdbError(db, rc);
    sqlite3_reset(stmt);
    return rc == SQLITE_DONE ? 0 : -1;
}

void rpmdbBeginReading(rpmdb db)
{
    if (db->sql != NULL && rpmdbWritable(db) && !db->writing)
        db->reading = rpmdbExec(db, "BEGIN") == 0;
}

void rpmdbEndReading(rpmdb db)
{
    if (db->reading)
        rpmdbExec(db, "COMMIT");
    db->reading = false;
}

unsigned int rpmdbColumnNumber(sqlite3_stmt *stmt, int column)
{
    sqlite3_int64 number = sqlite3_column_int64(stmt, column);

    return number > 0 && number <= INT32_MAX ? (unsigned int)number : 0;
}

/* `file:` and the path, with what means something in a URI escaped. */
static char *fileUri(const char *path)
{
    char *uri = rstrdup("file:");

    for (; *path != '\0'; path++) {
        char c[4] = { *path, '\0' };
        if (!risalnum(*path) && strchr("/._-", *path) == NULL) {
            static const char hex[] = "0123456789ABCDEF";
            c[0] = '%';
            c[1] = hex[(unsigned char)*path >> 4];
            c[2] = hex[*path & 15];
        }
        rstrcat(&uri, c);
    }
    return rstrcat(&uri, "?readonly_shm=1");
}

static int openFile(rpmdb db, bool create)
{
    char *uri = rpmdbWritable(db) ? NULL : fileUri(db->file);
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    int rc;

    if (rpmdbWritable(db))
        flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    rc = sqlite3_open_v2(uri != NULL ? uri : db->file, &db->sql, flags,
        uri != NULL ? rpmdbVfs() : rpmdbWalVfs());
    rfree(uri);
    return rc;
}

static int readSchema(rpmdb db)
{
    struct stamp before;
    int try = 0;
    int rc;

    takeStamp(db, &before);
    do {
        rc = sqlite3_exec(db->sql, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
    } while (tryAgain(db, rc, ++try, &before));
    if (rc != SQLITE_OK)
        rpmdbError(db, rc);
    return rc == SQLITE_OK ? 0 : -1;
}

/* A database may be anybody's: nothing in its schema is run, and headers have a size. */
static int beCareful(rpmdb db)
{
    sqlite3_extended_result_codes(db->sql, 1);
    sqlite3_busy_timeout(db->sql, BUSY_TIMEOUT_MS);
    sqlite3_limit(db->sql, SQLITE_LIMIT_LENGTH, BLOB_MAX);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (rpmdbExec(db, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
                      "PRAGMA temp_store = MEMORY"))
        return -1;
    return readSchema(db);
}

static int setWriting(rpmdb db)
{
    int one = 1;
    char *sql = sqlite3_mprintf("PRAGMA synchronous = %s; PRAGMA secure_delete = OFF;"
        "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = %d; PRAGMA cache_size = -%d",
        db->policy.sync ? "FULL" : "OFF", RPMDB_WAL_PAGES, CACHE_KIB);
    int rc = rpmdbExec(db, sql);

    /* Ordinary users cannot read without the files of the WAL. */
    sqlite3_file_control(db->sql, NULL, SQLITE_FCNTL_PERSIST_WAL, &one);
    /* Closing would otherwise do so whatever the policy. */
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_free(sql);
    return rc;
}

static int openFailed(rpmdb db, const char *why)
{
    rpmlog(RPMLOG_ERR, "Unable to open sqlite database %s: %s\n", db->file, why);
    return -1;
}

int rpmdbConnect(rpmdb db, bool create)
{
    int rc = openFile(db, create);
    int syserr = db->sql != NULL ? sqlite3_system_errno(db->sql) : 0;

    if (rc != SQLITE_OK)
        return openFailed(db, syserr != 0 ? strerror(syserr) : sqlite3_errstr(rc));
    /* What cannot be written is opened for reading, and fails in some odd way later. */
    if (rpmdbWritable(db) && sqlite3_db_readonly(db->sql, "main") == 1)
        return openFailed(db,
            access(db->file, W_OK) ? strerror(errno) : sqlite3_errstr(SQLITE_READONLY));
    if (beCareful(db) || (rpmdbWritable(db) && setWriting(db)))
        return -1;
    return 0;
}

static bool walIsLarge(rpmdb db)
{
    char *wal = rstrscat(NULL, db->file, "-wal", NULL);
    struct stat sb;
    bool large = stat(wal, &sb) == 0 && sb.st_size > RPMDB_WAL_KEEP;

    rfree(wal);
    return large;
}

int rpmdbCheckpoint(rpmdb db)
{
    int rc;

    if (db->sql == NULL || !rpmdbWritable(db))
        return 0;
    rc = sqlite3_wal_checkpoint_v2(db->sql, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    /* A reader that is in the way does no harm: the next one does it. */
    if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY) {
        rpmdbError(db, rc);
        return -1;
    }
    return 0;
}

void rpmdbDropConnection(rpmdb db)
{
    for (int t = 0; t < RPMDB_NTABLES; t++) {
        for (int k = 0; k < RPMDB_NSTATEMENTS; k++)
            sqlite3_finalize(db->statements[t][k]);
    }
    memset(db->statements, 0, sizeof(db->statements));
    sqlite3_close(db->sql);
    db->sql = NULL;
}

int rpmdbDisconnect(rpmdb db)
{
    int rc = 0;

    rpmdbRollback(db);
    if (db->sql != NULL && (db->policy.checkpoint || db->made || walIsLarge(db)))
        rc = rpmdbCheckpoint(db);
    rpmdbDropConnection(db);
    return rc;
}
