/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading packages, each byte once. */

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmio.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmver.h>

#include "rpmvs.h"

/* The tag that says which format a package has; those that have it are newer than version 4. */
#define TAG_RPMFORMAT 5114

/* A number of one of two tags, 64 and 32 bits wide. The blob was checked. */
static bool getSize(const struct hdrblob_s *blob, rpmTagVal wide, rpmTagVal narrow, uint64_t *size)
{
    for (uint32_t i = 0; i < blob->il; i++) {
        struct entryInfo_s info = hdrblobEntry(blob, i);
        const uint8_t *data = blob->dataStart + info.offset;
        uint32_t value;

        if (info.tag == wide && info.type == RPM_INT64_TYPE) {
            headerSwapCopy(RPM_INT64_TYPE, size, data, 1);
            return true;
        }
        if (info.tag == narrow && info.type == RPM_INT32_TYPE) {
            headerSwapCopy(RPM_INT32_TYPE, &value, data, 1);
            *size = value;
            return true;
        }
    }
    return false;
}

static bool hasTag(const struct hdrblob_s *blob, rpmTagVal tag)
{
    for (uint32_t i = 0; i < blob->il; i++) {
        if (hdrblobEntry(blob, i).tag == tag)
            return true;
    }
    return false;
}

/* Formats before and after version 4 are told by their headers: leads look alike. */
static rpmRC checkFormat(const struct hdrblob_s *blob, char **emsg)
{
    if (blob->regionTag != RPMTAG_HEADERIMMUTABLE || hasTag(blob, RPMTAG_OLDFILENAMES))
        *emsg = rstrdup("RPM v3 packages are not supported");
    else if (hasTag(blob, TAG_RPMFORMAT))
        *emsg = rstrdup("RPM v6 packages are not supported");
    return *emsg == NULL ? RPMRC_OK : RPMRC_FAIL;
}

static int updateDigest(void *data, const void *buf, size_t len)
{
    struct rpmvsDigest_s *digest = data;

    return rpmDigestUpdate(digest->ctx, buf, len) == 0 ? 0 : EIO;
}

/* In upstream's words, but for a package that somebody writes to. */
static char *readError(const rpmFileDigestResult *res)
{
    char *text = NULL;

    if (res->err == ESTALE)
        return rstrdup("it was changed while it was read");
    rasprintf(&text, "Fread failed: %s", strerror(res->err));
    return text;
}

/* Read all the rest, for the digests, which go side by side. Returns the bytes, -1 on error. */
static int64_t digestPayload(struct rpmvs_s *vs, FD_t fd, char **emsg)
{
    struct rpmvsDigest_s digests[RPMVS_DIGESTS_MAX];
    rpmFileDigestSink sinks[RPMVS_DIGESTS_MAX];
    rpmFileDigestResult res;
    rpmop op = fdOp(fd, FDSTAT_DIGEST);
    int n = rpmvsTakeDigests(vs, fd, digests);
    int64_t size;

    for (int i = 0; i < n; i++)
        sinks[i] = (rpmFileDigestSink){ .update = updateDigest, .data = &digests[i] };
    rpmswEnter(op, 0);
    rpmFileDigestFeed(Fileno(fd), Fdescr(fd), RPMFILEDIGEST_HERE, RPMFILEDIGEST_REST, sinks, n,
        rpmvsDigestOptions(vs), &res);
    rpmswExit(op, (ssize_t)res.size);
    for (int i = 0; i < n; i++)
        rpmvsGiveDigest(vs, &digests[i]);
    size = res.err == 0 ? (int64_t)res.size : -1;
    if (size < 0)
        *emsg = readError(&res);
    rpmFileDigestResultFini(&res);
    return size;
}

/* Bytes of a header in a package, with magic and padding. */
static uint64_t sizeInPackage(const struct hdrblob_s *blob, bool padded)
{
    uint64_t size = sizeof(rpm_header_magic) + blob->pvlen;

    return padded ? (size + 7) / 8 * 8 : size;
}

static rpmRC readAndDigestPayload(struct rpmvs_s *vs, FD_t fd, const struct hdrblob_s *sigblob,
    const struct hdrblob_s *blob, char **emsg)
{
    uint64_t before = RPMLEAD_SIZE + sizeInPackage(sigblob, true);
    uint64_t expected;
    int64_t payload;

    rpmvsInitRange(vs, fd, RPMSIG_PAYLOAD);
    payload = digestPayload(vs, fd, emsg);
    if (payload < 0)
        return RPMRC_FAIL;
    if (getSize(sigblob, RPMSIGTAG_LONGSIZE, RPMSIGTAG_SIZE, &expected))
        rpmvsSetSize(vs, before + sizeInPackage(blob, false) + (uint64_t)payload,
            before + expected);
    return RPMRC_OK;
}

