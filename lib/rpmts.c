/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transaction sets: settings and elements. transaction.c runs them. */

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

#include <rpm/header.h>
#include <rpm/rpmfileutil.h>
#include <rpm/rpmio.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "rpmte_internal.h"
#include "rpmts_internal.h"

struct rpmtsi_s {
    rpmts ts;
    int ix;
};

static int defaultVfyLevel(void)
{
    static const struct {
        const char *name;
        int level;
    } levels[] = {
        { "all", RPMSIG_VERIFIABLE_TYPE },
        { "signature", RPMSIG_SIGNATURE_TYPE },
        { "digest", RPMSIG_DIGEST_TYPE },
        { "none", RPMSIG_NONE_TYPE },
        { "", RPMSIG_DIGEST_TYPE },
    };
    const size_t n = sizeof(levels) / sizeof(levels[0]);
    char *name = rpmExpand("%{?_pkgverify_level}", NULL);
    int level = RPMSIG_DIGEST_TYPE;
    size_t i;

    for (i = 0; i < n && !rstreq(name, levels[i].name); i++)
        continue;
    if (i < n)
        level = levels[i].level;
    else
        rpmlog(RPMLOG_WARNING, "invalid package verify level %s\n", name);
    rfree(name);
    return level;
}

rpmts rpmtsCreate(void)
{
    rpmts ts = rcalloc(1, sizeof(*ts));
    const char *epoch = getenv("SOURCE_DATE_EPOCH");

    ts->rootDir = rstrdup("/");
    ts->vfylevel = defaultVfyLevel();
    ts->vfyflags = rpmExpandNumeric("%{?_pkgverify_flags}");
    ts->dbmode = O_RDONLY;
    ts->color = rpmExpandNumeric("%{?_transaction_color}");
    ts->prefColor = rpmExpandNumeric("%{?_prefer_color}");
    if (ts->prefColor == 0)
        ts->prefColor = 2;
    ts->overrideTime = epoch != NULL ? strtol(epoch, NULL, 10) : -1;
    rpmswEnter(&ts->ops[RPMTS_OP_TOTAL], -1);
    return rpmtsLink(ts);
}

rpmts rpmtsLink(rpmts ts)
{
    if (ts != NULL)
        ts->nrefs++;
    return ts;
}

void rpmtsEmpty(rpmts ts)
{
    for (int i = 0; i < ts->nelements; i++)
        rpmteFree(ts->elements[i]);
    ts->elements = rfree(ts->elements);
    ts->nelements = 0;
}

rpmts rpmtsFree(rpmts ts)
{
    if (ts != NULL && --ts->nrefs == 0) {
        rpmtsEmpty(ts);
        rpmtsCloseDB(ts);
        rpmFlushFree(ts->flush);
        fdFree(ts->scriptFd);
        argvFree(ts->recovered);
        rfree(ts->rootDir);
        rfree(ts);
    }
    return NULL;
}

const char *rpmtsRootDir(rpmts ts)
{
    return ts->rootDir;
}

int rpmtsSetRootDir(rpmts ts, const char *rootDir)
{
    char *path;

    if (rootDir != NULL && *rootDir != '/')
        return -1;
    path = rpmCleanPath(rstrdup(rootDir != NULL ? rootDir : "/"));
    if (!rstreq(path, "/"))
        rstrcat(&path, "/");
    rfree(ts->rootDir);
    ts->rootDir = path;
    return 0;
}

int rpmtsIsHost(rpmts ts)
{
    return rstreq(ts->rootDir, "/");
}

rpmVSFlags rpmtsVSFlags(rpmts ts)
{
    return ts->vsflags;
}

rpmVSFlags rpmtsSetVSFlags(rpmts ts, rpmVSFlags vsflags)
{
    rpmVSFlags old = ts->vsflags;

    ts->vsflags = vsflags;
    return old;
}

rpmVSFlags rpmtsVfyFlags(rpmts ts)
{
    return ts->vfyflags;
}

rpmVSFlags rpmtsSetVfyFlags(rpmts ts, rpmVSFlags vfyflags)
{
    rpmVSFlags old = ts->vfyflags;

    ts->vfyflags = vfyflags;
    return old;
}

int rpmtsVfyLevel(rpmts ts)
{
    return ts->vfylevel;
}

