/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -i: install packages. */

#include <signal.h>
#include <stdint.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmps.h>

#include "rpmtool.h"

static rpmtransFlags transFlags(void)
{
    rpmtransFlags flags = opts.transFlags;

    if (!opts.includeDocs && rpmExpandNumeric("%{?_excludedocs}"))
        flags |= RPMTRANS_FLAG_NODOCS;
    if (opts.omit & RPMVERIFY_FILEDIGEST)
        flags |= RPMTRANS_FLAG_NOFILEDIGEST;
    if (opts.omit & RPMVERIFY_CONTEXTS)
        flags |= RPMTRANS_FLAG_NOCONTEXTS;
    if (opts.omit & RPMVERIFY_CAPS)
        flags |= RPMTRANS_FLAG_NOCAPS;
    return flags;
}

static void setUp(rpmts ts)
{
    unsigned int progress = opts.progress | (rpmIsVerbose() ? SHOW_LABEL : 0);

    rpmtsSetVSFlags(ts, rpmExpandNumeric("%{?_vsflags_install}") | opts.vsFlags |
                    RPMVSF_NEEDPAYLOAD);
    rpmtsSetVfyFlags(ts, rpmtsVfyFlags(ts) | opts.vsFlags);
    rpmtsSetVfyLevel(ts, rpmtsVfyLevel(ts) & ~opts.vfyLevelMask);
    rpmtsSetFlags(ts, transFlags());
    rpmtsSetNotifyCallback(ts, showProgress, (void *)(uintptr_t)progress);
}

static int addPackage(rpmts ts, const char *fn)
{
    Header h = readPackage(ts, fn);
    int rc = -1;

    if (h != NULL)
        rc = rpmtsAddInstallElement(ts, h, (fnpyKey)fn, 0, NULL);
    headerFree(h);
    return rc;
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

static int runTransaction(rpmts ts)
{
    int rc;

    if (!(opts.skip & SKIP_DEPS) && checkDependencies(ts) != 0)
        return rpmtsNElements(ts);
    rpmtsCleanProblems(ts);
    rc = rpmtsRun(ts, NULL, opts.probFilter);
    if (rc > 0) {
        rpmps problems = rpmtsProblems(ts);

        rpmpsPrint(NULL, problems);
        rpmpsFree(problems);
    }
    return rc < 0 ? rpmtsNElements(ts) : rc;
}

int runInstall(rpmts ts, ARGV_const_t args)
{
    int failed = 0;

    /* Who reads the progress may go away: the packages are installed all the same. */
    signal(SIGPIPE, SIG_IGN);
    setUp(ts);
    for (ARGV_const_t arg = args; *arg != NULL; arg++) {
        if (addPackage(ts, *arg) != 0)
            failed++;
    }
    if (failed == 0)
        failed = runTransaction(ts);
    rpmtsEmpty(ts);
    return failed;
}
