/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dependencies of packages that are installed together. There is no package database yet:
 * what is not in the transaction is not there. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmds.h>
#include <rpm/rpmfiles.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmutil.h>
#include <rpm/rpmverify.h>

#include "depends.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* A package, with what others look for in it. */
struct package {
    Header h;
    fnpyKey key;
    char *nevr;
    char *nevra;
    rpmds self;     /* its name and version */
    rpmfiles files; /* loaded when first asked for */
    bool filesTried;
};

/* One thing that a package provides; sorted by name. */
struct provide {
    const char *name; /* the set's */
    int package;
    int ix;
};

struct check {
    struct package *packages;
    int count;
    rpmds *provides; /* of each package, NULL for none */
    struct provide *index;
    size_t indexed;
    rpmds rpmlib;
    int failed;
};

static int compareProvides(const void *a, const void *b)
{
    const struct provide *pa = a;
    const struct provide *pb = b;

    return strcmp(pa->name, pb->name);
}

static void indexProvides(struct check *check)
{
    size_t total = 0;

    for (int i = 0; i < check->count; i++)
        total += rpmdsCount(check->provides[i]);
    check->index = rcalloc(total, sizeof(*check->index));
    for (int i = 0; i < check->count; i++) {
        rpmds ds = rpmdsInit(check->provides[i]);
        int ix;

        while ((ix = rpmdsNext(ds)) >= 0) {
            struct provide *p = &check->index[check->indexed++];

            p->name = rpmdsN(ds);
            p->package = i;
            p->ix = ix;
        }
    }
    qsort(check->index, check->indexed, sizeof(*check->index), compareProvides);
}

