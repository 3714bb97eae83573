/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "disk.h"

int diskOpen(struct disk *d, uint64_t size)
{
    memset(d, 0, sizeof(*d));
    d->size = size;
    d->fd = memfd_create("disk", MFD_CLOEXEC);
    return d->fd < 0 || ftruncate(d->fd, (off_t)size) ? -1 : 0;
}

static void take(uint64_t usecs)
{
    struct timespec ts = { (time_t)(usecs / 1000000), (long)(usecs % 1000000) * 1000 };

    if (usecs > 0)
        while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
            continue;
}

ssize_t diskRead(struct disk *d, void *buf, size_t n, uint64_t offset)
{
    ssize_t rc = pread(d->fd, buf, n, (off_t)offset);

    return rc < 0 ? -errno : rc;
}

ssize_t diskWrite(struct disk *d, const void *buf, size_t n, uint64_t offset)
{
    ssize_t rc;

    if (offset > d->size || n > d->size - offset)
        return -ENOSPC;
    take(d->writeTime);
    rc = pwrite(d->fd, buf, n, (off_t)offset);
    if (rc < 0)
        return -errno;
    d->writes++;
    d->written += (uint64_t)rc;
    return rc;
}

int diskFlush(struct disk *d)
{
    take(d->flushTime);
    d->flushes++;
    return 0;
}

void diskCounts(const struct disk *d, char *text, size_t size)
{
    snprintf(text, size, "writes %" PRIu64 " written %" PRIu64 " flushes %" PRIu64 "\n", d->writes,
             d->written, d->flushes);
}

int diskControl(struct disk *d, const char *command)
{
    uint64_t usecs;

    if (sscanf(command, "flush %" SCNu64, &usecs) == 1)
        d->flushTime = usecs;
    else if (sscanf(command, "write %" SCNu64, &usecs) == 1)
        d->writeTime = usecs;
    else if (strncmp(command, "reset", 5) == 0)
        d->writes = d->written = d->flushes = 0;
    else
        return -EINVAL;
    return 0;
}
