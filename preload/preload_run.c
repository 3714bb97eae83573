/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A transaction of stock rpm, seen from below.
 *
 * A package's files go through these steps, of which the ones marked are the shim's:
 *
 *     temporary names are made and written                        UNPACKING
 *   * at the first rename: what has a temporary name is made durable, or the rename fails and
 *     rpm removes the temporary names again                       FAILED
 *     temporary names become final ones                           NAMING
 *   * before anything is recorded: names and attributes are made durable, or the package fails
 *     the package database is written                             IDLE
 *
 * Where rpmPackageFilesInstall() can be seen, its return is where a package ends; else the first
 * write to another file at a position, as databases do it, or the root's being left.
 */

#include "preload_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmarchive.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

_Thread_local struct shimRun *shimRun;
_Atomic bool shimNone;

/* At what the policy of the transaction under way was read: it may be for nothing. */
enum asked { NOT_ASKED, AT_RUN, AT_NAME };
static _Thread_local enum asked asked;

/* A child runs scripts: none of what it does is a package's. */
static void inChild(void)
{
    shimRun = NULL;
    asked = AT_RUN;
}

static void inParent(void)
{
    if (shimRun != NULL)
        shimRun->scripts = true;
}

void shimRunStart(void)
{
    pthread_atfork(NULL, inParent, inChild);
}

/* ---- Beginning ---- */

/* Stock does fsync by itself, and does not look at its result: whoever asks for no more than that
 * gets what he has always got. */
static bool isForNothing(const rpmFlushPolicy *policy)
{
    if (rpmFlushPolicyIdle(policy))
        return true;
    return policy->whether == RPMFLUSH_ON && policy->method == RPMFLUSH_FSYNC &&
           policy->fallocate == 0 && policy->dontneed <= 0;
}

static struct shimRun *newRun(const rpmFlushPolicy *policy)
{
    struct shimRun *run = rcalloc(1, sizeof(*run));

    run->pid = getpid();
    run->flush = rpmFlushNew(policy);
    run->batch = policy->whether == RPMFLUSH_ON && policy->method == RPMFLUSH_BATCH;
    rpmFlushKeepNumbers(run->flush, 1);
    shimPathsStart(&run->paths);
    return run;
}

static void sayPolicy(const rpmFlushPolicy *policy)
{
    char *whether = rpmFlushPolicyValue(policy, "_flush_io");
    char *method = rpmFlushPolicyValue(policy, "_flush_io_method");

    shimSay("%%_flush_io %s, %%_flush_io_method %s", whether, method);
    free(whether);
    free(method);
}

static int begin(void)
{
    rpmFlushPolicy policy;
    char *emsg = NULL;

    if (!shimStockHere())
        return 0;
    if (rpmFlushPolicyFromMacros(&policy, &emsg)) {
        rpmlog(RPMLOG_ERR, "%s\n", emsg);
        free(emsg);
        return -1;
    }
    if (shimDebug())
        sayPolicy(&policy);
    shimNone = policy.whether == RPMFLUSH_NONE;
    if (!isForNothing(&policy))
        shimRun = newRun(&policy);
    return 0;
}

int shimRunBegin(void)
{
    (void)shimRunEnd(0);
    if (begin())
        return -1;
    asked = AT_RUN;
    return 0;
}

int shimRunImply(void)
{
    if (asked != NOT_ASKED)
        return 0;
    if (begin()) {
        errno = EINVAL;
        return -1;
    }
    asked = AT_NAME;
    if (shimRun != NULL) {
        shimRun->implied = true;
        shimStepRoot();
    }
    return 0;
}

/* ---- A package ---- */

static void sayError(struct shimRun *run, int err)
{
    char *text = rpmFlushTakeError(run->flush);

    if (text != NULL || err != 0)
        rpmlog(RPMLOG_ERR, "%s\n", text ? text : strerror(err));
    free(text);
}

int shimRunBarrier(struct shimRun *run)
{
    if (run->stage == SHIM_UNPACKING) {
        run->stage = SHIM_NAMING;
        if (rpmFlushBarrier(run->flush)) {
            sayError(run, errno);
            run->stage = SHIM_FAILED;
        }
    }
    if (run->stage != SHIM_FAILED)
        return 0;
    errno = EIO;
    return -1;
}

