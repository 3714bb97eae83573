/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_PSM_H
#define RPM_PSM_H

/** @file psm.h
 * What happens to one element of a transaction, step by step.
 *
 *     psmInstall(): %pre -> files to temporary names -> could every rename work? -> everything
 *                   durable -> renames -> record -> %post -> records of files replaced
 *     psmErase():   %preun -> files removed -> %postun -> record removed
 */

#include <rpm/rpmts.h>

/** Install the package of an added element.
 * @param ts  transaction set in rpmtsRun(), all decided
 * @param te  element
 * @return    0; -1 on failure (logged): if nothing of it is in place, nothing is recorded
 */
int psmInstall(rpmts ts, rpmte te);

/** The part of it that puts files in place, with the calls back for progress.
 * @param fd  package, at the first byte of its payload
 * @return    0; -1 on failure (logged)
 */
int psmPutFiles(rpmts ts, rpmte te, FD_t fd);

/** Erase the package of a removed element.
 * @return    0; -1 on failure (logged): its record stays
 */
int psmErase(rpmts ts, rpmte te);

/** Note that an element failed, and that what it would have made place for stays. */
void psmMarkFailed(rpmts ts, rpmte te);

/** Run a scriptlet of the whole transaction: of all added elements that have it. Those
 * whose scriptlet fails are marked, where that matters.
 * @param tag  RPMTAG_PRETRANS or RPMTAG_POSTTRANS
 */
void psmTransScripts(rpmts ts, rpmTagVal tag);

#endif /* RPM_PSM_H */
