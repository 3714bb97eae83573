/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directories by where they are: the deepest part of the path that exists, and the rest. */

#include <search.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmfileutil.h>
#include <rpm/rpmstring.h>

#include "rpmplaces.h"
#include "rpmroot.h"

struct place {
    char *dir;
    dev_t dev; /* 0 with ino 0: it could not be looked at */
    ino_t ino;
    char *rest;
};

struct rpmPlaces_s {
    rpmRoot root; /* NULL without one */
    void *tree;   /* of struct place, by dir */
};

static int compareDirs(const void *a, const void *b)
{
    return strcmp(((const struct place *)a)->dir, ((const struct place *)b)->dir);
}

static void freePlace(void *data)
{
    struct place *place = data;

    rfree(place->dir);
    rfree(place->rest);
    rfree(place);
}

rpmPlaces rpmPlacesNew(const char *rootDir)
{
    rpmPlaces places = rcalloc(1, sizeof(*places));

    places->root = rpmRootNew(rootDir);
    if (places->root != NULL)
        rpmRootTrustLinks(places->root);
    return places;
}

rpmPlaces rpmPlacesFree(rpmPlaces places)
{
    if (places != NULL) {
        tdestroy(places->tree, freePlace);
        rpmRootFree(places->root);
        rfree(places);
    }
    return NULL;
}

static struct place *look(rpmPlaces places, const char *dir)
{
    struct place *place = rcalloc(1, sizeof(*place));
    int fd = places->root != NULL ? rpmRootNearestDir(places->root, dir, &place->rest) : -1;
    struct stat sb;

    place->dir = rstrdup(dir);
    if (fd >= 0 && fstat(fd, &sb) == 0) {
        place->dev = sb.st_dev;
        place->ino = sb.st_ino;
    } else {
        rfree(place->rest);
        place->rest = rpmCleanPath(rstrdup(dir));
    }
    if (fd >= 0)
        close(fd);
    return place;
}

static struct place *placeOf(rpmPlaces places, const char *dir)
{
    struct place key = { .dir = (char *)dir };
    struct place **node = tfind(&key, &places->tree, compareDirs);
    struct place *place;

    if (node != NULL)
        return *node;
    place = look(places, dir);
    tsearch(place, &places->tree, compareDirs);
    return place;
}

bool rpmPlacesSame(rpmPlaces places, const char *dirA, const char *dirB)
{
    struct place *a, *b;

    if (rstreq(dirA, dirB))
        return true;
    a = placeOf(places, dirA);
    b = placeOf(places, dirB);
    return a->dev == b->dev && a->ino == b->ino && rstreq(a->rest, b->rest);
}
