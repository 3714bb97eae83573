/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_PGPSIG_H
#define RPM_PGPSIG_H

/** @file pgpsig.h
 * What an OpenPGP signature (RFC 4880, section 5.2) says of itself. Nothing is verified.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A signature. */
struct pgpSig_s {
    int version;       /**< 3 or 4 */
    int type;          /**< what was signed: 0 for a file of bytes */
    int pubkeyAlgo;
    int hashAlgo;      /**< the numbers are those of enum rpmHashAlgo_e */
    uint32_t time;     /**< when it was made, seconds since 1970; 0 if unknown */
    uint8_t keyid[8];  /**< key that made it; zeros if unknown */
};

/** Parse a signature packet.
 * @return  false if that is none, or not well formed
 */
bool pgpSigParse(const uint8_t *pkt, size_t len, struct pgpSig_s *sig);

/** Name of a public key algorithm, like "RSA". */
const char *pgpPubkeyAlgoName(int algo);

/** Name of a hash algorithm, like "SHA256". */
const char *pgpHashAlgoName(int algo);

/** Wrap bytes in ASCII armor.
 * @param kind  "SIGNATURE" or "PUBLIC KEY BLOCK"
 * @return      text, the caller's to free()
 */
char *pgpArmor(const char *kind, const uint8_t *data, size_t len);

/** Base64 in lines of 64 columns, each with its newline.
 * @return  text, the caller's to free()
 */
char *rpmBase64Encode(const uint8_t *data, size_t len);

/** Undo base64; white space is skipped.
 * @param[out] data  bytes, the caller's to free()
 * @return           false if that is not base64
 */
bool rpmBase64Decode(const char *text, uint8_t **data, size_t *len);

#endif /* RPM_PGPSIG_H */
