/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scriptlets as headers have them, and as steps of a transaction. */

#include <stdlib.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>

#include "rpmscript_internal.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* A scriptlet without text may still name a program to run. */
static const struct scriptInfo {
    rpmTagVal text;
    rpmTagVal program;
    rpmTagVal flags;
    const char *name;
    rpmscriptFlags always;
    rpmtransFlags without;
} scripts[] = {
    { RPMTAG_PRETRANS, RPMTAG_PRETRANSPROG, RPMTAG_PRETRANSFLAGS, "%pretrans",
      RPMSCRIPT_FLAG_CRITICAL, RPMTRANS_FLAG_NOPRETRANS },
    { RPMTAG_PREIN, RPMTAG_PREINPROG, RPMTAG_PREINFLAGS, "%prein",
      RPMSCRIPT_FLAG_CRITICAL, RPMTRANS_FLAG_NOPRE },
    { RPMTAG_POSTIN, RPMTAG_POSTINPROG, RPMTAG_POSTINFLAGS, "%post", 0, RPMTRANS_FLAG_NOPOST },
    { RPMTAG_PREUN, RPMTAG_PREUNPROG, RPMTAG_PREUNFLAGS, "%preun",
      RPMSCRIPT_FLAG_CRITICAL, RPMTRANS_FLAG_NOPREUN },
    { RPMTAG_POSTUN, RPMTAG_POSTUNPROG, RPMTAG_POSTUNFLAGS, "%postun", 0,
      RPMTRANS_FLAG_NOPOSTUN },
    { RPMTAG_POSTTRANS, RPMTAG_POSTTRANSPROG, RPMTAG_POSTTRANSFLAGS, "%posttrans", 0,
      RPMTRANS_FLAG_NOPOSTTRANS },
    { RPMTAG_VERIFYSCRIPT, RPMTAG_VERIFYSCRIPTPROG, RPMTAG_VERIFYSCRIPTFLAGS, "%verify",
      RPMSCRIPT_FLAG_CRITICAL, 0 },
};

static const struct scriptInfo *findInfo(rpmTagVal tag)
{
    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
        if (scripts[i].text == tag)
            return &scripts[i];
    }
    return NULL;
}

int rpmScriptIsWanted(rpmTagVal scriptTag, rpmtransFlags flags)
{
    const struct scriptInfo *info = findInfo(scriptTag);

    return info != NULL && !(flags & (info->without | RPMTRANS_FLAG_NOSCRIPTS |
                                      RPMTRANS_FLAG_JUSTDB | RPMTRANS_FLAG_TEST));
}

static int hasScript(Header h, const struct scriptInfo *info)
{
    return info != NULL && (headerIsEntry(h, info->text) || headerIsEntry(h, info->program));
}

int rpmScriptWillRun(Header h, rpmTagVal scriptTag, rpmtransFlags flags)
{
    return rpmScriptIsWanted(scriptTag, flags) && hasScript(h, findInfo(scriptTag));
}

/* Macros come first: they may make up the query format. */
static void expandBody(rpmScript script, Header h)
{
    if (script->body != NULL && (script->flags & RPMSCRIPT_FLAG_EXPAND)) {
        char *expanded = rpmExpand(script->body, NULL);
        rfree(script->body);
        script->body = expanded;
    }
    if (script->body != NULL && (script->flags & RPMSCRIPT_FLAG_QFORMAT)) {
        errmsg_t fault = NULL;
        char *formatted = headerFormat(h, script->body, &fault);
        rfree(script->body);
        script->body = formatted;
        if (formatted == NULL)
            script->fault = rstrdup(fault != NULL ? fault : "its query format is not valid");
    }
}

static ARGV_t interpreter(Header h, rpmTagVal tag)
{
    struct rpmtd_s td;
    ARGV_t args = NULL;
    const char *arg;

    if (headerGet(h, tag, &td, HEADERGET_MINMEM)) {
        while ((arg = rpmtdNextString(&td)) != NULL)
            argvAdd(&args, arg);
        rpmtdFreeData(&td);
    }
    if (args == NULL)
        argvAdd(&args, "/bin/sh");
    return args;
}

