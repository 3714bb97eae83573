/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What installing and erasing have in common. */

#include <stdint.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmps.h>

#include "rpmtool.h"

static rpmtransFlags transFlags(void)
{
    rpmtransFlags flags = opts.transFlags;

    if (opts.omit & RPMVERIFY_FILEDIGEST)
        flags |= RPMTRANS_FLAG_NOFILEDIGEST;
    if (opts.omit & RPMVERIFY_CONTEXTS)
        flags |= RPMTRANS_FLAG_NOCONTEXTS;
    if (opts.omit & RPMVERIFY_CAPS)
        flags |= RPMTRANS_FLAG_NOCAPS;
    return flags;
}

void setUpTransaction(rpmts ts, const char *vsflags)
{
    unsigned int progress = opts.progress | (rpmIsVerbose() ? SHOW_LABEL : 0);

    rpmtsSetVSFlags(ts, rpmExpandNumeric(vsflags) | opts.vsFlags);
    rpmtsSetFlags(ts, transFlags());
    rpmtsSetNotifyCallback(ts, showProgress, (void *)(uintptr_t)progress);
}

static int checkDependencies(rpmts ts)
{
    rpmps problems = NULL;
    int rc = rpmtsCheck(ts);

    if (rc == 0)
        problems = rpmtsProblems(ts);
    if (rpmpsNumProblems(problems) > 0) {
        rpmlog(RPMLOG_ERR, "Failed dependencies:\n");
        rpmpsPrint(NULL, problems);
        rc = 1;
    }
    rpmpsFree(problems);
    return rc;
}

static void printProblems(rpmts ts)
{
    rpmps problems = rpmtsProblems(ts);

    rpmpsPrint(NULL, problems);
    rpmpsFree(problems);
}

int runTransaction(rpmts ts, const char *what)
{
    int count = rpmtsNElements(ts);
    int rc;

    if (!(opts.skip & SKIP_DEPS) && checkDependencies(ts) != 0)
        return count;
    if (!opts.noOrder && rpmtsOrder(ts) != 0)
        return count;
    if (count == 0)
        return 0;
    rpmlog(RPMLOG_DEBUG, "%s\n", what);
    rpmtsClean(ts);
    rc = rpmtsRun(ts, NULL, opts.probFilter);
    if (rc <= 0)
        return rc;
    printProblems(ts);
    return count;
}
