/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hints: blocks reserved in advance, pages kept out of the cache, and what a filesystem cannot do.
 *
 * A hint that a filesystem does not know is left out from then on: EOPNOTSUPP from the filesystem,
 * ENOSYS from an old kernel, EINVAL from a stacked or special one, EPERM from a seccomp filter.
 */

#include "rpmflush_internal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x00000080 /* ext4 and xfs take it */
#endif

static bool notHere(int err)
{
    return err == EOPNOTSUPP || err == ENOSYS || err == EINVAL || err == EPERM ||
           err == ENODEV || err == ESPIPE;
}

/* Copy-on-write filesystems: a reservation is dropped at the first write, and a compressed file
 * takes less than it reserves. */
static bool copiesOnWrite(uint32_t type)
{
    return type == 0x9123683eu /* btrfs */ || type == 0x2fc12fc1u /* zfs */ ||
           type == 0xca451a4eu /* bcachefs */;
}

static struct flushFs *findFs(rpmFlush flush, dev_t dev)
{
    for (int i = 0; i < flush->nfs; i++) {
        if (flush->fs[i].dev == dev)
            return &flush->fs[i];
    }
    return NULL;
}

/* Bits of what the file's filesystem cannot do, or ~0u where it is not known yet. */
static unsigned fsMissing(rpmFlushFile file)
{
    rpmFlush flush = file->flush;
    struct flushFs *fs;
    unsigned missing;

    pthread_mutex_lock(&flush->lock);
    fs = findFs(flush, file->dev);
    missing = fs ? fs->missing : ~0u;
    pthread_mutex_unlock(&flush->lock);
    return missing;
}

/* Linux 6.14 and 6.15 have the flag with bugs that lose data. */
static bool dontcacheIsSound(rpmFlushFile file)
{
    struct utsname name;
    unsigned kernel = 0, patch = 0;

    if (flushSysUname(file, &name) || sscanf(name.release, "%u.%u", &kernel, &patch) != 2)
        return false;
    return kernel > 6 || (kernel == 6 && patch >= 16);
}

/* Two threads may meet a filesystem at once: the second finds it known. */
static void fsAdd(rpmFlushFile file, uint32_t type)
{
    rpmFlush flush = file->flush;
    unsigned missing = 0;

    if (copiesOnWrite(type))
        missing |= FLUSH_NO_ALLOC;
    if (!dontcacheIsSound(file))
        missing |= FLUSH_NO_DONTCACHE;
    pthread_mutex_lock(&flush->lock);
    if (findFs(flush, file->dev) == NULL) {
        struct flushFs fs = { .dev = file->dev, .type = type, .missing = missing };

        flush->fs = (struct flushFs *)rrealloc(flush->fs, (flush->nfs + 1) * sizeof(*flush->fs));
        flush->fs[flush->nfs++] = fs;
    }
    pthread_mutex_unlock(&flush->lock);
}

static void fsForget(rpmFlushFile file, unsigned what, const char *name)
{
    rpmFlush flush = file->flush;
    int err = errno;
    struct flushFs *fs;
    bool news;

    pthread_mutex_lock(&flush->lock);
    fs = findFs(flush, file->dev);
    news = (fs->missing & what) == 0;
    fs->missing |= what;
    pthread_mutex_unlock(&flush->lock);
    if (news)
        rpmlog(RPMLOG_DEBUG, "%s: %s is not available here: %s\n", file->label, name,
               strerror(err));
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
    struct statfs sfs;

    if (flushSysStat(file, &sb) || !S_ISREG(sb.st_mode))
        return;
    file->dev = sb.st_dev;
    file->floor = (int64_t)((((uint64_t)sb.st_size + page - 1) / page) * page);
    file->end = sb.st_size;
    file->offset = flushSysTell(file);
    if (file->offset < 0)
        return;
    if (fsMissing(file) == ~0u) {
        if (flushSysStatfs(file, &sfs))
            return;
        fsAdd(file, (uint32_t)sfs.f_type);
    }
    file->hints = 1;
}

void flushHintStart(rpmFlushFile file)
{
    const rpmFlushPolicy *policy = &file->flush->policy;

    if (!policy->dontneed && !wantsReservation(file))
        return;
    learn(file);
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
    if (!notHere(errno))
        return reserveFailed(file);
    fsForget(file, FLUSH_NO_ALLOC, "fallocate");
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
    if (!(flags & RWF_DONTCACHE) || !notHere(errno))
        return 0;
    fsForget(file, FLUSH_NO_DONTCACHE, "RWF_DONTCACHE");
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

static const char *fsName(uint32_t type)
{
    static const struct {
        uint32_t type;
        const char *name;
    } names[] = {
        { 0x0000ef53, "ext4" },    { 0x58465342, "xfs" },     { 0x9123683e, "btrfs" },
        { 0x01021994, "tmpfs" },   { 0x794c7630, "overlay" }, { 0x2fc12fc1, "zfs" },
        { 0xca451a4e, "bcachefs" }, { 0x00006969, "nfs" },    { 0x65735546, "fuse" },
        { 0xf2f52010, "f2fs" },
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].type == type)
            return names[i].name;
    }
    return "other";
}

static void reportMissing(char **text, const struct flushFs *fs, const char *what)
{
    char *line = NULL;

    rasprintf(&line, "%s is not used on device %u:%u (%s)\n", what, major(fs->dev),
              minor(fs->dev), fsName(fs->type));
    rstrcat(text, line);
    free(line);
}

char *rpmFlushReport(rpmFlush flush)
{
    char *text = rstrdup("");

    pthread_mutex_lock(&flush->lock);
    for (int i = 0; i < flush->nfs; i++) {
        const struct flushFs *fs = &flush->fs[i];

        if (flush->policy.fallocate > 0 && (fs->missing & FLUSH_NO_ALLOC))
            reportMissing(&text, fs, "fallocate");
        if (flush->policy.dontneed && !flush->method->dropsBehind &&
            (fs->missing & FLUSH_NO_DONTCACHE))
            reportMissing(&text, fs, "RWF_DONTCACHE");
    }
    pthread_mutex_unlock(&flush->lock);
    return text;
}
