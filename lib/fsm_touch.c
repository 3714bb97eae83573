/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The install machine: what has to be durable beside the contents of files. With the write policy's
 * `batch` it is told of each directory and inode that changes; nothing is done for others. */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmstring.h>

#include "flushpolicy.h"
#include "fsm_internal.h"

static int touch(fsm m, int fx, int fd, const char *label, rpmFlushTouched what)
{
    if (rpmFlushTouch(m->ts->flush, fd, label, what) == 0)
        return 0;
    return fsmFail(m, fx, RPMERR_OPEN_FAILED, "its change cannot be made durable");
}

int fsmTouchNames(fsm m, int fx, int dirfd)
{
    int di = rpmfilesDI(m->files, fx);

    if (di == m->toldDir)
        return 0;
    m->toldDir = di;
    return touch(m, fx, dirfd, rpmfilesDN(m->files, di), RPMFLUSH_TOUCH_NAMES);
}

int fsmTouchNode(fsm m, int fx, int dirfd)
{
    return touch(m, fx, dirfd, rpmfilesDN(m->files, rpmfilesDI(m->files, fx)),
                 RPMFLUSH_TOUCH_NODE);
}

/* The fsync of a new directory covers its attributes everywhere; of one that was there, on btrfs,
 * it is not relied on for that. */
int fsmTouchAttrs(fsm m, int fx, int fd)
{
    char *path = rpmfilesFN(m->files, fx);
    int rc = touch(m, fx, fd, path, m->f[fx].made ? RPMFLUSH_TOUCH_NAMES : RPMFLUSH_TOUCH_ATTRS);

    rfree(path);
    return rc;
}

/* A directory that is not there any more was replaced by somebody who sees to it. */
static int touchDir(fsm m, const char *path)
{
    int fd = rpmRootOpenDir(m->ts->root, path, 0);
    int rc;

    if (fd < 0)
        return 0;
    rc = touch(m, -1, fd, path, RPMFLUSH_TOUCH_NAMES);
    close(fd);
    return rc;
}

int fsmTouchMade(fsm m)
{
    int rc = 0;

    if (!rpmtsIsBatch(m->ts))
        return 0;
    for (char **path = m->made; *path != NULL && rc == 0; path++) {
        char *parent = rstrdup(*path);
        char *slash = strrchr(parent, '/');

        if (slash != NULL)
            *slash = '\0';
        rc = touchDir(m, *path);
        if (rc == 0)
            rc = touchDir(m, *parent != '\0' ? parent : "/");
        rfree(parent);
    }
    return rc;
}

/* The file of one package that has this path, -1 for none. */
static int tempOf(fsm m, const char *path)
{
    int fx = m != NULL ? rpmfilesFindFN(m->files, path) : -1;

    return fx >= 0 && m->f[fx].stage == FSM_TEMP ? fx : -1;
}

static int openBelow(rpmRoot root, const char *path, const char *name)
{
    char *dn = rstrdup(path);
    char *slash = strrchr(dn, '/');
    int dirfd, fd = -1;

    if (slash != NULL)
        *slash = '\0';
    dirfd = rpmRootOpenDir(root, slash != NULL ? dn : "", 0);
    if (name == NULL)
        name = slash != NULL ? slash + 1 : path;
    if (dirfd >= 0) {
        FSM_RETRY(fd, openat(dirfd, *name != '\0' ? name : ".",
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        close(dirfd);
    }
    rfree(dn);
    return fd;
}

int fsmReopen(const fsm *list, int n, rpmRoot root, const char *path)
{
    char temp[FSM_TEMP_SIZE];

    for (int i = n - 1; i >= 0; i--) {
        int fx = tempOf(list[i], path);
        if (fx < 0)
            continue;
        fsmTempName(list[i], fx, temp);
        return openBelow(root, path, temp);
    }
    return openBelow(root, path, NULL);
}
