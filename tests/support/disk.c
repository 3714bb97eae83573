/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "disk.h"
#include "sparse.h"

static int begin(struct disk *d, const char *log)
{
    memset(d, 0, sizeof(*d));
    pthread_mutex_init(&d->head, NULL);
    pthread_mutex_init(&d->logLock, NULL);
    d->log.fd = -1;
    d->fd = memfd_create("disk", MFD_CLOEXEC);
    return d->fd < 0 || (log != NULL && disklogCreate(&d->log, log)) ? -1 : 0;
}

int diskOpen(struct disk *d, uint64_t size, const char *log)
{
    if (begin(d, log))
        return -1;
    d->size = size;
    return ftruncate(d->fd, (off_t)size);
}

int diskOpenImage(struct disk *d, const char *image, const char *log)
{
    int fd = open(image, O_RDONLY | O_CLOEXEC), rc = -1;

    if (fd < 0)
        return -1;
    if (begin(d, log) == 0 && sparseCopy(fd, d->fd) == 0) {
        d->size = (uint64_t)lseek(d->fd, 0, SEEK_END);
        rc = 0;
    }
    close(fd);
    return rc;
}

static void take(uint64_t usecs)
{
    struct timespec ts = { (time_t)(usecs / 1000000), (long)(usecs % 1000000) * 1000 };

    if (usecs > 0)
        while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
            continue;
}

static int note(struct disk *d, uint32_t type, uint64_t offset, const void *data, size_t n,
                uint64_t *number)
{
    struct diskRecord r = { type, (uint32_t)n, offset };
    int rc = 0;

    if (d->log.fd < 0)
        return 0;
    pthread_mutex_lock(&d->logLock);
    rc = disklogAppend(&d->log, &r, data, number);
    pthread_mutex_unlock(&d->logLock);
    return rc;
}

ssize_t diskRead(struct disk *d, void *buf, size_t n, uint64_t offset)
{
    ssize_t rc = pread(d->fd, buf, n, (off_t)offset);

    return rc < 0 ? -errno : rc;
}

static ssize_t writeNow(struct disk *d, const void *buf, size_t n, uint64_t offset)
{
    ssize_t rc;
    int err;

    take(d->writeTime);
    rc = pwrite(d->fd, buf, n, (off_t)offset);
    if (rc < 0)
        return -errno;
    d->writes++;
    d->written += (uint64_t)rc;
    err = note(d, DISKLOG_WRITE, offset, buf, (size_t)rc, NULL);
    return err ? err : rc;
}

ssize_t diskWrite(struct disk *d, const void *buf, size_t n, uint64_t offset)
{
    ssize_t rc;

    if (offset > d->size || n > d->size - offset)
        return -ENOSPC;
    pthread_mutex_lock(&d->head);
    rc = writeNow(d, buf, n, offset);
    pthread_mutex_unlock(&d->head);
    return rc;
}

int diskFlush(struct disk *d)
{
    uint64_t arrival = 0;
    int rc = note(d, DISKLOG_ARRIVAL, 0, NULL, 0, &arrival);

    pthread_mutex_lock(&d->head);
    take(d->flushTime);
    d->flushes++;
    if (rc == 0)
        rc = note(d, DISKLOG_FLUSH, arrival, NULL, 0, NULL);
    pthread_mutex_unlock(&d->head);
    return rc;
}

void diskCounts(struct disk *d, char *text, size_t size)
{
    pthread_mutex_lock(&d->head);
    snprintf(text, size, "writes %" PRIu64 " written %" PRIu64 " flushes %" PRIu64 "\n", d->writes,
             d->written, d->flushes);
    pthread_mutex_unlock(&d->head);
}

static int setting(struct disk *d, const char *command)
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

int diskControl(struct disk *d, const char *command)
{
    int rc;

    if (strncmp(command, "mark ", 5) == 0)
        return note(d, DISKLOG_MARK, 0, command + 5, strcspn(command + 5, "\n"), NULL);
    pthread_mutex_lock(&d->head);
    rc = setting(d, command);
    pthread_mutex_unlock(&d->head);
    return rc;
}
