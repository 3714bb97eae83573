/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stack of layers: calls on one layer, counted, with its first failure kept. */

#include <errno.h>

#include <rpm/rpmutil.h>

#include "rpmio_internal.h"

/* A layer counts as having failed only once: what follows a failure is its consequence. */
static void keepErrno(FDSTACK_t fps, int err)
{
    if (fps->syserrno == 0)
        fps->syserrno = err;
}

int layerFail(FDSTACK_t fps, int err, const char *text)
{
    if (fps->syserrno == 0 && text != NULL)
        fps->errtext = rstrdup(text);
    keepErrno(fps, err);
    errno = err;
    return -1;
}

/* Did a layer below this one fail? */
static int failedBelow(FDSTACK_t fps)
{
    for (fps = fps->below; fps != NULL; fps = fps->below) {
        if (fps->syserrno != 0)
            return 1;
    }
    return 0;
}

static int enter(FDSTACK_t fps, fdOpX opx, int present)
{
    if (fps->closed)
        return layerFail(fps, EBADF, NULL);
    if (!present) {
        errno = ESPIPE;
        return -2;
    }
    rpmswEnter(&fps->ops[opx], 0);
    return 0;
}

/* A failure that came up from below is kept there, with the words for it. */
static ssize_t leave(FDSTACK_t fps, fdOpX opx, ssize_t rc)
{
    int err = errno;

    rpmswExit(&fps->ops[opx], rc);
    if (rc < 0 && !failedBelow(fps))
        keepErrno(fps, err);
    errno = err;
    return rc;
}

ssize_t layerRead(FDSTACK_t fps, void *buf, size_t count)
{
    int rc = enter(fps, FDSTAT_READ, fps->io->read != NULL);

    return rc ? rc : leave(fps, FDSTAT_READ, fps->io->read(fps, buf, count));
}

ssize_t layerWrite(FDSTACK_t fps, const void *buf, size_t count)
{
    int rc = enter(fps, FDSTAT_WRITE, fps->io->write != NULL);

    return rc ? rc : leave(fps, FDSTAT_WRITE, fps->io->write(fps, buf, count));
}

int layerSeek(FDSTACK_t fps, off_t pos, int whence)
{
    int rc = enter(fps, FDSTAT_SEEK, fps->io->seek != NULL);

    if (rc)
        return rc;
    rc = fps->io->seek(fps, pos, whence);
    leave(fps, FDSTAT_SEEK, rc);
    return rc;
}

off_t layerTell(FDSTACK_t fps)
{
    if (fps->closed)
        return layerFail(fps, EBADF, NULL);
    return fps->io->tell(fps);
}

int layerFlush(FDSTACK_t fps)
{
    if (fps->closed)
        return layerFail(fps, EBADF, NULL);
    return fps->io->flush != NULL ? fps->io->flush(fps) : 0;
}

int layerClose(FDSTACK_t fps)
{
    int rc;

    if (fps->closed)
        return 0;
    rpmswEnter(&fps->ops[FDSTAT_CLOSE], 0);
    rc = fps->io->close(fps);
    fps->closed = 1;
    fps->state = NULL;
    fps->fdno = -1;
    leave(fps, FDSTAT_CLOSE, rc);
    return rc;
}

int fdPush(FD_t fd, FDIO_t io, const struct fdMode *mode)
{
    FDSTACK_t fps = rcalloc(1, sizeof(*fps));

    fps->io = io;
    fps->fdno = -1;
    fps->below = fd->fps;
    if (io->open(fps, mode)) {
        rfree(fps->errtext);
        rfree(fps);
        return -1;
    }
    fd->fps = fps;
    return 0;
}

void fdFreeStack(FD_t fd)
{
    FDSTACK_t below;

    for (FDSTACK_t fps = fd->fps; fps != NULL; fps = below) {
        below = fps->below;
        layerClose(fps);
        rfree(fps->errtext);
        rfree(fps);
    }
    fd->fps = NULL;
}
