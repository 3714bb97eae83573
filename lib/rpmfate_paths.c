/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the files of a transaction are.
 *
 * Paths are told apart by the directory that they lead to on this disk, so that /bin/sh and
 * /usr/bin/sh are one where /bin is a symlink. All files are sorted by that, and by the order of
 * elements within one path. */

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmfate.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* A directory that was looked up. */
struct known {
    char *dn;
    struct fateDir dir;
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

static int cmpKnown(const void *a, const void *b)
{
    return strcmp(((const struct known *) a)->dn, ((const struct known *) b)->dn);
}

static void freeKnown(void *data)
{
    struct known *k = data;

    rfree(k->dn);
    rfree(k->dir.rest);
    rfree(k);
}

static int findDir(struct fate *fate, const char *dn, struct fateDir *dir)
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
    if (fd >= 0)
        close(fd);
    return rc;
}

const struct fateDir *rpmFateDir(struct fate *fate, const char *dn)
{
    struct known *k = rcalloc(1, sizeof(*k));
    struct known **node;

    k->dn = rstrdup(dn);
    node = tsearch(k, &fate->known, cmpKnown);
    if (*node != k) {
        freeKnown(k);
    } else if (findDir(fate, dn, &k->dir)) {
        int saved = errno;
        tdelete(k, &fate->known, cmpKnown);
        freeKnown(k);
        errno = saved;
        return NULL;
    }
    return &(*node)->dir;
}

int rpmFateFindDirs(struct fate *fate)
{
    for (int ix = 0; ix < fate->n; ix++) {
        rpmte te = fate->ts->elements[ix];
        for (int di = 0; di < (int) rpmfilesDC(te->files); di++) {
            const char *dn = rpmfilesDN(te->files, di);
            fate->dirs[ix][di] = rpmFateDir(fate, dn);
            if (fate->dirs[ix][di] == NULL) {
                rpmlog(RPMLOG_ERR, "package %s: directory %s cannot be looked at: %s\n",
                       te->NEVRA, dn, strerror(errno));
                return -1;
            }
        }
    }
    return 0;
}

static int order(uintmax_t a, uintmax_t b)
{
    return a < b ? -1 : a > b;
}

int rpmFateCmpPath(const struct fateEntry *a, const struct fateEntry *b)
{
    int rc = a->dir == b->dir ? 0 : order(a->dir->dev, b->dir->dev);

    if (rc == 0 && a->dir != b->dir)
        rc = order(a->dir->ino, b->dir->ino);
    if (rc == 0 && a->dir != b->dir)
        rc = strcmp(a->dir->rest, b->dir->rest);
    return rc != 0 ? rc : strcmp(a->bn, b->bn);
}

static int cmpEntry(const void *va, const void *vb)
{
    const struct fateEntry *a = va, *b = vb;
    int rc = rpmFateCmpPath(a, b);

    if (rc == 0)
        rc = order(a->ix, b->ix);
    return rc != 0 ? rc : order(a->fx, b->fx);
}

/* What is left out has no path to fight for. */
void rpmFateSort(struct fate *fate)
{
    size_t n = 0;

    for (int ix = 0; ix < fate->n; ix++)
        n += rpmfilesFC(fate->ts->elements[ix]->files);
    fate->entries = rcalloc(n, sizeof(*fate->entries));
    for (int ix = 0; ix < fate->n; ix++) {
        rpmte te = fate->ts->elements[ix];
        for (int fx = 0; fx < (int) rpmfilesFC(te->files); fx++) {
            if (XFA_SKIPPING(te->actions[fx]))
                continue;
            fate->entries[fate->nentries++] = (struct fateEntry) {
                .dir = fate->dirs[ix][rpmfilesDI(te->files, fx)],
                .bn = rpmfilesBN(te->files, fx), .ix = ix, .fx = fx,
            };
        }
    }
    qsort(fate->entries, fate->nentries, sizeof(*fate->entries), cmpEntry);
    for (size_t i = 0; i < fate->nentries; i++)
        fate->where[fate->entries[i].ix][fate->entries[i].fx] = i + 1;
}

size_t rpmFateFirst(const struct fate *fate, const struct fateEntry *path)
{
    size_t low = 0, high = fate->nentries;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rpmFateCmpPath(&fate->entries[middle], path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void rpmFateInit(struct fate *fate, rpmts ts)
{
    memset(fate, 0, sizeof(*fate));
    fate->ts = ts;
    fate->n = ts->nelements;
    fate->dirs = rcalloc(fate->n, sizeof(*fate->dirs));
    fate->where = rcalloc(fate->n, sizeof(*fate->where));
    fate->shared = rcalloc(fate->n, sizeof(*fate->shared));
    fate->replaced = rcalloc(fate->n, sizeof(*fate->replaced));
    for (int ix = 0; ix < fate->n; ix++) {
        rpmte te = ts->elements[ix];
        rpm_count_t fc = rpmfilesFC(te->files);
        rpmFateSkip(ts, te);
        fate->dirs[ix] = rcalloc(rpmfilesDC(te->files), sizeof(**fate->dirs));
        fate->where[ix] = rcalloc(fc, sizeof(**fate->where));
        fate->shared[ix] = rcalloc(fc, sizeof(**fate->shared));
        fate->replaced[ix] = rcalloc(fc, sizeof(**fate->replaced));
    }
}

void rpmFateFini(struct fate *fate)
{
    for (int ix = 0; ix < fate->n; ix++) {
        rfree(fate->dirs[ix]);
        rfree(fate->where[ix]);
        rfree(fate->shared[ix]);
        rfree(fate->replaced[ix]);
    }
    for (int i = 0; i < fate->nfs; i++)
        rfree(fate->fs[i].name);
    tdestroy(fate->known, freeKnown);
    rfree(fate->entries);
    rfree(fate->fs);
    rfree(fate->dirs);
    rfree(fate->where);
    rfree(fate->shared);
    rfree(fate->replaced);
}
