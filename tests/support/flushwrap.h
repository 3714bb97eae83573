/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FLUSHWRAP_H
#define FLUSHWRAP_H

/* The system calls of the write policy, interposed by ld's --wrap: counted, logged as one letter
 * each, and made to fail on demand. For programs of one source file. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

enum wrapped {
    W_WRITE,     /* w */
    W_PWRITEV2,  /* W */
    W_FALLOCATE, /* a */
    W_FDATASYNC, /* d */
    W_FSYNC,     /* s */
    W_FADVISE,   /* v */
    W_FTRUNCATE, /* t */
    W_CLOSE,     /* c */
    W_SYNCFS,    /* S */
    W_RANGE,     /* r for a start, R for a wait */
    W_FSTAT,     /* p, as all that follow */
    W_FSTATFS,
    W_UNAME,
    W_MAX
};

static struct {
    int calls;  /* so far */
    int failAt; /* the call that fails first, from 1; 0 for none */
    int times;  /* how many fail in a row */
    int err;
} wraps[W_MAX];

static char wrapLog[4096];
static size_t wrapShort;      /* most bytes that a write takes; 0 for all */
static bool wrapZero;         /* a failing write returns 0 instead; wrapReset() leaves it */
static unsigned wrapFsType;   /* f_type to pretend */
static uint64_t wrapFree;     /* free bytes to pretend; 0 for the truth */
static const char *wrapRelease = "6.18.0";
static const char *wrapMeminfo;           /* what pread() finds instead of the file */
static bool (*wrapOnSync)(int fd);        /* called before an fsync, true for it to fail */
static _Thread_local int wrapLastFlags;   /* of pwritev2 */
static _Thread_local off_t wrapDropped;   /* offset of the last fadvise */

static inline void wrapReset(void)
{
    memset(wraps, 0, sizeof(wraps));
    memset(wrapLog, 0, sizeof(wrapLog));
    wrapShort = 0;
    wrapFsType = 0xef53;
    wrapFree = 0;
    wrapRelease = "6.18.0";
    wrapMeminfo = NULL;
    wrapOnSync = NULL;
    wrapLastFlags = 0;
    wrapDropped = -1;
}

static inline void wrapFail(enum wrapped which, int failAt, int times, int err)
{
    wraps[which].failAt = failAt;
    wraps[which].times = times;
    wraps[which].err = err;
}

static inline int wrapCount(enum wrapped which, bool waits)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t used;
    int call;

    pthread_mutex_lock(&lock);
    used = strlen(wrapLog);
    if (used < sizeof(wrapLog) - 1)
        wrapLog[used] = waits ? 'R' : "wWadsvtcSrppp"[which];
    call = ++wraps[which].calls;
    pthread_mutex_unlock(&lock);
    return call;
}

static inline bool wrapHitOf(enum wrapped which, bool waits)
{
    int call = wrapCount(which, waits);

    if (wraps[which].failAt == 0 || call < wraps[which].failAt ||
        call >= wraps[which].failAt + wraps[which].times)
        return false;
    errno = wraps[which].err;
    return true;
}

static inline bool wrapHit(enum wrapped which)
{
    return wrapHitOf(which, false);
}

ssize_t __real_write(int fd, const void *buf, size_t n);
int __real_fallocate64(int fd, int mode, off_t offset, off_t len);
int __real_fdatasync(int fd);
int __real_fsync(int fd);
int __real_posix_fadvise64(int fd, off_t offset, off_t len, int advice);
int __real_ftruncate64(int fd, off_t len);
int __real_close(int fd);
int __real_syncfs(int fd);
int __real_sync_file_range(int fd, off_t offset, off_t len, unsigned flags);
ssize_t __real_pread64(int fd, void *buf, size_t n, off_t offset);
int __real_fstat64(int fd, struct stat *sb);
int __real_fstatfs64(int fd, struct statfs *sfs);

