/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A window by reads. */

#include "rpmfiledigest_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <rpm/rpmutil.h>

#define READ_MAX (128 * 1024)

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

/* A small file fits a small buffer, which costs less to get than it does to read. */
static size_t getBuffer(struct digestWindow *window, int64_t most)
{
    size_t want = most < READ_MAX ? (size_t)most : READ_MAX;

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
    size_t want = getBuffer(window, most), have = 0;

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
