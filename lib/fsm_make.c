/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The install machine: one entry of the payload, made under a temporary name.
 *
 * Whatever has been made is noted before anything else can fail, so that fsmUndo() finds it. */

#include <fcntl.h>
#include <unistd.h>

#include <rpm/rpmio.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "flushpolicy.h"
#include "fsm_internal.h"

#define NAMES_MAX 1000 /* temporary names of others to step over before giving up */

/* Makes something of a name: a descriptor or 0; -1 with errno set. */
typedef int (*maker)(fsm m, int fx, int dirfd, const char *name);

static int makeTemp(fsm m, int fx, int dirfd, maker make)
{
    char name[FSM_TEMP_SIZE];
    int rc = -1;

    for (int tries = 0; tries < NAMES_MAX; tries++) {
        m->f[fx].temp = ++m->ts->temps;
        fsmTempName(m, fx, name);
        FSM_RETRY(rc, make(m, fx, dirfd, name));
        if (rc >= 0)
            m->f[fx].stage = FSM_TEMP;
        if (rc >= 0 || errno != EEXIST)
            break;
    }
    return rc;
}

/* Closes a file that is complete: a late write error shows here at the latest. */
static int closeFile(fsm m, int fx, int fd, int rc)
{
    int saved = errno;

    if (close(fd) && rc == 0)
        return fsmFail(m, fx, RPMERR_CLOSE_FAILED, NULL);
    errno = saved;
    return rc;
}

/* More than the archive can still hold would reserve space on the word of a broken header. */
static int checkSize(fsm m, rpmPayload p, int fx)
{
    uint64_t threshold = rpmFlushGetPolicy(m->ts->flush)->fallocate;
    rpm_loff_t size = rpmfilesFSize(m->files, fx);
    rpm_loff_t done = rpmPayloadTell(p);

    if (threshold == 0 || size < threshold || (done <= m->total && size <= m->total - done))
        return 0;
    return fsmFail(m, fx, RPMERR_BAD_HEADER, "its size is more than the archive has left");
}

/* A file to write to, under the write policy; takes the descriptor over. */
static FD_t startFile(fsm m, int fx, int fd)
{
    FD_t out = fdTake(fd);
    char *path = rpmfilesFN(m->files, fx);

    if (fdSetFlush(out, m->ts->flush, (int64_t) rpmfilesFSize(m->files, fx), path)) {
        fsmFailFlush(m, fx, RPMERR_WRITE_FAILED);
        fdSetFlush(out, NULL, -1, NULL);
        Fclose(out);
        out = NULL;
    }
    rfree(path);
    return out;
}

static int writeContent(fsm m, rpmPayload p, FD_t out)
{
    int rc = rpmPayloadReadToFile(p, out, m->ts->flags & RPMTRANS_FLAG_NOFILEDIGEST);

    return rc != 0 ? fsmFailPayload(m, p, rc) : 0;
}

/* Content, attributes and close of the descriptor; the attributes are those of file fx. They are
 * set before the close, so that what makes the content durable does the same for them. */
static int finishFile(fsm m, rpmPayload p, int fx, int fd)
{
    int rc = checkSize(m, p, fx);
    FD_t out = rc == 0 ? startFile(m, fx, fd) : NULL;

    if (rc != 0)
        return closeFile(m, fx, fd, rc);
    if (out == NULL)
        return RPMERR_WRITE_FAILED;
    rc = writeContent(m, p, out);
    if (rc == 0)
        rc = fsmAttrNew(m, fx, Fileno(out));
    if (rc != 0)
        fdSetFlush(out, NULL, -1, NULL); /* given up: nothing of it need be durable */
    if (Fclose(out) && rc == 0)
        rc = fsmFailFlush(m, fx, RPMERR_CLOSE_FAILED);
    return rc;
}

static int openNew(fsm m, int fx, int dirfd, const char *name)
{
    int flags = rpmFlushOpenFlags(m->ts->flush);
    mode_t mode = fsmBornMode(m, fx);

    return openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | flags,
                  mode != 0 ? mode : 0200);
}

/* The member of a hard link set that was made first, -1 for none yet. */
static int firstMade(fsm m, const int *links, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (m->f[links[i]].temp != 0 && m->f[links[i]].stage == FSM_TEMP)
            return links[i];
    }
    return -1;
}

