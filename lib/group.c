/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements of a transaction, in groups. */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "flushpolicy.h"
#include "group.h"
#include "group_ahead.h"
#include "group_bounds.h"
#include "interrupt.h"
#include "note.h"
#include "psm.h"
#include "rpmdb_internal.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

struct group {
    rpmts ts;
    int batch;
    struct psm_s *members; /* in order, of one type; those that failed are marked in te */
    int n;
    int last;              /* index of the last member's element */
    bounds bounds;
    ahead ahead;           /* of the whole transaction */
    pthread_mutex_t lock;  /* for what the write policy's threads call */
};

/* The write policy asks for a file whose path it knows, from any of its threads: at a barrier, and
 * before, when too much is dirty. */
static int reopen(void *data, const char *path)
{
    struct group *g = data;
    fsm *list = rcalloc(g->n, sizeof(*list));
    int fd, saved;

    for (int i = 0; i < g->n; i++)
        list[i] = g->members[i].files;
    pthread_mutex_lock(&g->lock);
    fd = fsmReopen(list, g->n, g->ts->root, path);
    saved = errno;
    pthread_mutex_unlock(&g->lock);
    rfree(list);
    errno = saved;
    return fd;
}

static void begin(struct group *g, rpmts ts)
{
    *g = (struct group) { .ts = ts, .batch = rpmtsIsBatch(ts), .ahead = aheadNew(ts),
                          .lock = PTHREAD_MUTEX_INITIALIZER };
    rpmFlushSetReopen(ts->flush, reopen, g);
}

static psm addMember(struct group *g, rpmte te)
{
    psm p;

    g->members = rreallocn(g->members, g->n + 1, sizeof(*g->members));
    p = &g->members[g->n++];
    *p = (struct psm_s) { .ts = g->ts, .te = te };
    return p;
}

static void end(struct group *g)
{
    for (int i = 0; i < g->n; i++)
        psmEnd(&g->members[i]);
    g->members = rfree(g->members);
    g->n = 0;
    g->bounds = boundsFree(g->bounds);
}

static void leave(struct group *g)
{
    end(g);
    g->ahead = aheadFree(g->ahead);
    rpmFlushSetReopen(g->ts->flush, NULL, NULL);
}

static int isRemoving(const struct group *g)
{
    return g->n > 0 && g->members[0].te->type == TR_REMOVED;
}

/* ---- Steps 2 to 4 ---- */

static int hasFiles(const struct group *g)
{
    int n = 0;

    for (int i = 0; i < g->n; i++)
        n += g->members[i].files != NULL;
    return n > 0;
}

/* Nothing of the group is to be put in place: what was unpacked goes, backwards, since later
 * packages have files in directories that earlier ones made. */
static void failAll(struct group *g, int error)
{
    char *text = rpmFlushTakeError(g->ts->flush);

    for (int i = g->n - 1; i >= 0; i--) {
        fsm m = g->members[i].files;
        if (m == NULL)
            continue;
        if (fsmInterrupted(m) == 0)
            fsmFailBarrier(m, text, error);
        fsmUndo(m);
    }
    rpmFlushGiveUp(g->ts->flush);
    for (int i = 0; i < g->n; i++) {
        if (g->members[i].files != NULL)
            psmSayFailed(&g->members[i]);
        psmMarkFailed(g->ts, g->members[i].te);
    }
    free(text);
}

static int mayRename(struct group *g)
{
    int rc = 0;

    if (!hasFiles(g))
        return 1;
    if (rpmtsInterrupted(g->ts))
        rc = -1;
    if (rc == 0)
        rc = rpmFlushBarrier(g->ts->flush);
    if (rc == 0 && rpmtsNoReturn(g->ts))
        rc = -1;
    if (rc)
        failAll(g, errno);
    return rc == 0;
}

static void renameAll(struct group *g)
{
    for (int i = 0; i < g->n; i++) {
        psm p = &g->members[i];

        if (p->files == NULL || fsmCommit(p->files) == 0)
            continue;
        fsmUndo(p->files);
        rpmFlushForget(g->ts->flush);
        psmSayFailed(p);
        psmMarkFailed(g->ts, p->te);
        g->ts->keepNote = 1;
    }
}

