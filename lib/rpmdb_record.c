/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an installed package's header has more than that of its package. */

#include "rpmdb_internal.h"

static int replaceUint32(Header h, rpmTagVal tag, uint32_t value)
{
    headerDel(h, tag);
    return headerPutUint32(h, tag, &value, 1);
}

/* Where a relocatable package went: nowhere else, since it is not relocated here. */
static int putPrefixes(Header h)
{
    struct rpmtd_s td;
    int rc = 0;

    if (!headerIsEntry(h, RPMTAG_INSTPREFIXES) &&
        headerGet(h, RPMTAG_PREFIXES, &td, HEADERGET_MINMEM)) {
        rc = rpmtdSetTag(&td, RPMTAG_INSTPREFIXES) &&
            headerPut(h, &td, HEADERPUT_DEFAULT) ? 0 : -1;
        rpmtdFreeData(&td);
    }
    return rc;
}

int rpmdbRecordTags(Header h, const struct rpmdbRecord_s *record)
{
    if (record->states != NULL && record->nstates > 0) {
        headerDel(h, RPMTAG_FILESTATES);
        if (!headerPutChar(h, RPMTAG_FILESTATES, record->states, record->nstates))
            return -1;
    }
    if (putPrefixes(h) ||
        !replaceUint32(h, RPMTAG_INSTALLTID, record->tid) ||
        !replaceUint32(h, RPMTAG_INSTALLTIME, record->time) ||
        !replaceUint32(h, RPMTAG_INSTALLCOLOR, record->color))
        return -1;
    return 0;
}
