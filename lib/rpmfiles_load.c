/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loading a file list: every list of the header that has one entry for each file. */

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rpm/header.h>
#include <rpm/rpmcrypto.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmfiles_internal.h"

struct list {
    rpmTagVal tag;
    rpmTagType type;
    size_t size;          /* bytes of an element; 0 for strings */
    rpmfiFlags unless;    /* flag that leaves the list out */
    int required;
    size_t member;        /* where it goes in struct rpmfiles_s */
};

#define MEMBER(_m) offsetof(struct rpmfiles_s, _m)

static const struct list lists[] = {
    { RPMTAG_FILEMODES, RPM_INT16_TYPE, 2, RPMFI_NOFILEMODES, 1, MEMBER(fmodes) },
    { RPMTAG_FILEFLAGS, RPM_INT32_TYPE, 4, RPMFI_NOFILEFLAGS, 0, MEMBER(fflags) },
    { RPMTAG_FILEVERIFYFLAGS, RPM_INT32_TYPE, 4, RPMFI_NOFILEVERIFYFLAGS, 0, MEMBER(vflags) },
    { RPMTAG_FILECOLORS, RPM_INT32_TYPE, 4, RPMFI_NOFILECOLORS, 0, MEMBER(fcolors) },
    { RPMTAG_FILESTATES, RPM_CHAR_TYPE, 1, RPMFI_NOFILESTATES, 0, MEMBER(fstates) },
    { RPMTAG_FILEMTIMES, RPM_INT32_TYPE, 4, RPMFI_NOFILEMTIMES, 0, MEMBER(fmtimes) },
    { RPMTAG_FILERDEVS, RPM_INT16_TYPE, 2, RPMFI_NOFILERDEVS, 0, MEMBER(frdevs) },
    { RPMTAG_FILEINODES, RPM_INT32_TYPE, 4, RPMFI_NOFILEINODES, 0, MEMBER(finodes) },
    { RPMTAG_FILECAPS, RPM_STRING_ARRAY_TYPE, 0, RPMFI_NOFILECAPS, 0, MEMBER(fcaps) },
    { RPMTAG_FILELINKTOS, RPM_STRING_ARRAY_TYPE, 0, RPMFI_NOFILELINKTOS, 0, MEMBER(flinks) },
    { RPMTAG_FILELANGS, RPM_STRING_ARRAY_TYPE, 0, RPMFI_NOFILELANGS, 0, MEMBER(flangs) },
    { RPMTAG_FILEUSERNAME, RPM_STRING_ARRAY_TYPE, 0, RPMFI_NOFILEUSER, 1, MEMBER(fuser) },
    { RPMTAG_FILEGROUPNAME, RPM_STRING_ARRAY_TYPE, 0, RPMFI_NOFILEGROUP, 1, MEMBER(fgroup) },
};

/* Get a tag that must have one entry for each file. Returns 1, 0 if it is not there, -1. */
static int getList(rpmfiles fi, Header h, rpmTagVal tag, rpmTagType type, rpmtd td, char **emsg)
{
    if (!headerGet(h, tag, td, HEADERGET_MINMEM))
        return 0;
    if (rpmtdType(td) == type && rpmtdCount(td) == fi->fc)
        return 1;
    if (rpmtdType(td) != type)
        rasprintf(emsg, "Malformed data for tag %s", rpmTagGetName(tag));
    else
        rasprintf(emsg, "Wrong number of entries for tag %s: %u found but %u expected.",
                  rpmTagGetName(tag), rpmtdCount(td), fi->fc);
    rpmtdFreeData(td);
    return -1;
}

static void *copyNumbers(rpmtd td, size_t size)
{
    void *copy = rmalloc(rpmtdCount(td) * size);

    return memcpy(copy, td->data, rpmtdCount(td) * size);
}

static int loadList(rpmfiles fi, Header h, const struct list *list, char **emsg)
{
    struct rpmtd_s td;
    void *data;
    int rc = getList(fi, h, list->tag, list->type, &td, emsg);

    if (rc == 0 && list->required) {
        rasprintf(emsg, "package has files but no tag %s", rpmTagGetName(list->tag));
        rc = -1;
    }
    if (rc <= 0)
        return rc;
    data = list->size > 0 ? copyNumbers(&td, list->size) : rpmfilesCopyStrings(&td);
    memcpy((char *)fi + list->member, &data, sizeof(data));
    rpmtdFreeData(&td);
    return 0;
}

