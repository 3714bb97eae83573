/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMTS_INTERNAL_H
#define RPM_RPMTS_INTERNAL_H

/** @file rpmts_internal.h
 * Transaction sets inside the library. */

#include <sys/resource.h>

#include <rpm/argv.h>
#include <rpm/rpmts.h>

#include "rpmroot.h"

struct rpmts_s {
    int nrefs;
    char *rootDir;                /**< absolute, with its final slash */
    rpmtransFlags flags;
    rpmprobFilterFlags ignoreSet;
    rpmVSFlags vsflags;
    rpmVSFlags vfyflags;
    int vfylevel;
    rpm_tid_t tid;
    rpmCallbackFunction notify;
    rpmCallbackData notifyData;
    rpmte *elements;
    int nelements;
    rpmdb rdb;                    /**< NULL while it is not open */
    int dbmode;                   /**< how it is opened, -1: not by itself */
    rpm_color_t color;
    rpm_color_t prefColor;
    FD_t scriptFd;                /**< NULL: output of scriptlets goes where the caller's does */
    int64_t overrideTime;         /**< seconds, -1: the clock's */
    struct rpmop_s ops[RPMTS_OP_MAX];
    rpmFlush flush;               /**< write policy of the last rpmtsRun(), NULL before */
    ARGV_t recovered;             /**< SHA-1 of the headers of packages that a transaction has
                                       recorded which was cut short; NULL for none */

    /* While rpmtsRun() runs: */
    rpmRoot root;
    uint32_t temps;               /**< temporary names used so far */
    int noReturn;                 /**< something was changed: signals do not stop it, see
                                       interrupt.h */
    struct rlimit nofile;         /**< limit of descriptors as it was at the start */
    int saidUser;                 /**< the note to ordinary users was logged */
    int ranScripts;               /**< scriptlets did, and may have written anything */
    int finishing;                /**< erasures were begun before: what is gone is no matter */
    int keepNote;                 /**< files were put in place that are not recorded */
    struct rpmNote_s *note;       /**< of this transaction, while it is in flight */
    int written;                  /**< the write policy was told of this filesystem last: */
    dev_t writtenDev;
};

/** Tell the write policy that something is going to be written below a directory.
 * @param dirfd  descriptor, O_PATH will do
 * @param dev    its device
 * @param path   for messages
 */
void rpmtsWillWrite(rpmts ts, int dirfd, dev_t dev, const char *path);

/** The same without its device, which is looked up. */
void rpmtsWillWriteTo(rpmts ts, int dirfd, const char *path);

/** Tell it of the filesystems that are mounted below the root, for what may be written anywhere:
 * those of local disks that can be written to, as /proc/self/mounts has them, but not below /media,
 * /mnt and /run. Where that cannot be read, of none.
 * @param rootfd  the root's descriptor, O_PATH will do
 */
void rpmtsWillWriteMounts(rpmts ts, int rootfd);

/** Sync every filesystem that was written to, and forget them. Nothing is left to sync where each
 * group of the method `batch` has seen to it, and no scriptlet has run.
 * @return 0, -1 if one failed, which is logged
 */
int rpmtsEndSync(rpmts ts);

/** Read the write policy from the macros, and log it at debug level.
 * @return 0, -1 if a macro's value is unknown, which is logged
 */
int rpmtsReadPolicy(rpmts ts);

/** Read the package of each added element, and compare it with what it says of itself: a problem
 * for each that is not as it should be. Until a signal asks to stop.
 * @return 0, -1 if a macro's value is unknown, which is logged
 */
int rpmtsVerifyPackages(rpmts ts);

/** Let the write policy's method `batch` hold as many descriptors as it may, until the function
 * that rpmtsRunBelow() runs ends. Scriptlets get the limit as it was. */
void rpmtsRaiseLimit(rpmts ts);

/** Run a function as rpmtsRun() runs: with the root open, a new transaction number and the umask of
 * packages. What changes files has to see to signals (rpmsqActivate()).
 * @param run   function: 0 or not, which is what the call returns
 * @param data  for the function
 * @return      what run() returned; -1 if the root cannot be opened (logged)
 */
int rpmtsRunBelow(rpmts ts, int (*run)(rpmts ts, void *data), void *data);

/** Within that, run what writes: under the transaction lock, and with signals held back.
 * @param locks  0: without the lock
 * @param run    function: 0 or not, which is what the call returns
 * @param data   for the function
 * @return       what run() returned; -1 if there is no lock, or a signal has stopped it (logged)
 */
int rpmtsRunLocked(rpmts ts, int locks, int (*run)(rpmts ts, void *data), void *data);

/** @return 1 if the set is for the running system, 0 for another root */
int rpmtsIsHost(rpmts ts);

/** @return seconds since 1970; of $SOURCE_DATE_EPOCH, if that is set, which then advances by
 * step */
rpm_time_t rpmtsGetTime(rpmts ts, int step);

/** @return where scriptlets write to, the set's; NULL: where the caller writes to */
FD_t rpmtsScriptFd(rpmts ts);

/** @return the element that erases a record; NULL for none */
rpmte rpmtsRemoved(rpmts ts, unsigned int hdrNum);

#endif /* RPM_RPMTS_INTERNAL_H */
