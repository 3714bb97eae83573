/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Jobs go into the pool in the order of their files, and results are taken out in that order. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rpmdigest.h"

/* Enough that a large file does not leave the other workers without work, and few enough that a
 * walk over millions of files holds little. */
#define JOBS_AHEAD 256

static rpmFileDigestPool pool;
static rpmFileDigestOptions poolOptions;
static int jobsInHand;
static struct digestJob *lone; /* the first, as long as there is no second */

static int numbersOf(const struct digestJob *job, int *numbers)
{
    for (int i = 0; i < job->algos.count; i++)
        numbers[i] = job->algos.at[i]->number;
    return job->algos.count;
}

static void finishJob(struct digestJob *job, rpmFileDigestResult *res)
{
    if (res->err == 0)
        countFile(res->size);
    job->done(job, res);
    rpmFileDigestResultFini(res);
    freeJob(job);
}

static void takeResult(void)
{
    rpmFileDigestResult res;
    void *data;

    if (rpmFileDigestPoolNext(pool, &res, &data) != 1)
        return;
    jobsInHand--;
    finishJob(data, &res);
}

void beginJobs(const rpmFileDigestOptions *options)
{
    poolOptions = *options;
    pool = rpmFileDigestPoolNew(options);
    if (opts.progress)
        rpmFileDigestPoolProgress(pool, drawProgress, NULL);
}

static void submitJob(struct digestJob *job)
{
    int numbers[ALGOS_MAX];
    rpmFileDigestJob poolJob = {
        .path = job->path, .open = openJob, .openData = job, .algos = numbers, .data = job
    };

    poolJob.nalgos = numbersOf(job, numbers);
    while (jobsInHand >= JOBS_AHEAD)
        takeResult();
    rpmFileDigestPoolAdd(pool, &poolJob);
    jobsInHand++;
}

void addJob(struct digestJob *job)
{
    if (lone == NULL && jobsInHand == 0) {
        lone = job;
        return;
    }
    if (lone != NULL)
        submitJob(lone);
    lone = NULL;
    submitJob(job);
}

/* The pool has one thread for each file: a single file gets all of them here. */
static void doAlone(struct digestJob *job)
{
    rpmFileDigestResult res = { 0 };
    int numbers[ALGOS_MAX], count = numbersOf(job, numbers);
    int fdno = openJob(job, job->path);

    if (fdno < 0) {
        res.err = errno;
    } else {
        rpmFileDigestFd(fdno, job->path, numbers, count, &poolOptions, &res);
        close(fdno);
    }
    finishJob(job, &res);
}

void addStdin(struct digestJob *job)
{
    rpmFileDigestResult res;
    int numbers[ALGOS_MAX], count = numbersOf(job, numbers);

    finishJobs();
    /* A shell's `{ read line; rpmdigest; } <file` means the rest of the file. */
    rpmFileDigestRange(STDIN_FILENO, job->path, RPMFILEDIGEST_HERE, RPMFILEDIGEST_REST, numbers,
                       count, &poolOptions, &res);
    finishJob(job, &res);
}

void finishJobs(void)
{
    struct digestJob *job = lone;

    lone = NULL;
    /* Only the pool tells of progress. */
    if (job != NULL && opts.progress)
        submitJob(job);
    else if (job != NULL)
        doAlone(job);
    while (jobsInHand > 0)
        takeResult();
}

void endJobs(void)
{
    finishJobs();
    pool = rpmFileDigestPoolFree(pool);
}

void complainOfJob(const struct digestJob *job, const rpmFileDigestResult *res)
{
    if (job->fault == FAULT_TYPE)
        trouble(job->path, "is %s", typeName(job->type));
    else if (res->msg != NULL)
        trouble(NULL, "%s", res->msg);
    else
        trouble(job->path, "open: %s", strerror(res->err));
}
