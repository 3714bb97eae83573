/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a payload: the archive, held against the header's file list. */

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <rpm/header.h>
#include <rpm/rpmcrypto.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "cpio.h"
#include "payload.h"
#include "rpmfiles_internal.h"

struct rpmPayload_s {
    rpmfiles files;
    rpmRing ring;
    struct rpmcpio_s cpio;
    int isSource;            /* entries have no directories, wherever their files go */
    unsigned char *seen;     /* a bit for each file */
    int fx;                  /* file in hand, -1 for none */
    int unread;              /* its content is there and was not asked for */
    int rc;                  /* 0, or the code that reading ended with */
    int error;               /* errno of that */
    char *why;               /* more about it, or NULL */
    char *entry;             /* what it was about, or NULL */
    void (*cb)(void *data, rpm_loff_t done);
    void *cbdata;
    struct rpmop_s digestop;
};

static const struct {
    const char *compressor;
    const char *mode;
} modes[] = {
    { "gzip", "r.gzdio" },
    { "bzip2", "r.bzdio" },
    { "xz", "r.xzdio" },
    { "lzma", "r.lzdio" },
    { "zstd", "r.zstdio" },
    { "identity", "r.ufdio" },
};

/* Without a name it is gzip, or no compression at all: rpmbuild names none for it, and gzdio
 * passes what is not gzip. */
static const char *findMode(const char *compressor)
{
    if (compressor == NULL)
        compressor = "gzip";
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (rstreq(compressor, modes[i].compressor))
            return modes[i].mode;
    }
    return NULL;
}

static int refuse(char **emsg, const char *what, const char *name)
{
    char *shown = rpmfilesEscape(name);

    rasprintf(emsg, "%s: %s", what, shown);
    rfree(shown);
    return -1;
}

/* Open the payload on a duplicate of the package's descriptor, which shares its position. */
static int openPayload(FD_t fd, Header h, FD_t *payload, char **emsg)
{
    const char *format = headerGetString(h, RPMTAG_PAYLOADFORMAT);
    const char *compressor = headerGetString(h, RPMTAG_PAYLOADCOMPRESSOR);
    const char *mode = findMode(compressor);

    if (format != NULL && !rstreq(format, "cpio"))
        return refuse(emsg, "unsupported payload format", format);
    if (mode == NULL)
        return refuse(emsg, "unsupported payload compression", compressor);
    *payload = fdDup(Fileno(fd));
    if (*payload == NULL || Fdopen(*payload, mode) == NULL) {
        refuse(emsg, "cannot read the payload", strerror(errno));
        if (*payload != NULL)
            Fclose(*payload);
        return -1;
    }
    return 0;
}

rpmPayload rpmPayloadNew(FD_t fd, Header h, rpmfiles files, char **emsg)
{
    FD_t payload = NULL;
    rpmPayload p;
    rpmRing ring;

    *emsg = NULL;
    if (openPayload(fd, h, &payload, emsg) != 0)
        return NULL;
    ring = rpmRingNew(payload, headerGetNumber(h, RPMTAG_LONGARCHIVESIZE), emsg);
    if (ring == NULL)
        return NULL;
    p = rcalloc(1, sizeof(*p));
    p->files = rpmfilesLink(files);
    p->isSource = headerIsSource(h);
    p->ring = ring;
    p->seen = rcalloc(rpmfilesFC(files) / 8 + 1, 1);
    p->fx = -1;
    rpmcpioInit(&p->cpio, ring);
    return p;
}

rpmPayload rpmPayloadFree(rpmPayload p)
{
    if (p == NULL)
        return NULL;
    rpmRingFree(p->ring);
    rpmfilesFree(p->files);
    rfree(p->seen);
    rfree(p->why);
    rfree(p->entry);
    return rfree(p);
}

/* End reading with a code, and with a reason unless fmt is NULL. */
RPM_GNUC_PRINTF(3, 4)
static int fail(rpmPayload p, int rc, const char *fmt, ...)
{
    va_list ap;

    p->error = errno;
    p->rc = rc;
    p->fx = -1;
    p->unread = 0;
    p->why = rfree(p->why);
    if (fmt != NULL) {
        va_start(ap, fmt);
        rvasprintf(&p->why, fmt, ap);
        va_end(ap);
    }
    return rc;
}

static int failCpio(rpmPayload p, int rc)
{
    const char *why = p->cpio.why;

    errno = 0;
    if (why == NULL && rc == RPMERR_READ_FAILED)
        why = rpmRingError(p->ring);
    return why != NULL ? fail(p, rc, "%s", why) : fail(p, rc, NULL);
}

