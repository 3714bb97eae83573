/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Verification of packages: the items, their digests and the verdict. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmio.h>
#include <rpm/rpmstring.h>

#include "pgpsig.h"
#include "rpmvs.h"

#define HEADER_AND_PAYLOAD (RPMSIG_HEADER | RPMSIG_PAYLOAD)

/* Room for the digests that one range can have, by algorithm. */
#define ALGO_MAX 12

struct rpmvs_s {
    int vfylevel;
    rpmVSFlags vsflags;
    rpmFileDigestOptions opts;
    struct rpmsinfo_s *items;
    size_t count;
    bool running[HEADER_AND_PAYLOAD + 1][ALGO_MAX]; /* digests of the descriptor */
};

/* What there can be, and how the data must look. */
static const struct itemInfo {
    rpmTagVal tag;
    bool signature;        /* in the signature header */
    int type, disabler, range, hashalgo;
    bool alt;
    rpmTagType tagType;
    rpm_count_t tagCount;  /* 0 for any */
    rpm_count_t tagSize;   /* 0 for any */
} itemInfos[] = {
    { RPMSIGTAG_PGP, true, RPMSIG_SIGNATURE_TYPE, RPMVSF_NORSA, HEADER_AND_PAYLOAD, 0, false,
        RPM_BIN_TYPE, 0, 0 },
    { RPMSIGTAG_MD5, true, RPMSIG_DIGEST_TYPE, RPMVSF_NOMD5, HEADER_AND_PAYLOAD, RPM_HASH_MD5,
        false, RPM_BIN_TYPE, 0, 16 },
    { RPMSIGTAG_GPG, true, RPMSIG_SIGNATURE_TYPE, RPMVSF_NODSA, HEADER_AND_PAYLOAD, 0, false,
        RPM_BIN_TYPE, 0, 0 },
    { RPMSIGTAG_DSA, true, RPMSIG_SIGNATURE_TYPE, RPMVSF_NODSAHEADER, RPMSIG_HEADER, 0, false,
        RPM_BIN_TYPE, 0, 0 },
    { RPMSIGTAG_RSA, true, RPMSIG_SIGNATURE_TYPE, RPMVSF_NORSAHEADER, RPMSIG_HEADER, 0, false,
        RPM_BIN_TYPE, 0, 0 },
    { RPMSIGTAG_SHA1, true, RPMSIG_DIGEST_TYPE, RPMVSF_NOSHA1HEADER, RPMSIG_HEADER, RPM_HASH_SHA1,
        false, RPM_STRING_TYPE, 1, 41 },
    { RPMSIGTAG_SHA256, true, RPMSIG_DIGEST_TYPE, RPMVSF_NOSHA256HEADER, RPMSIG_HEADER,
        RPM_HASH_SHA256, false, RPM_STRING_TYPE, 1, 65 },
    { RPMTAG_PAYLOADDIGEST, false, RPMSIG_DIGEST_TYPE, RPMVSF_NOPAYLOAD, RPMSIG_PAYLOAD,
        RPM_HASH_SHA256, false, RPM_STRING_ARRAY_TYPE, 0, 0 },
    { RPMTAG_PAYLOADDIGESTALT, false, RPMSIG_DIGEST_TYPE, RPMVSF_NOPAYLOAD, RPMSIG_PAYLOAD,
        RPM_HASH_SHA256, true, RPM_STRING_ARRAY_TYPE, 0, 0 },
};

struct rpmvs_s *rpmvsCreate(int vfylevel, rpmVSFlags vsflags)
{
    struct rpmvs_s *vs = rcalloc(1, sizeof(*vs));

    vs->vfylevel = vfylevel;
    vs->vsflags = vsflags;
    rpmFileDigestOptionsInit(&vs->opts);
    return vs;
}

void rpmvsSetDigestOptions(struct rpmvs_s *vs, const rpmFileDigestOptions *opts)
{
    vs->opts = *opts;
}

const rpmFileDigestOptions *rpmvsDigestOptions(const struct rpmvs_s *vs)
{
    return &vs->opts;
}

struct rpmvs_s *rpmvsFree(struct rpmvs_s *vs)
{
    if (vs == NULL)
        return NULL;
    for (size_t i = 0; i < vs->count; i++) {
        free(vs->items[i].dig);
        free(vs->items[i].result);
        free(vs->items[i].descr);
        free(vs->items[i].msg);
    }
    free(vs->items);
    free(vs);
    return NULL;
}