/* The content of a set comes with its last member, the file was made for another. */
static int fillSet(fsm m, rpmPayload p, int first, int fx)
{
    char name[FSM_TEMP_SIZE];
    struct stat sb;
    int dirfd = fsmDirOf(m, first, 0);
    int fd = -1;

    if (dirfd < 0)
        return dirfd;
    fsmTempName(m, first, name);
    FSM_RETRY(fd, openat(dirfd, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
                                          rpmFlushOpenFlags(m->ts->flush)));
    if (fd < 0)
        return fsmFail(m, first, RPMERR_OPEN_FAILED, NULL);
    if (fstat(fd, &sb) || !S_ISREG(sb.st_mode) || sb.st_ino != m->f[first].ino) {
        close(fd);
        return fsmFail(m, first, RPMERR_INTERNAL, "its temporary file was replaced meanwhile");
    }
    return finishFile(m, p, fx, fd);
}

static int makeFirst(fsm m, rpmPayload p, int fx, int dirfd)
{
    struct stat sb;
    int fd = makeTemp(m, fx, dirfd, openNew);

    if (fd < 0)
        return fsmFail(m, fx, RPMERR_OPEN_FAILED, NULL);
    if (rpmfilesFNlink(m->files, fx) > 1) {
        if (fstat(fd, &sb))
            return closeFile(m, fx, fd, fsmFail(m, fx, RPMERR_STAT_FAILED, NULL));
        m->f[fx].ino = sb.st_ino;
    }
    if (!rpmPayloadHasContent(p))
        return closeFile(m, fx, fd, 0);
    return finishFile(m, p, fx, fd);
}

static int linkTemp(fsm m, int first, int fx, int dirfd)
{
    char from[FSM_TEMP_SIZE], to[FSM_TEMP_SIZE];
    int rc = -1;
    int fromfd = rpmRootOpenDir(m->ts->root, rpmfilesDN(m->files, rpmfilesDI(m->files, first)), 0);

    if (fromfd < 0)
        return -1;
    fsmTempName(m, first, from);
    for (int tries = 0; tries < NAMES_MAX && rc < 0; tries++) {
        m->f[fx].temp = ++m->ts->temps;
        fsmTempName(m, fx, to);
        FSM_RETRY(rc, linkat(fromfd, from, dirfd, to, 0));
        if (rc < 0 && errno != EEXIST)
            break;
    }
    if (rc == 0)
        m->f[fx].stage = FSM_TEMP;
    close(fromfd);
    return rc;
}

static int makeFile(fsm m, rpmPayload p, int fx)
{
    const int *links = NULL;
    uint32_t n = rpmfilesFLinks(m->files, fx, &links);
    int first = n > 1 ? firstMade(m, links, n) : -1;
    int dirfd;

    if (m->f[fx].stage != FSM_SKIP) {
        dirfd = fsmDirOf(m, fx, 1);
        if (dirfd < 0)
            return dirfd;
        if (first < 0)
            return makeFirst(m, p, fx, dirfd);
        if (linkTemp(m, first, fx, dirfd))
            return fsmFail(m, fx, RPMERR_LINK_FAILED, NULL);
    } else if (first < 0) {
        return 0;
    }
    if (!rpmPayloadHasContent(p))
        return 0;
    return fillSet(m, p, first, m->f[fx].stage == FSM_SKIP ? first : fx);
}

static int makeLink(fsm m, int fx, int dirfd, const char *name)
{
    return symlinkat(rpmfilesFLink(m->files, fx), dirfd, name);
}

/* Nobody can use the new name until fsmAttrAt() has set its owner and mode. */
static int makeNode(fsm m, int fx, int dirfd, const char *name)
{
    mode_t type = rpmfilesFMode(m->files, fx) & S_IFMT;

    return mknodat(dirfd, name, type, S_ISFIFO(type) || S_ISSOCK(type)
                                          ? 0 : (dev_t) rpmfilesFRdev(m->files, fx));
}

static int makeSpecial(fsm m, int fx, maker make, int error)
{
    char name[FSM_TEMP_SIZE];
    int dirfd = fsmDirOf(m, fx, 1);
    int rc;

    if (dirfd < 0)
        return dirfd;
    if (makeTemp(m, fx, dirfd, make) < 0)
        return fsmFail(m, fx, error, NULL);
    fsmTempName(m, fx, name);
    rc = fsmAttrAt(m, fx, dirfd, name);
    return rc == 0 ? fsmTouchNode(m, fx, dirfd) : rc;
}

