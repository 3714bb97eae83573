/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adding elements to a transaction set. */

#include <stdlib.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* 0 for the header of a package that can be installed, else what to return. */
static int refuse(Header h, rpmRelocation *relocs)
{
    const char *format = headerGetString(h, RPMTAG_PAYLOADFORMAT);
    char *nevra = headerGetAsString(h, RPMTAG_NEVRA);
    const char *name = nevra != NULL ? nevra : "?";
    int rc = 0;

    if (relocs != NULL || headerIsSource(h)) {
        rpmlog(RPMLOG_ERR, "package %s: %s not supported\n", name,
               relocs != NULL ? "relocations are" : "source packages are");
        rc = 2;
    } else if (format != NULL && !rstreq(format, "cpio")) {
        if (rstreq(format, "drpm"))
            rpmlog(RPMLOG_ERR, "%s is a Delta RPM and cannot be directly installed\n", name);
        else
            rpmlog(RPMLOG_ERR, "Unsupported payload (%s) in package %s\n", format, name);
        rc = 1;
    }
    free(nevra);
    return rc;
}

static int sameOrNull(const char *a, const char *b)
{
    return a != NULL && b != NULL && rstreq(a, b);
}

/* The added element of the same name; where architectures can be mixed, of the same one. */
static int findAdded(rpmts ts, rpmte te)
{
    for (int i = 0; i < ts->nelements; i++) {
        rpmte other = ts->elements[i];
        if (other->type != TR_ADDED || !rstreq(other->name, te->name))
            continue;
        if (ts->color != 0 &&
            !(sameOrNull(other->arch, te->arch) && sameOrNull(other->os, te->os)))
            continue;
        if (te->op == RPMTE_UPGRADE || rpmVersionCompare(other->h, te->h) == 0)
            return i;
    }
    return -1;
}

static void append(rpmts ts, rpmte te)
{
    ts->elements = rreallocn(ts->elements, ts->nelements + 1, sizeof(*ts->elements));
    ts->elements[ts->nelements++] = te;
}

static void replace(rpmts ts, int i, rpmte te)
{
    rpmte old = ts->elements[i];

    for (int j = 0; j < ts->nelements; j++) {
        if (ts->elements[j]->dependsOn == old)
            ts->elements[j]->dependsOn = te;
    }
    ts->elements[i] = te;
    rpmteFree(old);
}

/* 1 if the element is in the set now, 0 if it need not be. */
static int place(rpmts ts, rpmte te)
{
    int i = findAdded(ts, te);
    int skip = i >= 0 && rpmVersionCompare(ts->elements[i]->h, te->h) >= 0;

    if (i >= 0 && rpmIsVerbose())
        rpmlog(RPMLOG_WARNING, "package %s was already added, %s %s\n", ts->elements[i]->NEVRA,
               skip ? "skipping" : "replacing with", te->NEVRA);
    if (skip)
        rpmteFree(te);
    else if (i >= 0)
        replace(ts, i, te);
    else
        append(ts, te);
    return !skip;
}

static int addErase(rpmts ts, Header h, rpmte dependsOn)
{
    unsigned int num = headerGetInstance(h);
    rpmte te = num != 0 ? rpmtsRemoved(ts, num) : NULL;

    if (num == 0)
        return 1;
    if (te == NULL) {
        te = rpmteNew(h, TR_REMOVED, NULL);
        if (te == NULL)
            return 1;
        append(ts, te);
    } else if (dependsOn == NULL) {
        return 0;
    }
    te->dependsOn = dependsOn;
    return 0;
}

/* Packages of different ELF classes live beside each other. */
static int otherColor(rpmts ts, rpm_color_t a, rpm_color_t b)
{
    return ts->color != 0 && a != 0 && b != 0 && (a & b) == 0;
}

static int isReplacedBy(rpmts ts, rpmte te, Header h)
{
    char *nevra;
    int same;

    if (otherColor(ts, rpmteColor(te), headerGetNumber(h, RPMTAG_HEADERCOLOR)))
        return 0;
    if (te->op == RPMTE_UPGRADE)
        return 1;
    nevra = headerGetAsString(h, RPMTAG_NEVRA);
    same = sameOrNull(nevra, te->NEVRA);
    free(nevra);
    return same;
}

static int addErasures(rpmts ts, rpmte te)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_NAME, te->name, 0);
    int rc = 0;
    Header h;

    while (rc == 0 && (h = rpmdbNextIterator(mi)) != NULL) {
        if (isReplacedBy(ts, te, h))
            rc = addErase(ts, h, te);
    }
    rpmdbFreeIterator(mi);
    return rc;
}

static int addPackage(rpmts ts, Header h, fnpyKey key, enum rpmteOp op, rpmRelocation *relocs)
{
    int rc = refuse(h, relocs);
    rpmte te;

    if (rc == 0 && op != RPMTE_INSTALL && ts->rdb == NULL && ts->dbmode != -1 &&
        !(ts->flags & RPMTRANS_FLAG_NODB))
        rc = rpmtsOpenDB(ts, ts->dbmode) ? 1 : 0;
    if (rc)
        return rc;
    te = rpmteNew(h, TR_ADDED, key);
    if (te == NULL)
        return 2;
    te->op = op;
    if (place(ts, te) && op != RPMTE_INSTALL && addErasures(ts, te))
        return 1;
    return 0;
}

int rpmtsAddInstallElement(rpmts ts, Header h, const fnpyKey key, int upgrade,
                           rpmRelocation *relocs)
{
    return addPackage(ts, h, key, upgrade ? RPMTE_UPGRADE : RPMTE_INSTALL, relocs);
}

int rpmtsAddReinstallElement(rpmts ts, Header h, const fnpyKey key)
{
    return addPackage(ts, h, key, RPMTE_REINSTALL, NULL);
}

int rpmtsAddEraseElement(rpmts ts, Header h, int dboffset)
{
    (void) dboffset;
    return addErase(ts, h, NULL);
}
