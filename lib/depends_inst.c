/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What packages that stay installed say of those that come and go.
 *
 * Their rich dependencies are not evaluated. They stop a transaction by which a name in them
 * appears or disappears, and no other. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmdb.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "depends_internal.h"
#include "rpmds_internal.h"

static void checkRich(struct depends *d, rpmds ds, const char *name, const char *nevra)
{
    bool before = dependsInstalled(d, name, false);
    bool after = rpmalHasName(d->added, name) ||
        (name[0] == '/' && rpmalHasFile(d->added, name)) || dependsInstalled(d, name, true);

    if (before == after)
        return;
    rpmlog(RPMLOG_ERR,
           "installed package %s has the rich dependency %s, which this version does not "
           "evaluate, and %s %s: --nodeps goes without\n", nevra, rpmdsN(ds), name,
           after ? "would come" : "would go");
    d->failed = -1;
}

/* The key of a name whose absence matters begins with a `!`. */
static const char *nameOf(const char *key)
{
    return key[0] == '!' ? key + 1 : key;
}

static void checkEntry(struct depends *d, rpmte te, Header h, rpmds ds, const char *key,
                       rpmds range)
{
    bool wanted = rpmdsTagN(ds) == RPMTAG_REQUIRENAME;
    char *nevra = NULL;

    if (rpmdsIsRich(ds)) {
        nevra = headerGetAsString(h, RPMTAG_NEVRA);
        checkRich(d, ds, nameOf(key), nevra);
    } else if ((range == NULL || rpmdsCompare(ds, range)) && dependsMet(d, ds, -1) != wanted) {
        nevra = headerGetAsString(h, RPMTAG_NEVRA);
        dependsAddProblem(d, te, ds, nevra);
    }
    rfree(nevra);
}

/* Check the dependencies of one name. They must be in the range of a set's entry, if there is one:
 * those on files have none. */
static void checkKey(struct depends *d, rpmte te, rpmTagVal tagN, const char *key, rpmds range)
{
    rpmdbMatchIterator mi;
    Header h;

    if (key[0] == '\0')
        return;
    mi = rpmtsInitIterator(d->ts, tagN, key, 0);
    while ((h = rpmdbNextIterator(mi)) != NULL) {
        unsigned int hdrNum = rpmdbGetIteratorOffset(mi);
        rpmds ds;

        if (dependsIsRemoved(d, hdrNum) ||
            (tagN != RPMTAG_REQUIRENAME && hdrNum == te->dbInstance))
            continue;
        ds = rpmdsNew(h, tagN, 0);
        rpmdsSetIx(ds, (int)rpmdbGetIteratorFileNum(mi));
        if (rpmdsIx(ds) >= 0)
            checkEntry(d, te, h, ds, key, range);
        rpmdsFree(ds);
    }
    rpmdbFreeIterator(mi);
}

static void checkAbsence(struct depends *d, rpmte te, rpmTagVal tagN, const char *name)
{
    char *key = rstrscat(NULL, "!", name, NULL);

    checkKey(d, te, tagN, key, NULL);
    rfree(key);
}

static int compareFileDeps(const void *a, const void *b)
{
    const struct fileDep *da = a, *db = b;
    int rc = strcmp(da->base, db->base);

    return rc != 0 ? rc : strcmp(da->key, db->key);
}

static void addFileDep(struct fileDeps *list, const char *key, size_t len)
{
    struct fileDep *dep;

    if ((list->count & (list->count - 1)) == 0)
        list->deps = rreallocn(list->deps, 2 * list->count + 1, sizeof(*list->deps));
    dep = &list->deps[list->count++];
    dep->key = rstrndup(key, len);
    dep->path = nameOf(dep->key);
    dep->base = strrchr(dep->path, '/') + 1;
    dep->dir = rstrndup(dep->path, (size_t)(dep->base - dep->path));
}

