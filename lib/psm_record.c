/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of elements of a transaction: what is written to the package database. */

#include <rpm/rpmstring.h>

#include "problems.h"
#include "psm.h"
#include "rpmdb_internal.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* The record of the same package, which nobody else erases: 0 if there is none. */
static unsigned int findSame(rpmts ts, rpmte te)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_NAME, te->name, 0);
    unsigned int num = 0;
    Header h;

    while (num == 0 && (h = rpmdbNextIterator(mi)) != NULL) {
        if (rpmtsRemoved(ts, rpmdbGetIteratorOffset(mi)) == NULL && rpmProblemsIsSame(ts, te, h))
            num = rpmdbGetIteratorOffset(mi);
    }
    rpmdbFreeIterator(mi);
    return num;
}

int psmAddRecord(rpmts ts, rpmte te)
{
    struct rpmdbRecord_s record = {
        .tid = ts->tid,
        .time = rpmtsGetTime(ts, 1),
        .color = ts->color,
        .states = te->states,
        .nstates = rpmfilesFC(te->files),
    };
    unsigned int same = ts->ignoreSet & RPMPROB_FILTER_REPLACEPKG ? findSame(ts, te) : 0;
    int rc = rpmdbRecordTags(te->h, &record);

    if (rc == 0 && same != 0)
        rc = rpmdbRemove(ts->rdb, same);
    if (rc == 0)
        rc = rpmdbAdd(ts->rdb, te->h);
    return rc;
}

int psmRemoveRecord(rpmts ts, rpmte te)
{
    int rc;

    rpmswEnter(rpmtsOp(ts, RPMTS_OP_DBREMOVE), 0);
    rc = rpmdbRemove(ts->rdb, te->dbInstance);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_DBREMOVE), 0);
    return rc;
}

static int markFile(Header h, const struct rpmteReplaced *replaced)
{
    struct rpmtd_s td;
    char *state;
    int changed = 0;

    if (!headerGet(h, RPMTAG_FILESTATES, &td, HEADERGET_MINMEM))
        return 0;
    if (rpmtdSetIndex(&td, replaced->fx) >= 0 && (state = rpmtdGetChar(&td)) != NULL &&
        *state != replaced->state) {
        *state = replaced->state;
        changed = 1;
    }
    rpmtdFreeData(&td);
    return changed;
}

/* What was found is sorted by the records. */
void psmMarkReplaced(rpmts ts, rpmte te)
{
    int i = 0;

    while (ts->rdb != NULL && i < te->nreplaced) {
        unsigned int num = te->replaced[i].num;
        rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_PACKAGES, &num, sizeof(num));
        Header h;

        rpmdbSetIteratorRewrite(mi, 1);
        h = rpmdbNextIterator(mi);
        for (; i < te->nreplaced && te->replaced[i].num == num; i++) {
            if (h != NULL && markFile(h, &te->replaced[i]))
                rpmdbSetIteratorModified(mi, 1);
        }
        rpmdbFreeIterator(mi);
    }
}
