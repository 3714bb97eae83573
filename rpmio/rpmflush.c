/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects of the write policy: a flush object per transaction, a file object per file. */

#include "rpmflush_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

static uint64_t wholePages(uint64_t bytes, size_t page)
{
    uint64_t most = (uint64_t)INT64_MAX - page;
    uint64_t up = (bytes < most ? bytes : most) + page - 1;

    return up < page ? page : up - up % page;
}

rpmFlush rpmFlushNew(const rpmFlushPolicy *policy)
{
    rpmFlush flush = (rpmFlush)rcalloc(1, sizeof(*flush));

    flush->page = (size_t)sysconf(_SC_PAGESIZE);
    flush->policy = *policy;
    flush->policy.interval = wholePages(policy->interval, flush->page);
    flush->policy.dontneed = flushDontneed(policy);
    flush->method = flushMethodOf(policy);
    pthread_mutex_init(&flush->lock, NULL);
    return flush;
}

rpmFlush rpmFlushFree(rpmFlush flush)
{
    if (flush == NULL)
        return NULL;
    pthread_mutex_destroy(&flush->lock);
    free(flush->fs);
    free(flush->error);
    free(flush);
    return NULL;
}

const rpmFlushPolicy *rpmFlushGetPolicy(rpmFlush flush)
{
    return &flush->policy;
}

int rpmFlushOpenFlags(rpmFlush flush)
{
    return flush ? flush->method->openFlags : 0;
}

int rpmFlushBarrier(rpmFlush flush)
{
    int failed;

    if (flush == NULL)
        return 0;
    pthread_mutex_lock(&flush->lock);
    failed = flush->failed;
    flush->failed = 0;
    pthread_mutex_unlock(&flush->lock);
    if (failed == 0)
        return 0;
    errno = failed;
    return -1;
}

void rpmFlushGiveUp(rpmFlush flush)
{
    (void)rpmFlushBarrier(flush);
    free(rpmFlushTakeError(flush));
}

char *rpmFlushTakeError(rpmFlush flush)
{
    char *error;

    if (flush == NULL)
        return NULL;
    pthread_mutex_lock(&flush->lock);
    error = flush->error;
    flush->error = NULL;
    pthread_mutex_unlock(&flush->lock);
    return error;
}

int flushFail(rpmFlushFile file, const char *what)
{
    rpmFlush flush = file->flush;

    file->err = errno;
    pthread_mutex_lock(&flush->lock);
    if (flush->failed == 0)
        flush->failed = file->err;
    if (flush->error == NULL)
        rasprintf(&flush->error, "%s: %s: %s", file->label, what, strerror(file->err));
    pthread_mutex_unlock(&flush->lock);
    errno = file->err;
    return -1;
}

int rpmFlushFileNew(rpmFlush flush, int fdno, int64_t size, const char *label, rpmFlushFile *filep)
{
    rpmFlushFile file = (rpmFlushFile)rcalloc(1, sizeof(*file));
    int flags = flush->method->openFlags;
    int rc;

    file->flush = flush;
    file->fdno = fdno;
    file->size = size;
    file->label = rstrdup(label);
    if (flags != 0)
        file->writeThrough = (flushSysFlags(file) & flags) == flags;
    flushHintStart(file);
    rc = flushHintReserve(file);
    if (rc) {
        int err = errno;

        file = rpmFlushFileFree(file);
        errno = err;
    }
    *filep = file;
    return rc;
}

/* One system call's worth: at most n bytes, perhaps fewer. */
static ssize_t writeSome(rpmFlushFile file, const void *buf, size_t n)
{
    int flags = flushHintWriteFlags(file, &n);
    ssize_t rc = flushSysWrite(file, buf, n, flags);

    if (rc < 0 && flushHintRefused(file, flags))
        rc = flushSysWrite(file, buf, n, 0);
    if (rc == 0 && n > 0) {
        errno = EIO;
        rc = -1;
    }
    return rc < 0 ? flushFail(file, "write failed") : rc;
}

ssize_t rpmFlushFileWrite(rpmFlushFile file, const void *buf, size_t n)
{
    const struct flushMethod *method = file->flush->method;
    const char *at = (const char *)buf;
    size_t left = n;

    if (file->err) {
        errno = file->err;
        return -1;
    }
    while (left > 0) {
        ssize_t rc = writeSome(file, at, method->step ? method->step(file, left) : left);

        if (rc < 0 || rpmFlushFileWrote(file, (size_t)rc))
            return -1;
        at += rc;
        left -= (size_t)rc;
    }
    return (ssize_t)n;
}

