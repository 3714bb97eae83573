/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMTS_H
#define RPM_RPMTS_H

/** @file rpm/rpmts.h
 * Transaction sets: packages that are installed and erased together. Names and numbers as in
 * upstream's rpm/rpmts.h.
 *
 * Order of calls: rpmtsCreate(); rpmtsSetRootDir() and the other settings;
 * rpmtsAddInstallElement() and its like for each package; rpmtsCheck() unless dependencies are of
 * no interest; rpmtsOrder(), without which elements run in the order they were added in;
 * rpmtsSetNotifyCallback(), without which no package can be opened; rpmtsRun();
 * rpmtsProblems() where that was not 0; rpmtsFree().
 *
 * A set may be used by one thread at a time; different sets, by different threads, except that
 * rpmtsRun() sets the umask of the process while it runs, as upstream's does.
 */

#include <rpm/rpmcallback.h>
#include <rpm/rpmdb.h>
#include <rpm/rpmflush.h>
#include <rpm/rpmps.h>
#include <rpm/rpmsw.h>
#include <rpm/rpmte.h>
#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a transaction runs. */
enum rpmtransFlags_e {
    RPMTRANS_FLAG_NONE = 0,
    RPMTRANS_FLAG_TEST = (1 << 0),        /*!< from --test: check all, write nothing */
    RPMTRANS_FLAG_BUILD_PROBS = (1 << 1), /*!< find the problems only */
    RPMTRANS_FLAG_NOSCRIPTS = (1 << 2),   /*!< from --noscripts: triggers neither */
    RPMTRANS_FLAG_JUSTDB = (1 << 3),      /*!< from --justdb: the database only, no files */
    RPMTRANS_FLAG_NOTRIGGERS = (1 << 4),  /*!< from --notriggers */
    RPMTRANS_FLAG_NODOCS = (1 << 5),      /*!< from --excludedocs */
    RPMTRANS_FLAG_ALLFILES = (1 << 6),    /*!< from --allfiles: those that may be missing too */
    RPMTRANS_FLAG_NOCONTEXTS = (1 << 8),  /*!< from --nocontexts: files get no SELinux label */
    RPMTRANS_FLAG_NOCAPS = (1 << 9),      /*!< from --nocaps: files get no capabilities */
    RPMTRANS_FLAG_NODB = (1 << 10),       /*!< from --nodb: no database at all, only unpacking */
    RPMTRANS_FLAG_NOTRIGGERPREIN = (1 << 16), /*!< from --notriggerprein */
    RPMTRANS_FLAG_NOPRE = (1 << 17),          /*!< from --nopre */
    RPMTRANS_FLAG_NOPOST = (1 << 18),         /*!< from --nopost */
    RPMTRANS_FLAG_NOTRIGGERIN = (1 << 19),    /*!< from --notriggerin */
    RPMTRANS_FLAG_NOTRIGGERUN = (1 << 20),    /*!< from --notriggerun */
    RPMTRANS_FLAG_NOPREUN = (1 << 21),        /*!< from --nopreun */
    RPMTRANS_FLAG_NOPOSTUN = (1 << 22),       /*!< from --nopostun */
    RPMTRANS_FLAG_NOTRIGGERPOSTUN = (1 << 23), /*!< from --notriggerpostun */
    RPMTRANS_FLAG_NOPRETRANS = (1 << 24),     /*!< from --nopretrans */
    RPMTRANS_FLAG_NOPOSTTRANS = (1 << 25),    /*!< from --noposttrans */
    RPMTRANS_FLAG_NOFILEDIGEST = (1 << 27), /*!< from --nofiledigest: contents are not checked */
    RPMTRANS_FLAG_NOARTIFACTS = (1 << 29),  /*!< from --noartifacts */
    RPMTRANS_FLAG_NOCONFIGS = (1 << 30),    /*!< from --noconfigs */
    RPMTRANS_FLAG_DEPLOOPS = (int) (1u << 31), /*!< from --deploops: loops are named */
};

