/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A window by reads. */

#include "rpmfiledigest_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <rpm/rpmutil.h>

/* What is in the page cache is copied in pieces that stay in the processor's cache. */
#define READ_MAX (128 * 1024)
/* What is on the disk is asked for in pieces as large as its requests may be: then the size of its
 * readahead does not count, and the page cache gets large folios. Advice (POSIX_FADV_WILLNEED)
 * would be cut at that size, and makes folios of 4 KiB and small requests of them. */
#define READ_COLD (2 * 1024 * 1024)
/* All threads of a pool together. */
#define READ_COLD_TOTAL (32 * 1024 * 1024)

/* After a failed read: is it worth another one? Waits for a descriptor that is not ready. */
static int again(struct digestRun *run)
{
    struct pollfd pfd = { .fd = run->fdno, .events = POLLIN };

    if (errno == EINTR)
        return 1;
    if (errno == EOPNOTSUPP && run->readFlags != 0) {
        run->readFlags = 0;
        return 1;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return 0;
    return poll(&pfd, 1, -1) >= 0 || errno == EINTR;
}

static ssize_t readOnce(const struct digestRun *run, void *buf, size_t n, int64_t offset)
{
    struct iovec iov = { .iov_base = buf, .iov_len = n };

    if (!run->seekable)
        return read(run->fdno, buf, n);
    if (run->readFlags != 0)
        return preadv2(run->fdno, &iov, 1, offset, run->readFlags);
    return pread(run->fdno, buf, n, offset);
}

/* How far what one byte tells holds. The beginning of a file may be there because somebody has
 * looked at it, hence what is found there is soon looked at again. */
static int64_t nextProbe(const struct digestRun *run, int64_t offset)
{
    int64_t seen = offset - run->offset;

    if (run->cold || seen > READ_COLD)
        return offset + READ_COLD;
    return offset + (seen > 2 * READ_MAX ? seen : 2 * READ_MAX);
}

/* One byte is asked for many: asking for every page would cost a file that is there more than it is
 * worth. Where the kernel cannot tell, the file counts as there. */
int digestIsCold(struct digestRun *run, int64_t offset, int64_t most)
{
    char byte;
    struct iovec iov = { .iov_base = &byte, .iov_len = 1 };

    if (!run->seekable || most <= READ_MAX || offset < run->probeNext)
        return run->cold;
    run->cold = run->readFlags != 0;
    if (run->cold || preadv2(run->fdno, &iov, 1, offset, RWF_NOWAIT) >= 0) {
        run->probeNext = nextProbe(run, offset);
    } else if (errno == EAGAIN) {
        run->cold = 1;
        run->probeNext = nextProbe(run, offset);
    } else {
        run->probeNext = INT64_MAX;
    }
    return run->cold;
}

/* Workers share READ_COLD_TOTAL: those of a pool, or, where the pool is somebody else's, as many as
 * there are processors. */
static size_t coldPiece(const struct digestRun *run)
{
    rpmFileDigestOptions all = { .threads = 0 };
    int workers = digestThreads(&all);
    size_t piece;

    if (run->watch != NULL && run->watch->workers > workers)
        workers = run->watch->workers;
    piece = READ_COLD_TOTAL / (size_t)workers;
    return piece < READ_COLD ? piece : READ_COLD;
}

/* A small file fits a small buffer, which costs less to get than it does to read. */
static size_t getBuffer(const struct digestRun *run, struct digestWindow *window, int64_t most)
{
    size_t want = run->cold ? coldPiece(run) : READ_MAX;

    if (most < (int64_t)want)
        want = (size_t)most;
    if (window->bufSize < want) {
        free(window->buf);
        window->buf = rmalloc(want);
        window->bufSize = want;
    }
    return want;
}

/* The buffer is filled as far as there is anything: hashing goes by large pieces. */
int digestRead(struct digestRun *run, struct digestWindow *window, int64_t most)
{
    size_t want = getBuffer(run, window, most), have = 0;

    while (have < want) {
        ssize_t n = readOnce(run, window->buf + have, want - have, window->offset + (int64_t)have);

        if (n == 0)
            break;
        if (n > 0)
            have += (size_t)n;
        else if (!again(run))
            return -1;
    }
    window->addr = window->buf;
    window->len = have;
    return 0;
}
