/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows of one file: who prepares, hashes and releases them.
 *
 * A few windows are in a ring. Each sink takes them in order, sinks may be windows apart. There are
 * three kinds of tasks: give a window to a sink, prepare the next one, release one that all sinks
 * have had. The caller's thread and those started to help it each do whichever there is, in
 * that order: with one sink and two threads, one hashes and the other prepares; with several sinks
 * they run side by side, the one most behind first; with one thread it all happens in turn. */

#include "rpmfiledigest_internal.h"

#include <errno.h>
#include <stdlib.h>

/* Sinks of different speed drift apart by as much as this. */
#define RING 8
/* From this many bytes in a window on, several sinks are worth the start of threads. */
#define SIDE_BY_SIDE_MIN (64 * 1024)
/* If this much is to come, a thread to prepare windows is. */
#define PREPARE_MIN (3 * 1024 * 1024)

struct flow {
    struct digestRun *run;
    pthread_mutex_t lock;
    pthread_cond_t change;
    struct digestWindow ring[RING];
    unsigned depth;                  /* windows in use of the ring: 1 without helpers */
    uint64_t prepared, released;     /* windows so far */
    int64_t position;                /* bytes prepared */
    int preparing, releasing, ended; /* somebody is at it; there will be no more windows */
    int waiting;                     /* threads */
    int faulted;
    int64_t faultOffset;
    struct {
        uint64_t next; /* window */
        int busy;
    } sinks[RPMFILEDIGEST_MAX];
};

static int stopped(const struct flow *flow)
{
    return flow->run->res->err != 0 || flow->faulted;
}

/* The window that the sink most behind is at. */
static uint64_t leastNext(const struct flow *flow)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < flow->run->nsinks; i++) {
        if (flow->sinks[i].next < least)
            least = flow->sinks[i].next;
    }
    return least;
}

static void changed(struct flow *flow)
{
    if (flow->waiting > 0)
        pthread_cond_broadcast(&flow->change);
}

/* The only sink has had a window. Who waits to prepare others is woken for half a ring of them: to
 * wake a thread costs the one that hashes, on virtual machines most. */
static int isWorthWaking(const struct flow *flow)
{
    return flow->run->nsinks > 1 || stopped(flow) || flow->ended ||
           flow->prepared - leastNext(flow) <= flow->depth / 2;
}

/* ---- The tasks: the lock is held before and after, not during ---- */

/* By a map if it is in the page cache: a map of what is not is filled in small requests, each of
 * which somebody waits for. */
static int fill(struct digestRun *run, struct digestWindow *window, int64_t most)
{
    int cold = digestIsCold(run, window->offset, most);

    if (!cold && digestMap(run, window, most))
        return 0;
    return digestRead(run, window, most);
}

static void prepare(struct flow *flow)
{
    struct digestRun *run = flow->run;
    struct digestWindow *window = &flow->ring[flow->prepared % flow->depth];
    int64_t most = run->length - flow->position;
    int err = 0;

    flow->preparing = 1;
    pthread_mutex_unlock(&flow->lock);
    window->offset = flow->position + (run->seekable ? run->offset : 0);
    window->len = 0;
    if (most > 0 && fill(run, window, most))
        err = errno;
    pthread_mutex_lock(&flow->lock);
    flow->preparing = 0;
    if (err)
        digestFail(run, err, "read");
    else if (window->len == 0)
        flow->ended = 1;
    else
        flow->prepared++;
    flow->position += (int64_t)window->len;
    changed(flow);
}

static int giveTo(struct digestRun *run, int i, const struct digestWindow *window)
{
    if (run->watch != NULL && atomic_load(&run->watch->cancelled))
        return ECANCELED;
    return run->sinks[i].update(run->sinks[i].data, window->addr, window->len);
}

static void hash(struct flow *flow, int i)
{
    struct digestWindow *window = &flow->ring[flow->sinks[i].next % flow->depth];
    uintptr_t where = 0;
    int err, faulted;

    flow->sinks[i].busy = 1;
    pthread_mutex_unlock(&flow->lock);
    err = giveTo(flow->run, i, window);
    faulted = window->guarded != NULL && digestGuardFaulted(window->guarded, &where);
    pthread_mutex_lock(&flow->lock);
    flow->sinks[i].busy = 0;
    flow->sinks[i].next++;
    if (err)
        digestFail(flow->run, err, "digest");
    if (faulted) {
        flow->faulted = 1;
        flow->faultOffset = window->offset + (int64_t)(where - (uintptr_t)window->addr);
    }
    if (isWorthWaking(flow))
        changed(flow);
}

