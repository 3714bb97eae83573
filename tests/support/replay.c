/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay LOG
 *   lists a disk's log (disklog.h), a record a line: its number, then
 *   "write OFFSET BYTES", "arrival", "flush NUMBER-OF-ITS-ARRIVAL" or "mark TEXT"
 * replay LOG CUT lost|kept|SEED BASE IMAGE
 *   makes of a disk's first state the one in which it is found after a power cut when the first
 *   CUT records had happened. What the last complete flush covers is there. Of later writes
 *   none is, or all are, or a random half of their 4 KiB blocks, which only SEED decides.
 *   Prints a digest of all that the whole log writes to, as it is in the image: two images of one
 *   log are the same, byte for byte, when their digests are. */
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "disklog.h"
#include "sparse.h"

enum { BLOCK = 4096 };
enum choice { LOST, KEPT, HALF };

struct cut {
    uint64_t records; /* that happened */
    uint64_t durable; /* all writes before this record are */
    enum choice choice;
    uint64_t seed;
    int image;
};

static void list(const struct diskLogMap *map)
{
    const unsigned char *at = map->start, *data;
    struct diskRecord r;

    for (uint64_t i = 0; (data = disklogNext(map, &at, &r)) != NULL; i++) {
        printf("%" PRIu64, i);
        switch (r.type) {
        case DISKLOG_WRITE: printf(" write %" PRIu64 " %" PRIu32 "\n", r.offset, r.length); break;
        case DISKLOG_ARRIVAL: printf(" arrival\n"); break;
        case DISKLOG_FLUSH: printf(" flush %" PRIu64 "\n", r.offset); break;
        case DISKLOG_MARK: printf(" mark %.*s\n", (int)r.length, (const char *)data); break;
        default: error(1, 0, "record %" PRIu64 " is of no known type", i);
        }
    }
}

/* Flushes that overlap may end in another order than that of their arrival. */
static void findDurable(const struct diskLogMap *map, struct cut *cut)
{
    const unsigned char *at = map->start;
    struct diskRecord r;
    uint64_t i;

    for (i = 0; i < cut->records && disklogNext(map, &at, &r) != NULL; i++) {
        if (r.type == DISKLOG_FLUSH && r.offset > cut->durable)
            cut->durable = r.offset;
    }
    if (i < cut->records)
        error(1, 0, "the log has %" PRIu64 " records only", i);
}

/* splitmix64 of the three: each block of each write has its own throw. */
static int luck(uint64_t seed, uint64_t record, uint64_t block)
{
    uint64_t z = (seed * 0x9e3779b97f4a7c15U) ^ (record * 0xbf58476d1ce4e5b9U) ^ block;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) & 1;
}

static void put(const struct cut *cut, const void *data, size_t n, uint64_t offset)
{
    if (pwrite(cut->image, data, n, (off_t)offset) != (ssize_t)n)
        error(1, errno, "writing the image");
}

static void putHalf(const struct cut *cut, uint64_t record, const unsigned char *data, size_t n,
                    uint64_t offset)
{
    while (n > 0) {
        size_t part = BLOCK - offset % BLOCK;

        if (part > n)
            part = n;
        if (luck(cut->seed, record, offset / BLOCK))
            put(cut, data, part, offset);
        data += part;
        offset += part;
        n -= part;
    }
}

static void replay(const struct diskLogMap *map, const struct cut *cut)
{
    const unsigned char *at = map->start, *data;
    struct diskRecord r;

    for (uint64_t i = 0; i < cut->records; i++) {
        data = disklogNext(map, &at, &r);
        if (r.type != DISKLOG_WRITE)
            continue;
        if (i < cut->durable || cut->choice == KEPT)
            put(cut, data, r.length, r.offset);
        else if (cut->choice == HALF)
            putHalf(cut, i, data, r.length, r.offset);
    }
}

/* What the log never writes to is the base's in every image. */
static void printDigest(const struct diskLogMap *map, int image)
{
    static unsigned char buf[1 << 20];
    const unsigned char *at = map->start;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int len = 0;
    struct diskRecord r;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    if (ctx == NULL || !EVP_DigestInit_ex(ctx, EVP_sha256(), NULL))
        error(1, 0, "no digest");
    while (disklogNext(map, &at, &r) != NULL) {
        if (r.type != DISKLOG_WRITE)
            continue;
        for (uint32_t n = 0, part; n < r.length; n += part) {
            part = r.length - n < sizeof(buf) ? r.length - n : (uint32_t)sizeof(buf);
            if (pread(image, buf, part, (off_t)(r.offset + n)) != (ssize_t)part)
                error(1, errno, "reading the image");
            EVP_DigestUpdate(ctx, buf, part);
        }
    }
    EVP_DigestFinal_ex(ctx, digest, &len);
    EVP_MD_CTX_free(ctx);
    for (unsigned int i = 0; i < len; i++)
        printf("%02x", digest[i]);
    putchar('\n');
}

static int number(const char *s, uint64_t *n)
{
    char *end;

    errno = 0;
    *n = strtoull(s, &end, 10);
    return *s >= '0' && *s <= '9' && *end == '\0' && errno == 0;
}

static int parse(char **argv, struct cut *cut)
{
    if (strcmp(argv[3], "lost") == 0)
        cut->choice = LOST;
    else if (strcmp(argv[3], "kept") == 0)
        cut->choice = KEPT;
    else if (number(argv[3], &cut->seed))
        cut->choice = HALF;
    else
        return 0;
    return number(argv[2], &cut->records);
}

int main(int argc, char **argv)
{
    struct diskLogMap map;
    struct cut cut = { 0 };
    int base;

    if (argc != 2 && (argc != 6 || !parse(argv, &cut)))
        error(2, 0, "usage: replay LOG [CUT lost|kept|SEED BASE IMAGE]");
    if (disklogOpen(&map, argv[1]))
        error(1, errno, "%s", argv[1]);
    if (argc == 2) {
        list(&map);
        return fflush(stdout) != 0;
    }
    findDurable(&map, &cut);
    base = open(argv[4], O_RDONLY | O_CLOEXEC);
    if (base < 0)
        error(1, errno, "%s", argv[4]);
    cut.image = open(argv[5], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (cut.image < 0 || sparseCopy(base, cut.image))
        error(1, errno, "%s", argv[5]);
    replay(&map, &cut);
    printDigest(&map, cut.image);
    close(base);
    return close(cut.image) != 0 || fflush(stdout) != 0;
}
