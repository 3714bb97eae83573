/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding packages by label and by file. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmfiles.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtd.h>

#include "rpmdb_sql.h"
#include "rpmplaces.h"

/* A reading of a label; NULL and -1: any. Version, release and arch may be patterns. */
struct reading {
    const char *name;
    int64_t epoch;
    const char *version;
    const char *release;
    const char *arch;
};

static const char *splitEpoch(const char *s, int64_t *epoch)
{
    char *end;
    int saved = errno;
    long e = strtol(s, &end, 10);

    errno = saved;
    *epoch = -1;
    if (*end != ':' || e < 0 || e > UINT32_MAX)
        return s;
    *epoch = e;
    return end + 1;
}

/* 1: the record fits, 0: it does not, -1: a pattern is bad. */
static int fits(rpmdb db, const struct reading *r, unsigned int hdrNum)
{
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_PACKAGES, &hdrNum, sizeof(hdrNum));
    int rc = -1;
    Header h;

    if ((r->version != NULL &&
            rpmdbSetIteratorRE(mi, RPMTAG_VERSION, RPMMIRE_DEFAULT, r->version)) ||
        (r->release != NULL &&
            rpmdbSetIteratorRE(mi, RPMTAG_RELEASE, RPMMIRE_DEFAULT, r->release)) ||
        (r->arch != NULL && rpmdbSetIteratorRE(mi, RPMTAG_ARCH, RPMMIRE_DEFAULT, r->arch)))
        goto exit;
    h = rpmdbNextIterator(mi);
    rc = h != NULL &&
        (r->epoch < 0 || headerGetNumber(h, RPMTAG_EPOCH) == (uint64_t)r->epoch);

exit:
    rpmdbFreeIterator(mi);
    return rc;
}

static int findReading(rpmdb db, const struct reading *r, struct rpmdbSet_s *set)
{
    unsigned int kept = 0;

    if (rpmdbSetGet(db, rpmdbTableOf(RPMDBI_NAME), r->name, strlen(r->name), set))
        return -1;
    if (r->epoch < 0 && r->version == NULL && r->release == NULL && r->arch == NULL)
        return 0;
    for (unsigned int i = 0; i < set->count; i++) {
        int rc = fits(db, r, set->entries[i].hdrNum);
        if (rc < 0)
            return -1;
        if (rc > 0)
            set->entries[kept++] = set->entries[i];
    }
    set->count = kept;
    return 0;
}

/* The last dash of a string that ends at `end`, unless it is at either end; brackets as upstream
 * takes them. */
static char *lastDash(char *start, char *end)
{
    bool brackets = false;
    char after = '\0';

    for (char *s = end - 1; s > start; s--) {
        if (*s == '[')
            brackets = true;
        else if (*s == ']' && after != '[')
            brackets = false;
        else if (*s == '-' && !brackets && after != '\0')
            return s;
        after = *s;
    }
    return NULL;
}

/* A name, a name and a version, a name and a version and a release: the first that is there. */
static int findWithArch(rpmdb db, const char *label, size_t len, const char *arch,
    struct rpmdbSet_s *set)
{
    char *name = rstrndup(label, len);
    struct reading r = { .name = name, .epoch = -1, .arch = arch };
    char *end = name + len;
    int rc = len > 0 ? findReading(db, &r, set) : 0;

    while (rc == 0 && set->count == 0 && r.release == NULL && len > 0) {
        char *dash = lastDash(name, end);
        if (dash == NULL)
            break;
        r.release = r.version != NULL ? end + 1 : NULL;
        *dash = '\0';
        r.version = splitEpoch(dash + 1, &r.epoch);
        end = dash;
        rc = findReading(db, &r, set);
    }
    rfree(name);
    return rc;
}

/* "name(epoch:version)" as "name-version": the epoch is dropped, as upstream does. NULL after an
 * error that is logged. */
static char *withoutParens(const char *label)
{
    char *plain = rmalloc(strlen(label) + 1);
    const char *wrong = NULL;
    char *t = plain;
    int level = 0;

    for (const char *s = label; *s != '\0' && wrong == NULL; s++) {
        if (*s == '(') {
            size_t digits = strspn(s + 1, "0123456789");
            wrong = level++ != 0 ? "extra '('" : NULL;
            *t++ = '-';
            s += s[digits + 1] == ':' ? digits + 1 : 0;
        } else if (*s == ')') {
            wrong = --level != 0 ? "missing '('" : NULL;
        } else {
            *t++ = *s;
        }
    }
    *t = '\0';
    if (wrong == NULL && level != 0)
        wrong = "missing ')'";
    if (wrong != NULL) {
        rpmlog(RPMLOG_ERR, "%s in package label: %s\n", wrong, label);
        plain = rfree(plain);
    }
    return plain;
}