rpmRC rpmpkgRead(struct rpmvs_s *vs, FD_t fd, struct hdrblob_s *sigblobp, struct hdrblob_s *blobp,
    char **emsg)
{
    struct hdrblob_s sigblob = { 0 }, blob = { 0 };
    rpmRC rc = rpmLeadRead(fd, emsg);

    if (rc != RPMRC_OK) {
        if (rc == RPMRC_NOTFOUND)
            *emsg = rfree(*emsg);
        return rc;
    }
    rc = hdrblobRead(fd, 1, 0, RPMTAG_HEADERSIGNATURES, &sigblob, emsg);
    if (rc != RPMRC_OK)
        goto exit;
    rpmvsInit(vs, &sigblob, true);
    rpmvsInitRange(vs, fd, RPMSIG_HEADER);
    rc = hdrblobRead(fd, 1, 1, RPMTAG_HEADERIMMUTABLE, &blob, emsg);
    if (rc == RPMRC_OK)
        rc = checkFormat(&blob, emsg);
    if (rc != RPMRC_OK)
        goto exit;
    rpmvsFiniRange(vs, fd, RPMSIG_HEADER);
    rpmvsInit(vs, &blob, false);
    if (rpmvsNeedsPayload(vs))
        rc = readAndDigestPayload(vs, fd, &sigblob, &blob, emsg);

exit:
    rpmvsAbort(vs, fd);
    if (rc == RPMRC_OK && sigblobp != NULL && blobp != NULL) {
        *sigblobp = sigblob;
        *blobp = blob;
    } else {
        hdrblobFini(&sigblob);
        hdrblobFini(&blob);
    }
    return rc;
}

/* Tags of the signature header and what they are called in the main one. */
static const struct sigTag {
    rpmTagVal sigTag, tag;
    rpm_count_t count; /* 0 for any */
    bool inEither;     /* newer builders put it into the main header at once */
} sigTags[] = {
    { RPMSIGTAG_SIZE, RPMTAG_SIGSIZE, 1, false },
    { RPMSIGTAG_PGP, RPMTAG_SIGPGP, 0, false },
    { RPMSIGTAG_MD5, RPMTAG_SIGMD5, 16, false },
    { RPMSIGTAG_GPG, RPMTAG_SIGGPG, 0, false },
    { RPMSIGTAG_PAYLOADSIZE, RPMTAG_ARCHIVESIZE, 1, true },
    { RPMSIGTAG_FILESIGNATURES, RPMTAG_FILESIGNATURES, 0, true },
    { RPMSIGTAG_FILESIGNATURELENGTH, RPMTAG_FILESIGNATURELENGTH, 1, true },
    { RPMSIGTAG_VERITYSIGNATURES, RPMTAG_VERITYSIGNATURES, 0, false },
    { RPMSIGTAG_VERITYSIGNATUREALGO, RPMTAG_VERITYSIGNATUREALGO, 1, false },
    { RPMSIGTAG_SHA1, RPMTAG_SHA1HEADER, 1, false },
    { RPMSIGTAG_SHA256, RPMTAG_SHA256HEADER, 1, false },
    { RPMSIGTAG_DSA, RPMTAG_DSAHEADER, 0, false },
    { RPMSIGTAG_RSA, RPMTAG_RSAHEADER, 0, false },
    { RPMSIGTAG_LONGSIZE, RPMTAG_LONGSIGSIZE, 1, false },
    { RPMSIGTAG_LONGARCHIVESIZE, RPMTAG_LONGARCHIVESIZE, 1, false },
};

/* No tag is in both headers: what is signed could not be told from what is not. */
static bool mergeSigTag(Header h, Header sigh, const struct sigTag *st)
{
    struct rpmtd_s td;
    bool ok;

    if (headerIsEntry(h, st->tag))
        return st->inEither && !headerIsEntry(sigh, st->sigTag);
    if (!headerGet(sigh, st->sigTag, &td, HEADERGET_RAW | HEADERGET_MINMEM))
        return true;
    td.tag = st->tag;
    ok = rpmtdType(&td) == rpmTagGetTagType(td.tag) && td.count <= 16 * 1024 * 1024 &&
        (st->count == 0 || td.count == st->count) && headerPut(h, &td, HEADERPUT_DEFAULT);
    rpmtdFreeData(&td);
    return ok;
}

static rpmRC mergeSigTags(Header h, Header sigh, char **emsg)
{
    for (size_t i = 0; i < sizeof(sigTags) / sizeof(sigTags[0]); i++) {
        if (!mergeSigTag(h, sigh, &sigTags[i])) {
            rasprintf(emsg, "invalid signature tag %s (%d)", rpmTagGetName(sigTags[i].tag),
                sigTags[i].tag);
            return RPMRC_FAIL;
        }
    }
    return RPMRC_OK;
}

/* Packages tell source from binary by two tags, of which some builders set neither. */
static void setSourceness(Header h)
{
    const uint32_t one = 1;
    const char *dir;

    if (headerIsEntry(h, RPMTAG_SOURCERPM) || headerIsEntry(h, RPMTAG_SOURCEPACKAGE))
        return;
    dir = headerGetString(h, RPMTAG_DIRNAMES);
    if (dir != NULL && *dir == '\0')
        headerPutUint32(h, RPMTAG_SOURCEPACKAGE, &one, 1);
    else
        headerPutString(h, RPMTAG_SOURCERPM, "(none)");
}

