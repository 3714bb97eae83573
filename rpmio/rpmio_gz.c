/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gzip, both ways, by zlib. As zlib's own gzread() does, reading passes data that does not begin
 * as gzip, and ignores what follows the last member. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <zlib.h>

#include <rpm/rpmutil.h>

#include "rpmio_internal.h"

#define BUF_SIZE (128 * 1024)
#define GZIP_WBITS (MAX_WBITS + 16) /* zlib: gzip's header and trailer */
#define MAX_CHUNK (1024 * 1024 * 1024)

struct gzState {
    z_stream z;
    enum {
        START,   /* nothing seen yet */
        MEMBER,  /* within a gzip member */
        BETWEEN, /* after a member */
        COPY,    /* not gzip */
        END      /* nothing more to come */
    } at;
    int writing;
    off_t total; /* bytes before compression */
    unsigned char buf[BUF_SIZE]; /* compressed data */
};

/* zlib's words if it has any for this failure. */
static int zFail(FDSTACK_t fps, int zrc)
{
    struct gzState *gz = fps->state;

    return layerFail(fps, zrc == Z_MEM_ERROR ? ENOMEM : EBADMSG,
                     gz->z.msg != NULL ? gz->z.msg : zError(zrc));
}

static int gzOpen(FDSTACK_t fps, const struct fdMode *mode)
{
    struct gzState *gz = rcalloc(1, sizeof(*gz));
    int level = mode->level <= 9 ? mode->level : 9;
    int zrc;

    gz->z.next_in = gz->z.next_out = gz->buf;
    gz->z.avail_out = BUF_SIZE;
    gz->writing = (mode->flags & O_ACCMODE) != O_RDONLY;
    if (gz->writing)
        zrc = deflateInit2(&gz->z, level, Z_DEFLATED, GZIP_WBITS, 8, mode->strategy);
    else
        zrc = inflateInit2(&gz->z, GZIP_WBITS);
    if (zrc != Z_OK) {
        rfree(gz);
        errno = zrc == Z_MEM_ERROR ? ENOMEM : EINVAL;
        return -1;
    }
    fps->state = gz;
    return 0;
}

/* Have at least `want` bytes of compressed data at hand, fewer only at the end of it. */
static int fill(FDSTACK_t fps, unsigned want)
{
    struct gzState *gz = fps->state;

    if (gz->z.avail_in >= want)
        return 0;
    memmove(gz->buf, gz->z.next_in, gz->z.avail_in);
    gz->z.next_in = gz->buf;
    while (gz->z.avail_in < want) {
        ssize_t n = layerRead(fps->below, gz->buf + gz->z.avail_in, BUF_SIZE - gz->z.avail_in);

        if (n < 0)
            return -1;
        if (n == 0)
            break;
        gz->z.avail_in += (unsigned)n;
    }
    return 0;
}

/* Between members, or at the start: what comes next? */
static int nextMember(FDSTACK_t fps)
{
    struct gzState *gz = fps->state;

    if (fill(fps, 2))
        return -1;
    if (gz->z.avail_in >= 2 && gz->z.next_in[0] == 0x1f && gz->z.next_in[1] == 0x8b) {
        inflateReset(&gz->z);
        gz->at = MEMBER;
    } else {
        gz->at = gz->at == START && gz->z.avail_in > 0 ? COPY : END;
    }
    return 0;
}

/* Inflate into z.next_out. */
static int readMember(FDSTACK_t fps)
{
    struct gzState *gz = fps->state;
    int zrc;

    if (fill(fps, 1))
        return -1;
    if (gz->z.avail_in == 0)
        return layerFail(fps, EBADMSG, "unexpected end of file");
    zrc = inflate(&gz->z, Z_NO_FLUSH);
    if (zrc == Z_STREAM_END)
        gz->at = BETWEEN;
    else if (zrc != Z_OK)
        return zFail(fps, zrc);
    return 0;
}