int rpmdbFindLabel(rpmdb db, const char *label, struct rpmdbSet_s *set)
{
    char *plain = strchr(label, '(') != NULL ? withoutParens(label) : rstrdup(label);
    const char *dot;
    int rc;

    if (plain == NULL)
        return -1;
    rc = findWithArch(db, plain, strlen(plain), NULL, set);
    dot = strrchr(plain, '.');
    if (rc == 0 && set->count == 0 && dot != NULL)
        rc = findWithArch(db, plain, (size_t)(dot - plain), dot + 1, set);
    rfree(plain);
    return rc;
}

struct fileSearch {
    rpmPlaces places;
    const char *dir;
    const char *base;
    bool installed;
    struct rpmdbSet_s *found;
};

static bool isInstalled(Header h, unsigned int ix)
{
    struct rpmtd_s states;
    bool installed = true;

    if (headerGet(h, RPMTAG_FILESTATES, &states, HEADERGET_MINMEM)) {
        if (rpmtdSetIndex(&states, (int)ix) >= 0)
            installed = RPMFILE_IS_INSTALLED(rpmtdGetNumber(&states));
        rpmtdFreeData(&states);
    }
    return installed;
}

static bool hasBase(Header h, unsigned int ix, const char *base)
{
    struct rpmtd_s bases;
    bool has = false;

    if (headerGet(h, RPMTAG_BASENAMES, &bases, HEADERGET_MINMEM)) {
        has = rpmtdSetIndex(&bases, (int)ix) >= 0 && rstreq(rpmtdGetString(&bases), base);
        rpmtdFreeData(&bases);
    }
    return has;
}

/* Name of the directory of a file, in dirs; NULL if the header makes no sense. */
static const char *dirOf(Header h, unsigned int ix, rpmtd dirs)
{
    struct rpmtd_s dirIndexes;
    const char *dir = NULL;

    if (headerGet(h, RPMTAG_DIRINDEXES, &dirIndexes, HEADERGET_MINMEM) &&
        rpmtdSetIndex(&dirIndexes, (int)ix) >= 0 &&
        rpmtdSetIndex(dirs, (int)rpmtdGetNumber(&dirIndexes)) >= 0)
        dir = rpmtdGetString(dirs);
    rpmtdFreeData(&dirIndexes);
    return dir;
}

static void checkFile(struct fileSearch *fs, Header h, unsigned int hdrNum, unsigned int ix)
{
    struct rpmtd_s dirs;
    const char *dir;

    if (!hasBase(h, ix, fs->base) || (fs->installed && !isInstalled(h, ix)))
        return;
    headerGet(h, RPMTAG_DIRNAMES, &dirs, HEADERGET_MINMEM);
    dir = dirOf(h, ix, &dirs);
    if (dir != NULL && rpmPlacesSame(fs->places, dir, fs->dir))
        rpmdbSetAdd(fs->found, hdrNum, ix);
    rpmtdFreeData(&dirs);
}

static void checkFiles(struct fileSearch *fs, rpmdb db, const struct rpmdbSet_s *all)
{
    Header h = NULL;
    unsigned int at = 0;

    for (unsigned int i = 0; i < all->count; i++) {
        if (all->entries[i].hdrNum != at) {
            headerFree(h);
            at = all->entries[i].hdrNum;
            h = rpmdbGetHeaderAt(db, at);
        }
        if (h != NULL)
            checkFile(fs, h, at, all->entries[i].ix);
    }
    headerFree(h);
}

int rpmdbFindFile(rpmdb db, const char *path, bool installed, struct rpmdbSet_s *set)
{
    struct fileSearch fs = { .installed = installed, .found = set };
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    char *dir = rstrndup(path, (size_t)(base - path));
    struct rpmdbSet_s all = { 0 };
    int rc = rpmdbSetGet(db, rpmdbTableOf(RPMDBI_BASENAMES), base, strlen(base), &all);

    if (rc == 0 && all.count > 0) {
        rpmdbSetSort(&all);
        fs.places = rpmPlacesNew(db->root);
        fs.dir = dir;
        fs.base = base;
        checkFiles(&fs, db, &all);
        rpmPlacesFree(fs.places);
    }
    rpmdbSetFini(&all);
    rfree(dir);
    return rc;
}
