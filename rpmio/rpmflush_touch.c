/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch: what changed that is no file's content, to be made durable at the next barrier. */

#include "rpmflush_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#define BIT(what) (1u << (what))

/* The module's own descriptor of the inode. One of O_PATH cannot be synced; a directory can be
 * opened through it. At the limit there is none, and the label has to do. */
static int ownDescriptor(rpmFlushFile touched, const struct stat *sb)
{
    int flags;

    if (!flushMayHold(touched->flush)) {
        errno = EMFILE;
        return -1;
    }
    flags = flushSysFlags(touched);
    if (flags < 0)
        return -1;
    if (!(flags & O_PATH))
        return flushSysDup(touched);
    if (S_ISDIR(sb->st_mode))
        return flushSysOpenDir(touched);
    errno = EBADF;
    return -1;
}

/* Will the barrier that it is due at be a syncfs anyway? With lock held. */
static int isCovered(rpmFlush flush, const struct flushFs *fs, unsigned bits)
{
    if (flush->policy.barrier == RPMFLUSH_BARRIER_SYNCFS || (fs->due & bits))
        return 1;
    return fs->type == FLUSH_BTRFS && flushBtrfsNeeds(fs, bits);
}

static void addTouched(rpmFlushFile touched, struct flushList *list, ino_t ino)
{
    rpmFlush flush = touched->flush;
    struct flushItem *item = (struct flushItem *)rcalloc(1, sizeof(*item));

    item->fs = touched->fs;
    item->label = rstrdup(touched->label);
    item->fdno = touched->fdno;
    item->ino = ino;
    item->floor = -1;
    pthread_mutex_lock(&flush->lock);
    flushListAdd(list, item);
    pthread_mutex_unlock(&flush->lock);
}

/* Note it with its filesystem. Returns 1 if that is enough. */
static int noteTouched(rpmFlush flush, struct flushFs *fs, struct flushList *list, ino_t ino,
                       rpmFlushTouched what)
{
    unsigned bits = flushBitsWith(what);
    int enough;

    pthread_mutex_lock(&flush->lock);
    fs->begun = 1;
    fs->changes |= BIT(what);
    enough = flushFsNoBarrier(fs) == NULL && isCovered(flush, fs, bits);
    if (enough)
        fs->due |= BIT(what);
    else
        enough = flushListFind(list, fs, ino) != NULL;
    pthread_mutex_unlock(&flush->lock);
    return enough;
}

/* Without a descriptor a syncfs can do it, where that is a barrier. A directory that its owner may
 * not read can be made durable in no other way: there it has to do anywhere. What an overlay's
 * syncfs does not tell are errors of contents, which are none of a directory's. */
static int leaveToSyncFs(rpmFlush flush, struct flushFs *fs, rpmFlushTouched what)
{
    int unreadable = errno == EACCES;
    int can;

    pthread_mutex_lock(&flush->lock);
    can = flushFsNoBarrier(fs) == NULL || (unreadable && fs->fdno >= 0);
    if (can)
        fs->due |= BIT(what);
    pthread_mutex_unlock(&flush->lock);
    return can;
}

static int touch(rpmFlushFile touched, rpmFlushTouched what)
{
    rpmFlush flush = touched->flush;
    struct flushList *list = what == RPMFLUSH_TOUCH_NODE ? &flush->nodes : &flush->names;
    struct stat sb;

    if (flushSysStat(touched, &sb) || (touched->fs = flushFsOf(touched, &sb)) == NULL)
        return -1;
    if (noteTouched(flush, touched->fs, list, sb.st_ino, what))
        return 0;
    touched->fdno = ownDescriptor(touched, &sb);
    if (touched->fdno < 0 && leaveToSyncFs(flush, touched->fs, what))
        return 0;
    if (touched->fdno < 0 && errno != EMFILE && errno != ENFILE)
        return -1;
    addTouched(touched, list, sb.st_ino);
    return 0;
}

int rpmFlushTouch(rpmFlush flush, int fdno, const char *label, rpmFlushTouched what)
{
    struct rpmFlushFile_s touched = { .flush = flush, .fdno = fdno, .label = (char *)label };
    int rc, err;

    if (flush == NULL || !flushIsBatch(flush))
        return 0;
    rc = touch(&touched, what);
    err = errno;
    flushAddCounts(&touched);
    errno = err;
    return rc;
}
