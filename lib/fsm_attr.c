/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The install machine: owner, mode, capabilities and times.
 *
 * The order matters: a change of owner takes set-user-ID bits and capabilities away. */

#include <fcntl.h>
#include <stdio.h>
#include <sys/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "fsm_internal.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452 /* on all architectures */
#endif

/* Once for each name of a package. */
static void warnUnknown(fsm m, const char *what, const char *name)
{
    char *key = rstrscat(NULL, what, " ", name, NULL);

    if (argvSearch(m->warned, key, NULL) == NULL) {
        argvAdd(&m->warned, key);
        argvSort(m->warned, NULL);
        rpmlog(RPMLOG_WARNING, "%s does not exist - using root\n", key);
    }
    rfree(key);
}

struct fsmMeta fsmMetaOf(fsm m, int fx)
{
    const char *user = rpmfilesFUser(m->files, fx);
    const char *group = rpmfilesFGroup(m->files, fx);
    struct fsmMeta meta = { .mode = rpmfilesFMode(m->files, fx) };

    meta.times[0].tv_sec = meta.times[1].tv_sec = rpmfilesFMtime(m->files, fx);
    if (!m->asRoot)
        return meta;
    /* A set-user-ID program is not to run as a root that it was never meant for. */
    if (user != NULL && rpmugUid(m->ug, user, &meta.uid)) {
        warnUnknown(m, "user", user);
        meta.mode &= ~S_ISUID;
    }
    if (group != NULL && rpmugGid(m->ug, group, &meta.gid)) {
        warnUnknown(m, "group", group);
        meta.mode &= ~S_ISGID;
    }
    return meta;
}

/* Some filesystems take no owners, modes or times, but have the right ones already. */
static int chownFd(int fd, const struct fsmMeta *meta)
{
    struct stat sb;
    int rc, saved;

    FSM_RETRY(rc, fchown(fd, meta->uid, meta->gid));
    saved = errno;
    if (rc < 0 && fstat(fd, &sb) == 0 && sb.st_uid == meta->uid && sb.st_gid == meta->gid)
        rc = 0;
    errno = saved;
    return rc;
}

/* By a descriptor of O_PATH. */
static int chmodPath(int fd, mode_t mode)
{
    char path[64];
    int rc = (int) syscall(SYS_fchmodat2, fd, "", mode & 07777, AT_EMPTY_PATH);

    if (rc < 0 && errno == ENOSYS) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        rc = chmod(path, mode & 07777);
    }
    return rc;
}

static int chmodFd(int fd, mode_t mode)
{
    struct stat sb;
    int rc, saved;

    FSM_RETRY(rc, fchmod(fd, mode & 07777));
    if (rc < 0 && errno == EBADF)
        rc = chmodPath(fd, mode);
    saved = errno;
    if (rc < 0 && fstat(fd, &sb) == 0 && (sb.st_mode & 07777) == (mode & 07777))
        rc = 0;
    errno = saved;
    return rc;
}

static int setCaps(fsm m, int fx, int fd)
{
    const char *text = rpmfilesFCaps(m->files, fx);
    cap_t caps;
    int rc;

    if (text == NULL || *text == '\0' || !m->asRoot || (m->ts->flags & RPMTRANS_FLAG_NOCAPS))
        return 0;
    caps = cap_from_text(text);
    if (caps == NULL)
        return fsmFail(m, fx, RPMERR_SETCAP_FAILED, NULL);
    FSM_RETRY(rc, cap_set_fd(fd, caps));
    if (rc < 0)
        rc = fsmFail(m, fx, RPMERR_SETCAP_FAILED, NULL);
    cap_free(caps);
    return rc;
}

/* have: what the file is like, as far as that is known to need no change; or NULL. */
static int setAttrs(fsm m, int fx, int fd, const struct fsmMeta *meta, const struct stat *have)
{
    int owned = have != NULL && have->st_uid == meta->uid && have->st_gid == meta->gid;
    int chown = m->asRoot && !owned;
    int chmod = have == NULL || chown || ((have->st_mode ^ meta->mode) & 07777) != 0;
    int rc;

    if (chown && chownFd(fd, meta))
        return fsmFail(m, fx, RPMERR_CHOWN_FAILED, NULL);
    if (chmod && chmodFd(fd, meta->mode))
        return fsmFail(m, fx, RPMERR_CHMOD_FAILED, NULL);
    rc = setCaps(m, fx, fd);
    if (rc)
        return rc;
    FSM_RETRY(rc, futimens(fd, meta->times));
    return rc ? fsmFail(m, fx, RPMERR_UTIME_FAILED, NULL) : 0;
}

