/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a dependency is met: by rpm itself, by what is installed in the same transaction, by
 * what the database has and the transaction leaves there. */

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmdb.h>
#include <rpm/rpmstring.h>

#include "depends_internal.h"
#include "rpmds_internal.h"

/* What the database said. */
struct answer {
    char *dep; /* as it is shown */
    bool found;
};

static int compareAnswers(const void *a, const void *b)
{
    return strcmp(((const struct answer *)a)->dep, ((const struct answer *)b)->dep);
}

static void freeAnswer(void *data)
{
    struct answer *answer = data;

    rfree(answer->dep);
    rfree(answer);
}

void dependsFreeAnswers(struct depends *d)
{
    tdestroy(d->answers, freeAnswer);
    d->answers = NULL;
}

static int compareNumbers(const void *a, const void *b)
{
    const unsigned int *na = a, *nb = b;

    return *na < *nb ? -1 : *na > *nb;
}

bool dependsIsRemoved(const struct depends *d, unsigned int hdrNum)
{
    return d->nremoved > 0 && bsearch(&hdrNum, d->removed, d->nremoved, sizeof(*d->removed),
                                      compareNumbers) != NULL;
}

/* A package does not conflict with itself, nor obsolete itself. */
static bool counts(const struct depends *d, rpmds ds, unsigned int hdrNum, bool pruned)
{
    if (pruned && dependsIsRemoved(d, hdrNum))
        return false;
    return rpmdsTagN(ds) == RPMTAG_REQUIRENAME || rpmdsInstance(ds) != hdrNum;
}

static bool isFile(struct depends *d, rpmds ds, bool pruned)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(d->ts, RPMDBI_INSTFILENAMES, rpmdsN(ds), 0);
    bool found = false;

    while (!found && rpmdbNextIterator(mi) != NULL)
        found = counts(d, ds, rpmdbGetIteratorOffset(mi), pruned);
    rpmdbFreeIterator(mi);
    return found;
}

static bool matches(Header h, rpmTagVal tagN, int ix, rpmds ds)
{
    rpmds provides = rpmdsNew(h, tagN, 0);
    bool match = rpmdsCompareIndex(provides, ix, ds, rpmdsIx(ds));

    rpmdsFree(provides);
    return match;
}

/* Obsoletes look at names of packages, not at what they provide. */
static bool isProvide(struct depends *d, rpmds ds, bool pruned)
{
    bool byName = rpmdsTagN(ds) == RPMTAG_OBSOLETENAME;
    rpmdbMatchIterator mi = rpmtsInitIterator(d->ts, byName ? RPMDBI_NAME : RPMDBI_PROVIDENAME,
                                              rpmdsN(ds), 0);
    bool found = false;
    Header h;

    while (!found && (h = rpmdbNextIterator(mi)) != NULL) {
        int ix = byName ? 0 : (int)rpmdbGetIteratorFileNum(mi);

        found = counts(d, ds, rpmdbGetIteratorOffset(mi), pruned) &&
            matches(h, byName ? RPMTAG_NAME : RPMTAG_PROVIDENAME, ix, ds);
    }
    rpmdbFreeIterator(mi);
    return found;
}

static bool ask(struct depends *d, rpmds ds, bool pruned)
{
    if (rpmdsTagN(ds) != RPMTAG_OBSOLETENAME && rpmdsN(ds)[0] == '/' && isFile(d, ds, pruned))
        return true;
    return isProvide(d, ds, pruned);
}

/* What must be there before the transaction may be of a package that goes. That, and what a
 * package says of others only, is an answer for one question. */
static bool inDatabase(struct depends *d, rpmds ds)
{
    bool pruned = !(rpmdsFlags(ds) & RPMSENSE_PRETRANS);
    struct answer key = { .found = false };
    struct answer *answer, **known;

    if (rpmdsN(ds)[0] == '\0')
        return false;
    if (!pruned || (rpmdsInstance(ds) != 0 && rpmdsTagN(ds) != RPMTAG_REQUIRENAME))
        return ask(d, ds, pruned);
    key.dep = (char *)rpmdsDNEVR(ds);
    known = tfind(&key, &d->answers, compareAnswers);
    if (known != NULL)
        return (*known)->found;
    answer = rcalloc(1, sizeof(*answer));
    answer->dep = rstrdup(key.dep);
    answer->found = ask(d, ds, pruned);
    tsearch(answer, &d->answers, compareAnswers);
    return answer->found;
}

static bool isFeature(struct depends *d, rpmds ds)
{
    for (int ix = 0; ix < rpmdsCount(d->rpmlib); ix++) {
        if (rpmdsCompareIndex(d->rpmlib, ix, ds, rpmdsIx(ds)))
            return true;
    }
    return false;
}

bool dependsMet(struct depends *d, rpmds ds, int except)
{
    rpmsenseFlags flags = rpmdsFlags(ds);
    bool met;

    if (flags & RPMSENSE_RPMLIB)
        met = isFeature(d, ds);
    else if (rpmdsInstance(ds) != 0 && rpmdsIsTransient(flags))
        met = true;
    else
        met = (!(flags & RPMSENSE_PRETRANS) && rpmalFind(d->added, ds, -1, except) >= 0) ||
            inDatabase(d, ds);
    return met || (rpmdsTagN(ds) == RPMTAG_REQUIRENAME && (flags & RPMSENSE_MISSINGOK));
}

static bool anyCounts(struct depends *d, rpmDbiTagVal tag, const char *name, bool pruned)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(d->ts, tag, name, 0);
    bool found = false;

    while (!found && rpmdbNextIterator(mi) != NULL)
        found = !pruned || !dependsIsRemoved(d, rpmdbGetIteratorOffset(mi));
    rpmdbFreeIterator(mi);
    return found;
}

bool dependsInstalled(struct depends *d, const char *name, bool pruned)
{
    return (name[0] == '/' && anyCounts(d, RPMDBI_INSTFILENAMES, name, pruned)) ||
        anyCounts(d, RPMDBI_PROVIDENAME, name, pruned);
}
