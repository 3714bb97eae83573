/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMDB_H
#define RPM_RPMDB_H

/** @file rpm/rpmdb.h
 * The database of installed packages. Names and numbers as in upstream's rpm/rpmdb.h; the file is
 * in upstream's format too (SQLite, one table of headers and one for each index).
 *
 * A database that is open for reading writes nothing, creates no file and takes no lock that
 * could keep a writer away; one that does not exist reads as an empty one. What comes out of it
 * is checked as if it came from outside: a bad record is named by its number and left out.
 *
 * A database and all iterators over it are for one thread at a time; different databases may be
 * used by different threads.
 */

#include <sys/stat.h>

#include <rpm/rpmsw.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a pattern is matched with the values of a tag. */
typedef enum rpmMireMode_e {
    RPMMIRE_DEFAULT = 0, /**< shell-like: `*` and brackets, the whole value; file names as glob */
    RPMMIRE_STRCMP = 1,  /**< the string itself */
    RPMMIRE_REGEX = 2,   /**< extended regular expression, any part of the value */
    RPMMIRE_GLOB = 3     /**< fnmatch(3) */
} rpmMireMode;

/** Operations that a database counts and times. */
typedef enum rpmdbOpX_e {
    RPMDB_OP_DBGET = 1, /**< headers read */
    RPMDB_OP_DBPUT = 2, /**< headers written */
    RPMDB_OP_DBDEL = 3, /**< headers removed */
    RPMDB_OP_MAX = 4
} rpmdbOpX;

/** What rpmdbCtrl() does. */
typedef enum rpmdbCtrlOp_e {
    RPMDB_CTRL_LOCK_RO = 1,   /**< nothing: readers need no lock */
    RPMDB_CTRL_UNLOCK_RO = 2, /**< nothing */
    RPMDB_CTRL_LOCK_RW = 3,   /**< begin: what follows becomes one commit */
    RPMDB_CTRL_UNLOCK_RW = 4, /**< commit */
    RPMDB_CTRL_INDEXSYNC = 5  /**< nothing: indexes are never behind */
} rpmdbCtrlOp;

/** Counters of a kind of operation.
 * @param db   database
 * @param opx  which
 * @return     counters, the database's; NULL for one out of range
 */
rpmop rpmdbOp(rpmdb db, rpmdbOpX opx);

/** Make sure that all indexes are there.
 * @param db  database
 * @return    0; in a database open for writing missing ones are made. -2 for NULL, else not 0
 */
int rpmdbOpenAll(rpmdb db);

/** Number of installed packages of a name.
 * @param db    database
 * @param name  name of packages
 * @return      number; -1 on error
 */
int rpmdbCountPackages(rpmdb db, const char *name);

/** @return number of the current record, 0 before the first */
unsigned int rpmdbGetIteratorOffset(rpmdbMatchIterator mi);

/** @return elements that the iterator began with, of all packages too; 0 for NULL */
int rpmdbGetIteratorCount(rpmdbMatchIterator mi);

/** @return index of the file (or dependency) that the current record was found by */
unsigned int rpmdbGetIteratorFileNum(rpmdbMatchIterator mi);

/** Add records to an iterator.
 * @param mi        iterator
 * @param hdrNums   their numbers
 * @param nHdrNums  how many
 * @return          0, or 1 for bad arguments
 */
int rpmdbAppendIterator(rpmdbMatchIterator mi, const unsigned int *hdrNums,
    unsigned int nHdrNums);

/** Let an iterator leave out what does not match. Of several patterns for one tag one must match,
 * of patterns for several tags one for each.
 * @param mi       iterator
 * @param tag      tag; one that a header lacks matches nothing, except that an epoch is 0 then
 * @param mode     kind of pattern
 * @param pattern  pattern; with a leading `!` it must not match
 * @return         0; not 0 if the pattern is bad (the log has said why)
 */
int rpmdbSetIteratorRE(rpmdbMatchIterator mi, rpmTagVal tag, rpmMireMode mode,
    const char *pattern);

/** Let an iterator write headers that are changed.
 * @param mi       iterator over a database that is open for writing
 * @param rewrite  new value
 * @return         previous value
 */
int rpmdbSetIteratorRewrite(rpmdbMatchIterator mi, int rewrite);

/** Say that the current header was changed. It is written, indexes excepted, when the iterator
 * moves on or is freed; it keeps its number.
 * @param mi        iterator
 * @param modified  new value
 * @return          previous value
 */
int rpmdbSetIteratorModified(rpmdbMatchIterator mi, int modified);

