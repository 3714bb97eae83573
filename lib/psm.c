/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One element of a transaction: its scriptlets and its files. */

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "interrupt.h"
#include "psm.h"
#include "rpmdb_internal.h"
#include "rpmscript.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"
#include "rpmvs.h"

int psmCountInstalled(rpmts ts, rpmte te)
{
    int n = ts->rdb != NULL ? rpmdbCountPackages(ts->rdb, te->name) : 0;

    return n > 0 ? n : 0;
}

/* Open a package at its payload. What is unpacked goes by the header that is at hand, and every
 * file's digest by it, too: another package in its place does not get far, and the header that is
 * read over here needs no second verification. */
static FD_t openPayload(rpmts ts, rpmte te)
{
    FD_t fd = rpmtsNotify(ts, te, RPMCALLBACK_INST_OPEN_FILE, 0, 0);

    if (fd != NULL && rpmpkgReadHeader(RPMVSF_MASK_NODIGESTS | RPMVSF_MASK_NOSIGNATURES, fd, NULL,
                                       NULL) == RPMRC_OK)
        return fd;
    if (fd != NULL)
        rpmtsNotify(ts, te, RPMCALLBACK_INST_CLOSE_FILE, 0, 0);
    return NULL;
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

void psmSayFailed(psm p)
{
    char *why = fsmStrerror(p->files);

    rpmlog(RPMLOG_ERR, "%s: %s\n", p->te->NEVRA, why);
    rfree(why);
    rpmtsNotify(p->ts, p->te, RPMCALLBACK_UNPACK_ERROR, 0, 0);
    p->files = fsmFree(p->files);
}

static int unpack(psm p, FD_t fd)
{
    int rc;

    if (p->ts->flags & RPMTRANS_FLAG_JUSTDB)
        return 0;
    setStates(p->te);
    p->files = fsmNew(p->ts, p->te);
    rc = fsmUnpack(p->files, fd);
    if (rc == 0)
        rc = fsmCheck(p->files);
    if (rc == 0)
        return 0;
    fsmUndo(p->files);
    rpmFlushForget(p->ts->flush);
    psmSayFailed(p);
    return -1;
}

static rpm_loff_t archiveSize(rpmte te)
{
    rpm_loff_t total = headerGetNumber(te->h, RPMTAG_LONGARCHIVESIZE);

    return total != 0 ? total : 100;
}

int psmUnpack(psm p, FD_t fd)
{
    p->total = archiveSize(p->te);
    fsmSayUser(p->ts); /* before a bar is begun */
    rpmtsNotify(p->ts, p->te, RPMCALLBACK_INST_START, 0, p->total);
    rpmtsNotify(p->ts, p->te, RPMCALLBACK_INST_PROGRESS, 0, p->total);
    p->shown = 1;
    if (unpack(p, fd) == 0)
        return 0;
    psmStop(p);
    return -1;
}

void psmStop(psm p)
{
    if (!p->shown)
        return;
    p->shown = 0;
    rpmtsNotify(p->ts, p->te, RPMCALLBACK_INST_PROGRESS, p->total, p->total);
    rpmtsNotify(p->ts, p->te, RPMCALLBACK_INST_STOP, p->total, p->total);
}

void psmClose(psm p)
{
    if (p->open)
        rpmtsNotify(p->ts, p->te, RPMCALLBACK_INST_CLOSE_FILE, 0, 0);
    p->open = 0;
}

void psmEnd(psm p)
{
    psmStop(p);
    psmClose(p);
    p->files = fsmFree(p->files);
}

/* The scriptlet that decides whether the package goes on. */
static int permitted(psm p, rpmTagVal tag)
{
    if (rpmtsRunScript(p->ts, p->te, tag, p->arg) == RPMRC_OK)
        return !rpmtsInterrupted(p->ts);
    rpmlog(RPMLOG_ERR, "%s: %s failed\n", p->te->NEVRA,
           p->te->type == TR_ADDED ? "install" : "erase");
    return 0;
}

int psmBegin(psm p, int before)
{
    FD_t fd = openPayload(p->ts, p->te);
    int rc;

    if (fd == NULL) {
        rpmlog(RPMLOG_ERR, "%s: the package cannot be read again\n", p->te->NEVRA);
        return -1;
    }
    p->open = 1;
    p->arg = before + 1;
    rpmswEnter(rpmtsOp(p->ts, RPMTS_OP_INSTALL), 0);
    rc = permitted(p, RPMTAG_PREIN) ? psmUnpack(p, fd) : -1;
    rpmswExit(rpmtsOp(p->ts, RPMTS_OP_INSTALL), 0);
    if (rc)
        psmEnd(p);
    return rc;
}

static rpm_loff_t eraseTotal(rpmte te)
{
    rpm_loff_t total = rpmfilesFC(te->files);

    return total != 0 ? total : 100;
}

static void eraseStart(rpmts ts, rpmte te)
{
    rpm_loff_t total = eraseTotal(te);

    rpmtsNotify(ts, te, RPMCALLBACK_UNINST_START, 0, total);
    rpmtsNotify(ts, te, RPMCALLBACK_UNINST_PROGRESS, 0, total);
}

static void eraseStop(rpmts ts, rpmte te)
{
    rpm_loff_t total = eraseTotal(te);

    rpmtsNotify(ts, te, RPMCALLBACK_UNINST_PROGRESS, total, total);
    rpmtsNotify(ts, te, RPMCALLBACK_UNINST_STOP, total, total);
}

static int removeFiles(rpmts ts, rpmte te, int said)
{
    if (rpmtsNoReturn(ts))
        return -1;
    if (ts->flags & RPMTRANS_FLAG_JUSTDB)
        return 0;
    return fsmErase(ts, te, said);
}

int psmEraseBegin(psm p, int before)
{
    int rc = -1;

    p->arg = before - 1;
    rpmswEnter(rpmtsOp(p->ts, RPMTS_OP_ERASE), 0);
    if (permitted(p, RPMTAG_PREUN)) {
        eraseStart(p->ts, p->te);
        rc = removeFiles(p->ts, p->te, 1);
        eraseStop(p->ts, p->te);
    }
    rpmswExit(rpmtsOp(p->ts, RPMTS_OP_ERASE), 0);
    return rc;
}

int psmEraseAhead(rpmts ts, rpmte te)
{
    int rc;

    rpmswEnter(rpmtsOp(ts, RPMTS_OP_ERASE), 0);
    rc = removeFiles(ts, te, 0);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_ERASE), 0);
    return rc;
}

