/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch: the barriers. For each filesystem fsync of all that waits, or one syncfs; which and why;
 * and whose error it is when a syncfs fails.
 */

#include "rpmflush_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* auto: so few have an fsync each whatever else is dirty; for more, a syncfs may have to wait for so
 * much of others. Measured (bench/barrier.sh): the fsync of one small file among many takes as long
 * as half a MiB of a neighbour's; but nobody waits for a large neighbour. */
enum { FEW = 16 };
#define NEIGHBOUR_LEAST ((uint64_t)64 << 20)
#define NEIGHBOUR_EACH ((uint64_t)512 << 10)
#define NEIGHBOUR_MOST ((uint64_t)1 << 30)

#define NODE_BIT (1u << RPMFLUSH_TOUCH_NODE)
#define NAMES_BIT (1u << RPMFLUSH_TOUCH_NAMES)
#define ATTRS_BIT (1u << RPMFLUSH_TOUCH_ATTRS)

unsigned flushBitsWith(rpmFlushTouched what)
{
    return what == RPMFLUSH_TOUCH_NODE ? NODE_BIT : NAMES_BIT | ATTRS_BIT;
}

/* Its fsync of a directory need not cover other inodes than files and directories, and not what
 * changed in place besides content. */
int flushBtrfsNeeds(const struct flushFs *fs, unsigned bits)
{
    unsigned hard = bits == NODE_BIT ? NODE_BIT : NODE_BIT | ATTRS_BIT;

    return (fs->changes & hard) != 0;
}

/* ---- Which barrier ---- */

