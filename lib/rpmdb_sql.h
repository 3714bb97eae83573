/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMDB_SQL_H
#define RPM_RPMDB_SQL_H

/** @file rpmdb_sql.h
 * SQLite below the package database: what the files of rpmdb share.
 *
 * One table holds the headers, one for each index its keys: key, number of the header, index of
 * the value within its tag. Calls return -1 after an error that the log has told of.
 */

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "rpmdb_internal.h"

#define RPMDB_FILE "rpmdb.sqlite"

/** Tables: the headers, then the indexes in upstream's order. */
#define RPMDB_NTABLES 19
extern const rpmDbiTagVal rpmdbTables[RPMDB_NTABLES];

/** @return  number of the table of an index; -1 if there is none */
int rpmdbTableOf(rpmDbiTagVal tag);

/** Statements that are kept prepared for each table. */
enum rpmdbStatement_e {
    RPMDB_PUT,    /**< insert a row */
    RPMDB_DEL,    /**< delete the rows of a record */
    RPMDB_GET,    /**< the blob of a record; the entries of a key */
    RPMDB_ALL,    /**< numbers of all records; all entries with their keys, sorted */
    RPMDB_MOD,    /**< replace the blob of a record */
    RPMDB_NSTATEMENTS
};

struct rpmdb_s {
    char *root;       /**< root directory */
    char *path;       /**< directory below the root */
    char *home;       /**< the directory as the process sees it; "" if there is none */
    char *file;       /**< name of the file, for messages also where there is none */
    int dirfd;        /**< the directory, -1 if there is none */
    int mode;
    struct rpmdbPolicy_s policy;
    sqlite3 *sql;     /**< NULL: there is no file, everything is empty */
    sqlite3_stmt *statements[RPMDB_NTABLES][RPMDB_NSTATEMENTS];
    bool made;        /**< by this handle */
    bool writing;     /**< between begin and commit */
    bool failed;      /**< something in the bracket did */
    bool reading;     /**< between rpmdbBeginReading() and the end of it */
    uint8_t *checked; /**< a bit for each record that was verified */
    unsigned int nchecked; /**< bytes of it */
    struct rpmop_s ops[RPMDB_OP_MAX];
    int nrefs;
};

/** Whether the mode allows to write. */
bool rpmdbWritable(rpmdb db);

/** Connect to db->file with the settings that db->mode and db->policy ask for.
 * @param create  make the file */
int rpmdbConnect(rpmdb db, bool create);

/** Close the connection as the policy says. */
int rpmdbDisconnect(rpmdb db);

/** Close the connection without more ado. */
void rpmdbDropConnection(rpmdb db);

/** Make the tables that are missing, without rows.
 * @param indexes  SQLite's indexes of them too: a table that is filled first is filled faster */
int rpmdbMakeTables(rpmdb db, bool indexes);

/** Make SQLite's indexes that are missing. */
int rpmdbMakeIndexes(rpmdb db);

/** Make the tables of indexes that are missing, and fill them from the headers. */
int rpmdbRepairTables(rpmdb db);

/** @return  1 if the file has the table, else 0 */
int rpmdbHasTable(rpmdb db, int table);

/** Make an empty database beside db->file, and give it that name unless somebody else was first.
 * It is either not there or whole and, with the policy's `sync`, on the disk. */
int rpmdbMakeFile(rpmdb db);

/** Tell of an error of SQLite's. */
void rpmdbError(rpmdb db, int sqlError);

/** Run a statement that has no parameters. */
int rpmdbExec(rpmdb db, const char *sql);

/** A kept statement, reset.
 * @return  NULL on error */
sqlite3_stmt *rpmdbStatement(rpmdb db, int table, enum rpmdbStatement_e kind);

/** Bind a key as its table's type. */
int rpmdbBindKey(sqlite3_stmt *stmt, int table, const void *key, size_t keylen);

/** Run a bound statement that writes. */
int rpmdbRun(rpmdb db, sqlite3_stmt *stmt);

