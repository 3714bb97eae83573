/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -e: erase installed packages. */

#include <signal.h>
#include <stdlib.h>

#include <rpm/rpmdb.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmtool.h"

static void listMatches(rpmdbMatchIterator mi, const char *label)
{
    char *format = queryFormat();
    Header h;

    rpmlog(RPMLOG_ERR, "\"%s\" specifies multiple packages:\n", label);
    while ((h = rpmdbNextIterator(mi)) != NULL) {
        char *name = headerFormat(h, format, NULL);

        rpmlog(RPMLOG_NOTICE, "  %s", name != NULL ? name : "\n");
        free(name);
    }
    rfree(format);
}

/* Add what a label stands for. It must be one package, if not all are asked for. */
static int addLabel(rpmts ts, const char *label)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_LABEL, label, 0);
    int matches = rpmdbGetIteratorCount(mi);
    int failed = 0;
    Header h;

    if (matches == 0) {
        rpmlog(RPMLOG_ERR, "package %s is not installed\n", label);
        failed = 1;
    } else if (matches > 1 && !opts.allMatches) {
        listMatches(mi, label);
        failed = 1;
    } else {
        while ((h = rpmdbNextIterator(mi)) != NULL)
            failed |= rpmtsAddEraseElement(ts, h, -1);
    }
    rpmdbFreeIterator(mi);
    return failed != 0;
}

int runErase(rpmts ts, ARGV_const_t args)
{
    int failed = 0;

    signal(SIGPIPE, SIG_IGN);
    setUpTransaction(ts, "%{?_vsflags_erase}");
    if (rpmtsRecover(ts) != 0)
        return argvCount(args);
    for (ARGV_const_t arg = args; *arg != NULL; arg++)
        failed += addLabel(ts, *arg);
    if (failed == 0) {
        int count = rpmtsNElements(ts);

        failed = runTransaction(ts, "erasing packages");
        if (failed < 0)
            failed = count;
    }
    rpmtsEmpty(ts);
    return failed;
}