int rpmtsSetVfyLevel(rpmts ts, int vfylevel)
{
    int old = ts->vfylevel;

    ts->vfylevel = vfylevel;
    return old;
}

rpm_tid_t rpmtsGetTid(rpmts ts)
{
    return ts->tid;
}

rpm_tid_t rpmtsSetTid(rpmts ts, rpm_tid_t tid)
{
    rpm_tid_t old = ts->tid;

    ts->tid = tid;
    return old;
}

rpmtransFlags rpmtsFlags(rpmts ts)
{
    return ts->flags;
}

rpmtransFlags rpmtsSetFlags(rpmts ts, rpmtransFlags transFlags)
{
    rpmtransFlags old = ts->flags;

    ts->flags = transFlags;
    return old;
}

rpmprobFilterFlags rpmtsFilterFlags(rpmts ts)
{
    return ts->ignoreSet;
}

rpm_color_t rpmtsColor(rpmts ts)
{
    return ts->color;
}

rpm_color_t rpmtsSetColor(rpmts ts, rpm_color_t color)
{
    rpm_color_t old = ts->color;

    ts->color = color;
    return old;
}

rpm_color_t rpmtsPrefColor(rpmts ts)
{
    return ts->prefColor;
}

rpm_color_t rpmtsSetPrefColor(rpmts ts, rpm_color_t color)
{
    rpm_color_t old = ts->prefColor;

    ts->prefColor = color;
    return old;
}

void rpmtsSetScriptFd(rpmts ts, FD_t scriptFd)
{
    fdFree(ts->scriptFd);
    ts->scriptFd = fdLink(scriptFd);
}

FD_t rpmtsScriptFd(rpmts ts)
{
    return ts->scriptFd;
}

rpm_time_t rpmtsGetTime(rpmts ts, int step)
{
    rpm_time_t now = (rpm_time_t) ts->overrideTime;

    if (ts->overrideTime < 0)
        return (rpm_time_t) time(NULL);
    ts->overrideTime += step;
    return now;
}

rpmop rpmtsOp(rpmts ts, rpmtsOpX opx)
{
    return (int) opx >= 0 && opx < RPMTS_OP_MAX ? &ts->ops[opx] : NULL;
}

rpmFlush rpmtsFlush(rpmts ts)
{
    return ts->flush;
}

int rpmtsSetNotifyCallback(rpmts ts, rpmCallbackFunction notify, rpmCallbackData notifyData)
{
    ts->notify = notify;
    ts->notifyData = notifyData;
    return 0;
}

void *rpmtsNotify(rpmts ts, rpmte te, rpmCallbackType what, rpm_loff_t amount, rpm_loff_t total)
{
    if (ts->notify == NULL)
        return NULL;
    return ts->notify(te != NULL ? te->h : NULL, what, amount, total,
                      te != NULL ? te->key : NULL, ts->notifyData);
}

int rpmtsNElements(rpmts ts)
{
    return ts->nelements;
}

rpmte rpmtsElement(rpmts ts, int ix)
{
    return ix >= 0 && ix < ts->nelements ? ts->elements[ix] : NULL;
}

rpmps rpmtsProblems(rpmts ts)
{
    rpmps all = NULL;

    for (int i = 0; i < ts->nelements; i++) {
        if (ts->elements[i]->probs == NULL)
            continue;
        if (all == NULL)
            all = rpmpsCreate();
        rpmpsMerge(all, ts->elements[i]->probs);
    }
    return all;
}

void rpmtsCleanProblems(rpmts ts)
{
    for (int i = 0; i < ts->nelements; i++)
        rpmteCleanProblems(ts->elements[i]);
}

rpmtsi rpmtsiInit(rpmts ts)
{
    rpmtsi tsi = rcalloc(1, sizeof(*tsi));

    tsi->ts = rpmtsLink(ts);
    return tsi;
}

rpmtsi rpmtsiFree(rpmtsi tsi)
{
    if (tsi != NULL) {
        rpmtsFree(tsi->ts);
        rfree(tsi);
    }
    return NULL;
}

rpmte rpmtsiNext(rpmtsi tsi, rpmElementTypes types)
{
    rpmte te;

    while ((te = rpmtsElement(tsi->ts, tsi->ix)) != NULL) {
        tsi->ix++;
        if (types == 0 || (te->type & types))
            return te;
    }
    return NULL;
}
