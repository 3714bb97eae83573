/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filesystems that are mounted below the root, for what scriptlets write there.
 *
 * Only those of local disks: what is in memory needs no sync, and a server that does not answer is
 * not to hold up a transaction. Nor are media that come and go, where no package has a place. */

#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmts_internal.h"

enum { LINE_SIZE = 16384 };

static int isBelow(const char *path, const char *dir)
{
    size_t length = strlen(dir);

    return rstreqn(path, dir, length) && (path[length] == '/' || path[length] == '\0');
}

static int isLocalDisk(const struct mntent *mount)
{
    int disk = rstreqn(mount->mnt_fsname, "/dev/", 5) || rstreq(mount->mnt_type, "zfs");

    return disk && !rstreqn(mount->mnt_type, "fuse", 4) && hasmntopt(mount, "ro") == NULL;
}

/* By the File Hierarchy Standard: what is plugged in, mounted for a while, or gone at a restart. */
static int isForPackages(const char *path)
{
    return !isBelow(path, "/media") && !isBelow(path, "/mnt") && !isBelow(path, "/run");
}

/* A mount that is below another one is opened as what is seen there. */
static void tell(rpmts ts, const char *path)
{
    int fd = rpmRootOpenDir(ts->root, path, 0);

    if (fd < 0) {
        rpmlog(RPMLOG_DEBUG, "%s: cannot be synced at the end: %m\n", path);
        return;
    }
    rpmtsWillWriteTo(ts, fd, path);
    close(fd);
}

static void tellIf(rpmts ts, const char *root, const struct mntent *mount)
{
    const char *path = mount->mnt_dir + strlen(root);

    if (isBelow(mount->mnt_dir, root) && *path == '/' && path[1] != '\0' && isLocalDisk(mount) &&
        isForPackages(path))
        tell(ts, path);
}

/* Where the root is, as mounts are told of; "" for that of the system. */
static int rootPath(int fd, char *path, size_t size)
{
    char link[64];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, size - 1);
    if (n <= 0)
        return -1;
    path[n] = '\0';
    if (rstreq(path, "/"))
        *path = '\0';
    return 0;
}

void rpmtsWillWriteMounts(rpmts ts, int rootfd)
{
    char *line = rmalloc(LINE_SIZE), *root = rmalloc(LINE_SIZE);
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    struct mntent mount;

    if (mounts == NULL || rootPath(rootfd, root, LINE_SIZE)) {
        rpmlog(RPMLOG_DEBUG, "filesystems mounted below the root are not known: %m\n");
    } else {
        while (getmntent_r(mounts, &mount, line, LINE_SIZE) != NULL)
            tellIf(ts, root, &mount);
    }
    if (mounts != NULL)
        endmntent(mounts);
    rfree(line);
    rfree(root);
}
