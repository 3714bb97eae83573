/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tags that are computed from others. */

#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmds.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"
#include "tagexts.h"

/* Not in the public header: marks recommends among suggests in packages of old. */
#define RPMSENSE_STRONG (1u << 27)

/* Makes td hold a string that it will free. */
static int holdString(rpmtd td, char *val)
{
    td->type = RPM_STRING_TYPE;
    td->count = 1;
    td->data = val;
    td->flags = RPMTD_ALLOCED;
    return 1;
}

int tagextStrings(rpmtd td, char **strings, rpm_count_t count)
{
    td->type = RPM_STRING_ARRAY_TYPE;
    td->count = count;
    td->data = strings;
    td->flags = RPMTD_ALLOCED | RPMTD_PTR_ALLOCED;
    return 1;
}

static int setNumber(rpmtd td, uint32_t val)
{
    uint32_t *data = rmalloc(sizeof(*data));

    *data = val;
    td->type = RPM_INT32_TYPE;
    td->count = 1;
    td->data = data;
    td->flags = RPMTD_ALLOCED;
    return 1;
}

/* The 64-bit tag, or the 32-bit one widened. */
static int getWide(Header h, rpmtd td, rpmTagVal wide, rpmTagVal narrow)
{
    struct rpmtd_s old;
    uint64_t *data;

    if (headerIsEntry(h, wide))
        return headerGet(h, wide, td, HEADERGET_ALLOC);
    if (!headerGet(h, narrow, &old, HEADERGET_MINMEM))
        return 0;
    if (rpmtdType(&old) != RPM_INT32_TYPE) {
        rpmtdFreeData(&old);
        return 0;
    }
    td->type = RPM_INT64_TYPE;
    td->count = old.count;
    td->flags = RPMTD_ALLOCED;
    td->data = data = rmalloc(old.count * sizeof(*data));
    for (rpm_count_t i = 0; i < old.count; i++)
        data[i] = ((const uint32_t *)old.data)[i];
    rpmtdFreeData(&old);
    return 1;
}

static int longfilesizesTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getWide(h, td, RPMTAG_LONGFILESIZES, RPMTAG_FILESIZES);
}

static int longarchivesizeTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getWide(h, td, RPMTAG_LONGARCHIVESIZE, RPMTAG_ARCHIVESIZE);
}

static int longsizeTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getWide(h, td, RPMTAG_LONGSIZE, RPMTAG_SIZE);
}

static int longsigsizeTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getWide(h, td, RPMTAG_LONGSIGSIZE, RPMTAG_SIGSIZE);
}

static int dbinstanceTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return setNumber(td, headerGetInstance(h));
}

static int headercolorTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    struct rpmtd_s colors;
    const uint32_t *color;
    uint32_t all = 0;

    (void)hgflags;
    if (headerGet(h, RPMTAG_FILECOLORS, &colors, HEADERGET_MINMEM)) {
        while ((color = rpmtdNextUint32(&colors)) != NULL)
            all |= *color;
        rpmtdFreeData(&colors);
    }
    return setNumber(td, all & 0x0f);
}

static int verboseTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)h;
    (void)hgflags;
    return rpmIsVerbose() ? setNumber(td, 1) : 0;
}

static int epochnumTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return setNumber(td, (uint32_t)headerGetNumber(h, RPMTAG_EPOCH));
}

static int archsuffixTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    const char *arch = headerGetString(h, RPMTAG_ARCH);
    char *val = NULL;

    (void)hgflags;
    if (headerIsSource(h)) {
        arch = headerIsEntry(h, RPMTAG_NOSOURCE) || headerIsEntry(h, RPMTAG_NOPATCH) ? "nosrc"
                                                                                   : "src";
    }
    return holdString(td, rstrscat(&val, arch != NULL ? "." : "", arch != NULL ? arch : "", NULL));
}

/* Parts of a package's full name. */
enum {
    NEVRA_NAME = (1 << 0),
    NEVRA_EPOCH = (1 << 1),
    NEVRA_ARCH = (1 << 2)
};

static int getNEVRA(Header h, rpmtd td, int parts)
{
    const char *name = headerGetString(h, RPMTAG_NAME);
    const char *version = headerGetString(h, RPMTAG_VERSION);
    const char *release = headerGetString(h, RPMTAG_RELEASE);
    const char *arch = headerGetString(h, RPMTAG_ARCH);
    char *epoch = headerGetAsString(h, RPMTAG_EPOCH);
    char *val = rstrdup("");

    if ((parts & NEVRA_NAME) && name != NULL)
        rstrscat(&val, name, "-", NULL);
    if ((parts & NEVRA_EPOCH) && epoch != NULL)
        rstrscat(&val, epoch, ":", NULL);
    if (version != NULL)
        rstrscat(&val, version, "-", NULL);
    if (release != NULL)
        rstrcat(&val, release);
    if (arch == NULL && headerIsSource(h))
        arch = "src";
    if ((parts & NEVRA_ARCH) && arch != NULL)
        rstrscat(&val, ".", arch, NULL);
    free(epoch);
    return holdString(td, val);
}

static int evrTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getNEVRA(h, td, NEVRA_EPOCH);
}

static int nvrTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getNEVRA(h, td, NEVRA_NAME);
}

static int nvraTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getNEVRA(h, td, NEVRA_NAME | NEVRA_ARCH);
}