/* Name the entry that the next message is about. */
static void setEntry(rpmPayload p, int fx)
{
    char *fn = rpmfilesFN(p->files, fx);

    rfree(p->entry);
    if (fn == NULL && p->cpio.stripped)
        rasprintf(&p->entry, "entry %u", p->cpio.fx);
    else
        p->entry = rpmfilesEscape(fn != NULL ? fn : p->cpio.name);
    rfree(fn);
}

static int isSeen(rpmPayload p, int fx)
{
    return (p->seen[fx / 8] >> (fx % 8)) & 1;
}

static int isGhost(rpmPayload p, int fx)
{
    return (rpmfilesFFlags(p->files, fx) & RPMFILE_GHOST) != 0;
}

/* A regular file has content, of a hard link set the last member for all. */
static int hasContent(rpmPayload p, int fx)
{
    const int *links = NULL;
    uint32_t n = rpmfilesFLinks(p->files, fx, &links);

    return S_ISREG(rpmfilesFMode(p->files, fx)) && (links == NULL || links[n - 1] == fx);
}

/* The archive is over: was everything in it? */
static int finishArchive(rpmPayload p)
{
    int rc = rpmcpioFinish(&p->cpio);

    p->fx = -1;
    p->unread = 0;
    p->entry = rfree(p->entry);
    if (rc != 0)
        return failCpio(p, rc);
    for (int fx = 0; fx < (int)rpmfilesFC(p->files); fx++) {
        if (!isSeen(p, fx) && !isGhost(p, fx)) {
            setEntry(p, fx);
            return fail(p, RPMERR_MISSING_FILE, NULL);
        }
    }
    return p->rc = RPMERR_ITER_END;
}

static int findName(rpmPayload p, const char *name)
{
    if (!p->isSource)
        return rpmfilesFindFN(p->files, name);
    if (name[0] == '.' && name[1] == '/')
        name += 2;
    for (int fx = 0; fx < (int)rpmfilesFC(p->files); fx++) {
        if (rstreq(name, rpmfilesBN(p->files, fx)))
            return fx;
    }
    return -1;
}

/* Find the file of the header that an entry is, each only once. */
static int identify(rpmPayload p)
{
    int fx = -1;

    if (!p->cpio.stripped)
        fx = findName(p, p->cpio.name);
    else if (p->cpio.fx < rpmfilesFC(p->files))
        fx = (int)p->cpio.fx;
    setEntry(p, fx);
    if (fx < 0)
        return fail(p, RPMERR_UNMAPPED_FILE, NULL);
    if (isSeen(p, fx))
        return fail(p, RPMERR_BAD_HEADER, "file is in the archive twice");
    p->seen[fx / 8] |= (unsigned char)(1 << (fx % 8));
    return fx;
}

/* Hold the size that the entry declares against the header's, or take it from there. */
static int checkSize(rpmPayload p, int fx)
{
    rpm_loff_t size = 0;

    if (hasContent(p, fx) || S_ISLNK(rpmfilesFMode(p->files, fx)))
        size = rpmfilesFSize(p->files, fx);
    if (isGhost(p, fx) && (p->cpio.stripped || p->cpio.size == 0))
        size = 0;
    if (p->cpio.stripped)
        p->cpio.left = size;
    else if (p->cpio.size != size)
        return fail(p, RPMERR_BAD_HEADER, "size %llu in the archive, %llu in the header",
                    (unsigned long long)p->cpio.size, (unsigned long long)size);
    return 0;
}

/* The content of a symlink's entry is its target. */
static int checkSymlink(rpmPayload p, int fx)
{
    const char *target = rpmfilesFLink(p->files, fx);
    const unsigned char *data;
    ssize_t n;

    if (target == NULL || strlen(target) != p->cpio.left)
        return fail(p, RPMERR_BAD_HEADER, "length of the symlink's target is not the header's");
    while ((n = rpmcpioPeek(&p->cpio, &data)) > 0) {
        if (memcmp(target, data, (size_t)n) != 0)
            return fail(p, RPMERR_BAD_HEADER, "target of the symlink is not the header's");
        target += n;
        rpmcpioSkip(&p->cpio, (size_t)n);
    }
    return n < 0 ? failCpio(p, (int)n) : 0;
}

/* Read one entry. Returns its file, RPMERR_ITER_SKIP for a ghost, another code. */
static int nextEntry(rpmPayload p)
{
    int fx, rc = rpmcpioNext(&p->cpio);

    if (rc == RPMERR_ITER_END)
        return finishArchive(p);
    if (rc != 0) {
        p->entry = rfree(p->entry);
        return failCpio(p, rc);
    }
    fx = identify(p);
    if (fx < 0)
        return fx;
    rc = checkSize(p, fx);
    if (rc == 0 && isGhost(p, fx))
        rc = RPMERR_ITER_SKIP;
    else if (rc == 0 && S_ISLNK(rpmfilesFMode(p->files, fx)))
        rc = checkSymlink(p, fx);
    return rc != 0 ? rc : fx;
}

