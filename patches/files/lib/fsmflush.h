/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _FSMFLUSH_H
#define _FSMFLUSH_H

/* The write policy of a transaction, as the file state machine sees it. Failures are logged. */

#include <sys/types.h>

#include <rpm/rpmflush.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fsmFlush_s * fsmFlush;

#pragma GCC visibility push(hidden)

/* Reads the policy from the macros; what an earlier transaction has left in *flushp is ended.
 * 0, or -1 if a macro has a value that is none: nothing should be written then. */
int fsmFlushBegin(fsmFlush *flushp);

/* The same, unless that has been done: source packages are installed without a transaction. */
int fsmFlushEnsure(fsmFlush *flushp);

fsmFlush fsmFlushFree(fsmFlush flush);

/* ---- Filesystems ---- */

/* The filesystem of a path will be written to: it is opened now, inside of the root, so that the
 * sync at the end is of the right one and hears of each failure since. */
void fsmFlushFilesystem(fsmFlush flush, const char *path);

/* A directory has been entered to unpack into it. */
void fsmFlushDirectory(fsmFlush flush, int dirfd, const char *dn);

/* Sync all of them. 0 or -1. */
int fsmFlushEnd(fsmFlush flush);

/* ---- Files ---- */

/* What open() has to be told. */
int fsmFlushOpenFlags(fsmFlush flush);

/* Is everything that is closed to be synced, directories too, as before there were policies? */
int fsmFlushClosed(fsmFlush flush);

/* A file is going to be written to; the one in hand from now on. 0 or -1. */
int fsmFlushFileNew(fsmFlush flush, int fdno, rpm_loff_t size, const char *dn, const char *name);

/* The file in hand, NULL if there is nothing to do for it. */
rpmFlushFile fsmFlushFile(fsmFlush flush);

/* ---- What is no file ---- */

/* A node that has no contents was made in a directory. */
void fsmFlushNode(fsmFlush flush, int dirfd, const char *dn);

/* A directory was made on the way to a file, path. */
void fsmFlushMadeDir(fsmFlush flush, int dirfd, int fdno, const char *path);

/* What belongs to a package has its contents and attributes: *fdp is a descriptor of it or -1. A
 * file in hand is made as durable as is promised here and closed, or given up if it failed.
 * 0 or -1. */
int fsmFlushDone(fsmFlush flush, int *fdp, int dirfd, const char *dn, const char *name,
		 mode_t mode, int isnew, int failed);

/* ---- The order ---- */

/* All of a package is unpacked, or the package failed. 0 if files may get their names, else -1. */
int fsmFlushUnpacked(fsmFlush flush, int failed);

/* A name has changed in a directory. */
void fsmFlushRenamed(fsmFlush flush, int dirfd, const char *dn);

/* All names have changed, or the package failed: 0 if that may be recorded, else -1. */
int fsmFlushCommitted(fsmFlush flush, int failed);

/* What it took, to stderr. */
void fsmFlushPrintStats(fsmFlush flush);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* _FSMFLUSH_H */
