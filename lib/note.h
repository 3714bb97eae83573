/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_NOTE_H
#define RPM_NOTE_H

/** @file note.h
 * The note of the transaction in flight, for whoever comes after a power cut or a kill.
 *
 * A file beside the package database: which packages are to come and to go, and where temporary
 * names may be (note_text.h has its form). It is on the disk before the first temporary name is
 * made, locked while the transaction lives, and removed at its end: one that can be locked is of a
 * dead process. Only the write policy `batch` makes one; whoever writes, by whatever policy, heeds
 * one that is there.
 *
 *     rpmNoteRecover(ts)               first of all: an old note
 *     rpmNoteBegin(ts, erasing)        all is decided, nothing is done
 *     rpmNoteErasing(ts, first, n)     before each group with packages to erase
 *     rpmNoteEnd(ts, keep)
 *
 * All are called within rpmtsRun(), under the transaction lock; none does anything where there is
 * no note. "-1" means that the log has told of it.
 *
 * What is due after a cut: the old records of an upgrade whose new record is there, which needs no
 * more words in the note; and packages to erase as such that were begun, which are marked so,
 * durably, beforehand: their files may be gone already.
 */

#include <rpm/rpmts.h>

/** Name of the file, in `%{_dbpath}`. */
#define NOTE_NAME ".rpm.inflight"

typedef struct rpmNote_s *rpmNote;

/** Deal with the note of a transaction that was cut short.
 * Logs warnings: which packages that transaction had in hand, and what has become of each. Its
 * temporary names are removed, the erasures that are due are done (with scriptlets, as far as
 * neither that transaction nor this set goes without), all is made durable, and the note removed.
 * If the database has everything that the note has, it is removed without a word. What is not a
 * whole note stops nobody: a torn one is removed, for then nothing was begun, anything else is
 * moved to NOTE_NAME.rpmsave; a warning tells.
 *
 * Of this set, elements go away that are done by that: packages to erase that are erased, and
 * packages to install that the other transaction has installed and recorded.
 *
 * Killed or cut at any point, it can be repeated.
 * @param ts  transaction set, its root and database open, the latter for writing
 * @return    0; -1 if a living process has the lock of the note, for errors of the database or
 *            the disk, or if a signal has stopped it: the note is still there
 */
int rpmNoteRecover(rpmts ts);

/** Write the note of this transaction, with the write policy `batch` and a database; and remove
 * temporary names of dead transactions where this one will make some.
 * Two flushes of the disk on ext4, xfs and btrfs.
 * @param ts       transaction set, all decided
 * @param erasing  how many of its first elements are packages to erase as such that are begun
 *                 right away: saves rpmNoteErasing() its flush
 * @return         0; -1: nothing may be begun
 */
int rpmNoteBegin(rpmts ts, int erasing);

/** Mark packages to erase as such as begun: before their first scriptlet or unlink.
 * One flush (btrfs: two), if there are any that are not marked.
 * @param first  first of the elements
 * @param n      how many
 * @return       0; -1: they may not be begun
 */
int rpmNoteErasing(rpmts ts, int first, int n);

/** End the note: everything is durable.
 * That it cannot be removed is no failure of the transaction, but a warning: all is recorded, so
 * the next command finds nothing due and removes it without a word. The same after a power cut,
 * which may bring it back, since its removal is not synced.
 * @param keep  not 0: the transaction failed where the next one must know of it
 */
void rpmNoteEnd(rpmts ts, int keep);

#endif /* RPM_NOTE_H */
