/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of each file of a transaction. */

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmio.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmfate.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* 1 if the content of an open file has this digest. */
static int hasDigest(int fdno, int algo, const unsigned char *digest, size_t len)
{
    FD_t fd = fdDup(fdno);
    char buf[32 * 1024];
    void *got = NULL;
    size_t gotLen = 0;
    ssize_t n;
    int equal;

    if (fd == NULL)
        return 0;
    fdInitDigest(fd, algo, RPMDIGEST_NONE);
    while ((n = Fread(buf, 1, sizeof(buf), fd)) > 0)
        continue;
    fdFiniDigest(fd, algo, &got, &gotLen, 0);
    equal = n == 0 && got != NULL && gotLen == len && memcmp(got, digest, len) == 0;
    rfree(got);
    Fclose(fd);
    return equal;
}

static int sameContent(int dirfd, const char *name, rpmfiles files, int fx)
{
    int algo;
    size_t len;
    const unsigned char *digest = rpmfilesFDigest(files, fx, &algo, &len);
    int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int equal = fd >= 0 && digest != NULL && hasDigest(fd, algo, digest, len);

    if (fd >= 0)
        close(fd);
    return equal;
}

static int sameLink(int dirfd, const char *name, const char *target)
{
    char buf[PATH_MAX];
    ssize_t n = readlinkat(dirfd, name, buf, sizeof(buf));

    return n >= 0 && (size_t) n == strlen(target) && memcmp(buf, target, n) == 0;
}

int rpmFateConfigConflict(rpmRoot root, rpmfiles files, int fx)
{
    mode_t mode = rpmfilesFMode(files, fx);
    const char *name = rpmfilesBN(files, fx);
    struct stat sb;
    int dirfd;

    if (!(rpmfilesFFlags(files, fx) & RPMFILE_CONFIG) || !(S_ISREG(mode) || S_ISLNK(mode)))
        return 0;
    dirfd = rpmRootDir(root, rpmfilesDN(files, rpmfilesDI(files, fx)), 0);
    if (dirfd < 0 || fstatat(dirfd, name, &sb, AT_SYMLINK_NOFOLLOW))
        return 0;
    if ((sb.st_mode & S_IFMT) != (mode & S_IFMT) ||
        (rpm_loff_t) sb.st_size != rpmfilesFSize(files, fx))
        return 1;
    if (S_ISREG(mode))
        return !sameContent(dirfd, name, files, fx);
    return !sameLink(dirfd, name, rpmfilesFLink(files, fx));
}

static void fateInit(struct fate *fate, rpmts ts)
{
    memset(fate, 0, sizeof(*fate));
    fate->ts = ts;
    fate->n = ts->nelements;
    fate->dirs = rcalloc(fate->n, sizeof(*fate->dirs));
    fate->shared = rcalloc(fate->n, sizeof(*fate->shared));
    for (int ix = 0; ix < fate->n; ix++) {
        rpmte te = ts->elements[ix];
        rpmFateSkip(ts, te);
        fate->dirs[ix] = rcalloc(rpmfilesDC(te->files), sizeof(**fate->dirs));
        fate->shared[ix] = rcalloc(rpmfilesFC(te->files), sizeof(**fate->shared));
    }
}

static void fateFini(struct fate *fate)
{
    for (int ix = 0; ix < fate->n; ix++) {
        rpmte te = fate->ts->elements[ix];
        for (rpm_count_t di = 0; di < rpmfilesDC(te->files); di++)
            rfree(fate->dirs[ix][di].rest);
        rfree(fate->dirs[ix]);
        rfree(fate->shared[ix]);
    }
    for (int i = 0; i < fate->nfs; i++)
        rfree(fate->fs[i].name);
    rfree(fate->fs);
    rfree(fate->dirs);
    rfree(fate->shared);
}

int rpmFateDecide(rpmts ts)
{
    struct fate fate;
    int rc;

    rpmswEnter(rpmtsOp(ts, RPMTS_OP_FINGERPRINT), 0);
    fateInit(&fate, ts);
    rc = rpmFateFindDirs(&fate);
    if (rc == 0)
        rc = rpmFateOverlaps(&fate);
    if (rc == 0)
        rc = rpmFateDiskSpace(&fate);
    fateFini(&fate);
    rpmswExit(rpmtsOp(ts, RPMTS_OP_FINGERPRINT), 0);
    return rc;
}
