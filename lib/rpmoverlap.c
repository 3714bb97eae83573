/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of one path in several elements of a transaction, or twice in one by way of a symlink. */

#include <string.h>

#include <rpm/rpmstring.h>

#include "rpmfate.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

static int same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && rstreq(a, b));
}

int rpmFateSameDigest(rpmfiles a, int ax, rpmfiles b, int bx)
{
    int aalgo, balgo;
    size_t alen, blen;
    const unsigned char *adigest = rpmfilesFDigest(a, ax, &aalgo, &alen);
    const unsigned char *bdigest = rpmfilesFDigest(b, bx, &balgo, &blen);

    if (adigest == NULL || bdigest == NULL)
        return adigest == bdigest;
    return aalgo == balgo && alen == blen && memcmp(adigest, bdigest, alen) == 0;
}

int rpmFateCompare(rpmfiles a, int ax, rpmfiles b, int bx)
{
    mode_t amode = rpmfilesFMode(a, ax);
    mode_t bmode = rpmfilesFMode(b, bx);
    int links = S_ISLNK(amode) && S_ISLNK(bmode);

    if ((rpmfilesFFlags(a, ax) | rpmfilesFFlags(b, bx)) & RPMFILE_GHOST)
        return 0;
    if ((amode != bmode && !links) || !same(rpmfilesFUser(a, ax), rpmfilesFUser(b, bx)) ||
        !same(rpmfilesFGroup(a, ax), rpmfilesFGroup(b, bx)))
        return 1;
    if (links)
        return !same(rpmfilesFLink(a, ax), rpmfilesFLink(b, bx));
    if (S_ISREG(amode))
        return rpmfilesFSize(a, ax) != rpmfilesFSize(b, bx) || !rpmFateSameDigest(a, ax, b, bx);
    if (S_ISCHR(amode) || S_ISBLK(amode))
        return rpmfilesFRdev(a, ax) != rpmfilesFRdev(b, bx);
    return 0;
}

int rpmFateColor(rpmts ts, rpmte te, int fx, rpmfiles others, int ox, rpmte other)
{
    rpm_color_t color = rpmfilesFColor(te->files, fx) & ts->color;
    rpm_color_t ocolor = rpmfilesFColor(others, ox) & ts->color;

    if (color == 0 || ocolor == 0 || color == ocolor)
        return 0;
    if (color & ts->prefColor) {
        if (other != NULL && !XFA_SKIPPING(te->actions[fx]))
            other->actions[ox] = FA_SKIPCOLOR;
        te->actions[fx] = FA_CREATE;
        return 1;
    }
    if (ocolor & ts->prefColor) {
        if (other != NULL && XFA_SKIPPING(te->actions[fx]))
            other->actions[ox] = FA_CREATE;
        te->actions[fx] = FA_SKIPCOLOR;
        return 1;
    }
    return 0;
}

/* The only package of the transaction with this path, or the first. */
static void decideAlone(struct fate *fate, rpmte te, int fx)
{
    if (te->actions[fx] != FA_UNKNOWN)
        return;
    if (!rpmFateConfigConflict(fate->ts->root, te->files, fx))
        te->actions[fx] = FA_CREATE;
    else
        te->actions[fx] = rpmfilesFFlags(te->files, fx) & RPMFILE_NOREPLACE ? FA_ALTNAME
                                                                           : FA_BACKUP;
}

static void addConflict(struct fate *fate, rpmte te, int fx, rpmte other)
{
    char *path;

    if (fate->ts->ignoreSet & RPMPROB_FILTER_REPLACENEWFILES)
        return;
    path = rpmfilesFN(te->files, fx);
    rpmteAddProblem(te, RPMPROB_NEW_FILE_CONFLICT, other->NEVRA, path, 0);
    rfree(path);
}

