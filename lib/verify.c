/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparing the files of a package with those below a root. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "digestoptions.h"
#include "misc.h"
#include "verify_internal.h"

/* Files up to here are read whole, onto the stack. */
enum { SMALL_BYTES = 64 * 1024 };

/* Owners that the root does not know count as root, and what they would have been trusted with
 * goes: as they are installed. */
static void wanted(struct rpmVerifyFile_s *file, rpmug ug)
{
    rpmfiles files = file->files;
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

/* Find the directory that a file is in. */
static int findDirectory(struct rpmVerifyFile_s *file, rpmRoot root)
{
    const char *path = file->path;
    const char *slash = strrchr(path, '/');
    char *dir = slash != NULL ? rstrndup(path, slash - path) : rstrdup("");

    file->name = slash != NULL ? slash + 1 : path;
    if (*file->name == '\0') /* the root's own directory */
        file->name = ".";
    file->dirfd = rpmRootDir(root, dir, 0);
    rfree(dir);
    return file->dirfd < 0 ? -1 : 0;
}

/* A directory that was replaced by a symlink to one, by who may do that. */
static void followDirectory(struct rpmVerifyFile_s *file, rpmRoot root)
{
    struct stat dir;
    int fd = rpmRootOpenDir(root, file->path, 0);

    if (fd < 0)
        return;
    if (fstat(fd, &dir) == 0 && (file->sb.st_uid == 0 || file->sb.st_uid == dir.st_uid))
        file->sb = dir;
    close(fd);
}

/* The bits that make sense for this package's record of the file and for what is there. */
static rpmVerifyAttrs comparable(const struct rpmVerifyFile_s *file)
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
    return flags & ~(file->omit | RPMVERIFY_FAILURES);
}

/* Open the file that was found, and no other that took its place. */
static int openFound(const struct rpmVerifyFile_s *file)
{
    struct stat sb;
    int fdno = openat(file->dirfd, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fdno < 0)
        return -1;
    if (fstat(fdno, &sb) == 0 && sb.st_dev == file->sb.st_dev && sb.st_ino == file->sb.st_ino)
        return fdno;
    close(fdno);
    return -1;
}

/* Read a small file whole, and one byte more. What would have to be waited for is asked for, so
 * that it comes while other files are looked at, if this one may be looked at again: -1 and
 * VERIFY_LOOK. */
static ssize_t readSmall(struct rpmVerifyFile_s *file, int fdno, unsigned char *buf)
{
    struct iovec iov = { buf, (size_t)file->sb.st_size + 1 };
    ssize_t n = file->mayComeBack ? preadv2(fdno, &iov, 1, 0, RWF_NOWAIT) : -1;

    if (n == file->sb.st_size)
        return n;
    /* Not every filesystem can tell. */
    if (!file->mayComeBack || (n < 0 && errno != EAGAIN))
        return pread(fdno, buf, iov.iov_len, 0);
    posix_fadvise(fdno, 0, 0, POSIX_FADV_WILLNEED);
    file->next = VERIFY_LOOK;
    return -1;
}

/* Whether a small file has the content that it should, by one read where rpmFileDigestFd() takes
 * five calls: for thousands of small files, those are most of the time. True if *bad has the
 * answer; what is not as it should be is left to that one, which knows why. */
static bool compareSmall(struct rpmVerifyFile_s *file, int fdno, int algo,
                         const unsigned char *want, size_t length, rpmVerifyAttrs *bad)
{
    unsigned char buf[SMALL_BYTES + 1];
    ssize_t n = readSmall(file, fdno, buf);
    void *digest = NULL;
    DIGEST_CTX ctx;
    bool right;

    if (n < 0 && (file->next == VERIFY_LOOK || (errno != EINTR && errno != EAGAIN))) {
        *bad |= RPMVERIFY_READFAIL;
        return true;
    }
    if (n != file->sb.st_size)
        return false;
    ctx = rpmDigestInit(algo, RPMDIGEST_NONE);
    rpmDigestUpdate(ctx, buf, (size_t)n);
    right = rpmDigestFinal(ctx, &digest, NULL, 0) == 0 && memcmp(digest, want, length) == 0;
    rfree(digest);
    if (right)
        *bad = RPMVERIFY_NONE;
    return right;
}

