/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMLOCK_H
#define RPM_RPMLOCK_H

/** @file rpmlock.h
 * The lock that keeps two commands from writing at the same time: a record lock on a file, as
 * upstream's, so that each waits for the other. Such a lock ends with the process, and when the
 * process closes any descriptor of the file: nothing else may open it. Readers need none.
 */

typedef struct rpmlock_s *rpmlock;

/** Take the lock. Where another process has it and standard input is a terminal, the log says so
 * and the call waits; else it fails.
 * @param prefix  root directory, or NULL for "/"
 * @param path    file below the root, made if it is missing, and so is its directory; NULL for
 *                `%{?_rpmlock_path}`
 * @param descr   what is locked, for messages: "transaction"
 * @return        lock, the caller's to rpmlockFree(); NULL if it cannot be had (the log has told)
 */
rpmlock rpmlockNewAcquire(const char *prefix, const char *path, const char *descr);

/** Give the lock up.
 * @param lock  lock or NULL
 * @return      NULL always
 */
rpmlock rpmlockFree(rpmlock lock);

#endif /* RPM_RPMLOCK_H */