/** No scriptlet of a package is run. */
#define _noTransScripts \
    (RPMTRANS_FLAG_NOPRE | RPMTRANS_FLAG_NOPOST | RPMTRANS_FLAG_NOPREUN | RPMTRANS_FLAG_NOPOSTUN | \
     RPMTRANS_FLAG_NOPRETRANS | RPMTRANS_FLAG_NOPOSTTRANS)

/** No trigger is run. */
#define _noTransTriggers \
    (RPMTRANS_FLAG_NOTRIGGERPREIN | RPMTRANS_FLAG_NOTRIGGERIN | RPMTRANS_FLAG_NOTRIGGERUN | \
     RPMTRANS_FLAG_NOTRIGGERPOSTUN)

typedef rpmFlags rpmtransFlags;

/** What of a package is not checked. */
enum rpmVSFlags_e {
    RPMVSF_DEFAULT = 0,
    RPMVSF_NOHDRCHK = (1 << 0),       /*!< headers out of the rpmdb */
    RPMVSF_NEEDPAYLOAD = (1 << 1),    /*!< do without what needs the payload read */
    RPMVSF_NOSHA1HEADER = (1 << 8),   /*!< SHA-1 of the header */
    RPMVSF_NOSHA256HEADER = (1 << 9), /*!< SHA-256 of the header */
    RPMVSF_NODSAHEADER = (1 << 10),   /*!< DSA signature of the header */
    RPMVSF_NORSAHEADER = (1 << 11),   /*!< RSA signature of the header */
    RPMVSF_NOPAYLOAD = (1 << 16),     /*!< digest of the payload */
    RPMVSF_NOMD5 = (1 << 17),         /*!< MD5 of header and payload */
    RPMVSF_NODSA = (1 << 18),         /*!< DSA signature of header and payload */
    RPMVSF_NORSA = (1 << 19)          /*!< RSA signature of header and payload */
};

typedef rpmFlags rpmVSFlags;

/** No digest is checked. */
#define RPMVSF_MASK_NODIGESTS \
    (RPMVSF_NOSHA1HEADER | RPMVSF_NOSHA256HEADER | RPMVSF_NOPAYLOAD | RPMVSF_NOMD5)
#define _RPMVSF_NODIGESTS RPMVSF_MASK_NODIGESTS

/** No signature is checked. */
#define RPMVSF_MASK_NOSIGNATURES \
    (RPMVSF_NODSAHEADER | RPMVSF_NORSAHEADER | RPMVSF_NODSA | RPMVSF_NORSA)
#define _RPMVSF_NOSIGNATURES RPMVSF_MASK_NOSIGNATURES

/** Nothing of the header alone is checked. */
#define RPMVSF_MASK_NOHEADER \
    (RPMVSF_NOSHA1HEADER | RPMVSF_NOSHA256HEADER | RPMVSF_NODSAHEADER | RPMVSF_NORSAHEADER)
#define _RPMVSF_NOHEADER RPMVSF_MASK_NOHEADER

/** Nothing that needs the payload is checked. */
#define RPMVSF_MASK_NOPAYLOAD (RPMVSF_NOMD5 | RPMVSF_NOPAYLOAD | RPMVSF_NODSA | RPMVSF_NORSA)
#define _RPMVSF_NOPAYLOAD RPMVSF_MASK_NOPAYLOAD

/** Kinds of what a package can be verified by. */
enum {
    RPMSIG_NONE_TYPE = 0,
    RPMSIG_DIGEST_TYPE = (1 << 0),
    RPMSIG_SIGNATURE_TYPE = (1 << 1),
    RPMSIG_OTHER_TYPE = (1 << 2),
};

#define RPMSIG_VERIFIABLE_TYPE (RPMSIG_DIGEST_TYPE | RPMSIG_SIGNATURE_TYPE)
#define RPMSIG_UNVERIFIED_TYPE (1 << 30)

