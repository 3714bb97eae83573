/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The color of an element: that of its files that have something to do with dependencies. */

#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmtd.h>

#include "rpmte_internal.h"

/* For each place in the dictionary, the provides and requirements before it. */
static rpm_count_t *countDepends(rpmtd dict)
{
    rpm_count_t *before = rcalloc((size_t)rpmtdCount(dict) + 1, sizeof(*before));

    for (rpm_count_t i = 0; rpmtdNext(dict) >= 0; i++) {
        uint64_t kind = rpmtdGetNumber(dict) >> 24;

        before[i + 1] = before[i] + (kind == 'P' || kind == 'R');
    }
    return before;
}

rpm_color_t rpmteFindColor(Header h)
{
    struct rpmtd_s colors, starts, counts, dict;
    rpm_count_t *before;
    rpm_color_t color = 0;

    headerGet(h, RPMTAG_FILECOLORS, &colors, HEADERGET_MINMEM);
    headerGet(h, RPMTAG_FILEDEPENDSX, &starts, HEADERGET_MINMEM);
    headerGet(h, RPMTAG_FILEDEPENDSN, &counts, HEADERGET_MINMEM);
    headerGet(h, RPMTAG_DEPENDSDICT, &dict, HEADERGET_MINMEM);
    before = countDepends(&dict);
    while (rpmtdNext(&colors) >= 0 && rpmtdNext(&starts) >= 0 && rpmtdNext(&counts) >= 0) {
        uint64_t from = rpmtdGetNumber(&starts);
        uint64_t to = from + rpmtdGetNumber(&counts);

        if (to <= rpmtdCount(&dict) && before[to] > before[from])
            color |= (rpm_color_t)rpmtdGetNumber(&colors);
    }
    rfree(before);
    rpmtdFreeData(&colors);
    rpmtdFreeData(&starts);
    rpmtdFreeData(&counts);
    rpmtdFreeData(&dict);
    return color;
}