static void dispose(struct flow *flow, struct digestWindow *window)
{
    digestUnmap(window);
    digestDrop(flow->run, window->offset, (int64_t)window->len);
    if (flow->run->watch != NULL)
        atomic_fetch_add(&flow->run->watch->bytes, window->len);
}

static void release(struct flow *flow)
{
    struct digestWindow *window = &flow->ring[flow->released % flow->depth];

    flow->releasing = 1;
    pthread_mutex_unlock(&flow->lock);
    dispose(flow, window);
    pthread_mutex_lock(&flow->lock);
    flow->releasing = 0;
    flow->released++;
    changed(flow);
}

/* ---- The threads ---- */

/* The idle sink that is most behind and has a window, or -1. */
static int findSink(const struct flow *flow)
{
    int found = -1;

    for (int i = 0; i < flow->run->nsinks; i++) {
        if (flow->sinks[i].busy || flow->sinks[i].next == flow->prepared)
            continue;
        if (found < 0 || flow->sinks[i].next < flow->sinks[found].next)
            found = i;
    }
    return found;
}

static int mayRelease(const struct flow *flow)
{
    return !flow->releasing && flow->released < leastNext(flow);
}

static int mayPrepare(const struct flow *flow)
{
    return !flow->preparing && !flow->ended && flow->prepared - flow->released < flow->depth;
}

static int finished(const struct flow *flow)
{
    return stopped(flow) || (flow->ended && flow->released == flow->prepared);
}

static void *runTasks(void *data)
{
    struct flow *flow = data;
    int sink;

    pthread_mutex_lock(&flow->lock);
    while (!finished(flow)) {
        if ((sink = findSink(flow)) >= 0) {
            hash(flow, sink);
        } else if (mayPrepare(flow)) {
            prepare(flow);
        } else if (mayRelease(flow)) {
            release(flow);
        } else {
            flow->waiting++;
            pthread_cond_wait(&flow->change, &flow->lock);
            flow->waiting--;
        }
    }
    pthread_mutex_unlock(&flow->lock);
    return NULL;
}

/* How many threads would help, now that the first window is there. */
static int helpersFor(const struct flow *flow)
{
    const struct digestRun *run = flow->run;
    int allowed = run->opts.threads == 1 ? 0 : digestThreads(&run->opts) - 1;
    int useful = 0;

    if (flow->ring[0].len >= SIDE_BY_SIDE_MIN)
        useful = run->nsinks - 1;
    if (run->length - flow->position >= PREPARE_MIN)
        useful++;
    return useful < allowed ? useful : allowed;
}

static void runAll(struct flow *flow)
{
    pthread_t threads[RPMFILEDIGEST_MAX];
    int n, started = 0;

    pthread_mutex_lock(&flow->lock);
    prepare(flow);
    n = stopped(flow) || flow->ended ? 0 : helpersFor(flow);
    if (n > 0)
        flow->depth = RING;
    pthread_mutex_unlock(&flow->lock);
    if (n > 0)
        started = digestThreadsStart(threads, n, runTasks, flow);
    runTasks(flow);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

int digestFlow(struct digestRun *run)
{
    struct flow flow = { .run = run, .depth = 1 };

    pthread_mutex_init(&flow.lock, NULL);
    pthread_cond_init(&flow.change, NULL);
    runAll(&flow);
    for (; flow.released < flow.prepared; flow.released++)
        dispose(&flow, &flow.ring[flow.released % flow.depth]);
    for (int i = 0; i < RING; i++)
        free(flow.ring[i].buf);
    pthread_cond_destroy(&flow.change);
    pthread_mutex_destroy(&flow.lock);
    run->res->size = (uint64_t)flow.position;
    if (flow.faulted)
        return digestExplainFault(run, flow.faultOffset);
    return run->res->err != 0 ? -1 : 0;
}
