/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One reason why a transaction may not run. */

#include <inttypes.h>
#include <stdatomic.h>

#include <rpm/rpmprob.h>
#include <rpm/rpmstring.h>

struct rpmProblem_s {
    rpmProblemType type;
    char *pkgNEVR;
    char *altNEVR;
    char *str;
    fnpyKey key;
    uint64_t number;
    atomic_int nrefs;
};

static char *copyOrNull(const char *s)
{
    return s != NULL ? rstrdup(s) : NULL;
}

rpmProblem rpmProblemCreate(rpmProblemType type, const char *pkgNEVR, fnpyKey key,
                            const char *altNEVR, const char *str, uint64_t number)
{
    rpmProblem prob = rcalloc(1, sizeof(*prob));

    prob->type = type;
    prob->pkgNEVR = copyOrNull(pkgNEVR);
    prob->altNEVR = copyOrNull(altNEVR);
    prob->str = copyOrNull(str);
    prob->key = key;
    prob->number = number;
    atomic_init(&prob->nrefs, 1);
    return prob;
}

rpmProblem rpmProblemLink(rpmProblem prob)
{
    if (prob != NULL)
        atomic_fetch_add(&prob->nrefs, 1);
    return prob;
}

rpmProblem rpmProblemFree(rpmProblem prob)
{
    if (prob != NULL && atomic_fetch_sub(&prob->nrefs, 1) == 1) {
        rfree(prob->pkgNEVR);
        rfree(prob->altNEVR);
        rfree(prob->str);
        rfree(prob);
    }
    return NULL;
}

const char *rpmProblemGetPkgNEVR(rpmProblem prob)
{
    return prob->pkgNEVR;
}

const char *rpmProblemGetAltNEVR(rpmProblem prob)
{
    return prob->altNEVR;
}

rpmProblemType rpmProblemGetType(rpmProblem prob)
{
    return prob->type;
}

fnpyKey rpmProblemGetKey(rpmProblem prob)
{
    return prob->key;
}

const char *rpmProblemGetStr(rpmProblem prob)
{
    return prob->str;
}

rpm_loff_t rpmProblemGetDiskNeed(rpmProblem prob)
{
    return prob->number;
}

static int same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && rstreq(a, b));
}

int rpmProblemCompare(rpmProblem ap, rpmProblem bp)
{
    if (ap == bp)
        return 0;
    if (ap == NULL || bp == NULL)
        return 1;
    return !(ap->type == bp->type && ap->key == bp->key && ap->number == bp->number &&
             same(ap->pkgNEVR, bp->pkgNEVR) && same(ap->altNEVR, bp->altNEVR) &&
             same(ap->str, bp->str));
}

static void sayDiskSpace(char **buf, rpmProblem prob, const char *pkg, const char *fs)
{
    const uint64_t mega = 1024 * 1024;
    uint64_t unit = prob->number > mega ? mega : 1024;

    rasprintf(buf,
              "installing package %s needs %" PRIu64 "%cB more space on the %s filesystem", pkg,
              prob->number / unit + (prob->number % unit != 0), unit == mega ? 'M' : 'K', fs);
}

char *rpmProblemString(rpmProblem prob)
{
    const char *pkg = prob->pkgNEVR != NULL ? prob->pkgNEVR : "?pkgNEVR?";
    const char *alt = prob->altNEVR != NULL ? prob->altNEVR : "? ?altNEVR?";
    const char *str = prob->str != NULL ? prob->str : "different";
    const char *installed = prob->number != 0 ? "(installed) " : "";
    char *buf = NULL;

    switch (prob->type) {
    case RPMPROB_BADARCH:
        rasprintf(&buf, "package %s is intended for a %s architecture", pkg, str);
        break;
    case RPMPROB_BADOS:
        rasprintf(&buf, "package %s is intended for a %s operating system", pkg, str);
        break;
    case RPMPROB_PKG_INSTALLED:
        rasprintf(&buf, "package %s is %s installed", pkg, prob->number != 0 ? "already" : "not");
        break;
    case RPMPROB_BADRELOCATE:
        rasprintf(&buf, "path %s in package %s is not relocatable", str, pkg);
        break;
    case RPMPROB_NEW_FILE_CONFLICT:
        rasprintf(&buf, "file %s conflicts between attempted installs of %s and %s", str, pkg,
                  alt);
        break;
    case RPMPROB_FILE_CONFLICT:
        rasprintf(&buf, "file %s from install of %s conflicts with file from package %s", str,
                  pkg, alt);
        break;
    case RPMPROB_OLDPACKAGE:
        rasprintf(&buf, "package %s (which is newer than %s) is already installed", alt, pkg);
        break;
    case RPMPROB_DISKSPACE:
        sayDiskSpace(&buf, prob, pkg, str);
        break;
    case RPMPROB_DISKNODES:
        rasprintf(&buf,
                  "installing package %s needs %" PRIu64 " more inodes on the %s filesystem", pkg,
                  prob->number, str);
        break;
    case RPMPROB_REQUIRES:
        rasprintf(&buf, "%s is needed by %s%s", str, installed, alt);
        break;
    case RPMPROB_CONFLICT:
        rasprintf(&buf, "%s conflicts with %s%s", str, installed, alt);
        break;
    case RPMPROB_OBSOLETES:
        rasprintf(&buf, "%s is obsoleted by %s%s", str, installed, alt);
        break;
    case RPMPROB_VERIFY:
        rasprintf(&buf, "package %s does not verify: %s", pkg, str);
        break;
    default:
        rasprintf(&buf, "unknown error %d encountered while manipulating package %s",
                  (int) prob->type, pkg);
        break;
    }
    return buf;
}