static int nevrTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getNEVRA(h, td, NEVRA_NAME | NEVRA_EPOCH);
}

static int nevraTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getNEVRA(h, td, NEVRA_NAME | NEVRA_EPOCH | NEVRA_ARCH);
}

/* Names, comparisons and versions of one kind of dependency; of those whose STRONG bit is as
 * wanted, unless that is -1. */
static int getDependencies(Header h, rpmtd td, rpmTagVal tag, int strong)
{
    rpmds ds = rpmdsNew(h, tag, 0);
    int all = rpmdsCount(ds);
    rpm_count_t count = 0;
    char **deps;

    if (all <= 0) {
        rpmdsFree(ds);
        return 0;
    }
    deps = rcalloc((size_t)all, sizeof(*deps));
    rpmdsInit(ds);
    while (rpmdsNext(ds) >= 0 && count < (rpm_count_t)all) {
        if (strong < 0 || ((rpmdsFlags(ds) & RPMSENSE_STRONG) != 0) == strong)
            deps[count++] = rstrdup(rpmdsDNEVR(ds) + 2);
    }
    rpmdsFree(ds);
    if (count == 0) {
        free(deps);
        return 0;
    }
    return tagextStrings(td, deps, count);
}

/* The tag's own dependencies, or those in the tag that older packages used for two kinds. */
static int getWeak(Header h, rpmtd td, rpmTagVal tag, rpmTagVal oldTag, int strong)
{
    return getDependencies(h, td, tag, -1) || getDependencies(h, td, oldTag, strong);
}

static int requirenevrsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getDependencies(h, td, RPMTAG_REQUIRENAME, -1);
}

static int providenevrsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getDependencies(h, td, RPMTAG_PROVIDENAME, -1);
}

static int obsoletenevrsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getDependencies(h, td, RPMTAG_OBSOLETENAME, -1);
}

static int conflictnevrsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getDependencies(h, td, RPMTAG_CONFLICTNAME, -1);
}

static int recommendnevrsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getWeak(h, td, RPMTAG_RECOMMENDNAME, RPMTAG_OLDSUGGESTSNAME, 1);
}

static int suggestnevrsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getWeak(h, td, RPMTAG_SUGGESTNAME, RPMTAG_OLDSUGGESTSNAME, 0);
}

static int supplementnevrsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getWeak(h, td, RPMTAG_SUPPLEMENTNAME, RPMTAG_OLDENHANCESNAME, 1);
}

static int enhancenevrsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getWeak(h, td, RPMTAG_ENHANCENAME, RPMTAG_OLDENHANCESNAME, 0);
}

static const struct {
    rpmTagVal tag;
    headerTagTagFunction func;
} extensions[] = {
    { RPMTAG_FILECLASS, fileclassTag },
    { RPMTAG_FILENAMES, filenamesTag },
    { RPMTAG_ORIGFILENAMES, origfilenamesTag },
    { RPMTAG_INSTFILENAMES, instfilenamesTag },
    { RPMTAG_FILEPROVIDE, fileprovideTag },
    { RPMTAG_FILEREQUIRE, filerequireTag },
    { RPMTAG_FILENLINKS, filenlinksTag },
    { RPMTAG_TRIGGERCONDS, triggercondsTag },
    { RPMTAG_FILETRIGGERCONDS, filetriggercondsTag },
    { RPMTAG_TRANSFILETRIGGERCONDS, transfiletriggercondsTag },
    { RPMTAG_TRIGGERTYPE, triggertypeTag },
    { RPMTAG_FILETRIGGERTYPE, filetriggertypeTag },
    { RPMTAG_TRANSFILETRIGGERTYPE, transfiletriggertypeTag },
    { RPMTAG_LONGFILESIZES, longfilesizesTag },
    { RPMTAG_LONGARCHIVESIZE, longarchivesizeTag },
    { RPMTAG_LONGSIZE, longsizeTag },
    { RPMTAG_LONGSIGSIZE, longsigsizeTag },
    { RPMTAG_DBINSTANCE, dbinstanceTag },
    { RPMTAG_EVR, evrTag },
    { RPMTAG_NVR, nvrTag },
    { RPMTAG_NEVR, nevrTag },
    { RPMTAG_NVRA, nvraTag },
    { RPMTAG_NEVRA, nevraTag },
    { RPMTAG_ARCHSUFFIX, archsuffixTag },
    { RPMTAG_HEADERCOLOR, headercolorTag },
    { RPMTAG_VERBOSE, verboseTag },
    { RPMTAG_EPOCHNUM, epochnumTag },
    { RPMTAG_REQUIRENEVRS, requirenevrsTag },
    { RPMTAG_PROVIDENEVRS, providenevrsTag },
    { RPMTAG_OBSOLETENEVRS, obsoletenevrsTag },
    { RPMTAG_CONFLICTNEVRS, conflictnevrsTag },
    { RPMTAG_RECOMMENDNEVRS, recommendnevrsTag },
    { RPMTAG_SUGGESTNEVRS, suggestnevrsTag },
    { RPMTAG_SUPPLEMENTNEVRS, supplementnevrsTag },
    { RPMTAG_ENHANCENEVRS, enhancenevrsTag },
};

headerTagTagFunction rpmHeaderTagFunc(rpmTagVal tag)
{
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        if (extensions[i].tag == tag)
            return extensions[i].func;
    }
    return NULL;
}
