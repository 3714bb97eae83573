/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a disk did, record after record, for a replay of it (replay.c). A record is written when
 * its write or flush is complete, before the one who asked is told; a flush has one more, of its
 * arrival: what it covers are the writes recorded before that. */
#ifndef DISKLOG_H
#define DISKLOG_H

#include <stdint.h>
#include <stddef.h>

enum { DISKLOG_WRITE = 1, DISKLOG_ARRIVAL, DISKLOG_FLUSH, DISKLOG_MARK };

struct diskRecord {
    uint32_t type;
    uint32_t length; /* bytes of data that follow: of a write, or the text of a mark */
    uint64_t offset; /* of a write; of a flush, the number of its arrival's record */
};

struct diskLog {
    int fd;
    uint64_t records;
};

/** Makes an empty log; 0, or -1 with errno. */
int disklogCreate(struct diskLog *log, const char *path);

/** Appends a record, whose number goes to *number unless that is NULL; 0, or a negative errno.
 * Callers take turns. */
int disklogAppend(struct diskLog *log, const struct diskRecord *r, const void *data,
                  uint64_t *number);

/** A log as it is read. */
struct diskLogMap {
    const unsigned char *start, *end;
};

/** 0, or -1 with errno. */
int disklogOpen(struct diskLogMap *map, const char *path);

/** Reads the record at *at (the map's start at first) and goes to the next; returns the record's
 * data, or NULL at the end. A last record that is not complete is none. */
const unsigned char *disklogNext(const struct diskLogMap *map, const unsigned char **at,
                                 struct diskRecord *r);

#endif /* DISKLOG_H */
