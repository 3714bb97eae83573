/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The install machine: would every rename work? Asked after everything was unpacked, since only
 * then all directories are there, and before the first rename, since then it would be too late. */

#include <fcntl.h>
#include <linux/stat.h>
#include <limits.h>
#include <unistd.h>

#include <rpm/rpmstring.h>

#include "fsm_internal.h"

/* What stands at a name must give way to a file; a directory only where *isDir asks for it. */
static int checkTarget(fsm m, int fx, int dirfd, const char *name, int *isDir)
{
    struct statx sx;

    if (statx(dirfd, name, AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC, STATX_TYPE, &sx)) {
        if (errno != ENOENT)
            return fsmFail(m, fx, RPMERR_LSTAT_FAILED, NULL);
        m->f[fx].vacant = 1;
        return 0;
    }
    if (S_ISDIR(sx.stx_mode) && isDir == NULL)
        return fsmFail(m, fx, RPMERR_EXIST_AS_DIR, NULL);
    if (S_ISDIR(sx.stx_mode))
        *isDir = 1;
    if (sx.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) {
        errno = EPERM;
        return fsmFail(m, fx, RPMERR_RENAME_FAILED, "immutable or append-only");
    }
    if (sx.stx_attributes & STATX_ATTR_MOUNT_ROOT) {
        errno = EBUSY;
        return fsmFail(m, fx, RPMERR_RENAME_FAILED, "something is mounted on it");
    }
    return 0;
}

/* A directory that is there already, perhaps on a read-only filesystem or another user's: whether
 * it can be changed shows when it is given the mode that it has. */
static int checkDir(fsm m, int fx)
{
    struct fsmMeta want = fsmMetaOf(m, fx);
    struct stat sb;
    int fd = fsmOpenDir(m, fx);
    int owner, mode, rc = 0;

    if (fd < 0)
        return fsmFail(m, fx, RPMERR_OPEN_FAILED, NULL);
    if (fstat(fd, &sb))
        rc = fsmFail(m, fx, RPMERR_STAT_FAILED, NULL);
    owner = rc == 0 && m->asRoot && (sb.st_uid != want.uid || sb.st_gid != want.gid);
    mode = rc == 0 && ((sb.st_mode ^ want.mode) & 07777) != 0;
    if ((owner || mode) && fchmod(fd, sb.st_mode & 07777))
        rc = fsmFail(m, fx, owner ? RPMERR_CHOWN_FAILED : RPMERR_CHMOD_FAILED, NULL);
    close(fd);
    return rc;
}

static int checkFile(fsm m, int fx)
{
    const char *name = fsmName(m, fx);
    rpmFileAction action = fsmAction(m, fx);
    const char *suffix = fsmSuffix(action);
    char *other = NULL;
    int isDir = 0;
    int dirfd, rc = 0;

    if (m->f[fx].made)
        return 0; /* nothing was there, and it can be changed */
    dirfd = fsmDirOf(m, fx, 0);
    if (dirfd < 0)
        return dirfd;
    if (m->f[fx].stage == FSM_DIR)
        return checkDir(m, fx);
    if (S_ISDIR(rpmfilesFMode(m->files, fx)) || m->f[fx].stage == FSM_TOUCH)
        return 0; /* what is in its way is not a directory, or nothing is */
    if (suffix == NULL && fsmDirIsOurs(m, fx)) {
        m->f[fx].vacant = 1;
        return 0;
    }
    if (action != FA_ALTNAME) /* a backup can be of a directory, too */
        rc = checkTarget(m, fx, dirfd, name, suffix != NULL ? &isDir : NULL);
    if (rc == 0 && suffix != NULL) {
        other = rstrscat(NULL, name, suffix, NULL);
        rc = checkTarget(m, fx, dirfd, other, NULL);
        if (rc == 0 && isDir && faccessat(dirfd, other, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            rc = fsmFail(m, fx, RPMERR_EXIST_AS_DIR, NULL);
        rfree(other);
        m->f[fx].vacant = 0;
    }
    return rc;
}

/* A symlink of the package that stands in the path of its other files: those went where the old
 * one points, which must be where the new one points. */
static int checkOwnLink(fsm m, int fx)
{
    char target[PATH_MAX];
    ssize_t len;
    int dirfd = fsmDirOf(m, fx, 0);

    if (dirfd < 0)
        return dirfd;
    len = readlinkat(dirfd, fsmName(m, fx), target, sizeof(target) - 1);
    if (len < 0) /* then checkTarget() has found what it is */
        return 0;
    target[len] = '\0';
    if (rstreq(target, rpmfilesFLink(m->files, fx)))
        return 0;
    return fsmFail(m, fx, RPMERR_INVALID_SYMLINK,
                   "it would move a directory that the package has files in");
}

/* All own symlinks on the way to one directory. */
static int checkDirPath(fsm m, const char *dn)
{
    char *path = rstrdup(dn);
    char *slash = path;
    int rc = 0;

    while (rc == 0 && (slash = strchr(slash + 1, '/')) != NULL) {
        int fx;
        *slash = '\0';
        fx = rpmfilesFindFN(m->files, path);
        *slash = '/';
        if (fx >= 0 && m->f[fx].stage == FSM_TEMP && S_ISLNK(rpmfilesFMode(m->files, fx)))
            rc = checkOwnLink(m, fx);
    }
    rfree(path);
    return rc;
}

int fsmCheck(fsm m)
{
    int rc = 0;

    rpmRootForget(m->ts->root);
    m->lastDir = -1;
    for (int fx = 0; fx < m->fc && rc == 0; fx++) {
        if (XFA_SKIPPING(fsmAction(m, fx)) || m->f[fx].stage == FSM_SKIP)
            continue;
        rc = m->f[fx].stage == FSM_NONE ? fsmFail(m, fx, RPMERR_MISSING_FILE, NULL)
                                        : checkFile(m, fx);
    }
    for (rpm_count_t di = 0; di < rpmfilesDC(m->files) && rc == 0; di++)
        rc = checkDirPath(m, rpmfilesDN(m->files, (int) di));
    return rc;
}
