/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops among the elements of a transaction: Tarjan's strongly connected components, on a stack
 * of its own, since a chain of packages may be long. */

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "order_internal.h"

/* Where a node is. */
struct visit {
    int index; /* order of the first visit, from 1; 0: none yet */
    int low;   /* the earliest node that can be reached */
    int next;  /* relation of `after` that is looked at next, -1 at the end */
    bool open; /* not in a component yet */
};

struct search {
    struct graph *g;
    struct visit *visits;
    int visited;
    int *path;   /* from the start to where we are */
    int depth;
    int *opened; /* not in a component yet, in the order of their visits */
    int nopened;
};

static void enter(struct search *s, int node)
{
    struct visit *v = &s->visits[node];

    v->index = v->low = ++s->visited;
    v->next = s->g->nodes[node].after.count - 1;
    v->open = true;
    s->path[s->depth++] = node;
    s->opened[s->nopened++] = node;
}

static void lower(struct visit *v, int index)
{
    if (index < v->low)
        v->low = index;
}

/* Relations to what is not of the loop. */
static int outerWaits(const struct graph *g, int number)
{
    const struct loop *loop = &g->loops[number];
    int waits = 0;

    for (int i = 0; i < loop->count; i++) {
        const struct node *node = &g->nodes[loop->members[i]];
        for (int j = 0; j < node->before.count; j++)
            waits += g->nodes[node->before.list[j].node].loop != number;
    }
    return waits;
}

/* The open nodes from this one on are a component. */
static void closeComponent(struct search *s, int node)
{
    struct graph *g = s->g;
    int from = s->nopened - 1;
    struct loop *loop;

    while (s->opened[from] != node)
        from--;
    for (int i = from; i < s->nopened; i++)
        s->visits[s->opened[i]].open = false;
    if (s->nopened - from > 1) {
        g->loops = rreallocn(g->loops, (size_t)g->nloops + 2, sizeof(*g->loops));
        loop = &g->loops[++g->nloops];
        loop->count = s->nopened - from;
        loop->members = rcalloc(loop->count, sizeof(*loop->members));
        for (int i = 0; i < loop->count; i++) {
            loop->members[i] = s->opened[from + i];
            g->nodes[loop->members[i]].loop = g->nloops;
        }
        loop->waits = outerWaits(g, g->nloops);
    }
    s->nopened = from;
}

/* One step: down to a node that waits for this one, or back. */
static void step(struct search *s)
{
    int node = s->path[s->depth - 1];
    struct visit *v = &s->visits[node];

    if (v->next >= 0) {
        int after = s->g->nodes[node].after.list[v->next--].node;

        if (s->visits[after].index == 0)
            enter(s, after);
        else if (s->visits[after].open)
            lower(v, s->visits[after].index);
        return;
    }
    s->depth--;
    if (v->low == v->index)
        closeComponent(s, node);
    else
        lower(&s->visits[s->path[s->depth - 1]], v->low);
}

void orderFindLoops(struct graph *g)
{
    struct search s = { .g = g };

    s.visits = rcalloc(g->count, sizeof(*s.visits));
    s.path = rcalloc(g->count, sizeof(*s.path));
    s.opened = rcalloc(g->count, sizeof(*s.opened));
    for (int node = 0; node < g->count; node++) {
        if (s.visits[node].index == 0)
            enter(&s, node);
        while (s.depth > 0)
            step(&s);
    }
    rfree(s.visits);
    rfree(s.path);
    rfree(s.opened);
}

static void showMember(const struct graph *g, const struct node *node, int priority)
{
    rpmlog(priority, "\t%s\n", node->te->NEVRA);
    for (int i = node->before.count - 1; i >= 0; i--) {
        const struct node *other = &g->nodes[node->before.list[i].node];
        if (other->loop == node->loop)
            rpmlog(priority, "\t\t%s %s\n", node->before.list[i].flags ? "=>" : "->",
                   other->te->NEVRA);
    }
}

void orderShowLoops(const struct graph *g, int priority)
{
    if (g->nloops > 0)
        rpmlog(priority, "%i Strongly Connected Components\n", g->nloops);
    for (int i = 1; i <= g->nloops; i++) {
        const struct loop *loop = &g->loops[i];

        rpmlog(priority, "SCC #%i: %i members (%i external dependencies)\n", i, loop->count,
               loop->waits);
        for (int j = 0; j < loop->count; j++)
            showMember(g, &g->nodes[loop->members[j]], priority);
    }
}
