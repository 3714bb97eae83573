/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running a transaction.
 *
 * First everything that can be found out without writing: what the packages are, whether their
 * bytes are what they say, what becomes of each file, whether there is room. Then package after
 * package, in the order of the crash-safe design:
 *
 *     step 1  unpack to temporary names       fsmUnpack()
 *     step 2  could every rename work?        fsmCheck()
 *             is everything as durable as the write policy wants it?
 *     step 3  rename                          fsmCommit()
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmsq.h>
#include <rpm/rpmstring.h>

#include "fsm.h"
#include "interrupt.h"
#include "machine.h"
#include "rpmfate.h"
#include "rpmscript.h"
#include "rpmselinux.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"
#include "rpmvs.h"

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

struct verdict {
    int good[RPMSIG_VERIFIABLE_TYPE + 1]; /* for each type: -1 not there, 0 bad, 1 good */
    int needed;
    char *msg;
};

static int onItem(struct rpmsinfo_s *sinfo, void *cbdata)
{
    struct verdict *v = cbdata;

    /* Nobody can check signatures here: they only matter to who insists on them. */
    if (sinfo->rc == RPMRC_NOKEY && !(v->needed & RPMSIG_SIGNATURE_TYPE)) {
        sinfo->rc = RPMRC_OK;
        return 1;
    }
    if (sinfo->rc == RPMRC_NOTFOUND)
        v->msg = rstrdup(sinfo->type == RPMSIG_SIGNATURE_TYPE ? "no signature" : "no digest");
    else if (sinfo->rc != RPMRC_OK)
        v->msg = rpmsinfoMsg(sinfo);
    if ((sinfo->type & RPMSIG_VERIFIABLE_TYPE) && v->good[sinfo->type] != 0)
        v->good[sinfo->type] = sinfo->rc == RPMRC_OK;
    return sinfo->rc == RPMRC_OK;
}

/* Read a package once and compare what it says of itself. */
static rpmRC verifyPackage(rpmts ts, rpmte te, struct verdict *v)
{
    struct rpmvs_s *vs = rpmvsCreate(ts->vfylevel, ts->vfyflags);
    FD_t fd = rpmtsNotify(ts, te, RPMCALLBACK_INST_OPEN_FILE, 0, 0);
    rpmRC rc = RPMRC_FAIL;

    if (fd != NULL) {
        rc = rpmpkgRead(vs, fd, NULL, NULL, &v->msg);
        rpmswAdd(rpmtsOp(ts, RPMTS_OP_DIGEST), fdOp(fd, FDSTAT_DIGEST));
        rpmtsNotify(ts, te, RPMCALLBACK_INST_CLOSE_FILE, 0, 0);
    } else {
        v->msg = rstrdup("it cannot be opened");
    }
    if (rc == RPMRC_OK && rpmvsVerify(vs, RPMSIG_VERIFIABLE_TYPE, onItem, v))
        rc = RPMRC_FAIL;
    rpmvsFree(vs);
    return rc;
}

static void verifyAll(rpmts ts)
{
    rpm_loff_t n = (rpm_loff_t) ts->nelements;

    rpmtsNotify(ts, NULL, RPMCALLBACK_VERIFY_START, 0, n);
    rpmswEnter(rpmtsOp(ts, RPMTS_OP_VERIFY), 0);
    for (int i = 0; i < ts->nelements && !rpmtsInterrupted(ts); i++) {
        rpmte te = ts->elements[i];
        struct verdict v = { .good = { -1, -1, -1, -1 }, .needed = ts->vfylevel };

        rpmtsNotify(ts, te, RPMCALLBACK_VERIFY_PROGRESS, (rpm_loff_t) i, n);
        if (verifyPackage(ts, te, &v) != RPMRC_OK)
            rpmteAddProblem(te, RPMPROB_VERIFY, NULL,
                            v.msg != NULL ? v.msg : "not an rpm package", 0);
        te->verified = (v.good[RPMSIG_DIGEST_TYPE] == 1 ? RPMSIG_DIGEST_TYPE : 0) |
                       (v.good[RPMSIG_SIGNATURE_TYPE] == 1 ? RPMSIG_SIGNATURE_TYPE : 0);
        rfree(v.msg);
    }
    rpmswExit(rpmtsOp(ts, RPMTS_OP_VERIFY), 0);
    rpmtsNotify(ts, NULL, RPMCALLBACK_VERIFY_STOP, n, n);
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
    if (refuseScripts(ts) || openRoot(ts) || checkSelinux(ts) || rpmMachineCheck(ts))
        return -1;
    if (ts->vfylevel != RPMSIG_NONE_TYPE && !(ts->ignoreSet & RPMPROB_FILTER_VERIFY))
        verifyAll(ts);
    if (numProblems(ts) == 0) {
        rpmtsNotify(ts, NULL, RPMCALLBACK_TRANS_START, 6, (rpm_loff_t) ts->nelements);
        for (int i = 0; i < ts->nelements; i++)
            rpmtsNotify(ts, NULL, RPMCALLBACK_TRANS_PROGRESS, (rpm_loff_t) i,
                        (rpm_loff_t) ts->nelements);
        if (rpmFateDecide(ts))
            return -1;
        rpmtsNotify(ts, NULL, RPMCALLBACK_TRANS_STOP, 6, (rpm_loff_t) ts->nelements);
    }
    return numProblems(ts);
}

