/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The install machine: the renames, and what changes in place.
 *
 * Everything here replaces one name by another in one call, so that at each moment a name has its
 * old file or its new one. */

#include <fcntl.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "fsm_internal.h"

const char *fsmSuffix(rpmFileAction action)
{
    switch (action) {
    case FA_BACKUP:
        return ".rpmorig";
    case FA_SAVE:
        return ".rpmsave";
    case FA_ALTNAME:
        return ".rpmnew";
    default:
        return NULL;
    }
}

int fsmOpenDir(fsm m, int fx)
{
    char *path = rpmfilesFN(m->files, fx);
    int dirfd = rpmRootOpenDir(m->ts->root, path, 0);
    int fd = -1;

    if (dirfd >= 0) {
        FSM_RETRY(fd, openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (fd < 0 && errno == EACCES)
            fd = dirfd; /* its owner may not read it */
        else
            close(dirfd);
    }
    rfree(path);
    return fd;
}

/* A replaced program may live on under another name or descriptor: not with its privileges. */
int fsmOpenPrivileged(int dirfd, const char *name)
{
    struct stat sb;

    if (fstatat(dirfd, name, &sb, AT_SYMLINK_NOFOLLOW) || !S_ISREG(sb.st_mode) ||
        (sb.st_mode & (S_ISUID | S_ISGID | S_IXUSR | S_IXGRP | S_IXOTH)) == 0)
        return -1;
    return openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

void fsmDropPrivileges(rpmts ts, int fd)
{
    struct stat sb = { 0 };
    int changed = 0;

    if (fd < 0)
        return;
    if (fstat(fd, &sb) == 0 && (sb.st_mode & (S_ISUID | S_ISGID)))
        changed = fchmod(fd, sb.st_mode & 0777) == 0;
    if (fremovexattr(fd, "security.capability") == 0)
        changed = 1;
    if (changed && sb.st_nlink > 0)
        (void) rpmFlushTouch(ts->flush, fd, "a file that has lost its name", RPMFLUSH_TOUCH_ATTRS);
    close(fd);
}

static int renameOver(fsm m, int fx, int dirfd, const char *from, const char *to)
{
    int old = m->f[fx].vacant ? -1 : fsmOpenPrivileged(dirfd, to);
    int rc;

    FSM_RETRY(rc, renameat(dirfd, from, dirfd, to));
    if (rc < 0) {
        fsmFail(m, fx, errno == EISDIR ? RPMERR_EXIST_AS_DIR : RPMERR_RENAME_FAILED, NULL);
        if (old >= 0)
            close(old);
        return RPMERR_RENAME_FAILED;
    }
    fsmDropPrivileges(m->ts, old);
    return 0;
}

/* Gives the old file a second name, so that its own is never missing. */
static int linkBackup(fsm m, int dirfd, const char *name, const char *backup)
{
    char temp[FSM_TEMP_SIZE];
    int rc;

    snprintf(temp, sizeof(temp), ".rpmtmp-%08x-%08x", (unsigned) m->ts->tid,
             (unsigned) ++m->ts->temps);
    FSM_RETRY(rc, linkat(dirfd, name, dirfd, temp, 0));
    if (rc == 0) {
        FSM_RETRY(rc, renameat(dirfd, temp, dirfd, backup));
        /* Still there after a failure, or if the backup was this very file before. */
        (void) unlinkat(dirfd, temp, 0);
    }
    return rc;
}

static int makeBackup(fsm m, int fx, int dirfd)
{
    const char *name = fsmName(m, fx);
    const char *dn = rpmfilesDN(m->files, rpmfilesDI(m->files, fx));
    char *backup = rstrscat(NULL, name, fsmSuffix(fsmAction(m, fx)), NULL);
    int rc = linkBackup(m, dirfd, name, backup);

    if (rc < 0 && (errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP))
        FSM_RETRY(rc, renameat(dirfd, name, dirfd, backup)); /* no hard links here */
    if (rc == 0)
        rpmlog(RPMLOG_WARNING, "%s%s saved as %s%s\n", dn, name, dn, backup);
    else if (errno == ENOENT) /* it went away meanwhile */
        rc = 0;
    else
        rc = fsmFail(m, fx, RPMERR_RENAME_FAILED, fsmSuffix(fsmAction(m, fx)));
    rfree(backup);
    return rc;
}

static int commitFile(fsm m, int fx)
{
    char temp[FSM_TEMP_SIZE];
    const char *name = fsmName(m, fx);
    const char *dn = rpmfilesDN(m->files, rpmfilesDI(m->files, fx));
    rpmFileAction action = fsmAction(m, fx);
    char *alt = action == FA_ALTNAME ? rstrscat(NULL, name, fsmSuffix(action), NULL) : NULL;
    int dirfd = fsmDirOf(m, fx, 0);
    int rc = dirfd < 0 ? dirfd : 0;

    fsmTempName(m, fx, temp);
    if (rc == 0 && alt == NULL && fsmSuffix(action) != NULL)
        rc = makeBackup(m, fx, dirfd);
    if (rc == 0)
        rc = renameOver(m, fx, dirfd, temp, alt != NULL ? alt : name);
    if (rc == 0) {
        m->f[fx].stage = FSM_DONE;
        if (alt != NULL)
            rpmlog(RPMLOG_WARNING, "%s%s created as %s%s\n", dn, name, dn, alt);
        rc = fsmTouchNames(m, fx, dirfd);
    }
    rfree(alt);
    return rc;
}

/* A file whose content stays: looked at again, since somebody may have changed what it is. */
static int touchFile(fsm m, int fx)
{
    const char *name = fsmName(m, fx);
    int dirfd = fsmDirOf(m, fx, 0);
    int rc, fd;

    if (dirfd < 0)
        return dirfd;
    if (S_ISLNK(rpmfilesFMode(m->files, fx)))
        return fsmAttrAt(m, fx, dirfd, name);
    FSM_RETRY(fd, openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd < 0)
        return fsmFail(m, fx, RPMERR_OPEN_FAILED, NULL);
    rc = fsmAttrFd(m, fx, fd);
    if (rc == 0)
        rc = fsmTouchAttrs(m, fx, fd);
    close(fd);
    return rc;
}

/* The directory takes the name of a file or symlink: at once where the filesystem can. */
static int swapDir(fsm m, int fx)
{
    char temp[FSM_TEMP_SIZE];
    const char *name = fsmName(m, fx);
    int dirfd = fsmDirOf(m, fx, 0);
    int rc;

    if (dirfd < 0)
        return dirfd;
    fsmTempName(m, fx, temp);
    rc = renameat2(dirfd, temp, dirfd, name, RENAME_EXCHANGE);
    if (rc == 0) {
        (void) unlinkat(dirfd, temp, 0);
    } else {
        rc = unlinkat(dirfd, name, 0);
        if (rc == 0 || errno == ENOENT)
            FSM_RETRY(rc, renameat(dirfd, temp, dirfd, name));
    }
    if (rc)
        return fsmFail(m, fx, RPMERR_RENAME_FAILED, NULL);
    (void) rpmRootAlias(m->ts->root, dirfd, name, NULL);
    m->f[fx].stage = FSM_DIR;
    rc = fsmTouchNames(m, fx, dirfd);
    rpmRootForget(m->ts->root);
    return rc;
}

/* As upstream's rpm: a directory gets its time before what is in it gets its names, so that who
 * compares times of directories sees that something was installed. */
static int commitDir(fsm m, int fx, int (*attr)(fsm m, int fx, int fd))
{
    int rc = m->f[fx].stage == FSM_TEMP ? swapDir(m, fx) : 0;
    int fd;

    if (rc)
        return rc;
    fd = fsmOpenDir(m, fx);
    if (fd < 0)
        return fsmFail(m, fx, RPMERR_OPEN_FAILED, NULL);
    rc = attr(m, fx, fd);
    if (rc == 0)
        rc = fsmTouchAttrs(m, fx, fd);
    close(fd);
    return rc;
}

static int commitOne(fsm m, int fx)
{
    if (S_ISDIR(rpmfilesFMode(m->files, fx)))
        return commitDir(m, fx, fsmAttrDir);
    return m->f[fx].stage == FSM_TOUCH ? touchFile(m, fx) : commitFile(m, fx);
}

static int isToDo(fsm m, int fx)
{
    return m->f[fx].stage != FSM_SKIP && !XFA_SKIPPING(fsmAction(m, fx));
}

int fsmCommit(fsm m)
{
    int rc = 0;

    rpmRootForget(m->ts->root);
    m->lastDir = m->toldDir = -1;
    for (int fx = 0; fx < m->fc && rc == 0; fx++) {
        if (isToDo(m, fx))
            rc = commitOne(m, fx);
    }
    /* An ordinary user may need the old mode of a directory to put files there. */
    for (int fx = 0; fx < m->fc && rc == 0; fx++) {
        if (isToDo(m, fx) && S_ISDIR(rpmfilesFMode(m->files, fx)))
            rc = commitDir(m, fx, fsmAttrDirMode);
    }
    return rc == 0 ? fsmTouchMade(m) : rc;
}
