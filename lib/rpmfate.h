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

/** A file of an element, by where it is. */
struct fateEntry {
    const struct fateDir *dir;
    const char *bn;
    int ix; /**< element */
    int fx; /**< file */
};

/** All that the decisions are about. */
struct fate {
    rpmts ts;
    int n;                       /**< elements */
    void *known;                 /**< directories looked up, a tree of search.h */
    const struct fateDir ***dirs; /**< for each element, its directories */
    struct fateEntry *entries;   /**< all files that are not left out, sorted by path and element */
    size_t nentries;
    size_t **where;              /**< for each element and file, 1 + its index there; 0: left out */
    uint64_t **shared;           /**< for each element and file, 1 + bytes that another package's
                                      file of the same path takes until it is replaced; 0: none */
    uint64_t **replaced;         /**< the same for a file of an installed package */
    struct fateFs *fs;
    int nfs;
};

/** Decide the actions of all files, and make problems of conflicts and of want of space.
 * @param ts  transaction set, its root and, unless it does without, its database open
 * @return    0; -1 on errors (logged)
 */
int rpmFateDecide(rpmts ts);

/* rpmskip.c */

/** Leave out what the caller or the configuration does not want. Resets all other actions. */
void rpmFateSkip(rpmts ts, rpmte te);

/* rpmfate_paths.c */

void rpmFateInit(struct fate *fate, rpmts ts);
void rpmFateFini(struct fate *fate);

/** Find out where a directory is.
 * @return directory, the fate's; NULL with errno set */
const struct fateDir *rpmFateDir(struct fate *fate, const char *dn);

/** Find out where all directories are. @return 0; -1 on errors (logged) */
int rpmFateFindDirs(struct fate *fate);

/** Sort all files that are not left out. */
void rpmFateSort(struct fate *fate);

/** Compare paths as they are sorted. */
int rpmFateCmpPath(const struct fateEntry *a, const struct fateEntry *b);

/** @return index of the first entry of a path, or of where it would be */
size_t rpmFateFirst(const struct fate *fate, const struct fateEntry *path);

/* rpmfate_installed.c */

/** Decide what installed packages have to say: conflicts, configuration files, files that others
 * own still. @return 0; -1 on errors (logged) */
int rpmFateInstalled(struct fate *fate);

/* rpmoverlap.c */

/** Decide what is left, looking at files of the same path in other elements. */
void rpmFateOverlaps(struct fate *fate);

/** Compare two files as packages describe them.
 * @return 0 if one can stand for the other, else 1 */
int rpmFateCompare(rpmfiles a, int ax, rpmfiles b, int bx);

/** @return 1 if both have the same digest, or both none */
int rpmFateSameDigest(rpmfiles a, int ax, rpmfiles b, int bx);

/** Let the preferred ELF class win, where two packages of different ones have one path.
 * @param te      element
 * @param fx      its file, whose action is set
 * @param others  files of the other package
 * @param ox      file
 * @param other   other element, whose action may be set; NULL for an installed package
 * @return        1 if that settles the conflict, else 0
 */
int rpmFateColor(rpmts ts, rpmte te, int fx, rpmfiles others, int ox, rpmte other);

/* rpmfate_config.c */

/** Does a configuration file that is not the package's stand in the place of one? Ghosts stay as
 * they are, whatever they are.
 * @return 1 if it does, else 0 */
int rpmFateConfigConflict(rpmRoot root, rpmfiles files, int fx);

/** Decide about a configuration file that an installed package has, too: by what that package
 * brought, what the new one brings, and what is on the disk.
 * @param old          files of the installed package
 * @param ox           file
 * @param files        files of the new package
 * @param fx           file
 * @param skipMissing  not 0: one that may be missing is not brought back
 */
rpmFileAction rpmFateConfig(rpmRoot root, rpmfiles old, int ox, rpmfiles files, int fx,
                            int skipMissing);

/** @return 1 if the disk has what the new package would write, and the old one wrote */
int rpmFateNeedsNoWrite(rpmRoot root, rpmfiles old, int ox, rpmfiles files, int fx);

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
