/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_FSM_H
#define RPM_FSM_H

/** @file fsm.h
 * Putting one package's files under the root, step by step.
 *
 *     m = fsmNew(ts, te)
 *     rc = fsmUnpack(m, fd)      every file to a temporary name, attributes set
 *     rc = fsmCheck(m)           could every rename work?
 *     rc = fsmCommit(m)          the renames, and what changes in place; the write policy's `batch`
 *                                is told of each directory and inode that has to be durable
 *     on failure: fsmUndo(m), fsmStrerror(m)
 *     fsmFree(m)
 *
 * Several packages can be taken through each step together, and a barrier put before the
 * commits: until fsmCommit() no old file is touched. After a failure, and in a crash, what
 * fsmUnpack() has made is temporary names and new directories with mode 0755 or 0700.
 *
 * Temporary names are hidden, harmless to a shell and of one length: `.rpmtmp-TID-N`, both
 * numbers with eight hexadecimal digits. No package may own such a name.
 *
 * All calls return 0 or a negative RPMERR_*; after a failure only fsmUndo(), fsmStrerror() and
 * fsmFree() make sense.
 */

#include <rpm/rpmts.h>
#include <rpm/rpmtypes.h>

#include "rpmroot.h"

typedef struct fsm_s *fsm;

/** Bytes of a temporary name, its NUL included. */
#define FSM_TEMP_SIZE sizeof(".rpmtmp-00000000-00000000")

/** Log once for the transaction that ordinary users get less. */
void fsmSayUser(rpmts ts);

/** Start with a package.
 * @param ts  transaction set, its root open
 * @param te  element, the actions of its files decided
 * @return    machine for this package, the caller's to fsmFree(); ts and te outlive it
 */
fsm fsmNew(rpmts ts, rpmte te);

/** @return NULL always */
fsm fsmFree(fsm m);

/** Unpack all files, each under the set's write policy; calls back with
 * RPMCALLBACK_INST_PROGRESS.
 * @param m   machine
 * @param fd  package, at the first byte of its payload
 */
int fsmUnpack(fsm m, FD_t fd);

/** Look for what would stop a rename: directories in the way of files, immutable files, files of
 * the package that one of its own symlinks would move elsewhere. */
int fsmCheck(fsm m);

/** @return 1 if a file is there under a temporary name, about to be renamed, else 0 */
int fsmWillRename(fsm m, int fx);

/** Put everything in its place. */
int fsmCommit(fsm m);

/** Take back what is not in its place yet: temporary names, and new directories that are empty.
 * If fsmCommit() had put files in place, they are listed in the log. */
void fsmUndo(fsm m);

/** @return 0, or a failure if a signal asks to stop while it may: see interrupt.h */
int fsmInterrupted(fsm m);

/** Record that the write policy's barrier failed.
 * @param text  the policy's sentence, or NULL
 * @param error errno, for want of a sentence
 */
void fsmFailBarrier(fsm m, const char *text, int error);

/** Log which files are in their places. */
void fsmSayDone(fsm m);

/** Open what the write policy knows by its path: a file under its temporary name or, where it has
 * none, what has the path itself.
 * @param list  machines of the group
 * @param n     how many
 * @param path  path that was given as a label, below the root
 * @return      descriptor, the caller's to close(); -1 with errno set
 */
int fsmReopen(const fsm *list, int n, rpmRoot root, const char *path);

/** @return what failed, in one line with the file's path; the caller's to rfree() */
char *fsmStrerror(fsm m);

/** Remove the files of a package to erase, as its actions say. What was changed in configuration
 * files is kept.
 * @param ts   transaction set, its root open
 * @param te   element, the actions of its files decided
 * @param say  not 0: call back with RPMCALLBACK_UNINST_PROGRESS
 * @return     0; -1 with `%_strict_erasures` if a file cannot be removed, or if what was removed
 *             cannot be made durable (logged)
 */
int fsmErase(rpmts ts, rpmte te, int say);

/** The calls back that fsmErase() has left out. */
void fsmSayErased(rpmts ts, rpmte te);

/** Is this the form of a temporary name? */
int fsmIsTemp(const char *name);

#endif /* RPM_FSM_H */