static int loadLists(rpmfiles fi, Header h, rpmfiFlags flags, char **emsg)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!(flags & lists[i].unless) && loadList(fi, h, &lists[i], emsg) != 0)
            return -1;
    }
    return 0;
}

/* Get the sizes in 64 bits, from whichever of the two tags is there. */
static int getSizes(rpmfiles fi, Header h, char **emsg)
{
    struct rpmtd_s td;
    int rc = getList(fi, h, RPMTAG_FILESIZES, RPM_INT32_TYPE, &td, emsg);

    if (rc > 0) {
        const uint32_t *sizes = td.data;

        fi->fsizes = rmalloc(fi->fc * sizeof(*fi->fsizes));
        for (rpm_count_t i = 0; i < fi->fc; i++)
            fi->fsizes[i] = sizes[i];
        rpmtdFreeData(&td);
    } else if (rc == 0) {
        rc = getList(fi, h, RPMTAG_LONGFILESIZES, RPM_INT64_TYPE, &td, emsg);
        if (rc > 0) {
            fi->fsizes = copyNumbers(&td, sizeof(*fi->fsizes));
            rpmtdFreeData(&td);
        }
    }
    if (rc == 0)
        rasprintf(emsg, "package has files but no tag %s", rpmTagGetName(RPMTAG_FILESIZES));
    return rc > 0 ? 0 : -1;
}

static int loadSizes(rpmfiles fi, Header h, char **emsg)
{
    rpm_loff_t sum = 0;

    if (getSizes(fi, h, emsg) != 0)
        return -1;
    for (rpm_count_t i = 0; i < fi->fc; i++) {
        if (fi->fsizes[i] > INT64_MAX - sum) {
            *emsg = rstrdup("file sizes add up to more than a file system can hold");
            return -1;
        }
        sum += fi->fsizes[i];
    }
    return 0;
}

/* What a hexadecimal digit stands for, and a bit that says that it is one. A table, since digits of
 * digests are as random as anything: branches on them are mispredicted. */
#define IS_DIGIT 0x10
static const uint8_t hexDigits[256] = {
    ['0'] = 0x10, ['1'] = 0x11, ['2'] = 0x12, ['3'] = 0x13, ['4'] = 0x14, ['5'] = 0x15,
    ['6'] = 0x16, ['7'] = 0x17, ['8'] = 0x18, ['9'] = 0x19, ['a'] = 0x1a, ['b'] = 0x1b,
    ['c'] = 0x1c, ['d'] = 0x1d, ['e'] = 0x1e, ['f'] = 0x1f, ['A'] = 0x1a, ['B'] = 0x1b,
    ['C'] = 0x1c, ['D'] = 0x1d, ['E'] = 0x1e, ['F'] = 0x1f,
};

/* Turn a hexadecimal digest into bytes; an empty one into zeros. */
static int parseDigest(const char *hex, uint8_t *digest, size_t len)
{
    uint8_t all = IS_DIGIT;

    if (*hex == '\0') {
        memset(digest, 0, len);
        return 0;
    }
    if (strlen(hex) != 2 * len)
        return -1;
    for (size_t i = 0; i < len; i++) {
        uint8_t high = hexDigits[(unsigned char)hex[2 * i]];
        uint8_t low = hexDigits[(unsigned char)hex[2 * i + 1]];

        all &= high & low;
        digest[i] = (uint8_t)(high << 4 | (low & 0xf));
    }
    return all & IS_DIGIT ? 0 : -1;
}

static int refuseFile(rpmfiles fi, int ix, const char *what, char **emsg)
{
    char *fn = rpmfilesFN(fi, ix);
    char *shown = rpmfilesEscape(fn);

    rasprintf(emsg, "%s: %s", what, shown);
    rfree(shown);
    rfree(fn);
    return -1;
}

static int loadDigestAlgo(rpmfiles fi, Header h, char **emsg)
{
    fi->digestalgo = RPM_HASH_MD5;
    if (headerIsEntry(h, RPMTAG_FILEDIGESTALGO)) {
        uint64_t algo = headerGetNumber(h, RPMTAG_FILEDIGESTALGO);

        fi->digestalgo = algo <= INT_MAX ? (int)algo : 0;
    }
    fi->diglen = rpmDigestLength(fi->digestalgo);
    if (fi->diglen != 0)
        return 0;
    rasprintf(emsg, "unknown file digest algorithm %d", fi->digestalgo);
    return -1;
}

