/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* %verifyscript: a package's own part of its verification. */

#include <stdlib.h>
#include <unistd.h>

#include <rpm/rpmdb.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmverify.h>

#include "rpmscript.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* What it complains about is output like the rest of a verification. */
static int runScript(rpmts ts, void *data)
{
    rpmte te = rpmteNew(data, TR_ADDED, NULL);
    int count = te != NULL && rpmtsGetRdb(ts) != NULL
                    ? rpmdbCountPackages(rpmtsGetRdb(ts), te->name) : 0;
    FD_t out = fdDup(STDOUT_FILENO);
    rpmRC rc = RPMRC_FAIL;

    rpmtsSetScriptFd(ts, out);
    if (te != NULL)
        rc = rpmtsRunScript(ts, te, RPMTAG_VERIFYSCRIPT, count > 0 ? count : 0);
    rpmtsSetScriptFd(ts, NULL);
    Fclose(out);
    rpmteFree(te);
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
