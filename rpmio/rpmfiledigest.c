/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests of one file: what to do with it, results, errors. */

#include "rpmfiledigest_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Digests were declared elsewhere before rpm 4.18. */
#if __has_include(<rpm/rpmcrypto.h>)
#include <rpm/rpmcrypto.h>
#else
#include <rpm/rpmpgp.h>
#endif
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

/* ---- Results ---- */

int digestFail(struct digestRun *run, int err, const char *what)
{
    rpmFileDigestResult *res = run->res;

    if (res->err == 0) {
        res->err = err;
        rasprintf(&res->msg, "%s: %s: %s", run->label, what, strerror(err));
    }
    errno = res->err;
    return -1;
}

int digestChanged(struct digestRun *run, const char *how)
{
    rpmFileDigestResult *res = run->res;

    if (res->err == 0) {
        res->err = ESTALE;
        rasprintf(&res->msg, "%s: %s while it was read", run->label, how);
    }
    errno = res->err;
    return -1;
}

int digestRefuse(rpmFileDigestResult *res, int nalgos, const char *label, int err, const char *what)
{
    struct digestRun run = { .label = label, .res = res };

    memset(res, 0, sizeof(*res));
    res->nalgos = nalgos;
    return digestFail(&run, err, what);
}

void rpmFileDigestResultFini(rpmFileDigestResult *res)
{
    for (int i = 0; res->hex != NULL && i < res->nalgos; i++)
        free(res->hex[i]);
    free(res->hex);
    free(res->msg);
    memset(res, 0, sizeof(*res));
}

/* ---- One file ---- */

static int isRegular(const struct stat *sb)
{
    return S_ISREG(sb->st_mode);
}

/* Find out where reading begins. What says that it is regular and cannot be positioned, as some of
 * /proc and /sys, is read as it comes. */
static int findStart(struct digestRun *run)
{
    off_t here;

    if (isRegular(&run->before) && run->before.st_size > 0 && run->offset >= 0) {
        run->seekable = 1;
        return 0;
    }
    if (run->offset == 0 && !isRegular(&run->before))
        return 0;
    here = lseek(run->fdno, run->offset > 0 ? run->offset : 0,
                 run->offset >= 0 ? SEEK_SET : SEEK_CUR);
    if (here < 0)
        return run->offset > 0 ? digestFail(run, errno, "lseek") : 0;
    run->offset = here;
    run->seekable = isRegular(&run->before);
    return 0;
}

/* The size is what there is to read: compare() finds out if there was more. That spares the read
 * that would meet the end. */
static void boundLength(struct digestRun *run)
{
    int64_t left = run->before.st_size - run->offset;

    if (run->seekable && run->before.st_size > 0 && left < run->length)
        run->length = left > 0 ? left : 0;
}

