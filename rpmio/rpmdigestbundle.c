/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several digests of the same data. */

#include <rpm/rpmcrypto.h>
#include <rpm/rpmutil.h>

struct member {
    int id;
    DIGEST_CTX ctx;
};

struct rpmDigestBundle_s {
    size_t n;
    struct member *members; /* in the order added */
};

rpmDigestBundle rpmDigestBundleNew(void)
{
    return rcalloc(1, sizeof(struct rpmDigestBundle_s));
}

rpmDigestBundle rpmDigestBundleFree(rpmDigestBundle bundle)
{
    if (bundle == NULL)
        return NULL;
    for (size_t i = 0; i < bundle->n; i++)
        rpmDigestFinal(bundle->members[i].ctx, NULL, NULL, 0);
    rfree(bundle->members);
    return rfree(bundle);
}

static struct member *findID(rpmDigestBundle bundle, int id)
{
    for (size_t i = 0; bundle != NULL && i < bundle->n; i++) {
        if (bundle->members[i].id == id)
            return &bundle->members[i];
    }
    return NULL;
}

int rpmDigestBundleAdd(rpmDigestBundle bundle, int algo, rpmDigestFlags flags)
{
    return rpmDigestBundleAddID(bundle, algo, algo, flags);
}

int rpmDigestBundleAddID(rpmDigestBundle bundle, int algo, int id, rpmDigestFlags flags)
{
    DIGEST_CTX ctx;

    if (bundle == NULL || id <= 0 || findID(bundle, id) != NULL)
        return -1;
    ctx = rpmDigestInit(algo, flags);
    if (ctx == NULL)
        return -1;
    bundle->members = rreallocn(bundle->members, bundle->n + 1, sizeof(*bundle->members));
    bundle->members[bundle->n].id = id;
    bundle->members[bundle->n].ctx = ctx;
    bundle->n++;
    return 0;
}

int rpmDigestBundleUpdate(rpmDigestBundle bundle, const void *data, size_t len)
{
    int rc = 0;

    if (bundle == NULL)
        return -1;
    for (size_t i = 0; i < bundle->n; i++) {
        if (rpmDigestUpdate(bundle->members[i].ctx, data, len))
            rc = -1;
    }
    return rc;
}

int rpmDigestBundleFinal(rpmDigestBundle bundle, int id, void **datap, size_t *lenp, int asAscii)
{
    struct member *m = findID(bundle, id);
    int rc = -1;

    if (datap != NULL)
        *datap = NULL;
    if (lenp != NULL)
        *lenp = 0;
    if (m != NULL) {
        rc = rpmDigestFinal(m->ctx, datap, lenp, asAscii);
        *m = bundle->members[--bundle->n];
    }
    return rc;
}

DIGEST_CTX rpmDigestBundleDupCtx(rpmDigestBundle bundle, int id)
{
    struct member *m = findID(bundle, id);

    return m != NULL ? rpmDigestDup(m->ctx) : NULL;
}
