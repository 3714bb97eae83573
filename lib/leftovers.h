/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_LEFTOVERS_H
#define RPM_LEFTOVERS_H

/** @file leftovers.h
 * Temporary names that a transaction left behind. Nothing else ever bears such a name, so that what
 * has one, a directory with all that is in it too, is removed without looking. */

#include <rpm/rpmts.h>

/** Remove those of one transaction.
 * @param ts    transaction set, its root open
 * @param tid   that transaction
 * @param dirs  directories below the root; what is not there has none
 * @param n     how many
 * @return      how many were removed; what cannot be is logged
 */
int leftoversOf(rpmts ts, rpm_tid_t tid, char *const *dirs, int n);

/** Remove those of any dead transaction. Other transactions than this one are alive, maybe, if they
 * have another database below the same root: so only what is older than the running system, or than
 * a day, is taken for dead. */
int leftoversOfDead(rpmts ts, char *const *dirs, int n);

#endif /* RPM_LEFTOVERS_H */
