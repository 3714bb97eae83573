/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dependency sets. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmds.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmutil.h>
#include <rpm/rpmver.h>

#include "rpmds_internal.h"

/* What this library does, with the versions that packages name. Not here are scriptlets in
 * Lua, rich dependencies, and dynamic build requirements. */
static const struct feature {
    const char *name;
    const char *version;
} features[] = {
    { "rpmlib(CaretInVersions)", "4.15.0-1" },
    { "rpmlib(CompressedFileNames)", "3.0.4-1" },
    { "rpmlib(ConcurrentAccess)", "4.1-1" },
    { "rpmlib(ExplicitPackageProvide)", "4.0-1" },
    { "rpmlib(FileCaps)", "4.6.1-1" },
    { "rpmlib(FileDigests)", "4.6.0-1" },
    { "rpmlib(HeaderLoadSortsTags)", "4.0.1-1" },
    { "rpmlib(LargeFiles)", "4.12.0-1" },
    { "rpmlib(PartialHardlinkSets)", "4.0.4-1" },
    { "rpmlib(PayloadFilesHavePrefix)", "4.0-1" },
    { "rpmlib(PayloadIsBzip2)", "3.0.5-1" },
    { "rpmlib(PayloadIsLzma)", "4.4.2-1" },
    { "rpmlib(PayloadIsXz)", "5.2-1" },
    { "rpmlib(PayloadIsZstd)", "5.4.18-1" },
    { "rpmlib(ScriptletExpansion)", "4.9.0-1" },
    { "rpmlib(ScriptletInterpreterArgs)", "4.0.3-1" },
    { "rpmlib(TildeInVersions)", "4.10.0-1" },
    { "rpmlib(VersionedDependencies)", "3.0.3-1" },
};

struct rpmds_s {
    rpmTagVal tagN;
    int count;
    int ix;                /* -1 before the first */
    const char **names;    /* the containers' or the table's */
    const char **versions; /* NULL where the header has none */
    const uint32_t *flags; /* NULL where the header has none */
    struct rpmtd_s nameTd, versionTd, flagTd;
    const struct feature *features; /* instead of all these, for rpmdsRpmlib() */
    unsigned int instance; /* record of the header in the database, 0 for none */
    char *own;             /* version of RPMTAG_NAME */
    uint32_t ownFlags;
    char *shown;           /* what rpmdsDNEVR() returned last */
};

/* The tags of a set, and the letter that it shows as. */
static const struct kind {
    rpmTagVal name, version, flags;
    char letter;
} kinds[] = {
    { RPMTAG_PROVIDENAME, RPMTAG_PROVIDEVERSION, RPMTAG_PROVIDEFLAGS, 'P' },
    { RPMTAG_REQUIRENAME, RPMTAG_REQUIREVERSION, RPMTAG_REQUIREFLAGS, 'R' },
    { RPMTAG_CONFLICTNAME, RPMTAG_CONFLICTVERSION, RPMTAG_CONFLICTFLAGS, 'C' },
    { RPMTAG_OBSOLETENAME, RPMTAG_OBSOLETEVERSION, RPMTAG_OBSOLETEFLAGS, 'O' },
    { RPMTAG_RECOMMENDNAME, RPMTAG_RECOMMENDVERSION, RPMTAG_RECOMMENDFLAGS, 'r' },
    { RPMTAG_SUGGESTNAME, RPMTAG_SUGGESTVERSION, RPMTAG_SUGGESTFLAGS, 's' },
    { RPMTAG_SUPPLEMENTNAME, RPMTAG_SUPPLEMENTVERSION, RPMTAG_SUPPLEMENTFLAGS, 'S' },
    { RPMTAG_ENHANCENAME, RPMTAG_ENHANCEVERSION, RPMTAG_ENHANCEFLAGS, 'e' },
    { RPMTAG_ORDERNAME, RPMTAG_ORDERVERSION, RPMTAG_ORDERFLAGS, 'o' },
    { RPMTAG_OLDSUGGESTSNAME, RPMTAG_OLDSUGGESTSVERSION, RPMTAG_OLDSUGGESTSFLAGS, '?' },
    { RPMTAG_OLDENHANCESNAME, RPMTAG_OLDENHANCESVERSION, RPMTAG_OLDENHANCESFLAGS, '?' },
};

