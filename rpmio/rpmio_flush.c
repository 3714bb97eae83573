/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A handle under a write policy: its plain layer writes and closes through a file object. */

#include <errno.h>

#include "rpmio_internal.h"

static const struct {
    fdOpX opx;
    rpmFlushKind kind;
} kept[] = {
    { FDSTAT_ALLOC, RPMFLUSH_KIND_ALLOC },
    { FDSTAT_DSYNC, RPMFLUSH_KIND_DSYNC },
    { FDSTAT_SYNC, RPMFLUSH_KIND_SYNC },
    { FDSTAT_ADVISE, RPMFLUSH_KIND_ADVISE },
};
#define NKEPT (sizeof(kept) / sizeof(kept[0]))

static FDSTACK_t plainLayer(FD_t fd)
{
    FDSTACK_t fps = fd->fps;

    while (fps->below != NULL)
        fps = fps->below;
    return fps;
}

static void keepCounts(FDSTACK_t fps)
{
    for (size_t i = 0; i < NKEPT; i++)
        fps->ops[kept[i].opx] = *rpmFlushFileOp(fps->state, kept[i].kind);
}

rpmop fdFlushOp(FD_t fd, fdOpX opx)
{
    FDSTACK_t fps = plainLayer(fd);

    if (fps->state != NULL)
        keepCounts(fps);
    return &fps->ops[opx];
}

int fdCloseFlushed(FDSTACK_t fps)
{
    int rc = rpmFlushFileClose(fps->state);
    int err = errno;

    keepCounts(fps);
    fps->state = rpmFlushFileFree(fps->state);
    errno = err;
    return rc;
}

int fdSetFlush(FD_t fd, rpmFlush flush, int64_t size, const char *label)
{
    rpmFlushFile file = NULL;
    FDSTACK_t fps;

    if (Fileno(fd) < 0) {
        errno = EBADF;
        return -1;
    }
    fps = plainLayer(fd);
    fps->state = rpmFlushFileFree(fps->state);
    if (flush == NULL)
        return 0;
    if (rpmFlushFileNew(flush, fps->fdno, size, label ? label : Fdescr(fd), &file))
        return layerFail(fps, errno, NULL);
    fps->state = file;
    return 0;
}
