/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparing the files of a package with those below a root. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmio.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>
#include <rpm/rpmverify.h>

#include "rpmroot.h"
#include "rpmug.h"

#define READ_SIZE (256 * 1024)

struct rpmVerifier_s {
    rpmRoot root;
    rpmug ug;
    void *buf; /* READ_SIZE bytes */
};

/* A file on the disk, and what its package says of it. */
struct file {
    rpmVerifier verifier;
    rpmfiles files;
    int ix;
    const char *path; /* below the root, absolute */
    const char *name; /* its last component */
    int dirfd;        /* the directory that it is in, the root's */
    struct stat sb;   /* what is there */
    struct stat want; /* what the package says: mode, uid, gid, rdev, size, mtime */
};

/* Owners that the root does not know count as root, and what they would have been trusted with
 * goes: as they are installed. */
static void wanted(struct file *file)
{
    rpmfiles files = file->files;
    rpmug ug = file->verifier->ug;
    const char *user = rpmfilesFUser(files, file->ix);
    const char *group = rpmfilesFGroup(files, file->ix);
    struct stat *want = &file->want;

    memset(want, 0, sizeof(*want));
    want->st_mode = rpmfilesFMode(files, file->ix);
    want->st_rdev = rpmfilesFRdev(files, file->ix);
    if (S_ISREG(want->st_mode) || S_ISLNK(want->st_mode))
        want->st_size = (off_t)rpmfilesFSize(files, file->ix);
    want->st_mtime = rpmfilesFMtime(files, file->ix);
    if (user != NULL && rpmugUid(ug, user, &want->st_uid) != 0)
        want->st_mode &= ~S_ISUID;
    if (group != NULL && rpmugGid(ug, group, &want->st_gid) != 0)
        want->st_mode &= ~S_ISGID;
}

/* Find what is there. The directory's descriptor stays valid while this file is in hand. */
static int findFile(struct file *file)
{
    const char *slash = strrchr(file->path, '/');
    char *dir = slash != NULL ? rstrndup(file->path, slash - file->path) : rstrdup("");

    file->name = slash != NULL ? slash + 1 : file->path;
    if (*file->name == '\0') /* the root's own directory */
        file->name = ".";
    file->dirfd = rpmRootDir(file->verifier->root, dir, 0);
    rfree(dir);
    if (file->dirfd < 0)
        return -1;
    return fstatat(file->dirfd, file->name, &file->sb, AT_SYMLINK_NOFOLLOW);
}

/* A directory that was replaced by a symlink to one, by who may do that. */
static void followDirectory(struct file *file)
{
    struct stat dir;
    int fd;

    if (!S_ISDIR(file->want.st_mode) || !S_ISLNK(file->sb.st_mode))
        return;
    fd = rpmRootOpenDir(file->verifier->root, file->path, 0);
    if (fd < 0)
        return;
    if (fstat(fd, &dir) == 0 && (file->sb.st_uid == 0 || file->sb.st_uid == dir.st_uid))
        file->sb = dir;
    close(fd);
}

/* The bits that make sense for this package's record of the file and for what is there. */
static rpmVerifyAttrs comparable(const struct file *file, rpmVerifyAttrs omit)
{
    const rpmVerifyAttrs content = RPMVERIFY_FILEDIGEST | RPMVERIFY_FILESIZE | RPMVERIFY_MTIME;
    rpmVerifyAttrs flags = rpmfilesVFlags(file->files, file->ix);

    if (rpmfilesFState(file->files, file->ix) == RPMFILE_STATE_WRONGCOLOR)
        flags &= ~(content | RPMVERIFY_RDEV);
    flags &= S_ISLNK(file->sb.st_mode) ? ~RPMVERIFY_MODE : ~RPMVERIFY_LINKTO;
    if (!S_ISREG(file->sb.st_mode))
        flags &= ~(content | RPMVERIFY_CAPS);
    if (rpmfilesFFlags(file->files, file->ix) & RPMFILE_GHOST)
        flags &= ~(content | RPMVERIFY_LINKTO);
    return flags & ~(omit | RPMVERIFY_FAILURES);
}