static int loadDigests(rpmfiles fi, Header h, char **emsg)
{
    struct rpmtd_s td;
    int rc = getList(fi, h, RPMTAG_FILEDIGESTS, RPM_STRING_ARRAY_TYPE, &td, emsg);

    if (rc <= 0)
        return rc;
    rc = 0;
    fi->digests = rmalloc(fi->fc * fi->diglen);
    for (rpm_count_t i = 0; i < fi->fc && rc == 0; i++) {
        if (parseDigest(((char **)td.data)[i], fi->digests + i * fi->diglen, fi->diglen) != 0)
            rc = refuseFile(fi, (int)i, "malformed file digest", emsg);
    }
    rpmtdFreeData(&td);
    return rc;
}

static int checkSymlinks(rpmfiles fi, char **emsg)
{
    for (int i = 0; i < (int)fi->fc; i++) {
        const char *target = rpmfilesFLink(fi, i);

        if (S_ISLNK(rpmfilesFMode(fi, i))
            && (target == NULL || *target == '\0' || strlen(target) >= PATH_MAX))
            return refuseFile(fi, i, "bad symlink target", emsg);
    }
    return 0;
}

static int compareStrings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether one of the sorted directories lies below, or is, a path that ends with a slash. */
static int isAbove(const char *path, char *const *dirs, rpm_count_t n)
{
    rpm_count_t lo = 0, hi = n;

    while (lo < hi) {
        rpm_count_t mid = lo + (hi - lo) / 2;

        if (strcmp(dirs[mid], path) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && rstreqn(dirs[lo], path, strlen(path));
}

/* A path below a file of the same package could only be found out to be impossible when half of
 * the package is in place. Below a symlink it may make sense: that depends on the disk. */
static int checkParents(rpmfiles fi, char **emsg)
{
    char **dirs = rmalloc(fi->dc * sizeof(*dirs));
    int rc = 0;

    memcpy(dirs, fi->dn, fi->dc * sizeof(*dirs));
    qsort(dirs, fi->dc, sizeof(*dirs), compareStrings);
    for (int i = 0; i < (int)fi->fc && rc == 0; i++) {
        rpm_mode_t mode = rpmfilesFMode(fi, i);
        char *path;

        if (S_ISDIR(mode) || S_ISLNK(mode))
            continue;
        path = rstrscat(NULL, fi->dn[fi->di[i]], fi->bn[i], "/", NULL);
        if (isAbove(path, dirs, fi->dc))
            rc = refuseFile(fi, i, "not a directory, but there are files below it", emsg);
        rfree(path);
    }
    rfree(dirs);
    return rc;
}

static int loadHardlinks(rpmfiles fi, Header h, char **emsg)
{
    struct rpmtd_s td;
    int ix, rc = getList(fi, h, RPMTAG_FILEDEVICES, RPM_INT32_TYPE, &td, emsg);

    if (rc <= 0)
        return rc;
    ix = rpmfilesFindHardlinks(fi, td.data);
    rpmtdFreeData(&td);
    return ix < 0 ? 0 : refuseFile(fi, ix, "hard links with different contents", emsg);
}

static int load(rpmfiles fi, Header h, rpmfiFlags flags, char **emsg)
{
    if (rpmfilesLoadPaths(fi, h, emsg) != 0)
        return -1;
    if (loadDigestAlgo(fi, h, emsg) != 0)
        return -1;
    if (fi->fc == 0)
        return 0;
    if (loadLists(fi, h, flags, emsg) != 0)
        return -1;
    if (!(flags & RPMFI_NOFILESIZES) && loadSizes(fi, h, emsg) != 0)
        return -1;
    if (!(flags & RPMFI_NOFILEDIGESTS) && loadDigests(fi, h, emsg) != 0)
        return -1;
    if (!(flags & RPMFI_NOFILEMODES) && checkParents(fi, emsg) != 0)
        return -1;
    if (!(flags & (RPMFI_NOFILELINKTOS | RPMFI_NOFILEMODES)) && checkSymlinks(fi, emsg) != 0)
        return -1;
    if (fi->finodes != NULL && loadHardlinks(fi, h, emsg) != 0)
        return -1;
    return 0;
}

rpmfiles rpmfilesLoad(Header h, rpmfiFlags flags, char **emsg)
{
    rpmfiles fi = rcalloc(1, sizeof(*fi));

    fi->nrefs = 1;
    *emsg = NULL;
    if (load(fi, h, flags, emsg) != 0)
        return rpmfilesFree(fi);
    return fi;
}
