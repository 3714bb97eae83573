/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hard link sets: files of a package that had one device and inode when it was built. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rpm/rpmutil.h>

#include "rpmfiles_internal.h"

struct inode {
    rpm_dev_t dev;
    rpm_ino_t ino;
    int ix;
};

static int compareInodes(const void *a, const void *b)
{
    const struct inode *x = a, *y = b;

    if (x->dev != y->dev)
        return x->dev < y->dev ? -1 : 1;
    if (x->ino != y->ino)
        return x->ino < y->ino ? -1 : 1;
    return (x->ix > y->ix) - (x->ix < y->ix);
}

/* Inode 0 is what packages have that were built without inodes. */
static int mayBeLinked(rpmfiles fi, int ix)
{
    return S_ISREG(rpmfilesFMode(fi, ix)) && !(rpmfilesFFlags(fi, ix) & RPMFILE_GHOST)
        && rpmfilesFInode(fi, ix) != 0;
}

static int sameContent(rpmfiles fi, int a, int b)
{
    if (rpmfilesFSize(fi, a) != rpmfilesFSize(fi, b))
        return 0;
    return fi->digests == NULL || memcmp(rpmfilesFDigest(fi, a, NULL, NULL),
                                         rpmfilesFDigest(fi, b, NULL, NULL), fi->diglen) == 0;
}

/* Store the set of the n sorted inodes at run, behind the ones that are there. */
static int addSet(rpmfiles fi, const struct inode *run, size_t n, size_t *used)
{
    int *set;

    if (fi->linkset == NULL) {
        fi->linkset = rcalloc(fi->fc, sizeof(*fi->linkset));
        /* A set has at least two members, so three numbers for every two files are enough. */
        fi->linkruns = rcalloc((size_t)fi->fc + fi->fc / 2, sizeof(*fi->linkruns));
    }
    set = fi->linkruns + *used;
    set[0] = (int)n;
    for (size_t i = 0; i < n; i++) {
        if (!sameContent(fi, run[0].ix, run[i].ix))
            return run[i].ix;
        set[1 + i] = run[i].ix;
        fi->linkset[run[i].ix] = (uint32_t)(*used + 1);
    }
    *used += n + 1;
    return -1;
}

int rpmfilesFindHardlinks(rpmfiles fi, const rpm_dev_t *devs)
{
    struct inode *inodes = rcalloc(fi->fc, sizeof(*inodes));
    size_t n = 0, used = 0;
    int differs = -1;

    for (int ix = 0; ix < (int)fi->fc; ix++) {
        if (mayBeLinked(fi, ix))
            inodes[n++] = (struct inode){ devs[ix], fi->finodes[ix], ix };
    }
    qsort(inodes, n, sizeof(*inodes), compareInodes);
    for (size_t i = 0, end; i < n && differs < 0; i = end) {
        end = i + 1;
        while (end < n && inodes[end].dev == inodes[i].dev && inodes[end].ino == inodes[i].ino)
            end++;
        if (end - i > 1)
            differs = addSet(fi, inodes + i, end - i, &used);
    }
    rfree(inodes);
    return differs;
}

uint32_t rpmfilesFLinks(rpmfiles fi, int ix, const int **files)
{
    const int *set = NULL;

    if (files != NULL)
        *files = NULL;
    if (fi == NULL || ix < 0 || (rpm_count_t)ix >= fi->fc)
        return 0;
    if (fi->linkset != NULL && fi->linkset[ix] != 0)
        set = fi->linkruns + fi->linkset[ix] - 1;
    if (set != NULL && files != NULL)
        *files = set + 1;
    return set != NULL ? (uint32_t)set[0] : 1;
}

uint32_t rpmfilesFNlink(rpmfiles fi, int ix)
{
    return rpmfilesFLinks(fi, ix, NULL);
}
