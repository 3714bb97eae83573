/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch, from a file's close on: descriptors held for the barrier, and their bound. */

#include "rpmflush_internal.h"

#include <errno.h>
#include <stdlib.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

enum { MOST_HELD = 4096, LEFT_FREE = 64 };

/* As the limit allows: what it was found at, less what is in use and some for the program. */
static int findBound(rpmFlush flush)
{
    struct rpmFlushFile_s none = { .flush = flush, .fdno = -1 };
    uint64_t limit;
    int used = -1;
    int bound = 0;

    if (flushSysLimit(&none, &limit) == 0) {
        limit = limit < MOST_HELD ? limit : MOST_HELD;
        used = flushSysInUse(&none, (int)limit);
    }
    flushAddCounts(&none);
    if (used >= 0) {
        int spare = limit / 4 < LEFT_FREE ? (int)(limit / 4) : LEFT_FREE;

        bound = (int)limit - used - spare;
    }
    if (flush->policy.pending > 0 && (uint64_t)bound > flush->policy.pending)
        bound = (int)flush->policy.pending;
    return bound > 0 ? bound : 0;
}

int flushMayHold(rpmFlush flush)
{
    int held, bound;

    pthread_mutex_lock(&flush->lock);
    held = flush->files.held + flush->nodes.held + flush->names.held;
    bound = flush->bound;
    pthread_mutex_unlock(&flush->lock);
    if (held > 0)
        return held < bound;
    bound = findBound(flush);
    pthread_mutex_lock(&flush->lock);
    flush->bound = bound;
    pthread_mutex_unlock(&flush->lock);
    return bound > 0;
}

/* Does only a syncfs come into question for the file? */
static int isCovered(rpmFlushFile file)
{
    rpmFlush flush = file->flush;
    int covered;

    pthread_mutex_lock(&flush->lock);
    covered = flushFsNoBarrier(file->fs) == NULL &&
              (flush->policy.barrier == RPMFLUSH_BARRIER_SYNCFS || file->fs->closed > 0);
    pthread_mutex_unlock(&flush->lock);
    return covered;
}

static void addItem(rpmFlushFile file, int fdno)
{
    rpmFlush flush = file->flush;
    struct flushItem *item = (struct flushItem *)rcalloc(1, sizeof(*item));

    item->fs = file->fs;
    item->label = rstrdup(file->label);
    item->fdno = fdno;
    item->written = file->ino;
    item->floor = file->floor;
    item->dirty = file->dirty;
    file->dirty = 0;
    pthread_mutex_lock(&flush->lock);
    file->fs->closed += fdno < 0;
    flushListAdd(&flush->files, item);
    pthread_mutex_unlock(&flush->lock);
}

/* Let go of the descriptors of a filesystem that will have a syncfs. */
static void closeHeld(rpmFlush flush, struct flushFs *fs)
{
    int n;
    struct flushItem **items = flushOldestHeld(flush, fs, &n);

    for (int i = 0; i < n; i++) {
        struct rpmFlushFile_s file = flushPassing(flush, items[i]);

        if (flushSysClose(&file))
            flushFailed(flush, items[i]->label, "close failed", errno);
        flushAddCounts(&file);
        pthread_mutex_lock(&flush->lock);
        items[i]->fdno = -1;
        flush->files.held--;
        fs->closed++;
        pthread_mutex_unlock(&flush->lock);
    }
    free(items);
}

/* At the bound: auto may settle for syncfs, else the oldest are synced, a quarter of them at once
 * for the sake of the pool. */
static void holdLess(rpmFlush flush, struct flushFs *fs)
{
    struct flushItem *oldest;
    const char *why;
    int held;

    pthread_mutex_lock(&flush->work);
    pthread_mutex_lock(&flush->lock);
    held = flush->files.held;
    pthread_mutex_unlock(&flush->lock);
    if (flush->policy.barrier == RPMFLUSH_BARRIER_AUTO && flushFsNoBarrier(fs) == NULL &&
        flushLeansToSyncFs(flush, held, &why)) {
        closeHeld(flush, fs);
    } else if (held > 0) {
        pthread_mutex_lock(&flush->lock);
        oldest = flushListTake(&flush->files, NULL, (held + 3) / 4);
        pthread_mutex_unlock(&flush->lock);
        (void)flushSyncItems(flush, oldest);
    }
    pthread_mutex_unlock(&flush->work);
}

static int syncAndClose(rpmFlushFile file)
{
    if (file->err == 0)
        (void)flushFullSync(file);
    flushFileCleaned(file, file->dirty);
    return flushCloseNow(file);
}

static int hold(rpmFlushFile file)
{
    int fdno = file->fdno;

    if (!flushMayHold(file->flush))
        return syncAndClose(file);
    if (file->flush->keepNumbers) {
        fdno = flushSysDup(file);
        if (fdno < 0)
            return syncAndClose(file);
    }
    addItem(file, fdno);
    if (fdno != file->fdno)
        return flushCloseNow(file);
    file->fdno = -1;
    return 0;
}

int flushBatchClose(rpmFlushFile file)
{
    if (file->err || !file->hints) {
        flushFileCleaned(file, file->dirty);
        return flushCloseNow(file);
    }
    if (!isCovered(file) && !flushMayHold(file->flush))
        holdLess(file->flush, file->fs);
    if (!isCovered(file))
        return hold(file);
    if (flushCloseNow(file)) {
        flushFileCleaned(file, file->dirty);
        return -1;
    }
    addItem(file, -1);
    return 0;
}
