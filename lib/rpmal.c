/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What packages provide: three lists, sorted by name when first searched. Within a name the order
 * is that of the packages. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>

#include "rpmal.h"
#include "rpmds_internal.h"

struct package {
    rpmds self;     /* its name and version */
    rpmds provides; /* NULL for none */
    rpmfiles files; /* NULL for none */
    bool preferred; /* by its color */
};

struct item {
    const char *name; /* the package's: provide, base name of a file, package */
    int pkg;
    int ix;           /* of the provide or file */
};

struct list {
    struct item *items;
    size_t count;
    bool made;
};

struct rpmal_s {
    rpmPlaces places;
    rpmfileAttrs skipped;
    rpm_color_t color; /* that is preferred, 0 for none */
    struct package *packages;
    int count;
    struct list names, provides, files;
};

rpmal rpmalNew(rpmPlaces places, rpmtransFlags flags)
{
    rpmal al = rcalloc(1, sizeof(*al));

    al->places = places;
    if (flags & RPMTRANS_FLAG_NODOCS)
        al->skipped |= RPMFILE_DOC;
    if (flags & RPMTRANS_FLAG_NOCONFIGS)
        al->skipped |= RPMFILE_CONFIG;
    return al;
}

rpmal rpmalFree(rpmal al)
{
    if (al != NULL) {
        for (int i = 0; i < al->count; i++) {
            rpmdsFree(al->packages[i].self);
            rpmdsFree(al->packages[i].provides);
            rpmfilesFree(al->packages[i].files);
        }
        rfree(al->packages);
        rfree(al->names.items);
        rfree(al->provides.items);
        rfree(al->files.items);
        rfree(al);
    }
    return NULL;
}

void rpmalPrefer(rpmal al, rpm_color_t color)
{
    al->color = color;
}

int rpmalAdd(rpmal al, Header h, rpmfiles files, rpm_color_t color)
{
    struct package *package;

    /* Doubled each time there is a power of two of them. */
    if ((al->count & (al->count - 1)) == 0)
        al->packages = rreallocn(al->packages, 2 * (size_t)al->count + 1, sizeof(*package));
    package = &al->packages[al->count];
    package->self = rpmdsNew(h, RPMTAG_NAME, 0);
    package->provides = rpmdsNew(h, RPMTAG_PROVIDENAME, 0);
    package->files = rpmfilesLink(files);
    package->preferred = al->color != 0 && color == al->color;
    return al->count++;
}

static int compareItems(const void *va, const void *vb)
{
    const struct item *a = va, *b = vb;
    int rc = strcmp(a->name, b->name);

    if (rc == 0)
        rc = a->pkg - b->pkg;
    return rc != 0 ? rc : a->ix - b->ix;
}

static void append(struct list *list, const char *name, int pkg, int ix)
{
    if ((list->count & (list->count - 1)) == 0)
        list->items = rreallocn(list->items, 2 * list->count + 1, sizeof(*list->items));
    list->items[list->count++] = (struct item){ name, pkg, ix };
}

static void addNames(rpmal al, struct list *list, int pkg)
{
    if (al->packages[pkg].self != NULL)
        append(list, rpmdsNIndex(al->packages[pkg].self, 0), pkg, 0);
}

static void addProvides(rpmal al, struct list *list, int pkg)
{
    rpmds provides = al->packages[pkg].provides;

    for (int ix = 0; ix < rpmdsCount(provides); ix++) {
        if (!(al->skipped & RPMFILE_CONFIG) ||
            !(rpmdsFlagsIndex(provides, ix) & RPMSENSE_CONFIG))
            append(list, rpmdsNIndex(provides, ix), pkg, ix);
    }
}

static void addFiles(rpmal al, struct list *list, int pkg)
{
    rpmfiles files = al->packages[pkg].files;

    for (int ix = 0; ix < (int)rpmfilesFC(files); ix++) {
        if (!(rpmfilesFFlags(files, ix) & al->skipped))
            append(list, rpmfilesBN(files, ix), pkg, ix);
    }
}

static struct list *made(rpmal al, struct list *list,
                         void (*add)(rpmal al, struct list *list, int pkg))
{
    if (!list->made) {
        for (int pkg = 0; pkg < al->count; pkg++)
            add(al, list, pkg);
        if (list->count > 0)
            qsort(list->items, list->count, sizeof(*list->items), compareItems);
        list->made = true;
    }
    return list;
}

