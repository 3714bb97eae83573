/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests of what passes a handle. */

#include "rpmio_internal.h"

void fdSetBundle(FD_t fd, rpmDigestBundle bundle)
{
    if (fd != NULL)
        fd->digests = bundle;
}

rpmDigestBundle fdGetBundle(FD_t fd, int create)
{
    if (fd == NULL)
        return NULL;
    if (fd->digests == NULL && create)
        fd->digests = rpmDigestBundleNew();
    return fd->digests;
}

void fdInitDigest(FD_t fd, int hashalgo, rpmDigestFlags flags)
{
    fdInitDigestID(fd, hashalgo, hashalgo, flags);
}

void fdInitDigestID(FD_t fd, int hashalgo, int id, rpmDigestFlags flags)
{
    rpmDigestBundle bundle = fdGetBundle(fd, 1);

    if (bundle == NULL)
        return;
    rpmswEnter(fdOp(fd, FDSTAT_DIGEST), 0);
    rpmDigestBundleAddID(bundle, hashalgo, id, flags);
    rpmswExit(fdOp(fd, FDSTAT_DIGEST), 0);
}

void fdUpdateDigests(FD_t fd, const void *buf, size_t len)
{
    if (fd->digests == NULL)
        return;
    rpmswEnter(fdOp(fd, FDSTAT_DIGEST), 0);
    rpmDigestBundleUpdate(fd->digests, buf, len);
    rpmswExit(fdOp(fd, FDSTAT_DIGEST), (ssize_t)len);
}

void fdFiniDigest(FD_t fd, int id, void **datap, size_t *lenp, int asAscii)
{
    rpmDigestBundle bundle = fdGetBundle(fd, 0);

    rpmswEnter(fdOp(fd, FDSTAT_DIGEST), 0);
    rpmDigestBundleFinal(bundle, id, datap, lenp, asAscii);
    rpmswExit(fdOp(fd, FDSTAT_DIGEST), 0);
}

DIGEST_CTX fdDupDigest(FD_t fd, int id)
{
    return rpmDigestBundleDupCtx(fdGetBundle(fd, 0), id);
}
