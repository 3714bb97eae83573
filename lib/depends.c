/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checking the dependencies of a transaction: what its packages ask for, and what the installed
 * ones ask of it. */

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmverify.h>

#include "depends_internal.h"
#include "rpmts_internal.h"

static int compareStrings(const void *a, const void *b)
{
    return strcmp(a, b);
}

static rpmProblemType typeOf(rpmds ds)
{
    switch (rpmdsTagN(ds)) {
    case RPMTAG_CONFLICTNAME:
        return RPMPROB_CONFLICT;
    case RPMTAG_OBSOLETENAME:
        return RPMPROB_OBSOLETES;
    default:
        return RPMPROB_REQUIRES;
    }
}

void dependsAddProblem(struct depends *d, rpmte te, rpmds ds, const char *nevra)
{
    rpmProblem problem = rpmProblemCreate(typeOf(ds), te->NEVRA, NULL, nevra, rpmdsDNEVR(ds) + 2,
                                          rpmdsInstance(ds));
    char *text = rpmProblemString(problem);

    if (te->probs == NULL)
        te->probs = rpmpsCreate();
    if (tfind(text, &d->said, compareStrings) == NULL) {
        rpmpsAppendProblem(te->probs, problem);
        tsearch(text, &d->said, compareStrings);
        text = NULL;
    }
    rfree(text);
    rpmProblemFree(problem);
}

/* In a package that is installed already they are not what a transaction can be stopped by. */
static void leaveRich(struct depends *d, rpmte te, rpmds ds)
{
    if (rpmdsInstance(ds) != 0) {
        rpmlog(RPMLOG_WARNING,
               "package %s has the rich dependency %s, which this version does not evaluate\n",
               te->NEVRA, rpmdsN(ds));
        return;
    }
    rpmlog(RPMLOG_ERR,
           "package %s has the rich dependency %s, which this version does not evaluate: "
           "--nodeps goes without\n", te->NEVRA, rpmdsN(ds));
    d->failed = -1;
}

/* Requirements are to be met, conflicts and obsoletes not. */
static void checkSet(struct depends *d, rpmte te, int number, rpmTagVal tagN)
{
    const bool wanted = tagN == RPMTAG_REQUIRENAME;
    rpmds ds = rpmdsNew(te->h, tagN, 0);

    if (ds == NULL && headerIsEntry(te->h, tagN)) {
        rpmlog(RPMLOG_ERR, "package %s has dependencies that make no sense\n", te->NEVRA);
        d->failed = -1;
    }
    while (rpmdsNext(ds) >= 0) {
        if (rpmdsIsRich(ds))
            leaveRich(d, te, ds);
        else if (dependsMet(d, ds, wanted ? -1 : number) != wanted)
            dependsAddProblem(d, te, ds, te->NEVRA);
    }
    rpmdsFree(ds);
}

static void checkAdded(struct depends *d, rpmte te, int number)
{
    checkSet(d, te, number, RPMTAG_REQUIRENAME);
    checkSet(d, te, number, RPMTAG_CONFLICTNAME);
    checkSet(d, te, number, RPMTAG_OBSOLETENAME);
    if (!te->isSource)
        dependsCheckAdded(d, te);
}

static int compareNumbers(const void *a, const void *b)
{
    const unsigned int *na = a, *nb = b;

    return *na < *nb ? -1 : *na > *nb;
}

static void begin(struct depends *d, rpmte *elements, int count)
{
    d->places = rpmPlacesNew(rpmtsRootDir(d->ts));
    d->added = rpmalNew(d->places, rpmtsFlags(d->ts));
    d->removed = rcalloc(count, sizeof(*d->removed));
    rpmdsRpmlib(&d->rpmlib, NULL);
    for (int i = 0; i < count; i++) {
        if (elements[i]->type == TR_ADDED)
            rpmalAdd(d->added, elements[i]->h, elements[i]->files, 0);
        else
            d->removed[d->nremoved++] = elements[i]->dbInstance;
    }
    if (d->nremoved > 0)
        qsort(d->removed, d->nremoved, sizeof(*d->removed), compareNumbers);
}

static void end(struct depends *d)
{
    dependsFreeAnswers(d);
    dependsFreeFileDeps(d);
    rpmalFree(d->added);
    rpmPlacesFree(d->places);
    rpmdsFree(d->rpmlib);
    rfree(d->removed);
}

static void nextElement(struct depends *d)
{
    tdestroy(d->said, free);
    d->said = NULL;
}

static int checkElements(rpmts ts, rpmte *elements, int count)
{
    struct depends d = { .ts = ts };
    int number = 0;

    if (rpmtsGetRdb(ts) == NULL && rpmtsGetDBMode(ts) != -1 &&
        !(rpmtsFlags(ts) & RPMTRANS_FLAG_NODB) && rpmtsOpenDB(ts, rpmtsGetDBMode(ts)))
        return -1;
    begin(&d, elements, count);
    for (int i = 0; i < count; i++) {
        if (elements[i]->type == TR_ADDED)
            checkAdded(&d, elements[i], number++);
        nextElement(&d);
    }
    for (int i = 0; i < count; i++) {
        if (elements[i]->type == TR_REMOVED)
            dependsCheckRemoved(&d, elements[i]);
        nextElement(&d);
    }
    end(&d);
    return d.failed;
}

int rpmVerifyDependencies(rpmts ts, Header h, rpmps *problems)
{
    rpmte te = rpmteNew(h, TR_ADDED, NULL);
    int rc = -1;

    *problems = NULL;
    if (te != NULL) {
        rc = checkElements(ts, &te, 1);
        *problems = rpmteProblems(te);
    }
    rpmteFree(te);
    return rc;
}

int rpmtsCheck(rpmts ts)
{
    int rc;

    rpmswEnter(rpmtsOp(ts, RPMTS_OP_CHECK), 0);
    rc = checkElements(ts, ts->elements, ts->nelements);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_CHECK), 0);
    return rc;
}

/* A check keeps nothing but its problems. */
void rpmtsClean(rpmts ts)
{
    rpmtsCleanProblems(ts);
}