static int sameTime(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* A cut within the last page of a map shows as nothing but a new size; one that was filled up again
 * as nothing but new times. Files of size 0 are those of /proc, too, whose sizes and times mean
 * nothing. */
static int compare(struct digestRun *run)
{
    struct stat after;
    const struct stat *before = &run->before;

    if (!isRegular(before) || before->st_size == 0)
        return 0;
    if (fstat(run->fdno, &after))
        return digestFail(run, errno, "fstat");
    if (after.st_size < before->st_size)
        return digestChanged(run, "was cut short");
    if (after.st_size != before->st_size || !sameTime(&after.st_mtim, &before->st_mtim) ||
        !sameTime(&after.st_ctim, &before->st_ctim))
        return digestChanged(run, "was changed");
    return 0;
}

/* The position that plain reads would have left. */
static int leaveAtEnd(struct digestRun *run)
{
    if (!run->seekable)
        return 0;
    if (lseek(run->fdno, run->offset + (off_t)run->res->size, SEEK_SET) < 0)
        return digestFail(run, errno, "lseek");
    return 0;
}

/* By maps if they can be guarded. */
static int readThrough(struct digestRun *run)
{
    sigset_t old;
    int rc, guarded;

    digestChoose(run);
    guarded = run->maps && digestGuardEnter(&old) == 0;
    run->maps = guarded;
    rc = digestFlow(run);
    if (guarded)
        digestGuardLeave(&old);
    digestDrop(run, 0, run->before.st_size);
    digestCacheFini(run);
    return rc;
}

static int feed(struct digestRun *run)
{
    if (fstat(run->fdno, &run->before))
        return digestFail(run, errno, "fstat");
    if (findStart(run))
        return -1;
    boundLength(run);
    if (readThrough(run) || compare(run))
        return -1;
    return leaveAtEnd(run);
}

static struct digestRun newRun(int fdno, const char *label, const rpmFileDigestOptions *opts,
                               struct digestWatch *watch, rpmFileDigestResult *res)
{
    struct digestRun run = { .fdno = fdno, .label = label, .watch = watch, .res = res };

    if (opts != NULL)
        run.opts = *opts;
    else
        rpmFileDigestOptionsInit(&run.opts);
    run.length = INT64_MAX;
    memset(res, 0, sizeof(*res));
    return run;
}

static int setPart(struct digestRun *run, int64_t offset, int64_t length)
{
    if (offset < RPMFILEDIGEST_HERE || length < RPMFILEDIGEST_REST)
        return digestFail(run, EINVAL, "offset or length");
    run->offset = offset;
    if (length >= 0)
        run->length = length;
    return 0;
}

int rpmFileDigestFeed(int fdno, const char *label, int64_t offset, int64_t length,
                      const rpmFileDigestSink *sinks, int nsinks,
                      const rpmFileDigestOptions *opts, rpmFileDigestResult *res)
{
    struct digestRun run = newRun(fdno, label, opts, NULL, res);

    if (nsinks < 1 || nsinks > RPMFILEDIGEST_MAX)
        return digestFail(&run, EINVAL, "number of sinks");
    if (setPart(&run, offset, length))
        return -1;
    run.sinks = sinks;
    run.nsinks = nsinks;
    return feed(&run);
}

/* ---- Digests as sinks ---- */

static int updateDigest(void *data, const void *buf, size_t len)
{
    return rpmDigestUpdate(data, buf, len) ? EIO : 0;
}

static int startDigests(struct digestRun *run, const int *algos, int nalgos,
                        rpmFileDigestSink *sinks)
{
    if (nalgos < 1 || nalgos > RPMFILEDIGEST_MAX)
        return digestFail(run, EINVAL, "number of algorithms");
    for (int i = 0; i < nalgos; i++) {
        sinks[i].update = updateDigest;
        sinks[i].data = rpmDigestInit(algos[i], 0);
        if (sinks[i].data == NULL)
            return digestFail(run, EINVAL, "digest algorithm");
    }
    run->sinks = sinks;
    run->nsinks = nalgos;
    return 0;
}

/* End the digests, whatever has become of the file; those of a failed one are dropped. */
static int endDigests(struct digestRun *run, rpmFileDigestSink *sinks, int nalgos)
{
    rpmFileDigestResult *res = run->res;
    char *hex[RPMFILEDIGEST_MAX] = { NULL };

    for (int i = 0; i < nalgos && i < RPMFILEDIGEST_MAX; i++) {
        if (sinks[i].data == NULL)
            continue;
        if (rpmDigestFinal(sinks[i].data, (void **)&hex[i], NULL, 1))
            digestFail(run, EIO, "digest");
    }
    if (res->err == 0) {
        res->hex = rmalloc((size_t)nalgos * sizeof(*hex));
        memcpy(res->hex, hex, (size_t)nalgos * sizeof(*hex));
        return 0;
    }
    for (int i = 0; i < RPMFILEDIGEST_MAX; i++)
        free(hex[i]);
    errno = res->err;
    return -1;
}

static int digestPart(struct digestRun *run, int64_t offset, int64_t length, const int *algos,
                      int nalgos)
{
    rpmFileDigestSink sinks[RPMFILEDIGEST_MAX] = { { NULL, NULL } };

    run->res->nalgos = nalgos;
    if (setPart(run, offset, length) == 0 && startDigests(run, algos, nalgos, sinks) == 0)
        feed(run);
    return endDigests(run, sinks, nalgos);
}

int rpmFileDigestRange(int fdno, const char *label, int64_t offset, int64_t length,
                       const int *algos, int nalgos, const rpmFileDigestOptions *opts,
                       rpmFileDigestResult *res)
{
    struct digestRun run = newRun(fdno, label, opts, NULL, res);

    return digestPart(&run, offset, length, algos, nalgos);
}

int digestOpened(int fdno, const char *label, const int *algos, int nalgos,
                 const rpmFileDigestOptions *opts, struct digestWatch *watch,
                 rpmFileDigestResult *res)
{
    struct digestRun run = newRun(fdno, label, opts, watch, res);

    return digestPart(&run, 0, RPMFILEDIGEST_REST, algos, nalgos);
}

int rpmFileDigestFd(int fdno, const char *label, const int *algos, int nalgos,
                    const rpmFileDigestOptions *opts, rpmFileDigestResult *res)
{
    return digestOpened(fdno, label, algos, nalgos, opts, NULL, res);
}

/* Without O_NONBLOCK, the opening of a FIFO would wait for a writer. Reads wait by poll(). */
int digestOpen(const char *path)
{
    int fdno;

    do {
        fdno = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    } while (fdno < 0 && errno == EINTR);
    return fdno;
}

int rpmFileDigestPath(const char *path, const int *algos, int nalgos,
                      const rpmFileDigestOptions *opts, rpmFileDigestResult *res)
{
    int fdno = digestOpen(path);
    int rc;

    if (fdno < 0)
        return digestRefuse(res, nalgos, path, errno, "open");
    rc = rpmFileDigestFd(fdno, path, algos, nalgos, opts, res);
    close(fdno);
    if (rc < 0)
        errno = res->err;
    return rc;
}
