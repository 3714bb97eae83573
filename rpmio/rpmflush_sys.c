/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system calls of the write policy: each stands here once, and all go through counted(). */

#include "rpmflush_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <rpm/rpmutil.h>

struct callArgs {
    const void *buf;
    void *out;
    size_t n;
    int64_t offset;
    int flags;
};

typedef int64_t (*rawCall)(int fdno, const struct callArgs *a);

/* close() is not repeated: Linux has released the descriptor when it says EINTR. */
static int64_t counted(rpmFlushFile file, rpmFlushKind kind, rawCall raw, const struct callArgs *a)
{
    rpmop op = &file->ops[kind];
    int64_t rc;
    int err;

    do {
        rpmswEnter(op, 0);
        rc = raw(file->fdno, a);
        err = errno;
        rpmswExit(op, kind == RPMFLUSH_KIND_WRITE ? (ssize_t)rc : 0);
    } while (rc < 0 && err == EINTR && kind != RPMFLUSH_KIND_CLOSE);
    errno = err;
    return rc;
}

static int64_t rawWrite(int fdno, const struct callArgs *a)
{
    struct iovec iov = { .iov_base = (void *)a->buf, .iov_len = a->n };

    if (a->flags == 0)
        return write(fdno, a->buf, a->n);
    return pwritev2(fdno, &iov, 1, -1, a->flags);
}

static int64_t rawAllocate(int fdno, const struct callArgs *a)
{
    return fallocate(fdno, 0, 0, a->offset);
}

static int64_t rawDataSync(int fdno, const struct callArgs *a)
{
    (void)a;
    return fdatasync(fdno);
}

static int64_t rawSync(int fdno, const struct callArgs *a)
{
    (void)a;
    return fsync(fdno);
}

static int64_t rawSyncFs(int fdno, const struct callArgs *a)
{
    (void)a;
    return syncfs(fdno);
}

static int64_t rawDrop(int fdno, const struct callArgs *a)
{
    errno = posix_fadvise(fdno, a->offset, 0, POSIX_FADV_DONTNEED);
    return errno == 0 ? 0 : -1;
}

static int64_t rawCut(int fdno, const struct callArgs *a)
{
    return ftruncate(fdno, a->offset);
}

static int64_t rawStat(int fdno, const struct callArgs *a)
{
    return fstat(fdno, (struct stat *)a->out);
}

static int64_t rawStatfs(int fdno, const struct callArgs *a)
{
    return fstatfs(fdno, (struct statfs *)a->out);
}

static int64_t rawUname(int fdno, const struct callArgs *a)
{
    (void)fdno;
    return uname((struct utsname *)a->out);
}

static int64_t rawTell(int fdno, const struct callArgs *a)
{
    (void)a;
    return lseek(fdno, 0, SEEK_CUR);
}

static int64_t rawFlags(int fdno, const struct callArgs *a)
{
    (void)a;
    return fcntl(fdno, F_GETFL);
}

static int64_t rawClose(int fdno, const struct callArgs *a)
{
    (void)a;
    return close(fdno);
}

static int64_t rawRange(int fdno, const struct callArgs *a)
{
    return sync_file_range(fdno, a->offset, (off_t)a->n, (unsigned)a->flags);
}

/* Not one of the numbers that programs take for standard input and output. */
static int64_t rawDup(int fdno, const struct callArgs *a)
{
    (void)a;
    return fcntl(fdno, F_DUPFD_CLOEXEC, 3);
}

static int64_t rawOpen(int fdno, const struct callArgs *a)
{
    return openat(fdno, (const char *)a->buf, a->flags | O_CLOEXEC);
}

static int64_t rawRead(int fdno, const struct callArgs *a)
{
    return pread(fdno, a->out, a->n, a->offset);
}

static int64_t rawLimit(int fdno, const struct callArgs *a)
{
    (void)fdno;
    return getrlimit(RLIMIT_NOFILE, (struct rlimit *)a->out);
}

static int64_t rawPoll(int fdno, const struct callArgs *a)
{
    (void)fdno;
    return poll((struct pollfd *)a->out, a->n, 0);
}

static int64_t rawMap(int fdno, const struct callArgs *a)
{
    *(void **)a->out = mmap(NULL, a->n, PROT_READ, MAP_SHARED, fdno, a->offset);
    return *(void **)a->out == MAP_FAILED ? -1 : 0;
}

static int64_t rawResident(int fdno, const struct callArgs *a)
{
    (void)fdno;
    return mincore((void *)a->buf, a->n, (unsigned char *)a->out);
}

static int64_t rawUnmap(int fdno, const struct callArgs *a)
{
    (void)fdno;
    return munmap((void *)a->buf, a->n);
}

ssize_t flushSysWrite(rpmFlushFile file, const void *buf, size_t n, int flags)
{
    struct callArgs a = { .buf = buf, .n = n, .flags = flags };

    return (ssize_t)counted(file, RPMFLUSH_KIND_WRITE, rawWrite, &a);
}

int flushSysAllocate(rpmFlushFile file, int64_t size)
{
    struct callArgs a = { .offset = size };
    int rc = (int)counted(file, RPMFLUSH_KIND_ALLOC, rawAllocate, &a);

    if (rc == 0)
        file->ops[RPMFLUSH_KIND_ALLOC].bytes += (size_t)size;
    return rc;
}

