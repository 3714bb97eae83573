/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The package database of a transaction set. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <rpm/rpmfileutil.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmsq.h>
#include <rpm/rpmstring.h>

#include "rpmdb_internal.h"
#include "rpmlock.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

rpmdb rpmtsGetRdb(rpmts ts)
{
    return ts->rdb;
}

int rpmtsGetDBMode(rpmts ts)
{
    return ts->dbmode;
}

int rpmtsSetDBMode(rpmts ts, int dbmode)
{
    if (ts->rdb != NULL)
        return 1;
    ts->dbmode = dbmode;
    return 0;
}

/* Commits are durable, unless somebody else sees to it. The machine's own database may be left with
 * a WAL beside it, which spares `batch` the flushes of a checkpoint; of another root somebody may
 * take the main file alone. */
static struct rpmdbPolicy_s dbPolicy(rpmts ts)
{
    struct rpmdbPolicy_s policy = rpmdbPolicyDefault;
    const rpmFlushPolicy *flush = ts->flush != NULL ? rpmFlushGetPolicy(ts->flush) : NULL;

    if (flush != NULL)
        policy.sync = flush->whether != RPMFLUSH_NONE;
    if (flush != NULL && flush->whether == RPMFLUSH_ON && flush->method == RPMFLUSH_BATCH)
        policy.checkpoint = !rpmtsIsHost(ts);
    return policy;
}

/* Said of the root itself, as rpmtsRun() does, and not of a database below it. A root that is not
 * there has no packages. */
static int rootIsNoDirectory(rpmts ts)
{
    struct stat sb;

    if (stat(ts->rootDir, &sb) == 0 || errno == ENOENT)
        return 0;
    rpmlog(RPMLOG_ERR, "root directory %s cannot be used: %s\n", ts->rootDir, strerror(errno));
    return 1;
}

int rpmtsOpenDB(rpmts ts, int dbmode)
{
    struct rpmdbPolicy_s policy;
    int rc = 0;

    if (ts->rdb != NULL && ts->dbmode == dbmode)
        return 0;
    if (rootIsNoDirectory(ts))
        return 1;
    rpmtsCloseDB(ts);
    ts->dbmode = dbmode;
    if (dbmode != O_RDONLY && ts->flush == NULL)
        rc = rpmtsReadPolicy(ts);
    policy = dbPolicy(ts);
    if (rc == 0)
        rc = rpmdbOpen(ts->rootDir, NULL, &ts->rdb, dbmode, &policy);
    if (rc != 0) {
        char *dn = rpmGetPath(ts->rootDir, "%{?_dbpath}", NULL);
        rpmlog(RPMLOG_ERR, "cannot open Packages database in %s\n", dn);
        rfree(dn);
    }
    return rc;
}

int rpmtsCloseDB(rpmts ts)
{
    int rc = 0;

    if (ts->rdb != NULL) {
        rpmswAdd(rpmtsOp(ts, RPMTS_OP_DBGET), rpmdbOp(ts->rdb, RPMDB_OP_DBGET));
        rpmswAdd(rpmtsOp(ts, RPMTS_OP_DBPUT), rpmdbOp(ts->rdb, RPMDB_OP_DBPUT));
        rpmswAdd(rpmtsOp(ts, RPMTS_OP_DBDEL), rpmdbOp(ts->rdb, RPMDB_OP_DBDEL));
        rc = rpmdbClose(ts->rdb);
        ts->rdb = NULL;
    }
    return rc;
}

int rpmtsInitDB(rpmts ts, int perms)
{
    rpmlock lock = rpmlockNewAcquire(ts->rootDir, NULL, "transaction");
    int rc = -1;

    (void) perms;
    if (lock != NULL && rpmtsReadPolicy(ts) == 0) {
        struct rpmdbPolicy_s policy = dbPolicy(ts);
        rc = rpmdbInit(ts->rootDir, NULL, &policy);
    }
    rpmlockFree(lock);
    return rc;
}

int rpmtsRebuildDB(rpmts ts)
{
    rpmlock lock = NULL;
    int rc = -1;

    if (ts->nelements == 0)
        lock = rpmlockNewAcquire(ts->rootDir, NULL, "transaction");
    if (lock != NULL && rpmtsReadPolicy(ts) == 0) {
        struct rpmdbPolicy_s policy = dbPolicy(ts);
        rpmtsCloseDB(ts);
        /* It is not stopped half-way; the program exits afterwards. */
        rpmsqActivate(1);
        rc = rpmdbRebuild(ts->rootDir, NULL, ts,
            ts->vsflags & RPMVSF_NOHDRCHK ? NULL : headerCheck, &policy);
        rpmsqActivate(0);
    }
    rpmlockFree(lock);
    return rc;
}

int rpmtsVerifyDB(rpmts ts)
{
    return rpmdbVerify(ts->rootDir, NULL);
}

rpmdbMatchIterator rpmtsInitIterator(const rpmts ts, rpmDbiTagVal rpmtag, const void *keyp,
                                     size_t keylen)
{
    rpmdbMatchIterator mi;

    if (ts->flags & RPMTRANS_FLAG_NODB)
        return NULL;
    if (ts->rdb == NULL && (ts->dbmode == -1 || rpmtsOpenDB(ts, ts->dbmode)))
        return NULL;
    mi = rpmdbInitIterator(ts->rdb, rpmtag, keyp, keylen);
    if (!(ts->vsflags & RPMVSF_NOHDRCHK))
        rpmdbSetHdrChk(mi, ts, headerCheck);
    return mi;
}

rpmte rpmtsRemoved(rpmts ts, unsigned int hdrNum)
{
    for (int i = 0; i < ts->nelements; i++) {
        rpmte te = ts->elements[i];
        if (te->type == TR_REMOVED && te->dbInstance == hdrNum)
            return te;
    }
    return NULL;
}
