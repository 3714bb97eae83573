/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of users and groups as a root knows them. */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <rpm/rpmstring.h>

#include "rpmug.h"

enum kind { USER, GROUP };

struct known {
    char *name;
    unsigned int id;
    int found;       /* 0: the name has no number */
};

struct table {
    struct known *known;
    int n;
    int last;        /* the answer before this one is mostly this one, too */
    int loaded;      /* of a root's file: all there is */
};

struct rpmug_s {
    rpmRoot root;
    struct table tables[2];
};

static struct known *add(struct table *t, const char *name, unsigned int id, int found)
{
    struct known *k;

    t->known = rreallocn(t->known, t->n + 1, sizeof(*t->known));
    t->last = t->n;
    k = &t->known[t->n++];
    k->name = rstrdup(name);
    k->id = id;
    k->found = found;
    return k;
}

/* The first entry of a name wins, as it does for libc. */
static struct known *findName(struct table *t, const char *name)
{
    if (t->last < t->n && rstreq(t->known[t->last].name, name))
        return &t->known[t->last];
    for (t->last = 0; t->last < t->n; t->last++) {
        if (rstreq(t->known[t->last].name, name))
            return &t->known[t->last];
    }
    return NULL;
}

/* NAME:PASSWORD:NUMBER[:...], in both files. */
static void addLine(struct table *t, char *line)
{
    char *save = NULL;
    char *name = line;
    char *number = strchr(line, ':');
    unsigned long id;
    char *end;

    if (number == NULL || number == name)
        return;
    *number++ = '\0';
    number = strchr(number, ':');
    if (number == NULL || !risdigit(number[1]))
        return;
    number = strtok_r(number + 1, ":\n", &save);
    errno = 0;
    id = strtoul(number, &end, 10);
    if (*end == '\0' && errno == 0 && id < UINT32_MAX)
        add(t, name, (unsigned int) id, 1);
}

static void load(rpmug ug, enum kind kind)
{
    struct table *t = &ug->tables[kind];
    char *line = NULL;
    size_t size = 0;
    int dirfd = rpmRootOpenDir(ug->root, "etc", 0);
    int fd = dirfd < 0 ? -1 : openat(dirfd, kind == USER ? "passwd" : "group",
                                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

    if (f != NULL) {
        while (getline(&line, &size, f) > 0)
            addLine(t, line);
        free(line);
        fclose(f);
    } else if (fd >= 0) {
        close(fd);
    }
    if (dirfd >= 0)
        close(dirfd);
    t->loaded = 1;
}

/* getpwnam_r() or getgrnam_r(): 0, or an error number; *id is set if the name is found. */
static int askNss(enum kind kind, const char *name, char *buf, size_t size, unsigned int *id,
                  int *found)
{
    struct passwd pw, *pwp = NULL;
    struct group gr, *grp = NULL;
    int rc = kind == USER ? getpwnam_r(name, &pw, buf, size, &pwp)
                          : getgrnam_r(name, &gr, buf, size, &grp);

    *found = pwp != NULL || grp != NULL;
    if (*found)
        *id = pwp != NULL ? pwp->pw_uid : grp->gr_gid;
    return rc;
}

static struct known *fromNss(struct table *t, enum kind kind, const char *name)
{
    size_t size = 1024;
    char *buf = NULL;
    unsigned int id = 0;
    int found, rc;

    do {
        size *= 2;
        buf = rrealloc(buf, size);
        rc = askNss(kind, name, buf, size, &id, &found);
    } while (rc == EINTR || (rc == ERANGE && size < (1 << 20)));
    rfree(buf);
    return add(t, name, id, found);
}

static struct known *lookup(rpmug ug, enum kind kind, const char *name)
{
    struct table *t = &ug->tables[kind];
    struct known *k;

    if (ug->root != NULL && !t->loaded)
        load(ug, kind);
    k = findName(t, name);
    if (k == NULL && ug->root == NULL)
        k = fromNss(t, kind, name);
    return k;
}

static int number(rpmug ug, enum kind kind, const char *name, unsigned int *id)
{
    struct known *k;

    if (rstreq(name, "root")) {
        *id = 0;
        return 0;
    }
    k = lookup(ug, kind, name);
    if (k == NULL || !k->found)
        return -1;
    *id = k->id;
    return 0;
}

int rpmugUid(rpmug ug, const char *name, uid_t *uid)
{
    return number(ug, USER, name, uid);
}

int rpmugGid(rpmug ug, const char *name, gid_t *gid)
{
    return number(ug, GROUP, name, gid);
}

rpmug rpmugNew(rpmRoot root)
{
    rpmug ug = rcalloc(1, sizeof(*ug));

    ug->root = root;
    return ug;
}

rpmug rpmugFree(rpmug ug)
{
    if (ug != NULL) {
        for (int kind = USER; kind <= GROUP; kind++) {
            for (int i = 0; i < ug->tables[kind].n; i++)
                rfree(ug->tables[kind].known[i].name);
            rfree(ug->tables[kind].known);
        }
        rfree(ug);
    }
    return NULL;
}