/* Open a package at its payload. What is unpacked goes by the header that is at hand, and every
 * file's digest by it, too: another package in its place does not get far. */
static FD_t openPayload(rpmts ts, rpmte te)
{
    rpmVSFlags vsflags = rpmtsSetVSFlags(ts, ts->vsflags | RPMVSF_NEEDPAYLOAD);
    FD_t fd = rpmtsNotify(ts, te, RPMCALLBACK_INST_OPEN_FILE, 0, 0);
    rpmRC rc = fd != NULL ? rpmReadPackageFile(ts, fd, NULL, NULL) : RPMRC_FAIL;

    rpmtsSetVSFlags(ts, vsflags);
    if (rc == RPMRC_OK || rc == RPMRC_NOKEY || rc == RPMRC_NOTTRUSTED)
        return fd;
    if (fd != NULL)
        rpmtsNotify(ts, te, RPMCALLBACK_INST_CLOSE_FILE, 0, 0);
    return NULL;
}

static int installFiles(rpmts ts, fsm m, FD_t fd)
{
    int rc = fsmUnpack(m, fd);

    if (rc == 0)
        rc = fsmCheck(m);
    if (rc == 0)
        rc = fsmInterrupted(m);
    if (rc == 0 && rpmFlushBarrier(ts->flush))
        rc = fsmFailBarrier(m);
    if (rc == 0 && rpmtsNoReturn(ts))
        rc = fsmInterrupted(m);
    if (rc == 0)
        rc = fsmCommit(m);
    return rc;
}

static int installPackage(rpmts ts, rpmte te)
{
    rpm_loff_t total = headerGetNumber(te->h, RPMTAG_LONGARCHIVESIZE);
    FD_t fd = openPayload(ts, te);
    fsm m;
    int rc;

    if (fd == NULL) {
        rpmlog(RPMLOG_ERR, "%s: the package cannot be read again\n", te->NEVRA);
        return -1;
    }
    if (total == 0)
        total = headerGetNumber(te->h, RPMTAG_ARCHIVESIZE);
    if (total == 0)
        total = 100;
    rpmtsNotify(ts, te, RPMCALLBACK_INST_START, 0, total);
    rpmtsNotify(ts, te, RPMCALLBACK_INST_PROGRESS, 0, total);
    m = fsmNew(ts, te);
    rc = installFiles(ts, m, fd);
    if (rc) {
        char *why = fsmStrerror(m);
        fsmUndo(m);
        rpmFlushGiveUp(ts->flush);
        rpmlog(RPMLOG_ERR, "%s: %s\n", te->NEVRA, why);
        rfree(why);
        rpmtsNotify(ts, te, RPMCALLBACK_UNPACK_ERROR, 0, 0);
    }
    fsmFree(m);
    rpmtsNotify(ts, te, RPMCALLBACK_INST_PROGRESS, total, total);
    rpmtsNotify(ts, te, RPMCALLBACK_INST_STOP, total, total);
    rpmtsNotify(ts, te, RPMCALLBACK_INST_CLOSE_FILE, 0, 0);
    return rc;
}

static int installAll(rpmts ts)
{
    int failed = 0;

    for (int i = 0; i < ts->nelements && !rpmtsInterrupted(ts); i++) {
        rpmte te = ts->elements[i];

        rpmlog(RPMLOG_DEBUG, "========== +++ %s\n", te->NEVRA);
        rpmtsNotify(ts, te, RPMCALLBACK_ELEM_PROGRESS, (rpm_loff_t) i,
                    (rpm_loff_t) ts->nelements);
        rpmswEnter(rpmtsOp(ts, RPMTS_OP_INSTALL), 0);
        te->failed = rpmtsRunScript(ts, te, RPMTAG_PREIN, 1) != RPMRC_OK ||
                     installPackage(ts, te) != 0 ||
                     rpmtsRunScript(ts, te, RPMTAG_POSTIN, 1) != RPMRC_OK;
        rpmswExit(rpmtsOp(ts, RPMTS_OP_INSTALL), 0);
        failed += te->failed;
    }
    return failed;
}

static int runIt(rpmts ts)
{
    int rc = rpmtsReadPolicy(ts) ? -1 : prepare(ts);

    if (rc != 0 || (ts->flags & (RPMTRANS_FLAG_TEST | RPMTRANS_FLAG_BUILD_PROBS)))
        return rc;
    if (installAll(ts) != 0)
        rc = -1;
    return rpmtsEndSync(ts) ? -1 : rc;
}

int rpmtsRun(rpmts ts, rpmps okProbs, rpmprobFilterFlags ignoreSet)
{
    mode_t mask;
    int rc;

    (void) okProbs;
    if (ts->nelements == 0)
        return 0;
    rpmsqActivate(1);
    getrlimit(RLIMIT_NOFILE, &ts->nofile);
    mask = umask(022);
    ts->ignoreSet = ignoreSet;
    ts->saidUser = 0;
    ts->noReturn = 0;
    ts->temps = 0;
    rpmtsSetTid(ts, newTid());
    rc = runIt(ts);
    if (rpmtsSayInterrupted(ts))
        rc = -1;
    ts->root = rpmRootFree(ts->root);
    umask(mask);
    rpmsqActivate(0);
    return rc;
}
