/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a transaction: every filesystem that was written to is synced, by descriptors opened
 * below the root, so that it is the target's and not the host's. With the write policy `none` the
 * caller sees to it, and nothing is done here. */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmts_internal.h"

static int isNoted(rpmts ts, dev_t dev)
{
    for (int i = 0; i < ts->nEndSyncs; i++) {
        if (ts->endSyncs[i].dev == dev)
            return 1;
    }
    return 0;
}

void rpmtsWillWrite(rpmts ts, int dirfd, dev_t dev, const char *path)
{
    struct endSync noted = { .dev = dev };

    if (rpmFlushGetPolicy(ts->flush)->whether == RPMFLUSH_NONE || isNoted(ts, dev))
        return;
    noted.fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (noted.fd < 0)
        return; /* its owner cannot read it: another directory will do */
    noted.path = rstrdup(path);
    ts->endSyncs = rreallocn(ts->endSyncs, ts->nEndSyncs + 1, sizeof(*ts->endSyncs));
    ts->endSyncs[ts->nEndSyncs++] = noted;
}

void rpmtsWillWriteTo(rpmts ts, int dirfd, const char *path)
{
    struct stat sb;

    if (rpmFlushGetPolicy(ts->flush)->whether != RPMFLUSH_NONE && fstat(dirfd, &sb) == 0)
        rpmtsWillWrite(ts, dirfd, sb.st_dev, path);
}

static int syncOne(rpmts ts, struct endSync *noted)
{
    char *text;

    if (rpmFlushSyncFs(ts->flush, noted->fd, noted->path) == 0)
        return 0;
    text = rpmFlushTakeError(ts->flush);
    rpmlog(RPMLOG_ERR, "end of the transaction: %s\n", text != NULL ? text : noted->path);
    free(text);
    return -1;
}

int rpmtsEndSync(rpmts ts)
{
    int rc = 0;

    for (int i = 0; i < ts->nEndSyncs; i++) {
        struct endSync *noted = &ts->endSyncs[i];

        if (syncOne(ts, noted))
            rc = -1;
        close(noted->fd);
        rfree(noted->path);
    }
    ts->endSyncs = rfree(ts->endSyncs);
    ts->nEndSyncs = 0;
    rpmFlushGiveUp(ts->flush);
    return rc;
}
