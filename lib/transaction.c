/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running a transaction.
 *
 * First everything that can be found out without writing: what the packages are, whether their
 * bytes are what they say, what becomes of each file, whether there is room. Then the elements,
 * see group.h. */

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmsq.h>
#include <rpm/rpmstring.h>

#include "flushpolicy.h"
#include "group.h"
#include "interrupt.h"
#include "note.h"
#include "problems.h"
#include "psm.h"
#include "rpmdb_internal.h"
#include "rpmfate.h"
#include "rpmlock.h"
#include "rpmscript.h"
#include "rpmselinux.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* What a barrier of the write policy may hold open, at most. */
#define FILES_MAX 4096

/* A number for each transaction: the time, but never the same twice in a process. */
static rpm_tid_t newTid(void)
{
    static _Atomic rpm_tid_t last;
    rpm_tid_t now = (rpm_tid_t) time(NULL);
    rpm_tid_t before = atomic_load(&last);
    rpm_tid_t tid;

    do {
        tid = now > before ? now : before + 1;
    } while (!atomic_compare_exchange_weak(&last, &before, tid));
    return tid;
}

static int openRoot(rpmts ts)
{
    ts->root = rpmRootNew(ts->rootDir);
    if (ts->root == NULL) {
        rpmlog(RPMLOG_ERR, "root directory %s cannot be used: %s\n", ts->rootDir,
               strerror(errno));
        return -1;
    }
    return 0;
}

/* Labels are set by a part of rpm that is not here; without them, what is installed would be
 * unusable, or worse, usable by the wrong programs. */
static int checkSelinux(rpmts ts)
{
    if (!rpmtsIsHost(ts) || (ts->flags & RPMTRANS_FLAG_NOCONTEXTS) || !rpmSelinuxEnforcing())
        return 0;
    rpmlog(RPMLOG_ERR, "SELinux is enforcing and this rpm sets no file contexts: nothing is "
                       "installed to / without --nocontexts\n");
    return -1;
}

static int numProblems(rpmts ts)
{
    rpmps ps = rpmtsProblems(ts);
    int n = rpmpsNumProblems(ps);

    rpmpsFree(ps);
    return n;
}

static int refuseScripts(rpmts ts)
{
    for (int i = 0; i < ts->nelements; i++) {
        if (rpmRefuseScripts(ts->elements[i]->h, ts->elements[i]->type, ts->flags))
            return -1;
    }
    return 0;
}

/* 0 nothing stands in the way, > 0 problems, < 0 errors. */
static int prepare(rpmts ts)
{
    rpm_loff_t n = (rpm_loff_t) ts->nelements;
    int rc;

    if (rpmProblemsCheck(ts))
        return -1;
    if (ts->vfylevel != RPMSIG_NONE_TYPE && !(ts->ignoreSet & RPMPROB_FILTER_VERIFY) &&
        rpmtsVerifyPackages(ts))
        return -1;
    if (!(ts->flags & (RPMTRANS_FLAG_TEST | RPMTRANS_FLAG_BUILD_PROBS)) && numProblems(ts) == 0)
        psmTransScripts(ts, RPMTAG_PRETRANS);
    rpmtsNotify(ts, NULL, RPMCALLBACK_TRANS_START, 6, n);
    for (int i = 0; i < ts->nelements; i++)
        rpmtsNotify(ts, NULL, RPMCALLBACK_TRANS_PROGRESS, (rpm_loff_t) i, n);
    rc = rpmFateDecide(ts);
    rpmtsNotify(ts, NULL, RPMCALLBACK_TRANS_STOP, 6, n);
    if (rc)
        return -1;
    /* Upstream's: whoever exits with it tells so. */
    return numProblems(ts) > 0 ? ts->nelements : 0;
}

/* What is left out of the transaction, is so in every step. */
static void setScriptFlags(rpmts ts)
{
    if (ts->flags & (RPMTRANS_FLAG_NOSCRIPTS | RPMTRANS_FLAG_JUSTDB))
        ts->flags |= _noTransScripts | _noTransTriggers;
    if (ts->flags & RPMTRANS_FLAG_NOTRIGGERS)
        ts->flags |= _noTransTriggers;
}

/* The database is written to until the end, and its filesystem then synced with the others. */
static int openDatabase(rpmts ts)
{
    int isTest = (ts->flags & RPMTRANS_FLAG_TEST) != 0;
    int fd;

    if (ts->flags & RPMTRANS_FLAG_NODB)
        return rpmtsCloseDB(ts);
    if (rpmtsOpenDB(ts, isTest ? O_RDONLY : O_RDWR | O_CREAT))
        return -1;
    fd = isTest ? -1 : open(rpmdbHome(ts->rdb), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        rpmtsWillWriteTo(ts, fd, rpmdbHome(ts->rdb));
        close(fd);
    }
    return 0;
}

