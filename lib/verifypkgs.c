/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packages of a transaction, compared with what they say of themselves before anything is
 * touched. Several are read at once; who made the transaction set is called back, and problems are
 * added, in the order of its elements. */

#include <rpm/rpmfiledigest.h>
#include <rpm/rpmstring.h>

#include "interrupt.h"
#include "problems.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"
#include "rpmvs.h"

/* Packages that are open at once at most. */
enum { MOST_OPEN = 32 };

/* A package that is being read, or was. */
struct reading {
    rpmte te;
    struct rpmvs_s *vs;
    FD_t fd; /* NULL: it cannot be opened */
    rpmRC rc;
    char *msg;
};

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

/* In a worker. */
static int readPackage(void *data)
{
    struct reading *r = data;

    if (r->fd != NULL)
        r->rc = rpmpkgRead(r->vs, r->fd, NULL, NULL, &r->msg);
    return 0;
}

static void beginOne(rpmts ts, rpmte te, const rpmFileDigestOptions *opts, rpmFileDigestPool pool)
{
    struct reading *r = rcalloc(1, sizeof(*r));
    rpmFileDigestJob job = { .work = readPackage, .data = r };

    r->te = te;
    r->rc = RPMRC_FAIL;
    r->vs = rpmvsCreate(ts->vfylevel, ts->vfyflags);
    rpmvsSetDigestOptions(r->vs, opts);
    r->fd = openPackage(ts, te);
    if (r->fd == NULL)
        r->msg = rstrdup("it cannot be opened");
    rpmFileDigestPoolAdd(pool, &job);
}

static void judge(rpmts ts, struct reading *r)
{
    struct verdict v = { .good = { -1, -1, -1, -1 }, .needed = ts->vfylevel };
    const char *msg = r->msg;

    if (r->rc == RPMRC_OK && rpmvsVerify(r->vs, RPMSIG_VERIFIABLE_TYPE, onItem, &v)) {
        r->rc = RPMRC_FAIL;
        msg = v.msg;
    }
    if (r->rc != RPMRC_OK)
        rpmteAddProblem(r->te, RPMPROB_VERIFY, NULL, msg != NULL ? msg : "not an rpm package", 0);
    r->te->verified = (v.good[RPMSIG_DIGEST_TYPE] == 1 ? RPMSIG_DIGEST_TYPE : 0) |
                      (v.good[RPMSIG_SIGNATURE_TYPE] == 1 ? RPMSIG_SIGNATURE_TYPE : 0);
    rfree(v.msg);
}

/* The next one in order; NULL if there is none left. */
static struct reading *takeOne(rpmFileDigestPool pool)
{
    rpmFileDigestResult res;
    void *data = NULL;

    if (!rpmFileDigestPoolNext(pool, &res, &data))
        return NULL;
    rpmFileDigestResultFini(&res);
    return data;
}

static void endOne(rpmts ts, struct reading *r)
{
    if (r->fd != NULL) {
        rpmswAdd(rpmtsOp(ts, RPMTS_OP_DIGEST), fdOp(r->fd, FDSTAT_DIGEST));
        Fclose(r->fd);
    }
    rpmvsFree(r->vs);
    rfree(r->msg);
    rfree(r);
}

static void judgeNext(rpmts ts, rpmFileDigestPool pool)
{
    struct reading *r = takeOne(pool);

    judge(ts, r);
    endOne(ts, r);
}

static rpm_loff_t countAdded(rpmts ts)
{
    rpm_loff_t n = 0;

    for (int i = 0; i < ts->nelements; i++)
        n += ts->elements[i]->type == TR_ADDED;
    return n;
}

static void verifyAll(rpmts ts, rpmFileDigestPool pool, const rpmFileDigestOptions *opts,
                      rpm_loff_t n)
{
    rpm_loff_t begun = 0, done = 0;
    struct reading *r;

    for (int i = 0; i < ts->nelements && !rpmtsInterrupted(ts); i++) {
        if (ts->elements[i]->type != TR_ADDED)
            continue;
        for (; begun - done >= MOST_OPEN; done++)
            judgeNext(ts, pool);
        rpmtsNotify(ts, ts->elements[i], RPMCALLBACK_VERIFY_PROGRESS, begun++, n);
        beginOne(ts, ts->elements[i], opts, pool);
    }
    for (; done < begun && !rpmtsInterrupted(ts); done++)
        judgeNext(ts, pool);
    rpmFileDigestPoolCancel(pool);
    while ((r = takeOne(pool)) != NULL)
        endOne(ts, r);
}

int rpmtsVerifyPackages(rpmts ts)
{
    rpm_loff_t n = countAdded(ts);
    rpmFileDigestOptions opts;
    rpmFileDigestPool pool;

    if (n == 0)
        return 0;
    pool = rpmpkgPoolNew(n, &opts);
    if (pool == NULL)
        return -1;
    rpmtsNotify(ts, NULL, RPMCALLBACK_VERIFY_START, 0, n);
    rpmswEnter(rpmtsOp(ts, RPMTS_OP_VERIFY), 0);
    verifyAll(ts, pool, &opts, n);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_VERIFY), 0);
    rpmtsNotify(ts, NULL, RPMCALLBACK_VERIFY_STOP, n, n);
    rpmFileDigestPoolFree(pool);
    return 0;
}
