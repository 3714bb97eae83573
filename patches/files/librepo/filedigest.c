/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and syncing by librpmio, where the build found an rpm that has the calls. */

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "filedigest.h"

#ifdef HAVE_RPMFILEDIGEST
#include <rpm/rpmfiledigest.h>
#include <rpm/rpmflush.h>

static int
update(void *data, const void *buf, size_t len)
{
    return EVP_DigestUpdate((EVP_MD_CTX *)data, buf, len) ? 0 : EIO;
}

gboolean
lr_filedigest_feed(EVP_MD_CTX *ctx, int fd, ssize_t *result)
{
    rpmFileDigestSink sink = { update, ctx };
    rpmFileDigestOptions opts;
    rpmFileDigestResult res;
    int err;

    rpmFileDigestOptionsInit(&opts);
    opts.threads = 1;
    *result = rpmFileDigestFeed(fd, "file", RPMFILEDIGEST_HERE, RPMFILEDIGEST_REST, &sink, 1,
                                &opts, &res);
    err = res.err;
    rpmFileDigestResultFini(&res);
    errno = err;
    return TRUE;
}

int
lr_filedigest_fsync(int fd)
{
    rpmFlushPolicy policy;

    if (rpmFlushPolicyFromMacros(&policy, NULL) == 0 && policy.whether == RPMFLUSH_NONE)
        return 0;
    return fsync(fd);
}

#else

gboolean
lr_filedigest_feed(EVP_MD_CTX *ctx, int fd, ssize_t *result)
{
    (void)ctx;
    (void)fd;
    (void)result;
    return FALSE;
}

int
lr_filedigest_fsync(int fd)
{
    return fsync(fd);
}

#endif

/* All of it, however many calls that takes. */
static int
write_all(int fd, const char *buf, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, buf, len);

        if (n == -1 && errno == EINTR)
            continue;
        if (n == -1)
            return -1;
        buf += n;
        len -= (size_t)n;
    }
    return 0;
}

int
lr_filedigest_copy(int source, int dest)
{
    char buf[64 * 1024];
    ssize_t n;

    for (;;) {
        n = read(source, buf, sizeof(buf));
        if (n == -1 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        if (write_all(dest, buf, (size_t)n) == -1)
            return -1;
    }
}
