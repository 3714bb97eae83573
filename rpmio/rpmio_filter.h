/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMIO_FILTER_H
#define RPMIO_FILTER_H

/* What unpacks xz, lzma, bzip2 and zstd: calls of a layer, as in struct FDIO_s. */

#include "rpmio_internal.h"

enum filterKind { FILTER_XZ, FILTER_LZMA, FILTER_BZIP2, FILTER_ZSTD };

struct filterCalls {
    int (*open)(FDSTACK_t fps, enum filterKind kind);
    ssize_t (*read)(FDSTACK_t fps, void *buf, size_t count);
    off_t (*tell)(FDSTACK_t fps);
    int (*close)(FDSTACK_t fps);
};

/* rpmio_filter.c has them; in its place in librpmio, rpmio_filter_load.c loads the library with
 * that file. NULL if it cannot be loaded, which the log tells once. Any thread may call it. */
const struct filterCalls *rpmioFilters(void);

#endif /* RPMIO_FILTER_H */