static struct rpmsinfo_s *addItem(struct rpmvs_s *vs)
{
    vs->items = rrealloc(vs->items, (vs->count + 1) * sizeof(*vs->items));
    vs->items[vs->count] = (struct rpmsinfo_s){ .rc = RPMRC_NOTFOUND };
    return &vs->items[vs->count++];
}

static bool isDisabled(const struct rpmvs_s *vs, const struct itemInfo *info)
{
    return (vs->vsflags & (rpmVSFlags)info->disabler) ||
        ((vs->vsflags & RPMVSF_NEEDPAYLOAD) && (info->range & RPMSIG_PAYLOAD));
}

static const char *rangeName(int range)
{
    if (range == RPMSIG_HEADER)
        return "Header ";
    return range == RPMSIG_PAYLOAD ? "Payload " : "";
}

static void setSignature(struct rpmsinfo_s *item, rpmtd td, const char *origin)
{
    struct pgpSig_s sig;
    char *keyid;

    if (!pgpSigParse(td->data, td->count, &sig)) {
        rasprintf(&item->msg, "%s tag %u: invalid OpenPGP signature", origin, td->tag);
        return;
    }
    keyid = rpmhex(sig.keyid + 4, 4);
    item->keyid = (unsigned int)strtoul(keyid, NULL, 16);
    free(item->descr);
    rasprintf(&item->descr, "%sV%d %s/%s Signature, key ID %s", rangeName(item->range),
        sig.version, pgpPubkeyAlgoName(sig.pubkeyAlgo), pgpHashAlgoName(sig.hashAlgo), keyid);
    free(keyid);
    /* A signature of anything but a file of bytes proves nothing here, whoever made it. */
    item->rc = sig.type == 0 ? RPMRC_NOKEY : RPMRC_FAIL;
}

/* Hex digests have whole bytes and are at least as long as SHA-1's. */
static bool isHex(const char *str)
{
    size_t length = strlen(str);

    return length % 2 == 0 && length >= 40 &&
        strspn(str, "0123456789abcdefABCDEF") == length;
}

static void setDigest(struct rpmsinfo_s *item, rpmtd td, const char *origin)
{
    const char *str = rpmtdGetString(td);

    if (td->type == RPM_BIN_TYPE) {
        item->dig = rpmhex(td->data, td->count);
    } else if (str != NULL && isHex(str)) {
        item->dig = rstrdup(str);
    } else {
        rasprintf(&item->msg, "%s: tag %u: invalid hex", origin, td->tag);
        return;
    }
    item->rc = RPMRC_OK;
}

/* Take up the current element of a tag's data. A bad one fails. */
static void setItem(struct rpmsinfo_s *item, const struct itemInfo *info, rpmtd td,
    const char *origin)
{
    item->rc = RPMRC_FAIL;
    item->id = (td->tag << 16) | td->ix;
    if (info->tagType != rpmtdType(td))
        rasprintf(&item->msg, "%s tag %u: invalid type %u", origin, td->tag, td->type);
    else if (info->tagCount != 0 && info->tagCount != td->count)
        rasprintf(&item->msg, "%s: tag %u: invalid count %u", origin, td->tag, td->count);
    else if (info->tagSize != 0 && info->tagSize != td->size)
        rasprintf(&item->msg, "%s tag %u: invalid size %u", origin, td->tag, td->size);
    else if (info->type == RPMSIG_SIGNATURE_TYPE)
        setSignature(item, td, origin);
    else
        setDigest(item, td, origin);
}

static struct rpmsinfo_s *addInfoItem(struct rpmvs_s *vs, const struct itemInfo *info)
{
    struct rpmsinfo_s *item = addItem(vs);

    item->type = info->type;
    item->disabler = info->disabler;
    item->range = info->range;
    item->hashalgo = info->hashalgo;
    item->alt = info->alt;
    if (item->type == RPMSIG_DIGEST_TYPE)
        rasprintf(&item->descr, "%s%s%s digest", rangeName(item->range),
            pgpHashAlgoName(item->hashalgo), item->alt ? " ALT" : "");
    else
        rasprintf(&item->descr, "%s%s signature", rangeName(item->range),
            item->disabler & (RPMVSF_NODSA | RPMVSF_NODSAHEADER) ? "DSA" : "RSA");
    return item;
}

