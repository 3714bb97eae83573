/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -V: compare packages with what is below the root. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmdb.h>
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

/* The root that all files are compared with. */
static rpmVerifier verifier;

/* A package's files. */
struct verification {
    rpmts ts;
    Header h;
    rpmfiles files;
    int next;       /* the first one that was not yet looked at */
    bool installed; /* the header is out of the database, and knows the states of its files */
    int rc;
};

/* What the database says of a file, where it is worth saying. */
static const char *stateOf(const struct verification *v, int ix)
{
    rpmfileState state = v->installed ? rpmfilesFState(v->files, ix) : RPMFILE_STATE_NORMAL;

    switch (state) {
    case RPMFILE_STATE_NORMAL:
        return NULL;
    case RPMFILE_STATE_NOTINSTALLED:
        return rpmIsVerbose() ? "not installed" : NULL;
    case RPMFILE_STATE_NETSHARED:
        return rpmIsVerbose() ? "net shared" : NULL;
    case RPMFILE_STATE_WRONGCOLOR:
        return rpmIsVerbose() ? "wrong color" : NULL;
    case RPMFILE_STATE_REPLACED:
        return "replaced";
    case RPMFILE_STATE_MISSING:
        return "no state";
    }
    return "unknown state";
}

/* One line: what is wrong, the kind of the file, its path, and more in parentheses. */
static void showLine(const char *what, rpmfileAttrs attrs, const char *path, const char *error,
                     const char *state)
{
    char *more = NULL;

    if (error != NULL)
        rstrscat(&more, " (", error, ")", NULL);
    if (state != NULL)
        rstrscat(&more, " (", state, ")", NULL);
    rpmlog(RPMLOG_NOTICE, "%s  %c %s%s\n", what, attrLetter(attrs), path, more ? more : "");
    rfree(more);
}

static void showDifferences(rpmVerifyAttrs bad, rpmfileAttrs attrs, const char *path,
                            const char *state)
{
    char *letters = formatted(RPMTAG_FILEVERIFYFLAGS, bad, RPMTD_FORMAT_FSTATUS);

    showLine(letters, attrs, path, NULL, state);
    free(letters);
}

/* Files that several packages have cannot have the time that each of them wants. */
static bool isShared(rpmts ts, const char *path)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_BASENAMES, path, 0);
    int count = rpmdbGetIteratorCount(mi);

    rpmdbFreeIterator(mi);
    return count > 1;
}

static void showFile(void *data, int ix, const char *path, rpmVerifyAttrs bad, int error)
{
    struct verification *v = data;
    rpmfileAttrs attrs = rpmfilesFFlags(v->files, ix);
    bool mayMiss = (attrs & (RPMFILE_MISSINGOK | RPMFILE_GHOST)) != 0;
    const char *state = stateOf(v, ix);

    if (bad & RPMVERIFY_LSTATFAIL) {
        if (!mayMiss || rpmIsVerbose())
            showLine("missing ", attrs, path, error != ENOENT ? strerror(error) : NULL, state);
        v->rc |= !mayMiss;
        return;
    }
    if ((bad & RPMVERIFY_MTIME) && isShared(v->ts, path))
        bad &= ~RPMVERIFY_MTIME;
    if (bad != RPMVERIFY_NONE || state != NULL || rpmIsVerbose())
        showDifferences(bad, attrs, path, state);
    v->rc |= bad != RPMVERIFY_NONE;
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

/* The next file that is to be verified. */
static int nextFile(void *data, char **path)
{
    struct verification *v = data;

    while (v->next < (int)rpmfilesFC(v->files)) {
        int ix = v->next++;
        rpmfileAttrs attrs = rpmfilesFFlags(v->files, ix);

        if ((opts.include && !(attrs & opts.include)) || (attrs & opts.exclude))
            continue;
        *path = filePath(v->h, v->files, ix);
        return ix;
    }
    return -1;
}

static int verifyFiles(rpmts ts, Header h)
{
    struct verification v = { .ts = ts, .h = h, .installed = headerGetInstance(h) != 0 };

    v.files = rpmfilesNew(NULL, h, RPMTAG_BASENAMES, RPMFI_FLAGS_VERIFY);
    if (v.files == NULL)
        return 1;
    rpmVerifierFiles(verifier, v.files, nextFile, opts.omit, showFile, &v);
    rpmfilesFree(v.files);
    return v.rc;
}

static int verifyDependencies(rpmts ts, Header h)
{
    rpmps problems = NULL;
    int rc = rpmVerifyDependencies(ts, h, &problems);
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

/* As upstream, the last part that is not in order gives the package's status. */
static int verifyPackage(rpmts ts, Header h)
{
    int rc = 0;
    int part;

    if (!(opts.skip & SKIP_DEPS) && (part = verifyDependencies(ts, h)) != 0)
        rc = part;
    if (!(opts.skip & SKIP_FILES) && (part = verifyFiles(ts, h)) != 0)
        rc = part;
    if (!(opts.skip & SKIP_SCRIPT) && rpmVerifyScript(ts, h) != 0)
        rc = 1;
    return rc;
}

static int openRoot(rpmts ts)
{
    verifier = rpmVerifierNew(rpmtsRootDir(ts));
    if (verifier != NULL)
        return 0;
    if (errno != EINVAL) /* the log has told of that */
        rpmlog(RPMLOG_ERR, "cannot open root directory %s: %s\n", rpmtsRootDir(ts),
               strerror(errno));
    return 1;
}

int runVerify(rpmts ts, ARGV_const_t args)
{
    rpmVSFlags flags = rpmExpandNumeric("%{?_vsflags_verify}") | opts.vsFlags;
    int rc;

    if (!(opts.skip & SKIP_FILES) && openRoot(ts) != 0)
        return 1;
    rpmtsSetVSFlags(ts, flags & ~RPMVSF_NEEDPAYLOAD);
    rc = eachPackage(ts, args, verifyPackage);
    verifier = rpmVerifierFree(verifier);
    return rc;
}