static int isMember(const struct group *g, rpmte te)
{
    for (int i = 0; i < g->n; i++) {
        if (g->members[i].te == te)
            return !te->failed;
    }
    return 0;
}

/* Old versions that go now, and with the same commit: only their calls back wait for their turn. */
static void eraseAhead(struct group *g)
{
    for (int i = 0; g->batch && i < g->ts->nelements; i++) {
        rpmte te = g->ts->elements[i];

        if (te->type == TR_REMOVED && !te->failed && te->dependsOn != NULL &&
            isMember(g, te->dependsOn) && aheadMay(g->ahead, i, g->last))
            te->ahead = psmEraseAhead(g->ts, te) == 0 ? 1 : -1;
    }
}

static void sayUnrecorded(struct group *g, psm p, const char *why)
{
    const char *what = isRemoving(g) ? "its files are removed, but its record stays"
                                     : "its files are in place, but it is not recorded";

    if (why != NULL)
        rpmlog(RPMLOG_ERR, "%s: %s: %s\n", p->te->NEVRA, what, why);
    else if (g->batch || !isRemoving(g))
        rpmlog(RPMLOG_ERR, "%s: %s\n", p->te->NEVRA, what);
    if (g->batch && p->files != NULL)
        fsmSayDone(p->files);
}

/* The files are as they are to be, but that is not recorded. */
static void failRecords(struct group *g, const char *why)
{
    for (int i = 0; i < g->n; i++) {
        psm p = &g->members[i];

        if (p->te->failed)
            continue;
        sayUnrecorded(g, p, why);
        psmMarkFailed(g->ts, p->te);
    }
    g->ts->keepNote = 1;
}

static int namesDurable(struct group *g)
{
    char *text;

    if (rpmFlushTouchedBarrier(g->ts->flush) == 0)
        return 1;
    text = rpmFlushTakeError(g->ts->flush);
    failRecords(g, text);
    free(text);
    return 0;
}

/* ---- Step 5 ---- */

static int writeRecord(struct group *g, rpmte te)
{
    int rc;

    if (te->failed)
        return 0;
    if (te->type == TR_REMOVED)
        return psmRemoveRecord(g->ts, te);
    rc = psmAddRecord(g->ts, te);
    if (rc == 0 && g->batch)
        psmMarkReplaced(g->ts, te);
    return rc;
}

static int goesAhead(const struct group *g, rpmte te)
{
    return te->ahead > 0 && te->dbInstance != 0 && isMember(g, te->dependsOn);
}

static int writeRecords(struct group *g)
{
    rpmts ts = g->ts;
    int rc = 0;

    for (int i = 0; i < g->n && rc == 0; i++)
        rc = writeRecord(g, g->members[i].te);
    for (int i = 0; g->batch && i < ts->nelements && rc == 0; i++) {
        if (goesAhead(g, ts->elements[i]))
            rc = psmRemoveRecord(ts, ts->elements[i]);
    }
    return rc;
}

static void setInstances(struct group *g)
{
    for (int i = 0; g->batch && i < g->ts->nelements; i++) {
        rpmte te = g->ts->elements[i];
        if (goesAhead(g, te))
            te->dbInstance = 0;
    }
    for (int i = 0; i < g->n; i++) {
        rpmte te = g->members[i].te;
        if (!te->failed)
            te->dbInstance = te->type == TR_ADDED ? headerGetInstance(te->h) : 0;
    }
}

static int commitRecords(struct group *g)
{
    rpmdb db = g->ts->rdb;

    if (rpmdbBegin(db))
        return -1;
    if (writeRecords(g)) {
        rpmdbRollback(db);
        return -1;
    }
    return rpmdbCommit(db);
}

static int alive(const struct group *g)
{
    int n = 0;

    for (int i = 0; i < g->n; i++)
        n += !g->members[i].te->failed;
    return n;
}