/* Open the file that was found, and no other that took its place. */
static FD_t openFound(const struct file *file)
{
    struct stat sb;
    FD_t fd = NULL;
    int fdno = openat(file->dirfd, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fdno < 0)
        return NULL;
    if (fstat(fdno, &sb) == 0 && sb.st_dev == file->sb.st_dev && sb.st_ino == file->sb.st_ino)
        fd = fdDup(fdno);
    close(fdno);
    return fd;
}

static bool readAll(FD_t fd, void *buf)
{
    ssize_t n;

    while ((n = Fread(buf, 1, READ_SIZE, fd)) > 0)
        continue;
    return n == 0;
}

static rpmVerifyAttrs compareDigest(const struct file *file)
{
    int algo = 0;
    size_t length = 0;
    size_t found = 0;
    void *digest = NULL;
    const unsigned char *want = rpmfilesFDigest(file->files, file->ix, &algo, &length);
    rpmVerifyAttrs rc = RPMVERIFY_FILEDIGEST;
    FD_t fd;

    if (want == NULL)
        return rc;
    fd = openFound(file);
    if (fd == NULL)
        return rc | RPMVERIFY_READFAIL;
    fdInitDigest(fd, algo, RPMDIGEST_NONE);
    if (!readAll(fd, file->verifier->buf))
        rc |= RPMVERIFY_READFAIL;
    fdFiniDigest(fd, algo, &digest, &found, 0);
    if (digest == NULL)
        rc |= RPMVERIFY_READFAIL;
    else if (rc == RPMVERIFY_FILEDIGEST && found == length && memcmp(digest, want, length) == 0)
        rc = RPMVERIFY_NONE;
    rfree(digest);
    Fclose(fd);
    return rc;
}

static rpmVerifyAttrs compareLink(const struct file *file)
{
    char target[PATH_MAX];
    const char *want = rpmfilesFLink(file->files, file->ix);
    ssize_t length = readlinkat(file->dirfd, file->name, target, sizeof(target) - 1);

    if (length < 0)
        return RPMVERIFY_LINKTO | RPMVERIFY_READLINKFAIL;
    target[length] = '\0';
    return want != NULL && rstreq(target, want) ? RPMVERIFY_NONE : RPMVERIFY_LINKTO;
}

/* The kind of a ghost is nobody's business, its permissions are. */
static rpmVerifyAttrs compareMode(const struct file *file)
{
    mode_t mask = 07777 | S_IFMT;

    if (rpmfilesFFlags(file->files, file->ix) & RPMFILE_GHOST)
        mask = 07777;
    return (file->want.st_mode & mask) == (file->sb.st_mode & mask) ? RPMVERIFY_NONE
                                                                    : RPMVERIFY_MODE;
}

static bool isDevice(mode_t mode)
{
    return S_ISCHR(mode) || S_ISBLK(mode);
}

/* Headers have 16 bits for a device number: only those can be compared. */
static rpmVerifyAttrs compareDevice(const struct file *file)
{
    mode_t want = file->want.st_mode;
    mode_t is = file->sb.st_mode;

    if (S_ISCHR(want) != S_ISCHR(is) || S_ISBLK(want) != S_ISBLK(is))
        return RPMVERIFY_RDEV;
    if (isDevice(want) && (file->want.st_rdev & 0xffff) != (file->sb.st_rdev & 0xffff))
        return RPMVERIFY_RDEV;
    return RPMVERIFY_NONE;
}

/* Reading capabilities takes no permission to read the file, but cap_get_fd() takes an open
 * one: what cannot be opened is reached through /proc. */
static cap_t foundCaps(const struct file *file)
{
    FD_t fd = openFound(file);
    cap_t caps = NULL;

    if (fd != NULL) {
        caps = cap_get_fd(Fileno(fd));
        Fclose(fd);
    } else {
        char *path = NULL;

        rasprintf(&path, "/proc/self/fd/%d/%s", file->dirfd, file->name);
        caps = cap_get_file(path);
        rfree(path);
    }
    return caps;
}

