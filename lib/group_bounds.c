/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a group of packages ends.
 *
 * Packages of a group are unpacked before the first file of any is renamed. So none of them may
 * need what another one puts in place: for a scriptlet, for the way of a path, or for the users
 * and groups that own its files. Directories need no care: those that are missing are made when
 * the package is unpacked. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <rpm/rpmstring.h>

#include "group_bounds.h"
#include "psm.h"
#include "rpmdb_internal.h"
#include "rpmscript.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

#define LINKS_MAX 40 /* as the kernel */

/* A name that the group puts in place: its path from the root, without symlinks. */
struct name {
    char *path;
    int isDir; /* in the place of something else */
};

struct bounds_s {
    rpmts ts;
    int root;       /* descriptor */
    void *names;    /* tree of search.h */
    size_t headers; /* bytes of those that will be recorded */
};

/* A path on its way: where it has got to, and whether one of the names was met. */
struct walk {
    bounds b;
    char *at;
    int passes;
    int links;
};

static int cmpName(const void *a, const void *b)
{
    return strcmp(((const struct name *) a)->path, ((const struct name *) b)->path);
}

static void freeName(void *name)
{
    rfree(((struct name *) name)->path);
    rfree(name);
}

bounds boundsNew(rpmts ts)
{
    bounds b = rcalloc(1, sizeof(*b));

    b->ts = ts;
    b->root = rpmRootOpenDir(ts->root, "", 0);
    return b;
}

bounds boundsFree(bounds b)
{
    if (b != NULL) {
        tdestroy(b->names, freeName);
        if (b->root >= 0)
            close(b->root);
        rfree(b);
    }
    return NULL;
}

static const struct name *findName(bounds b, const char *path)
{
    const struct name key = { .path = (char *) path };
    struct name **node = tfind(&key, &b->names, cmpName);

    return node != NULL ? *node : NULL;
}

static void addName(bounds b, const char *path, int isDir)
{
    struct name *name = rcalloc(1, sizeof(*name));
    struct name **node;

    name->path = rstrdup(path);
    name->isDir = isDir;
    node = tsearch(name, &b->names, cmpName);
    if (*node != name) {
        (*node)->isDir |= isDir;
        freeName(name);
    }
}

static void toParent(struct walk *w)
{
    char *slash = strrchr(w->at, '/');

    if (slash != NULL)
        *slash = '\0';
}

static void walkPath(struct walk *w, const char *path);

static void walkName(struct walk *w, const char *name)
{
    char target[PATH_MAX];
    ssize_t len;

    if (rstreq(name, "."))
        return;
    if (rstreq(name, "..")) {
        toParent(w);
        return;
    }
    rstrscat(&w->at, "/", name, NULL);
    w->passes = w->passes || findName(w->b, w->at) != NULL;
    len = readlinkat(w->b->root, w->at + 1, target, sizeof(target) - 1);
    if (len < 0)
        return;
    target[len] = '\0';
    if (++w->links > LINKS_MAX) {
        w->passes = 1;
        return;
    }
    toParent(w);
    walkPath(w, target);
}

static void walkPath(struct walk *w, const char *path)
{
    char *copy = rstrdup(path);
    char *save = NULL;

    if (*path == '/')
        *w->at = '\0';
    for (char *n = strtok_r(copy, "/", &save); n != NULL; n = strtok_r(NULL, "/", &save))
        walkName(w, n);
    rfree(copy);
}

/* Where a directory is, as far as it is there; the caller's to rfree(). */
static char *findDir(bounds b, const char *dn, int *passes)
{
    struct walk w = { .b = b, .at = rstrdup("") };

    walkPath(&w, dn);
    *passes = w.passes;
    return w.at;
}

/* All paths of a package: at(b, data, fx, path) for each file, until it does not return 0; that is
 * returned, or -1 if a directory is passed by one of the names and `passing` forbids that. */