static void record(struct group *g)
{
    rpmop op = rpmtsOp(g->ts, RPMTS_OP_DBADD);
    int rc = -1;

    if (g->ts->rdb == NULL || alive(g) == 0)
        return;
    if (rpmtsNoReturn(g->ts) == 0) {
        if (!isRemoving(g))
            rpmswEnter(op, 0);
        rc = commitRecords(g);
        if (!isRemoving(g))
            rpmswExit(op, 0);
    }
    if (rc == 0)
        setInstances(g);
    else
        failRecords(g, NULL);
}

/* ---- Step 6 ---- */

/* What has a scriptlet here is the last of its group. */
static void runScripts(struct group *g)
{
    for (int i = 0; i < g->n; i++) {
        rpmte te = g->members[i].te;

        if (!te->failed && psmScripts(&g->members[i]))
            psmMarkFailed(g->ts, te);
    }
}

static void markReplaced(struct group *g)
{
    for (int i = 0; i < g->n && !g->batch; i++) {
        if (!g->members[i].te->failed)
            psmMarkReplaced(g->ts, g->members[i].te);
    }
}

/* ---- A group from its last member on ---- */

static void finishAdded(struct group *g)
{
    rpmop op = rpmtsOp(g->ts, RPMTS_OP_INSTALL);

    rpmswEnter(op, 0);
    op->count--; /* that was counted when it began */
    if (mayRename(g)) {
        renameAll(g);
        psmStop(&g->members[g->n - 1]);
        eraseAhead(g);
        if (namesDurable(g)) {
            record(g);
            runScripts(g);
            markReplaced(g);
        }
    }
    rpmswExit(op, 0);
}

static void finishRemoved(struct group *g)
{
    rpmop op = rpmtsOp(g->ts, RPMTS_OP_ERASE);

    rpmswEnter(op, 0);
    op->count--;
    if (namesDurable(g)) {
        runScripts(g);
        record(g);
    }
    rpmswExit(op, 0);
}

/* Returns how many of the members failed. */
static int finish(struct group *g, const char *why)
{
    int failed;

    if (g->n == 0)
        return 0;
    if (g->batch)
        rpmlog(RPMLOG_DEBUG, "group of %d ends %s\n", g->n, why);
    if (isRemoving(g))
        finishRemoved(g);
    else
        finishAdded(g);
    failed = g->n - alive(g);
    end(g);
    return failed;
}

/* ---- A group while it grows ---- */

/* Packages of a name that are recorded or, in order, would be by now: what scriptlets are told. */
static int countBefore(const struct group *g, int ix)
{
    rpmte te = g->ts->elements[ix];
    int n;

    if (!psmHasScripts(g->ts, te))
        return 0;
    n = psmCountInstalled(g->ts, te);
    for (int i = 0; i < g->n; i++) {
        rpmte other = g->members[i].te;
        if (!other->failed && rstreq(other->name, te->name))
            n += other->type == TR_ADDED ? 1 : -1;
    }
    for (int i = ix + 1; i < g->ts->nelements; i++) {
        rpmte other = g->ts->elements[i];
        n += other->ahead > 0 && other->dbInstance == 0 && rstreq(other->name, te->name);
    }
    return n;
}

/* The package before is shown as done, and closed, when the next one begins. */
static void endLast(struct group *g)
{
    psm p = g->n > 0 ? &g->members[g->n - 1] : NULL;

    if (p == NULL || p->te->type != TR_ADDED)
        return;
    psmStop(p);
    psmClose(p);
}

static const char *startAdded(struct group *g, int ix, int *failed)
{
    rpmte te = g->ts->elements[ix];
    int before = countBefore(g, ix);
    psm p;

    p = addMember(g, te);
    if (psmBegin(p, before)) {
        psmMarkFailed(g->ts, te);
        *failed += 1;
        g->n--;
        return NULL;
    }
    if (!g->batch)
        return "";
    if (g->bounds == NULL)
        g->bounds = boundsNew(g->ts);
    return boundsAdd(g->bounds, te, p->files);
}