static uint64_t meminfoBytes(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at != NULL ? (uint64_t)strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

/* What is dirty or being written on the whole system. */
static uint64_t systemDirty(rpmFlush flush)
{
    struct rpmFlushFile_s file = { .flush = flush, .fdno = flush->meminfo };
    char text[4096];
    ssize_t n;

    if (flush->meminfo < 0)
        return 0;
    n = flushSysRead(&file, text, sizeof(text) - 1);
    flushAddCounts(&file);
    text[n > 0 ? n : 0] = '\0';
    return meminfoBytes(text, "\nDirty:") + meminfoBytes(text, "\nWriteback:");
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int neighboursAreDirty(rpmFlush flush, int n)
{
    uint64_t ours = rpmFlushDirty(flush);
    uint64_t all = systemDirty(flush);
    uint64_t others = all > ours ? all - ours : 0;
    uint64_t forFiles = (uint64_t)n * NEIGHBOUR_EACH;

    if (forFiles > NEIGHBOUR_MOST)
        forFiles = NEIGHBOUR_MOST;
    return others > larger(larger(ours, NEIGHBOUR_LEAST), forFiles);
}

int flushLeansToSyncFs(rpmFlush flush, int n, const char **why)
{
    if (n <= FEW) {
        *why = "auto: at most 16 pending";
        return 0;
    }
    if (neighboursAreDirty(flush, n)) {
        *why = "auto: others have much dirty data";
        return 0;
    }
    *why = "auto: more than 16 pending";
    return 1;
}

/* Is it to be a syncfs? n: what waits there. */
static int takesSyncFs(rpmFlush flush, const struct flushFs *fs, int n, unsigned bits,
                       const char **why)
{
    *why = flushFsNoBarrier(fs);
    if (*why != NULL)
        return 0;
    if (fs->type == FLUSH_BTRFS && flushBtrfsNeeds(fs, bits)) {
        *why = "btrfs: more than contents changed";
        return 1;
    }
    *why = "as set";
    if (flush->policy.barrier != RPMFLUSH_BARRIER_AUTO)
        return flush->policy.barrier == RPMFLUSH_BARRIER_SYNCFS || (fs->due & bits);
    *why = "auto: more than can be held";
    if (fs->closed > 0 || (fs->due & bits))
        return 1;
    return flushLeansToSyncFs(flush, n, why);
}

/* ---- The work on an item ---- */

static int reopenItem(rpmFlush flush, struct flushItem *item)
{
    struct rpmFlushFile_s cwd = { .flush = flush, .fdno = AT_FDCWD };
    int fdno, err;

    if (flush->reopen != NULL)
        return flush->reopen(flush->reopenData, item->label);
    fdno = flushSysOpen(&cwd, item->label, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    err = errno;
    flushAddCounts(&cwd);
    errno = err;
    return fdno;
}

static int itemFailed(struct flushItem *item, const char *what)
{
    if (item->err == 0) {
        item->err = errno;
        item->what = what;
    }
    return -1;
}

/* By the path of a file that was given up, what it was to replace may be found. */
static int isAnother(rpmFlushFile file, const struct flushItem *item)
{
    struct stat sb;

    if (item->written == 0)
        return 0;
    return flushSysStat(file, &sb) || sb.st_ino != item->written || sb.st_dev != item->fs->dev;
}

/* A descriptor for the item, its own or a new one. */
static int openItem(rpmFlush flush, struct flushItem *item, rpmFlushFile file)
{
    int held = item->fdno >= 0;

    file->flush = flush;
    file->label = item->label;
    file->fs = item->fs;
    file->floor = item->floor;
    file->fdno = held ? item->fdno : reopenItem(flush, item);
    item->fdno = -1;
    if (held || file->fdno < 0 || !isAnother(file, item))
        return file->fdno >= 0 ? 0 : -1;
    (void)flushSysClose(file);
    flushAddCounts(file);
    errno = ENOENT;
    return -1;
}

static void closeItem(rpmFlushFile file, struct flushItem *item)
{
    if (flushSysClose(file))
        (void)itemFailed(item, "close failed");
    flushAddCounts(file);
}

static int syncOpen(rpmFlushFile file, struct flushItem *item)
{
    if (flushSysSync(file) && !flushMoot(file))
        return itemFailed(item, "fsync failed");
    return 0;
}

/* A directory that was removed after it had changed: that is in the books of its parent. */
static int isGone(const struct flushItem *item)
{
    return item->ino != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static void syncItem(rpmFlush flush, struct flushItem *item)
{
    struct rpmFlushFile_s file = { .fdno = -1 };

    if (openItem(flush, item, &file)) {
        if (!isGone(item))
            (void)itemFailed(item, "cannot be opened to be synced");
        return;
    }
    if (syncOpen(&file, item) == 0)
        flushHintForget(&file);
    closeItem(&file, item);
}

/* What cannot be opened says nothing of whose error it was. */
static void blameItem(rpmFlush flush, struct flushItem *item)
{
    struct rpmFlushFile_s file = { .fdno = -1 };

    if (openItem(flush, item, &file))
        return;
    (void)syncOpen(&file, item);
    closeItem(&file, item);
}

static void dropItem(rpmFlush flush, struct flushItem *item)
{
    struct rpmFlushFile_s file = { .fdno = -1 };

    if (item->floor < 0 || openItem(flush, item, &file))
        return;
    flushHintForget(&file);
    closeItem(&file, item);
}

/* ---- One filesystem ---- */

int flushSyncItems(rpmFlush flush, struct flushItem *items)
{
    struct flushItem *failed = flushPoolRun(flush, syncItem, items);

    if (failed != NULL)
        flushFailed(flush, failed->label, failed->what, failed->err);
    flushItemsFree(flush, items);
    return failed != NULL ? -1 : 0;
}

static int blame(rpmFlush flush, struct flushFs *fs, struct flushItem *items, int err)
{
    struct flushItem *culprit = flushPoolRun(flush, blameItem, items);

    if (culprit != NULL)
        flushFailed(flush, culprit->label, culprit->what, culprit->err);
    else
        flushFailed(flush, fs->label, "syncfs failed", err);
    return -1;
}

static int syncFsOf(rpmFlush flush, struct flushFs *fs, struct flushItem *items)
{
    int rc = 0;

    if (flushFsSync(flush, fs))
        rc = blame(flush, fs, items, errno);
    else if (flush->policy.dontneed)
        (void)flushPoolRun(flush, dropItem, items);
    flushItemsFree(flush, items);
    return rc;
}

static int countItems(const struct flushItem *items)
{
    int n = 0;

    for (; items != NULL; items = items->next)
        n++;
    return n;
}

static void remember(rpmFlush flush, struct flushFs *fs, unsigned bits, int bySyncFs, int files,
                     const char *why)
{
    int by = bySyncFs ? RPMFLUSH_BARRIER_SYNCFS : RPMFLUSH_BARRIER_FSYNC;
    int second = bits != NODE_BIT;

    pthread_mutex_lock(&flush->lock);
    fs->had[second][by].times++;
    fs->had[second][by].files += files;
    fs->had[second][by].why = why;
    pthread_mutex_unlock(&flush->lock);
}

/* Take what waits on the filesystem, files first; *files: how many of it are files. */
static struct flushItem *takeWaiting(rpmFlush flush, struct flushFs *fs, unsigned bits, int *files)
{
    struct flushItem *items = NULL, **end = &items;

    pthread_mutex_lock(&flush->lock);
    if (bits == NODE_BIT)
        items = flushListTake(&flush->files, fs, 0);
    *files = countItems(items);
    while (*end != NULL)
        end = &(*end)->next;
    *end = flushListTake(bits == NODE_BIT ? &flush->nodes : &flush->names, fs, 0);
    pthread_mutex_unlock(&flush->lock);
    return items;
}

/* And what of it could not be opened. */
static int syncItemsOf(rpmFlush flush, struct flushFs *fs, struct flushItem *items, unsigned bits)
{
    if (flushSyncItems(flush, items))
        return -1;
    return fs->due & bits ? syncFsOf(flush, fs, NULL) : 0;
}

static int barrierOf(rpmFlush flush, struct flushFs *fs, unsigned bits)
{
    int files, bySyncFs, rc;
    struct flushItem *items = takeWaiting(flush, fs, bits, &files);
    const char *why;

    if (items == NULL && !(fs->due & bits))
        return 0;
    bySyncFs = takesSyncFs(flush, fs, countItems(items), bits, &why);
    rc = bySyncFs ? syncFsOf(flush, fs, items) : syncItemsOf(flush, fs, items, bits);
    remember(flush, fs, bits, bySyncFs, files, why);
    return rc;
}

int flushSyncClosed(rpmFlush flush, struct flushFs *fs)
{
    struct flushItem *items;
    int files, rc;

    if (fs->closed == 0)
        return 0;
    items = takeWaiting(flush, fs, NODE_BIT, &files);
    rc = syncFsOf(flush, fs, items);
    remember(flush, fs, NODE_BIT, 1, files, "more than may be dirty");
    pthread_mutex_lock(&flush->lock);
    fs->closed = 0;
    pthread_mutex_unlock(&flush->lock);
    return rc;
}

/* ---- All of them ---- */

static void endGroup(rpmFlush flush, unsigned bits, unsigned forgotten)
{
    pthread_mutex_lock(&flush->lock);
    for (struct flushFs *fs = flush->fs; fs != NULL; fs = fs->next) {
        fs->begun = fs->late = fs->closed = 0;
        fs->due &= ~bits;
        fs->changes &= ~forgotten;
    }
    pthread_mutex_unlock(&flush->lock);
}

static int hasFailed(rpmFlush flush)
{
    int failed;

    pthread_mutex_lock(&flush->lock);
    failed = flush->failed;
    pthread_mutex_unlock(&flush->lock);
    return failed != 0;
}

static void dropLists(rpmFlush flush, unsigned bits)
{
    struct flushItem *items[3] = { NULL, NULL, NULL };

    pthread_mutex_lock(&flush->lock);
    if (bits & NODE_BIT) {
        items[0] = flushListTake(&flush->files, NULL, 0);
        items[1] = flushListTake(&flush->nodes, NULL, 0);
    }
    if (bits & NAMES_BIT)
        items[2] = flushListTake(&flush->names, NULL, 0);
    pthread_mutex_unlock(&flush->lock);
    for (int i = 0; i < 3; i++)
        flushItemsFree(flush, items[i]);
}

/* A group that has failed is not synced any more. */
static void barrier(rpmFlush flush, unsigned bits, unsigned forgotten)
{
    pthread_mutex_lock(&flush->work);
    for (struct flushFs *fs = flush->fs; fs != NULL && !hasFailed(flush); fs = fs->next)
        (void)barrierOf(flush, fs, bits);
    dropLists(flush, bits);
    endGroup(flush, bits, forgotten);
    pthread_mutex_unlock(&flush->work);
}

void flushBatchBarrier(rpmFlush flush)
{
    barrier(flush, NODE_BIT, 0);
}

void flushBatchTouched(rpmFlush flush)
{
    barrier(flush, NAMES_BIT | ATTRS_BIT, NODE_BIT | NAMES_BIT | ATTRS_BIT);
}

void flushBatchGiveUp(rpmFlush flush)
{
    unsigned all = NODE_BIT | NAMES_BIT | ATTRS_BIT;

    pthread_mutex_lock(&flush->work);
    dropLists(flush, all);
    endGroup(flush, all, all);
    pthread_mutex_unlock(&flush->work);
}
