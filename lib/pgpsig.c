/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an OpenPGP signature says of itself, and its ASCII form. */

#include <string.h>

#include <openssl/evp.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmstring.h>

#include "pgpsig.h"

#define PGP_TAG_SIGNATURE 2
#define PGP_SUBPACKET_TIME 2
#define PGP_SUBPACKET_ISSUER 16

/* Bytes that are left to parse. */
struct span {
    const uint8_t *p;
    size_t len;
};

static bool take(struct span *s, size_t n, struct span *taken)
{
    if (s->len < n)
        return false;
    *taken = (struct span){ s->p, n };
    s->p += n;
    s->len -= n;
    return true;
}

static bool takeNumber(struct span *s, size_t n, uint32_t *value)
{
    struct span bytes;

    if (!take(s, n, &bytes))
        return false;
    *value = 0;
    for (size_t i = 0; i < n; i++)
        *value = *value << 8 | bytes.p[i];
    return true;
}

/* Lengths of new packets and of subpackets: one, two or five bytes. Partial ones are refused. */
static bool takeLength(struct span *s, bool subpacket, uint32_t *len)
{
    uint32_t low;

    if (!takeNumber(s, 1, len))
        return false;
    if (*len < 192)
        return true;
    if (*len == 255)
        return takeNumber(s, 4, len);
    if ((*len >= 224 && !subpacket) || !takeNumber(s, 1, &low))
        return false;
    *len = ((*len - 192) << 8) + low + 192;
    return true;
}

static bool takePacket(struct span *s, uint32_t *tag, struct span *body)
{
    uint32_t head, len;

    if (!takeNumber(s, 1, &head) || !(head & 0x80))
        return false;
    if (head & 0x40) {
        *tag = head & 0x3f;
        if (!takeLength(s, false, &len))
            return false;
    } else {
        *tag = (head >> 2) & 0x0f;
        /* The fourth kind has no length: it ends with the file. */
        if ((head & 3) == 3 || !takeNumber(s, (size_t)1 << (head & 3), &len))
            return false;
    }
    return take(s, len, body);
}

static bool parseSubpackets(struct span area, struct pgpSig_s *sig)
{
    while (area.len > 0) {
        uint32_t len, type;
        struct span body;

        if (!takeLength(&area, true, &len) || !take(&area, len, &body) ||
                !takeNumber(&body, 1, &type))
            return false;
        type &= 0x7f;
        if (type == PGP_SUBPACKET_TIME && body.len == 4)
            takeNumber(&body, 4, &sig->time);
        else if (type == PGP_SUBPACKET_ISSUER && body.len == sizeof(sig->keyid))
            memcpy(sig->keyid, body.p, sizeof(sig->keyid));
    }
    return true;
}

static bool parseV3(struct span body, struct pgpSig_s *sig)
{
    uint32_t hashed, type, pubkey, hash;
    struct span keyid;

    if (!takeNumber(&body, 1, &hashed) || hashed != 5 || !takeNumber(&body, 1, &type) ||
            !takeNumber(&body, 4, &sig->time) || !take(&body, sizeof(sig->keyid), &keyid) ||
            !takeNumber(&body, 1, &pubkey) || !takeNumber(&body, 1, &hash))
        return false;
    memcpy(sig->keyid, keyid.p, keyid.len);
    sig->type = (int)type;
    sig->pubkeyAlgo = (int)pubkey;
    sig->hashAlgo = (int)hash;
    return true;
}

static bool parseV4(struct span body, struct pgpSig_s *sig)
{
    uint32_t type, pubkey, hash, len;
    struct span area;

    if (!takeNumber(&body, 1, &type) || !takeNumber(&body, 1, &pubkey) ||
            !takeNumber(&body, 1, &hash))
        return false;
    sig->type = (int)type;
    sig->pubkeyAlgo = (int)pubkey;
    sig->hashAlgo = (int)hash;
    /* One area is hashed, one is not. */
    for (int i = 0; i < 2; i++) {
        if (!takeNumber(&body, 2, &len) || !take(&body, len, &area) ||
                !parseSubpackets(area, sig))
            return false;
    }
    return true;
}