/* 0 if another package brings the file. */
static int isToCreate(struct fate *fate, rpmte te, int fx, rpmte other, int ox)
{
    rpmFileAction oaction = other->actions[ox];

    if (rpmFateCompare(other->files, ox, te->files, fx)) {
        if (!rpmFateColor(fate->ts, te, fx, other->files, ox, other))
            addConflict(fate, te, fx, other);
    } else if (oaction == FA_SKIPCOLOR) {
        te->actions[fx] = FA_SKIPCOLOR;
    } else if (!XFA_SKIPPING(oaction) &&
               !(rpmfilesFFlags(other->files, ox) & RPMFILE_GHOST)) {
        te->actions[fx] = FA_SKIP;
    }
    return !XFA_SKIPPING(te->actions[fx]);
}

static void decideShared(struct fate *fate, const struct fateEntry *e,
                         const struct fateEntry *before)
{
    rpmte te = fate->ts->elements[e->ix];
    rpmte other = fate->ts->elements[before->ix];
    rpmFileAction *action = &te->actions[e->fx];

    if (!isToCreate(fate, te, e->fx, other, before->fx))
        return;
    fate->shared[e->ix][e->fx] = rpmfilesFSize(other->files, before->fx) + 1;
    if (rpmFateConfigConflict(fate->ts->root, te->files, e->fx))
        *action = rpmfilesFFlags(te->files, e->fx) & RPMFILE_NOREPLACE ? FA_ALTNAME : FA_SKIP;
    else if (*action == FA_UNKNOWN)
        *action = FA_CREATE;
}

/* The file before this one that decides: of an added element the one that some element brings, of
 * a removed one the last. */
static const struct fateEntry *findBefore(struct fate *fate, size_t i)
{
    const struct fateEntry *e = &fate->entries[i];
    int added = fate->ts->elements[e->ix]->type == TR_ADDED;
    const struct fateEntry *before = NULL;

    while (i-- > 0 && rpmFateCmpPath(&fate->entries[i], e) == 0) {
        rpmte other = fate->ts->elements[fate->entries[i].ix];
        if (added && other->type != TR_ADDED)
            continue;
        before = &fate->entries[i];
        if (!added || other->actions[before->fx] != FA_SKIP)
            break;
    }
    return before;
}

static void decideAdded(struct fate *fate, size_t i)
{
    const struct fateEntry *e = &fate->entries[i];
    rpmte te = fate->ts->elements[e->ix];
    const struct fateEntry *before;

    if (XFA_SKIPPING(te->actions[e->fx]))
        return;
    before = findBefore(fate, i);
    if (before == NULL)
        decideAlone(fate, te, e->fx);
    else
        decideShared(fate, e, before);
}

/* What an added package brings stays; of several that are removed, the last takes it away. */
static void decideRemoved(struct fate *fate, size_t i)
{
    const struct fateEntry *e = &fate->entries[i];
    rpmte te = fate->ts->elements[e->ix];
    const struct fateEntry *before;

    if (XFA_SKIPPING(te->actions[e->fx]))
        return;
    before = findBefore(fate, i);
    if (before != NULL) {
        rpmFileAction *other = &fate->ts->elements[before->ix]->actions[before->fx];
        if (*other != FA_ERASE) {
            te->actions[e->fx] = FA_SKIP;
            return;
        }
        *other = FA_SKIP;
    }
    if (rpmfilesFState(te->files, e->fx) != RPMFILE_STATE_NORMAL)
        te->actions[e->fx] = FA_SKIP;
    else
        te->actions[e->fx] = rpmFateConfigConflict(fate->ts->root, te->files, e->fx) ? FA_SAVE
                                                                                    : FA_ERASE;
}

void rpmFateOverlaps(struct fate *fate)
{
    for (int ix = 0; ix < fate->n; ix++) {
        rpmte te = fate->ts->elements[ix];
        for (int fx = 0; fx < (int) rpmfilesFC(te->files); fx++) {
            if (fate->where[ix][fx] == 0)
                continue;
            if (te->type == TR_ADDED)
                decideAdded(fate, fate->where[ix][fx] - 1);
            else
                decideRemoved(fate, fate->where[ix][fx] - 1);
        }
    }
}
