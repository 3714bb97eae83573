/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contents by reads. */

#include "rpmfiledigest_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <rpm/rpmutil.h>

#define READ_MIN (4 * 1024)
#define READ_MAX (256 * 1024)

/* A small file fits a small buffer, which costs less to get than it does to read. */
static size_t bufferSize(const struct digestRun *run)
{
    if (run->length >= READ_MAX)
        return READ_MAX;
    return run->length < READ_MIN ? READ_MIN : (size_t)run->length;
}

/* After a failed read: is it worth another one? Waits for a descriptor that is not ready. */
static int again(int fdno)
{
    struct pollfd pfd = { .fd = fdno, .events = POLLIN };

    if (errno == EINTR)
        return 1;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return 0;
    return poll(&pfd, 1, -1) >= 0 || errno == EINTR;
}

static ssize_t readOnce(const struct digestRun *run, void *buf, size_t n, uint64_t done)
{
    ssize_t got;

    do {
        got = run->seekable ? pread(run->fdno, buf, n, run->offset + (off_t)done)
                            : read(run->fdno, buf, n);
    } while (got < 0 && again(run->fdno));
    return got;
}

/* Fill the buffer as far as there is anything: hashing goes by large pieces. */
static ssize_t readFull(const struct digestRun *run, unsigned char *buf, size_t n, uint64_t done)
{
    size_t have = 0;
    ssize_t got;

    while (have < n && (got = readOnce(run, buf + have, n - have, done + have)) != 0) {
        if (got < 0)
            return -1;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

static int feedSinks(struct digestRun *run, const void *buf, size_t n)
{
    for (int i = 0; i < run->nsinks; i++) {
        int err = run->sinks[i].update(run->sinks[i].data, buf, n);

        if (err)
            return digestFail(run, err, "digest");
    }
    return digestWatched(run, n);
}

int digestByReads(struct digestRun *run)
{
    size_t size = bufferSize(run), want = size;
    unsigned char *buf = rmalloc(size);
    uint64_t *done = &run->res->size;
    ssize_t n;
    int rc = 0;

    do {
        if ((uint64_t)run->length - *done < want)
            want = (size_t)((uint64_t)run->length - *done);
        n = readFull(run, buf, want, *done);
        if (n < 0)
            rc = digestFail(run, errno, "read");
        if (n <= 0)
            break;
        *done += (uint64_t)n;
        rc = feedSinks(run, buf, (size_t)n);
    } while (rc == 0 && (size_t)n == want);
    free(buf);
    return rc;
}