rpmScript rpmScriptFromTag(Header h, rpmTagVal scriptTag)
{
    const struct scriptInfo *info = findInfo(scriptTag);
    rpmScript script;
    const char *body;
    char *nevra;

    if (!hasScript(h, info))
        return NULL;
    script = rcalloc(1, sizeof(*script));
    script->info = info;
    script->isVerify = scriptTag == RPMTAG_VERIFYSCRIPT;
    script->flags = info->always | headerGetNumber(h, info->flags);
    script->args = interpreter(h, info->program);
    body = headerGetString(h, info->text);
    script->body = body != NULL ? rstrdup(body) : NULL;
    nevra = headerGetAsString(h, RPMTAG_NEVRA);
    rasprintf(&script->descr, "%s(%s)", info->name, nevra);
    rfree(nevra);
    expandBody(script, h);
    return script;
}

rpmScript rpmScriptFree(rpmScript script)
{
    if (script != NULL) {
        argvFree(script->args);
        rfree(script->body);
        rfree(script->descr);
        rfree(script->fault);
        rfree(script);
    }
    return NULL;
}

int rpmScriptIsLua(Header h, rpmTagVal scriptTag)
{
    const struct scriptInfo *info = findInfo(scriptTag);
    ARGV_t args = info != NULL ? interpreter(h, info->program) : NULL;
    int lua = args != NULL && rstreq(args[0], "<lua>");

    argvFree(args);
    return lua;
}

/* What is installed under its own prefixes has no others recorded yet. */
static ARGV_t prefixesOf(Header h)
{
    struct rpmtd_s td;
    ARGV_t prefixes = NULL;
    const char *prefix;

    if (!headerGet(h, RPMTAG_INSTPREFIXES, &td, HEADERGET_MINMEM) &&
        !headerGet(h, RPMTAG_PREFIXES, &td, HEADERGET_MINMEM))
        return NULL;
    while ((prefix = rpmtdNextString(&td)) != NULL)
        argvAdd(&prefixes, prefix);
    rpmtdFreeData(&td);
    return prefixes;
}

/* It may write anywhere below the root, and is synced with all of that at the end. */
static void mayWrite(rpmts ts)
{
    int root = ts->flush != NULL ? rpmRootOpenDir(ts->root, "", 0) : -1;

    if (root >= 0) {
        rpmtsWillWriteTo(ts, root, ts->rootDir);
        if (!ts->ranScripts)
            rpmtsWillWriteMounts(ts, root);
        close(root);
    }
    ts->ranScripts = 1;
}

static rpmRC runStep(rpmts ts, rpmte te, rpmScript script, int arg)
{
    rpm_loff_t tag = (rpm_loff_t) script->info->text;
    int critical = (script->flags & RPMSCRIPT_FLAG_CRITICAL) != 0;
    ARGV_t prefixes = prefixesOf(te->h);
    FD_t fd = rpmtsNotify(ts, te, RPMCALLBACK_SCRIPT_START, tag, 0);
    rpmRC rc;

    if (fd == NULL)
        fd = rpmtsScriptFd(ts);
    mayWrite(ts);
    rpmswEnter(rpmtsOp(ts, RPMTS_OP_SCRIPTLETS), 0);
    rc = rpmScriptRun(script, ts, arg, -1, fd, prefixes);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_SCRIPTLETS), 0);
    /* A failure that stops nothing is "not found" to the callback, in upstream's words. */
    rpmtsNotify(ts, te, RPMCALLBACK_SCRIPT_STOP, tag,
                rc == RPMRC_OK || critical ? rc : RPMRC_NOTFOUND);
    if (rc != RPMRC_OK) {
        rc = critical ? rc : RPMRC_OK;
        rpmtsNotify(ts, te, RPMCALLBACK_SCRIPT_ERROR, tag, rc);
    }
    argvFree(prefixes);
    return rc;
}

rpmRC rpmtsRunScript(rpmts ts, rpmte te, rpmTagVal scriptTag, int arg)
{
    rpmScript script = NULL;
    rpmRC rc = RPMRC_OK;

    if (rpmScriptIsWanted(scriptTag, ts->flags))
        script = rpmScriptFromTag(te->h, scriptTag);
    if (script != NULL)
        rc = runStep(ts, te, script, arg);
    rpmScriptFree(script);
    return rc;
}
