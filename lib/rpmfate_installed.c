/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a transaction and those of installed packages.
 *
 * The database finds files by their last component: all of those that the transaction has, too,
 * are looked at, package after package. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "rpmdb_internal.h"
#include "rpmdb_sql.h"
#include "rpmfate.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* An installed package with files of names that the transaction has. */
struct installed {
    struct fate *fate;
    int minWrites;
    unsigned int num; /* of its record */
    Header h;
    int removed;      /* element that erases it, -1 for none */
    rpmfiles files;   /* NULL until something is known of a file but its path */
    int failed;       /* its files make no sense */
    struct rpmtd_s bn, dn, di;
};

static int removedBy(rpmts ts, unsigned int num)
{
    for (int ix = 0; ix < ts->nelements; ix++) {
        if (ts->elements[ix]->type == TR_REMOVED && ts->elements[ix]->dbInstance == num)
            return ix;
    }
    return -1;
}

static void beginPackage(struct installed *in, Header h, unsigned int num)
{
    in->h = headerLink(h);
    in->num = num;
    in->removed = removedBy(in->fate->ts, num);
    in->failed = 0;
    if (in->removed >= 0) {
        in->files = rpmfilesLink(in->fate->ts->elements[in->removed]->files);
    } else {
        headerGet(h, RPMTAG_BASENAMES, &in->bn, HEADERGET_MINMEM);
        headerGet(h, RPMTAG_DIRNAMES, &in->dn, HEADERGET_MINMEM);
        headerGet(h, RPMTAG_DIRINDEXES, &in->di, HEADERGET_MINMEM);
    }
}

static void endPackage(struct installed *in)
{
    if (in->removed < 0) {
        rpmtdFreeData(&in->bn);
        rpmtdFreeData(&in->dn);
        rpmtdFreeData(&in->di);
    }
    in->files = rpmfilesFree(in->files);
    in->h = headerFree(in->h);
}

static rpmfiles filesOf(struct installed *in)
{
    if (in->files == NULL && !in->failed) {
        in->files = rpmfilesNew(NULL, in->h, RPMTAG_BASENAMES, RPMFI_FLAGS_INSTALL);
        in->failed = in->files == NULL;
    }
    return in->files;
}

/* Where a file of the package is: 0, or -1 if that cannot be said. */
static int pathOf(struct installed *in, unsigned int fx, struct fateEntry *path)
{
    const uint32_t *di;
    const char *dn;

    if (in->removed >= 0) {
        if (fx >= rpmfilesFC(in->files))
            return -1;
        path->bn = rpmfilesBN(in->files, (int) fx);
        path->dir = in->fate->dirs[in->removed][rpmfilesDI(in->files, (int) fx)];
        return 0;
    }
    if (rpmtdSetIndex(&in->bn, (int) fx) < 0 || rpmtdSetIndex(&in->di, (int) fx) < 0 ||
        (di = rpmtdGetUint32(&in->di)) == NULL || rpmtdSetIndex(&in->dn, (int) *di) < 0)
        return -1;
    path->bn = rpmtdGetString(&in->bn);
    dn = rpmtdGetString(&in->dn);
    path->dir = dn != NULL ? rpmFateDir(in->fate, dn) : NULL;
    return path->bn != NULL && path->dir != NULL ? 0 : -1;
}

static rpmRoot rootOf(struct installed *in)
{
    return in->fate->ts->root;
}

/* What is at the path of a file: 0, or -1 if there is nothing. */
static int statFile(struct installed *in, rpmfiles files, int fx, struct stat *sb)
{
    const char *bn = rpmfilesBN(files, fx);
    int dirfd = rpmRootDir(rootOf(in), rpmfilesDN(files, rpmfilesDI(files, fx)), 0);

    return dirfd < 0 ? -1 : fstatat(dirfd, *bn != '\0' ? bn : ".", sb, AT_SYMLINK_NOFOLLOW);
}

static int leadsToDir(struct installed *in, rpmfiles files, int fx)
{
    char *path = rpmfilesFN(files, fx);
    int fd = rpmRootOpenDir(rootOf(in), path, 0);

    if (fd >= 0)
        close(fd);
    rfree(path);
    return fd >= 0;
}

/* A package that is removed is no conflict, unless the change cannot be made: a directory is
 * full of files that may be others', and what is installed by way of a symlink would stay where
 * it points. */
static int isRemovalConflict(struct installed *in, rpmte te, int fx, int ofx)
{
    mode_t mode = rpmfilesFMode(te->files, fx);
    mode_t omode = rpmfilesFMode(in->files, ofx);
    struct stat sb;

    if (S_ISDIR(omode) ? S_ISDIR(mode)
                       : !(S_ISLNK(omode) && S_ISDIR(mode) && leadsToDir(in, te->files, fx)))
        return 0;
    return statFile(in, te->files, fx, &sb) == 0 && (sb.st_mode & S_IFMT) != (mode & S_IFMT);
}

static int hasPretrans(rpmte te)
{
    return headerIsEntry(te->h, RPMTAG_PRETRANS) || headerIsEntry(te->h, RPMTAG_PRETRANSPROG);
}

static void addConflict(struct installed *in, rpmte te, int fx)
{
    char *nevra = headerGetAsString(in->h, RPMTAG_NEVRA);
    char *path = rpmfilesFN(te->files, fx);

    rpmteAddProblem(te, RPMPROB_FILE_CONFLICT, nevra, path, in->num);
    rfree(path);
    free(nevra);
}

