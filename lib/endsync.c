/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a transaction: every filesystem that was written to is synced, by descriptors that the
 * write policy has opened below the root, so that it is the target's and not the host's. With the
 * write policy `none` the caller sees to it, and nothing is done here. */

#include <stdlib.h>
#include <sys/stat.h>

#include <rpm/rpmlog.h>

#include "flushpolicy.h"
#include "rpmts_internal.h"

void rpmtsWillWrite(rpmts ts, int dirfd, dev_t dev, const char *path)
{
    if (ts->written && ts->writtenDev == dev)
        return;
    /* Where its owner cannot read a directory, another one will do. */
    if (rpmFlushWillWrite(ts->flush, dirfd, path))
        return;
    ts->written = 1;
    ts->writtenDev = dev;
}

void rpmtsWillWriteTo(rpmts ts, int dirfd, const char *path)
{
    struct stat sb;

    if (rpmFlushGetPolicy(ts->flush)->whether != RPMFLUSH_NONE && fstat(dirfd, &sb) == 0)
        rpmtsWillWrite(ts, dirfd, sb.st_dev, path);
}

int rpmtsEndSync(rpmts ts)
{
    int rc = 0;

    if (!rpmtsIsBatch(ts) || ts->ranScripts)
        rc = rpmFlushSyncAll(ts->flush);
    if (rc) {
        char *text = rpmFlushTakeError(ts->flush);
        rpmlog(RPMLOG_ERR, "end of the transaction: %s\n", text != NULL ? text : "syncfs failed");
        free(text);
    }
    rpmtsSayBarriers(ts);
    rpmFlushReleaseFs(ts->flush);
    ts->written = 0;
    rpmFlushGiveUp(ts->flush);
    return rc ? -1 : 0;
}