int rpmFlushFileWrote(rpmFlushFile file, size_t n)
{
    const struct flushMethod *method = file->flush->method;

    if (file->err) {
        errno = file->err;
        return -1;
    }
    file->offset += (int64_t)n;
    if (file->end < file->offset)
        file->end = file->offset;
    file->pending += n;
    return method->wrote ? method->wrote(file) : 0;
}

void rpmFlushFileSought(rpmFlushFile file, int64_t offset)
{
    file->offset = offset;
}

static void addCounts(rpmFlushFile file)
{
    rpmFlush flush = file->flush;

    pthread_mutex_lock(&flush->lock);
    for (int i = 0; i < RPMFLUSH_KIND_MAX; i++)
        rpmswAdd(&flush->ops[i], &file->ops[i]);
    pthread_mutex_unlock(&flush->lock);
}

int rpmFlushSyncFs(rpmFlush flush, int fdno, const char *label)
{
    struct rpmFlushFile_s fs = { .flush = flush, .fdno = fdno, .label = (char *)label };

    if (flush->policy.whether == RPMFLUSH_NONE)
        return 0;
    if (flushSysSyncFs(&fs))
        (void)flushFail(&fs, "syncfs failed");
    addCounts(&fs);
    errno = fs.err;
    return fs.err ? -1 : 0;
}

static void finish(rpmFlushFile file)
{
    if (file->err == 0 && flushHintCut(file) == 0)
        (void)file->flush->method->finish(file);
}

int rpmFlushFileClose(rpmFlushFile file)
{
    finish(file);
    if (flushSysClose(file) && file->err == 0)
        (void)flushFail(file, "close failed");
    addCounts(file);
    errno = file->err;
    return file->err ? -1 : 0;
}

rpmFlushFile rpmFlushFileFree(rpmFlushFile file)
{
    if (file == NULL)
        return NULL;
    if (file->fdno >= 0)
        addCounts(file);
    free(file->label);
    free(file);
    return NULL;
}

/* ---- Counts ---- */

static const struct {
    const char *noun;
    int shown;
} kinds[RPMFLUSH_KIND_MAX] = {
    [RPMFLUSH_KIND_WRITE]  = { "writes", 1 },
    [RPMFLUSH_KIND_ALLOC]  = { "allocs", 1 },
    [RPMFLUSH_KIND_DSYNC]  = { "dsyncs", 1 },
    [RPMFLUSH_KIND_SYNC]   = { "syncs", 1 },
    [RPMFLUSH_KIND_ADVISE] = { "advises", 1 },
    [RPMFLUSH_KIND_FSSYNC] = { "fssyncs", 1 },
    [RPMFLUSH_KIND_CUT]    = { "cuts", 1 },
    [RPMFLUSH_KIND_PROBE]  = { "probes", 1 },
    [RPMFLUSH_KIND_CLOSE]  = { "closes", 0 },
};

static int isKind(rpmFlushKind kind)
{
    return (unsigned)kind < RPMFLUSH_KIND_MAX;
}

const char *rpmFlushKindName(rpmFlushKind kind)
{
    return isKind(kind) ? kinds[kind].noun : NULL;
}

rpmop rpmFlushFileOp(rpmFlushFile file, rpmFlushKind kind)
{
    return isKind(kind) ? &file->ops[kind] : NULL;
}

int rpmFlushGetOp(rpmFlush flush, rpmFlushKind kind, struct rpmop_s *op)
{
    if (!isKind(kind))
        return -1;
    pthread_mutex_lock(&flush->lock);
    *op = flush->ops[kind];
    pthread_mutex_unlock(&flush->lock);
    return 0;
}

char *rpmFlushOpLine(const char *label, const char *noun, const struct rpmop_s *op)
{
    char *line = NULL;

    rasprintf(&line, "%s:%8d %s, %8zu total bytes in %lu.%06lu secs", label, op->count, noun,
              op->bytes, op->usecs / 1000000, op->usecs % 1000000);
    return line;
}

char *rpmFlushStats(rpmFlush flush)
{
    char *text = rstrdup("");

    for (int i = 0; i < RPMFLUSH_KIND_MAX; i++) {
        struct rpmop_s op;
        char *line;

        if (!kinds[i].shown || rpmFlushGetOp(flush, (rpmFlushKind)i, &op) || op.count == 0)
            continue;
        line = rpmFlushOpLine("FDIO", kinds[i].noun, &op);
        rstrscat(&text, line, "\n", NULL);
        free(line);
    }
    return text;
}
