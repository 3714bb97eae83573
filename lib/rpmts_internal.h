/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMTS_INTERNAL_H
#define RPM_RPMTS_INTERNAL_H

/** @file rpmts_internal.h
 * Transaction sets inside the library. */

#include <rpm/rpmts.h>

#include "rpmroot.h"

struct rpmts_s {
    int nrefs;
    char *rootDir;                /**< absolute, with its final slash */
    rpmtransFlags flags;
    rpmprobFilterFlags ignoreSet;
    rpmVSFlags vsflags;
    rpmVSFlags vfyflags;
    int vfylevel;
    rpm_tid_t tid;
    rpmCallbackFunction notify;
    rpmCallbackData notifyData;
    rpmte *elements;
    int nelements;
    struct rpmop_s ops[RPMTS_OP_MAX];

    /* While rpmtsRun() runs: */
    rpmRoot root;
    uint32_t temps;               /**< temporary names used so far */
    int saidUser;                 /**< the note to ordinary users was logged */
};

/** @return 1 if the set is for the running system, 0 for another root */
int rpmtsIsHost(rpmts ts);

#endif /* RPM_RPMTS_INTERNAL_H */
