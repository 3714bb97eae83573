/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* xz, lzma, bzip2 and zstd, for reading, by libarchive's filters: a library of its own, which
 * rpmio_filter_load.c loads.
 *
 * One filter is asked for by name. libarchive's usual way, trying filters until none fits, would
 * pass data that is not compressed and unpack twice what was packed twice. */

#include <errno.h>
#include <string.h>

#include <archive.h>
#include <archive_entry.h>

#include <rpm/rpmutil.h>

#include "rpmio_filter.h"

#define BUF_SIZE (256 * 1024)
#define HEAD_SIZE 14 /* an empty bzip2 stream; the others' magic numbers are shorter */

struct filterState {
    struct archive *archive;
    FDSTACK_t fps;
    int filter;      /* libarchive's number */
    int empty;       /* no data within: the archive has no entry to read from */
    int started;     /* the first read opens the archive: done earlier, it would block on a pipe */
    int failedBelow; /* the layer below holds the error */
    la_int64_t in;   /* bytes given to the filter */
    off_t total;     /* bytes that came out */
    unsigned char buf[BUF_SIZE];
};

/* libarchive takes bzip2 data whose first block it does not know for an empty stream. */
static int isBzip2(const unsigned char *head, size_t len)
{
    return len >= HEAD_SIZE && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9' &&
           (memcmp(head + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
            memcmp(head + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* Other filters tell by themselves, except that no data at all is an empty stream to some. */
static const char *checkHead(const struct filterState *fs, size_t len)
{
    if (len == 0)
        return "unexpected end of file";
    if (fs->filter == ARCHIVE_FILTER_BZIP2 && !isBzip2(fs->buf, len))
        return "not bzip2 data";
    return NULL;
}

/* Read a block; the first one whole enough to check it. */
static ssize_t readBelow(struct filterState *fs)
{
    size_t want = fs->in == 0 ? HEAD_SIZE : 1, have = 0;

    while (have < want) {
        ssize_t n = layerRead(fs->fps->below, fs->buf + have, BUF_SIZE - have);

        if (n < 0) {
            fs->failedBelow = 1;
            return -1;
        }
        if (n == 0)
            break;
        have += (size_t)n;
    }
    return (ssize_t)have;
}

/* libarchive's callback: the next block of compressed data. */
static la_ssize_t readBlock(struct archive *a, void *data, const void **buffer)
{
    struct filterState *fs = data;
    ssize_t n = readBelow(fs);
    const char *fault = n >= 0 && fs->in == 0 ? checkHead(fs, (size_t)n) : NULL;

    if (n < 0 || fault != NULL) {
        archive_set_error(a, n < 0 ? errno : EBADMSG, "%s", n < 0 ? strerror(errno) : fault);
        return ARCHIVE_FATAL;
    }
    fs->in += n;
    *buffer = fs->buf;
    return n;
}

static int filterFail(struct filterState *fs)
{
    const char *text = archive_error_string(fs->archive);
    int err = archive_errno(fs->archive);

    if (fs->failedBelow) {
        errno = err;
        return -1;
    }
    return layerFail(fs->fps, err == ENOMEM ? ENOMEM : EBADMSG,
                     text != NULL ? text : "corrupted compressed data");
}

/* Open the archive: a single entry of raw data, or none for a stream that holds no data. A bad
 * stream looks like the latter, too, but leaves an error. */
static int start(struct filterState *fs)
{
    struct archive *a = fs->archive;
    struct archive_entry *entry;
    int rc;

    fs->started = 1;
    if (archive_read_open(a, fs, NULL, readBlock, NULL) != ARCHIVE_OK ||
        archive_error_string(a) != NULL)
        return filterFail(fs);
    rc = archive_read_next_header(a, &entry);
    if (rc != ARCHIVE_OK && rc != ARCHIVE_EOF)
        return filterFail(fs);
    fs->empty = rc == ARCHIVE_EOF;
    return 0;
}

/* At the end of a bzip2 stream, libarchive takes anything but another stream for the end. */
static int checkEnd(struct filterState *fs)
{
    if (fs->filter == ARCHIVE_FILTER_BZIP2 && archive_filter_bytes(fs->archive, -1) < fs->in)
        return layerFail(fs->fps, EBADMSG, "garbage after the end of bzip2 data");
    return 0;
}

static ssize_t filterRead(FDSTACK_t fps, void *buf, size_t count)
{
    struct filterState *fs = fps->state;
    la_ssize_t n;

    if (fps->syserrno != 0) {
        errno = fps->syserrno;
        return -1;
    }
    if (!fs->started && start(fs))
        return -1;
    n = fs->empty ? 0 : archive_read_data(fs->archive, buf, count);
    if (n < 0)
        return filterFail(fs);
    if (n == 0 && count > 0 && checkEnd(fs))
        return -1;
    fs->total += n;
    return n;
}

static off_t filterTell(FDSTACK_t fps)
{
    return ((struct filterState *)fps->state)->total;
}

static int filterClose(FDSTACK_t fps)
{
    struct filterState *fs = fps->state;

    archive_read_free(fs->archive);
    rfree(fs);
    return 0;
}

static int filterOpen(FDSTACK_t fps, enum filterKind kind)
{
    static const int filters[] = {
        [FILTER_XZ] = ARCHIVE_FILTER_XZ,
        [FILTER_LZMA] = ARCHIVE_FILTER_LZMA,
        [FILTER_BZIP2] = ARCHIVE_FILTER_BZIP2,
        [FILTER_ZSTD] = ARCHIVE_FILTER_ZSTD,
    };
    struct filterState *fs = rcalloc(1, sizeof(*fs));
    struct archive *a = archive_read_new();

    if (a == NULL || archive_read_append_filter(a, filters[kind]) != ARCHIVE_OK ||
        archive_read_support_format_raw(a) != ARCHIVE_OK ||
        archive_read_support_format_empty(a) != ARCHIVE_OK) {
        archive_read_free(a);
        rfree(fs);
        errno = a == NULL ? ENOMEM : ENOTSUP;
        return -1;
    }
    fs->archive = a;
    fs->fps = fps;
    fs->filter = filters[kind];
    fps->state = fs;
    return 0;
}

const struct filterCalls *rpmioFilters(void)
{
    static const struct filterCalls calls = {
        .open = filterOpen,
        .read = filterRead,
        .tell = filterTell,
        .close = filterClose,
    };

    return &calls;
}