/** Takes a row; what it keeps it copies. */
typedef void (*rpmdbRow)(void *data, sqlite3_stmt *stmt);

/** Run a bound statement that reads. Where others may write to the file unseen (see
 * rpmdbVfsUnguarded()) and did, it is run again.
 * @param row      called for each row
 * @param restart  called before the first row, each time
 * @return         0 or -1 */
int rpmdbQuery(rpmdb db, sqlite3_stmt *stmt, rpmdbRow row, void (*restart)(void *data),
    void *data);

/** Number of a record in a column; 0 for what is none. */
unsigned int rpmdbColumnNumber(sqlite3_stmt *stmt, int column);

/** Called for each key that a header has in an index.
 * @param ix  index of the value within its tag
 * @return    0 to go on */
typedef int (*rpmdbKeyFn)(void *data, const void *key, size_t keylen, uint32_t ix);

/** Go through the keys that upstream gives a header in an index.
 * @return  0, or what keyFn returned */
int rpmdbIndexKeys(Header h, rpmDbiTagVal tag, rpmdbKeyFn keyFn, void *data);

/** Names that a rich dependency mentions, sorted; those on the wrong side of a condition begin
 * with `!`.
 * @return  list for argvFree(); NULL if it cannot be read */
char **rpmdbRichNames(const char *dep);

/** Write the entries of a header into an index. */
int rpmdbPutKeys(rpmdb db, int table, unsigned int hdrNum, Header h);

/** Replace the blob of a record. */
int rpmdbRewrite(rpmdb db, unsigned int hdrNum, Header h);

/** @name Entries of an index
 * @{ */
struct rpmdbEntry_s {
    unsigned int hdrNum;
    unsigned int ix;
};

struct rpmdbSet_s {
    struct rpmdbEntry_s *entries;
    unsigned int count;
    unsigned int alloced;
};

void rpmdbSetAdd(struct rpmdbSet_s *set, unsigned int hdrNum, unsigned int ix);
void rpmdbSetSort(struct rpmdbSet_s *set);
void rpmdbSetFini(struct rpmdbSet_s *set);

/** Add what a key has.
 * @return  0 or -1 */
int rpmdbSetGet(rpmdb db, int table, const void *key, size_t keylen, struct rpmdbSet_s *set);

/** Add everything in a table: all records, all entries in the order of their keys. */
int rpmdbSetGetAll(rpmdb db, int table, struct rpmdbSet_s *set);

/** What a label stands for: the first of its readings that is installed. */
int rpmdbFindLabel(rpmdb db, const char *label, struct rpmdbSet_s *set);

/** Who has a file.
 * @param installed  leave out those where its state is not that it is installed */
int rpmdbFindFile(rpmdb db, const char *path, bool installed, struct rpmdbSet_s *set);
/** @} */

/** Whether an iterator left a record out because the file could not be read. */
bool rpmdbIteratorFailed(rpmdbMatchIterator mi);

/** Pattern for the values of a tag. */
struct rpmdbPattern_s;

/** @return  pattern; NULL if it is bad (the log has said why) */
struct rpmdbPattern_s *rpmdbPatternNew(rpmTagVal tag, rpmMireMode mode, const char *pattern);
struct rpmdbPattern_s *rpmdbPatternFree(struct rpmdbPattern_s *pat);

/** Whether a header matches: for each tag, one of its patterns. */
bool rpmdbPatternsMatch(struct rpmdbPattern_s *const *pats, int npats, Header h);

/** @name Access to files that writes nothing
 * @{ */
/** @return  name of the VFS, registered with SQLite; NULL if that fails */
const char *rpmdbVfs(void);

/** Whether a connection has no part in the -shm file, so that no writer knows of it. */
bool rpmdbVfsUnguarded(sqlite3 *sql);
/** @} */

/** Access that writes: as SQLite's own, but for one sync (see rpmdb_walvfs.c).
 * @return  name of the VFS, registered with SQLite; NULL if that fails */
const char *rpmdbWalVfs(void);

#endif /* RPM_RPMDB_SQL_H */
