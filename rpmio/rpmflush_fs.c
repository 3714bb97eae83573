/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filesystems that are met: what each cannot do, and a descriptor of it for syncfs.
 *
 * syncfs reports the errors of a filesystem since Linux 5.8 (since 5.17 those of xfs and others
 * that their sync_fs call returns), to each open file once, from its opening on: so the descriptor
 * has to be older than the first write. overlayfs drops the errors of what is below it, and what
 * network and user-space filesystems do at a syncfs is their own affair.
 */

#include "rpmflush_internal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

/* Copy-on-write filesystems: a reservation is dropped at the first write, and a compressed file
 * takes less than it reserves. */
static bool copiesOnWrite(uint32_t type)
{
    return type == FLUSH_BTRFS || type == 0x2fc12fc1u /* zfs */ ||
           type == 0xca451a4eu /* bcachefs */;
}

/* Linux 6.14 and 6.15 have RWF_DONTCACHE with bugs that lose data. */
static unsigned missingOf(rpmFlushFile file, uint32_t type)
{
    bool known = type == FLUSH_EXT4 || type == FLUSH_XFS || type == FLUSH_BTRFS;
    unsigned major = 0, minor = 0, missing = 0;
    struct utsname name;

    if (flushSysUname(file, &name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
        major = minor = 0;
    if (copiesOnWrite(type))
        missing |= FLUSH_NO_ALLOC;
    /* It works on the file's own pages, which an overlay's files do not have: nothing is written,
     * and no error told. */
    if (type == FLUSH_OVERLAY)
        missing |= FLUSH_NO_RANGE;
    if (major < 6 || (major == 6 && minor < 16))
        missing |= FLUSH_NO_DONTCACHE;
    if (!known || major < 5 || (major == 5 && minor < 17))
        missing |= FLUSH_NO_SYNCFS;
    return missing;
}

static struct flushFs *findFs(rpmFlush flush, dev_t dev)
{
    struct flushFs *fs;

    pthread_mutex_lock(&flush->lock);
    for (fs = flush->fs; fs != NULL && fs->dev != dev; fs = fs->next)
        ;
    pthread_mutex_unlock(&flush->lock);
    return fs;
}

/* Two threads may meet a filesystem at once: the second finds it known. They are kept in the order
 * in which they were met. */
static struct flushFs *addFs(rpmFlush flush, struct flushFs *made)
{
    struct flushFs **end;

    pthread_mutex_lock(&flush->lock);
    for (end = &flush->fs; *end != NULL && (*end)->dev != made->dev; end = &(*end)->next)
        ;
    if (*end == NULL)
        *end = made;
    else
        free(made);
    made = *end;
    pthread_mutex_unlock(&flush->lock);
    return made;
}

struct flushFs *flushFsOf(rpmFlushFile file, const struct stat *sb)
{
    struct flushFs *fs = findFs(file->flush, sb->st_dev);
    struct statfs sfs;

    if (fs != NULL)
        return fs;
    if (flushSysStatfs(file, &sfs))
        return NULL;
    fs = (struct flushFs *)rcalloc(1, sizeof(*fs));
    fs->dev = sb->st_dev;
    fs->type = (uint32_t)sfs.f_type;
    fs->missing = missingOf(file, fs->type);
    fs->fdno = -1;
    return addFs(file->flush, fs);
}

void flushFsBegin(rpmFlush flush, struct flushFs *fs)
{
    pthread_mutex_lock(&flush->lock);
    fs->begun = 1;
    pthread_mutex_unlock(&flush->lock);
}

unsigned flushFsMissing(rpmFlush flush, const struct flushFs *fs)
{
    unsigned missing;

    if (fs == NULL)
        return ~0u;
    pthread_mutex_lock(&flush->lock);
    missing = fs->missing;
    pthread_mutex_unlock(&flush->lock);
    return missing;
}

void flushFsForget(rpmFlushFile file, unsigned what, const char *name)
{
    rpmFlush flush = file->flush;
    int err = errno;
    bool news;

    pthread_mutex_lock(&flush->lock);
    news = (file->fs->missing & what) == 0;
    file->fs->missing |= what;
    pthread_mutex_unlock(&flush->lock);
    if (news)
        rpmlog(RPMLOG_DEBUG, "%s: %s is not available here: %s\n", file->label, name,
               strerror(err));
}

const char *flushFsNoBarrier(const struct flushFs *fs)
{
    if (fs->missing & FLUSH_NO_SYNCFS)
        return "its syncfs does not report every error";
    if (fs->fdno < 0)
        return "not told of before the first write";
    if (fs->late)
        return "told of after the first write";
    return NULL;
}

/* ---- The descriptors ---- */

/* Two threads may tell of one filesystem at once: the second descriptor is not needed. */
static void keepDescriptor(rpmFlushFile dir, struct flushFs *fs)
{
    rpmFlush flush = dir->flush;

    pthread_mutex_lock(&flush->lock);
    if (fs->fdno < 0) {
        fs->fdno = dir->fdno;
        fs->label = rstrdup(dir->label);
        fs->late = fs->begun;
        dir->fdno = -1;
    }
    pthread_mutex_unlock(&flush->lock);
    if (dir->fdno >= 0)
        (void)flushSysClose(dir);
}

static int hasDescriptor(rpmFlush flush, const struct flushFs *fs)
{
    int has;

    pthread_mutex_lock(&flush->lock);
    has = fs->fdno >= 0;
    pthread_mutex_unlock(&flush->lock);
    return has;
}

static int willWrite(rpmFlushFile dir)
{
    struct flushFs *fs;
    struct stat sb;

    if (flushSysStat(dir, &sb) || (fs = flushFsOf(dir, &sb)) == NULL)
        return -1;
    if (hasDescriptor(dir->flush, fs))
        return 0;
    dir->fdno = flushSysOpenDir(dir);
    if (dir->fdno < 0)
        return -1;
    keepDescriptor(dir, fs);
    return 0;
}

int rpmFlushWillWrite(rpmFlush flush, int dirfd, const char *label)
{
    struct rpmFlushFile_s dir = { .flush = flush, .fdno = dirfd, .label = (char *)label };
    int rc, err;

    if (flush == NULL || flush->policy.whether == RPMFLUSH_NONE)
        return 0;
    rc = willWrite(&dir);
    err = errno;
    flushAddCounts(&dir);
    errno = err;
    return rc;
}

int flushFsSync(rpmFlush flush, struct flushFs *fs)
{
    struct rpmFlushFile_s file = { .flush = flush, .fdno = fs->fdno, .label = fs->label };
    int rc = flushSysSyncFs(&file);
    int err = errno;

    flushAddCounts(&file);
    errno = err;
    return rc;
}

static void closeDescriptor(rpmFlush flush, struct flushFs *fs)
{
    struct rpmFlushFile_s file = { .flush = flush, .fdno = fs->fdno, .label = fs->label };

    if (fs->fdno < 0)
        return;
    (void)flushSysClose(&file);
    flushAddCounts(&file);
    fs->fdno = -1;
    free(fs->label);
    fs->label = NULL;
}

/* Sync one and forget its descriptor; the errno of what failed. */
static int syncLast(rpmFlush flush, struct flushFs *fs)
{
    int err = 0;

    if (fs->fdno < 0)
        return 0;
    if (flushFsSync(flush, fs)) {
        err = errno;
        flushFailed(flush, fs->label, "syncfs failed", err);
    }
    closeDescriptor(flush, fs);
    return err;
}

int rpmFlushSyncAll(rpmFlush flush)
{
    int first = 0;

    if (flush == NULL)
        return 0;
    pthread_mutex_lock(&flush->work);
    for (struct flushFs *fs = flush->fs; fs != NULL; fs = fs->next) {
        int err = syncLast(flush, fs);

        if (first == 0)
            first = err;
    }
    pthread_mutex_unlock(&flush->work);
    errno = first;
    return first ? -1 : 0;
}

void rpmFlushReleaseFs(rpmFlush flush)
{
    if (flush == NULL)
        return;
    pthread_mutex_lock(&flush->work);
    for (struct flushFs *fs = flush->fs; fs != NULL; fs = fs->next)
        closeDescriptor(flush, fs);
    pthread_mutex_unlock(&flush->work);
}

void flushFsFree(rpmFlush flush)
{
    while (flush->fs != NULL) {
        struct flushFs *fs = flush->fs;

        flush->fs = fs->next;
        closeDescriptor(flush, fs);
        free(fs);
    }
}
