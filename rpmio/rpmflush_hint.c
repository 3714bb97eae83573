/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hints: blocks reserved in advance, and pages kept out of the cache.
 *
 * A hint that a filesystem does not know is left out from then on: EOPNOTSUPP from the filesystem,
 * ENOSYS from an old kernel, EINVAL from a stacked or special one, EPERM from a seccomp filter.
 */

#include "rpmflush_internal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x00000080 /* ext4 and xfs take it */
#endif

int flushNotHere(int err)
{
    return err == EOPNOTSUPP || err == ENOSYS || err == EINVAL || err == EPERM ||
           err == ENODEV || err == ESPIPE;
}

static unsigned fsMissing(rpmFlushFile file)
{
    return flushFsMissing(file->flush, file->fs);
}

static bool wantsReservation(rpmFlushFile file)
{
    const rpmFlushPolicy *policy = &file->flush->policy;

    return policy->fallocate > 0 && file->size > 0 && (uint64_t)file->size >= policy->fallocate;
}

/* Pages below floor may be another program's; a partial one at the old end is shared. */
static void learn(rpmFlushFile file)
{
    size_t page = file->flush->page;
    struct stat sb;

    if (flushSysStat(file, &sb) || !S_ISREG(sb.st_mode))
        return;
    file->floor = (int64_t)((((uint64_t)sb.st_size + page - 1) / page) * page);
    file->end = sb.st_size;
    file->ino = sb.st_ino;
    file->offset = flushSysTell(file);
    if (file->offset < 0)
        return;
    file->fs = flushFsOf(file, &sb);
    file->hints = file->fs != NULL;
}

void flushHintStart(rpmFlushFile file)
{
    const rpmFlushPolicy *policy = &file->flush->policy;

    if (!policy->dontneed && !wantsReservation(file) && !flushIsBatch(file->flush))
        return;
    learn(file);
    if (file->hints)
        flushFsBegin(file->flush, file->fs);
    file->dontcache = file->hints && policy->dontneed && !file->flush->method->dropsBehind &&
                      !(fsMissing(file) & FLUSH_NO_DONTCACHE);
}

/* Root may use the blocks that ext4 keeps back. A filesystem without a size (tmpfs with size=0,
 * some of FUSE) has no bound to compare with. */
static bool exceedsFreeSpace(rpmFlushFile file)
{
    struct statfs sfs;
    uint64_t blocks, unit;

    if (flushSysStatfs(file, &sfs) || sfs.f_blocks == 0)
        return false;
    blocks = geteuid() == 0 ? sfs.f_bfree : sfs.f_bavail;
    unit = sfs.f_frsize ? (uint64_t)sfs.f_frsize : (uint64_t)sfs.f_bsize;
    return unit > 0 && (uint64_t)file->size / unit > blocks;
}

static int reserveFailed(rpmFlushFile file)
{
    char what[64];
    int err = errno;

    snprintf(what, sizeof(what), "cannot reserve %lld bytes", (long long)file->size);
    errno = err;
    return flushFail(file, what);
}

int flushHintReserve(rpmFlushFile file)
{
    bool fresh = file->end == 0 && file->offset == 0;

    if (!file->hints || !wantsReservation(file) || !fresh || (fsMissing(file) & FLUSH_NO_ALLOC))
        return 0;
    if (exceedsFreeSpace(file)) {
        errno = ENOSPC;
        return reserveFailed(file);
    }
    if (flushSysAllocate(file, file->size) == 0) {
        file->reserved = file->size;
        return 0;
    }
    if (!flushNotHere(errno))
        return reserveFailed(file);
    flushFsForget(file, FLUSH_NO_ALLOC, "fallocate");
    return 0;
}

int flushHintCut(rpmFlushFile file)
{
    if (file->end >= file->reserved)
        return 0;
    if (flushSysCut(file, file->end))
        return flushFail(file, "cannot give back reserved space");
    return 0;
}

/* Small files are left to the sync that follows: starting writeback for each of them costs more
 * requests than it saves. Only whole pages go uncached: a partial one would be read back for the
 * next write to it. */
int flushHintWriteFlags(rpmFlushFile file, size_t *n)
{
    size_t page = file->flush->page;
    size_t head = (size_t)(file->offset % (int64_t)page);
    int64_t known = file->size >= 0 ? file->size : file->offset;

    if (!file->dontcache || (uint64_t)known < file->flush->policy.interval || *n < page)
        return 0;
    if (head > 0) {
        *n = page - head;
        return 0;
    }
    *n -= *n % page;
    return RWF_DONTCACHE;
}

int flushHintRefused(rpmFlushFile file, int flags)
{
    if (!(flags & RWF_DONTCACHE) || !flushNotHere(errno))
        return 0;
    flushFsForget(file, FLUSH_NO_DONTCACHE, "RWF_DONTCACHE");
    file->dontcache = 0;
    return 1;
}

/* The range goes from the first page of ours to the end of the file each time: folios that lay
 * across the end of the last range are caught by the next. A failure costs memory only. */
void flushHintDrop(rpmFlushFile file)
{
    if (file->hints && file->flush->policy.dontneed)
        (void)flushSysDrop(file, file->floor);
}

void flushHintForget(rpmFlushFile file)
{
    struct stat sb;

    if (file->floor < 0 || !file->flush->policy.dontneed || flushSysStat(file, &sb))
        return;
    if (sb.st_size > file->floor && flushSysResident(file, file->floor, sb.st_size) != 0)
        (void)flushSysDrop(file, file->floor);
}
