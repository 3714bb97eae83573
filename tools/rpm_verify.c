/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -V -p: compare packages with what is below the root. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmps.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmverify.h>

#include "rpmtool.h"

/* A number as one of the query formats shows it. */
static char *formatted(rpmTagVal tag, uint32_t value, rpmtdFormats format)
{
    struct rpmtd_s td;

    rpmtdReset(&td);
    rpmtdFromUint32(&td, tag, &value, 1);
    return rpmtdFormat(&td, format, NULL);
}

/* The letter of a file's most telling attribute. */
static char attrLetter(rpmfileAttrs attrs)
{
    char *letters = formatted(RPMTAG_FILEFLAGS, attrs, RPMTD_FORMAT_FFLAGS);
    char letter = letters[0] != '\0' ? letters[0] : ' ';

    free(letters);
    return letter;
}

static void showMissing(const char *path, rpmfileAttrs attrs, int error)
{
    if ((attrs & (RPMFILE_MISSINGOK | RPMFILE_GHOST)) && !rpmIsVerbose())
        return;
    if (error == ENOENT)
        rpmlog(RPMLOG_NOTICE, "missing   %c %s\n", attrLetter(attrs), path);
    else
        rpmlog(RPMLOG_NOTICE, "missing   %c %s (%s)\n", attrLetter(attrs), path,
               strerror(error));
}

static void showDifferences(const char *path, rpmfileAttrs attrs, rpmVerifyAttrs bad)
{
    char *letters;

    if (bad == RPMVERIFY_NONE && !rpmIsVerbose())
        return;
    letters = formatted(RPMTAG_FILEVERIFYFLAGS, bad, RPMTD_FORMAT_FSTATUS);
    rpmlog(RPMLOG_NOTICE, "%s  %c %s\n", letters, attrLetter(attrs), path);
    free(letters);
}

static int verifyFile(rpmVerifier verifier, rpmfiles files, int ix, const char *path)
{
    rpmfileAttrs attrs = rpmfilesFFlags(files, ix);
    rpmVerifyAttrs bad = rpmVerifierFile(verifier, files, ix, path, opts.omit);
    int error = errno;

    if (!(bad & RPMVERIFY_LSTATFAIL)) {
        showDifferences(path, attrs, bad);
        return bad != RPMVERIFY_NONE;
    }
    showMissing(path, attrs, error);
    return !(attrs & (RPMFILE_MISSINGOK | RPMFILE_GHOST));
}

/* Files of source packages have no directories: they go where rpmbuild looks for them. */
static char *filePath(Header h, rpmfiles files, int ix)
{
    char *fn = rpmfilesFN(files, ix);
    char *path;

    if (!headerIsSource(h))
        return fn;
    path = rpmGetPath((rpmfilesFFlags(files, ix) & RPMFILE_SPECFILE) ? "%{_specdir}"
                                                                     : "%{_sourcedir}",
                      "/", NULL);
    rstrscat(&path, "/", fn, NULL);
    rfree(fn);
    return path;
}

static int verifyFiles(rpmts ts, Header h)
{
    rpmVerifier verifier = rpmVerifierNew(rpmtsRootDir(ts));
    rpmfiles files = NULL;
    int rc = 1;

    if (verifier == NULL) {
        rpmlog(RPMLOG_ERR, "cannot open root directory %s: %s\n", rpmtsRootDir(ts),
               strerror(errno));
        goto exit;
    }
    files = rpmfilesNew(NULL, h, RPMTAG_BASENAMES, RPMFI_FLAGS_VERIFY);
    if (files == NULL)
        goto exit;
    rc = 0;
    for (int ix = 0; ix < (int)rpmfilesFC(files); ix++) {
        rpmfileAttrs attrs = rpmfilesFFlags(files, ix);
        char *path;

        if ((opts.include && !(attrs & opts.include)) || (attrs & opts.exclude))
            continue;
        path = filePath(h, files, ix);
        rc |= verifyFile(verifier, files, ix, path);
        rfree(path);
    }

exit:
    rpmfilesFree(files);
    rpmVerifierFree(verifier);
    return rc;
}

static int verifyDependencies(Header h)
{
    rpmps problems = NULL;
    int rc = rpmVerifyDependencies(h, &problems);
    rpmpsi psi;
    rpmProblem problem;

    if (rpmpsNumProblems(problems) > 0) {
        char *nevra = headerGetAsString(h, RPMTAG_NEVRA);

        rpmlog(RPMLOG_NOTICE, "Unsatisfied dependencies for %s:\n", nevra);
        free(nevra);
        rc = rpmpsNumProblems(problems);
    }
    psi = rpmpsInitIterator(problems);
    while ((problem = rpmpsiNext(psi)) != NULL) {
        char *text = rpmProblemString(problem);

        rpmlog(RPMLOG_NOTICE, "\t%s\n", text);
        free(text);
    }
    rpmpsFreeIterator(psi);
    rpmpsFree(problems);
    return rc;
}

static int refuseScript(Header h)
{
    char *nevra;

    if (!headerIsEntry(h, RPMTAG_VERIFYSCRIPT) && !headerIsEntry(h, RPMTAG_VERIFYSCRIPTPROG))
        return 0;
    nevra = headerGetAsString(h, RPMTAG_NEVRA);
    rpmlog(RPMLOG_ERR,
           "package %s has a scriptlet (%%verifyscript), which this version does not run: "
           "--noscripts verifies without\n", nevra);
    free(nevra);
    return 1;
}

/* As upstream, the last part that is not in order gives the package's status. */
static int verifyPackage(rpmts ts, Header h)
{
    int rc = 0;
    int part;

    if (!(opts.skip & SKIP_DEPS) && (part = verifyDependencies(h)) != 0)
        rc = part;
    if (!(opts.skip & SKIP_FILES) && (part = verifyFiles(ts, h)) != 0)
        rc = part;
    if (!(opts.skip & SKIP_SCRIPT) && (part = refuseScript(h)) != 0)
        rc = part;
    return rc;
}

int runVerify(rpmts ts, ARGV_const_t args)
{
    rpmVSFlags flags = rpmExpandNumeric("%{?_vsflags_verify}") | opts.vsFlags;

    rpmtsSetVSFlags(ts, flags & ~RPMVSF_NEEDPAYLOAD);
    return eachPackage(ts, args, verifyPackage);
}
