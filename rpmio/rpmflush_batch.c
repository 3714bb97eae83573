/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch, until the barrier: write-behind, the bound of what is dirty, descriptors held.
 *
 * Of a large file the writeback of each interval is started when it is full, and the interval
 * before is waited for: at most two of them are dirty. Files below the interval are left alone: on
 * ext4 and xfs a start for each of them makes many small requests out of a few large ones. btrfs
 * gains by it, there they are started at close.
 */

#include "rpmflush_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#define WAIT_ALL \
    (SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER)

enum { MOST_HELD = 4096, LEFT_FREE = 64 };

/* ---- What is dirty ---- */

void flushCleaned(rpmFlush flush, uint64_t bytes)
{
    if (bytes == 0)
        return;
    pthread_mutex_lock(&flush->lock);
    flush->dirty -= bytes;
    pthread_mutex_unlock(&flush->lock);
}

static void fileCleaned(rpmFlushFile file, uint64_t bytes)
{
    file->dirty -= bytes;
    flushCleaned(file->flush, bytes);
}

static int tooDirty(rpmFlush flush)
{
    return rpmFlushDirty(flush) > flush->policy.dirty;
}

enum { DONE = 0, NOT_HERE = 1, FAILED = -1 };

/* sync_file_range. An error of its waiting is one of the file, which no later sync would show. */
static int range(rpmFlushFile file, int64_t offset, uint64_t n, unsigned flags)
{
    if (flushFsMissing(file->flush, file->fs) & FLUSH_NO_RANGE)
        return NOT_HERE;
    if (flushSysRange(file, offset, n, flags) == 0)
        return DONE;
    if (!flushNotHere(errno))
        return FAILED;
    flushFsForget(file, FLUSH_NO_RANGE, "sync_file_range");
    return NOT_HERE;
}

/* Write all of a file's dirty pages and wait for them, without the disk's flush if that goes. */
static int cleanAll(rpmFlushFile file)
{
    int rc = range(file, 0, 0, WAIT_ALL);

    return rc == NOT_HERE ? flushSysDataSync(file) : rc;
}

static int cleanOwn(rpmFlushFile file)
{
    if (cleanAll(file))
        return flushFail(file, "writeback failed");
    fileCleaned(file, file->dirty);
    file->pending = file->started = 0;
    return 0;
}

/* ---- Write-behind ---- */

/* Start the writeback of what is pending. */
static int startPending(rpmFlushFile file)
{
    int64_t from = file->sought ? 0 : file->offset - (int64_t)file->pending;
    int rc = range(file, from, file->sought ? 0 : file->pending, SYNC_FILE_RANGE_WRITE);

    return rc == FAILED ? flushFail(file, "writeback failed") : rc;
}

static int waitStarted(rpmFlushFile file)
{
    int64_t from = file->offset - (int64_t)(file->pending + file->started);

    if (file->started == 0)
        return 0;
    if (range(file, from, file->started, WAIT_ALL) == FAILED)
        return flushFail(file, "writeback failed");
    fileCleaned(file, file->started);
    return 0;
}

static int nextInterval(rpmFlushFile file)
{
    int rc;

    if (file->sought)
        return cleanOwn(file);
    rc = startPending(file);
    if (rc == DONE)
        rc = waitStarted(file);
    file->started = rc == DONE ? file->pending : 0;
    file->pending = 0;
    file->behind = 1;
    return rc == FAILED ? -1 : 0;
}

/* ---- Room below the bound ---- */

static struct rpmFlushFile_s passing(rpmFlush flush, const struct flushItem *item)
{
    struct rpmFlushFile_s file = { .flush = flush, .fdno = item->fdno, .label = item->label,
                                   .fs = item->fs };

    return file;
}

/* The oldest dirty items that hold a descriptor, enough to get to half of the bound. They stay on
 * the list: with `work` held nobody takes them off. */
static struct flushItem **oldestDirty(rpmFlush flush, int *n)
{
    uint64_t over, sum = 0;
    struct flushItem **items;