int flushSysDataSync(rpmFlushFile file)
{
    return (int)counted(file, RPMFLUSH_KIND_DSYNC, rawDataSync, NULL);
}

int flushSysSync(rpmFlushFile file)
{
    return (int)counted(file, RPMFLUSH_KIND_SYNC, rawSync, NULL);
}

int flushSysSyncFs(rpmFlushFile file)
{
    return (int)counted(file, RPMFLUSH_KIND_FSSYNC, rawSyncFs, NULL);
}

int flushSysRange(rpmFlushFile file, int64_t offset, uint64_t n, unsigned flags)
{
    struct callArgs a = { .offset = offset, .n = (size_t)n, .flags = (int)flags };

    file->ops[RPMFLUSH_KIND_RANGE].bytes += (size_t)n;
    return (int)counted(file, RPMFLUSH_KIND_RANGE, rawRange, &a);
}

int flushSysDrop(rpmFlushFile file, int64_t offset)
{
    struct callArgs a = { .offset = offset };

    return (int)counted(file, RPMFLUSH_KIND_ADVISE, rawDrop, &a);
}

int flushSysCut(rpmFlushFile file, int64_t size)
{
    struct callArgs a = { .offset = size };

    return (int)counted(file, RPMFLUSH_KIND_CUT, rawCut, &a);
}

int flushSysStat(rpmFlushFile file, struct stat *sb)
{
    struct callArgs a = { .out = sb };

    return (int)counted(file, RPMFLUSH_KIND_PROBE, rawStat, &a);
}

int flushSysStatfs(rpmFlushFile file, struct statfs *sfs)
{
    struct callArgs a = { .out = sfs };

    return (int)counted(file, RPMFLUSH_KIND_PROBE, rawStatfs, &a);
}

int flushSysUname(rpmFlushFile file, struct utsname *name)
{
    struct callArgs a = { .out = name };

    return (int)counted(file, RPMFLUSH_KIND_PROBE, rawUname, &a);
}

int64_t flushSysTell(rpmFlushFile file)
{
    return counted(file, RPMFLUSH_KIND_PROBE, rawTell, NULL);
}

int flushSysFlags(rpmFlushFile file)
{
    return (int)counted(file, RPMFLUSH_KIND_PROBE, rawFlags, NULL);
}

int flushSysClose(rpmFlushFile file)
{
    int rc = (int)counted(file, RPMFLUSH_KIND_CLOSE, rawClose, NULL);

    file->fdno = -1;
    return rc < 0 && errno == EINTR ? 0 : rc;
}

int flushSysDup(rpmFlushFile file)
{
    return (int)counted(file, RPMFLUSH_KIND_PROBE, rawDup, NULL);
}

int flushSysOpenDir(rpmFlushFile file)
{
    struct callArgs a = { .buf = ".", .flags = O_RDONLY | O_DIRECTORY };

    return (int)counted(file, RPMFLUSH_KIND_PROBE, rawOpen, &a);
}

int flushSysOpen(rpmFlushFile file, const char *path, int flags)
{
    struct callArgs a = { .buf = path, .flags = flags };

    return (int)counted(file, RPMFLUSH_KIND_PROBE, rawOpen, &a);
}

ssize_t flushSysRead(rpmFlushFile file, void *buf, size_t n)
{
    struct callArgs a = { .out = buf, .n = n };

    return (ssize_t)counted(file, RPMFLUSH_KIND_PROBE, rawRead, &a);
}

int flushSysLimit(rpmFlushFile file, uint64_t *limit)
{
    struct rlimit rl;
    struct callArgs a = { .out = &rl };
    int rc = (int)counted(file, RPMFLUSH_KIND_PROBE, rawLimit, &a);

    *limit = rc == 0 ? (uint64_t)rl.rlim_cur : 0;
    return rc;
}

/* One poll() for no events tells which numbers are none. */
int flushSysInUse(rpmFlushFile file, int n)
{
    struct pollfd *fds = (struct pollfd *)rcalloc((size_t)n, sizeof(*fds));
    struct callArgs a = { .out = fds, .n = (size_t)n };
    int used = 0;

    for (int i = 0; i < n; i++)
        fds[i].fd = i;
    if (counted(file, RPMFLUSH_KIND_PROBE, rawPoll, &a) < 0)
        used = -1;
    for (int i = 0; i < n && used >= 0; i++)
        used += !(fds[i].revents & POLLNVAL);
    free(fds);
    return used;
}

int flushSysResident(rpmFlushFile file, int64_t offset, int64_t size)
{
    size_t page = file->flush->page;
    size_t n = (size_t)(size - offset);
    size_t pages = (n + page - 1) / page;
    unsigned char *seen;
    void *map;
    struct callArgs a = { .out = &map, .n = n, .offset = offset };
    int rc;

    if (counted(file, RPMFLUSH_KIND_PROBE, rawMap, &a) < 0)
        return -1;
    seen = (unsigned char *)rcalloc(pages, 1);
    a.buf = map;
    a.out = seen;
    rc = (int)counted(file, RPMFLUSH_KIND_PROBE, rawResident, &a);
    for (size_t i = 0; i < pages && rc == 0; i++)
        rc = seen[i] & 1;
    (void)counted(file, RPMFLUSH_KIND_PROBE, rawUnmap, &a);
    free(seen);
    return rc;
}