static int eachPath(bounds b, rpmte te, int passing, void *data,
                    int (*at)(bounds b, void *data, int fx, const char *path))
{
    char **dirs = rcalloc(rpmfilesDC(te->files), sizeof(*dirs));
    int rc = 0;

    for (int fx = 0; rc == 0 && fx < (int) rpmfilesFC(te->files); fx++) {
        int di = rpmfilesDI(te->files, fx);
        int passes = 0;
        char *path;

        if (dirs[di] == NULL)
            dirs[di] = findDir(b, rpmfilesDN(te->files, di), &passes);
        path = rstrscat(NULL, dirs[di], "/", rpmfilesBN(te->files, fx), NULL);
        rc = passes && !passing ? -1 : at(b, data, fx, path);
        rfree(path);
    }
    for (int di = 0; di < (int) rpmfilesDC(te->files); di++)
        rfree(dirs[di]);
    rfree(dirs);
    return rc;
}

/* One file may take the place of another, but not of a directory, and the other way round. */
static int isInTheWay(bounds b, void *data, int fx, const char *path)
{
    rpmte te = data;
    const struct name *name = findName(b, path);

    return name != NULL && (name->isDir || S_ISDIR(rpmfilesFMode(te->files, fx)));
}

static int hasSpace(int fd, rpmte te)
{
    rpm_loff_t size = headerGetNumber(te->h, RPMTAG_LONGARCHIVESIZE);
    rpm_loff_t files = headerGetNumber(te->h, RPMTAG_LONGSIZE);
    struct statvfs sv;

    if (size < files)
        size = files;
    return fstatvfs(fd, &sv) || sv.f_blocks == 0 ||
           (rpm_loff_t) sv.f_bavail * sv.f_frsize / 2 >= size;
}

/* Until the renames the old files take space, too. */
static int isFull(bounds b, rpmte te)
{
    dev_t last = 0;
    int full = 0;

    for (int di = 0; !full && di < (int) rpmfilesDC(te->files); di++) {
        struct stat sb;
        int fd = rpmRootNearestDir(b->ts->root, rpmfilesDN(te->files, di), NULL);

        if (fd < 0)
            continue;
        if (fstat(fd, &sb) == 0 && (di == 0 || sb.st_dev != last)) {
            last = sb.st_dev;
            full = !hasSpace(fd, te);
        }
        close(fd);
    }
    return full;
}

/* Packages with triggers that would run are refused before anything is done. */
const char *boundsBefore(bounds b, rpmte te)
{
    if (rpmScriptWillRun(te->h, RPMTAG_PREIN, b->ts->flags))
        return "it has %pre";
    if (b->ts->flags & RPMTRANS_FLAG_JUSTDB)
        return NULL;
    if (eachPath(b, te, 0, te, isInTheWay))
        return "its paths pass through what the group puts in place";
    return isFull(b, te) ? "there is little free space" : NULL;
}

struct adding {
    fsm m;
    rpmte te;
    int owners;
};

static int addPath(bounds b, void *data, int fx, const char *path)
{
    struct adding *a = data;

    if (!fsmWillRename(a->m, fx))
        return 0;
    addName(b, path, S_ISDIR(rpmfilesFMode(a->te->files, fx)));
    if (rstreq(path, "/etc/passwd") || rstreq(path, "/etc/group"))
        a->owners = 1;
    return 0;
}

static int upgradeRunsScripts(rpmts ts, rpmte te)
{
    for (int i = 0; i < ts->nelements; i++) {
        rpmte old = ts->elements[i];

        if (old->type == TR_REMOVED && old->dependsOn == te && psmEraseHasScripts(ts, old))
            return 1;
    }
    return 0;
}

const char *boundsAdd(bounds b, rpmte te, fsm m)
{
    struct adding a = { .m = m, .te = te };

    b->headers += headerSizeof(te->h, HEADER_MAGIC_NO);
    if (rpmScriptWillRun(te->h, RPMTAG_POSTIN, b->ts->flags))
        return "it has %post";
    if (upgradeRunsScripts(b->ts, te))
        return "its old version has scriptlets";
    if (m != NULL)
        (void) eachPath(b, te, 1, &a, addPath);
    if (a.owners)
        return "it brings users or groups";
    return b->headers > RPMDB_GROUP_MAX ? "there is enough to record" : NULL;
}