static bool isSmall(const struct rpmVerifyFile_s *file, const rpmFileDigestOptions *options)
{
    return file->sb.st_size > 0 && file->sb.st_size <= SMALL_BYTES && options->keepCache &&
           options->threshold > (uint64_t)file->sb.st_size;
}

static rpmVerifyAttrs compareDigest(struct rpmVerifyFile_s *file, int fdno,
                                    const rpmFileDigestOptions *options)
{
    int algo = 0;
    size_t length = 0;
    const unsigned char *want = rpmfilesFDigest(file->files, file->ix, &algo, &length);
    rpmVerifyAttrs rc = RPMVERIFY_FILEDIGEST;
    rpmFileDigestResult res;

    if (want == NULL)
        return rc;
    if (fdno < 0)
        return rc | RPMVERIFY_READFAIL;
    if (isSmall(file, options) && compareSmall(file, fdno, algo, want, length, &rc))
        return rc;
    if (rpmFileDigestFd(fdno, file->path, &algo, 1, options, &res) != 0)
        rc |= RPMVERIFY_READFAIL;
    else if (rpmHexIsDigest(res.hex[0], want, length))
        rc = RPMVERIFY_NONE;
    rpmFileDigestResultFini(&res);
    return rc;
}

static rpmVerifyAttrs compareLink(const struct rpmVerifyFile_s *file)
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
static rpmVerifyAttrs compareMode(const struct rpmVerifyFile_s *file)
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
static rpmVerifyAttrs compareDevice(const struct rpmVerifyFile_s *file)
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
static cap_t foundCaps(const struct rpmVerifyFile_s *file, int fdno)
{
    char *path = NULL;
    cap_t caps;

    /* Most files have none, which libcap takes two calls to say. */
    if (fdno >= 0)
        return fgetxattr(fdno, "security.capability", NULL, 0) < 0 ? NULL : cap_get_fd(fdno);
    rasprintf(&path, "/proc/self/fd/%d/%s", file->dirfd, file->name);
    caps = cap_get_file(path);
    rfree(path);
    return caps;
}

static rpmVerifyAttrs compareCaps(const struct rpmVerifyFile_s *file, int fdno)
{
    const char *text = rpmfilesFCaps(file->files, file->ix);
    cap_t want = text != NULL && *text != '\0' ? cap_from_text(text) : NULL;
    cap_t is = foundCaps(file, fdno);
    bool same = want == is;

    if (want != NULL && is != NULL)
        same = cap_compare(want, is) == 0;
    if (want != NULL)
        cap_free(want);
    if (is != NULL)
        cap_free(is);
    return same ? RPMVERIFY_NONE : RPMVERIFY_CAPS;
}

static rpmVerifyAttrs compareStat(const struct rpmVerifyFile_s *file, rpmVerifyAttrs flags)
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

/* What takes an open file. */
static rpmVerifyAttrs compareInside(struct rpmVerifyFile_s *file, rpmVerifyAttrs flags,
                                    const rpmFileDigestOptions *options)
{
    rpmVerifyAttrs bad = RPMVERIFY_NONE;
    int fdno;

    if (!(flags & (RPMVERIFY_FILEDIGEST | RPMVERIFY_CAPS)))
        return bad;
    fdno = openFound(file);
    if (flags & RPMVERIFY_FILEDIGEST)
        bad |= compareDigest(file, fdno, options);
    if (flags & RPMVERIFY_CAPS)
        bad |= compareCaps(file, fdno);
    if (fdno >= 0)
        close(fdno);
    return bad;
}

