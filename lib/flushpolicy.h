/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_FLUSHPOLICY_H
#define RPM_FLUSHPOLICY_H

/** @file flushpolicy.h
 * The write policy in words. */

#include <rpm/rpmflush.h>
#include <rpm/rpmts.h>

/** Say a policy: a line for each macro, with the value in force and where it came from.
 * @param policy  policy as just read from the macros
 * @param say     called with data and each line, without newline
 */
void flushPolicySay(const rpmFlushPolicy *policy, void (*say)(void *data, const char *line),
                    void *data);

/** Log at debug level what the filesystems written to could not do, and which barriers they had. */
void rpmtsSayBarriers(rpmts ts);

/** @return 1 if a transaction set's policy is the method `batch`: then its elements are taken in
 * groups, in the crash-safe order of group.h */
int rpmtsIsBatch(rpmts ts);

#endif /* RPM_FLUSHPOLICY_H */