static rpmVerifyAttrs compareCaps(const struct file *file)
{
    const char *text = rpmfilesFCaps(file->files, file->ix);
    cap_t want = text != NULL && *text != '\0' ? cap_from_text(text) : NULL;
    cap_t is = foundCaps(file);
    bool same = want == is;

    if (want != NULL && is != NULL)
        same = cap_compare(want, is) == 0;
    if (want != NULL)
        cap_free(want);
    if (is != NULL)
        cap_free(is);
    return same ? RPMVERIFY_NONE : RPMVERIFY_CAPS;
}

static rpmVerifyAttrs compareStat(const struct file *file, rpmVerifyAttrs flags)
{
    const struct stat *want = &file->want;
    const struct stat *is = &file->sb;
    rpmVerifyAttrs bad = RPMVERIFY_NONE;

    if ((flags & RPMVERIFY_FILESIZE) && want->st_size != is->st_size)
        bad |= RPMVERIFY_FILESIZE;
    if ((flags & RPMVERIFY_MTIME) && want->st_mtime != is->st_mtime)
        bad |= RPMVERIFY_MTIME;
    if ((flags & RPMVERIFY_USER) && want->st_uid != is->st_uid)
        bad |= RPMVERIFY_USER;
    if ((flags & RPMVERIFY_GROUP) && want->st_gid != is->st_gid)
        bad |= RPMVERIFY_GROUP;
    return bad;
}

static rpmVerifyAttrs compareFile(const struct file *file, rpmVerifyAttrs flags)
{
    rpmVerifyAttrs bad = compareStat(file, flags);

    if (flags & RPMVERIFY_FILEDIGEST)
        bad |= compareDigest(file);
    if (flags & RPMVERIFY_LINKTO)
        bad |= compareLink(file);
    if (flags & RPMVERIFY_MODE)
        bad |= compareMode(file);
    if (flags & RPMVERIFY_RDEV)
        bad |= compareDevice(file);
    if (flags & RPMVERIFY_CAPS)
        bad |= compareCaps(file);
    return bad;
}

static rpmVerifyAttrs verifyPath(rpmVerifier verifier, rpmfiles files, int ix, const char *path,
                                 rpmVerifyAttrs omit)
{
    struct file file = { .verifier = verifier, .files = files, .ix = ix, .path = path };

    wanted(&file);
    if (findFile(&file) != 0)
        return RPMVERIFY_LSTATFAIL;
    /* Of a replaced file nothing can be said but that it is there. */
    if (rpmfilesFState(files, ix) == RPMFILE_STATE_REPLACED)
        return RPMVERIFY_NONE;
    followDirectory(&file);
    return compareFile(&file, comparable(&file, omit));
}

rpmVerifyAttrs rpmVerifierFile(rpmVerifier verifier, rpmfiles files, int ix, const char *path,
                               rpmVerifyAttrs omit)
{
    rpmfileState state = rpmfilesFState(files, ix);
    rpmVerifyAttrs bad;
    char *own = NULL;
    int error;

    if (state == RPMFILE_STATE_NETSHARED || state == RPMFILE_STATE_NOTINSTALLED)
        return RPMVERIFY_NONE;
    if (path == NULL)
        path = own = rpmfilesFN(files, ix);
    errno = EINVAL;
    bad = path != NULL ? verifyPath(verifier, files, ix, path, omit) : RPMVERIFY_LSTATFAIL;
    error = errno;
    rfree(own);
    errno = error;
    return bad;
}

rpmVerifier rpmVerifierNew(const char *rootDir)
{
    rpmRoot root = rpmRootNew(rootDir);
    rpmVerifier verifier;

    if (root == NULL)
        return NULL;
    rpmRootTrustLinks(root);
    verifier = rcalloc(1, sizeof(*verifier));
    verifier->root = root;
    verifier->ug = rpmugNew(rstreq(rootDir, "/") ? NULL : root);
    verifier->buf = rmalloc(READ_SIZE);
    return verifier;
}

rpmVerifier rpmVerifierFree(rpmVerifier verifier)
{
    if (verifier != NULL) {
        rpmugFree(verifier->ug);
        rpmRootFree(verifier->root);
        rfree(verifier->buf);
        rfree(verifier);
    }
    return NULL;
}
