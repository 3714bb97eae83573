/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Old versions that go together with the new one, ahead of their turn.
 *
 * In order all packages come before the first goes. Most files do not care, since it was decided
 * beforehand who owns them. But a directory goes only when it is empty, and a path through a symlink
 * ends where the symlink points, as long as it is there.
 *
 * So for each directory of any package the elements are listed that have files below it. Those
 * that are done stay so: each list is walked along once, however often it is asked. */

#include <search.h>
#include <string.h>

#include <rpm/rpmstring.h>

#include "group_ahead.h"
#include "psm.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* Elements with files below a directory. */
struct dir {
    char *path;
    int *elements; /* indexes, in order */
    int n, room;
    int first;     /* those before it are done */
};

struct ahead_s {
    rpmts ts;
    void *dirs; /* tree of search.h; NULL until it is needed */
};

static int cmpDir(const void *a, const void *b)
{
    return strcmp(((const struct dir *) a)->path, ((const struct dir *) b)->path);
}

static void freeDir(void *data)
{
    struct dir *dir = data;

    rfree(dir->path);
    rfree(dir->elements);
    rfree(dir);
}

ahead aheadNew(rpmts ts)
{
    ahead a = rcalloc(1, sizeof(*a));

    a->ts = ts;
    return a;
}

ahead aheadFree(ahead a)
{
    if (a != NULL) {
        tdestroy(a->dirs, freeDir);
        rfree(a);
    }
    return NULL;
}

static struct dir *findDir(ahead a, const char *path)
{
    struct dir key = { .path = (char *) path };
    struct dir **node = tfind(&key, &a->dirs, cmpDir);

    return node != NULL ? *node : NULL;
}

static struct dir *makeDir(ahead a, const char *path)
{
    struct dir *dir = findDir(a, path);

    if (dir == NULL) {
        dir = rcalloc(1, sizeof(*dir));
        dir->path = rstrdup(path);
        tsearch(dir, &a->dirs, cmpDir);
    }
    return dir;
}

/* Returns 0 if it was there. */
static int addElement(struct dir *dir, int ix)
{
    if (dir->n > 0 && dir->elements[dir->n - 1] == ix)
        return 0;
    if (dir->n == dir->room) {
        dir->room = dir->room > 0 ? 2 * dir->room : 1;
        dir->elements = rreallocn(dir->elements, dir->room, sizeof(*dir->elements));
    }
    dir->elements[dir->n++] = ix;
    return 1;
}

/* A directory and those above it; where the element is listed already, it is so all the way up. */
static void addDirs(ahead a, const char *dn, int ix)
{
    char *path = rstrdup(dn);
    char *slash;

    while ((slash = strrchr(path, '/')) != NULL) {
        *slash = '\0';
        if (!addElement(makeDir(a, path), ix))
            break;
    }
    rfree(path);
}

static void listAll(ahead a)
{
    for (int ix = 0; ix < a->ts->nelements; ix++) {
        rpmfiles files = a->ts->elements[ix]->files;

        for (rpm_count_t di = 0; di < rpmfilesDC(files); di++)
            addDirs(a, rpmfilesDN(files, (int) di), ix);
    }
}

/* Is it still to come, or to go? */
static int isDue(rpmts ts, int ix, int done)
{
    rpmte te = ts->elements[ix];

    return !te->failed && (te->type == TR_ADDED ? ix > done : te->ahead == 0);
}

/* Is one due, with files below the path, before the element? */
static int isNeeded(ahead a, const char *path, int ix, int done)
{
    struct dir *dir = findDir(a, path);

    if (dir == NULL)
        return 0;
    while (dir->first < dir->n && !isDue(a->ts, dir->elements[dir->first], done))
        dir->first++;
    return dir->first < dir->n && dir->elements[dir->first] < ix;
}

int aheadMay(ahead a, int ix, int done)
{
    rpmte te = a->ts->elements[ix];
    int may = !psmEraseHasScripts(a->ts, te);

    if (may && a->dirs == NULL)
        listAll(a);
    for (int fx = 0; may && fx < (int) rpmfilesFC(te->files); fx++) {
        mode_t mode = rpmfilesFMode(te->files, fx);
        char *path;

        if (XFA_SKIPPING(te->actions[fx]) || !(S_ISDIR(mode) || S_ISLNK(mode)))
            continue;
        path = rpmfilesFN(te->files, fx);
        may = !isNeeded(a, path, ix, done);
        rfree(path);
    }
    return may;
}
