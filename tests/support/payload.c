/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <archive.h>
#include <archive_entry.h>
#include <openssl/evp.h>

#include "payload.h"

typedef void (*sink)(void *ctx, const void *data, size_t len);

/* -- contents ------------------------------------------------------------------------------- */

static uint64_t nextRandom(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Text has 16 of the 256 values and so compresses to about a half. */
static void makeBlock(enum fill fill, uint64_t *state, unsigned char *block, size_t len)
{
    static const char letters[] = "etaoinshr dlu\nc.";

    for (size_t i = 0; i < len && fill != FILL_ZERO; i += 8) {
        uint64_t r = nextRandom(state);

        for (size_t j = 0; j < 8 && i + j < len; j++, r >>= 8)
            block[i + j] = fill == FILL_TEXT ? (unsigned char)letters[r & 15] : (unsigned char)r;
    }
}

static void eachFileBlock(const char *path, sink to, void *ctx)
{
    static unsigned char block[1 << 16];
    FILE *f = fopen(path, "re");
    size_t got;

    if (f == NULL)
        die("cannot open %s", path);
    while ((got = fread(block, 1, sizeof(block), f)) > 0)
        to(ctx, block, got);
    fclose(f);
}

static void eachBlock(const struct content *content, sink to, void *ctx)
{
    unsigned char block[1 << 16] = { 0 };
    uint64_t state = content->seed | 1, left = content->size;

    if (content->fill == FILL_DATA) {
        to(ctx, content->data, content->size);
        return;
    }
    if (content->fill == FILL_FILE) {
        eachFileBlock(content->data, to, ctx);
        return;
    }
    while (left > 0) {
        size_t len = left < sizeof(block) ? (size_t)left : sizeof(block);

        makeBlock(content->fill, &state, block, len);
        to(ctx, block, len);
        left -= len;
    }
}

static EVP_MD_CTX *newDigest(const char *algo)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const EVP_MD *md = EVP_get_digestbyname(algo);

    if (ctx == NULL || md == NULL || !EVP_DigestInit_ex(ctx, md, NULL))
        die("no digest %s", algo);
    return ctx;
}

static char *endDigest(EVP_MD_CTX *ctx)
{
    unsigned char md[EVP_MAX_MD_SIZE];
    unsigned int len = 0;
    char *hex;

    EVP_DigestFinal_ex(ctx, md, &len);
    EVP_MD_CTX_free(ctx);
    hex = xcalloc(len * 2 + 1, 1);
    for (unsigned int i = 0; i < len; i++)
        sprintf(hex + 2 * i, "%02x", md[i]);
    return hex;
}

static void toDigest(void *ctx, const void *data, size_t len)
{
    EVP_DigestUpdate(ctx, data, len);
}

char *contentDigest(const struct content *content, const char *algo)
{
    EVP_MD_CTX *ctx = newDigest(algo);

    eachBlock(content, toDigest, ctx);
    return endDigest(ctx);
}

/* -- the archive ---------------------------------------------------------------------------- */

struct payload {
    FILE *file;
    struct archive *filter;
    EVP_MD_CTX *digest, *altDigest;
    uint64_t size;
};

static la_ssize_t toFile(struct archive *a, void *ctx, const void *data, size_t len)
{
    struct payload *p = ctx;

    (void)a;
    EVP_DigestUpdate(p->digest, data, len);
    if (fwrite(data, 1, len, p->file) != len)
        die("cannot write the payload");
    return (la_ssize_t)len;
}

static void checkArchive(struct archive *a, int rc)
{
    if (rc != ARCHIVE_OK)
        die("libarchive: %s", archive_error_string(a));
}

struct payload *payloadNew(FILE *file, const char *compressor)
{
    struct payload *p = xcalloc(1, sizeof(*p));
    struct archive_entry *entry = archive_entry_new();
    struct archive *a = archive_write_new();

    p->file = file;
    p->filter = a;
    p->digest = newDigest("sha256");
    p->altDigest = newDigest("sha256");
    if (strcmp(compressor, "none") != 0)
        checkArchive(a, archive_write_add_filter_by_name(a, compressor));
    /* The same manifest makes the same package a second later, too. */
    if (strcmp(compressor, "gzip") == 0)
        checkArchive(a, archive_write_set_filter_option(a, "gzip", "timestamp", NULL));
    checkArchive(a, archive_write_set_format_raw(a));
    checkArchive(a, archive_write_set_bytes_per_block(a, 0));
    checkArchive(a, archive_write_open(a, p, NULL, toFile, NULL));
    archive_entry_set_filetype(entry, AE_IFREG);
    checkArchive(a, archive_write_header(a, entry));
    archive_entry_free(entry);
    return p;
}

static void toPayload(void *ctx, const void *data, size_t len)
{
    struct payload *p = ctx;

    if (len == 0)
        return;
    EVP_DigestUpdate(p->altDigest, data, len);
    p->size += len;
    if (archive_write_data(p->filter, data, len) != (la_ssize_t)len)
        die("libarchive: %s", archive_error_string(p->filter));
}

void payloadContent(struct payload *p, const struct content *content)
{
    eachBlock(content, toPayload, p);
}

void payloadAlign(struct payload *p)
{
    static const char zeros[4];

    toPayload(p, zeros, (4 - p->size % 4) % 4);
}

static void newcHeader(struct payload *p, const struct cpioEntry *e)
{
    char head[111];

    snprintf(head, sizeof(head), "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
             e->ino, e->mode, 0, 0, e->nlink, e->mtime, (uint32_t)e->size, 0, 0, major(e->rdev),
             minor(e->rdev), (uint32_t)e->nameLen + 1, 0);
    toPayload(p, head, 110);
    toPayload(p, e->name, e->nameLen);
    toPayload(p, "", 1);
    payloadAlign(p);
}

void payloadEntry(struct payload *p, const struct cpioEntry *e, const struct content *content)
{
    char head[15];

    if (e->large) {
        snprintf(head, sizeof(head), "07070X%08x", e->index);
        toPayload(p, head, 14);
        payloadAlign(p);
    } else {
        newcHeader(p, e);
    }
    if (content != NULL)
        payloadContent(p, content);
    payloadAlign(p);
}

void payloadTrailer(struct payload *p)
{
    static const struct cpioEntry trailer = { .name = "TRAILER!!!", .nameLen = 10, .nlink = 1 };

    newcHeader(p, &trailer);
}

uint64_t payloadClose(struct payload *p, char **digest, char **altDigest)
{
    uint64_t size = p->size;

    checkArchive(p->filter, archive_write_close(p->filter));
    archive_write_free(p->filter);
    *digest = endDigest(p->digest);
    *altDigest = endDigest(p->altDigest);
    free(p);
    return size;
}
