/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals that must not stop a program half-way: noted or ignored while this is active. */

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmsq.h>

#include "interrupt.h"
#include "rpmts_internal.h"

static const struct watched {
    int signum;
    int stops; /* noted; else ignored */
} watched[] = {
    { SIGINT, 1 }, { SIGQUIT, 1 }, { SIGTERM, 1 }, { SIGHUP, 0 }, { SIGPIPE, 0 },
    { SIGXFSZ, 0 }, /* write() says EFBIG then */
};

#define NWATCHED (sizeof(watched) / sizeof(*watched))

/* A bit for each number that is watched: they are all below 32. */
static _Atomic unsigned caught;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int depth;                     /* guarded by lock, as is: */
static struct sigaction old[NWATCHED];

static void note(int signum)
{
    atomic_fetch_or(&caught, 1u << signum);
}

/* What is ignored was meant to be: nohup(1), or a program that sees to it itself. */
static void watch(void)
{
    atomic_store(&caught, 0);
    for (size_t i = 0; i < NWATCHED; i++) {
        struct sigaction sa = { .sa_flags = SA_RESTART };

        sa.sa_handler = watched[i].stops ? note : SIG_IGN;
        sigfillset(&sa.sa_mask);
        sigaction(watched[i].signum, NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaction(watched[i].signum, &sa, NULL);
    }
}

static void restore(void)
{
    for (size_t i = 0; i < NWATCHED; i++) {
        if (old[i].sa_handler != SIG_IGN)
            sigaction(watched[i].signum, &old[i], NULL);
    }
}

int rpmsqActivate(int state)
{
    int rc = 0;

    pthread_mutex_lock(&lock);
    if (state) {
        if (depth++ == 0)
            watch();
    } else if (depth == 0) {
        rc = -1;
    } else if (--depth == 0) {
        restore();
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

int rpmsqIsCaught(int signum)
{
    for (size_t i = 0; i < NWATCHED; i++) {
        if (watched[i].signum == signum && watched[i].stops)
            return (atomic_load(&caught) & 1u << signum) != 0;
    }
    return -1;
}

static int stopSignal(void)
{
    unsigned set = atomic_load(&caught);
    int signum = 0;

    while (set != 0 && !(set & 1u << signum))
        signum++;
    return signum;
}

int rpmtsInterrupted(rpmts ts)
{
    return ts->noReturn ? 0 : stopSignal();
}

int rpmtsNoReturn(rpmts ts)
{
    int signum = rpmtsInterrupted(ts);

    if (signum == 0)
        ts->noReturn = 1;
    return signum;
}

int rpmtsSayInterrupted(rpmts ts)
{
    int signum = stopSignal();

    if (signum == 0)
        return 0;
    if (ts->noReturn)
        rpmlog(RPMLOG_WARNING, "signal %d came after the first change: the transaction was "
                               "completed\n", signum);
    else
        rpmlog(RPMLOG_ERR, "stopped by signal %d: no file was changed\n", signum);
    return ts->noReturn ? 0 : -1;
}
