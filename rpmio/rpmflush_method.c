/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods: what each does after a write and before a close. */

#include "rpmflush_internal.h"

#include <errno.h>
#include <fcntl.h>

/* Pipes, sockets and most devices refuse to be synced: they hold nothing that could be lost. */
int flushMoot(rpmFlushFile file)
{
    int err = errno;
    int moot = 0;
    struct stat sb;

    if (err == EINVAL || err == EROFS)
        moot = flushSysStat(file, &sb) == 0 && !S_ISREG(sb.st_mode);
    errno = err;
    return moot;
}

int flushFullSync(rpmFlushFile file)
{
    if (flushSysSync(file) && !flushMoot(file))
        return flushFail(file, "fsync failed");
    file->pending = 0;
    return 0;
}

static int dataSync(rpmFlushFile file)
{
    if (flushSysDataSync(file) && !flushMoot(file))
        return flushFail(file, "fdatasync failed");
    file->pending = 0;
    return 0;
}

static int dropOnly(rpmFlushFile file)
{
    flushHintDrop(file);
    return 0;
}

static int osyncWrote(rpmFlushFile file, size_t n)
{
    (void)n;
    return file->writeThrough ? 0 : flushFullSync(file);
}

static int odsyncWrote(rpmFlushFile file, size_t n)
{
    (void)n;
    return file->writeThrough ? 0 : dataSync(file);
}

static int fsyncFinish(rpmFlushFile file)
{
    if (flushFullSync(file))
        return -1;
    flushHintDrop(file);
    return 0;
}

static int syncAndDrop(rpmFlushFile file)
{
    if (dataSync(file))
        return -1;
    flushHintDrop(file);
    return 0;
}

static size_t intervalStep(rpmFlushFile file, size_t n)
{
    uint64_t left = file->flush->policy.interval - file->pending;

    return n < left ? n : (size_t)left;
}

static int intervalWrote(rpmFlushFile file, size_t n)
{
    (void)n;
    return file->pending >= file->flush->policy.interval ? syncAndDrop(file) : 0;
}

/* Pages are dropped while they are clean: fsync at the end finds only metadata to write. */
static int intervalFinish(rpmFlushFile file)
{
    if (file->pending > 0 && syncAndDrop(file))
        return -1;
    return flushFullSync(file);
}

static const struct flushMethod off = { .finish = dropOnly };

static const struct flushMethod methods[] = {
    [RPMFLUSH_OSYNC] = { .openFlags = O_SYNC, .wrote = osyncWrote, .finish = dropOnly },
    [RPMFLUSH_ODSYNC] = { .openFlags = O_DSYNC, .wrote = odsyncWrote, .finish = dropOnly },
    [RPMFLUSH_FSYNC] = { .finish = fsyncFinish },
    [RPMFLUSH_FDATASYNC] = { .wrote = intervalWrote, .finish = intervalFinish,
                             .step = intervalStep, .dropsBehind = 1 },
    [RPMFLUSH_BATCH] = { .wrote = flushBatchWrote, .finish = flushBatchFinish,
                         .close = flushBatchClose, .step = flushBatchStep },
};

const struct flushMethod *flushMethodOf(const rpmFlushPolicy *policy)
{
    return policy->whether == RPMFLUSH_ON ? &methods[policy->method] : &off;
}

int flushIsBatch(rpmFlush flush)
{
    return flush->method == &methods[RPMFLUSH_BATCH];
}
