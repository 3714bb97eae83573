/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packages of a transaction, compared with what they say of themselves before anything is
 * touched. Several are read at once; who made the transaction set is called back, and problems are
 * added, in the order of its elements. */

#include <rpm/rpmstring.h>

#include "interrupt.h"
#include "pkgpool.h"
#include "problems.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

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

/* Callers may keep one package open at a time: ours is another descriptor of the same file. */
static FD_t openPackage(rpmts ts, rpmte te)
{
    FD_t theirs = rpmtsNotify(ts, te, RPMCALLBACK_INST_OPEN_FILE, 0, 0);
    FD_t fd = theirs != NULL ? fdDup(Fileno(theirs)) : NULL;

    if (theirs != NULL)
        rpmtsNotify(ts, te, RPMCALLBACK_INST_CLOSE_FILE, 0, 0);
    return fd;
}

static void judge(rpmts ts, rpmte te, const struct rpmpkgReading_s *reading)
{
    struct verdict v = { .good = { -1, -1, -1, -1 }, .needed = ts->vfylevel };
    const char *msg = reading->fd != NULL ? reading->msg : "it cannot be opened";
    int good = reading->rc == RPMRC_OK;

    if (good && rpmvsVerify(reading->vs, RPMSIG_VERIFIABLE_TYPE, onItem, &v)) {
        good = 0;
        msg = v.msg;
    }
    if (!good)
        rpmteAddProblem(te, RPMPROB_VERIFY, NULL, msg != NULL ? msg : "not an rpm package", 0);
    te->verified = (v.good[RPMSIG_DIGEST_TYPE] == 1 ? RPMSIG_DIGEST_TYPE : 0) |
                   (v.good[RPMSIG_SIGNATURE_TYPE] == 1 ? RPMSIG_SIGNATURE_TYPE : 0);
    rfree(v.msg);
}

/* 0 if there is none left. */
static int judgeNext(rpmts ts, rpmpkgPool pool)
{
    struct rpmpkgReading_s *reading = rpmpkgPoolNext(pool);

    if (reading == NULL)
        return 0;
    judge(ts, reading->data, reading);
    if (reading->fd != NULL)
        rpmswAdd(rpmtsOp(ts, RPMTS_OP_DIGEST), fdOp(reading->fd, FDSTAT_DIGEST));
    rpmpkgReadingFree(reading);
    return 1;
}

static rpm_loff_t countAdded(rpmts ts)
{
    rpm_loff_t n = 0;

    for (int i = 0; i < ts->nelements; i++)
        n += ts->elements[i]->type == TR_ADDED;
    return n;
}

static void verifyAll(rpmts ts, rpmpkgPool pool, rpm_loff_t n)
{
    rpm_loff_t begun = 0;

    for (int i = 0; i < ts->nelements && !rpmtsInterrupted(ts); i++) {
        rpmte te = ts->elements[i];

        if (te->type != TR_ADDED)
            continue;
        if (rpmpkgPoolIsFull(pool))
            judgeNext(ts, pool);
        rpmtsNotify(ts, te, RPMCALLBACK_VERIFY_PROGRESS, begun++, n);
        rpmpkgPoolAdd(pool, openPackage(ts, te), te);
    }
    while (!rpmtsInterrupted(ts) && judgeNext(ts, pool))
        continue;
}

int rpmtsVerifyPackages(rpmts ts)
{
    rpm_loff_t n = countAdded(ts);
    rpmpkgPool pool;

    if (n == 0)
        return 0;
    pool = rpmpkgPoolNew(ts, n);
    if (pool == NULL)
        return -1;
    rpmtsNotify(ts, NULL, RPMCALLBACK_VERIFY_START, 0, n);
    rpmswEnter(rpmtsOp(ts, RPMTS_OP_VERIFY), 0);
    verifyAll(ts, pool, n);
    rpmpkgPoolFree(pool);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_VERIFY), 0);
    rpmtsNotify(ts, NULL, RPMCALLBACK_VERIFY_STOP, n, n);
    return 0;
}
