/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One element of a transaction: its scriptlets, its files, its record. */

#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "fsm.h"
#include "interrupt.h"
#include "problems.h"
#include "psm.h"
#include "rpmdb_internal.h"
#include "rpmscript.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* Packages of this name in the database. */
static int countInstalled(rpmts ts, rpmte te)
{
    int n = ts->rdb != NULL ? rpmdbCountPackages(ts->rdb, te->name) : 0;

    return n > 0 ? n : 0;
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

/* What is not installed is so for a reason that the record tells. */
static void setStates(rpmte te)
{
    for (int fx = 0; fx < (int) rpmfilesFC(te->files); fx++) {
        rpmFileAction action = te->actions[fx];
        te->states[fx] = action == FA_SKIPNSTATE      ? RPMFILE_STATE_NOTINSTALLED
                         : action == FA_SKIPNETSHARED ? RPMFILE_STATE_NETSHARED
                         : action == FA_SKIPCOLOR     ? RPMFILE_STATE_WRONGCOLOR
                                                      : RPMFILE_STATE_NORMAL;
    }
}

static int unpack(rpmts ts, rpmte te, FD_t fd)
{
    fsm m;
    int rc;

    if (ts->flags & RPMTRANS_FLAG_JUSTDB)
        return 0;
    setStates(te);
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
    return rc;
}

static rpm_loff_t archiveSize(rpmte te)
{
    rpm_loff_t total = headerGetNumber(te->h, RPMTAG_LONGARCHIVESIZE);

    return total != 0 ? total : 100;
}

int psmPutFiles(rpmts ts, rpmte te, FD_t fd)
{
    rpm_loff_t total = archiveSize(te);
    int rc;

    fsmSayUser(ts); /* before a bar is begun */
    rpmtsNotify(ts, te, RPMCALLBACK_INST_START, 0, total);
    rpmtsNotify(ts, te, RPMCALLBACK_INST_PROGRESS, 0, total);
    rc = unpack(ts, te, fd);
    rpmtsNotify(ts, te, RPMCALLBACK_INST_PROGRESS, total, total);
    rpmtsNotify(ts, te, RPMCALLBACK_INST_STOP, total, total);
    return rc;
}

/* The record of the same package, which nobody else erases: 0 if there is none. */
static unsigned int findSame(rpmts ts, rpmte te)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_NAME, te->name, 0);
    unsigned int num = 0;
    Header h;

    while (num == 0 && (h = rpmdbNextIterator(mi)) != NULL) {
        if (rpmtsRemoved(ts, rpmdbGetIteratorOffset(mi)) == NULL && rpmProblemsIsSame(ts, te, h))
            num = rpmdbGetIteratorOffset(mi);
    }
    rpmdbFreeIterator(mi);
    return num;
}

/* A package in the place of itself takes the place of its record, too. */
static int addRecord(rpmts ts, rpmte te)
{
    struct rpmdbRecord_s record = {
        .tid = ts->tid,
        .time = rpmtsGetTime(ts, 1),
        .color = ts->color,
        .states = te->states,
        .nstates = rpmfilesFC(te->files),
    };
    unsigned int same = ts->ignoreSet & RPMPROB_FILTER_REPLACEPKG ? findSame(ts, te) : 0;
    int rc = rpmdbRecordTags(te->h, &record) || rpmdbBegin(ts->rdb);

    if (rc)
        return -1;
    if (same != 0)
        rc = rpmdbRemove(ts->rdb, same);
    if (rc == 0)
        rc = rpmdbAdd(ts->rdb, te->h);
    if (rc)
        rpmdbRollback(ts->rdb);
    else
        rc = rpmdbCommit(ts->rdb);
    if (rc == 0)
        te->dbInstance = headerGetInstance(te->h);
    return rc;
}

static int record(rpmts ts, rpmte te)
{
    int rc;

    if (ts->rdb == NULL)
        return 0;
    if (rpmtsNoReturn(ts))
        return -1;
    rpmswEnter(rpmtsOp(ts, RPMTS_OP_DBADD), 0);
    rc = addRecord(ts, te);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_DBADD), 0);
    if (rc)
        rpmlog(RPMLOG_ERR, "%s: its files are in place, but it is not recorded\n", te->NEVRA);
    return rc;
}

static int markFile(Header h, const struct rpmteReplaced *replaced)
{
    struct rpmtd_s td;
    char *state;
    int changed = 0;

    if (!headerGet(h, RPMTAG_FILESTATES, &td, HEADERGET_MINMEM))
        return 0;
    if (rpmtdSetIndex(&td, replaced->fx) >= 0 && (state = rpmtdGetChar(&td)) != NULL &&
        *state != replaced->state) {
        *state = replaced->state;
        changed = 1;
    }
    rpmtdFreeData(&td);
    return changed;
}

/* Other packages are told that some of their files are this one's now. What was found is sorted by
 * their records. */