int rpmPayloadNext(rpmPayload p)
{
    int fx;

    if (p->rc != 0)
        return p->rc;
    do {
        fx = nextEntry(p);
    } while (fx == RPMERR_ITER_SKIP);
    p->fx = fx >= 0 ? fx : -1;
    p->unread = rpmPayloadHasContent(p);
    return fx;
}

int rpmPayloadHasContent(rpmPayload p)
{
    return p->fx >= 0 && hasContent(p, p->fx);
}

static int isZero(const unsigned char *data, size_t len)
{
    while (len > 0 && data[len - 1] == 0)
        len--;
    return len == 0;
}

/* End the digest of the file in hand and compare it with the header's. */
static int checkDigest(rpmPayload p, DIGEST_CTX ctx)
{
    const unsigned char *want = rpmfilesFDigest(p->files, p->fx, NULL, NULL);
    void *digest = NULL;
    size_t len = 0;
    int same = 0;

    rpmDigestFinal(ctx, &digest, &len, 0);
    if (digest != NULL && want != NULL)
        same = memcmp(digest, want, len) == 0;
    /* Old packages have no digests of empty files. */
    if (!same && want != NULL && rpmfilesFSize(p->files, p->fx) == 0
        && rpmfilesDigestAlgo(p->files) == RPM_HASH_MD5)
        same = isZero(want, len);
    rfree(digest);
    return same ? 0 : fail(p, RPMERR_DIGEST_MISMATCH, NULL);
}

static void updateDigest(rpmPayload p, DIGEST_CTX ctx, const void *data, size_t n)
{
    rpmswEnter(&p->digestop, 0);
    rpmDigestUpdate(ctx, data, n);
    rpmswExit(&p->digestop, (ssize_t)n);
}

/* Move content from the ring to a file, by way of the digest if there is one. */
static int copyContent(rpmPayload p, FD_t out, DIGEST_CTX ctx)
{
    const unsigned char *data;
    ssize_t n;

    while ((n = rpmcpioPeek(&p->cpio, &data)) > 0) {
        if (ctx != NULL)
            updateDigest(p, ctx, data, (size_t)n);
        if (Fwrite(data, 1, (size_t)n, out) != n) {
            if (Ferror(out) > 0)
                errno = Ferror(out);
            return fail(p, RPMERR_WRITE_FAILED, NULL);
        }
        rpmcpioSkip(&p->cpio, (size_t)n);
        if (p->cb != NULL)
            p->cb(p->cbdata, p->cpio.offset);
    }
    return n < 0 ? failCpio(p, (int)n) : 0;
}

int rpmPayloadReadToFile(rpmPayload p, FD_t out, int nodigest)
{
    DIGEST_CTX ctx = NULL;
    int rc;

    if (p->rc < RPMERR_ITER_END)
        return p->rc;
    if (!p->unread)
        return fail(p, RPMERR_INTERNAL, "no content to read");
    p->unread = 0;
    if (!nodigest) {
        ctx = rpmDigestInit(rpmfilesDigestAlgo(p->files), RPMDIGEST_NONE);
        if (ctx == NULL)
            return fail(p, RPMERR_DIGEST_MISMATCH, "digest algorithm is not available");
    }
    rc = copyContent(p, out, ctx);
    if (rc == 0 && ctx != NULL)
        return checkDigest(p, ctx);
    if (ctx != NULL)
        rpmDigestFinal(ctx, NULL, NULL, 0);
    return rc;
}

const char *rpmPayloadEntry(rpmPayload p)
{
    return p->entry != NULL ? p->entry : "";
}

char *rpmPayloadStrerror(rpmPayload p, int rc)
{
    char *msg;

    errno = (rc == p->rc) ? p->error : 0;
    msg = rpmfileStrerror(rc);
    if (rc == p->rc && p->why != NULL)
        rstrscat(&msg, rc == RPMERR_READ_FAILED ? " failed - " : ": ", p->why, NULL);
    return msg;
}

rpm_loff_t rpmPayloadTell(rpmPayload p)
{
    return p->cpio.offset;
}

void rpmPayloadSetProgress(rpmPayload p, void (*cb)(void *data, rpm_loff_t done), void *data)
{
    p->cb = cb;
    p->cbdata = data;
}

void rpmPayloadAddOp(rpmPayload p, rpmPayloadOpX opx, rpmop to)
{
    rpmRingStop(p->ring);
    rpmswAdd(to, opx == RPMPAYLOAD_OP_DIGEST ? &p->digestop : rpmRingOp(p->ring));
}
