/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_GROUP_H
#define RPM_GROUP_H

/** @file group.h
 * The elements of a transaction, in groups: what a group shares is paid for once.
 *
 * With the write policy's method `batch` a group is a run of packages, else it is one element:
 *
 *     1. %pre of the first; every file of every package to a temporary name, attributes set
 *     2. the barrier: all of that is durable, or nothing is changed but temporary names removed
 *     3. the renames and what changes in place; with batch, what only the old versions had goes,
 *        unless they have scriptlets
 *     4. every directory and inode changed is durable (batch only)
 *     5. one commit: the new records come, the old ones go
 *     6. %post of the last; old versions with scriptlets in their turn
 *
 * A power cut in 1 and 2 leaves old files, in 3 each file old or new, in 4 and later new ones; the
 * records are never ahead of the files. A failure from 3 on leaves what was renamed, without a
 * record. One package that fails does not stop the others, unless it is the barrier that fails. */

#include <rpm/rpmts.h>

/** Process all elements of a transaction, in order, until a signal stops it.
 * @param ts  transaction set in rpmtsRun(), all decided
 * @return    number of elements that failed (logged)
 */
int groupProcess(rpmts ts);

/** How many removed elements become one group.
 * @param ix  the first of them
 * @return    number; 0 if it is not a removed one
 */
int groupErasing(rpmts ts, int ix);

/** Put the files of one package in place, without scriptlets and records.
 * @param fd  package, at the first byte of its payload
 * @return    0; -1 on failure (logged)
 */
int groupPutFiles(rpmts ts, rpmte te, FD_t fd);

#endif /* RPM_GROUP_H */
