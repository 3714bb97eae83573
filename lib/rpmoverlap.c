/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of one path in several packages, or twice in one by way of a symlink.
 *
 * Paths are told apart by the directory that they lead to on this disk, so that /bin/sh and
 * /usr/bin/sh are one where /bin is a symlink. All files are sorted by that, and by the order of
 * installation within one path. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmfate.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

struct entry {
    const struct fateDir *dir;
    const char *bn;
    int ix; /* element */
    int fx; /* file */
};

/* Below a file or an untrusted symlink there is nothing, now: whether the package puts a
 * directory there shows when it is unpacked. */
static int openNearest(rpmRoot root, const char *dn, char **rest)
{
    char *path = rstrdup(dn);
    int fd = rpmRootNearestDir(root, path, rest);

    while (fd < 0 && (errno == ENOTDIR || errno == ELOOP)) {
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
        fd = rpmRootNearestDir(root, path, rest);
        if (fd >= 0)
            rstrscat(rest, "/", dn + strlen(path) + 1, NULL);
    }
    rfree(path);
    return fd;
}

static int findDir(struct fate *fate, rpmte te, const char *dn, struct fateDir *dir)
{
    struct stat sb;
    int rc = -1;
    int fd = openNearest(fate->ts->root, dn, &dir->rest);

    if (fd >= 0 && fstat(fd, &sb) == 0) {
        dir->dev = sb.st_dev;
        dir->ino = sb.st_ino;
        dir->fs = rpmFateFilesystem(fate, fd, dn);
        rc = dir->fs < 0 ? -1 : 0;
    }
    if (rc)
        rpmlog(RPMLOG_ERR, "package %s: directory %s cannot be looked at: %s\n", te->NEVRA, dn,
               strerror(errno));
    if (fd >= 0)
        close(fd);
    return rc;
}

int rpmFateFindDirs(struct fate *fate)
{
    for (int ix = 0; ix < fate->n; ix++) {
        rpmte te = fate->ts->elements[ix];
        for (rpm_count_t di = 0; di < rpmfilesDC(te->files); di++) {
            if (findDir(fate, te, rpmfilesDN(te->files, (int) di), &fate->dirs[ix][di]))
                return -1;
        }
    }
    return 0;
}

static int order(uintmax_t a, uintmax_t b)
{
    return a < b ? -1 : a > b;
}

static int cmpPath(const struct entry *a, const struct entry *b)
{
    int rc = order(a->dir->dev, b->dir->dev);

    if (rc == 0)
        rc = order(a->dir->ino, b->dir->ino);
    if (rc == 0)
        rc = strcmp(a->dir->rest, b->dir->rest);
    return rc != 0 ? rc : strcmp(a->bn, b->bn);
}

static int cmpEntry(const void *va, const void *vb)
{
    const struct entry *a = va, *b = vb;
    int rc = cmpPath(a, b);

    if (rc == 0)
        rc = order(a->ix, b->ix);
    return rc != 0 ? rc : order(a->fx, b->fx);
}

static struct entry *sortedEntries(struct fate *fate, size_t *np)
{
    struct entry *entries;
    size_t n = 0;

    for (int ix = 0; ix < fate->n; ix++)
        n += rpmfilesFC(fate->ts->elements[ix]->files);
    entries = rcalloc(n, sizeof(*entries));
    *np = n;
    n = 0;
    for (int ix = 0; ix < fate->n; ix++) {
        rpmfiles files = fate->ts->elements[ix]->files;
        for (int fx = 0; fx < (int) rpmfilesFC(files); fx++) {
            entries[n].dir = &fate->dirs[ix][rpmfilesDI(files, fx)];
            entries[n].bn = rpmfilesBN(files, fx);
            entries[n].ix = ix;
            entries[n++].fx = fx;
        }
    }
    qsort(entries, n, sizeof(*entries), cmpEntry);
    return entries;
}

static int same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && rstreq(a, b));
}

