/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch, until a file is closed: write-behind, and the bound of what is dirty.
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

/* ---- What is dirty ---- */

void flushCleaned(rpmFlush flush, uint64_t bytes)
{
    if (bytes == 0)
        return;
    pthread_mutex_lock(&flush->lock);
    flush->dirty -= bytes;
    pthread_mutex_unlock(&flush->lock);
}

void flushFileCleaned(rpmFlushFile file, uint64_t bytes)
{
    file->dirty -= bytes;
    flushCleaned(file->flush, bytes);
}

/* What a range adds to the pages that are dirty, if the one before it was written, too. */
static uint64_t pagesOf(rpmFlushFile file, int64_t from, uint64_t n)
{
    uint64_t page = file->flush->page, at = (uint64_t)from;

    return ((at + n + page - 1) / page - (at + page - 1) / page) * page;
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
    flushFileCleaned(file, file->dirty);
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
    int rc;

    if (file->started == 0)
        return DONE;
    rc = range(file, from, file->started, WAIT_ALL);
    if (rc == DONE)
        flushFileCleaned(file, pagesOf(file, from, file->started));
    return rc == FAILED ? flushFail(file, "writeback failed") : rc;
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

struct rpmFlushFile_s flushPassing(rpmFlush flush, const struct flushItem *item)
{
    struct rpmFlushFile_s file = { .flush = flush, .fdno = item->fdno, .label = item->label,
                                   .fs = item->fs };

    return file;
}

struct flushItem **flushOldestHeld(rpmFlush flush, const struct flushFs *fs, int *n)
{
    uint64_t half = flush->policy.dirty / 2;
    struct flushItem **items;
    uint64_t dirty;

    pthread_mutex_lock(&flush->lock);
    dirty = flush->dirty;
    items = (struct flushItem **)rcalloc((size_t)flush->files.n + 1, sizeof(*items));
    *n = 0;
    for (struct flushItem *item = flush->files.first; item != NULL; item = item->next) {
        if (item->fdno < 0 || (fs != NULL ? item->fs != fs : dirty <= half || item->dirty == 0))
            continue;
        dirty -= item->dirty;
        items[(*n)++] = item;
    }
    pthread_mutex_unlock(&flush->lock);
    return items;
}

static void cleanItem(rpmFlush flush, struct flushItem *item)
{
    struct rpmFlushFile_s file = flushPassing(flush, item);

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
    struct flushItem **items = flushOldestHeld(flush, NULL, &n);

    for (int i = 0; i < n; i++) {
        struct rpmFlushFile_s file = flushPassing(flush, items[i]);

        if (range(&file, 0, 0, SYNC_FILE_RANGE_WRITE) == FAILED)
            flushFailed(flush, items[i]->label, "writeback failed", errno);
        flushAddCounts(&file);
    }
    for (int i = 0; i < n; i++)
        cleanItem(flush, items[i]);
    free(items);
}

/* Without ranges: what would have its fsync at the barrier has it now, many at once. */
static void syncHeld(rpmFlush flush)
{
    struct flushItem *oldest;
    int n;

    free(flushOldestHeld(flush, NULL, &n));
    if (n == 0)
        return;
    pthread_mutex_lock(&flush->lock);
    oldest = flushListTake(&flush->files, NULL, n);
    pthread_mutex_unlock(&flush->lock);
    (void)flushSyncItems(flush, oldest);
}

/* First what is held; then, by an early syncfs, what is closed; the file in hand last. */
static int makeRoom(rpmFlushFile file)
{
    rpmFlush flush = file->flush;

    pthread_mutex_lock(&flush->work);
    if (tooDirty(flush) && (flushFsMissing(flush, file->fs) & FLUSH_NO_RANGE))
        syncHeld(flush);
    else if (tooDirty(flush))
        cleanHeld(flush);
    for (struct flushFs *fs = flush->fs; fs != NULL && tooDirty(flush); fs = fs->next)
        (void)flushSyncClosed(flush, fs);
    pthread_mutex_unlock(&flush->work);
    return tooDirty(flush) ? cleanOwn(file) : 0;
}

int flushBatchWrote(rpmFlushFile file, size_t n)
{
    rpmFlush flush = file->flush;

    uint64_t more;

    if (!file->hints)
        return 0;
    more = pagesOf(file, file->offset - (int64_t)n, n);
    file->dirty += more;
    pthread_mutex_lock(&flush->lock);
    flush->dirty += more;
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