static int makeNamesDurable(struct shimRun *run)
{
    if (run->touchError != 0) {
        errno = run->touchError;
        return -1;
    }
    return rpmFlushTouchedBarrier(run->flush);
}

/* 0, or -1 with errno if the package must not be recorded. */
static int endOfPackage(struct shimRun *run, bool good)
{
    int rc = 0;

    if (!good || run->stage == SHIM_FAILED) {
        sayError(run, 0);
        rpmFlushGiveUp(run->flush);
    } else if (run->stage != SHIM_IDLE) {
        rc = shimRunBarrier(run);
        if (rc == 0 && makeNamesDurable(run)) {
            sayError(run, errno);
            rc = -1;
        }
    }
    run->stage = SHIM_IDLE;
    run->sizing = NULL;
    run->touchError = 0;
    shimStepForgetMade(run);
    if (rc)
        errno = EIO;
    return rc;
}

void shimRunPackage(void)
{
    if (shimRun == NULL)
        return;
    if (endOfPackage(shimRun, true))
        shimRun->touchError = EIO;
    shimStepRoot();
    shimRun->inHand = true;
    shimRun->bracketed = true;
}

int shimRunPackageEnd(int rc)
{
    struct shimRun *run = shimRun;

    if (run == NULL)
        return rc;
    if (endOfPackage(run, rc == 0) && rc == 0)
        rc = RPMERR_WRITE_FAILED;
    run->inHand = false;
    return rc;
}

int shimRunRecords(void)
{
    struct shimRun *run = shimRun;

    if (run->inHand || run->stage == SHIM_IDLE)
        return 0;
    return endOfPackage(run, true);
}

/* ---- The end ---- */

/* With batch every package is durable by now; what scripts wrote is not. Where packages were only
 * known by their names, scripts may have run unseen. */
static void syncWritten(struct shimRun *run)
{
    run->ended = true;
    if (run->batch && run->bracketed && !run->scripts)
        return;
    /* The module has let go of the filesystems: they are to be told again. */
    run->paths.path = rfree(run->paths.path);
    if (rpmFlushSyncAll(run->flush) == 0)
        return;
    run->endError = errno;
    sayError(run, errno);
}

static bool isWritten(struct shimRun *run, dev_t dev)
{
    for (int i = 0; i < run->ndevs; i++) {
        if (run->devs[i] == dev)
            return true;
    }
    return false;
}

static void freeRun(struct shimRun *run)
{
    shimStepForgetMade(run);
    while (run->files != NULL)
        shimFileDrop(&run->files, run->files);
    shimPathsEnd(&run->paths);
    rpmFlushFree(run->flush);
    free(run->devs);
    free(run);
}

static void sayLines(char *text)
{
    char *state = NULL;

    for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state))
        shimSay("%s", line);
    free(text);
}

static void sayWhatWasDone(struct shimRun *run)
{
    if (!shimDebug())
        return;
    if (run->wrote && !run->bracketed)
        shimSay("this librpm hides rpmPackageFilesInstall: packages were known by temporary names");
    sayLines(rpmFlushStats(run->flush));
    sayLines(rpmFlushReport(run->flush));
}

bool shimRunEndSync(int fdno, int *rc)
{
    struct shimRun *run = shimRun;
    struct stat sb;
    bool done;

    if (run == NULL) {
        if (asked == AT_NAME)
            asked = NOT_ASKED;
        return false;
    }
    if (fstat(fdno, &sb))
        return false;
    if (!run->ended)
        syncWritten(run);
    done = run->rooted || isWritten(run, sb.st_dev);
    *rc = 0;
    if (run->implied)
        (void)shimRunEnd(0);
    return done;
}

int shimRunEnd(int rc)
{
    struct shimRun *run = shimRun;

    asked = NOT_ASKED;
    if (run == NULL)
        return rc;
    if (endOfPackage(run, true))
        rc = rc == 0 ? -1 : rc;
    if (run->wrote && !run->ended)
        syncWritten(run);
    if (run->endError != 0 && rc == 0)
        rc = -1;
    sayWhatWasDone(run);
    shimRun = NULL;
    freeRun(run);
    return rc;
}
