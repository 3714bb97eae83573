/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a header out of the package database is what its package had: its region against the
 * digests that were in the signature header, and have been recorded with it. */

#include <arpa/inet.h>
#include <stdlib.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmstring.h>

#include "rpmvs.h"

/* In the order in which upstream tells of them. */
static const struct {
    rpmTagVal tag;
    int algo;
    rpmVSFlags disabler;
    const char *descr;
} digests[] = {
    { RPMTAG_SHA256HEADER, RPM_HASH_SHA256, RPMVSF_NOSHA256HEADER, "Header SHA256 digest" },
    { RPMTAG_SHA1HEADER, RPM_HASH_SHA1, RPMVSF_NOSHA1HEADER, "Header SHA1 digest" },
};

static char *regionDigest(const struct hdrblob_s *blob, int algo)
{
    const uint32_t lengths[2] = { htonl(blob->ril), htonl(blob->rdl) };
    DIGEST_CTX ctx = rpmDigestInit(algo, RPMDIGEST_NONE);
    void *hex = NULL;

    rpmDigestUpdate(ctx, rpm_header_magic, sizeof(rpm_header_magic));
    rpmDigestUpdate(ctx, lengths, sizeof(lengths));
    rpmDigestUpdate(ctx, blob->pe, (size_t)blob->ril * HEADER_ENTRY_SIZE);
    rpmDigestUpdate(ctx, blob->dataStart, blob->rdl);
    rpmDigestFinal(ctx, &hex, NULL, 1);
    return hex;
}

/* *msg gets a line. */
static rpmRC compareDigest(const struct hdrblob_s *blob, size_t ix, const char *said, char **msg)
{
    struct rpmsinfo_s item = { .type = RPMSIG_DIGEST_TYPE, .range = RPMSIG_HEADER };
    char *is = regionDigest(blob, digests[ix].algo);
    char *line;

    item.hashalgo = digests[ix].algo;
    item.descr = (char *)digests[ix].descr;
    if (is == NULL || said == NULL || rstrcasecmp(said, is) != 0) {
        item.rc = RPMRC_FAIL;
        rasprintf(&item.msg, "Expected %s != %s", said != NULL ? said : "", is != NULL ? is : "");
    }
    line = rpmsinfoMsg(&item);
    rstrscat(msg, "\n", line, NULL);
    rfree(line);
    rfree(item.msg);
    rfree(is);
    return item.rc;
}

rpmRC headerCheck(rpmts ts, const void *uh, size_t uc, char **msg)
{
    struct hdrblob_s blob;
    char *text = NULL;
    rpmRC rc = uc > 0 ? hdrblobInit(uh, uc, 0, 0, &blob, &text) : RPMRC_FAIL;
    bool sound = rc == RPMRC_OK;

    rpmswEnter(rpmtsOp(ts, RPMTS_OP_DIGEST), 0);
    for (size_t i = 0; sound && i < sizeof(digests) / sizeof(*digests); i++) {
        struct rpmtd_s td;

        if ((rpmtsVSFlags(ts) & digests[i].disabler) ||
            hdrblobGet(&blob, digests[i].tag, &td) != RPMRC_OK)
            continue;
        if (compareDigest(&blob, i, rpmtdGetString(&td), &text) != RPMRC_OK)
            rc = RPMRC_FAIL;
        rpmtdFreeData(&td);
    }
    rpmswExit(rpmtsOp(ts, RPMTS_OP_DIGEST), (ssize_t)uc);
    if (text == NULL)
        text = rstrdup(rc == RPMRC_OK ? "Header sanity check: OK" : "hdr length: BAD");
    if (msg != NULL)
        *msg = text;
    else
        rfree(text);
    return rc;
}
