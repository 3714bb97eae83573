/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directories below a root, found by descriptor.
 *
 * One openat2() that refuses symlinks finds most directories. Where it is missing or meets a
 * symlink, the path is walked name by name: each symlink is opened itself, so that its owner and
 * its target are of one and the same object, and its target is walked in turn. `..` never uses
 * the disk's own `..`, which follows a directory that was moved: the parent is found again from
 * the root, by the names that led here. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rpm/rpmstring.h>

#include "rpmroot.h"

#define DIR_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define LINKS_MAX 40 /* as the kernel */

struct alias {
    dev_t dev;
    ino_t ino;
    char *name;
    char *alias;
};

struct rpmRoot_s {
    int fd;
    int last;       /* descriptor of lastPath, or -1 */
    char *lastPath;
    int untrusted;
    int trusting;   /* whoever made a symlink */
    void (*made)(void *data, const char *path);
    void *madeData;
    struct alias *aliases;
    int nalias;
};

struct walk {
    rpmRoot root;
    int fd;         /* where we are */
    char *names;    /* how to get there from the root: "/a/b", no symlinks */
    int links;      /* symlinks followed */
    int make;
    char *rest;     /* collects what is missing, if not NULL */
};

static int closeKeepErrno(int fd)
{
    int saved = errno;

    if (fd >= 0)
        close(fd);
    errno = saved;
    return -1;
}

static void moveTo(struct walk *w, int fd)
{
    closeKeepErrno(w->fd);
    w->fd = fd;
}

static const char *diskName(rpmRoot root, int dirfd, const char *name)
{
    struct stat sb;

    if (root->nalias == 0 || fstat(dirfd, &sb))
        return name;
    for (int i = 0; i < root->nalias; i++) {
        struct alias *a = &root->aliases[i];
        if (a->dev == sb.st_dev && a->ino == sb.st_ino && rstreq(a->name, name))
            return a->alias;
    }
    return name;
}

static int openName(rpmRoot root, int dirfd, const char *name)
{
    return openat(dirfd, diskName(root, dirfd, name), DIR_FLAGS);
}

/* The path by one call, if the kernel can and no symlink is on it. */
static int openWhole(rpmRoot root, const char *path)
{
    struct open_how how = {
        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
    };

    path += strspn(path, "/");
    if (root->nalias > 0)
        return -1;
    return (int) syscall(SYS_openat2, root->fd, *path != '\0' ? path : ".", &how, sizeof(how));
}

/* The path name by name, without symlinks. */
static int openNames(rpmRoot root, const char *names)
{
    char *copy = rstrdup(names);
    char *save = NULL;
    int fd = openat(root->fd, ".", DIR_FLAGS);

    for (char *n = strtok_r(copy, "/", &save); n != NULL && fd >= 0;
         n = strtok_r(NULL, "/", &save)) {
        int next = openName(root, fd, n);
        closeKeepErrno(fd);
        fd = next;
    }
    rfree(copy);
    return fd;
}

static int walkTo(struct walk *w, const char *names)
{
    int fd = openNames(w->root, names);

    if (fd < 0)
        return -1;
    moveTo(w, fd);
    w->names[strlen(names)] = '\0';
    return 0;
}

static int walkUp(struct walk *w)
{
    char *slash = strrchr(w->names, '/');
    char *up = slash != NULL ? rstrdup(w->names) : NULL;
    int rc = 0;

    if (up != NULL) {
        up[slash - w->names] = '\0';
        rc = walkTo(w, up);
        rfree(up);
    }
    return rc;
}

/* Another may create the directory at the same time: that is as good. */
static int makeDir(struct walk *w, const char *name)
{
    int made = mkdirat(w->fd, name, 0755) == 0;

    if (!made && errno != EEXIST)
        return -1;
    if (made && w->root->made != NULL) {
        char *path = rstrscat(NULL, w->names, "/", name, NULL);
        w->root->made(w->root->madeData, path);
        rfree(path);
    }
    return openName(w->root, w->fd, name);
}

static int walkPath(struct walk *w, const char *path);

static int walkLink(struct walk *w, const char *name)
{
    char target[PATH_MAX];
    struct stat link, dir;
    ssize_t len = -1;
    int make = w->make;
    int rc = -1;
    int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &link))
        goto exit;
    if (!S_ISLNK(link.st_mode))
        errno = ENOTDIR;
    else if (++w->links > LINKS_MAX)
        errno = ELOOP;
    else
        len = readlinkat(fd, "", target, sizeof(target) - 1);
    if (len < 0)
        goto exit;
    target[len] = '\0';

    /* What a link points to is its maker's business to create. */
    w->make = 0;
    rc = walkPath(w, target);
    w->make = make;
    if (rc == 0 && !w->root->trusting && link.st_uid != 0 &&
        (fstat(w->fd, &dir) || dir.st_uid != link.st_uid)) {
        w->root->untrusted = 1;
        errno = ELOOP;
        rc = -1;
    }