/* Copy to z.next_out. */
static int readCopy(FDSTACK_t fps)
{
    struct gzState *gz = fps->state;
    unsigned n;

    if (fill(fps, 1))
        return -1;
    n = gz->z.avail_in < gz->z.avail_out ? gz->z.avail_in : gz->z.avail_out;
    if (n == 0)
        gz->at = END;
    memcpy(gz->z.next_out, gz->z.next_in, n);
    gz->z.next_in += n;
    gz->z.avail_in -= n;
    gz->z.next_out += n;
    gz->z.avail_out -= n;
    return 0;
}

static int step(FDSTACK_t fps)
{
    struct gzState *gz = fps->state;

    switch (gz->at) {
    case MEMBER:
        return readMember(fps);
    case COPY:
        return readCopy(fps);
    default:
        return nextMember(fps);
    }
}

static ssize_t gzRead(FDSTACK_t fps, void *buf, size_t count)
{
    struct gzState *gz = fps->state;
    size_t want = count < MAX_CHUNK ? count : MAX_CHUNK;
    size_t got;

    if (gz->writing)
        return layerFail(fps, EBADF, NULL);
    gz->z.next_out = buf;
    gz->z.avail_out = (unsigned)want;
    while (gz->z.avail_out > 0 && gz->at != END) {
        if (step(fps))
            return -1;
    }
    got = want - gz->z.avail_out;
    gz->total += (off_t)got;
    return (ssize_t)got;
}

/* Write out what is in the buffer. */
static int drain(FDSTACK_t fps)
{
    struct gzState *gz = fps->state;
    ssize_t n = BUF_SIZE - (ssize_t)gz->z.avail_out;

    if (n > 0 && layerWrite(fps->below, gz->buf, (size_t)n) != n)
        return -1;
    gz->z.next_out = gz->buf;
    gz->z.avail_out = BUF_SIZE;
    return 0;
}

/* Deflate what is in z.next_in. With Z_NO_FLUSH, only full buffers are written out. */
static int deflateAll(FDSTACK_t fps, int flush)
{
    struct gzState *gz = fps->state;
    int zrc, full;

    do {
        zrc = deflate(&gz->z, flush);
        if (zrc != Z_OK && zrc != Z_STREAM_END && zrc != Z_BUF_ERROR)
            return zFail(fps, zrc);
        full = gz->z.avail_out == 0;
        if ((full || flush != Z_NO_FLUSH) && drain(fps))
            return -1;
    } while (full);
    return 0;
}

static ssize_t gzWrite(FDSTACK_t fps, const void *buf, size_t count)
{
    struct gzState *gz = fps->state;
    size_t left = count;

    if (!gz->writing)
        return layerFail(fps, EBADF, NULL);
    gz->z.next_in = (unsigned char *)buf;
    while (left > 0) {
        size_t chunk = left < MAX_CHUNK ? left : MAX_CHUNK;

        gz->z.avail_in = (unsigned)chunk;
        if (deflateAll(fps, Z_NO_FLUSH))
            return -1;
        left -= chunk;
    }
    gz->total += (off_t)count;
    return (ssize_t)count;
}

static off_t gzTell(FDSTACK_t fps)
{
    return ((struct gzState *)fps->state)->total;
}

static int gzFlush(FDSTACK_t fps)
{
    struct gzState *gz = fps->state;

    if (!gz->writing)
        return 0;
    return deflateAll(fps, Z_SYNC_FLUSH) ? -1 : layerFlush(fps->below);
}

/* After a failed write, the end of the stream would only hide that some of it is missing. */
static int gzClose(FDSTACK_t fps)
{
    struct gzState *gz = fps->state;
    int rc = 0;

    if (!gz->writing) {
        inflateEnd(&gz->z);
    } else {
        if (fps->syserrno == 0 && fps->below->syserrno == 0)
            rc = deflateAll(fps, Z_FINISH);
        deflateEnd(&gz->z);
    }
    rfree(gz);
    return rc;
}

const struct FDIO_s gzIO = {
    .ioname = "gzdio",
    .name = "gzip",
    .label = "GZDIO",
    .open = gzOpen,
    .read = gzRead,
    .write = gzWrite,
    .tell = gzTell,
    .flush = gzFlush,
    .close = gzClose,
};