static const struct kind *kindOf(rpmTagVal tagN)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (kinds[i].name == tagN)
            return &kinds[i];
    }
    return NULL;
}

static bool loadLists(rpmds ds, Header h, const struct kind *kind)
{
    if (!headerGet(h, kind->name, &ds->nameTd, HEADERGET_MINMEM))
        return false;
    ds->count = (int)rpmtdCount(&ds->nameTd);
    ds->names = ds->nameTd.data;
    if (headerGet(h, kind->version, &ds->versionTd, HEADERGET_MINMEM)) {
        if (rpmtdCount(&ds->versionTd) != rpmtdCount(&ds->nameTd))
            return false;
        ds->versions = ds->versionTd.data;
    }
    if (headerGet(h, kind->flags, &ds->flagTd, HEADERGET_MINMEM)) {
        if (rpmtdCount(&ds->flagTd) != rpmtdCount(&ds->nameTd))
            return false;
        ds->flags = ds->flagTd.data;
    }
    return true;
}

/* The package itself, as a set of one. */
static bool loadSelf(rpmds ds, Header h)
{
    if (!headerGet(h, RPMTAG_NAME, &ds->nameTd, HEADERGET_MINMEM))
        return false;
    ds->own = headerGetAsString(h, RPMTAG_EVR);
    ds->ownFlags = RPMSENSE_EQUAL;
    ds->count = 1;
    ds->names = (const char **)&ds->nameTd.data;
    ds->versions = (const char **)&ds->own;
    ds->flags = &ds->ownFlags;
    return ds->own != NULL;
}

static rpmds newSet(rpmTagVal tagN)
{
    rpmds ds = rcalloc(1, sizeof(*ds));

    ds->tagN = tagN;
    ds->ix = -1;
    rpmtdReset(&ds->nameTd);
    rpmtdReset(&ds->versionTd);
    rpmtdReset(&ds->flagTd);
    return ds;
}

rpmds rpmdsNew(Header h, rpmTagVal tagN, int flags)
{
    const struct kind *kind = kindOf(tagN);
    rpmds ds = newSet(tagN);
    bool good = false;

    (void)flags;
    ds->instance = headerGetInstance(h);
    if (tagN == RPMTAG_NAME)
        good = loadSelf(ds, h);
    else if (kind != NULL)
        good = loadLists(ds, h, kind);
    return good ? ds : rpmdsFree(ds);
}

rpmds rpmdsFree(rpmds ds)
{
    if (ds != NULL) {
        rpmtdFreeData(&ds->nameTd);
        rpmtdFreeData(&ds->versionTd);
        rpmtdFreeData(&ds->flagTd);
        rfree(ds->own);
        rfree(ds->shown);
        rfree(ds);
    }
    return NULL;
}

rpmds rpmdsInit(rpmds ds)
{
    if (ds != NULL)
        ds->ix = -1;
    return ds;
}

int rpmdsNext(rpmds ds)
{
    if (ds == NULL || ds->ix + 1 >= ds->count)
        return -1;
    return ++ds->ix;
}

int rpmdsCount(rpmds ds)
{
    return ds != NULL ? ds->count : 0;
}

int rpmdsIx(rpmds ds)
{
    return ds != NULL ? ds->ix : -1;
}

int rpmdsSetIx(rpmds ds, int ix)
{
    int old = rpmdsIx(ds);

    if (ds != NULL)
        ds->ix = ix >= 0 && ix < ds->count ? ix : -1;
    return old;
}

unsigned int rpmdsInstance(rpmds ds)
{
    return ds != NULL ? ds->instance : 0;
}

static bool inside(rpmds ds, int ix)
{
    return ds != NULL && ix >= 0 && ix < ds->count;
}

const char *rpmdsNIndex(rpmds ds, int ix)
{
    if (!inside(ds, ix))
        return NULL;
    return ds->features != NULL ? ds->features[ix].name : ds->names[ix];
}

const char *rpmdsEVRIndex(rpmds ds, int ix)
{
    if (!inside(ds, ix))
        return NULL;
    if (ds->features != NULL)
        return ds->features[ix].version;
    return ds->versions != NULL ? ds->versions[ix] : "";
}

