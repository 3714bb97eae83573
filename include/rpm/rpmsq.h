/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMSQ_H
#define RPM_RPMSQ_H

/** @file rpm/rpmsq.h
 * Signals that must not stop a program half-way. Names as in upstream's rpm/rpmsq.h.
 *
 * While this is active, SIGINT, SIGQUIT and SIGTERM are noted only, SIGHUP and SIGPIPE ignored,
 * except those that were ignored before, which stay so. rpmtsRun() does it by itself. A library
 * never exits: the program asks afterwards what came, and exits with 128 and the signal's number.
 *
 * Safe to call from several threads.
 */

#include <rpm/rpmutil.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Has a signal come?
 * What has come is remembered until the next rpmsqActivate(1) from the inactive state.
 * @param signum  signal number
 * @return        1 if it came while active, 0 if not, -1 for a signal that is not watched
 */
int rpmsqIsCaught(int signum);

/** Have signals noted, or as they were before. Calls nest; the last rpmsqActivate(0) restores.
 * @param state  1 to begin, 0 to end
 * @return       0; -1 for an end without its beginning
 */
int rpmsqActivate(int state);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMSQ_H */
