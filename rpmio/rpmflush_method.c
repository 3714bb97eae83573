/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods: what each does after a write and before a close. */

#include "rpmflush_internal.h"

#include <errno.h>
#include <fcntl.h>

/* Pipes, sockets and most devices refuse to be synced: they hold nothing that could be lost. */
static int nothingToSync(rpmFlushFile file)
{
    int err = errno;
    int moot = 0;
    struct stat sb;

    if (err == EINVAL || err == EROFS)
        moot = flushSysStat(file, &sb) == 0 && !S_ISREG(sb.st_mode);
    errno = err;
    return moot;
}

static int fullSync(rpmFlushFile file)
{
    if (flushSysSync(file) && !nothingToSync(file))
        return flushFail(file, "fsync failed");
    file->pending = 0;
    return 0;
}

static int dataSync(rpmFlushFile file)
{
    if (flushSysDataSync(file) && !nothingToSync(file))
        return flushFail(file, "fdatasync failed");
    file->pending = 0;
    return 0;
}

static int dropOnly(rpmFlushFile file)
{
    flushHintDrop(file);
    return 0;
}

static int osyncWrote(rpmFlushFile file)
{
    return file->writeThrough ? 0 : fullSync(file);
}

static int odsyncWrote(rpmFlushFile file)
{
    return file->writeThrough ? 0 : dataSync(file);
}

static int fsyncFinish(rpmFlushFile file)
{
    if (fullSync(file))
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

static int intervalWrote(rpmFlushFile file)
{
    return file->pending >= file->flush->policy.interval ? syncAndDrop(file) : 0;
}

/* Pages are dropped while they are clean: fsync at the end finds only metadata to write. */
static int intervalFinish(rpmFlushFile file)
{
    if (file->pending > 0 && syncAndDrop(file))
        return -1;
    return fullSync(file);
}

static const struct flushMethod off = { 0, NULL, dropOnly, NULL, 0 };

static const struct flushMethod methods[] = {
    [RPMFLUSH_OSYNC]     = { O_SYNC, osyncWrote, dropOnly, NULL, 0 },
    [RPMFLUSH_ODSYNC]    = { O_DSYNC, odsyncWrote, dropOnly, NULL, 0 },
    [RPMFLUSH_FSYNC]     = { 0, NULL, fsyncFinish, NULL, 0 },
    [RPMFLUSH_FDATASYNC] = { 0, intervalWrote, intervalFinish, intervalStep, 1 },
};

const struct flushMethod *flushMethodOf(const rpmFlushPolicy *policy)
{
    return policy->whether == RPMFLUSH_ON ? &methods[policy->method] : &off;
}