static int makeNewDir(fsm m, int fx, int dirfd, const char *name)
{
    (void) m;
    (void) fx;
    return mkdirat(dirfd, name, 0700);
}

/* A file or an untrusted symlink has the directory's name: until that changes, the directory is
 * found by the temporary name. */
static int makeDirBeside(fsm m, int fx, int dirfd)
{
    char name[FSM_TEMP_SIZE];

    if (makeTemp(m, fx, dirfd, makeNewDir) < 0)
        return fsmFail(m, fx, RPMERR_MKDIR_FAILED, NULL);
    fsmTempName(m, fx, name);
    if (rpmRootAlias(m->ts->root, dirfd, fsmName(m, fx), name))
        return fsmFail(m, fx, RPMERR_STAT_FAILED, NULL);
    return fsmTouchNode(m, fx, dirfd);
}

static int makeDir(fsm m, int fx)
{
    struct stat sb;
    char *path;
    int rc;
    int dirfd = fsmDirOf(m, fx, 1);

    if (dirfd < 0)
        return dirfd;
    FSM_RETRY(rc, mkdirat(dirfd, fsmName(m, fx), 0700));
    if (rc == 0) {
        m->f[fx].made = 1;
        path = rpmfilesFN(m->files, fx);
        argvAdd(&m->made, path);
        rfree(path);
    } else if (errno != EEXIST) {
        return fsmFail(m, fx, RPMERR_MKDIR_FAILED, NULL);
    } else if (fstatat(dirfd, fsmName(m, fx), &sb, AT_SYMLINK_NOFOLLOW)) {
        return fsmFail(m, fx, RPMERR_LSTAT_FAILED, NULL);
    } else if (!S_ISDIR(sb.st_mode)) {
        int fd = S_ISLNK(sb.st_mode) ? fsmOpenDir(m, fx) : -1;
        if (fd < 0)
            return makeDirBeside(m, fx, dirfd);
        close(fd);
    }
    m->f[fx].stage = FSM_DIR;
    return 0;
}

/* Only what is still there and alone can be touched, all else is made as ever: a symlink, too,
 * where its attributes have to be durable, since it cannot be synced. */
static int findTouched(fsm m, int fx)
{
    struct stat sb;
    int dirfd;

    if (S_ISLNK(rpmfilesFMode(m->files, fx)) && rpmtsIsBatch(m->ts))
        return 0;
    if (fsmAction(m, fx) != FA_TOUCH || m->f[fx].stage == FSM_SKIP ||
        rpmfilesFNlink(m->files, fx) != 1)
        return 0;
    dirfd = fsmDirOf(m, fx, 1);
    if (dirfd < 0)
        return dirfd;
    if (fstatat(dirfd, fsmName(m, fx), &sb, AT_SYMLINK_NOFOLLOW) == 0 &&
        (sb.st_mode & S_IFMT) == (rpmfilesFMode(m->files, fx) & S_IFMT))
        m->f[fx].stage = FSM_TOUCH;
    return 0;
}

int fsmMake(fsm m, rpmPayload p, int fx)
{
    mode_t mode = rpmfilesFMode(m->files, fx);
    int device = S_ISCHR(mode) || S_ISBLK(mode);
    int rc;

    if (XFA_SKIPPING(fsmAction(m, fx)) || (device && !m->asRoot))
        m->f[fx].stage = FSM_SKIP;
    rc = findTouched(m, fx);
    if (rc != 0 || m->f[fx].stage == FSM_TOUCH)
        return rc;
    if (S_ISREG(mode))
        return makeFile(m, p, fx);
    if (m->f[fx].stage == FSM_SKIP)
        return 0;
    if (S_ISDIR(mode))
        return makeDir(m, fx);
    if (S_ISLNK(mode))
        return makeSpecial(m, fx, makeLink, RPMERR_SYMLINK_FAILED);
    if (S_ISFIFO(mode))
        return makeSpecial(m, fx, makeNode, RPMERR_MKFIFO_FAILED);
    if (device || S_ISSOCK(mode))
        return makeSpecial(m, fx, makeNode, RPMERR_MKNOD_FAILED);
    return fsmFail(m, fx, RPMERR_UNKNOWN_FILETYPE, NULL);
}
