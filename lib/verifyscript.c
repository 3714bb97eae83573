/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* %verifyscript: a package's own part of its verification. */

#include <stdlib.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmverify.h>

#include "rpmscript.h"
#include "rpmts_internal.h"

static ARGV_t prefixesOf(Header h)
{
    struct rpmtd_s td;
    ARGV_t prefixes = NULL;
    const char *prefix;

    if (!headerGet(h, RPMTAG_INSTPREFIXES, &td, HEADERGET_MINMEM))
        return NULL;
    while ((prefix = rpmtdNextString(&td)) != NULL)
        argvAdd(&prefixes, prefix);
    rpmtdFreeData(&td);
    return prefixes;
}

/* What it prints is the result of a verification, and not for the log's level to hide. */
static int runScript(rpmts ts, void *data)
{
    Header h = data;
    rpmScript script = rpmScriptFromTag(h, RPMTAG_VERIFYSCRIPT);
    ARGV_t prefixes = prefixesOf(h);
    FD_t out = fdDup(STDOUT_FILENO);
    rpmRC rc = rpmScriptRun(script, ts, 0, -1, out, prefixes);

    Fclose(out);
    argvFree(prefixes);
    rpmScriptFree(script);
    return rc == RPMRC_OK ? 0 : -1;
}

int rpmVerifyScript(rpmts ts, Header h)
{
    char *nevra;

    if (!headerIsEntry(h, RPMTAG_VERIFYSCRIPT))
        return 0;
    if (!rpmScriptIsLua(h, RPMTAG_VERIFYSCRIPT))
        return rpmtsRunBelow(ts, runScript, h);
    nevra = headerGetAsString(h, RPMTAG_NEVRA);
    rpmlog(RPMLOG_ERR, "package %s has a %%verifyscript in <lua>, which this version does not run: "
                       "--noscripts verifies without\n", nevra);
    free(nevra);
    return -1;
}
