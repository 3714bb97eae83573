/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with the packages of a transaction as such. */

#include "problems.h"

#include <stdlib.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmstring.h>

#include "machine.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* A package that does not say is like any. */
static int agrees(const char *wanted, const char *got)
{
    return wanted == NULL || (got != NULL && rstreq(wanted, got));
}

int rpmProblemsIsSame(rpmts ts, rpmte te, Header h)
{
    char *epoch = headerIsEntry(h, RPMTAG_EPOCH) ? headerGetAsString(h, RPMTAG_EPOCH) : NULL;
    int same = agrees(te->epoch, epoch != NULL ? epoch : "0") &&
               agrees(te->version, headerGetString(h, RPMTAG_VERSION)) &&
               agrees(te->release, headerGetString(h, RPMTAG_RELEASE));

    if (same && ts->color != 0)
        same = agrees(te->arch, headerGetString(h, RPMTAG_ARCH)) &&
               agrees(te->os, headerGetString(h, RPMTAG_OS));
    free(epoch);
    return same;
}

static void addOlder(rpmte te, Header h)
{
    char *nevra = headerGetAsString(h, RPMTAG_NEVRA);

    rpmteAddProblem(te, RPMPROB_OLDPACKAGE, nevra, NULL, headerGetInstance(h));
    free(nevra);
}

static void checkAdded(rpmts ts, rpmte te)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_NAME, te->name, 0);
    unsigned int same = 0;
    Header h;

    while ((h = rpmdbNextIterator(mi)) != NULL) {
        if (!(ts->ignoreSet & RPMPROB_FILTER_OLDPACKAGE) && rpmVersionCompare(h, te->h) > 0)
            addOlder(te, h);
        if (same == 0 && rpmProblemsIsSame(ts, te, h))
            same = headerGetInstance(h);
    }
    rpmdbFreeIterator(mi);
    if (same != 0 && !(ts->ignoreSet & RPMPROB_FILTER_REPLACEPKG) && te->op != RPMTE_REINSTALL)
        rpmteAddProblem(te, RPMPROB_PKG_INSTALLED, NULL, NULL, same);
}

static void checkRemoved(rpmts ts, rpmte te)
{
    unsigned int num = te->dbInstance;
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_PACKAGES, &num, sizeof(num));

    if (rpmdbNextIterator(mi) == NULL)
        rpmteAddProblem(te, RPMPROB_PKG_INSTALLED, NULL, NULL, 0);
    rpmdbFreeIterator(mi);
}

int rpmProblemsCheck(rpmts ts)
{
    if (rpmMachineCheck(ts))
        return -1;
    for (int i = 0; i < ts->nelements; i++) {
        rpmte te = ts->elements[i];
        if (te->type == TR_ADDED)
            checkAdded(ts, te);
        else
            checkRemoved(ts, te);
    }
    return 0;
}