/** Operations that a transaction counts and times, see rpmtsOp(). */
typedef enum rpmtsOpX_e {
    RPMTS_OP_TOTAL = 0,
    RPMTS_OP_CHECK = 1,
    RPMTS_OP_ORDER = 2,
    RPMTS_OP_FINGERPRINT = 3,
    RPMTS_OP_INSTALL = 5,
    RPMTS_OP_ERASE = 6,
    RPMTS_OP_SCRIPTLETS = 7,
    RPMTS_OP_COMPRESS = 8,
    RPMTS_OP_UNCOMPRESS = 9,
    RPMTS_OP_DIGEST = 10,
    RPMTS_OP_SIGNATURE = 11,
    RPMTS_OP_DBADD = 12,
    RPMTS_OP_DBREMOVE = 13,
    RPMTS_OP_DBGET = 14,
    RPMTS_OP_DBPUT = 15,
    RPMTS_OP_DBDEL = 16,
    RPMTS_OP_VERIFY = 17,
    RPMTS_OP_MAX = 18
} rpmtsOpX;

/** @return an empty transaction set for "/" with one reference, the caller's */
rpmts rpmtsCreate(void);

/** Take a reference.
 * @param ts  transaction set or NULL
 * @return    ts
 */
rpmts rpmtsLink(rpmts ts);

/** Give up a reference; with the last one the set and its elements go.
 * @param ts  transaction set or NULL
 * @return    NULL always
 */
rpmts rpmtsFree(rpmts ts);

/** Drop all elements and their problems; the settings stay. */
void rpmtsEmpty(rpmts ts);

/** @return the root directory: absolute, ending in "/"; it lives until the next change */
const char *rpmtsRootDir(rpmts ts);

/** Set the directory that all paths of packages are resolved below.
 * Whether it is a directory shows in rpmtsRun().
 * @param ts       transaction set
 * @param rootDir  absolute path, or NULL for "/"
 * @return         0, or -1 for a path that is not absolute (nothing is changed)
 */
int rpmtsSetRootDir(rpmts ts, const char *rootDir);

/** @return the database, the set's; NULL while it is not open */
rpmdb rpmtsGetRdb(rpmts ts);

/** @return O_RDONLY (at first), O_RDWR with or without O_CREAT; -1: it is not opened by itself */
int rpmtsGetDBMode(rpmts ts);

/** Set how the database is opened when it is needed.
 * @param ts      transaction set whose database is not open
 * @param dbmode  see rpmtsGetDBMode()
 * @return        0, 1 if the database is open
 */
int rpmtsSetDBMode(rpmts ts, int dbmode);

/** Open the database of the set's root; one that is open in another mode is closed first.
 * Opened for reading, one that does not exist is empty. Writes are durable as the write policy
 * of the macros says: not synced by `none`, else each commit is.
 * @param ts      transaction set
 * @param dbmode  O_RDONLY, or O_RDWR with or without O_CREAT
 * @return        0, not 0 on error (logged)
 */
int rpmtsOpenDB(rpmts ts, int dbmode);

/** Close the database.
 * @return  0, not 0 on error (logged); all commits are as good as they were
 */
int rpmtsCloseDB(rpmts ts);

/** Make an empty database where there is none, holding the transaction lock.
 * @param ts     transaction set
 * @param perms  unused: files are for all to read
 * @return       0, -1 on error (logged)
 */
int rpmtsInitDB(rpmts ts, int perms);

/** Make the database anew from its headers, holding the transaction lock.
 * @param ts  transaction set without elements
 * @return    0, -1 on error (logged)
 */
int rpmtsRebuildDB(rpmts ts);

/** Check the database.
 * @return  0, -1 if there is damage (logged)
 */
int rpmtsVerifyDB(rpmts ts);

/** Begin to walk the records of the database, opening it if need be.
 * @return  see rpmdbInitIterator(), whose arguments these are
 */
rpmdbMatchIterator rpmtsInitIterator(const rpmts ts, rpmDbiTagVal rpmtag, const void *keyp,
                                     size_t keylen);

/** @return bits of the ELF classes that are installed, at first `%{_transaction_color}` */
rpm_color_t rpmtsColor(rpmts ts);

/** @return the bits that were set before */
rpm_color_t rpmtsSetColor(rpmts ts, rpm_color_t color);

/** @return bits of the ELF class that wins where both are of one path, at first
 *          `%{_prefer_color}`, or 2 */
