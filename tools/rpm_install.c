/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -i, -U, -F, --reinstall: install packages. */

#include <signal.h>
#include <stdlib.h>

#include <rpm/rpmdb.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>

#include "rpmtool.h"

/* What is to be installed. */
struct install {
    rpmts ts;
    ARGV_t sources; /* files of source packages, which are no elements of the transaction */
    int packages;   /* binary packages added */
    int failed;
};

static void setUp(rpmts ts)
{
    if (!opts.includeDocs && rpmExpandNumeric("%{?_excludedocs}"))
        opts.transFlags |= RPMTRANS_FLAG_NODOCS;
    setUpTransaction(ts, (opts.way & INSTALL_UPGRADE) ? "%{?_vsflags_erase}"
                                                      : "%{?_vsflags_install}");
    rpmtsSetVSFlags(ts, rpmtsVSFlags(ts) | RPMVSF_NEEDPAYLOAD);
    rpmtsSetVfyFlags(ts, rpmtsVfyFlags(ts) | opts.vsFlags);
    rpmtsSetVfyLevel(ts, rpmtsVfyLevel(ts) & ~opts.vfyLevelMask);
}

/* Is a package installed that this one would take the place of? */
static bool refreshes(rpmts ts, Header h)
{
    const char *name = headerGetString(h, RPMTAG_NAME);
    const char *arch = headerGetString(h, RPMTAG_ARCH);
    bool allowOld = (opts.probFilter & RPMPROB_FILTER_OLDPACKAGE) != 0;
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_NAME, name, 0);
    bool found = false;
    Header old;

    if (rpmtsColor(ts) && arch != NULL)
        rpmdbSetIteratorRE(mi, RPMTAG_ARCH, RPMMIRE_DEFAULT, arch);
    while (!found && (old = rpmdbNextIterator(mi)) != NULL) {
        int order = rpmVersionCompare(old, h);

        found = order < 0 || (order > 0 && allowOld);
    }
    rpmdbFreeIterator(mi);
    return found;
}

static int addElement(rpmts ts, Header h, const char *fn)
{
    if (opts.way & INSTALL_REINSTALL)
        return rpmtsAddReinstallElement(ts, h, (fnpyKey)fn);
    return rpmtsAddInstallElement(ts, h, (fnpyKey)fn, (opts.way & INSTALL_UPGRADE) != 0, NULL);
}

/* As upstream, files that cannot be read are all told of, but a package that cannot be added is
 * the last that is looked at. */
static bool addPackage(struct install *install, const char *fn)
{
    Header h = readPackage(install->ts, fn);
    bool goOn = true;

    if (h == NULL) {
        install->failed++;
    } else if (headerIsSource(h)) {
        if (!(opts.way & INSTALL_FRESHEN))
            argvAdd(&install->sources, fn);
    } else if (!(opts.way & INSTALL_FRESHEN) || refreshes(install->ts, h)) {
        goOn = addElement(install->ts, h, fn) == 0;
        install->failed += !goOn;
        install->packages++;
    }
    headerFree(h);
    return goOn;
}

static int installSource(rpmts ts, const char *fn)
{
    FD_t fd = Fopen(fn, "r.ufdio");
    rpmRC rc;

    if (fd == NULL) {
        rpmlog(RPMLOG_ERR, "cannot open %s: %s\n", fn, Fstrerror(NULL));
        return 1;
    }
    rc = rpmInstallSourcePackage(ts, fd, NULL, NULL);
    Fclose(fd);
    if (rc != RPMRC_OK)
        rpmlog(RPMLOG_ERR, "%s cannot be installed\n", fn);
    return rc != RPMRC_OK;
}

int runInstall(rpmts ts, ARGV_const_t args)
{
    struct install install = { .ts = ts };

    /* Who reads the progress may go away: the packages are installed all the same. */
    signal(SIGPIPE, SIG_IGN);
    setUp(ts);
    if (rpmtsRecover(ts) != 0)
        return argvCount(args);
    for (ARGV_const_t arg = args; *arg != NULL; arg++) {
        if (!addPackage(&install, *arg))
            break;
    }
    if (install.failed == 0 && install.packages > 0) {
        int rc = runTransaction(ts, "installing binary packages");

        install.failed = rc < 0 ? install.packages : rc;
    }
    if (install.failed == 0 && !(opts.transFlags & RPMTRANS_FLAG_TEST)) {
        for (ARGV_t fn = install.sources; fn != NULL && *fn != NULL; fn++)
            install.failed += installSource(ts, *fn);
    }
    rpmtsEmpty(ts);
    argvFree(install.sources);
    return install.failed;
}