void rpmvsInit(struct rpmvs_s *vs, const struct hdrblob_s *blob, bool signature)
{
    const char *origin = blob->il > blob->ril ? "header" : "package";

    for (size_t i = 0; i < sizeof(itemInfos) / sizeof(itemInfos[0]); i++) {
        const struct itemInfo *info = &itemInfos[i];
        struct rpmtd_s td;

        if (info->signature != signature)
            continue;
        if (isDisabled(vs, info) || hdrblobGet(blob, info->tag, &td) != RPMRC_OK) {
            addInfoItem(vs, info);
            continue;
        }
        while (rpmtdNext(&td) >= 0)
            setItem(addInfoItem(vs, info), info, &td, origin);
        rpmtdFreeData(&td);
    }
}

static int digestID(int range, int hashalgo)
{
    return range << 8 | hashalgo;
}

static bool isWanted(const struct rpmsinfo_s *item)
{
    return item->type == RPMSIG_DIGEST_TYPE && item->rc == RPMRC_OK;
}

void rpmvsInitRange(struct rpmvs_s *vs, FD_t fd, int range)
{
    for (size_t i = 0; i < vs->count; i++) {
        const struct rpmsinfo_s *item = &vs->items[i];
        bool begins = range == RPMSIG_HEADER ? (item->range & RPMSIG_HEADER) != 0
                                             : item->range == range;

        /* Items of the same range and algorithm share a digest. */
        if (begins && isWanted(item) && !vs->running[item->range][item->hashalgo]) {
            fdInitDigestID(fd, item->hashalgo, digestID(item->range, item->hashalgo), 0);
            vs->running[item->range][item->hashalgo] = true;
        }
    }
}

/* End a digest; NULL if there is none. */
static char *finiDigest(struct rpmvs_s *vs, FD_t fd, int range, int hashalgo)
{
    void *hex = NULL;
    size_t length = 0;

    if (!vs->running[range][hashalgo])
        return NULL;
    fdFiniDigest(fd, digestID(range, hashalgo), &hex, &length, 1);
    vs->running[range][hashalgo] = false;
    return hex;
}

static void setResult(struct rpmvs_s *vs, int range, int hashalgo, const char *hex)
{
    for (size_t i = 0; i < vs->count; i++) {
        struct rpmsinfo_s *item = &vs->items[i];
        if (hex != NULL && isWanted(item) && item->range == range && item->hashalgo == hashalgo)
            item->result = rstrdup(hex);
    }
}

void rpmvsFiniRange(struct rpmvs_s *vs, FD_t fd, int range)
{
    for (int algo = 0; algo < ALGO_MAX; algo++) {
        char *hex = finiDigest(vs, fd, range, algo);

        setResult(vs, range, algo, hex);
        free(hex);
    }
}

int rpmvsTakeDigests(struct rpmvs_s *vs, FD_t fd, struct rpmvsDigest_s *digests)
{
    int n = 0;

    for (int range = RPMSIG_PAYLOAD; range <= HEADER_AND_PAYLOAD; range++) {
        for (int algo = 0; algo < ALGO_MAX && n < RPMVS_DIGESTS_MAX; algo++) {
            if (!vs->running[range][algo])
                continue;
            digests[n].range = range;
            digests[n].hashalgo = algo;
            digests[n++].ctx = fdDupDigest(fd, digestID(range, algo));
            free(finiDigest(vs, fd, range, algo));
        }
    }
    return n;
}

void rpmvsGiveDigest(struct rpmvs_s *vs, struct rpmvsDigest_s *digest)
{
    void *hex = NULL;

    rpmDigestFinal(digest->ctx, &hex, NULL, 1);
    digest->ctx = NULL;
    setResult(vs, digest->range, digest->hashalgo, hex);
    free(hex);
}

void rpmvsAbort(struct rpmvs_s *vs, FD_t fd)
{
    for (int range = 0; range <= HEADER_AND_PAYLOAD; range++) {
        for (int algo = 0; algo < ALGO_MAX; algo++)
            free(finiDigest(vs, fd, range, algo));
    }
}

