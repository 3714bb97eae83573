/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lock of those who write. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmfileutil.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmlock.h"
#include "rpmroot.h"

#define LOCK_PATH "/var/lib/rpm/.rpm.lock"

struct rpmlock_s {
    int fd;
};

static int openLock(const char *prefix, const char *path)
{
    rpmRoot root = rpmRootNew(prefix);
    char *dir = rstrndup(path, (size_t)(strrchr(path, '/') - path));
    int dirfd = root != NULL ? rpmRootDir(root, dir, 1) : -1;
    int fd = -1;
    int saved;

    if (dirfd >= 0)
        fd = openat(dirfd, strrchr(path, '/') + 1, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
            0644);
    saved = errno;
    rfree(dir);
    rpmRootFree(root);
    errno = saved;
    return fd;
}

static int lockFile(int fd, int cmd)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int rc;

    do {
        rc = fcntl(fd, cmd, &all);
    } while (rc != 0 && errno == EINTR && cmd == F_SETLK);
    return rc;
}

static int acquire(int fd, const char *name, const char *descr)
{
    int rc = lockFile(fd, F_SETLK);
    int saved = errno;

    /* Not within a scriptlet: whoever runs that has the lock. */
    if (rc != 0 && (saved == EACCES || saved == EAGAIN) && isatty(STDIN_FILENO)) {
        rpmlog(RPMLOG_WARNING, "waiting for %s lock on %s\n", descr, name);
        return lockFile(fd, F_SETLKW);
    }
    errno = saved;
    return rc;
}

rpmlock rpmlockNewAcquire(const char *prefix, const char *path, const char *descr)
{
    char *file = rpmGetPath(path != NULL ? path : "%{?_rpmlock_path}", NULL);
    rpmlock lock = rcalloc(1, sizeof(*lock));
    char *name;

    if (prefix == NULL || *prefix == '\0')
        prefix = "/";
    if (*file != '/') {
        rfree(file);
        file = rstrdup(LOCK_PATH);
    }
    name = rpmGenPath(prefix, NULL, file);
    lock->fd = openLock(prefix, file);
    if (lock->fd < 0 || acquire(lock->fd, name, descr)) {
        rpmlog(RPMLOG_ERR, "can't create %s lock on %s (%s)\n", descr, name, strerror(errno));
        lock = rpmlockFree(lock);
    }
    rfree(name);
    rfree(file);
    return lock;
}

rpmlock rpmlockFree(rpmlock lock)
{
    if (lock != NULL) {
        if (lock->fd >= 0)
            close(lock->fd);
        rfree(lock);
    }
    return NULL;
}