static int process(rpmts ts)
{
    int rc;

    rpmtsCleanProblems(ts);
    if (rpmNoteBegin(ts, groupErasing(ts, 0)))
        return -1;
    rc = groupProcess(ts) != 0 ? -1 : 0;
    if (!rpmtsInterrupted(ts))
        psmTransScripts(ts, RPMTAG_POSTTRANS);
    return rc;
}

/* What an earlier transaction left may leave nothing to do for this one. */
static int runElements(rpmts ts)
{
    int writes = !(ts->flags & (RPMTRANS_FLAG_TEST | RPMTRANS_FLAG_BUILD_PROBS));
    int rc = 0;

    if ((writes && rpmNoteRecover(ts)) || rpmRefuseRecordedTriggers(ts))
        return -1;
    if (ts->nelements > 0)
        rc = prepare(ts);
    if (ts->nelements > 0 && rc == 0 && writes)
        rc = process(ts);
    return rc;
}

static int runLocked(rpmts ts, void *data)
{
    int rc = openDatabase(ts) ? -1 : runElements(ts);

    (void) data;
    if (rpmtsEndSync(ts))
        rc = -1;
    rpmNoteEnd(ts, ts->keepNote);
    return rc;
}

int rpmtsRunLocked(rpmts ts, int locks, int (*run)(rpmts ts, void *data), void *data)
{
    rpmlock lock = NULL;
    int rc = -1;

    if (locks)
        lock = rpmlockNewAcquire(ts->rootDir, NULL, "transaction");
    /* While it waits for the lock, a signal may end the program. */
    if (lock != NULL || !locks) {
        rpmsqActivate(1);
        rc = run(ts, data);
        if (rpmtsSayInterrupted(ts))
            rc = -1;
        rpmsqActivate(0);
    }
    rpmlockFree(lock);
    return rc;
}

static int runIt(rpmts ts, void *data)
{
    (void) data;
    setScriptFlags(ts);
    if (rpmtsReadPolicy(ts) || refuseScripts(ts) || checkSelinux(ts))
        return -1;
    rpmtsRaiseLimit(ts);
    return rpmtsRunLocked(ts, (ts->flags & (RPMTRANS_FLAG_TEST | RPMTRANS_FLAG_NODB)) == 0,
                          runLocked, NULL);
}

/* The kernel's table of descriptors grows by doubling, and once there are other threads, each time
 * waits for all processors: about 10 ms. So it grows before there are any. */
static void growTable(rpmts ts, rlim_t n)
{
    int fd = rpmRootOpenDir(ts->root, "", 0);
    int last = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, (int) n - 1) : -1;

    if (last >= 0)
        close(last);
    if (fd >= 0)
        close(fd);
}

void rpmtsRaiseLimit(rpmts ts)
{
    struct rlimit raised = ts->nofile;

    if (!rpmtsIsBatch(ts))
        return;
    raised.rlim_cur = raised.rlim_max < FILES_MAX ? raised.rlim_max : FILES_MAX;
    if (raised.rlim_cur > ts->nofile.rlim_cur)
        setrlimit(RLIMIT_NOFILE, &raised);
    if (rpmFlushGetPolicy(ts->flush)->barrier != RPMFLUSH_BARRIER_SYNCFS)
        growTable(ts, raised.rlim_cur);
}

int rpmtsRunBelow(rpmts ts, int (*run)(rpmts ts, void *data), void *data)
{
    mode_t mask;
    int rc;

    getrlimit(RLIMIT_NOFILE, &ts->nofile);
    mask = umask(022);
    ts->saidUser = 0;
    ts->noReturn = 0;
    ts->temps = 0;
    ts->ranScripts = ts->keepNote = ts->written = 0;
    rpmtsSetTid(ts, ts->overrideTime < 0 ? newTid() : rpmtsGetTime(ts, 0));
    rc = openRoot(ts) ? -1 : run(ts, data);
    ts->root = rpmRootFree(ts->root);
    umask(mask);
    setrlimit(RLIMIT_NOFILE, &ts->nofile);
    return rc;
}

int rpmtsRun(rpmts ts, rpmps okProbs, rpmprobFilterFlags ignoreSet)
{
    (void) okProbs;
    if (ts->nelements == 0)
        return 0;
    ts->ignoreSet = ignoreSet;
    for (int i = 0; i < ts->nelements; i++)
        ts->elements[i]->failed = ts->elements[i]->ahead = 0;
    return rpmtsRunBelow(ts, runIt, NULL);
}
