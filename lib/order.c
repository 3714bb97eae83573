/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of a transaction: packages to install behind what they depend on, then packages to
 * erase before what they depend on.
 *
 * What waits for nothing is in a queue, what is wanted most at its head. Whoever leaves it frees
 * others, which enter it behind him. A loop enters when nothing outside holds it up any more, and
 * goes through a queue of its own, from the members whose scriptlets are the least likely to miss
 * what they need. */

#include <limits.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "order_internal.h"
#include "rpmts_internal.h"

struct run {
    struct graph *g;
    rpm_color_t prefColor;
    rpmte *order;
    int n;
};

/* Packages of the preferred ELF class go first when installed, last when erased. */
static bool goesBehind(const struct run *run, const struct node *node)
{
    bool preferred = node->color == run->prefColor;

    return node->color != 0 && preferred == (node->te->type == TR_REMOVED);
}

/* Put a node into the queue that begins at *head: before those that are wanted as much, or less. */
static void enqueue(struct run *run, int node, int *head)
{
    struct node *nodes = run->g->nodes;
    bool behind = goesBehind(run, &nodes[node]);

    while (*head >= 0 && ((behind && nodes[*head].color != nodes[node].color) ||
                          nodes[*head].wanted > nodes[node].wanted))
        head = &nodes[*head].next;
    nodes[node].next = *head;
    *head = node;
}

/* Something that `after` waited for has its place. Within a loop what that frees goes into the
 * loop's queue, everything else into the outer one. */
static void settle(struct run *run, int node, int after, int *inner, int *outer)
{
    struct node *nodes = run->g->nodes;
    const int loop = nodes[after].loop;

    if (nodes[after].done)
        return;
    if (--nodes[after].waits == 0)
        enqueue(run, after, loop == nodes[node].loop ? inner : outer);
    if (loop != LOOP_NONE && loop != nodes[node].loop && --run->g->loops[loop].waits == 0)
        enqueue(run, after, outer);
}

static void collect(struct run *run, int node, int *outer)
{
    struct node *n = &run->g->nodes[node];

    rpmlog(RPMLOG_DEBUG, "%5d%5d%5d   %c%s\n", run->n, n->waits, n->wanted,
           n->te->type == TR_ADDED ? '+' : '-', n->te->NEVRA);
    run->order[run->n++] = n->te;
    for (int i = n->after.count - 1; i >= 0; i--)
        settle(run, node, n->after.list[i].node, &n->next, outer != NULL ? outer : &n->next);
    n->done = true;
}

/* Members that scriptlets of others in the loop need are at 0, what those wait for is farther. */
static void measure(struct graph *g, const struct loop *loop, int number)
{
    int *queue = rcalloc(loop->count, sizeof(*queue));
    int count = 0;

    for (int i = 0; i < loop->count; i++) {
        struct node *n = &g->nodes[loop->members[i]];
        n->distance = INT_MAX;
        for (int j = n->before.count - 1; j >= 0 && n->distance > 0; j--) {
            if (n->before.list[j].flags && g->nodes[n->before.list[j].node].loop == number)
                n->distance = 0;
        }
        if (n->distance == 0)
            queue[count++] = loop->members[i];
    }
    for (int i = 0; i < count; i++) {
        const struct node *n = &g->nodes[queue[i]];
        for (int j = n->before.count - 1; j >= 0; j--) {
            struct node *other = &g->nodes[n->before.list[j].node];
            if (other->loop != number || other->distance <= n->distance + 1)
                continue;
            other->distance = n->distance + 1;
            queue[count++] = n->before.list[j].node;
        }
    }
    rfree(queue);
}

/* The last of the members that are farthest away; -1 when all are done. */
static int farthest(const struct graph *g, const struct loop *loop)
{
    int best = -1;

    for (int i = 0; i < loop->count; i++) {
        const struct node *n = &g->nodes[loop->members[i]];
        if (!n->done && (best < 0 || n->distance >= g->nodes[best].distance))
            best = loop->members[i];
    }
    return best;
}

static void collectLoop(struct run *run, int node)
{
    struct node *nodes = run->g->nodes;
    const int number = nodes[node].loop;
    const struct loop *loop = &run->g->loops[number];
    int outer = nodes[node].next;
    int best;

    measure(run->g, loop, number);
    while ((best = farthest(run->g, loop)) >= 0) {
        nodes[best].next = -1;
        for (int inner = best; inner >= 0; inner = nodes[inner].next)
            collect(run, inner, &outer);
    }
    nodes[node].next = outer;
}

static void collectType(struct run *run, rpmElementType type)
{
    struct graph *g = run->g;
    int queue = -1;

    for (int node = 0; node < g->count; node++) {
        if (g->nodes[node].te->type == type && g->nodes[node].waits == 0)
            enqueue(run, node, &queue);
    }
    for (int i = 1; i <= g->nloops; i++) {
        int member = g->loops[i].members[0];
        if (g->nodes[member].te->type == type && g->loops[i].waits == 0)
            enqueue(run, member, &queue);
    }
    for (int node = queue; node >= 0; node = g->nodes[node].next) {
        if (g->nodes[node].loop != LOOP_NONE)
            collectLoop(run, node);
        else
            collect(run, node, NULL);
    }
}

static int orderElements(rpmts ts)
{
    struct graph g = { .count = 0 };
    struct run run = { .g = &g, .prefColor = rpmtsPrefColor(ts) };
    int missing;

    orderRelate(ts, &g);
    orderFindLoops(&g);
    orderShowLoops(&g, rpmtsFlags(ts) & RPMTRANS_FLAG_DEPLOOPS ? RPMLOG_WARNING : RPMLOG_DEBUG);
    run.order = rcalloc(g.count, sizeof(*run.order));
    rpmlog(RPMLOG_DEBUG, "========== tsorting packages (order, #predecessors, #successors)\n");
    collectType(&run, TR_ADDED);
    collectType(&run, TR_REMOVED);
    missing = g.count - run.n;
    if (missing == 0) {
        rfree(ts->elements);
        ts->elements = run.order;
    } else {
        rfree(run.order);
    }
    orderFreeGraph(&g);
    return missing;
}

int rpmtsOrder(rpmts ts)
{
    int rc;

    rpmswEnter(rpmtsOp(ts, RPMTS_OP_ORDER), 0);
    rc = orderElements(ts);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_ORDER), 0);
    return rc;
}
