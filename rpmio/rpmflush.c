/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects of the write policy: a flush object per transaction, a file object per file. */

#include "rpmflush_internal.h"

#include <errno.h>
#include <fcntl.h>
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

static int openMeminfo(rpmFlush flush)
{
    struct rpmFlushFile_s cwd = { .flush = flush, .fdno = AT_FDCWD };
    int fdno;

    if (!flushIsBatch(flush) || flush->policy.barrier != RPMFLUSH_BARRIER_AUTO)
        return -1;
    fdno = flushSysOpen(&cwd, "/proc/meminfo", O_RDONLY);
    flushAddCounts(&cwd);
    return fdno;
}

rpmFlush rpmFlushNew(const rpmFlushPolicy *policy)
{
    rpmFlush flush = (rpmFlush)rcalloc(1, sizeof(*flush));

    flush->page = (size_t)sysconf(_SC_PAGESIZE);
    flush->policy = *policy;
    flush->policy.interval = wholePages(flushInterval(policy), flush->page);
    flush->policy.dontneed = flushDontneed(policy);
    flush->method = flushMethodOf(policy);
    pthread_mutex_init(&flush->work, NULL);
    pthread_mutex_init(&flush->lock, NULL);
    flushListInit(&flush->files);
    flushListInit(&flush->nodes);
    flushListInit(&flush->names);
    flush->meminfo = openMeminfo(flush);
    return flush;
}

rpmFlush rpmFlushFree(rpmFlush flush)
{
    if (flush == NULL)
        return NULL;
    flushBatchGiveUp(flush);
    flushFsFree(flush);
    if (flush->meminfo >= 0)
        close(flush->meminfo);
    pthread_mutex_destroy(&flush->work);
    pthread_mutex_destroy(&flush->lock);
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

void rpmFlushSetReopen(rpmFlush flush, int (*reopen)(void *data, const char *label), void *data)
{
    flush->reopen = reopen;
    flush->reopenData = data;
}

void rpmFlushKeepNumbers(rpmFlush flush, int keep)
{
    flush->keepNumbers = keep;
}

/* 0, or -1 with errno of the first failure, which is forgotten. */
static int takeFailure(rpmFlush flush)
{
    int failed;

    pthread_mutex_lock(&flush->lock);
    failed = flush->failed;
    flush->failed = flush->late = 0;
    pthread_mutex_unlock(&flush->lock);
    if (failed == 0)
        return 0;
    errno = failed;
    return -1;
}

int rpmFlushBarrier(rpmFlush flush)
{
    if (flush == NULL)
        return 0;
    if (flushIsBatch(flush))
        flushBatchBarrier(flush);
    return takeFailure(flush);
}

int rpmFlushTouchedBarrier(rpmFlush flush)
{
    if (flush == NULL || !flushIsBatch(flush))
        return 0;
    flushBatchTouched(flush);
    return takeFailure(flush);
}

void rpmFlushGiveUp(rpmFlush flush)
{
    if (flush == NULL)
        return;
    flushBatchGiveUp(flush);
    (void)takeFailure(flush);
    free(rpmFlushTakeError(flush));
}

uint64_t rpmFlushDirty(rpmFlush flush)
{
    uint64_t dirty;

    pthread_mutex_lock(&flush->lock);
    dirty = flush->dirty;
    pthread_mutex_unlock(&flush->lock);
    return dirty;
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

static void keepFailure(rpmFlush flush, const char *label, const char *what, int err)
{
    if (flush->failed == 0)
        flush->failed = err;
    if (flush->error == NULL)
        rasprintf(&flush->error, "%s: %s: %s", label, what, strerror(err));
}

void flushFailed(rpmFlush flush, const char *label, const char *what, int err)
{
    pthread_mutex_lock(&flush->lock);
    if (flush->late == 0)
        flush->late = err;
    keepFailure(flush, label, what, err);
    pthread_mutex_unlock(&flush->lock);
}

int flushFail(rpmFlushFile file, const char *what)
{
    file->err = errno;
    pthread_mutex_lock(&file->flush->lock);
    keepFailure(file->flush, file->label, what, file->err);
    pthread_mutex_unlock(&file->flush->lock);
    errno = file->err;
    return -1;
}

void rpmFlushForget(rpmFlush flush)
{
    if (flush == NULL)
        return;
    pthread_mutex_lock(&flush->lock);
    flush->failed = flush->late;
    if (flush->late == 0) {
        free(flush->error);
        flush->error = NULL;
    }
    pthread_mutex_unlock(&flush->lock);
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
    return method->wrote ? method->wrote(file, n) : 0;
}

void rpmFlushFileSought(rpmFlushFile file, int64_t offset)
{
    file->offset = offset;
    file->sought = 1;
}

void flushAddCounts(rpmFlushFile file)
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
    flushAddCounts(&fs);
    errno = fs.err;
    return fs.err ? -1 : 0;
}

static void finish(rpmFlushFile file)
{
    if (file->err == 0 && flushHintCut(file) == 0)
        (void)file->flush->method->finish(file);
}

int flushCloseNow(rpmFlushFile file)
{
    if (flushSysClose(file) && file->err == 0)
        (void)flushFail(file, "close failed");
    return file->err ? -1 : 0;
}

int rpmFlushFileClose(rpmFlushFile file)
{
    const struct flushMethod *method = file->flush->method;

    finish(file);
    if (method->close != NULL)
        (void)method->close(file);
    else
        (void)flushCloseNow(file);
    flushAddCounts(file);
    errno = file->err;
    return file->err ? -1 : 0;
}

rpmFlushFile rpmFlushFileFree(rpmFlushFile file)
{
    if (file == NULL)
        return NULL;
    if (file->fdno >= 0)
        flushAddCounts(file);
    flushCleaned(file->flush, file->dirty);
    free(file->label);
    free(file);
    return NULL;
}