rpm_color_t rpmtsPrefColor(rpmts ts);

/** @return the bits that were set before */
rpm_color_t rpmtsSetPrefColor(rpmts ts, rpm_color_t color);

/** Set where scriptlets write to; NULL (at first): to the caller's own output.
 * The set takes a reference.
 */
void rpmtsSetScriptFd(rpmts ts, FD_t scriptFd);

/** @return RPMVSF_* bits of what is not checked when a package's header is read */
rpmVSFlags rpmtsVSFlags(rpmts ts);

/** @return the bits that were set before */
rpmVSFlags rpmtsSetVSFlags(rpmts ts, rpmVSFlags vsflags);

/** @return RPMVSF_* bits of what rpmtsRun() does not check of the packages */
rpmVSFlags rpmtsVfyFlags(rpmts ts);

/** @return the bits that were set before */
rpmVSFlags rpmtsSetVfyFlags(rpmts ts, rpmVSFlags vfyflags);

/** @return RPMSIG_* bits of what a package must be verified by to be installed */
int rpmtsVfyLevel(rpmts ts);

/** Set what a package must be verified by. At first that is by digests.
 * Signatures cannot be verified here: with RPMSIG_SIGNATURE_TYPE rpmtsRun() fails.
 * @return  the bits that were set before
 */
int rpmtsSetVfyLevel(rpmts ts, int vfylevel);

/** @return the transaction's number; it is new in each rpmtsRun() */
rpm_tid_t rpmtsGetTid(rpmts ts);

/** @return the number that was set before */
rpm_tid_t rpmtsSetTid(rpmts ts, rpm_tid_t tid);

/** @return RPMTRANS_FLAG_* bits */
rpmtransFlags rpmtsFlags(rpmts ts);

/** @return the bits that were set before */
rpmtransFlags rpmtsSetFlags(rpmts ts, rpmtransFlags transFlags);

/** @return RPMPROB_FILTER_* bits of the rpmtsRun() in progress or done last */
rpmprobFilterFlags rpmtsFilterFlags(rpmts ts);

/** @return the transaction's counter and timer for opx, the set's; NULL for one out of range */
rpmop rpmtsOp(rpmts ts, rpmtsOpX opx);

/** The write policy at work, and what it cost. Not a call of upstream's.
 * @param ts  transaction set
 * @return    flush object, the set's, made anew by each rpmtsRun(); NULL before the first
 */
rpmFlush rpmtsFlush(rpmts ts);

/** Set the function that opens packages and is told of progress.
 * @param ts          transaction set
 * @param notify      function, see rpmCallbackFunction
 * @param notifyData  what the function gets as its data
 * @return            0
 */
int rpmtsSetNotifyCallback(rpmts ts, rpmCallbackFunction notify, rpmCallbackData notifyData);

/** Call the notify function.
 * @param ts      transaction set
 * @param te      element, or NULL for an event of the whole transaction
 * @param what    event
 * @param amount  see rpmCallbackType
 * @param total   see rpmCallbackType
 * @return        what the function returned; NULL without one
 */
void *rpmtsNotify(rpmts ts, rpmte te, rpmCallbackType what, rpm_loff_t amount, rpm_loff_t total);

/** Add a package to install, behind those added before.
 *
 * A package that is in the set already is not added again; in an upgrade neither is one whose
 * newer version is there, and an older version there gives its place to this one. An upgrade
 * adds an erase element for each installed package of this name, which depends on this one.
 *
 * @param ts       transaction set
 * @param h        header of the package, of which the set takes a reference
 * @param key      name of the package for the notify function; it must outlive the set
 * @param upgrade  not 0: installed packages of the same name are erased
 * @param relocs   NULL: relocations are not handled
 * @return         0 added (or not needed); 1 if the database cannot be read or the payload is
 *                 none that can be unpacked; 2 not added, for a relocation, a header that is not
 *                 a binary package's or whose files make no sense (the log has said why)
 */
int rpmtsAddInstallElement(rpmts ts, Header h, const fnpyKey key, int upgrade,
                           rpmRelocation *relocs);