/** Have each header verified when it is read (once for each record of a database).
 * @param mi      iterator
 * @param ts      transaction set for hdrchk, which must outlive the iterator
 * @param hdrchk  function; a header that it fails is left out, and its message logged
 * @return        0
 */
int rpmdbSetHdrChk(rpmdbMatchIterator mi, rpmts ts,
    rpmRC (*hdrchk)(rpmts ts, const void *uh, size_t uc, char **msg));

/** Begin to walk the records that an index has for a key, in the order of their numbers.
 * @param db      database
 * @param rpmtag  RPMDBI_PACKAGES: keyp is the number of a record (an unsigned int), or NULL for
 *                all records; RPMDBI_LABEL: keyp is name[-[epoch:]version[-release]][.arch];
 *                RPMDBI_BASENAMES: keyp is the path of a file, RPMDBI_INSTFILENAMES: of one that
 *                is installed (symlinks on the way to it, below the root, are followed);
 *                another index: keyp is a key of it, or NULL for all
 * @param keyp    key or NULL
 * @param keylen  bytes of the key, 0 for those of a string
 * @return        iterator, the caller's to rpmdbFreeIterator(); NULL if nothing is found, or on
 *                error (which the log has told of)
 */
rpmdbMatchIterator rpmdbInitIterator(rpmdb db, rpmDbiTagVal rpmtag, const void *keyp,
    size_t keylen);

/** Step to the next record. One that is removed in the meantime, bad (the log has told of it) or
 * does not match is left out.
 * @param mi  iterator or NULL
 * @return    header, the iterator's until its next step; NULL at the end
 */
Header rpmdbNextIterator(rpmdbMatchIterator mi);

/** End an iterator.
 * @param mi  iterator or NULL
 * @return    NULL always
 */
rpmdbMatchIterator rpmdbFreeIterator(rpmdbMatchIterator mi);

/** Begin to walk the keys of an index, sorted.
 * @param db      database
 * @param rpmtag  index
 * @return        iterator, the caller's to rpmdbIndexIteratorFree(); NULL on error
 */
rpmdbIndexIterator rpmdbIndexIteratorInit(rpmdb db, rpmDbiTag rpmtag);

/** As rpmdbIndexIteratorInit(), for callers that want the keys only. */
rpmdbIndexIterator rpmdbIndexKeyIteratorInit(rpmdb db, rpmDbiTag rpmtag);

/** Step to the next key.
 * @param ii           iterator or NULL
 * @param[out] key     key, the iterator's; it is not terminated
 * @param[out] keylen  bytes of it
 * @return             0, or -1 at the end
 */
int rpmdbIndexIteratorNext(rpmdbIndexIterator ii, const void **key, size_t *keylen);

/** Step to the next key, as tag data.
 * @param ii          iterator or NULL
 * @param[out] keytd  key, for rpmtdFreeData()
 * @return            0, or -1 at the end
 */
int rpmdbIndexIteratorNextTd(rpmdbIndexIterator ii, rpmtd keytd);

/** @return entries of the current key */
unsigned int rpmdbIndexIteratorNumPkgs(rpmdbIndexIterator ii);

/** @return number of the record of entry nr, 0 for one out of range */
unsigned int rpmdbIndexIteratorPkgOffset(rpmdbIndexIterator ii, unsigned int nr);

/** @return index of the value within its tag of entry nr, 0 for one out of range */
unsigned int rpmdbIndexIteratorTagNum(rpmdbIndexIterator ii, unsigned int nr);

/** @return NULL always */
rpmdbIndexIterator rpmdbIndexIteratorFree(rpmdbIndexIterator ii);

/** Bracket what is written, so that it becomes one commit.
 * @param db    database
 * @param ctrl  RPMDB_CTRL_*
 * @return      0; not 0 on error (the log has told of it; nothing of the bracket is kept)
 */
int rpmdbCtrl(rpmdb db, rpmdbCtrlOp ctrl);

/** Text that changes whenever a package is installed or erased.
 * @param db  database
 * @return    text, the caller's to free(); NULL on error
 */
char *rpmdbCookie(rpmdb db);

/** stat(2) the file of the database.
 * @param prefix        root directory or NULL for "/"
 * @param[out] statbuf  what stat(2) says
 * @return              0; -1 with errno set
 */
int rpmdbStat(const char *prefix, struct stat *statbuf);

/** stat(2) the file of an open database.
 * @return  0; -1 with errno set
 */
int rpmdbFStat(rpmdb db, struct stat *statbuf);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMDB_H */
