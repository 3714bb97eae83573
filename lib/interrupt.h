/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_INTERRUPT_H
#define RPM_INTERRUPT_H

/** @file interrupt.h
 * Where signals stop a transaction, and from where on they do not.
 *
 *     rpmtsRun() has its lock    SIGINT, SIGQUIT and SIGTERM are noted, SIGHUP and SIGPIPE ignored
 *     before each longer step    if (rpmtsInterrupted(ts)) take back what is in hand, and fail
 *     before the first change    if (rpmtsNoReturn(ts)) the same
 *     after it                   nothing: the transaction is completed
 *     rpmtsRun() ends            as it was; the program asks rpmsqIsCaught() and exits
 */

#include <rpm/rpmts.h>

/** Has a signal asked to stop while that leaves everything as it was?
 * Cheap enough for every file.
 * @return  the signal's number; 0 if none has, and always after rpmtsNoReturn()
 */
int rpmtsInterrupted(rpmts ts);

/** Whoever changes something that is seen by others (renames, unlinks, changes attributes in
 * place, writes to the package database) calls this first, as often as it likes: after the first
 * call that returned 0 the transaction is completed, whatever signals say.
 * @return  0; the signal's number if one has asked to stop already: nothing may be changed
 */
int rpmtsNoReturn(rpmts ts);

/** At the end of a transaction: log what a signal came to, if there was one.
 * @return  0; -1 if it has stopped the transaction */
int rpmtsSayInterrupted(rpmts ts);

#endif /* RPM_INTERRUPT_H */
