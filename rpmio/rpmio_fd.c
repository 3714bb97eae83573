/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bottom layer: a plain descriptor. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include <rpm/rpmutil.h>

#include "rpmio_internal.h"

FD_t fdNew(int fdno, const char *descr)
{
    FD_t fd = rcalloc(1, sizeof(*fd));

    fd->nrefs = 1;
    fd->descr = descr != NULL ? rstrdup(descr) : NULL;
    fd->fps = rcalloc(1, sizeof(*fd->fps));
    fd->fps->io = &fdIO;
    fd->fps->fdno = fdno;
    return fd;
}

FD_t fdDup(int fdno)
{
    int copy = fcntl(fdno, F_DUPFD_CLOEXEC, 0);

    return copy >= 0 ? fdNew(copy, NULL) : NULL;
}

FD_t fdTake(int fdno)
{
    return fdNew(fdno, NULL);
}

/* After a failed call: is it worth another one? Waits for a descriptor that is not ready. */
static int again(int fdno, short events)
{
    struct pollfd pfd = { .fd = fdno, .events = events };

    if (errno == EINTR)
        return 1;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return 0;
    return poll(&pfd, 1, -1) >= 0 || errno == EINTR;
}

static ssize_t fdRead(FDSTACK_t fps, void *buf, size_t count)
{
    ssize_t n;

    do {
        n = read(fps->fdno, buf, count);
    } while (n < 0 && again(fps->fdno, POLLIN));
    return n;
}

static ssize_t fdWrite(FDSTACK_t fps, const void *buf, size_t count)
{
    const char *from = buf;
    size_t left = count;

    if (fps->state != NULL)
        return rpmFlushFileWrite(fps->state, buf, count);
    while (left > 0) {
        ssize_t n = write(fps->fdno, from, left);

        if (n == 0)
            errno = EIO; /* no progress: waiting for some could take for ever */
        if (n == 0 || (n < 0 && !again(fps->fdno, POLLOUT)))
            return -1;
        if (n > 0) {
            from += n;
            left -= (size_t)n;
        }
    }
    return (ssize_t)count;
}

static int fdSeek(FDSTACK_t fps, off_t pos, int whence)
{
    off_t at = lseek(fps->fdno, pos, whence);

    if (at >= 0 && fps->state != NULL)
        rpmFlushFileSought(fps->state, at);
    return at < 0 ? -1 : 0;
}

static off_t fdTell(FDSTACK_t fps)
{
    return lseek(fps->fdno, 0, SEEK_CUR);
}

/* Never twice, whatever it says: the descriptor is gone, and its number may be another's. */
static int fdClose(FDSTACK_t fps)
{
    return fps->state != NULL ? fdCloseFlushed(fps) : close(fps->fdno);
}

const struct FDIO_s fdIO = {
    .ioname = "fdio",
    .label = "FDIO",
    .read = fdRead,
    .write = fdWrite,
    .seek = fdSeek,
    .tell = fdTell,
    .close = fdClose,
};

/* Only a name in mode strings, for another way of taking the path: handles have fdIO. */
const struct FDIO_s ufdIO = {
    .ioname = "ufdio",
};
