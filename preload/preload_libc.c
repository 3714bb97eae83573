/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C library's names, as the process sees them. Outside of a transaction each is what it stands
 * for, cancellation points and errors included. */

/* open and open64 are two names here. */
#undef _FILE_OFFSET_BITS

#include "preload_internal.h"
#include "preload_real.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void start(void)
{
    shimRealStart();
    shimEnvStart();
    shimRunStart();
}

/* ---- Files ---- */

/* One function for the four names of open: those with a directory have it, the others AT_FDCWD. */
static int opens(int (*real)(int dirfd, const char *path, int flags, ...), int dirfd,
                 const char *path, int flags, mode_t mode)
{
    int packaged = shimStepOpens(path, &flags);
    int fdno = packaged < 0 ? -1 : real(dirfd, path, flags, mode);

    if (fdno >= 0 && packaged > 0)
        shimStepOpened(fdno, dirfd, path);
    return fdno;
}

int openat(int dirfd, const char *path, int flags, ...)
{
    mode_t mode = 0;

    SHIM_MODE(flags, mode);
    return opens(shimReal.openat, dirfd, path, flags, mode);
}

int openat64(int dirfd, const char *path, int flags, ...)
{
    mode_t mode = 0;

    SHIM_MODE(flags, mode);
    return opens(shimReal.openat64, dirfd, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;

    SHIM_MODE(flags, mode);
    return opens(shimReal.openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    mode_t mode = 0;

    SHIM_MODE(flags, mode);
    return opens(shimReal.openat64, AT_FDCWD, path, flags, mode);
}

int dup(int fd)
{
    int copy = shimReal.dup(fd);

    if (shimRun != NULL && copy >= 0)
        shimStepCopied(fd, copy);
    return copy;
}

ssize_t write(int fd, const void *buf, size_t n)
{
    struct shimFile *file = shimRun ? shimStepFile(fd) : NULL;

    return file ? shimFileWrite(shimRun->flush, file, buf, n) : shimReal.write(fd, buf, n);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    if (shimRun != NULL && shimRunRecords())
        return -1;
    return shimReal.pwrite(fd, buf, n, at);
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
    if (shimRun != NULL && shimRunRecords())
        return -1;
    return shimReal.pwrite64(fd, buf, n, at);
}

int close(int fd)
{
    return shimRun ? shimStepClose(fd) : shimReal.close(fd);
}

/* ---- Syncs ---- */

/* What a sync that is left out returns. */
static int validOnly(int fd)
{
    return fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

int fsync(int fd)
{
    if (shimNone)
        return validOnly(fd);
    if (shimRun != NULL) {
        if (shimStepCovers(fd))
            return 0;
        if (shimRunRecords())
            return -1;
    }
    return shimReal.fsync(fd);
}

/* Databases': rpm's own are all of the other kind. */
int fdatasync(int fd)
{
    if (shimNone)
        return validOnly(fd);
    if (shimRun != NULL && shimRunRecords())
        return -1;
    return shimReal.fdatasync(fd);
}

int syncfs(int fd)
{
    int rc;

    if (shimNone)
        return validOnly(fd);
    return shimRunEndSync(fd, &rc) ? rc : shimReal.syncfs(fd);
}

/* ---- Names ---- */

static void renamed(int fd, const char *from, int tofd, const char *to)
{
    if (fd != tofd || strchr(from, '/') != NULL)
        shimStepNamed(fd, from);
    shimStepNamed(tofd, to);
}

int renameat(int fd, const char *from, int tofd, const char *to)
{
    int rc;

    if (shimRun != NULL && shimStepMayRename(to))
        return -1;
    rc = shimReal.renameat(fd, from, tofd, to);
    if (shimRun != NULL && rc == 0)
        renamed(fd, from, tofd, to);
    return rc;
}

int rename(const char *from, const char *to)
{
    int rc;

    if (shimRun != NULL && shimStepMayRename(to))
        return -1;
    rc = shimReal.rename(from, to);
    if (shimRun != NULL && rc == 0)
        renamed(AT_FDCWD, from, AT_FDCWD, to);
    return rc;
}

int unlinkat(int fd, const char *path, int flags)
{
    int rc;

    if (shimRun != NULL && shimStepMayRemove(fd, path, flags))
        return -1;
    rc = shimReal.unlinkat(fd, path, flags);
    if (shimRun != NULL && rc == 0)
        shimStepNamed(fd, path);
    return rc;
}

int unlink(const char *path)
{
    int rc;

    if (shimRun != NULL && shimStepMayRemove(AT_FDCWD, path, 0))
        return -1;
    rc = shimReal.unlink(path);
    if (shimRun != NULL && rc == 0)
        shimStepNamed(AT_FDCWD, path);
    return rc;
}

int mkdirat(int fd, const char *path, mode_t mode)
{
    int rc = shimReal.mkdirat(fd, path, mode);

    if (shimRun != NULL && rc == 0)
        shimStepMadeDir(fd, path);
    return rc;
}

int mkdir(const char *path, mode_t mode)
{
    int rc = shimReal.mkdir(path, mode);

    if (shimRun != NULL && rc == 0)
        shimStepMadeDir(AT_FDCWD, path);
    return rc;
}

int symlinkat(const char *to, int fd, const char *path)
{
    int rc = shimReal.symlinkat(to, fd, path);

    if (shimRun != NULL && rc == 0)
        shimStepMadeNode(fd, path);
    return rc;
}

int symlink(const char *to, const char *path)
{
    int rc = shimReal.symlink(to, path);

    if (shimRun != NULL && rc == 0)
        shimStepMadeNode(AT_FDCWD, path);
    return rc;
}

int mknodat(int fd, const char *path, mode_t mode, dev_t dev)
{
    int rc = shimReal.mknodat(fd, path, mode, dev);

    if (shimRun != NULL && rc == 0)
        shimStepMadeNode(fd, path);
    return rc;
}

int mkfifoat(int fd, const char *path, mode_t mode)
{
    int rc = shimReal.mkfifoat(fd, path, mode);

    if (shimRun != NULL && rc == 0)
        shimStepMadeNode(fd, path);
    return rc;
}

/* A hard link is a name of a file that is made durable itself. */
int linkat(int ffd, const char *from, int fd, const char *path, int flags)
{
    int rc = shimReal.linkat(ffd, from, fd, path, flags);

    if (shimRun != NULL && rc == 0)
        shimStepNamed(fd, path);
    return rc;
}

int link(const char *from, const char *path)
{
    int rc = shimReal.link(from, path);

    if (shimRun != NULL && rc == 0)
        shimStepNamed(AT_FDCWD, path);
    return rc;
}

/* ---- Attributes ---- */

/* Owner, mode and capabilities are set before the times. */
int futimens(int fd, const struct timespec times[2])
{
    int rc = shimReal.futimens(fd, times);

    if (shimRun != NULL)
        shimStepAttrs(fd);
    return rc;
}

int utimensat(int fd, const char *path, const struct timespec times[2], int flags)
{
    int rc = shimReal.utimensat(fd, path, times, flags);

    if (shimRun != NULL && rc == 0)
        shimStepAttrsAt(fd, path);
    return rc;
}

/* rpm takes suid bits away from what it is about to remove. */
int fchmodat(int fd, const char *path, mode_t mode, int flags)
{
    if (shimRun != NULL && shimStepMayRemove(fd, path, 0))
        return -1;
    return shimReal.fchmodat(fd, path, mode, flags);
}

/* ---- The root ---- */

int chroot(const char *path)
{
    int rc;

    if (shimRun != NULL && shimRunRecords())
        return -1;
    rc = shimReal.chroot(path);
    if (shimRun != NULL && rc == 0 && strcmp(path, ".") != 0) {
        shimRun->rooted = true;
        shimStepRoot();
    }
    return rc;
}
