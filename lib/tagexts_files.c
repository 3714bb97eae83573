/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computed tags about files. */

#include <string.h>
#include <sys/stat.h>

#include <rpm/header.h>
#include <rpm/rpmds.h>
#include <rpm/rpmfiles.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"
#include "tagexts.h"
#include "textbuf.h"

/* The tags that make up paths. */
struct pathTags {
    struct rpmtd_s bases, dirs, indexes, states;
};

static void freePathTags(struct pathTags *tags)
{
    rpmtdFreeData(&tags->bases);
    rpmtdFreeData(&tags->dirs);
    rpmtdFreeData(&tags->indexes);
    rpmtdFreeData(&tags->states);
}

/* Whether the counts fit each other and all indexes are of directories that are there. */
static bool pathTagsFit(const struct pathTags *tags, bool withStates)
{
    const uint32_t *indexes = tags->indexes.data;

    if (tags->bases.type != RPM_STRING_ARRAY_TYPE || tags->dirs.type != RPM_STRING_ARRAY_TYPE ||
            tags->indexes.type != RPM_INT32_TYPE || tags->indexes.count != tags->bases.count)
        return false;
    if (withStates &&
            (tags->states.type != RPM_CHAR_TYPE || tags->states.count != tags->bases.count))
        return false;
    for (rpm_count_t i = 0; i < tags->bases.count; i++) {
        if (indexes[i] >= tags->dirs.count)
            return false;
    }
    return true;
}

/* Bytes of all paths: a few long directories and many names must not become more than a header
 * could hold. */
static uint64_t pathsSize(const struct pathTags *tags)
{
    const char **bases = tags->bases.data, **dirs = tags->dirs.data;
    const uint32_t *indexes = tags->indexes.data;
    size_t *lengths = rmalloc(tags->dirs.count * sizeof(*lengths));
    uint64_t size = 0;

    for (rpm_count_t i = 0; i < tags->dirs.count; i++)
        lengths[i] = strlen(dirs[i]);
    for (rpm_count_t i = 0; i < tags->bases.count; i++)
        size += lengths[indexes[i]] + strlen(bases[i]) + 1;
    free(lengths);
    return size;
}

static char **joinPaths(const struct pathTags *tags, bool withStates, rpm_count_t *count)
{
    const char **bases = tags->bases.data, **dirs = tags->dirs.data;
    const uint32_t *indexes = tags->indexes.data;
    const char *states = withStates ? tags->states.data : NULL;
    char **paths = rcalloc(tags->bases.count, sizeof(*paths));

    *count = 0;
    for (rpm_count_t i = 0; i < tags->bases.count; i++) {
        if (states == NULL || RPMFILE_IS_INSTALLED(states[i]))
            paths[(*count)++] = rstrscat(NULL, dirs[indexes[i]], bases[i], NULL);
    }
    return paths;
}

static int getPaths(Header h, rpmtd td, const rpmTagVal names[3], bool withStates)
{
    struct pathTags tags;
    rpm_count_t count;
    char **paths;
    int rc = 0;

    headerGet(h, names[0], &tags.bases, HEADERGET_MINMEM);
    headerGet(h, names[1], &tags.dirs, HEADERGET_MINMEM);
    headerGet(h, names[2], &tags.indexes, HEADERGET_MINMEM);
    headerGet(h, RPMTAG_FILESTATES, &tags.states, HEADERGET_MINMEM);
    if (pathTagsFit(&tags, withStates) && pathsSize(&tags) <= HEADER_DATA_MAX) {
        paths = joinPaths(&tags, withStates, &count);
        rc = tagextStrings(td, paths, count);
    } else if (tags.bases.count > 0) {
        td->flags |= RPMTD_INVALID;
    }
    freePathTags(&tags);
    return rc;
}

static const rpmTagVal pathNames[] = { RPMTAG_BASENAMES, RPMTAG_DIRNAMES, RPMTAG_DIRINDEXES };

int filenamesTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getPaths(h, td, pathNames, false);
}

int instfilenamesTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getPaths(h, td, pathNames, true);
}

int origfilenamesTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    static const rpmTagVal names[] = { RPMTAG_ORIGBASENAMES, RPMTAG_ORIGDIRNAMES,
        RPMTAG_ORIGDIRINDEXES };

    (void)hgflags;
    return getPaths(h, td, names, false);
}

/* What libmagic would call a file that is not regular. */
static char *classOfMode(mode_t mode, const char *link)
{
    switch (mode & S_IFMT) {
    case S_IFBLK:
        return rstrdup("block special");
    case S_IFCHR:
        return rstrdup("character special");
    case S_IFDIR:
        return rstrdup("directory");
    case S_IFIFO:
        return rstrdup("fifo (named pipe)");
    case S_IFSOCK:
        return rstrdup("socket");
    case S_IFLNK:
        return rstrscat(NULL, "symbolic link to `", link != NULL ? link : "", "'", NULL);
    default:
        return rstrdup("");
    }
}

/* String number ix of an array, NULL if it is not one or ends before that. */
static const char *stringAt(rpmtd td, rpm_count_t ix)
{
    return rpmtdSetIndex(td, (int)ix) >= 0 ? rpmtdGetString(td) : NULL;
}

static uint32_t numberAt(rpmtd td, rpm_count_t ix)
{
    return rpmtdSetIndex(td, (int)ix) >= 0 ? (uint32_t)rpmtdGetNumber(td) : 0;
}

int fileclassTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    struct rpmtd_s classes, dict, modes, links;
    rpm_count_t count;
    char **names;

    (void)hgflags;
    if (!headerGet(h, RPMTAG_FILEMODES, &modes, HEADERGET_MINMEM))
        return 0;
    headerGet(h, RPMTAG_FILECLASS, &classes, HEADERGET_MINMEM);
    headerGet(h, RPMTAG_CLASSDICT, &dict, HEADERGET_MINMEM);
    headerGet(h, RPMTAG_FILELINKTOS, &links, HEADERGET_MINMEM);
    count = rpmtdCount(&modes);
    names = rcalloc(count, sizeof(*names));
    for (rpm_count_t i = 0; i < count; i++) {
        const char *name = classes.count > 0 ? stringAt(&dict, numberAt(&classes, i)) : NULL;
        if (name != NULL && *name != '\0')
            names[i] = rstrdup(name);
        else
            names[i] = classOfMode((mode_t)numberAt(&modes, i), stringAt(&links, i));
    }
    rpmtdFreeData(&classes);
    rpmtdFreeData(&dict);
    rpmtdFreeData(&modes);
    rpmtdFreeData(&links);
    return tagextStrings(td, names, count);
}

/* All dependencies of a kind as text, for entries of the dictionary to index. */
static rpm_count_t dependencyNames(Header h, rpmTagVal tag, char ***names)
{
    rpmds ds = rpmdsNew(h, tag, 0);
    rpm_count_t count = (rpm_count_t)rpmdsCount(ds), i = 0;

    *names = rcalloc(count, sizeof(**names));
    rpmdsInit(ds);
    while (i < count && rpmdsNext(ds) >= 0)
        (*names)[i++] = rstrdup(rpmdsDNEVR(ds) + 2);
    rpmdsFree(ds);
    return i;
}

/* The dictionary that says which files have which dependencies. Each file has a run of it. */
struct dependsTags {
    struct rpmtd_s first, n, dict;
};

/* Whether the runs are as many as files, and together no longer than the dictionary: so that what
 * is made of it is bounded by the header. */
static bool dependsTagsFit(struct dependsTags *tags, rpm_count_t nfiles)
{
    uint64_t total = 0;

    if (tags->first.count != nfiles || tags->n.count != nfiles)
        return false;
    for (rpm_count_t i = 0; i < nfiles; i++)
        total += numberAt(&tags->n, i);
    return total <= rpmtdCount(&tags->dict);
}

/* Join the names that a file's run points to. An entry is a kind's letter above 24 bits of index. */
static char *joinDependencies(struct dependsTags *tags, rpm_count_t file, char kind, char **names,
    rpm_count_t count)
{
    struct textBuf joined = { 0 };
    uint32_t first = numberAt(&tags->first, file), n = numberAt(&tags->n, file);

    for (uint32_t i = first; i - first < n && i < rpmtdCount(&tags->dict); i++) {
        uint32_t entry = numberAt(&tags->dict, i);
        uint32_t ix = entry & 0x00ffffff;
        if (entry >> 24 != (uint32_t)kind || ix >= count)
            continue;
        if (joined.length > 0)
            textBufAdd(&joined, " ");
        textBufAdd(&joined, names[ix]);
    }
    return textBufTake(&joined);
}

static int getFileDependencies(Header h, rpmtd td, rpmTagVal tag, char kind)
{
    struct dependsTags tags;
    rpm_count_t nfiles, count;
    struct rpmtd_s modes;
    char **names, **deps;
    bool fit;

    if (!headerGet(h, RPMTAG_FILEMODES, &modes, HEADERGET_MINMEM))
        return 0;
    nfiles = rpmtdCount(&modes);
    rpmtdFreeData(&modes);
    headerGet(h, RPMTAG_FILEDEPENDSX, &tags.first, HEADERGET_MINMEM);
    headerGet(h, RPMTAG_FILEDEPENDSN, &tags.n, HEADERGET_MINMEM);
    headerGet(h, RPMTAG_DEPENDSDICT, &tags.dict, HEADERGET_MINMEM);
    fit = dependsTagsFit(&tags, nfiles);
    count = dependencyNames(h, tag, &names);
    deps = rcalloc(nfiles, sizeof(*deps));
    for (rpm_count_t i = 0; i < nfiles; i++)
        deps[i] = fit ? joinDependencies(&tags, i, kind, names, count) : rstrdup("");
    for (rpm_count_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    rpmtdFreeData(&tags.first);
    rpmtdFreeData(&tags.n);
    rpmtdFreeData(&tags.dict);
    return tagextStrings(td, deps, nfiles);
}

int fileprovideTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getFileDependencies(h, td, RPMTAG_PROVIDENAME, 'P');
}

int filerequireTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return getFileDependencies(h, td, RPMTAG_REQUIRENAME, 'R');
}

int filenlinksTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    rpmfiles files = rpmfilesNew(NULL, h, RPMTAG_BASENAMES, 0);
    rpm_count_t count = rpmfilesFC(files);
    uint32_t *nlinks;

    (void)hgflags;
    if (count > 0) {
        nlinks = rmalloc(count * sizeof(*nlinks));
        for (rpm_count_t i = 0; i < count; i++)
            nlinks[i] = rpmfilesFNlink(files, (int)i);
        td->type = RPM_INT32_TYPE;
        td->count = count;
        td->data = nlinks;
        td->flags = RPMTD_ALLOCED;
    }
    rpmfilesFree(files);
    return count > 0;
}
