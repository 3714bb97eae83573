/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of layers that unpack by libarchive. */

#include <errno.h>

#include "rpmio_filter.h"

static int filterOpen(FDSTACK_t fps, enum filterKind kind)
{
    const struct filterCalls *calls = rpmioFilters();

    if (calls == NULL) {
        errno = ENOTSUP;
        return -1;
    }
    return calls->open(fps, kind);
}

/* An open layer's calls are there. */
static ssize_t filterRead(FDSTACK_t fps, void *buf, size_t count)
{
    return rpmioFilters()->read(fps, buf, count);
}

static off_t filterTell(FDSTACK_t fps)
{
    return rpmioFilters()->tell(fps);
}

static int filterClose(FDSTACK_t fps)
{
    return rpmioFilters()->close(fps);
}

static int xzOpen(FDSTACK_t fps, const struct fdMode *mode)
{
    (void)mode;
    return filterOpen(fps, FILTER_XZ);
}

static int lzOpen(FDSTACK_t fps, const struct fdMode *mode)
{
    (void)mode;
    return filterOpen(fps, FILTER_LZMA);
}

static int bzOpen(FDSTACK_t fps, const struct fdMode *mode)
{
    (void)mode;
    return filterOpen(fps, FILTER_BZIP2);
}

static int zstdOpen(FDSTACK_t fps, const struct fdMode *mode)
{
    (void)mode;
    return filterOpen(fps, FILTER_ZSTD);
}

#define FILTER_IO(variable, modeName, shortName, statLabel, openFunction) \
    const struct FDIO_s variable = { \
        .ioname = modeName, \
        .name = shortName, \
        .label = statLabel, \
        .open = openFunction, \
        .read = filterRead, \
        .tell = filterTell, \
        .close = filterClose, \
    }

FILTER_IO(xzIO, "xzdio", "xz", "XZDIO", xzOpen);
FILTER_IO(lzIO, "lzdio", "lzma", "LZDIO", lzOpen);
FILTER_IO(bzIO, "bzdio", "bzip2", "BZDIO", bzOpen);
FILTER_IO(zstdIO, "zstdio", "zstd", "ZSTDIO", zstdOpen);
