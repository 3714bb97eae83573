/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of each file of a transaction. */

#include "rpmfate.h"
#include "rpmts_internal.h"

int rpmFateDecide(rpmts ts)
{
    struct fate fate;
    int rc;

    rpmswEnter(rpmtsOp(ts, RPMTS_OP_FINGERPRINT), 0);
    rpmFateInit(&fate, ts);
    rc = rpmFateFindDirs(&fate);
    if (rc == 0) {
        rpmFateSort(&fate);
        rc = rpmFateInstalled(&fate);
    }
    if (rc == 0) {
        rpmFateOverlaps(&fate);
        rc = rpmFateDiskSpace(&fate);
    }
    rpmFateFini(&fate);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_FINGERPRINT), 0);
    return rc;
}
