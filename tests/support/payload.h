/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* File contents made on the fly, and the compressed cpio archive that holds them. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdbool.h>

#include "support.h"

enum fill { FILL_DATA, FILL_ZERO, FILL_RANDOM, FILL_TEXT, FILL_FILE };

/** What a file holds: the bytes at data, or size bytes of a kind; random and text follow from the
 *  seed alone. FILL_FILE reads the file whose name is at data. */
struct content {
    enum fill fill;
    char *data;
    uint64_t size;
    uint64_t seed;
};

/** Digest in hexadecimal of a content, by OpenSSL's name of the algorithm; to be freed. */
char *contentDigest(const struct content *content, const char *algo);

/** One entry's header, as it will stand in the archive: nothing is checked. */
struct cpioEntry {
    const char *name;
    size_t nameLen;
    uint32_t ino, mode, nlink, mtime, rdev, index;
    uint64_t size;
    bool large;          /**< the stripped form: index is all that it tells */
};

struct payload;

/** Starts an archive in the file, compressed by gzip, xz, lzma, bzip2, zstd or none. */
struct payload *payloadNew(FILE *file, const char *compressor);
void payloadEntry(struct payload *p, const struct cpioEntry *entry, const struct content *content);
void payloadTrailer(struct payload *p);
void payloadContent(struct payload *p, const struct content *content);
void payloadAlign(struct payload *p);

/** Ends it. The SHA-256 of the archive before (alt) and after compression, to be freed.
 *  @return the archive's size before compression */
uint64_t payloadClose(struct payload *p, char **digest, char **altDigest);

#endif
