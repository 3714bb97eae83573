/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RECOVER_H
#define RPM_RECOVER_H

/** @file recover.h
 * The transaction of a whole note: see rpmNoteRecover(). */

#include "note_text.h"

/** Bring a transaction that was cut short to an end; nothing is said if it was over.
 * @param ts    transaction set, its root and database open; SHA-1 of the headers of packages that
 *              the other one has recorded are added to its `recovered`
 * @param note  what it left
 * @return      0; -1 (logged): the note is to stay
 */
int recoverCut(rpmts ts, const struct noteText *note);

#endif /* RPM_RECOVER_H */
