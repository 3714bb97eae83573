/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many files: workers, and results in the order of adding.
 *
 * Jobs are in one list, in that order. Its head is the next result to be taken, `first` the next
 * job to be begun; what is between has been begun. Everything but the work itself is under one
 * lock. */

#include "rpmfiledigest_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

/* Jobs not yet begun, for each worker, before adding blocks. */
#define WAITING_MAX 256
/* Between two calls of the progress function. */
#define PROGRESS_NSEC 100000000
/* Who waits for a result is woken when so many jobs are done, or after a while: to switch to it for
 * each of thousands of small files would cost as much as the files. */
#define WAKE_JOBS 32
#define WAKE_NSEC 10000000

struct job {
    rpmFileDigestJob spec;
    int algos[RPMFILEDIGEST_MAX];
    rpmFileDigestResult res;
    int done;
    struct job *next;
};

struct rpmFileDigestPool_s {
    rpmFileDigestOptions opts; /* for each file: one thread, if there are workers */
    struct digestWatch watch;
    pthread_mutex_t lock;
    pthread_cond_t work;  /* there is something to begin, or an end to be made */
    pthread_cond_t room;  /* fewer are waiting */
    pthread_cond_t ready; /* the head is done */
    struct job *head, *first, **tail;
    int waiting; /* not yet begun */
    int finished; /* since somebody waits for the head */
    int idle;    /* workers that wait for work */
    int ending;
    int nthreads;
    pthread_t threads[DIGEST_THREADS_MAX];
    void (*progress)(void *data, uint64_t bytes);
    void *progressData;
    struct timespec told; /* when progress was, CLOCK_MONOTONIC */
};

/* ---- One job ---- */

static struct job *jobNew(const rpmFileDigestJob *spec)
{
    struct job *job = rcalloc(1, sizeof(*job));

    job->spec = *spec;
    if (spec->path != NULL)
        job->spec.path = rstrdup(spec->path);
    if (spec->nalgos > 0 && spec->nalgos <= RPMFILEDIGEST_MAX)
        memcpy(job->algos, spec->algos, (size_t)spec->nalgos * sizeof(*spec->algos));
    return job;
}

static struct job *jobFree(struct job *job)
{
    free((char *)job->spec.path);
    free(job);
    return NULL;
}

static void digestJob(rpmFileDigestPool pool, struct job *job)
{
    const rpmFileDigestJob *spec = &job->spec;
    int fdno = spec->open != NULL ? spec->open(spec->openData, spec->path)
                                  : digestOpen(spec->path);

    if (fdno < 0) {
        digestRefuse(&job->res, spec->nalgos, spec->path, errno, "open");
        return;
    }
    digestOpened(fdno, spec->path, job->algos, spec->nalgos, &pool->opts, &pool->watch, &job->res);
    close(fdno);
}

static void runJob(rpmFileDigestPool pool, struct job *job)
{
    const char *label = job->spec.path != NULL ? job->spec.path : "job";

    if (atomic_load(&pool->watch.cancelled))
        digestRefuse(&job->res, job->spec.nalgos, label, ECANCELED, "digest");
    else if (job->spec.work != NULL)
        job->res.err = job->spec.work(job->spec.data);
    else
        digestJob(pool, job);
}

/* ---- Workers ---- */

/* Begin the first job that is not: the lock is held, but not while it runs. */
static void runFirst(rpmFileDigestPool pool)
{
    struct job *job = pool->first;

    pool->first = job->next;
    pool->waiting--;
    if (pool->waiting == WAITING_MAX * pool->nthreads / 2)
        pthread_cond_broadcast(&pool->room);
    pthread_mutex_unlock(&pool->lock);
    runJob(pool, job);
    pthread_mutex_lock(&pool->lock);
    job->done = 1;
    pool->finished++;
    if (pool->head->done && (pool->first == NULL || pool->finished >= WAKE_JOBS))
        pthread_cond_signal(&pool->ready);
}

static void *worker(void *data)
{
    rpmFileDigestPool pool = data;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->first == NULL && !pool->ending) {
            pool->idle++;
            pthread_cond_wait(&pool->work, &pool->lock);
            pool->idle--;
        }
        if (pool->first == NULL)
            break;
        runFirst(pool);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void initLocks(rpmFileDigestPool pool)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->room, NULL);
    pthread_cond_init(&pool->ready, &attr);
    pthread_condattr_destroy(&attr);
}