/** Add a package to install in place of what is installed of it: as an upgrade, but only installed
 * packages of the same name, version and architecture are erased.
 * @return  as rpmtsAddInstallElement()
 */
int rpmtsAddReinstallElement(rpmts ts, Header h, const fnpyKey key);

/** Add an installed package to erase; one that is to be erased already is not added again.
 * @param ts        transaction set
 * @param h         header out of the database, of which the set takes a reference
 * @param dboffset  unused: the header knows its record
 * @return          0; 1 for a header that is not of an installed package, or makes no sense
 */
int rpmtsAddEraseElement(rpmts ts, Header h, int dboffset);

/** @return elements of the set */
int rpmtsNElements(rpmts ts);

/** @return the element, the set's; NULL for an index out of range */
rpmte rpmtsElement(rpmts ts, int ix);

/** Check the dependencies of all elements; what is not met is in rpmtsProblems().
 * @return  0 on success (with problems or without), else the check itself failed
 */
int rpmtsCheck(rpmts ts);

/** Put the elements in the order that their dependencies want.
 * @return  0, or the number of elements that could not be ordered
 */
int rpmtsOrder(rpmts ts);

/** Free what only rpmtsCheck() and rpmtsOrder() need. */
void rpmtsClean(rpmts ts);

/** Deal with what a transaction left that was cut short (a power cut, a kill), where there is such:
 * the log says which packages it had in hand and what has become of them, its temporary names are
 * removed, erasures that it had begun are finished. Not with RPMTRANS_FLAG_TEST and
 * RPMTRANS_FLAG_NODB. Not a call of upstream's.
 *
 * rpmtsRun() does the same first of all, so this is for programs that find elements by what is
 * installed: called before, they find what is there in the end. Packages that the other transaction
 * has recorded are done, and none of the set's business if they are added to it next.
 *
 * Killed at any point, it can be repeated.
 * @param ts  transaction set, its root, flags and script output set; it takes the transaction lock
 *            meanwhile, and leaves its database closed
 * @return    0, also where there is nothing to do; -1 if it could not be done (logged)
 */
int rpmtsRecover(rpmts ts);

/** Install and erase all elements, in their order.
 *
 * First rpmtsRecover(), then every package is verified and its files are compared with those of other packages and
 * with what is there; if that finds problems, nothing at all is written. Then element after
 * element. A package is unpacked to temporary names, renamed into place and recorded in the
 * database; one that fails before its renames leaves nothing behind, and all old files as they
 * were; one that fails in them keeps those that are done, and the log lists them: it is not
 * recorded. What came before it stays installed, and what was to be erased for it stays, too. The
 * files of a package to erase are removed where no other package has them, then its record.
 *
 * With RPMTRANS_FLAG_NODB there is no database: what it would know of is not there.
 *
 * In a crash temporary names (`.rpmtmp-` and hexadecimal digits) may be left. What was renamed
 * is not promised to be on the disk before the end of the call.
 *
 * @param ts         transaction set
 * @param okProbs    NULL (as upstream, unused)
 * @param ignoreSet  RPMPROB_FILTER_* bits: problems that are none
 * @return           0 all done; > 0 problems, see rpmtsProblems(), and nothing written; < 0 errors,
 *                   which the log has told of
 */
int rpmtsRun(rpmts ts, rpmps okProbs, rpmprobFilterFlags ignoreSet);

/** @return the problems of all elements, the caller's to rpmpsFree(); NULL if there are none */
rpmps rpmtsProblems(rpmts ts);

/** Forget the problems of all elements. */
void rpmtsCleanProblems(rpmts ts);

/** Begin to walk the elements of a set, which must not change meanwhile.
 * @return  iterator, the caller's to rpmtsiFree()
 */
rpmtsi rpmtsiInit(rpmts ts);

/** @return NULL always */
rpmtsi rpmtsiFree(rpmtsi tsi);

/** @return the next element of one of the types (0: of any), the set's; NULL at the end */
rpmte rpmtsiNext(rpmtsi tsi, rpmElementTypes types);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMTS_H */