static void decideDifferent(struct installed *in, rpmte te, int fx, int ofx, int isConfig)
{
    rpmts ts = in->fate->ts;
    int conflicts = in->removed < 0 || isRemovalConflict(in, te, fx, ofx);
    char state = RPMFILE_STATE_REPLACED;

    /* Its %pretrans may make the way free: then the transaction itself will see. */
    if (in->removed >= 0 && conflicts && (ts->flags & RPMTRANS_FLAG_TEST) && hasPretrans(te))
        conflicts = 0;
    if (conflicts && rpmFateColor(ts, te, fx, in->files, ofx, NULL)) {
        conflicts = 0;
        if (te->actions[fx] == FA_CREATE)
            state = RPMFILE_STATE_WRONGCOLOR;
    }
    if (conflicts && !(ts->ignoreSet & RPMPROB_FILTER_REPLACEOLDFILES))
        addConflict(in, te, fx);
    if (in->removed < 0 && !isConfig && !XFA_SKIPPING(te->actions[fx]))
        rpmteAddReplaced(te, in->num, ofx, state);
}

static uint64_t sizeOf(rpmfiles files, int fx)
{
    const int *links = NULL;
    uint32_t n = rpmfilesFLinks(files, fx, &links);

    return n > 1 && links[n - 1] != fx ? 0 : rpmfilesFSize(files, fx);
}

static void decideAdded(struct installed *in, const struct fateEntry *e, int ofx)
{
    rpmts ts = in->fate->ts;
    rpmte te = ts->elements[e->ix];
    rpmFileAction *action = &te->actions[e->fx];
    int isConfig;

    if (XFA_SKIPPING(*action) || filesOf(in) == NULL || ofx >= (int) rpmfilesFC(in->files) ||
        rpmfilesFState(in->files, ofx) == RPMFILE_STATE_NOTINSTALLED)
        return;
    isConfig = ((rpmfilesFFlags(in->files, ofx) | rpmfilesFFlags(te->files, e->fx)) &
                RPMFILE_CONFIG) != 0;
    if (rpmFateCompare(in->files, ofx, te->files, e->fx))
        decideDifferent(in, te, e->fx, ofx, isConfig);
    if (isConfig)
        *action = rpmFateConfig(ts->root, in->files, ofx, te->files, e->fx,
                                !(ts->flags & RPMTRANS_FLAG_ALLFILES));
    in->fate->replaced[e->ix][e->fx] = sizeOf(in->files, ofx) + 1;
    if (in->minWrites && !isConfig && *action == FA_UNKNOWN &&
        rpmFateNeedsNoWrite(ts->root, in->files, ofx, te->files, e->fx))
        *action = FA_TOUCH;
}

/* What an installed package has stays. */
static void decideRemoved(struct installed *in, const struct fateEntry *e, int ofx)
{
    if (in->removed < 0 && filesOf(in) != NULL &&
        rpmfilesFState(in->files, ofx) == RPMFILE_STATE_NORMAL)
        in->fate->ts->elements[e->ix]->actions[e->fx] = FA_SKIP;
}

static void decideFile(struct installed *in, unsigned int ofx)
{
    struct fate *fate = in->fate;
    struct fateEntry path;

    if (pathOf(in, ofx, &path))
        return;
    for (size_t i = rpmFateFirst(fate, &path);
         i < fate->nentries && rpmFateCmpPath(&fate->entries[i], &path) == 0; i++) {
        const struct fateEntry *e = &fate->entries[i];
        if (fate->ts->elements[e->ix]->type == TR_ADDED)
            decideAdded(in, e, (int) ofx);
        else
            decideRemoved(in, e, (int) ofx);
    }
}

static int cmpName(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static rpmdbMatchIterator findFiles(struct fate *fate)
{
    rpmdbMatchIterator mi = rpmdbNewIterator(fate->ts->rdb, RPMDBI_BASENAMES);
    const char **names = rcalloc(fate->nentries, sizeof(*names));

    for (size_t i = 0; i < fate->nentries; i++)
        names[i] = fate->entries[i].bn;
    qsort(names, fate->nentries, sizeof(*names), cmpName);
    rpmdbBeginReading(fate->ts->rdb);
    for (size_t i = 0; i < fate->nentries; i++) {
        size_t len = strlen(names[i]);
        if (i == 0 || !rstreq(names[i - 1], names[i]))
            rpmdbExtendIterator(mi, names[i], len > 0 ? len : 1); /* 1: the root directory */
    }
    rpmdbEndReading(fate->ts->rdb);
    rfree(names);
    rpmdbSortIterator(mi);
    return mi;
}

int rpmFateInstalled(struct fate *fate)
{
    struct installed in = { .fate = fate };
    rpmdbMatchIterator mi;
    int rc;
    Header h;

    if (fate->ts->rdb == NULL)
        return 0;
    in.minWrites = rpmExpandNumeric("%{?_minimize_writes}") > 0;
    mi = findFiles(fate);
    while ((h = rpmdbNextIterator(mi)) != NULL) {
        if (in.h == NULL || in.num != rpmdbGetIteratorOffset(mi)) {
            if (in.h != NULL)
                endPackage(&in);
            beginPackage(&in, h, rpmdbGetIteratorOffset(mi));
        }
        decideFile(&in, rpmdbGetIteratorFileNum(mi));
    }
    if (in.h != NULL)
        endPackage(&in);
    rc = rpmdbIteratorFailed(mi) ? -1 : 0;
    rpmdbFreeIterator(mi);
    return rc;
}
