/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMFATE_H
#define RPM_RPMFATE_H

/** @file rpmfate.h
 * What becomes of each file of a transaction, decided before anything is written. */

#include <sys/types.h>

#include <rpm/rpmfiles.h>
#include <rpm/rpmts.h>

#include "rpmroot.h"

/** Where a directory of a package's list is: the deepest one that exists, and what is missing. */
struct fateDir {
    dev_t dev;
    ino_t ino;
    char *rest;
    int fs; /**< index of its filesystem */
};

/** A filesystem, and what the transaction needs of it. All in its blocks and inodes. */
struct fateFs {
    dev_t dev;
    char *name;        /**< where it is mounted, seen from the root */
    int readOnly;
    int64_t blockSize;
    int64_t blocksFree;
    int64_t inodesFree; /**< -1: it has no fixed number */
    int64_t blocks;
    int64_t inodes;
    int64_t blocksOver; /**< of the above, gone again when the package is in place */
    int64_t inodesOver;
    int64_t blocksSaid; /**< a problem was made of so many */
    int64_t inodesSaid;
};

/** All that the decisions are about. */
struct fate {
    rpmts ts;
    int n;                   /**< elements */
    struct fateDir **dirs;   /**< for each element, its directories */
    uint64_t **shared;       /**< for each element and file, 1 + bytes that another package's file
                                  of the same path takes until it is replaced; 0 for none */
    struct fateFs *fs;
    int nfs;
};

/** Decide the actions of all files, and make problems of conflicts and of want of space.
 * @param ts  transaction set, its root open
 * @return    0; -1 on errors (logged)
 */
int rpmFateDecide(rpmts ts);

/* rpmskip.c */

/** Leave out what the caller or the configuration does not want. Resets all other actions. */
void rpmFateSkip(rpmts ts, rpmte te);

/* rpmoverlap.c */

/** Find out where all directories are. @return 0; -1 on errors (logged) */
int rpmFateFindDirs(struct fate *fate);

/** Decide the fate of each file, looking at those of the same path in other packages.
 * @return 0; -1 on errors (logged) */
int rpmFateOverlaps(struct fate *fate);

/** Compare two files as packages describe them.
 * @return 0 if one can stand for the other, else 1 */
int rpmFateCompare(rpmfiles a, int ax, rpmfiles b, int bx);

/* rpmfate.c */

/** Does a configuration file that is not the package's stand in the place of one?
 * @return 1 if it does, else 0 */
int rpmFateConfigConflict(rpmRoot root, rpmfiles files, int fx);

/* diskspace.c */

/** Find or note the filesystem of an open directory.
 * @param fd    directory
 * @param path  its path below the root
 * @return      index; -1 with errno set
 */
int rpmFateFilesystem(struct fate *fate, int fd, const char *path);

/** Add up what each package needs, and make problems of what is not there.
 * @return 0; -1 for a read-only filesystem (logged) */
int rpmFateDiskSpace(struct fate *fate);

#endif /* RPM_RPMFATE_H */
