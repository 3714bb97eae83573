/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Source packages: their files go where rpmbuild looks for them, and nothing is recorded. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmds.h>
#include <rpm/rpmfileutil.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "group.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* What the macros of directories may ask for. */
static const struct packageMacro {
    const char *name;
    rpmTagVal tag;
} packageMacros[] = {
    { "name", RPMTAG_NAME },
    { "version", RPMTAG_VERSION },
    { "release", RPMTAG_RELEASE },
    { "epoch", RPMTAG_EPOCH },
};
#define NMACROS (sizeof(packageMacros) / sizeof(*packageMacros))

static void pushMacros(Header h)
{
    for (size_t i = 0; i < NMACROS; i++) {
        char *value = headerGetAsString(h, packageMacros[i].tag);

        if (value != NULL)
            rpmPushMacro(NULL, packageMacros[i].name, NULL, value, RMIL_SPEC);
        free(value);
    }
}

static void popMacros(Header h)
{
    for (size_t i = 0; i < NMACROS; i++) {
        if (headerIsEntry(h, packageMacros[i].tag))
            rpmPopMacro(NULL, packageMacros[i].name);
    }
}

static int isSpec(const char *name)
{
    size_t len = strlen(name);

    return len > strlen(".spec") && rstreq(name + len - strlen(".spec"), ".spec");
}

/* The spec file is the one that is marked; packages of old have only its name. */
static int findSpec(rpmfiles files)
{
    int count = (int)rpmfilesFC(files);

    for (int fx = 0; fx < count; fx++) {
        if (rpmfilesFFlags(files, fx) & RPMFILE_SPECFILE)
            return fx;
    }
    for (int fx = 0; fx < count; fx++) {
        if (isSpec(rpmfilesBN(files, fx)))
            return fx;
    }
    return -1;
}

/* The same files, in their directories below the root. */
static rpmfiles relocate(Header h, rpmfiles files, int spec)
{
    Header moved = headerCopy(h);
    rpmfiles relocated;
    char *specDir;
    char *sourceDir;

    pushMacros(h);
    specDir = rpmGenPath("/", "%{_specdir}", NULL);
    sourceDir = rpmGenPath("/", "%{_sourcedir}", NULL);
    popMacros(h);
    headerDel(moved, RPMTAG_BASENAMES);
    headerDel(moved, RPMTAG_DIRNAMES);
    headerDel(moved, RPMTAG_DIRINDEXES);
    headerDel(moved, RPMTAG_OLDFILENAMES);
    for (int fx = 0; fx < (int)rpmfilesFC(files); fx++) {
        char *path = rstrscat(NULL, fx == spec ? specDir : sourceDir, "/", rpmfilesBN(files, fx),
                              NULL);

        headerPutString(moved, RPMTAG_OLDFILENAMES, path);
        rfree(path);
    }
    relocated = rpmfilesNew(NULL, moved, RPMTAG_BASENAMES, RPMFI_FLAGS_INSTALL);
    headerFree(moved);
    rfree(specDir);
    rfree(sourceDir);
    return relocated;
}

static int isMissing(rpmds features, rpmds ds)
{
    if (!(rpmdsFlags(ds) & RPMSENSE_RPMLIB) || (rpmdsFlags(ds) & RPMSENSE_MISSINGOK))
        return 0;
    rpmdsInit(features);
    while (rpmdsNext(features) >= 0) {
        if (rpmdsCompare(features, ds))
            return 0;
    }
    return 1;
}

/* What a package asks of rpm itself. */
static int checkFeatures(Header h)
{
    rpmds ds = rpmdsNew(h, RPMTAG_REQUIRENAME, 0);
    rpmds features = NULL;
    int missing = 0;

    rpmdsRpmlib(&features, NULL);
    while (rpmdsNext(ds) >= 0) {
        if (!isMissing(features, ds))
            continue;
        if (missing++ == 0) {
            char *nevra = headerGetAsString(h, RPMTAG_NEVRA);

            rpmlog(RPMLOG_ERR, "Missing rpmlib features for %s:\n", nevra);
            free(nevra);
        }
        rpmlog(RPMLOG_ERR, "\t%s\n", rpmdsDNEVR(ds) + 2);
    }
    rpmdsFree(features);
    rpmdsFree(ds);
    return missing != 0 ? -1 : 0;
}

/* An element of no transaction: only for the steps that put its files in place. */
static rpmte newElement(Header h, char **specFile)
{
    rpmte te = rpmteNew(h, TR_ADDED, NULL);
    rpmfiles files;
    int spec;

    if (te == NULL)
        return NULL;
    spec = findSpec(te->files);
    if (spec < 0) {
        rpmlog(RPMLOG_ERR, "source package contains no .spec file\n");
        return rpmteFree(te);
    }
    files = relocate(h, te->files, spec);
    rpmfilesFree(te->files);
    te->files = files;
    if (files == NULL)
        return rpmteFree(te);
    for (int fx = 0; fx < (int)rpmfilesFC(files); fx++)
        te->actions[fx] = FA_CREATE;
    if (specFile != NULL)
        *specFile = rpmfilesFN(files, spec);
    return te;
}

struct sourceInstall {
    rpmte te;
    FD_t fd;
};

static int putFiles(rpmts ts, void *data)
{
    struct sourceInstall *install = data;
    int rc = groupPutFiles(ts, install->te, install->fd);

    return rpmtsEndSync(ts) ? -1 : rc;
}

static int putFilesBelow(rpmts ts, void *data)
{
    /* It is an ordinary user's business as much as root's. */
    ts->saidUser = 1;
    if (rpmtsReadPolicy(ts))
        return -1;
    rpmtsRaiseLimit(ts);
    return rpmtsRunLocked(ts, 0, putFiles, data);
}

static int installSource(rpmts ts, Header h, FD_t fd, char **specFile)
{
    struct sourceInstall install = { .fd = fd };
    int rc = -1;

    if (!headerIsSource(h)) {
        rpmlog(RPMLOG_ERR, "source package expected, binary found\n");
        return -1;
    }
    if (checkFeatures(h) == 0)
        install.te = newElement(h, specFile);
    if (install.te != NULL)
        rc = rpmtsRunBelow(ts, putFilesBelow, &install);
    rpmteFree(install.te);
    return rc;
}

rpmRC rpmInstallSourcePackage(rpmts ts, FD_t fd, char **specFilePtr, char **cookie)
{
    rpmVSFlags vsflags = rpmtsSetVSFlags(ts, rpmtsVSFlags(ts) | RPMVSF_NEEDPAYLOAD);
    Header h = NULL;
    rpmRC rc = rpmReadPackageFile(ts, fd, NULL, &h);
    char *specFile = NULL;

    rpmtsSetVSFlags(ts, vsflags);
    if (h == NULL)
        return rc == RPMRC_OK ? RPMRC_FAIL : rc;
    rc = installSource(ts, h, fd, &specFile) == 0 ? RPMRC_OK : RPMRC_FAIL;
    if (rc == RPMRC_OK && cookie != NULL)
        *cookie = headerGetAsString(h, RPMTAG_COOKIE);
    if (rc == RPMRC_OK && specFilePtr != NULL)
        *specFilePtr = specFile;
    else
        rfree(specFile);
    headerFree(h);
    return rc;
}
