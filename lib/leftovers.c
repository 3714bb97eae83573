/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing temporary names that a transaction left behind. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "fsm.h"
#include "leftovers.h"
#include "rpmts_internal.h"

#define DAY (24 * 60 * 60)

/* Whose names are looked for. */
struct search {
    rpmts ts;
    char mine[sizeof(".rpmtmp-00000000-")]; /* how the names begin: all or none of them */
    int dead;
    time_t before; /* dead: what was changed last before this */
};

static DIR *openDir(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

    if (dir == NULL && fd >= 0)
        close(fd);
    return dir;
}

/* A directory that was to take the place of a file is this process's own until then. */
static int isOurs(int at, const char *name)
{
    struct stat sb, parent;

    return fstatat(at, name, &sb, AT_SYMLINK_NOFOLLOW) == 0 && fstat(at, &parent) == 0 &&
           sb.st_uid == geteuid() && sb.st_dev == parent.st_dev;
}

static int removeName(int at, const char *name);

static void removeAll(int at, const char *name)
{
    DIR *dir = isOurs(at, name) ? openDir(at, name) : NULL;
    struct dirent *entry;

    if (dir == NULL)
        return;
    while ((entry = readdir(dir)) != NULL) {
        if (!rstreq(entry->d_name, ".") && !rstreq(entry->d_name, ".."))
            removeName(dirfd(dir), entry->d_name);
    }
    closedir(dir);
}

static int removeName(int at, const char *name)
{
    if (unlinkat(at, name, 0) == 0)
        return 0;
    if (errno != EISDIR)
        return -1;
    if (unlinkat(at, name, AT_REMOVEDIR) == 0)
        return 0;
    removeAll(at, name);
    return unlinkat(at, name, AT_REMOVEDIR);
}

static int isWanted(const struct search *s, int at, const char *name)
{
    struct stat sb;
    int isMine = strncmp(name, s->mine, strlen(s->mine)) == 0;

    if (!fsmIsTemp(name) || isMine == s->dead)
        return 0;
    return !s->dead || (fstatat(at, name, &sb, AT_SYMLINK_NOFOLLOW) == 0 &&
                        sb.st_ctim.tv_sec < s->before);
}

static int sweepDir(const struct search *s, const char *dn)
{
    int at = rpmRootOpenDir(s->ts->root, dn, 0);
    DIR *dir = at >= 0 ? openDir(at, ".") : NULL;
    struct dirent *entry;
    int n = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (!isWanted(s, at, entry->d_name))
            continue;
        rpmtsWillWriteTo(s->ts, at, dn);
        if (removeName(at, entry->d_name))
            rpmlog(RPMLOG_WARNING, "%s%s cannot be removed: %s\n", dn, entry->d_name,
                   strerror(errno));
        else
            n++;
    }
    if (dir != NULL)
        closedir(dir);
    if (at >= 0)
        close(at);
    return n;
}

static int sweep(const struct search *s, char *const *dirs, int ndirs)
{
    int n = 0;

    for (int i = 0; i < ndirs; i++)
        n += sweepDir(s, dirs[i]);
    return n;
}

static void setMine(struct search *s, rpm_tid_t tid)
{
    snprintf(s->mine, sizeof(s->mine), ".rpmtmp-%08x-", (unsigned) tid);
}

int leftoversOf(rpmts ts, rpm_tid_t tid, char *const *dirs, int n)
{
    struct search s = { .ts = ts };

    setMine(&s, tid);
    return sweep(&s, dirs, n);
}

int leftoversOfDead(rpmts ts, char *const *dirs, int n)
{
    struct search s = { .ts = ts, .dead = 1 };
    struct timespec now, up;

    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    s.before = now.tv_sec - (up.tv_sec < DAY ? up.tv_sec : DAY);
    setMine(&s, ts->tid);
    return sweep(&s, dirs, n);
}
