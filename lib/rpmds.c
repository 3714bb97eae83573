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

/* What this library does, with the versions that packages name. Not here are those that running
 * scriptlets takes, rich dependencies, and dynamic build requirements. */
static const struct feature {
    const char *name;
    const char *version;
} features[] = {
    { "rpmlib(CaretInVersions)", "4.15.0-1" },
    { "rpmlib(CompressedFileNames)", "3.0.4-1" },
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

static bool inside(rpmds ds)
{
    return ds != NULL && ds->ix >= 0;
}

const char *rpmdsN(rpmds ds)
{
    if (!inside(ds))
        return NULL;
    return ds->features != NULL ? ds->features[ds->ix].name : ds->names[ds->ix];
}

const char *rpmdsEVR(rpmds ds)
{
    if (!inside(ds))
        return NULL;
    if (ds->features != NULL)
        return ds->features[ds->ix].version;
    return ds->versions != NULL ? ds->versions[ds->ix] : "";
}

rpmsenseFlags rpmdsFlags(rpmds ds)
{
    if (inside(ds) && ds->features != NULL)
        return RPMSENSE_RPMLIB | RPMSENSE_EQUAL;
    return inside(ds) && ds->flags != NULL ? ds->flags[ds->ix] : 0;
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

    if (!inside(ds))
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

static int compareRanges(rpmds A, rpmds B)
{
    rpmver a = rpmverParse(rpmdsEVR(A));
    rpmver b = rpmverParse(rpmdsEVR(B));
    int overlap = 1;

    if (a != NULL && b != NULL)
        overlap = rpmverOverlap(a, rpmdsFlags(A), b, rpmdsFlags(B));
    rpmverFree(a);
    rpmverFree(b);
    return overlap;
}

int rpmdsCompare(rpmds A, rpmds B)
{
    if (!inside(A) || !inside(B) || !rstreq(rpmdsN(A), rpmdsN(B)))
        return 0;
    if (!(rpmdsFlags(A) & RPMSENSE_SENSEMASK) || !(rpmdsFlags(B) & RPMSENSE_SENSEMASK))
        return 1;
    return compareRanges(A, B);
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
