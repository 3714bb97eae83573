/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each call of a transaction means. None of these changes errno where it succeeds. */

#include "preload_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

/* A directory made for a package: it goes again if the package fails, others stay. */
struct shimMade {
    struct shimMade *next;
    dev_t dev;
    ino_t ino;
    char *base;
};

/* ---- Where things are ---- */

static void noteFilesystem(struct shimRun *run, int dirfd, const char *path)
{
    struct stat sb;

    (void)rpmFlushWillWrite(run->flush, dirfd, *path ? path : "/");
    if (fstat(dirfd, &sb))
        return;
    for (int i = 0; i < run->ndevs; i++) {
        if (run->devs[i] == sb.st_dev)
            return;
    }
    run->devs = rrealloc(run->devs, (size_t)(run->ndevs + 1) * sizeof(*run->devs));
    run->devs[run->ndevs++] = sb.st_dev;
}

/* Path of a directory that is written to. */
static const char *enter(struct shimRun *run, int dirfd)
{
    bool news;
    const char *path = shimPathsOf(&run->paths, dirfd, &news);

    if (news)
        noteFilesystem(run, dirfd, path);
    run->wrote = true;
    run->ended = false;
    return path;
}

static void tell(struct shimRun *run, int fdno, const char *label, rpmFlushTouched what)
{
    if (rpmFlushTouch(run->flush, fdno, *label ? label : "/", what))
        run->touchError = errno;
}

static void touch(struct shimRun *run, int dirfd, const char *path, rpmFlushTouched what)
{
    int err = errno;
    struct shimPlace place;

    shimPlaceFind(&place, dirfd, path);
    if (place.dirfd >= 0)
        tell(run, place.dirfd, enter(run, place.dirfd), what);
    shimPlaceEnd(&place);
    errno = err;
}

/* rpm has used descriptors for its packages' files since 4.18; what has none may be a database's,
 * unless a package is in hand. */
static bool isOfPackage(struct shimRun *run, int dirfd)
{
    return dirfd != AT_FDCWD || run->inHand || run->stage != SHIM_IDLE;
}

static void setStage(struct shimRun *run, enum shimStage stage)
{
    /* Where no bracket ends a failed package, the next one's first name does. */
    if (run->stage == SHIM_FAILED && !run->inHand)
        rpmFlushGiveUp(run->flush);
    else if (run->stage == SHIM_FAILED)
        return;
    run->stage = stage;
}

/* ---- Files ---- */

int shimStepOpens(const char *path, int *flags)
{
    if ((*flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL) ||
        (*flags & O_ACCMODE) == O_RDONLY || path == NULL || !shimTempName(path))
        return 0;
    if (shimRun == NULL && shimRunImply())
        return -1;
    if (shimRun == NULL)
        return 0;
    *flags |= rpmFlushOpenFlags(shimRun->flush);
    return 1;
}

void shimStepOpened(int fdno, int dirfd, const char *path)
{
    struct shimRun *run = shimRun;
    struct shimFile *stale = shimFileFind(run->files, fdno);
    int err = errno;
    struct shimPlace place;
    char *label = NULL;

    if (stale != NULL)
        shimFileDrop(&run->files, stale);
    shimPlaceFind(&place, dirfd, path);
    label = rstrdup(place.dirfd >= 0 ? enter(run, place.dirfd) : ".");
    rstrscat(&label, "/", place.base, NULL);
    shimPlaceEnd(&place);
    run->sizing = shimFileAdd(&run->files, fdno, label);
    setStage(run, SHIM_UNPACKING);
    errno = err;
}

struct shimFile *shimStepFile(int fdno)
{
    struct shimFile *file = shimFileFind(shimRun->files, fdno);

    return file != NULL && getpid() == shimRun->pid ? file : NULL;
}

void shimStepCopied(int fdno, int copy)
{
    struct shimFile *file = shimStepFile(fdno);

    if (file == NULL || file->fdno != fdno || file->copy >= 0)
        return;
    file->copy = copy;
    if (file->file == NULL)
        shimRun->sizing = file;
}

int shimStepClose(int fdno)
{
    struct shimRun *run = shimRun;
    struct shimFile *file = shimStepFile(fdno);

    if (file == NULL)
        return close(fdno);
    if (file->copy == fdno) {
        file->copy = -1;
        return close(fdno);
    }
    if (run->sizing == file)
        run->sizing = NULL;
    return shimFileClose(run->flush, &run->files, file);
}

/* ---- Names ---- */

int shimStepMayRename(const char *to)
{
    /* This is done while others are still being unpacked. */
    if (shimRun->stage != SHIM_FAILED && shimMovedAway(to))
        return 0;
    return shimRunBarrier(shimRun);
}

void shimStepNamed(int dirfd, const char *path)
{
    struct shimRun *run = shimRun;

    if (!isOfPackage(run, dirfd) || run->stage == SHIM_FAILED)
        return;
    if (run->stage == SHIM_IDLE)
        setStage(run, SHIM_NAMING);
    touch(run, dirfd, path, RPMFLUSH_TOUCH_NAMES);
}

