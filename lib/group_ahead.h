/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_GROUP_AHEAD_H
#define RPM_GROUP_AHEAD_H

/** @file group_ahead.h
 * Old versions that go together with the new one, ahead of their turn. */

#include <rpm/rpmts.h>

typedef struct ahead_s *ahead;

/** @return what is known of a transaction that runs, the caller's to aheadFree() */
ahead aheadNew(rpmts ts);

/** @return NULL always */
ahead aheadFree(ahead a);

/** Can the files of a removed element go before its turn comes, with no other result? Not while
 * others have files below its directories and symlinks that come or go before it in order.
 * All calls of a transaction together take time by its number of paths.
 * @param ix    element
 * @param done  added elements up to this one are in their places; never less than the last time
 * @return      1 or 0
 */
int aheadMay(ahead a, int ix, int done);

#endif /* RPM_GROUP_AHEAD_H */
