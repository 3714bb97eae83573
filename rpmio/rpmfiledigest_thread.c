/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads: how many, and how they are started. */

#include "rpmfiledigest_internal.h"

#include <sched.h>
#include <signal.h>

/* What a crypto library and a caller's open() need; the default is eight times that. */
#define STACK_SIZE (1024 * 1024)

int digestThreads(const rpmFileDigestOptions *opts)
{
    cpu_set_t set;

    if (opts->threads > 0)
        return opts->threads < DIGEST_THREADS_MAX ? opts->threads : DIGEST_THREADS_MAX;
    /* Fails where there are more processors than the set has room for: then there are enough. */
    if (sched_getaffinity(0, sizeof(set), &set))
        return DIGEST_THREADS_MAX;
    return CPU_COUNT(&set) < DIGEST_THREADS_MAX ? CPU_COUNT(&set) : DIGEST_THREADS_MAX;
}

/* The application's signals are no business of these threads; SIGBUS is how a cut file shows. */
static void blockSignals(sigset_t *old)
{
    sigset_t mask;

    sigfillset(&mask);
    sigdelset(&mask, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &mask, old);
}

int digestThreadsStart(pthread_t *threads, int n, void *(*start)(void *), void *data)
{
    pthread_attr_t attr;
    sigset_t old;
    int started = 0;

    if (pthread_attr_init(&attr))
        return 0;
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    blockSignals(&old);
    while (started < n && pthread_create(&threads[started], &attr, start, data) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return started;
}