static void markReplaced(rpmts ts, rpmte te)
{
    int i = 0;

    while (ts->rdb != NULL && i < te->nreplaced) {
        unsigned int num = te->replaced[i].num;
        rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_PACKAGES, &num, sizeof(num));
        Header h;

        rpmdbSetIteratorRewrite(mi, 1);
        h = rpmdbNextIterator(mi);
        for (; i < te->nreplaced && te->replaced[i].num == num; i++) {
            if (h != NULL && markFile(h, &te->replaced[i]))
                rpmdbSetIteratorModified(mi, 1);
        }
        rpmdbFreeIterator(mi);
    }
}

/* The scriptlet that decides whether the package goes on. */
static int permitted(rpmts ts, rpmte te, rpmTagVal tag, int arg)
{
    if (rpmtsRunScript(ts, te, tag, arg) == RPMRC_OK)
        return !rpmtsInterrupted(ts);
    rpmlog(RPMLOG_ERR, "%s: %s failed\n", te->NEVRA,
           te->type == TR_ADDED ? "install" : "erase");
    return 0;
}

int psmInstall(rpmts ts, rpmte te)
{
    FD_t fd = openPayload(ts, te);
    int before = countInstalled(ts, te);
    int rc = -1;

    if (fd == NULL) {
        rpmlog(RPMLOG_ERR, "%s: the package cannot be read again\n", te->NEVRA);
        return -1;
    }
    rpmswEnter(rpmtsOp(ts, RPMTS_OP_INSTALL), 0);
    if (permitted(ts, te, RPMTAG_PREIN, before + 1) &&
        psmPutFiles(ts, te, fd) == 0 && record(ts, te) == 0 &&
        rpmtsRunScript(ts, te, RPMTAG_POSTIN, before + 1) == RPMRC_OK) {
        markReplaced(ts, te);
        rc = 0;
    }
    rpmswExit(rpmtsOp(ts, RPMTS_OP_INSTALL), 0);
    rpmtsNotify(ts, te, RPMCALLBACK_INST_CLOSE_FILE, 0, 0);
    return rc;
}

static int removeFiles(rpmts ts, rpmte te)
{
    rpm_loff_t total = rpmfilesFC(te->files);
    int rc = 0;

    if (total == 0)
        total = 100;
    rpmtsNotify(ts, te, RPMCALLBACK_UNINST_START, 0, total);
    rpmtsNotify(ts, te, RPMCALLBACK_UNINST_PROGRESS, 0, total);
    if (rpmtsNoReturn(ts))
        rc = -1;
    else if (!(ts->flags & RPMTRANS_FLAG_JUSTDB))
        rc = fsmErase(ts, te);
    rpmtsNotify(ts, te, RPMCALLBACK_UNINST_PROGRESS, total, total);
    rpmtsNotify(ts, te, RPMCALLBACK_UNINST_STOP, total, total);
    return rc;
}

static int removeRecord(rpmts ts, rpmte te)
{
    int rc = 0;

    if (ts->rdb == NULL)
        return 0;
    rpmswEnter(rpmtsOp(ts, RPMTS_OP_DBREMOVE), 0);
    rc = rpmdbRemove(ts->rdb, te->dbInstance);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_DBREMOVE), 0);
    if (rc == 0)
        te->dbInstance = 0;
    return rc;
}

int psmErase(rpmts ts, rpmte te)
{
    int after = countInstalled(ts, te) - 1;
    int rc = -1;

    rpmswEnter(rpmtsOp(ts, RPMTS_OP_ERASE), 0);
    if (permitted(ts, te, RPMTAG_PREUN, after) && removeFiles(ts, te) == 0 &&
        rpmtsRunScript(ts, te, RPMTAG_POSTUN, after) == RPMRC_OK)
        rc = removeRecord(ts, te);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_ERASE), 0);
    return rc;
}

static int isUpdate(rpmts ts, rpmte te)
{
    for (int i = 0; i < ts->nelements; i++) {
        if (ts->elements[i]->type == TR_REMOVED && ts->elements[i]->dependsOn == te)
            return 1;
    }
    return 0;
}

void psmMarkFailed(rpmts ts, rpmte te)
{
    te->failed = 1;
    for (int i = 0; i < ts->nelements; i++) {
        if (ts->elements[i]->dependsOn == te)
            ts->elements[i]->failed = 2;
    }
}

void psmTransScripts(rpmts ts, rpmTagVal tag)
{
    for (int i = 0; i < ts->nelements && !rpmtsInterrupted(ts); i++) {
        rpmte te = ts->elements[i];
        int more = tag == RPMTAG_PRETRANS ? 1 : isUpdate(ts, te);

        if (te->type == TR_ADDED && !te->failed &&
            rpmtsRunScript(ts, te, tag, countInstalled(ts, te) + more) != RPMRC_OK)
            psmMarkFailed(ts, te);
    }
}
