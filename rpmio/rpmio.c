/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles: opening, reading, writing and closing through the stack of layers. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include <rpm/rpmstring.h>

#include "rpmio_internal.h"

#define COPY_SIZE (128 * 1024)

FD_t fdLink(FD_t fd)
{
    if (fd != NULL)
        fd->nrefs++;
    return fd;
}

FD_t fdFree(FD_t fd)
{
    if (fd == NULL)
        return NULL;
    if (--fd->nrefs > 0)
        return fd;
    fdFreeStack(fd);
    rpmDigestBundleFree(fd->digests);
    rfree(fd->descr);
    rfree(fd);
    return NULL;
}

static int isURL(const char *path)
{
    static const char *const schemes[] = { "file://", "ftp://", "hkp://", "http://", "https://" };

    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        if (rstreqn(path, schemes[i], strlen(schemes[i])))
            return 1;
    }
    return 0;
}

static FD_t openPath(const char *path, int flags)
{
    int fdno = open(path, flags | O_CLOEXEC, 0666);

    return fdno >= 0 ? fdNew(fdno, path) : NULL;
}

/* What each type but fdio makes of a path. */
static FD_t openAny(const char *path, int flags)
{
    if (isURL(path)) {
        errno = EPROTONOSUPPORT;
        return NULL;
    }
    if (!rstreq(path, "-"))
        return openPath(path, flags);
    if ((flags & O_ACCMODE) == O_RDWR) {
        errno = EINVAL;
        return NULL;
    }
    return fdDup((flags & O_ACCMODE) == O_WRONLY ? STDOUT_FILENO : STDIN_FILENO);
}

static int addLayer(FD_t fd, const struct fdMode *mode)
{
    fd->debug |= mode->debug;
    if (mode->io == NULL || mode->io->open == NULL)
        return 0;
    return fdPush(fd, mode->io, mode);
}

FD_t Fopen(const char *path, const char *fmode)
{
    struct fdMode mode;
    FD_t fd;

    if (path == NULL) {
        errno = EINVAL;
        return NULL;
    }
    if (fdParseMode(fmode, &mode))
        return NULL;
    if (mode.io == NULL || mode.io == &fdIO)
        fd = openPath(path, mode.flags);
    else
        fd = openAny(path, mode.flags);
    if (fd != NULL && addLayer(fd, &mode)) {
        int err = errno;

        fd = fdFree(fd);
        errno = err;
    }
    fdTrace(fd, "Fopen");
    return fd;
}

FD_t Fdopen(FD_t ofd, const char *fmode)
{
    struct fdMode mode;

    if (Fileno(ofd) < 0) {
        errno = EBADF;
        return NULL;
    }
    if (fdParseMode(fmode, &mode) || addLayer(ofd, &mode))
        return NULL;
    return ofd;
}

/* The layer whose failure is the handle's: the topmost that has one. */
static FDSTACK_t failed(FD_t fd)
{
    FDSTACK_t fps = fd->fps;

    while (fps != NULL && fps->syserrno == 0)
        fps = fps->below;
    return fps;
}

int Fclose(FD_t fd)
{
    FDSTACK_t fps;
    int err;

    if (fd == NULL) {
        errno = EBADF;
        return -1;
    }
    fdTrace(fd, "Fclose");
    for (fps = fd->fps; fps != NULL; fps = fps->below)
        layerClose(fps);
    fps = failed(fd);
    err = fps != NULL ? fps->syserrno : 0;
    fdPrintStats(fd);
    fdFree(fd);
    if (err == 0)
        return 0;
    errno = err;
    return -1;
}

int Ferror(FD_t fd)
{
    FDSTACK_t fps;

    if (fd == NULL)
        return -1;
    fps = failed(fd);
    if (fps == NULL)
        return 0;
    return fps->below == NULL ? fps->syserrno : -1;
}

const char *Fstrerror(FD_t fd)
{
    FDSTACK_t fps;

    if (fd == NULL)
        return errno != 0 ? strerror(errno) : "";
    fps = failed(fd);
    if (fps == NULL)
        return "";
    return fps->errtext != NULL ? fps->errtext : strerror(fps->syserrno);
}

/* Bytes of a transfer; what does not fit a result is refused. */
static ssize_t bytes(size_t size, size_t nmemb)
{
    size_t count;

    if (__builtin_mul_overflow(size, nmemb, &count) || count > SSIZE_MAX) {
        errno = EINVAL;
        return -1;
    }
    return (ssize_t)count;
}

ssize_t Fread(void *buf, size_t size, size_t nmemb, FD_t fd)
{
    ssize_t n = bytes(size, nmemb);

    if (fd == NULL || n < 0)
        return -1;
    n = layerRead(fd->fps, buf, (size_t)n);
    if (n > 0)
        fdUpdateDigests(fd, buf, (size_t)n);
    return n;
}

ssize_t Fwrite(const void *buf, size_t size, size_t nmemb, FD_t fd)
{
    ssize_t n = bytes(size, nmemb);

    if (fd == NULL || n < 0)
        return -1;
    n = layerWrite(fd->fps, buf, (size_t)n);
    if (n > 0)
        fdUpdateDigests(fd, buf, (size_t)n);
    return n;
}

int Fseek(FD_t fd, off_t offset, int whence)
{
    return fd != NULL ? layerSeek(fd->fps, offset, whence) : -1;
}

off_t Ftell(FD_t fd)
{
    return fd != NULL ? layerTell(fd->fps) : -1;
}

int Fflush(FD_t fd)
{
    return fd != NULL ? layerFlush(fd->fps) : -1;
}

int Fileno(FD_t fd)
{
    FDSTACK_t fps;

    if (fd == NULL)
        return -1;
    for (fps = fd->fps; fps->below != NULL; fps = fps->below)
        ;
    return fps->fdno;
}

int Fcntl(FD_t fd, int op, void *lip)
{
    return fcntl(Fileno(fd), op, lip);
}

off_t fdSize(FD_t fd)
{
    struct stat st;

    return fstat(Fileno(fd), &st) == 0 ? st.st_size : -1;
}

/* What /proc calls a descriptor: a path, or something like pipe:[123]. */
static char *describe(int fdno)
{
    char link[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
    char path[PATH_MAX];
    char *descr = NULL;
    ssize_t len;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fdno);
    len = readlink(link, path, sizeof(path) - 1);
    path[len > 0 ? len : 0] = '\0';
    if (path[0] == '/')
        descr = rstrdup(path);
    else if (path[0] != '\0')
        rasprintf(&descr, "[%s]", path);
    else
        rasprintf(&descr, "[fd %d]", fdno);
    return descr;
}

const char *Fdescr(FD_t fd)
{
    if (fd == NULL)
        return "[none]";
    if (fd->descr == NULL)
        fd->descr = describe(Fileno(fd));
    return fd->descr;
}

off_t ufdCopy(FD_t sfd, FD_t tfd)
{
    char *buf = rmalloc(COPY_SIZE);
    off_t total = 0;
    ssize_t n;

    while ((n = Fread(buf, 1, COPY_SIZE, sfd)) > 0) {
        if (Fwrite(buf, 1, (size_t)n, tfd) != n) {
            n = -1;
            break;
        }
        total += n;
    }
    rfree(buf);
    return n < 0 ? -1 : total;
}
