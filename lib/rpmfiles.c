/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* File lists: what they say. How they come to be is in rpmfiles_load.c. */

#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmfiles_internal.h"

rpmfiles rpmfilesNew(rpmstrPool pool, Header h, rpmTagVal tagN, rpmfiFlags flags)
{
    char *emsg = NULL;
    rpmfiles fi = rpmfilesLoad(h, flags, &emsg);

    (void)pool;
    (void)tagN;
    if (fi == NULL) {
        char *nevra = headerGetAsString(h, RPMTAG_NEVRA);

        rpmlog(RPMLOG_ERR, "%s%s%s\n", nevra != NULL ? nevra : "", nevra != NULL ? ": " : "", emsg);
        rfree(nevra);
    }
    rfree(emsg);
    return fi;
}

rpmfiles rpmfilesLink(rpmfiles fi)
{
    if (fi != NULL)
        __atomic_add_fetch(&fi->nrefs, 1, __ATOMIC_RELAXED);
    return fi;
}

rpmfiles rpmfilesFree(rpmfiles fi)
{
    if (fi == NULL || __atomic_sub_fetch(&fi->nrefs, 1, __ATOMIC_ACQ_REL) > 0)
        return NULL;
    rfree(fi->bn);
    rfree(fi->dn);
    rfree(fi->di);
    rfree(fi->sorted);
    rfree(fi->flinks);
    rfree(fi->flangs);
    rfree(fi->fuser);
    rfree(fi->fgroup);
    rfree(fi->fcaps);
    rfree(fi->fflags);
    rfree(fi->vflags);
    rfree(fi->fsizes);
    rfree(fi->fmtimes);
    rfree(fi->fmodes);
    rfree(fi->frdevs);
    rfree(fi->finodes);
    rfree(fi->fcolors);
    rfree(fi->fstates);
    rfree(fi->digests);
    rfree(fi->linkset);
    rfree(fi->linkruns);
    return rfree(fi);
}

static int hasFile(rpmfiles fi, int ix)
{
    return fi != NULL && ix >= 0 && (rpm_count_t)ix < fi->fc;
}

rpm_count_t rpmfilesFC(rpmfiles fi)
{
    return fi != NULL ? fi->fc : 0;
}

rpm_count_t rpmfilesDC(rpmfiles fi)
{
    return fi != NULL ? fi->dc : 0;
}

int rpmfilesDigestAlgo(rpmfiles fi)
{
    return fi != NULL ? fi->digestalgo : 0;
}

rpm_color_t rpmfilesColor(rpmfiles files)
{
    rpm_color_t color = 0;

    for (rpm_count_t ix = 0; ix < rpmfilesFC(files); ix++)
        color |= rpmfilesFColor(files, (int)ix);
    return color;
}

const char *rpmfilesBN(rpmfiles fi, int ix)
{
    return hasFile(fi, ix) ? fi->bn[ix] : NULL;
}

const char *rpmfilesDN(rpmfiles fi, int jx)
{
    return (fi != NULL && jx >= 0 && (rpm_count_t)jx < fi->dc) ? fi->dn[jx] : NULL;
}

int rpmfilesDI(rpmfiles fi, int ix)
{
    return hasFile(fi, ix) ? (int)fi->di[ix] : -1;
}

char *rpmfilesFN(rpmfiles fi, int ix)
{
    return hasFile(fi, ix) ? rstrscat(NULL, fi->dn[fi->di[ix]], fi->bn[ix], NULL) : NULL;
}

/* Compare a path without its leading slash, cut at its last slash, with that of a file. */
static int comparePath(rpmfiles fi, int ix, const char *path, size_t dirlen)
{
    const char *dn = fi->dn[fi->di[ix]];
    int cmp;

    if (*dn == '/')
        dn++;
    cmp = strncmp(path, dn, dirlen);
    if (cmp == 0 && dn[dirlen] != '\0')
        cmp = -1;
    return cmp != 0 ? cmp : strcmp(path + dirlen, fi->bn[ix]);
}

int rpmfilesFindFN(rpmfiles files, const char *fn)
{
    rpm_count_t lo = 0, hi = rpmfilesFC(files);
    const char *slash;
    size_t dirlen;

    if (fn == NULL)
        return -1;
    if (fn[0] == '.' && fn[1] == '/')
        fn++;
    if (fn[0] == '/')
        fn++;
    slash = strrchr(fn, '/');
    dirlen = slash != NULL ? (size_t)(slash + 1 - fn) : 0;
    while (lo < hi) {
        rpm_count_t mid = lo + (hi - lo) / 2;
        int ix = files->sorted[mid];
        int cmp = comparePath(files, ix, fn, dirlen);

        if (cmp == 0)
            return ix;
        if (cmp < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return -1;
}

const unsigned char *rpmfilesFDigest(rpmfiles fi, int ix, int *algo, size_t *len)
{
    if (!hasFile(fi, ix) || fi->digests == NULL)
        return NULL;
    if (algo != NULL)
        *algo = fi->digestalgo;
    if (len != NULL)
        *len = fi->diglen;
    return fi->digests + (size_t)ix * fi->diglen;
}

/* The element of one list for a file, or what stands for its absence. */
#define ELEMENT(_fi, _list, _ix, _none) \
    ((hasFile(_fi, _ix) && (_fi)->_list != NULL) ? (_fi)->_list[_ix] : (_none))

rpmVerifyAttrs rpmfilesVFlags(rpmfiles fi, int ix)
{
    return ELEMENT(fi, vflags, ix, 0);
}

rpmfileState rpmfilesFState(rpmfiles fi, int ix)
{
    return ELEMENT(fi, fstates, ix, RPMFILE_STATE_MISSING);
}

const char *rpmfilesFLink(rpmfiles fi, int ix)
{
    return ELEMENT(fi, flinks, ix, NULL);
}

rpm_loff_t rpmfilesFSize(rpmfiles fi, int ix)
{
    return ELEMENT(fi, fsizes, ix, 0);
}

rpm_color_t rpmfilesFColor(rpmfiles fi, int ix)
{
    /* Only the low bits are colors, as in every rpm. */
    return ELEMENT(fi, fcolors, ix, 0) & 0x0f;
}

const char *rpmfilesFLangs(rpmfiles fi, int ix)
{
    return ELEMENT(fi, flangs, ix, NULL);
}

rpmfileAttrs rpmfilesFFlags(rpmfiles fi, int ix)
{
    return ELEMENT(fi, fflags, ix, 0);
}

rpm_mode_t rpmfilesFMode(rpmfiles fi, int ix)
{
    return ELEMENT(fi, fmodes, ix, 0);
}

rpm_rdev_t rpmfilesFRdev(rpmfiles fi, int ix)
{
    return ELEMENT(fi, frdevs, ix, 0);
}

rpm_ino_t rpmfilesFInode(rpmfiles fi, int ix)
{
    return ELEMENT(fi, finodes, ix, 0);
}

rpm_time_t rpmfilesFMtime(rpmfiles fi, int ix)
{
    return ELEMENT(fi, fmtimes, ix, 0);
}

const char *rpmfilesFUser(rpmfiles fi, int ix)
{
    return ELEMENT(fi, fuser, ix, NULL);
}

const char *rpmfilesFGroup(rpmfiles fi, int ix)
{
    return ELEMENT(fi, fgroup, ix, NULL);
}

const char *rpmfilesFCaps(rpmfiles fi, int ix)
{
    return hasFile(fi, ix) ? ELEMENT(fi, fcaps, ix, "") : NULL;
}
