/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_ORDER_INTERNAL_H
#define RPM_ORDER_INTERNAL_H

/** @file order_internal.h
 * Which element of a transaction has to wait for which, and where they wait for each other. */

#include <stdbool.h>

#include <rpm/rpmds.h>
#include <rpm/rpmts.h>

#include "rpmte_internal.h"

/** One element waits for another. */
struct relation {
    int node;            /**< the other end */
    rpmsenseFlags flags; /**< scriptlets that need it; 0 for none */
};

struct relations {
    struct relation *list; /**< in the order they were found in; they are gone through backwards */
    int count;
};

/** Number of no loop. */
#define LOOP_NONE 0

/** An element. */
struct node {
    rpmte te;
    rpm_color_t color;
    struct relations before; /**< what this one waits for */
    struct relations after;  /**< what waits for this one */
    int waits;               /**< relations of `before` that are not settled yet */
    int wanted;              /**< relations of `after` at first: what is wanted most goes first */
    int loop;                /**< number of its loop, LOOP_NONE for none */
    int distance;            /**< in its loop from what scriptlets need */
    bool done;               /**< it has its place in the order */
    int next;                /**< in a queue, -1 at its end */
};

/** Elements that wait for each other. */
struct loop {
    int *members;
    int count;
    int waits; /**< relations to what is outside that are not settled yet */
};

struct graph {
    struct node *nodes;
    int count;
    struct loop *loops; /**< from number 1 */
    int nloops;         /**< number of the last */
};

/** Find out what waits for what. */
void orderRelate(rpmts ts, struct graph *g);

/** Find the loops. */
void orderFindLoops(struct graph *g);

/** Log the loops.
 * @param priority  RPMLOG_* */
void orderShowLoops(const struct graph *g, int priority);

/** Free everything in the graph. */
void orderFreeGraph(struct graph *g);

#endif /* RPM_ORDER_INTERNAL_H */