void shimStepMadeNode(int dirfd, const char *path)
{
    if (!shimTempName(path)) {
        shimStepNamed(dirfd, path);
        return;
    }
    setStage(shimRun, SHIM_UNPACKING);
    touch(shimRun, dirfd, path, RPMFLUSH_TOUCH_NODE);
}

static struct shimMade *asMade(int dirfd, const char *path)
{
    struct shimMade *made = rcalloc(1, sizeof(*made));
    struct shimPlace place;
    struct stat sb;

    shimPlaceFind(&place, dirfd, path);
    if (fstat(place.dirfd, &sb) == 0) {
        made->dev = sb.st_dev;
        made->ino = sb.st_ino;
    }
    made->base = rstrdup(place.base);
    shimPlaceEnd(&place);
    return made;
}

static struct shimMade *freeMade(struct shimMade *made)
{
    struct shimMade *next = made->next;

    free(made->base);
    free(made);
    return next;
}

void shimStepForgetMade(struct shimRun *run)
{
    while (run->made != NULL)
        run->made = freeMade(run->made);
}

void shimStepMadeDir(int dirfd, const char *path)
{
    struct shimRun *run = shimRun;
    struct shimMade *made;
    int err = errno;

    shimStepNamed(dirfd, path);
    if (run->stage == SHIM_IDLE || run->stage == SHIM_FAILED)
        return;
    made = asMade(dirfd, path);
    made->next = run->made;
    run->made = made;
    errno = err;
}

static bool wasMade(int dirfd, const char *path)
{
    struct shimMade *wanted = asMade(dirfd, path);
    const struct shimMade *made = shimRun->made;

    while (made != NULL && (made->dev != wanted->dev || made->ino != wanted->ino ||
                            !rstreq(made->base, wanted->base)))
        made = made->next;
    freeMade(wanted);
    return made != NULL;
}

/* When rpm takes a package back, it removes what it has not renamed, even if that was there before
 * and the package would only have touched it. After a failed barrier this costs nobody a file. */
int shimStepMayRemove(int dirfd, const char *path, int flags)
{
    if (shimRun->stage != SHIM_FAILED || shimTempName(path))
        return 0;
    if ((flags & AT_REMOVEDIR) && wasMade(dirfd, path))
        return 0;
    errno = flags & AT_REMOVEDIR ? ENOTEMPTY : EIO;
    return -1;
}

/* ---- Attributes ---- */

/* Of a device it would be the device that is synced. */
void shimStepAttrs(int fdno)
{
    struct shimRun *run = shimRun;
    int err = errno;
    bool news;
    struct stat sb;

    if (run->stage == SHIM_FAILED || shimFileFind(run->files, fdno) != NULL || fstat(fdno, &sb))
        return;
    if (run->stage == SHIM_IDLE)
        setStage(run, SHIM_NAMING);
    if (S_ISDIR(sb.st_mode)) {
        tell(run, fdno, enter(run, fdno), RPMFLUSH_TOUCH_ATTRS);
    } else if (S_ISREG(sb.st_mode)) {
        tell(run, fdno, shimPathsOf(&run->paths, fdno, &news), RPMFLUSH_TOUCH_ATTRS);
        /* It is no directory that the filesystem could be told by. */
        run->paths.path = rfree(run->paths.path);
    }
    errno = err;
}

void shimStepAttrsAt(int dirfd, const char *path)
{
    int err = errno;
    int fdno;

    if (!isOfPackage(shimRun, dirfd) || shimTempName(path))
        return;
    fdno = openat(dirfd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fdno >= 0) {
        shimStepAttrs(fdno);
        close(fdno);
    }
    errno = err;
}

/* ---- Syncs ---- */

/* While a package is in hand, rpm syncs directories, and files whose attributes it has set by a
 * descriptor to read from. Whoever is told of its progress may sync files of his own. */
static bool isNoContent(int fdno)
{
    struct stat sb;

    if (fstat(fdno, &sb) == 0 && S_ISDIR(sb.st_mode))
        return true;
    return shimRun->inHand &&
           (fcntl(fdno, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

bool shimStepCovers(int fdno)
{
    struct shimRun *run = shimRun;
    bool busy = run->inHand || run->stage != SHIM_IDLE;
    int err = errno;
    bool covers = false;

    if (fcntl(fdno, F_GETFD) >= 0)
        covers = shimFileFind(run->files, fdno) != NULL ||
                 (run->batch && busy && isNoContent(fdno));
    errno = err;
    return covers;
}

void shimStepRoot(void)
{
    struct shimRun *run = shimRun;
    int err = errno;
    int fdno = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool wrote = run->wrote;

    if (fdno >= 0) {
        (void)enter(run, fdno);
        close(fdno);
    }
    run->wrote = wrote;
    errno = err;
}
