/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A disk in memory whose flushes and writes take as long as they are told to, are counted and, if
 * asked, logged. One request at a time, as one head would serve them: what waits, waits for those
 * before it, and a flush covers the writes that were complete when it arrived.
 * These may be called from several threads. */
#ifndef DISK_H
#define DISK_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include "disklog.h"

struct disk {
    int fd;             /* its bytes: a sparse file in memory */
    uint64_t size;
    uint64_t flushTime; /* microseconds */
    uint64_t writeTime;
    uint64_t writes, written, flushes; /* since the last reset */
    pthread_mutex_t head;
    pthread_mutex_t logLock; /* within head, if both are held */
    struct diskLog log;      /* none if its descriptor is below 0 */
};

/** Makes a disk of that size, empty, or one that begins as the file is (which never changes); its
 * log goes to the file of that name, unless that is NULL. 0, or -1 with errno. */
int diskOpen(struct disk *d, uint64_t size, const char *log);
int diskOpenImage(struct disk *d, const char *image, const char *log);

/** These return bytes, or a negative errno. */
ssize_t diskRead(struct disk *d, void *buf, size_t n, uint64_t offset);
ssize_t diskWrite(struct disk *d, const void *buf, size_t n, uint64_t offset);

/** 0, or a negative errno. */
int diskFlush(struct disk *d);

/** One line: "writes N written N flushes N". */
void diskCounts(struct disk *d, char *text, size_t size);

/** Takes "flush USECS", "write USECS", "reset" (of the counts) or "mark TEXT" (into the log); 0,
 * or a negative errno. */
int diskControl(struct disk *d, const char *command);

#endif /* DISK_H */
