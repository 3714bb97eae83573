/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_NOTE_FILE_H
#define RPM_NOTE_FILE_H

/** @file note_file.h
 * The note as a file: found by descriptor below the root, never through a symlink. */

#include <sys/types.h>

#include "note.h"
#include "rpmroot.h"

struct rpmNote_s {
    char *path; /**< for messages */
    int dirfd;  /**< of its directory, O_PATH */
    int fd;     /**< of the file, -1: not open; it has the lock */
    off_t begun; /**< offset of the marks */
    char *marks; /**< one for each package to erase as such */
    int error;   /**< errno of the first mark that may not be on the disk: none is relied on then */
};

/** Find the directory.
 * @param root  the set's
 * @return      note without a file, for noteFree(); dirfd is -1, with errno, if there is none */
rpmNote noteNew(rpmts ts, rpmRoot root);

/** Close everything, and give up the lock.
 * @return  NULL always */
rpmNote noteFree(rpmNote note);

/** Log that something cannot be done with the file, for errno.
 * @return  -1 */
int noteFail(rpmNote note, const char *what);

/** Take the lock that says that the transaction lives: an open file description's.
 * @return  0, also where the filesystem has no locks; -1: another process has it */
int noteLock(rpmNote note);

/** Remove the file, where it is. @return 0, -1 (logged) */
int noteRemove(rpmNote note);

#endif /* RPM_NOTE_FILE_H */