bool rpmvsNeedsPayload(const struct rpmvs_s *vs)
{
    for (size_t i = 0; i < vs->count; i++) {
        if (isWanted(&vs->items[i]) && (vs->items[i].range & RPMSIG_PAYLOAD))
            return true;
    }
    return false;
}

void rpmvsSetSize(struct rpmvs_s *vs, uint64_t actual, uint64_t expected)
{
    struct rpmsinfo_s *item;

    if (actual == expected)
        return;
    item = addItem(vs);
    item->type = RPMSIG_OTHER_TYPE;
    item->range = HEADER_AND_PAYLOAD;
    item->rc = RPMRC_FAIL;
    item->descr = rstrdup("Package size");
    rasprintf(&item->msg, "file is %s than the header says: %" PRIu64 " of %" PRIu64 " bytes",
        actual < expected ? "shorter" : "longer", actual, expected);
}

/* The order in which items are told of: the header first, signatures before digests, and the
 * newer kinds, which have the higher tags, before the older ones. */
static int compareItems(const void *a, const void *b)
{
    const struct rpmsinfo_s *ia = a, *ib = b;

    if (ia->range != ib->range)
        return ia->range - ib->range;
    if (ia->type != ib->type)
        return ib->type - ia->type;
    if (ia->id != ib->id)
        return ib->id < ia->id ? -1 : 1;
    return ib->disabler - ia->disabler;
}

static void compareDigest(struct rpmsinfo_s *item)
{
    if (!isWanted(item))
        return;
    if (item->result == NULL) {
        item->rc = RPMRC_NOTFOUND;
    } else if (rstrcasecmp(item->dig, item->result) != 0) {
        item->rc = RPMRC_FAIL;
        rasprintf(&item->msg, "Expected %s != %s", item->dig, item->result);
    }
}

/* A payload need have only one of its digests: that of the bytes that are there, or that of
 * the ones before compression, if the package was compressed anew, or not at all. */
static bool hasGoodAlternative(const struct rpmvs_s *vs, const struct rpmsinfo_s *item)
{
    for (size_t i = 0; i < vs->count; i++) {
        const struct rpmsinfo_s *other = &vs->items[i];
        if (other->id != item->id && other->disabler == item->disabler && other->disabler != 0)
            return other->rc == RPMRC_OK;
    }
    return false;
}

int rpmvsVerify(struct rpmvs_s *vs, int type, rpmsinfoCb cb, void *cbdata)
{
    int range = 0, verified = 0, failed = 0, cont = 1;

    qsort(vs->items, vs->count, sizeof(*vs->items), compareItems);
    for (size_t i = 0; i < vs->count; i++) {
        struct rpmsinfo_s *item = &vs->items[i];

        if (!(type & item->type))
            continue;
        compareDigest(item);
        if (isWanted(item))
            verified |= item->range;
        if (item->type & RPMSIG_VERIFIABLE_TYPE)
            range |= item->range;
    }
    if (vs->vsflags & RPMVSF_NEEDPAYLOAD)
        range &= ~RPMSIG_PAYLOAD;
    for (size_t i = 0; i < vs->count && cont; i++) {
        struct rpmsinfo_s *item = &vs->items[i];
        int missing = item->type == RPMSIG_DIGEST_TYPE ? range & ~verified : range;
        bool required = (vs->vfylevel & item->type) && (missing & item->range);

        if (item->rc == RPMRC_FAIL && hasGoodAlternative(vs, item))
            item->rc = RPMRC_NOTFOUND;
        if (!required && item->rc == RPMRC_NOTFOUND)
            continue;
        if (cb != NULL)
            cont = cb(item, cbdata);
        if (item->rc != RPMRC_OK)
            failed = 1;
    }
    return failed;
}

static const char *verdict(rpmRC rc)
{
    switch (rc) {
    case RPMRC_OK:
        return "OK";
    case RPMRC_FAIL:
        return "BAD";
    case RPMRC_NOKEY:
        return "NOKEY";
    case RPMRC_NOTTRUSTED:
        return "NOTTRUSTED";
    default:
        return "NOTFOUND";
    }
}

char *rpmsinfoMsg(struct rpmsinfo_s *sinfo)
{
    char *line = NULL;

    rasprintf(&line, sinfo->msg != NULL ? "%s: %s (%s)" : "%s: %s", sinfo->descr,
        verdict(sinfo->rc), sinfo->msg);
    return line;
}
