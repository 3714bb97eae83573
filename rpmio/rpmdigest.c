/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Message digests over OpenSSL's EVP. */

#include <pthread.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

struct DIGEST_CTX_s {
    EVP_MD_CTX *md;
};

/* Fetched once: a fetch for each of thousands of small files costs more than hashing them. */
static EVP_MD *fetched[RPM_HASH_SHA224 + 1];

static void fetch(int algo, const char *name)
{
    ERR_set_mark();
    fetched[algo] = EVP_MD_fetch(NULL, name, NULL);
    /* MD5 of file contents is no security function: take it from a provider that is not under
     * FIPS rules, if the system has one loaded. */
    if (fetched[algo] == NULL)
        fetched[algo] = EVP_MD_fetch(NULL, name, "-fips");
    ERR_pop_to_mark();
}

static void fetchAll(void)
{
    fetch(RPM_HASH_MD5, "MD5");
    fetch(RPM_HASH_SHA1, "SHA1");
    fetch(RPM_HASH_SHA224, "SHA2-224");
    fetch(RPM_HASH_SHA256, "SHA2-256");
    fetch(RPM_HASH_SHA384, "SHA2-384");
    fetch(RPM_HASH_SHA512, "SHA2-512");
}

static const EVP_MD *findMD(int algo)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, fetchAll);
    return algo >= 0 && algo <= RPM_HASH_SHA224 ? fetched[algo] : NULL;
}

size_t rpmDigestLength(int hashalgo)
{
    const EVP_MD *md = findMD(hashalgo);

    return md != NULL ? (size_t)EVP_MD_get_size(md) : 0;
}

static DIGEST_CTX ctxFree(DIGEST_CTX ctx)
{
    if (ctx != NULL)
        EVP_MD_CTX_free(ctx->md);
    return rfree(ctx);
}

static DIGEST_CTX ctxNew(void)
{
    DIGEST_CTX ctx = rcalloc(1, sizeof(*ctx));

    ctx->md = EVP_MD_CTX_new();
    return ctx->md != NULL ? ctx : ctxFree(ctx);
}

DIGEST_CTX rpmDigestInit(int hashalgo, rpmDigestFlags flags)
{
    const EVP_MD *md = findMD(hashalgo);
    DIGEST_CTX ctx = md != NULL ? ctxNew() : NULL;

    (void)flags;
    if (ctx != NULL && EVP_DigestInit_ex2(ctx->md, md, NULL) != 1)
        ctx = ctxFree(ctx);
    return ctx;
}

DIGEST_CTX rpmDigestDup(DIGEST_CTX octx)
{
    DIGEST_CTX ctx = octx != NULL ? ctxNew() : NULL;

    if (ctx != NULL && EVP_MD_CTX_copy_ex(ctx->md, octx->md) != 1)
        ctx = ctxFree(ctx);
    return ctx;
}

int rpmDigestUpdate(DIGEST_CTX ctx, const void *data, size_t len)
{
    if (ctx == NULL)
        return -1;
    return EVP_DigestUpdate(ctx->md, data, len) == 1 ? 0 : -1;
}

int rpmDigestFinal(DIGEST_CTX ctx, void **datap, size_t *lenp, int asAscii)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int len = 0;
    int ok;

    if (ctx == NULL)
        return -1;
    ok = EVP_DigestFinal_ex(ctx->md, digest, &len) == 1;
    ctxFree(ctx);
    if (!ok)
        return -1;
    if (lenp != NULL)
        *lenp = asAscii ? 2 * (size_t)len + 1 : len;
    if (datap != NULL)
        *datap = asAscii ? (void *)rpmhex(digest, len) : memcpy(rmalloc(len), digest, len);
    return 0;
}