rpmsenseFlags rpmdsFlagsIndex(rpmds ds, int ix)
{
    rpmsenseFlags flags = inside(ds, ix) && ds->flags != NULL ? ds->flags[ix] : 0;

    if (inside(ds, ix) && ds->features != NULL)
        flags = RPMSENSE_EQUAL;
    /* Old builders did not mark them. */
    if (rstreqn(inside(ds, ix) ? rpmdsNIndex(ds, ix) : "", "rpmlib(", strlen("rpmlib(")))
        flags |= RPMSENSE_RPMLIB;
    return flags;
}

const char *rpmdsN(rpmds ds)
{
    return rpmdsNIndex(ds, rpmdsIx(ds));
}

const char *rpmdsEVR(rpmds ds)
{
    return rpmdsEVRIndex(ds, rpmdsIx(ds));
}

rpmsenseFlags rpmdsFlags(rpmds ds)
{
    return rpmdsFlagsIndex(ds, rpmdsIx(ds));
}

rpmTagVal rpmdsTagN(rpmds ds)
{
    return ds != NULL ? ds->tagN : 0;
}

const char *rpmdsDNEVR(rpmds ds)
{
    const struct kind *kind = kindOf(rpmdsTagN(ds));
    rpmsenseFlags flags = rpmdsFlags(ds);
    const char *version = rpmdsEVR(ds);

    if (version == NULL)
        return NULL;
    ds->shown = rfree(ds->shown);
    rasprintf(&ds->shown, "%c %s%s%s%s%s%s%s", kind ? kind->letter : ' ', rpmdsN(ds),
              flags & RPMSENSE_SENSEMASK ? " " : "", flags & RPMSENSE_LESS ? "<" : "",
              flags & RPMSENSE_GREATER ? ">" : "", flags & RPMSENSE_EQUAL ? "=" : "",
              *version != '\0' ? " " : "", version);
    return ds->shown;
}

int rpmdsIsRich(rpmds ds)
{
    const char *name = rpmdsN(ds);

    return name != NULL && name[0] == '(';
}

int rpmdsIsWeak(rpmds ds)
{
    switch (rpmdsTagN(ds)) {
    case RPMTAG_REQUIRENAME:
    case RPMTAG_PROVIDENAME:
    case RPMTAG_CONFLICTNAME:
    case RPMTAG_OBSOLETENAME:
        return (rpmdsFlags(ds) & RPMSENSE_MISSINGOK) != 0;
    default:
        return 1;
    }
}

int rpmdsIsReverse(rpmds ds)
{
    return rpmdsTagN(ds) == RPMTAG_SUPPLEMENTNAME || rpmdsTagN(ds) == RPMTAG_ENHANCENAME;
}

static int compareRanges(const char *aEVR, rpmsenseFlags aFlags, const char *bEVR,
                         rpmsenseFlags bFlags)
{
    rpmver a = rpmverParse(aEVR);
    rpmver b = rpmverParse(bEVR);
    int overlap = 1;

    if (a != NULL && b != NULL)
        overlap = rpmverOverlap(a, aFlags, b, bFlags);
    rpmverFree(a);
    rpmverFree(b);
    return overlap;
}

int rpmdsCompareIndex(rpmds A, int aix, rpmds B, int bix)
{
    rpmsenseFlags aFlags = rpmdsFlagsIndex(A, aix);
    rpmsenseFlags bFlags = rpmdsFlagsIndex(B, bix);

    if (!inside(A, aix) || !inside(B, bix) || !rstreq(rpmdsNIndex(A, aix), rpmdsNIndex(B, bix)))
        return 0;
    if (!(aFlags & RPMSENSE_SENSEMASK) || !(bFlags & RPMSENSE_SENSEMASK))
        return 1;
    return compareRanges(rpmdsEVRIndex(A, aix), aFlags, rpmdsEVRIndex(B, bix), bFlags);
}

int rpmdsCompare(rpmds A, rpmds B)
{
    return rpmdsCompareIndex(A, rpmdsIx(A), B, rpmdsIx(B));
}

int rpmdsRpmlib(rpmds *dsp, const void *tblp)
{
    rpmds ds = newSet(RPMTAG_PROVIDENAME);

    (void)tblp;
    ds->count = sizeof(features) / sizeof(*features);
    ds->features = features;
    *dsp = ds;
    return 0;
}