/* The first item of a name, or NULL. */
static const struct item *first(const struct list *list, const char *name)
{
    size_t low = 0;
    size_t high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(list->items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && rstreq(list->items[low].name, name) ? &list->items[low] : NULL;
}

/* The next item of the same name, or NULL. */
static const struct item *next(const struct list *list, const struct item *item)
{
    const struct item *after = item + 1;

    return after < list->items + list->count && rstreq(after->name, item->name) ? after : NULL;
}

/* What is searched for, and what of it was found. */
struct search {
    rpmal al;
    int prefer;
    int except;
    int found; /* -1 for none */
    int score; /* of found */
};

/* Take a package, if it is better; false: there can be none better still. */
static bool take(struct search *s, int pkg)
{
    const int best = (s->prefer >= 0) + 2 * (s->al->color != 0);
    int score = (pkg == s->prefer) + 2 * s->al->packages[pkg].preferred;

    if (pkg != s->except && (s->found < 0 || score > s->score)) {
        s->found = pkg;
        s->score = score;
    }
    return s->found < 0 || s->score < best;
}

static void searchFiles(struct search *s, const char *path)
{
    rpmal al = s->al;
    const struct list *list = made(al, &al->files, addFiles);
    const char *base = strrchr(path, '/') + 1;
    char *dir = rstrndup(path, (size_t)(base - path));
    bool more = true;

    for (const struct item *i = first(list, base); i != NULL && more; i = next(list, i)) {
        rpmfiles files = al->packages[i->pkg].files;

        if (rpmPlacesSame(al->places, rpmfilesDN(files, rpmfilesDI(files, i->ix)), dir))
            more = take(s, i->pkg);
    }
    rfree(dir);
}

static void searchProvides(struct search *s, rpmds ds)
{
    rpmal al = s->al;
    const struct list *list = made(al, &al->provides, addProvides);
    bool more = true;

    for (const struct item *i = first(list, rpmdsN(ds)); i != NULL && more; i = next(list, i)) {
        if (rpmdsCompareIndex(al->packages[i->pkg].provides, i->ix, ds, rpmdsIx(ds)))
            more = take(s, i->pkg);
    }
}

static void searchNames(struct search *s, rpmds ds)
{
    rpmal al = s->al;
    const struct list *list = made(al, &al->names, addNames);
    bool more = true;

    for (const struct item *i = first(list, rpmdsN(ds)); i != NULL && more; i = next(list, i)) {
        if (rpmdsCompareIndex(al->packages[i->pkg].self, 0, ds, rpmdsIx(ds)))
            more = take(s, i->pkg);
    }
}

int rpmalFind(rpmal al, rpmds ds, int prefer, int except)
{
    struct search s = { .al = al, .prefer = prefer, .except = except, .found = -1 };

    if (rpmdsTagN(ds) == RPMTAG_OBSOLETENAME) {
        searchNames(&s, ds);
    } else {
        if (rpmdsN(ds)[0] == '/')
            searchFiles(&s, rpmdsN(ds));
        if (s.found < 0)
            searchProvides(&s, ds);
    }
    return s.found;
}

bool rpmalHasName(rpmal al, const char *name)
{
    return first(made(al, &al->provides, addProvides), name) != NULL;
}

bool rpmalHasProvide(rpmal al, rpmds provide)
{
    const struct list *list = made(al, &al->provides, addProvides);
    const rpmsenseFlags flags = rpmdsFlags(provide) & RPMSENSE_SENSEMASK;

    for (const struct item *i = first(list, rpmdsN(provide)); i != NULL; i = next(list, i)) {
        rpmds ds = al->packages[i->pkg].provides;

        if ((rpmdsFlagsIndex(ds, i->ix) & RPMSENSE_SENSEMASK) == flags &&
            rstreq(rpmdsEVRIndex(ds, i->ix), rpmdsEVR(provide)))
            return true;
    }
    return false;
}

bool rpmalHasFile(rpmal al, const char *path)
{
    struct search s = { .al = al, .prefer = -1, .except = -1, .found = -1 };

    searchFiles(&s, path);
    return s.found >= 0;
}