void psmSayErased(rpmts ts, rpmte te)
{
    eraseStart(ts, te);
    if (!(ts->flags & RPMTRANS_FLAG_JUSTDB))
        fsmSayErased(ts, te);
    eraseStop(ts, te);
}

int psmScripts(psm p)
{
    int added = p->te->type == TR_ADDED;

    return rpmtsRunScript(p->ts, p->te, added ? RPMTAG_POSTIN : RPMTAG_POSTUN, p->arg) == RPMRC_OK
               ? 0 : -1;
}

int psmHasScripts(rpmts ts, rpmte te)
{
    if (te->type == TR_REMOVED)
        return psmEraseHasScripts(ts, te);
    return rpmScriptWillRun(te->h, RPMTAG_PREIN, ts->flags) ||
           rpmScriptWillRun(te->h, RPMTAG_POSTIN, ts->flags);
}

int psmEraseHasScripts(rpmts ts, rpmte te)
{
    return rpmScriptWillRun(te->h, RPMTAG_PREUN, ts->flags) ||
           rpmScriptWillRun(te->h, RPMTAG_POSTUN, ts->flags);
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
        int more;

        if (te->type != TR_ADDED || te->failed || !rpmScriptWillRun(te->h, tag, ts->flags))
            continue;
        more = tag == RPMTAG_PRETRANS ? 1 : isUpdate(ts, te);
        if (rpmtsRunScript(ts, te, tag, psmCountInstalled(ts, te) + more) != RPMRC_OK)
            psmMarkFailed(ts, te);
    }
}