static void compareFile(struct rpmVerifyFile_s *file, const rpmFileDigestOptions *options)
{
    rpmVerifyAttrs flags = comparable(file);

    file->bad = compareStat(file, flags) | compareInside(file, flags, options);
    if (flags & RPMVERIFY_LINKTO)
        file->bad |= compareLink(file);
    if (flags & RPMVERIFY_MODE)
        file->bad |= compareMode(file);
    if (flags & RPMVERIFY_RDEV)
        file->bad |= compareDevice(file);
}

static void missing(struct rpmVerifyFile_s *file, int error)
{
    file->next = VERIFY_NOTHING;
    file->bad = RPMVERIFY_LSTATFAIL;
    file->error = error;
}

void rpmVerifyFileBegin(struct rpmVerifyFile_s *file, rpmVerifier verifier, rpmfiles files, int ix,
                        char *path, rpmVerifyAttrs omit)
{
    rpmfileState state = rpmfilesFState(files, ix);

    memset(file, 0, sizeof(*file));
    file->files = files;
    file->ix = ix;
    file->omit = omit;
    file->path = path != NULL ? path : rpmfilesFN(files, ix);
    file->next = VERIFY_NOTHING;
    file->dirfd = -1;
    if (state == RPMFILE_STATE_NETSHARED || state == RPMFILE_STATE_NOTINSTALLED)
        return;
    file->next = VERIFY_LOOK;
    if (file->path == NULL)
        missing(file, EINVAL);
    else if (findDirectory(file, verifier->root) != 0)
        missing(file, errno);
    else
        wanted(file, verifier->ug);
}

void rpmVerifyFileLook(struct rpmVerifyFile_s *file, const rpmFileDigestOptions *options)
{
    if (file->next != VERIFY_LOOK)
        return;
    file->next = VERIFY_NOTHING;
    if (fstatat(file->dirfd, file->name, &file->sb, AT_SYMLINK_NOFOLLOW) != 0)
        missing(file, errno);
    /* Of a replaced file nothing can be said but that it is there. */
    else if (rpmfilesFState(file->files, file->ix) == RPMFILE_STATE_REPLACED)
        return;
    else if (S_ISDIR(file->want.st_mode) && S_ISLNK(file->sb.st_mode))
        file->next = VERIFY_FOLLOW;
    else
        compareFile(file, options);
}

void rpmVerifyFileEnd(struct rpmVerifyFile_s *file, rpmVerifier verifier)
{
    if (file->next == VERIFY_FOLLOW) {
        followDirectory(file, verifier->root);
        compareFile(file, &verifier->options);
    }
}

rpmVerifyAttrs rpmVerifierFile(rpmVerifier verifier, rpmfiles files, int ix, const char *path,
                               rpmVerifyAttrs omit)
{
    struct rpmVerifyFile_s file;

    rpmVerifyFileBegin(&file, verifier, files, ix, path != NULL ? rstrdup(path) : NULL, omit);
    rpmVerifyFileLook(&file, &verifier->options);
    rpmVerifyFileEnd(&file, verifier);
    rfree(file.path);
    errno = file.error;
    return file.bad;
}

rpmVerifier rpmVerifierNew(const char *rootDir)
{
    rpmFileDigestOptions options;
    rpmRoot root;
    rpmVerifier verifier;

    if (rpmDigestOptions(&options) != 0)
        return NULL;
    root = rpmRootNew(rootDir);
    if (root == NULL)
        return NULL;
    rpmRootTrustLinks(root);
    verifier = rcalloc(1, sizeof(*verifier));
    verifier->root = root;
    verifier->ug = rpmugNew(rstreq(rootDir, "/") ? NULL : root);
    verifier->options = options;
    return verifier;
}

rpmVerifier rpmVerifierFree(rpmVerifier verifier)
{
    if (verifier != NULL) {
        rpmFileDigestPoolFree(verifier->pool);
        rpmugFree(verifier->ug);
        rpmRootFree(verifier->root);
        rfree(verifier);
    }
    return NULL;
}