/* With fewer threads than asked for there is less speed, with none PoolNext() does the work. */
rpmFileDigestPool rpmFileDigestPoolNew(const rpmFileDigestOptions *opts)
{
    rpmFileDigestPool pool = rcalloc(1, sizeof(*pool));
    int threads;

    if (opts != NULL)
        pool->opts = *opts;
    else
        rpmFileDigestOptionsInit(&pool->opts);
    threads = digestThreads(&pool->opts);
    pool->opts.threads = 1;
    pool->watch.workers = threads;
    pool->tail = &pool->head;
    initLocks(pool);
    if (threads > 1)
        pool->nthreads = digestThreadsStart(pool->threads, threads, worker, pool);
    return pool;
}

/* ---- Adding and taking ---- */

void rpmFileDigestPoolAdd(rpmFileDigestPool pool, const rpmFileDigestJob *spec)
{
    struct job *job = jobNew(spec);

    pthread_mutex_lock(&pool->lock);
    while (pool->nthreads > 0 && pool->waiting >= WAITING_MAX * pool->nthreads)
        pthread_cond_wait(&pool->room, &pool->lock);
    *pool->tail = job;
    pool->tail = &job->next;
    if (pool->first == NULL)
        pool->first = job;
    pool->waiting++;
    if (pool->idle > 0)
        pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

static struct timespec after(struct timespec time, long nsec)
{
    time.tv_nsec += nsec;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

/* Call the progress function, if there is one and it is due, without the lock. */
static void tellProgress(rpmFileDigestPool pool)
{
    struct timespec now, due = after(pool->told, PROGRESS_NSEC);

    if (pool->progress == NULL)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec < due.tv_sec || (now.tv_sec == due.tv_sec && now.tv_nsec < due.tv_nsec))
        return;
    pool->told = now;
    pthread_mutex_unlock(&pool->lock);
    pool->progress(pool->progressData, atomic_load(&pool->watch.bytes));
    pthread_mutex_lock(&pool->lock);
}

static void waitAWhile(rpmFileDigestPool pool)
{
    struct timespec due;

    clock_gettime(CLOCK_MONOTONIC, &due);
    due = after(due, WAKE_NSEC);
    pool->finished = 0;
    pthread_cond_timedwait(&pool->ready, &pool->lock, &due);
}

static void waitForHead(rpmFileDigestPool pool)
{
    while (!pool->head->done) {
        if (pool->nthreads == 0)
            runFirst(pool);
        else
            waitAWhile(pool);
        tellProgress(pool);
    }
    tellProgress(pool);
}

/* Take the head off the list; the lock is held. */
static struct job *takeHead(rpmFileDigestPool pool)
{
    struct job *job = pool->head;

    if (job == NULL)
        return NULL;
    waitForHead(pool);
    pool->head = job->next;
    if (pool->head == NULL)
        pool->tail = &pool->head;
    return job;
}

int rpmFileDigestPoolNext(rpmFileDigestPool pool, rpmFileDigestResult *res, void **data)
{
    struct job *job;

    pthread_mutex_lock(&pool->lock);
    job = takeHead(pool);
    pthread_mutex_unlock(&pool->lock);
    if (job == NULL) {
        memset(res, 0, sizeof(*res));
        return 0;
    }
    *res = job->res;
    if (data != NULL)
        *data = job->spec.data;
    jobFree(job);
    return 1;
}

void rpmFileDigestPoolProgress(rpmFileDigestPool pool, void (*progress)(void *data, uint64_t bytes),
                               void *data)
{
    pthread_mutex_lock(&pool->lock);
    pool->progress = progress;
    pool->progressData = data;
    clock_gettime(CLOCK_MONOTONIC, &pool->told);
    pthread_mutex_unlock(&pool->lock);
}

void rpmFileDigestPoolCancel(rpmFileDigestPool pool)
{
    atomic_store(&pool->watch.cancelled, 1);
}

/* ---- The end ---- */

static void stopWorkers(rpmFileDigestPool pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->ending = 1;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->nthreads; i++)
        pthread_join(pool->threads[i], NULL);
}

rpmFileDigestPool rpmFileDigestPoolFree(rpmFileDigestPool pool)
{
    if (pool == NULL)
        return NULL;
    rpmFileDigestPoolCancel(pool);
    stopWorkers(pool);
    for (struct job *job = pool->head, *next; job != NULL; job = next) {
        next = job->next;
        rpmFileDigestResultFini(&job->res);
        jobFree(job);
    }
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->room);
    pthread_cond_destroy(&pool->ready);
    pthread_mutex_destroy(&pool->lock);
    return rfree(pool);
}
