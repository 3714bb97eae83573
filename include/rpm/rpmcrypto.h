/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMCRYPTO_H
#define RPM_RPMCRYPTO_H

/** @file rpm/rpmcrypto.h
 * Message digests, one at a time and in bundles. Names as in upstream's rpm/rpmcrypto.h.
 *
 * A digest or bundle belongs to one thread at a time; different ones may run in different
 * threads.
 */

#include <stddef.h>

#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A running digest. */
typedef struct DIGEST_CTX_s *DIGEST_CTX;

/** A set of running digests of the same data. */
typedef struct rpmDigestBundle_s *rpmDigestBundle;

/** Algorithms, by their OpenPGP numbers. Those marked so are only names: rpmDigestInit() refuses
 * them. */
typedef enum rpmHashAlgo_e {
    RPM_HASH_MD5 = 1,
    RPM_HASH_SHA1 = 2,
    RPM_HASH_RIPEMD160 = 3,    /**< only a name */
    RPM_HASH_MD2 = 5,          /**< only a name */
    RPM_HASH_TIGER192 = 6,     /**< only a name */
    RPM_HASH_HAVAL_5_160 = 7,  /**< only a name */
    RPM_HASH_SHA256 = 8,
    RPM_HASH_SHA384 = 9,
    RPM_HASH_SHA512 = 10,
    RPM_HASH_SHA224 = 11
} rpmHashAlgo;

/** Flags of rpmDigestInit(). */
enum rpmDigestFlags_e {
    RPMDIGEST_NONE = 0
};

/** Some of enum rpmDigestFlags_e. */
typedef rpmFlags rpmDigestFlags;

/** Length of a digest.
 * @param hashalgo  one of RPM_HASH_*
 * @return          bytes; 0 for an algorithm that is not supported
 */
size_t rpmDigestLength(int hashalgo);

/** Start a digest.
 * @param hashalgo  one of RPM_HASH_*
 * @param flags     RPMDIGEST_NONE
 * @return          digest, the caller's to rpmDigestFinal(); NULL for an algorithm that is
 *                  unknown or not offered by the crypto library (MD5 under a strict policy)
 */
DIGEST_CTX rpmDigestInit(int hashalgo, rpmDigestFlags flags);

/** Copy a running digest.
 * @param octx  digest or NULL
 * @return      copy, the caller's to rpmDigestFinal(); NULL for NULL or on error
 */
DIGEST_CTX rpmDigestDup(DIGEST_CTX octx);

/** Add data.
 * @param ctx   digest
 * @param data  bytes
 * @param len   how many, any number
 * @return      0, or -1 on error (ctx is NULL)
 */
int rpmDigestUpdate(DIGEST_CTX ctx, const void *data, size_t len);

/** End a digest and take its result.
 * @param ctx      digest, gone afterwards
 * @param datap    result: the digest, the caller's to rfree(); NULL to drop it
 * @param lenp     result: its length in bytes, a terminating NUL included for ASCII; or NULL
 * @param asAscii  as a lower case hexadecimal string?
 * @return         0, or -1 on error (ctx is NULL); *datap is then untouched
 */
int rpmDigestFinal(DIGEST_CTX ctx, void **datap, size_t *lenp, int asAscii);

/** Make an empty bundle.
 * @return  bundle, the caller's to rpmDigestBundleFree()
 */
rpmDigestBundle rpmDigestBundleNew(void);

/** Free a bundle with the digests that still run.
 * @param bundle  bundle or NULL
 * @return        NULL
 */
rpmDigestBundle rpmDigestBundleFree(rpmDigestBundle bundle);

/** Start a digest in a bundle, with the algorithm as its ID.
 * @return  0; -1 if the algorithm is not supported or runs already
 */
int rpmDigestBundleAdd(rpmDigestBundle bundle, int algo, rpmDigestFlags flags);

/** Start a digest in a bundle.
 * @param bundle  bundle
 * @param algo    one of RPM_HASH_*
 * @param id      the caller's name for it, > 0 and not in use
 * @param flags   RPMDIGEST_NONE
 * @return        0; -1 if the algorithm is not supported or the ID is bad or in use
 */
int rpmDigestBundleAddID(rpmDigestBundle bundle, int algo, int id, rpmDigestFlags flags);

/** Add data to all digests of a bundle.
 * @return  0; not 0 if a digest failed or bundle is NULL
 */
int rpmDigestBundleUpdate(rpmDigestBundle bundle, const void *data, size_t len);

/** End one digest of a bundle and take its result, as rpmDigestFinal().
 * @return  0; -1 if there is no digest of that ID, *datap is then NULL and *lenp 0
 */
int rpmDigestBundleFinal(rpmDigestBundle bundle, int id, void **datap, size_t *lenp, int asAscii);

/** Copy one running digest of a bundle.
 * @return  digest, the caller's to rpmDigestFinal(); NULL if there is no such digest
 */
DIGEST_CTX rpmDigestBundleDupCtx(rpmDigestBundle bundle, int id);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMCRYPTO_H */