int groupErasing(rpmts ts, int ix)
{
    int n = 0;

    while (ix + n < ts->nelements && ts->elements[ix + n]->type == TR_REMOVED) {
        int alone = psmEraseHasScripts(ts, ts->elements[ix + n]);

        if (n > 0 && alone)
            break;
        n++;
        if (alone)
            break;
    }
    return n;
}

static const char *startRemoved(struct group *g, int ix, int *failed)
{
    rpmte te = g->ts->elements[ix];
    int before = countBefore(g, ix);
    psm p = addMember(g, te);

    if (rpmNoteErasing(g->ts, ix, groupErasing(g->ts, ix)) || psmEraseBegin(p, before)) {
        psmMarkFailed(g->ts, te);
        *failed += 1;
        g->n--;
        return NULL;
    }
    return !g->batch || psmEraseHasScripts(g->ts, te) ? "its scriptlets" : NULL;
}

static const char *whyNot(struct group *g, rpmte te)
{
    if (g->n == 0)
        return NULL;
    if (isRemoving(g) != (te->type == TR_REMOVED))
        return te->type == TR_REMOVED ? "it is to be erased" : "it is to be installed";
    if (te->failed || te->ahead != 0)
        return NULL;
    if (te->type == TR_REMOVED)
        return psmEraseHasScripts(g->ts, te) ? "it has scriptlets" : NULL;
    return boundsBefore(g->bounds, te);
}

/* A removed element whose files are gone already. */
static int sayAhead(rpmts ts, rpmte te)
{
    psmSayErased(ts, te);
    if (te->ahead > 0)
        return 0;
    psmMarkFailed(ts, te);
    return 1;
}

static int finishFor(struct group *g, const char *where, rpmte te, const char *why)
{
    char *text = NULL;
    int failed;

    rasprintf(&text, "%s %s: %s", where, te->NEVRA, why);
    failed = finish(g, text);
    rfree(text);
    return failed;
}

static int start(struct group *g, int ix)
{
    rpmts ts = g->ts;
    rpmte te = ts->elements[ix];
    int failed = 0;
    const char *why;

    endLast(g);
    rpmlog(RPMLOG_DEBUG, "========== %s %s\n", te->type == TR_ADDED ? "+++" : "---", te->NEVRA);
    rpmtsNotify(ts, te, RPMCALLBACK_ELEM_PROGRESS, (rpm_loff_t) ix, (rpm_loff_t) ts->nelements);
    if (te->ahead != 0)
        return sayAhead(ts, te);
    why = te->type == TR_ADDED ? startAdded(g, ix, &failed) : startRemoved(g, ix, &failed);
    g->last = ix;
    if (why != NULL)
        failed += finishFor(g, "after", te, why);
    return failed;
}

static int process(struct group *g, int ix)
{
    rpmte te = g->ts->elements[ix];
    const char *why = whyNot(g, te);
    int failed = why != NULL ? finishFor(g, "before", te, why) : 0;

    if (!te->failed)
        return failed + start(g, ix);
    rpmlog(RPMLOG_ERR, "%s: %s skipped\n", te->NEVRA, te->type == TR_ADDED ? "install" : "erase");
    return failed + 1;
}

int groupProcess(rpmts ts)
{
    struct group g;
    int failed = 0;

    begin(&g, ts);
    for (int i = 0; i < ts->nelements && !rpmtsInterrupted(ts); i++)
        failed += process(&g, i);
    failed += finish(&g, "with the transaction");
    leave(&g);
    return failed;
}

int groupPutFiles(rpmts ts, rpmte te, FD_t fd)
{
    struct group g;
    psm p;
    int failed = 1;

    begin(&g, ts);
    p = addMember(&g, te);
    if (psmUnpack(p, fd) == 0 && mayRename(&g)) {
        renameAll(&g);
        failed = te->failed || !namesDurable(&g);
    }
    leave(&g);
    return failed ? -1 : 0;
}
