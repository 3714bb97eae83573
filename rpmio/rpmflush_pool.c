/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that work on a list in its order, and are gone when it is done.
 *
 * The calling thread is one of them: without any other the work is done all the same. The others
 * take no signals, which are the program's affair, but for SIGBUS, which belongs to the thread
 * that causes it.
 */

#include "rpmflush_internal.h"

#include <signal.h>

/* What waits together shares the flushes of the disk: measured on one whose flush takes 10 ms, twice
 * the threads are half the flushes, up to about this many. */
enum { THREADS = 128, STACK = 256 * 1024 };

struct pool {
    rpmFlush flush;
    flushJob job;
    pthread_mutex_t lock; /* for next and failed */
    struct flushItem *next;
    int failed;
};

static struct flushItem *nextItem(struct pool *pool)
{
    struct flushItem *item;

    pthread_mutex_lock(&pool->lock);
    item = pool->failed ? NULL : pool->next;
    if (item != NULL)
        pool->next = item->next;
    pthread_mutex_unlock(&pool->lock);
    return item;
}

static void *work(void *data)
{
    struct pool *pool = (struct pool *)data;
    struct flushItem *item;

    while ((item = nextItem(pool)) != NULL) {
        pool->job(pool->flush, item);
        if (item->err) {
            pthread_mutex_lock(&pool->lock);
            pool->failed = 1;
            pthread_mutex_unlock(&pool->lock);
        }
    }
    return NULL;
}

/* As many as are wanted and can be had. */
static int startThreads(struct pool *pool, pthread_t *threads, int wanted)
{
    pthread_attr_t attr;
    sigset_t all, before;
    int n = 0;

    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (n < wanted && pthread_create(&threads[n], &attr, work, pool) == 0)
        n++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return n;
}

static int countUpTo(const struct flushItem *items, int most)
{
    int n = 0;

    while (items != NULL && n < most) {
        n++;
        items = items->next;
    }
    return n;
}

struct flushItem *flushPoolRun(rpmFlush flush, flushJob job, struct flushItem *items)
{
    struct pool pool = { .flush = flush, .job = job, .next = items };
    pthread_t threads[THREADS];
    int n;

    pthread_mutex_init(&pool.lock, NULL);
    n = startThreads(&pool, threads, countUpTo(items, THREADS) - 1);
    work(&pool);
    while (n > 0)
        pthread_join(threads[--n], NULL);
    pthread_mutex_destroy(&pool.lock);
    while (items != NULL && items->err == 0)
        items = items->next;
    return items;
}