    pthread_mutex_lock(&flush->lock);
    over = flush->dirty - (flush->dirty < flush->policy.dirty / 2 ? flush->dirty
                                                                  : flush->policy.dirty / 2);
    items = (struct flushItem **)rcalloc((size_t)flush->files.n + 1, sizeof(*items));
    *n = 0;
    for (struct flushItem *item = flush->files.first; item && sum < over; item = item->next) {
        if (item->fdno >= 0 && item->dirty > 0) {
            sum += item->dirty;
            items[(*n)++] = item;
        }
    }
    pthread_mutex_unlock(&flush->lock);
    return items;
}

static void cleanItem(rpmFlush flush, struct flushItem *item)
{
    struct rpmFlushFile_s file = passing(flush, item);

    if (cleanAll(&file))
        flushFailed(flush, item->label, "writeback failed", errno);
    flushAddCounts(&file);
    flushCleaned(flush, item->dirty);
    item->dirty = 0;
}

/* Start all of them before the first is waited for. */
static void cleanHeld(rpmFlush flush)
{
    int n;
    struct flushItem **items = oldestDirty(flush, &n);

    for (int i = 0; i < n; i++) {
        struct rpmFlushFile_s file = passing(flush, items[i]);

        if (range(&file, 0, 0, SYNC_FILE_RANGE_WRITE) == FAILED)
            flushFailed(flush, items[i]->label, "writeback failed", errno);
        flushAddCounts(&file);
    }
    for (int i = 0; i < n; i++)
        cleanItem(flush, items[i]);
    free(items);
}

/* First what is held; then, by an early syncfs, what is closed; the file in hand last. */
static int makeRoom(rpmFlushFile file)
{
    rpmFlush flush = file->flush;

    pthread_mutex_lock(&flush->work);
    if (tooDirty(flush))
        cleanHeld(flush);
    for (struct flushFs *fs = flush->fs; fs != NULL && tooDirty(flush); fs = fs->next)
        (void)flushSyncClosed(flush, fs);
    pthread_mutex_unlock(&flush->work);
    return tooDirty(flush) ? cleanOwn(file) : 0;
}

int flushBatchWrote(rpmFlushFile file, size_t n)
{
    rpmFlush flush = file->flush;

    if (!file->hints)
        return 0;
    file->dirty += n;
    pthread_mutex_lock(&flush->lock);
    flush->dirty += n;
    pthread_mutex_unlock(&flush->lock);
    if (file->pending >= flush->policy.interval && nextInterval(file))
        return -1;
    return tooDirty(flush) ? makeRoom(file) : 0;
}

size_t flushBatchStep(rpmFlushFile file, size_t n)
{
    uint64_t left = file->flush->policy.interval - file->pending;

    return file->hints && n > left ? (size_t)left : n;
}

int flushBatchFinish(rpmFlushFile file)
{
    if (!file->hints)
        return flushFullSync(file);
    if (file->pending == 0 || (!file->behind && file->fs->type != FLUSH_BTRFS))
        return 0;
    return startPending(file) == FAILED ? -1 : 0;
}

/* ---- Descriptors ---- */

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
    struct flushList *list = &flush->files;

    for (struct flushItem *item = list->first; item != NULL; item = item->next) {
        struct rpmFlushFile_s file = passing(flush, item);

        if (item->fs != fs || item->fdno < 0)
            continue;
        if (flushSysClose(&file))
            flushFailed(flush, item->label, "close failed", errno);
        flushAddCounts(&file);
        pthread_mutex_lock(&flush->lock);
        item->fdno = -1;
        list->held--;
        fs->closed++;
        pthread_mutex_unlock(&flush->lock);
    }
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
    fileCleaned(file, file->dirty);
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
        fileCleaned(file, file->dirty);
        return flushCloseNow(file);
    }
    if (!isCovered(file) && !flushMayHold(file->flush))
        holdLess(file->flush, file->fs);
    if (!isCovered(file))
        return hold(file);
    if (flushCloseNow(file)) {
        fileCleaned(file, file->dirty);
        return -1;
    }
    addItem(file, -1);
    return 0;
}