/* Index of the first provide of a name, or of where it would be. */
static size_t firstProvide(const struct check *check, const char *name)
{
    size_t low = 0;
    size_t high = check->indexed;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(check->index[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void seek(rpmds ds, int ix)
{
    rpmdsInit(ds);
    while (rpmdsNext(ds) < ix)
        continue;
}

static rpmfiles filesOf(struct package *package)
{
    if (!package->filesTried)
        package->files = rpmfilesNew(NULL, package->h, RPMTAG_BASENAMES, RPMFI_FLAGS_QUERY);
    package->filesTried = true;
    return package->files;
}

/* Does any package but `except` (-1: any) have that file? */
static bool hasFile(struct check *check, const char *path, int except)
{
    for (int i = 0; i < check->count; i++) {
        if (i != except && rpmfilesFindFN(filesOf(&check->packages[i]), path) >= 0)
            return true;
    }
    return false;
}

/* Does any package but `except` (-1: any) provide what the entry of ds asks for? */
static bool isProvided(struct check *check, rpmds ds, int except)
{
    const char *name = rpmdsN(ds);

    if (name[0] == '/' && hasFile(check, name, except))
        return true;
    for (size_t i = firstProvide(check, name); i < check->indexed; i++) {
        struct provide *p = &check->index[i];

        if (!rstreq(p->name, name))
            break;
        if (p->package == except)
            continue;
        seek(check->provides[p->package], p->ix);
        if (rpmdsCompare(check->provides[p->package], ds))
            return true;
    }
    return false;
}

/* Obsoletes look at names of packages, not at what they provide. */
static bool isPackage(struct check *check, rpmds ds, int except)
{
    for (int i = 0; i < check->count; i++) {
        seek(check->packages[i].self, 0);
        if (i != except && rpmdsCompare(check->packages[i].self, ds))
            return true;
    }
    return false;
}

static bool isFeature(struct check *check, rpmds ds)
{
    rpmdsInit(check->rpmlib);
    while (rpmdsNext(check->rpmlib) >= 0) {
        if (rpmdsCompare(check->rpmlib, ds))
            return true;
    }
    return false;
}

static bool isMet(struct check *check, rpmds ds)
{
    rpmsenseFlags flags = rpmdsFlags(ds);

    if (flags & RPMSENSE_RPMLIB)
        return isFeature(check, ds) || (flags & RPMSENSE_MISSINGOK);
    /* What must be there before the transaction cannot come with it. */
    if (!(flags & RPMSENSE_PRETRANS) && isProvided(check, ds, -1))
        return true;
    return (flags & RPMSENSE_MISSINGOK) != 0;
}

static void addProblem(rpmps ps, rpmProblem problem)
{
    rpmpsi psi = rpmpsInitIterator(ps);
    rpmProblem known;
    bool isNew = true;

    while (isNew && (known = rpmpsiNext(psi)) != NULL)
        isNew = rpmProblemCompare(known, problem) != 0;
    rpmpsFreeIterator(psi);
    if (isNew)
        rpmpsAppendProblem(ps, problem);
    rpmProblemFree(problem);
}

static void refuseRich(struct check *check, struct package *package, rpmds ds)
{
    rpmlog(RPMLOG_ERR,
           "package %s has the rich dependency %s, which this version does not evaluate: "
           "--nodeps goes without\n", package->nevra, rpmdsN(ds));
    check->failed = -1;
}

/* Does the entry of ds make a problem? */
static bool isProblem(struct check *check, int ix, rpmds ds)
{
    switch (rpmdsTagN(ds)) {
    case RPMTAG_REQUIRENAME:
        return !isMet(check, ds);
    case RPMTAG_CONFLICTNAME:
        return isProvided(check, ds, ix);
    default:
        return isPackage(check, ds, ix);
    }
}

static void checkSet(struct check *check, int ix, rpmTagVal tagN, rpmProblemType type, rpmps ps)
{
    struct package *package = &check->packages[ix];
    rpmds ds = rpmdsNew(package->h, tagN, 0);

    if (ds == NULL && headerIsEntry(package->h, tagN)) {
        rpmlog(RPMLOG_ERR, "package %s has dependencies that make no sense\n", package->nevra);
        check->failed = -1;
    }
    while (rpmdsNext(ds) >= 0) {
        if (rpmdsIsRich(ds))
            refuseRich(check, package, ds);
        else if (isProblem(check, ix, ds))
            addProblem(ps, rpmProblemCreate(type, package->nevr, package->key, package->nevra,
                                            rpmdsDNEVR(ds) + 2, 0));
    }
    rpmdsFree(ds);
}

static void beginCheck(struct check *check, Header *hs, const fnpyKey *keys)
{
    check->packages = rcalloc(check->count, sizeof(*check->packages));
    check->provides = rcalloc(check->count, sizeof(*check->provides));
    rpmdsRpmlib(&check->rpmlib, NULL);
    for (int i = 0; i < check->count; i++) {
        struct package *package = &check->packages[i];

        package->h = hs[i];
        package->key = keys != NULL ? keys[i] : NULL;
        package->nevr = headerGetAsString(hs[i], RPMTAG_NEVR);
        package->nevra = headerGetAsString(hs[i], RPMTAG_NEVRA);
        package->self = rpmdsNew(hs[i], RPMTAG_NAME, 0);
        check->provides[i] = rpmdsNew(hs[i], RPMTAG_PROVIDENAME, 0);
    }
    indexProvides(check);
}

static void endCheck(struct check *check)
{
    for (int i = 0; i < check->count; i++) {
        rfree(check->packages[i].nevr);
        rfree(check->packages[i].nevra);
        rpmdsFree(check->packages[i].self);
        rpmfilesFree(check->packages[i].files);
        rpmdsFree(check->provides[i]);
    }
    rpmdsFree(check->rpmlib);
    rfree(check->packages);
    rfree(check->provides);
    rfree(check->index);
}

int rpmDependsCheck(Header *hs, const fnpyKey *keys, int count, rpmps *problems)
{
    struct check check = { .count = count };

    beginCheck(&check, hs, keys);
    for (int i = 0; i < count; i++) {
        checkSet(&check, i, RPMTAG_REQUIRENAME, RPMPROB_REQUIRES, problems[i]);
        checkSet(&check, i, RPMTAG_CONFLICTNAME, RPMPROB_CONFLICT, problems[i]);
        checkSet(&check, i, RPMTAG_OBSOLETENAME, RPMPROB_OBSOLETES, problems[i]);
    }
    endCheck(&check);
    return check.failed;
}

int rpmVerifyDependencies(Header h, rpmps *problems)
{
    *problems = rpmpsCreate();
    return rpmDependsCheck(&h, NULL, 1, problems);
}

int rpmtsCheck(rpmts ts)
{
    int count = rpmtsNElements(ts);
    Header *hs = rcalloc(count, sizeof(*hs));
    fnpyKey *keys = rcalloc(count, sizeof(*keys));
    rpmps *problems = rcalloc(count, sizeof(*problems));
    int rc;

    rpmswEnter(rpmtsOp(ts, RPMTS_OP_CHECK), 0);
    for (int i = 0; i < count; i++) {
        rpmte te = ts->elements[i];

        if (te->probs == NULL)
            te->probs = rpmpsCreate();
        hs[i] = te->h;
        keys[i] = te->key;
        problems[i] = te->probs;
    }
    rc = rpmDependsCheck(hs, keys, count, problems);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_CHECK), 0);
    rfree(hs);
    rfree(keys);
    rfree(problems);
    return rc;
}