exit:
    closeKeepErrno(fd);
    return rc;
}

static int walkDown(struct walk *w, const char *name)
{
    int fd = openName(w->root, w->fd, name);

    if (fd < 0 && errno == ENOENT && w->make)
        fd = makeDir(w, name);
    if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
        return walkLink(w, name);
    if (fd < 0 && errno == ENOENT && w->rest != NULL) {
        rstrcat(&w->rest, name);
        return 0;
    }
    if (fd < 0)
        return -1;
    moveTo(w, fd);
    rstrscat(&w->names, "/", name, NULL);
    return 0;
}

static int walkPath(struct walk *w, const char *path)
{
    char *copy = rstrdup(path);
    char *save = NULL;
    int rc = *path == '/' ? walkTo(w, "") : 0;

    for (char *n = strtok_r(copy, "/", &save); n != NULL && rc == 0;
         n = strtok_r(NULL, "/", &save)) {
        if (rstreq(n, "."))
            continue;
        if (w->rest != NULL && *w->rest != '\0')
            rstrscat(&w->rest, "/", n, NULL);
        else
            rc = rstreq(n, "..") ? walkUp(w) : walkDown(w, n);
    }
    rfree(copy);
    return rc;
}

static int openWalk(rpmRoot root, const char *path, int make, char **rest)
{
    struct walk w = { .root = root, .fd = -1, .make = make };

    root->untrusted = 0;
    w.names = rstrdup("");
    w.rest = rest != NULL ? rstrdup("") : NULL;
    if (walkTo(&w, "") || walkPath(&w, path)) {
        w.fd = closeKeepErrno(w.fd);
        w.rest = rfree(w.rest);
    }
    rfree(w.names);
    if (rest != NULL)
        *rest = w.rest;
    return w.fd;
}

int rpmRootOpenDir(rpmRoot root, const char *path, int make)
{
    int fd = openWhole(root, path);

    /* Whatever openat2() had against it, the walk finds out. */
    return fd >= 0 ? fd : openWalk(root, path, make, NULL);
}

int rpmRootNearestDir(rpmRoot root, const char *path, char **rest)
{
    char *none = NULL;
    int fd = openWhole(root, path);

    if (fd >= 0) {
        if (rest != NULL)
            *rest = rstrdup("");
        return fd;
    }
    fd = openWalk(root, path, 0, &none);
    if (rest != NULL)
        *rest = none;
    else
        rfree(none);
    return fd;
}

int rpmRootDir(rpmRoot root, const char *path, int make)
{
    if (root->last >= 0 && rstreq(root->lastPath, path))
        return root->last;
    rpmRootForget(root);
    root->last = rpmRootOpenDir(root, path, make);
    if (root->last >= 0)
        root->lastPath = rstrdup(path);
    return root->last;
}

void rpmRootForget(rpmRoot root)
{
    root->last = closeKeepErrno(root->last);
    root->lastPath = rfree(root->lastPath);
}

void rpmRootTrustLinks(rpmRoot root)
{
    root->trusting = 1;
}

int rpmRootUntrusted(rpmRoot root)
{
    return root->untrusted;
}

void rpmRootOnMake(rpmRoot root, void (*made)(void *data, const char *path), void *data)
{
    root->made = made;
    root->madeData = data;
}

static void dropAlias(rpmRoot root, dev_t dev, ino_t ino, const char *name)
{
    for (int i = 0; i < root->nalias; i++) {
        struct alias *a = &root->aliases[i];
        if (a->dev != dev || a->ino != ino || !rstreq(a->name, name))
            continue;
        rfree(a->name);
        rfree(a->alias);
        *a = root->aliases[--root->nalias];
        return;
    }
}

int rpmRootAlias(rpmRoot root, int dirfd, const char *name, const char *alias)
{
    struct stat sb;
    struct alias *a;

    if (fstat(dirfd, &sb))
        return -1;
    dropAlias(root, sb.st_dev, sb.st_ino, name);
    if (alias == NULL)
        return 0;
    root->aliases = rreallocn(root->aliases, root->nalias + 1, sizeof(*root->aliases));
    a = &root->aliases[root->nalias++];
    a->dev = sb.st_dev;
    a->ino = sb.st_ino;
    a->name = rstrdup(name);
    a->alias = rstrdup(alias);
    return 0;
}

rpmRoot rpmRootNew(const char *dir)
{
    rpmRoot root;
    int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return NULL;
    root = rcalloc(1, sizeof(*root));
    root->fd = fd;
    root->last = -1;
    return root;
}

rpmRoot rpmRootFree(rpmRoot root)
{
    if (root != NULL) {
        for (int i = 0; i < root->nalias; i++) {
            rfree(root->aliases[i].name);
            rfree(root->aliases[i].alias);
        }
        rfree(root->aliases);
        rpmRootForget(root);
        close(root->fd);
        rfree(root);
    }
    return NULL;
}
