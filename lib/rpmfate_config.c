/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a package's files, old and new, have to do with what is on the disk. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmfiledigest.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "misc.h"
#include "rpmfate.h"

/* A name on the disk. */
struct onDisk {
    int dirfd; /* the root's */
    const char *name;
    struct stat sb;
};

/* How something on the disk compares with what a package says. */
enum match { UNREADABLE = -1, DIFFERS = 0, EQUALS = 1 };

/* 0 if there is something of this path. */
static int look(struct onDisk *disk, rpmRoot root, rpmfiles files, int fx)
{
    disk->name = rpmfilesBN(files, fx);
    disk->dirfd = rpmRootDir(root, rpmfilesDN(files, rpmfilesDI(files, fx)), 0);
    return disk->dirfd < 0 ? -1
                           : fstatat(disk->dirfd, disk->name, &disk->sb, AT_SYMLINK_NOFOLLOW);
}

/* A file that somebody writes to meanwhile differs from all that packages have, and so does any by
 * an algorithm that is not known: rather save it once too often. */
static enum match matchDigest(const char *name, int fdno, int algo, const unsigned char *digest,
                              size_t len)
{
    rpmFileDigestResult res;
    enum match rc = DIFFERS;

    rpmFileDigestFd(fdno, name, &algo, 1, NULL, &res);
    if (res.err != 0 && res.err != ESTALE && res.err != EINVAL)
        rc = UNREADABLE;
    else if (res.err == 0 && rpmHexIsDigest(res.hex[0], digest, len))
        rc = EQUALS;
    rpmFileDigestResultFini(&res);
    return rc;
}

static enum match matchContent(const struct onDisk *disk, rpmfiles files, int fx)
{
    int algo;
    size_t len;
    const unsigned char *digest = rpmfilesFDigest(files, fx, &algo, &len);
    enum match rc = DIFFERS;
    int fd;

    if (digest == NULL)
        return DIFFERS;
    fd = openat(disk->dirfd, disk->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return UNREADABLE;
    if ((rpm_loff_t) disk->sb.st_size == rpmfilesFSize(files, fx))
        rc = matchDigest(disk->name, fd, algo, digest, len);
    close(fd);
    return rc;
}

static enum match matchLink(const struct onDisk *disk, rpmfiles files, int fx)
{
    const char *target = rpmfilesFLink(files, fx);
    char buf[PATH_MAX];
    ssize_t n = readlinkat(disk->dirfd, disk->name, buf, sizeof(buf));

    if (n < 0)
        return UNREADABLE;
    return target != NULL && (size_t) n == strlen(target) && memcmp(buf, target, n) == 0 ? EQUALS
                                                                                        : DIFFERS;
}

/* Regular files and symlinks of the same type only. */
static enum match matchDisk(const struct onDisk *disk, rpmfiles files, int fx)
{
    mode_t type = rpmfilesFMode(files, fx) & S_IFMT;

    if ((disk->sb.st_mode & S_IFMT) != type)
        return DIFFERS;
    return type == S_IFREG ? matchContent(disk, files, fx) : matchLink(disk, files, fx);
}

int rpmFateConfigConflict(rpmRoot root, rpmfiles files, int fx)
{
    mode_t mode = rpmfilesFMode(files, fx);
    rpmfileAttrs attrs = rpmfilesFFlags(files, fx);
    struct onDisk disk;

    if (!(attrs & RPMFILE_CONFIG) || !(S_ISREG(mode) || S_ISLNK(mode)) ||
        look(&disk, root, files, fx))
        return 0;
    return (attrs & RPMFILE_GHOST) || matchDisk(&disk, files, fx) != EQUALS;
}

/* Does the new package have the same at this path as the old one? */
static int unchanged(rpmfiles old, int ox, rpmfiles files, int fx)
{
    mode_t type = rpmfilesFMode(files, fx) & S_IFMT;

    if (type != (rpmfilesFMode(old, ox) & S_IFMT))
        return 0;
    if (type == S_IFREG)
        return rpmFateSameDigest(old, ox, files, fx) && rpmfilesFDigest(files, fx, NULL, NULL);
    return rstreq(rpmfilesFLink(old, ox), rpmfilesFLink(files, fx));
}

/* The administrator's changes are kept: where, the package says. */
static rpmFileAction actionChanged(rpmfiles old, int ox, rpmfiles files, int fx)
{
    rpmfileAttrs attrs = rpmfilesFFlags(files, fx);

    if (!(attrs & RPMFILE_CONFIG))
        return FA_SAVE;
    if (unchanged(old, ox, files, fx))
        return FA_SKIP;
    return attrs & RPMFILE_NOREPLACE ? FA_ALTNAME : FA_SAVE;
}

rpmFileAction rpmFateConfig(rpmRoot root, rpmfiles old, int ox, rpmfiles files, int fx,
                            int skipMissing)
{
    rpmfileAttrs attrs = rpmfilesFFlags(files, fx);
    mode_t oldMode = rpmfilesFMode(old, ox);
    struct onDisk disk;
    enum match match;

    if (attrs & RPMFILE_GHOST)
        return FA_SKIP;
    if (look(&disk, root, files, fx))
        return skipMissing && (attrs & RPMFILE_MISSINGOK) ? FA_SKIP : FA_CREATE;
    if (!S_ISREG(oldMode) && !S_ISLNK(oldMode))
        return FA_CREATE;
    if ((rpmfilesFMode(files, fx) & S_IFMT) == (oldMode & S_IFMT)) {
        match = matchDisk(&disk, files, fx);
        if (match != DIFFERS)
            return match == EQUALS ? FA_TOUCH : FA_CREATE;
    }
    match = unchanged(old, ox, files, fx) ? DIFFERS : matchDisk(&disk, old, ox);
    return match != DIFFERS ? FA_CREATE : actionChanged(old, ox, files, fx);
}

int rpmFateNeedsNoWrite(rpmRoot root, rpmfiles old, int ox, rpmfiles files, int fx)
{
    mode_t type = rpmfilesFMode(files, fx) & S_IFMT;
    struct onDisk disk;

    if ((type != S_IFREG && type != S_IFLNK) || type != (rpmfilesFMode(old, ox) & S_IFMT) ||
        rpmfilesFNlink(old, ox) != 1 || rpmfilesFNlink(files, fx) != 1)
        return 0;
    if (type == S_IFREG && !unchanged(old, ox, files, fx))
        return 0;
    return look(&disk, root, files, fx) == 0 && matchDisk(&disk, files, fx) == EQUALS;
}
