/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libarchive and what it links in turn make every command start later, and few commands unpack:
 * so what uses it is a library of its own, loaded by the first that does. */

#include <pthread.h>

#include "rpmio_filter.h"
#include "rpmload.h"

static const struct filterCalls *loaded;

static void load(void)
{
    __typeof__(rpmioFilters) *filters =
        rpmLoadBeside(load, "librpmio-policy-archive.so", "rpmioFilters");

    if (filters != NULL)
        loaded = filters();
}

const struct filterCalls *rpmioFilters(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return loaded;
}