int fsmAttrFd(fsm m, int fx, int fd)
{
    struct fsmMeta meta = fsmMetaOf(m, fx);

    return setAttrs(m, fx, fd, &meta, NULL);
}

mode_t fsmBornMode(fsm m, int fx)
{
    mode_t mode = rpmfilesFMode(m->files, fx) & 07777;
    int alone = rpmfilesFNlink(m->files, fx) == 1; /* else it may be in another directory */

    return alone && fsmDirIsOurs(m, fx) && (mode & ~0777u) == 0 ? mode : 0;
}

/* The umask and access control lists take some bits away from what files are made with: the same
 * ones in all of a directory. Those that came through once are looked at no more. */
int fsmAttrNew(fsm m, int fx, int fd)
{
    struct fsmMeta meta = fsmMetaOf(m, fx);
    struct fsmDir *dir = &m->dirs[rpmfilesDI(m->files, fx)];
    mode_t born = fsmBornMode(m, fx);
    struct stat sb = { .st_uid = m->uid, .st_gid = m->gid, .st_mode = born };

    if ((born == 0 || (born & ~dir->modes) != 0) && fstat(fd, &sb))
        return setAttrs(m, fx, fd, &meta, NULL);
    if ((sb.st_mode & 07777) == born)
        dir->modes |= born;
    return setAttrs(m, fx, fd, &meta, &sb);
}

static int chownAt(int dirfd, const char *name, const struct fsmMeta *meta)
{
    struct stat sb;
    int rc, saved;

    FSM_RETRY(rc, fchownat(dirfd, name, meta->uid, meta->gid, AT_SYMLINK_NOFOLLOW));
    saved = errno;
    if (rc < 0 && fstatat(dirfd, name, &sb, AT_SYMLINK_NOFOLLOW) == 0 &&
        sb.st_uid == meta->uid && sb.st_gid == meta->gid)
        rc = 0;
    errno = saved;
    return rc;
}

/* Before fchmodat2(), Linux 6.6, the C library needs /proc for it. */
static int chmodAt(int dirfd, const char *name, mode_t mode)
{
    int rc;

    FSM_RETRY(rc, fchmodat(dirfd, name, mode & 07777, AT_SYMLINK_NOFOLLOW));
    if (rc < 0 && errno == EOPNOTSUPP)
        rc = (int) syscall(SYS_fchmodat2, dirfd, name, mode & 07777, AT_SYMLINK_NOFOLLOW);
    return rc;
}

int fsmAttrAt(fsm m, int fx, int dirfd, const char *name)
{
    struct fsmMeta meta = fsmMetaOf(m, fx);
    int rc;

    if (m->asRoot && chownAt(dirfd, name, &meta))
        return fsmFail(m, fx, RPMERR_CHOWN_FAILED, NULL);
    if (!S_ISLNK(meta.mode) && chmodAt(dirfd, name, meta.mode))
        return fsmFail(m, fx, RPMERR_CHMOD_FAILED, NULL);
    FSM_RETRY(rc, utimensat(dirfd, name, meta.times, AT_SYMLINK_NOFOLLOW));
    return rc ? fsmFail(m, fx, RPMERR_UTIME_FAILED, NULL) : 0;
}

int fsmAttrDir(fsm m, int fx, int fd)
{
    struct fsmMeta meta = fsmMetaOf(m, fx);

    if (m->asRoot && chownFd(fd, &meta))
        return fsmFail(m, fx, RPMERR_CHOWN_FAILED, NULL);
    /* A directory's time is soon another: no reason to fail. */
    if (futimens(fd, meta.times) && errno == EBADF)
        (void) utimensat(fd, "", meta.times, AT_EMPTY_PATH);
    return 0;
}

int fsmAttrDirMode(fsm m, int fx, int fd)
{
    struct fsmMeta meta = fsmMetaOf(m, fx);

    return chmodFd(fd, meta.mode) ? fsmFail(m, fx, RPMERR_CHMOD_FAILED, NULL) : 0;
}