ssize_t __wrap_write(int fd, const void *buf, size_t n);
ssize_t __wrap_pwritev64v2(int fd, const struct iovec *iov, int n, off_t offset, int flags);
int __wrap_fallocate64(int fd, int mode, off_t offset, off_t len);
int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);
int __wrap_posix_fadvise64(int fd, off_t offset, off_t len, int advice);
int __wrap_ftruncate64(int fd, off_t len);
int __wrap_close(int fd);
int __wrap_syncfs(int fd);
int __wrap_sync_file_range(int fd, off_t offset, off_t len, unsigned flags);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t offset);
int __wrap_fstat64(int fd, struct stat *sb);
int __wrap_fstatfs64(int fd, struct statfs *sfs);
int __wrap_uname(struct utsname *name);

ssize_t __wrap_write(int fd, const void *buf, size_t n)
{
    if (wrapHit(W_WRITE))
        return wrapZero ? 0 : -1;
    return __real_write(fd, buf, wrapShort > 0 && n > wrapShort ? wrapShort : n);
}

/* Plain write below: the flag's effect is not what unit tests look at. */
ssize_t __wrap_pwritev64v2(int fd, const struct iovec *iov, int n, off_t offset, int flags)
{
    (void)offset;
    wrapLastFlags = flags;
    if (wrapHit(W_PWRITEV2) || n != 1)
        return -1;
    return __real_write(fd, iov->iov_base, iov->iov_len);
}

int __wrap_fallocate64(int fd, int mode, off_t offset, off_t len)
{
    return wrapHit(W_FALLOCATE) ? -1 : __real_fallocate64(fd, mode, offset, len);
}

int __wrap_fdatasync(int fd)
{
    return wrapHit(W_FDATASYNC) ? -1 : __real_fdatasync(fd);
}

int __wrap_fsync(int fd)
{
    if (wrapHit(W_FSYNC))
        return -1;
    if (wrapOnSync == NULL || !wrapOnSync(fd))
        return __real_fsync(fd);
    errno = EIO;
    return -1;
}

int __wrap_posix_fadvise64(int fd, off_t offset, off_t len, int advice)
{
    wrapDropped = offset;
    return wrapHit(W_FADVISE) ? errno : __real_posix_fadvise64(fd, offset, len, advice);
}

int __wrap_ftruncate64(int fd, off_t len)
{
    return wrapHit(W_FTRUNCATE) ? -1 : __real_ftruncate64(fd, len);
}

/* As Linux does it: the descriptor is gone whatever is returned. */
int __wrap_close(int fd)
{
    bool fails = wrapHit(W_CLOSE);
    int err = errno;
    int rc = __real_close(fd);

    if (!fails)
        return rc;
    errno = err;
    return -1;
}

int __wrap_syncfs(int fd)
{
    return wrapHit(W_SYNCFS) ? -1 : __real_syncfs(fd);
}

int __wrap_sync_file_range(int fd, off_t offset, off_t len, unsigned flags)
{
    bool waits = (flags & SYNC_FILE_RANGE_WAIT_AFTER) != 0;

    return wrapHitOf(W_RANGE, waits) ? -1 : __real_sync_file_range(fd, offset, len, flags);
}

ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t offset)
{
    if (wrapMeminfo == NULL)
        return __real_pread64(fd, buf, n, offset);
    n = n < strlen(wrapMeminfo) ? n : strlen(wrapMeminfo);
    memcpy(buf, wrapMeminfo, n);
    return (ssize_t)n;
}

int __wrap_fstat64(int fd, struct stat *sb)
{
    return wrapHit(W_FSTAT) ? -1 : __real_fstat64(fd, sb);
}

int __wrap_fstatfs64(int fd, struct statfs *sfs)
{
    if (wrapHit(W_FSTATFS) || __real_fstatfs64(fd, sfs))
        return -1;
    sfs->f_type = wrapFsType;
    if (wrapFree > 0)
        sfs->f_bfree = sfs->f_bavail = wrapFree / (uint64_t)sfs->f_frsize;
    return 0;
}

int __wrap_uname(struct utsname *name)
{
    if (wrapHit(W_UNAME))
        return -1;
    memset(name, 0, sizeof(*name));
    strncpy(name->release, wrapRelease, sizeof(name->release) - 1);
    return 0;
}

#endif /* FLUSHWRAP_H */