bool pgpSigParse(const uint8_t *pkt, size_t len, struct pgpSig_s *sig)
{
    struct span s = { pkt, len }, body;
    uint32_t tag, version;

    memset(sig, 0, sizeof(*sig));
    if (!takePacket(&s, &tag, &body) || tag != PGP_TAG_SIGNATURE ||
            !takeNumber(&body, 1, &version))
        return false;
    sig->version = (int)version;
    if (version == 3)
        return parseV3(body, sig);
    return version == 4 && parseV4(body, sig);
}

const char *pgpPubkeyAlgoName(int algo)
{
    switch (algo) {
    case 1:
        return "RSA";
    case 2:
        return "RSA(Encrypt-Only)";
    case 3:
        return "RSA(Sign-Only)";
    case 16:
        return "Elgamal(Encrypt-Only)";
    case 17:
        return "DSA";
    case 18:
        return "Elliptic Curve";
    case 19:
        return "ECDSA";
    case 20:
        return "Elgamal";
    case 21:
        return "Diffie-Hellman (X9.42)";
    case 22:
        return "EdDSA";
    default:
        return "Unknown public key algorithm";
    }
}

const char *pgpHashAlgoName(int algo)
{
    switch (algo) {
    case RPM_HASH_MD5:
        return "MD5";
    case RPM_HASH_SHA1:
        return "SHA1";
    case RPM_HASH_RIPEMD160:
        return "RIPEMD160";
    case RPM_HASH_MD2:
        return "MD2";
    case RPM_HASH_TIGER192:
        return "TIGER192";
    case RPM_HASH_HAVAL_5_160:
        return "HAVAL-5-160";
    case RPM_HASH_SHA256:
        return "SHA256";
    case RPM_HASH_SHA384:
        return "SHA384";
    case RPM_HASH_SHA512:
        return "SHA512";
    case RPM_HASH_SHA224:
        return "SHA224";
    default:
        return "Unknown hash algorithm";
    }
}

char *rpmBase64Encode(const uint8_t *data, size_t len)
{
    const size_t step = 48; /* bytes of a line of 64 columns */
    char *text = rmalloc(len / step * 65 + 66);
    char *t = text;

    for (size_t at = 0; at < len; at += step) {
        size_t n = len - at < step ? len - at : step;
        t += EVP_EncodeBlock((unsigned char *)t, data + at, (int)n);
        *t++ = '\n';
    }
    *t = '\0';
    return text;
}

bool rpmBase64Decode(const char *text, uint8_t **data, size_t *len)
{
    size_t n = 0, pad = 0;
    char *packed = rmalloc(strlen(text) + 1);
    int decoded = -1;

    for (; *text != '\0'; text++) {
        if (risspace(*text))
            continue;
        pad += *text == '=';
        packed[n++] = *text;
    }
    *data = NULL;
    *len = 0;
    if (n % 4 == 0 && pad <= 2 && n < INT32_MAX) {
        *data = rmalloc(n / 4 * 3);
        decoded = n > 0 ? EVP_DecodeBlock(*data, (unsigned char *)packed, (int)n) : 0;
    }
    free(packed);
    if (decoded < 0 || (size_t)decoded < pad) {
        *data = rfree(*data);
        return false;
    }
    *len = (size_t)decoded - pad;
    return true;
}

/* The checksum of RFC 4880, section 6.1. */
static uint32_t crc24(const uint8_t *data, size_t len)
{
    uint32_t crc = 0xb704ce;

    for (; len > 0; len--) {
        crc ^= (uint32_t)*data++ << 16;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc << 1) ^ ((crc & 0x800000) ? 0x1864cfb : 0);
    }
    return crc & 0xffffff;
}

char *pgpArmor(const char *kind, const uint8_t *data, size_t len)
{
    uint32_t crc = crc24(data, len);
    uint8_t sum[3] = { (uint8_t)(crc >> 16), (uint8_t)(crc >> 8), (uint8_t)crc };
    char *body = rpmBase64Encode(data, len);
    char *end = rpmBase64Encode(sum, sizeof(sum));
    char *text = NULL;

    rasprintf(&text, "-----BEGIN PGP %s-----\nVersion: rpm-4.18.0\n\n%s=%s-----END PGP %s-----\n",
        kind, body, end, kind);
    free(body);
    free(end);
    return text;
}