/* Name, version and release end up in messages and on terminals. */
static bool hasLabel(Header h, char **emsg)
{
    static const rpmTagVal tags[] = { RPMTAG_NAME, RPMTAG_VERSION, RPMTAG_RELEASE };

    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        const char *text = headerGetString(h, tags[i]);

        if (text == NULL || *text == '\0') {
            *emsg = rstrdup("the header has no name, version or release");
            return false;
        }
        for (; *text != '\0'; text++) {
            if ((unsigned char)*text < 0x20 || *text == 0x7f) {
                *emsg = rstrdup("control characters in name, version or release");
                return false;
            }
        }
    }
    return true;
}

static rpmRC importPackage(struct hdrblob_s *sigblob, struct hdrblob_s *blob, Header *hdrp,
    char **emsg)
{
    Header sigh = hdrblobImport(sigblob, emsg);
    Header h = sigh != NULL ? hdrblobImport(blob, emsg) : NULL;
    rpmRC rc = h != NULL ? mergeSigTags(h, sigh, emsg) : RPMRC_FAIL;

    headerFree(sigh);
    if (rc == RPMRC_OK && !hasLabel(h, emsg))
        rc = RPMRC_FAIL;
    if (rc != RPMRC_OK) {
        headerFree(h);
        return rc;
    }
    setSourceness(h);
    *hdrp = h;
    return RPMRC_OK;
}

/* Whether a key was not warned of before: one warning is enough for many packages. */
static bool isNewKey(unsigned int keyid)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned int seen[256];
    static size_t next;
    bool found = false;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]) && !found; i++)
        found = seen[i] == keyid && keyid != 0;
    if (!found) {
        seen[next] = keyid;
        next = (next + 1) % (sizeof(seen) / sizeof(seen[0]));
    }
    pthread_mutex_unlock(&lock);
    return !found;
}

/* What becomes of rpmReadPackageFile() while its items are told of. */
struct verdict {
    const char *fn;
    rpmRC rc;
};

static int logItem(struct rpmsinfo_s *sinfo, void *cbdata)
{
    struct verdict *v = cbdata;
    char *line = rpmsinfoMsg(sinfo);
    int level = RPMLOG_DEBUG;

    /* One fault is enough: a damaged header fails each of its digests. */
    if (sinfo->rc == RPMRC_FAIL)
        level = v->rc != RPMRC_FAIL ? RPMLOG_ERR : RPMLOG_DEBUG;
    else if (sinfo->rc != RPMRC_OK && (sinfo->rc == RPMRC_NOTFOUND || isNewKey(sinfo->keyid)))
        level = RPMLOG_WARNING;
    rpmlog(level, "%s: %s\n", v->fn, line);
    free(line);
    if (sinfo->rc != RPMRC_OK && v->rc != RPMRC_FAIL)
        v->rc = sinfo->rc;
    /* What cannot be checked does not keep a package from being read. */
    if (sinfo->rc != RPMRC_FAIL)
        sinfo->rc = RPMRC_OK;
    return 1;
}

rpmRC rpmpkgReadHeader(rpmVSFlags vsflags, FD_t fd, const char *fn, Header *hdrp)
{
    struct rpmvs_s *vs = rpmvsCreate(0, vsflags | RPMVSF_NEEDPAYLOAD);
    struct hdrblob_s sigblob = { 0 }, blob = { 0 };
    struct verdict v = { .fn = fn != NULL ? fn : Fdescr(fd), .rc = RPMRC_OK };
    char *msg = NULL;
    Header h = NULL;
    rpmRC rc = rpmpkgRead(vs, fd, &sigblob, &blob, &msg);

    if (rc == RPMRC_OK && rpmvsVerify(vs, RPMSIG_VERIFIABLE_TYPE, logItem, &v) != 0)
        rc = RPMRC_FAIL;
    if (rc == RPMRC_OK && hdrp != NULL)
        rc = importPackage(&sigblob, &blob, &h, &msg);
    if (rc == RPMRC_OK)
        rc = v.rc;
    if (msg != NULL)
        rpmlog(RPMLOG_ERR, "%s: %s\n", v.fn, msg);
    if (hdrp != NULL)
        *hdrp = h;
    hdrblobFini(&sigblob);
    hdrblobFini(&blob);
    rpmvsFree(vs);
    free(msg);
    return rc;
}

rpmRC rpmReadPackageFile(rpmts ts, FD_t fd, const char *fn, Header *hdrp)
{
    return rpmpkgReadHeader(rpmtsVSFlags(ts), fd, fn, hdrp);
}

int rpmVersionCompare(Header first, Header second)
{
    uint64_t a = headerGetNumber(first, RPMTAG_EPOCH), b = headerGetNumber(second, RPMTAG_EPOCH);
    static const rpmTagVal tags[] = { RPMTAG_VERSION, RPMTAG_RELEASE };
    int rc = a == b ? 0 : a < b ? -1 : 1;

    for (size_t i = 0; i < 2 && rc == 0; i++) {
        const char *va = headerGetString(first, tags[i]), *vb = headerGetString(second, tags[i]);
        rc = rpmvercmp(va != NULL ? va : "", vb != NULL ? vb : "");
    }
    return rc;
}