static int sameDigest(rpmfiles a, int ax, rpmfiles b, int bx)
{
    int aalgo, balgo;
    size_t alen, blen;
    const unsigned char *adigest = rpmfilesFDigest(a, ax, &aalgo, &alen);
    const unsigned char *bdigest = rpmfilesFDigest(b, bx, &balgo, &blen);

    if (adigest == NULL || bdigest == NULL)
        return adigest == bdigest;
    return aalgo == balgo && alen == blen && memcmp(adigest, bdigest, alen) == 0;
}

int rpmFateCompare(rpmfiles a, int ax, rpmfiles b, int bx)
{
    mode_t amode = rpmfilesFMode(a, ax);
    mode_t bmode = rpmfilesFMode(b, bx);
    int links = S_ISLNK(amode) && S_ISLNK(bmode);

    if ((rpmfilesFFlags(a, ax) | rpmfilesFFlags(b, bx)) & RPMFILE_GHOST)
        return 0;
    if ((amode != bmode && !links) || !same(rpmfilesFUser(a, ax), rpmfilesFUser(b, bx)) ||
        !same(rpmfilesFGroup(a, ax), rpmfilesFGroup(b, bx)))
        return 1;
    if (links)
        return !same(rpmfilesFLink(a, ax), rpmfilesFLink(b, bx));
    if (S_ISREG(amode))
        return rpmfilesFSize(a, ax) != rpmfilesFSize(b, bx) || !sameDigest(a, ax, b, bx);
    if (S_ISCHR(amode) || S_ISBLK(amode))
        return rpmfilesFRdev(a, ax) != rpmfilesFRdev(b, bx);
    return 0;
}

/* The only package of the transaction with this path, or the first. */
static rpmFileAction actionAlone(struct fate *fate, rpmte te, int fx)
{
    if (!rpmFateConfigConflict(fate->ts->root, te->files, fx))
        return FA_CREATE;
    return rpmfilesFFlags(te->files, fx) & RPMFILE_NOREPLACE ? FA_ALTNAME : FA_BACKUP;
}

static void decideShared(struct fate *fate, const struct entry *e, const struct entry *before)
{
    rpmte te = fate->ts->elements[e->ix];
    rpmte other = fate->ts->elements[before->ix];
    rpmFileAction oaction = other->actions[before->fx];
    rpmfileAttrs attrs = rpmfilesFFlags(te->files, e->fx);
    rpmFileAction *action = &te->actions[e->fx];

    if (rpmFateCompare(other->files, before->fx, te->files, e->fx)) {
        if (!(fate->ts->ignoreSet & RPMPROB_FILTER_REPLACENEWFILES)) {
            char *path = rpmfilesFN(te->files, e->fx);
            rpmteAddProblem(te, RPMPROB_NEW_FILE_CONFLICT, other->NEVRA, path, 0);
            rfree(path);
        }
    } else if (!XFA_SKIPPING(oaction) &&
               !(rpmfilesFFlags(other->files, before->fx) & RPMFILE_GHOST)) {
        *action = FA_SKIP;
        return;
    }
    fate->shared[e->ix][e->fx] = rpmfilesFSize(other->files, before->fx) + 1;
    if (rpmFateConfigConflict(fate->ts->root, te->files, e->fx))
        *action = attrs & RPMFILE_NOREPLACE ? FA_ALTNAME : FA_SKIP;
    else
        *action = FA_CREATE;
}

int rpmFateOverlaps(struct fate *fate)
{
    size_t n;
    struct entry *entries = sortedEntries(fate, &n);
    const struct entry *before = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct entry *e = &entries[i];
        rpmte te = fate->ts->elements[e->ix];

        if (before != NULL && cmpPath(before, e) != 0)
            before = NULL;
        if (!XFA_SKIPPING(te->actions[e->fx])) {
            if (before != NULL)
                decideShared(fate, e, before);
            else
                te->actions[e->fx] = actionAlone(fate, te, e->fx);
        }
        /* Shared with `before`, which puts it there. */
        if (before == NULL || te->actions[e->fx] != FA_SKIP)
            before = e;
    }
    rfree(entries);
    return 0;
}
