/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMDB_INTERNAL_H
#define RPM_RPMDB_INTERNAL_H

/** @file rpmdb_internal.h
 * Opening, writing and rebuilding the package database: what the rest of the library calls.
 *
 * Below, "-1" means that the log has told of the error, naming the file.
 *
 * What a power cut or a kill leaves: all of a commit or nothing of it. With the policy's `sync`, a
 * commit that has returned 0 is on the disk; without, no call ever syncs.
 */

#include <stdbool.h>

#include <rpm/header.h>
#include <rpm/rpmdb.h>

/** What is done for durability. */
struct rpmdbPolicy_s {
    bool sync;       /**< sync as SQLite does by default; false: never */
    bool checkpoint; /**< when closing, move all of the WAL into the main file, as upstream does;
                      *   false: only what is above a bound, so that closing syncs nothing */
};

/** As upstream. */
extern const struct rpmdbPolicy_s rpmdbPolicyDefault;

/** Pages of WAL, of 4096 bytes each, after which a commit moves them into the main file, so that the
 * next one begins the WAL anew, and closing empties it whatever the policy says: about 30 commits of
 * one package each. Writing over what a file has is synced without its filesystem's journal. What
 * the next process reads before anything else is read in a few milliseconds. */
#define RPMDB_WAL_PAGES 1000
#define RPMDB_WAL_KEEP (RPMDB_WAL_PAGES * 4096)

/** Bytes of headers after which no more packages should be added to a bracket: with them the WAL
 * stays below 64 MiB, their index entries and the records that they replace included. */
#define RPMDB_GROUP_MAX (16 << 20)

/** Open the database of a root.
 * @param prefix    root directory, or NULL for "/"; no symlink below it leads outside
 * @param dbpath    directory below the root; NULL for `%{_dbpath}`
 * @param[out] dbp  database with one reference, for rpmdbClose(); NULL on error
 * @param mode      O_RDONLY; O_RDWR, with O_CREAT to make what is missing
 * @param policy    policy, copied; NULL for upstream's
 * @return          0 or -1
 */
int rpmdbOpen(const char *prefix, const char *dbpath, rpmdb *dbp, int mode,
    const struct rpmdbPolicy_s *policy);

/** Take a reference. */
rpmdb rpmdbLink(rpmdb db);

/** Give up a reference; the last one closes. What was begun and not committed is undone.
 * @param db  database or NULL
 * @return    0 or -1: all commits are as good as they were
 */
int rpmdbClose(rpmdb db);

/** @return  directory of the database as the process sees it, below the root; "" if missing */
const char *rpmdbHome(rpmdb db);

/** Make an empty database where there is none.
 * @return  0 or -1 */
int rpmdbInit(const char *prefix, const char *dbpath, const struct rpmdbPolicy_s *policy);

/** Check the file and what refers to what in it.
 * @return  0; -1 if there is damage */
int rpmdbVerify(const char *prefix, const char *dbpath);

/** Make the database anew from its headers. The new one is built aside and takes the old one's
 * place in one step: killed at any time, one of them is there whole. Bad headers are named and
 * left behind; if the file itself is damaged, it stays. The caller holds the transaction lock.
 * @param ts      for hdrchk
 * @param hdrchk  as rpmdbSetHdrChk(), or NULL
 * @return        0 or -1
 */
int rpmdbRebuild(const char *prefix, const char *dbpath, rpmts ts,
    rpmRC (*hdrchk)(rpmts ts, const void *uh, size_t uc, char **msg),
    const struct rpmdbPolicy_s *policy);

/** Let the look-ups from here on be of one state of the database, for which it is locked once and not
 * for each. Nothing is written before rpmdbEndReading(). Without effect within a bracket of writes,
 * and for a database that is open for reading only, where others may write while it is read. */
void rpmdbBeginReading(rpmdb db);
void rpmdbEndReading(rpmdb db);

/** Begin what becomes one commit. Other writers wait from here on. Brackets do not nest.
 * @return  0 or -1 */
int rpmdbBegin(rpmdb db);

/** Commit what was written since rpmdbBegin().
 * @return  0; -1: nothing of it is kept. So it is if any of the calls in the bracket failed. (Where
 *          the disk takes writes but syncs none any more, all of it may turn up again later.) */
int rpmdbCommit(rpmdb db);

/** Undo what was written since rpmdbBegin(). The numbers of records that were added mean nothing any
 * more. */
void rpmdbRollback(rpmdb db);

/** Record a header with all its index entries: one commit, or a part of the bracket.
 * @param h  header, which gets the number of its record (see headerGetInstance())
 * @return   0 or -1 */
int rpmdbAdd(rpmdb db, Header h);

/** Remove a record, one whose header is bad as well: one commit, or a part of the bracket.
 * @return  0 or -1 */
int rpmdbRemove(rpmdb db, unsigned int hdrNum);

/** Move all of the WAL into the main file, and cut it to nothing.
 * @return  0 or -1 */
int rpmdbCheckpoint(rpmdb db);

/** What the database knows of a package beside its own header. */
struct rpmdbRecord_s {
    rpm_tid_t tid;         /**< transaction */
    rpm_time_t time;       /**< of the installation */
    rpm_color_t color;     /**< of the transaction */
    const char *states;    /**< RPMFILE_STATE_* of each file; NULL without files */
    rpm_count_t nstates;   /**< files */
};

/** Add the tags of a record to a package's header. Its region is not touched.
 * @return  0; -1 if the header has no room for them */
int rpmdbRecordTags(Header h, const struct rpmdbRecord_s *record);

/** Begin an iterator without records, for rpmdbExtendIterator(). */
rpmdbMatchIterator rpmdbNewIterator(rpmdb db, rpmDbiTagVal dbitag);

/** Add the records of a key.
 * @return  0, or 1 if there are none */
int rpmdbExtendIterator(rpmdbMatchIterator mi, const void *keyp, size_t keylen);

/** Sort by record and index within it. */
void rpmdbSortIterator(rpmdbMatchIterator mi);

/** One header.
 * @return  the caller's to headerFree(); NULL if it is missing or bad */
Header rpmdbGetHeaderAt(rpmdb db, unsigned int hdrNum);

#endif /* RPM_RPMDB_INTERNAL_H */
