/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_FSM_INTERNAL_H
#define RPM_FSM_INTERNAL_H

/** @file fsm_internal.h
 * What the files of the install machine share. */

#include <errno.h>
#include <sys/stat.h>

#include <rpm/argv.h>
#include <rpm/rpmarchive.h>
#include <rpm/rpmfiles.h>

#include "fsm.h"
#include "payload.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"
#include "rpmug.h"

/** Do a system call again while signals interrupt it. */
#define FSM_RETRY(rc, call) \
    do { \
        (rc) = (call); \
    } while ((rc) < 0 && errno == EINTR)

enum fsmStage {
    FSM_NONE,  /**< nothing done yet */
    FSM_SKIP,  /**< nothing to do */
    FSM_DIR,   /**< the directory is there */
    FSM_TOUCH, /**< there, only its attributes are to be set */
    FSM_TEMP,  /**< there under its temporary name */
    FSM_DONE   /**< in its place */
};

struct fsmFile {
    enum fsmStage stage;
    uint32_t temp; /**< number of the temporary name, 0 for none */
    ino_t ino;     /**< of the first temporary name of a hard link set */
    int vacant;    /**< nothing had its name when that was checked */
    int made;      /**< a directory that was not there before */
};

/** A directory of the package's list, as it was found first. */
struct fsmDir {
    int known;
    int ours; /**< made for this package, and nobody else can enter it before its mode is set */
    mode_t modes; /**< bits of a mode that files made there have if that is asked for */
    dev_t dev;
    ino_t ino;
};

struct fsm_s {
    rpmts ts;
    rpmte te;
    rpmfiles files;
    int fc;
    rpmug ug;
    struct fsmFile *f;    /**< one for each file */
    struct fsmDir *dirs;  /**< one for each directory of the list */
    int lastDir;          /**< directory checked last, -1 for none */
    int toldDir;          /**< directory whose names the write policy was told of last, or -1 */
    ARGV_t made;          /**< directories made, in order */
    ARGV_t warned;        /**< users ("u...") and groups ("g...") said to be unknown */
    rpm_loff_t total;     /**< bytes of the archive */
    rpm_loff_t done;      /**< of which this many were reported */
    rpm_loff_t nextStep;  /**< where the next report of the content in hand is due */
    int asRoot;           /**< owners and capabilities can be set */
    uid_t uid;            /**< what is made belongs to this user and group, */
    gid_t gid;            /**< but for what a directory has to say */
    char *failed;         /**< path that the failure is about, or NULL */
    char *why;            /**< and what it was */
};

/** Owner, group and mode that a file gets. */
struct fsmMeta {
    uid_t uid;
    gid_t gid;
    mode_t mode;
    struct timespec times[2];
};

/* fsm.c */

/** Record a failure: the first one counts.
 * @param fx   file it is about, or -1
 * @param rc   RPMERR_*, said with errno where that belongs to it
 * @param more what else there is to say, or NULL
 * @return     rc
 */
int fsmFail(fsm m, int fx, int rc, const char *more);

/** Record a failure of the write policy in its own words.
 * @param fx  file whose path the policy was given as a label; -1 if it may be any
 * @param rc  RPMERR_*, said where the policy has no words
 * @return    rc
 */
int fsmFailFlush(fsm m, int fx, int rc);

/** Record what went wrong with the payload, at its entry in hand. */
int fsmFailPayload(fsm m, rpmPayload p, int rc);

/** @return the action decided for a file, FA_SKIP for ghosts */
rpmFileAction fsmAction(fsm m, int fx);

/** Is a file's directory, which was opened before, the package's own? Then nothing had a name
 * in it, and what is made there belongs to this process's user and group. */
int fsmDirIsOurs(fsm m, int fx);

/** @return last component of a file's path, "." for the root itself */
const char *fsmName(fsm m, int fx);

/** Write the temporary name of a file. */
void fsmTempName(fsm m, int fx, char buf[FSM_TEMP_SIZE]);

/** Open the directory of a file, which must be the same each time.
 * @param make  create what is missing
 * @return      descriptor, the root's; RPMERR_* on failure, which is recorded
 */
int fsmDirOf(fsm m, int fx, int make);

/* fsm_make.c */

/** Make one entry of the payload under its temporary name; a directory under its own. */
int fsmMake(fsm m, rpmPayload p, int fx);

/* fsm_touch.c */

/** Tell the write policy that names in the directory of a file have changed. */
int fsmTouchNames(fsm m, int fx, int dirfd);

/** Tell it that something was made in a directory that is no regular file. */
int fsmTouchNode(fsm m, int fx, int dirfd);

/** Tell it that the attributes of an open file or directory have changed in place. */
int fsmTouchAttrs(fsm m, int fx, int fd);

/** Tell it of all directories that were made, which are in their places from the beginning. */
int fsmTouchMade(fsm m);

/* fsm_attr.c */

/** What a file gets; warns of users and groups that do not exist. */
struct fsmMeta fsmMetaOf(fsm m, int fx);

/** Set everything on an open regular file. */
int fsmAttrFd(fsm m, int fx, int fd);

/** @return mode to make a file with, its own, where nobody else can get at it before it is complete;
 *          0 where that is not so, and the mode has to be set last */
mode_t fsmBornMode(fsm m, int fx);

/** Set everything on one that was just made, and made with fsmBornMode() if that is not 0. */
int fsmAttrNew(fsm m, int fx, int fd);

/** Set everything on what cannot be opened: never follows a symlink. */
int fsmAttrAt(fsm m, int fx, int dirfd, const char *name);

/** Set owner and times of a directory; the mode comes last, with fsmAttrDirMode(). */
int fsmAttrDir(fsm m, int fx, int fd);
int fsmAttrDirMode(fsm m, int fx, int fd);

/* fsm_commit.c */

/** Open a directory of the package for its attributes: through a trusted symlink, too.
 * @return descriptor, of O_PATH where it may not be read, the caller's to close(); -1 with errno
 *         set */
int fsmOpenDir(fsm m, int fx);

/** Open a regular file with privileges of its own, about to be replaced or removed.
 * @return descriptor; -1 if it has none */
int fsmOpenPrivileged(int dirfd, const char *name);

/** Take the privileges of a file away, which may live on under another name, and close it.
 * @param fd  what fsmOpenPrivileged() returned */
void fsmDropPrivileges(rpmts ts, int fd);

/** @return suffix of the backup that an action makes, or of the name that it creates; NULL for
 * none */
const char *fsmSuffix(rpmFileAction action);

#endif /* RPM_FSM_INTERNAL_H */
