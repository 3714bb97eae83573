/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A disk in memory whose flushes and writes take as long as they are told to, and are counted.
 * One request at a time, as one head would serve them: what waits, waits for those before it, and
 * a flush covers the writes that were complete when it arrived. */
#ifndef DISK_H
#define DISK_H

#include <stdint.h>
#include <sys/types.h>

struct disk {
    int fd;             /* its bytes: a sparse file in memory */
    uint64_t size;
    uint64_t flushTime; /* microseconds */
    uint64_t writeTime;
    uint64_t writes, written, flushes; /* since the last reset */
};

/** Makes an empty disk; 0, or -1 with errno. */
int diskOpen(struct disk *d, uint64_t size);

/** These return bytes, or a negative errno. */
ssize_t diskRead(struct disk *d, void *buf, size_t n, uint64_t offset);
ssize_t diskWrite(struct disk *d, const void *buf, size_t n, uint64_t offset);

/** 0. */
int diskFlush(struct disk *d);

/** One line: "writes N written N flushes N". */
void diskCounts(const struct disk *d, char *text, size_t size);

/** Takes "flush USECS", "write USECS" or "reset" (of the counts); 0, or a negative errno. */
int diskControl(struct disk *d, const char *command);

#endif /* DISK_H */