static void makeFileDeps(struct depends *d, struct fileDeps *list, rpmTagVal tagN)
{
    rpmdb db = rpmtsFlags(d->ts) & RPMTRANS_FLAG_NODB ? NULL : rpmtsGetRdb(d->ts);
    rpmdbIndexIterator ii = rpmdbIndexKeyIteratorInit(db, (rpmDbiTag)tagN);
    const void *key;
    size_t len;

    while (rpmdbIndexIteratorNext(ii, &key, &len) == 0) {
        const char *s = key;
        if ((len > 0 && s[0] == '/') || (len > 1 && s[0] == '!' && s[1] == '/'))
            addFileDep(list, s, len);
    }
    rpmdbIndexIteratorFree(ii);
    if (list->count > 0)
        qsort(list->deps, list->count, sizeof(*list->deps), compareFileDeps);
    list->made = true;
}

static void freeFileDeps(struct fileDeps *list)
{
    for (size_t i = 0; i < list->count; i++) {
        rfree(list->deps[i].key);
        rfree(list->deps[i].dir);
    }
    rfree(list->deps);
}

void dependsFreeFileDeps(struct depends *d)
{
    freeFileDeps(&d->requires);
    freeFileDeps(&d->conflicts);
}

/* The first with a base name, or the number of all. */
static size_t firstFileDep(const struct fileDeps *list, const char *base)
{
    size_t low = 0;
    size_t high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(list->deps[middle].base, base) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void checkFile(struct depends *d, rpmte te, rpmTagVal tagN, const struct fileDeps *list,
                      int ix)
{
    const char *base = rpmfilesBN(te->files, ix);
    const char *dir = rpmfilesDN(te->files, rpmfilesDI(te->files, ix));

    for (size_t i = firstFileDep(list, base);
         i < list->count && rstreq(list->deps[i].base, base); i++) {
        const struct fileDep *dep = &list->deps[i];

        if (!rpmPlacesSame(d->places, dep->dir, dir))
            continue;
        if (te->type == TR_REMOVED && rpmalHasFile(d->added, dep->path))
            continue;
        checkKey(d, te, tagN, dep->key, NULL);
    }
}

static void checkFiles(struct depends *d, rpmte te, rpmTagVal tagN, struct fileDeps *list)
{
    if (!list->made)
        makeFileDeps(d, list, tagN);
    if (list->count == 0)
        return;
    for (int ix = 0; ix < (int)rpmfilesFC(te->files); ix++) {
        if (te->type != TR_REMOVED || RPMFILE_IS_INSTALLED(rpmfilesFState(te->files, ix)))
            checkFile(d, te, tagN, list, ix);
    }
}

void dependsCheckAdded(struct depends *d, rpmte te)
{
    rpmds provides = rpmdsNew(te->h, RPMTAG_PROVIDENAME, 0);
    rpmds self = rpmdsNew(te->h, RPMTAG_NAME, 0);

    while (rpmdsNext(provides) >= 0) {
        checkKey(d, te, RPMTAG_CONFLICTNAME, rpmdsN(provides), provides);
        checkAbsence(d, te, RPMTAG_REQUIRENAME, rpmdsN(provides));
    }
    if (rpmdsNext(self) >= 0)
        checkKey(d, te, RPMTAG_OBSOLETENAME, rpmdsN(self), self);
    checkFiles(d, te, RPMTAG_CONFLICTNAME, &d->conflicts);
    rpmdsFree(provides);
    rpmdsFree(self);
}

/* Where the very same provide comes back, nothing changes: that is most of them in an upgrade. */
void dependsCheckRemoved(struct depends *d, rpmte te)
{
    rpmds provides = rpmdsNew(te->h, RPMTAG_PROVIDENAME, 0);

    while (rpmdsNext(provides) >= 0) {
        if (rpmalHasProvide(d->added, provides))
            continue;
        checkKey(d, te, RPMTAG_REQUIRENAME, rpmdsN(provides), provides);
        checkAbsence(d, te, RPMTAG_CONFLICTNAME, rpmdsN(provides));
    }
    checkFiles(d, te, RPMTAG_REQUIRENAME, &d->requires);
    rpmdsFree(provides);
}
