/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the elements of a transaction wait for.
 *
 * Details decide between orders that are equally good, and are as upstream's, so that packages
 * with undeclared needs meet the order they were tested with: relations count once for each
 * provider in a row, or in erasures once for each dependency. */

#include <rpm/rpmstring.h>

#include "order_internal.h"
#include "rpmal.h"
#include "rpmds_internal.h"
#include "rpmts_internal.h"

static void add(struct relations *r, int node, rpmsenseFlags flags)
{
    if ((r->count & (r->count - 1)) == 0)
        r->list = rreallocn(r->list, 2 * (size_t)r->count + 1, sizeof(*r->list));
    r->list[r->count++] = (struct relation){ node, flags };
}

static struct relation *last(struct relations *r)
{
    return r->count > 0 ? &r->list[r->count - 1] : NULL;
}

static void addFlags(struct relations *r, int node, rpmsenseFlags flags)
{
    int i = r->count - 1;

    while (i >= 0 && r->list[i].node != node)
        i--;
    if (i >= 0)
        r->list[i].flags |= flags;
}

/* Scriptlets of the waiting package that need the other. */
static rpmsenseFlags scriptsOf(rpmte te, rpmds ds)
{
    const bool added = te->type == TR_ADDED;
    rpmsenseFlags flags = rpmdsFlags(ds) & (added ? RPMSENSE_INSTALL_ONLY : RPMSENSE_ERASE_ONLY);

    if (rpmdsIsLegacyPrereq(rpmdsFlags(ds)))
        flags |= added ? RPMSENSE_SCRIPT_PRE : RPMSENSE_SCRIPT_PREUN;
    return rpmdsIsWeak(ds) ? 0 : flags;
}

/* What depends is installed later, and erased earlier, than what it depends on. */
static void relate(struct graph *g, int depends, int provider, rpmds ds)
{
    rpmte te = g->nodes[depends].te;
    const bool reversed = (te->type == TR_REMOVED) != rpmdsIsReverse(ds);
    rpmsenseFlags flags = scriptsOf(te, ds);
    int later = reversed ? provider : depends;
    int earlier = reversed ? depends : provider;
    struct relation *known = last(reversed ? &g->nodes[earlier].before : &g->nodes[earlier].after);

    if (known != NULL && known->node == later) {
        known->flags |= flags;
        addFlags(reversed ? &g->nodes[later].after : &g->nodes[later].before, earlier, flags);
        return;
    }
    add(&g->nodes[later].before, earlier, flags);
    g->nodes[later].waits++;
    add(&g->nodes[earlier].after, later, flags);
    g->nodes[earlier].wanted++;
}

/* Packages of one kind, and which node each is. */
struct side {
    rpmal al;
    int *nodes;
    int count;
};

static void addSide(rpmts ts, struct graph *g, rpmElementType type, rpmPlaces places,
                    struct side *side)
{
    side->al = rpmalNew(places, rpmtsFlags(ts));
    if (rpmtsColor(ts) != 0)
        rpmalPrefer(side->al, rpmtsPrefColor(ts));
    side->nodes = rcalloc(g->count, sizeof(*side->nodes));
    for (int i = 0; i < g->count; i++) {
        rpmte te = g->nodes[i].te;
        if (te->type != type)
            continue;
        rpmalAdd(side->al, te->h, te->files, g->nodes[i].color);
        side->nodes[side->count++] = i;
    }
}

static void relateSet(struct graph *g, const struct side *side, int number, rpmTagVal tagN)
{
    int node = side->nodes[number];
    rpmds ds = rpmdsNew(g->nodes[node].te->h, tagN, 0);

    while (rpmdsNext(ds) >= 0) {
        int provider;

        if (rpmdsIsUnordered(rpmdsFlags(ds)) || rpmdsIsRich(ds))
            continue;
        provider = rpmalFind(side->al, ds, number, -1);
        if (provider >= 0 && provider != number)
            relate(g, node, side->nodes[provider], ds);
    }
    rpmdsFree(ds);
}

static void relateSide(struct graph *g, const struct side *side)
{
    static const rpmTagVal tags[] = {
        RPMTAG_REQUIRENAME, RPMTAG_RECOMMENDNAME, RPMTAG_SUGGESTNAME, RPMTAG_SUPPLEMENTNAME,
        RPMTAG_ENHANCENAME, RPMTAG_ORDERNAME,
    };

    for (int number = 0; number < side->count; number++) {
        for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
            relateSet(g, side, number, tags[i]);
    }
}

void orderRelate(rpmts ts, struct graph *g)
{
    static const rpmElementType types[] = { TR_ADDED, TR_REMOVED };
    rpmPlaces places = rpmPlacesNew(rpmtsRootDir(ts));

    g->count = ts->nelements;
    g->nodes = rcalloc(g->count, sizeof(*g->nodes));
    for (int i = 0; i < g->count; i++) {
        g->nodes[i].te = ts->elements[i];
        g->nodes[i].color = rpmteColor(ts->elements[i]);
        g->nodes[i].next = -1;
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        struct side side = { .count = 0 };

        addSide(ts, g, types[i], places, &side);
        relateSide(g, &side);
        rpmalFree(side.al);
        rfree(side.nodes);
    }
    rpmPlacesFree(places);
}

void orderFreeGraph(struct graph *g)
{
    for (int i = 0; i < g->count; i++) {
        rfree(g->nodes[i].before.list);
        rfree(g->nodes[i].after.list);
    }
    for (int i = 1; i <= g->nloops; i++)
        rfree(g->loops[i].members);
    rfree(g->nodes);
    rfree(g->loops);
}
