/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests of files, and paths. */

#include <errno.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmfiledigest.h>
#include <rpm/rpmfileutil.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

static int updateDigest(void *data, const void *buf, size_t len)
{
    return rpmDigestUpdate(data, buf, len) ? EIO : 0;
}

/* Feed a digest with all that can be read; 0 or an errno. */
static int digestAll(FD_t fd, const char *fn, DIGEST_CTX ctx)
{
    rpmFileDigestSink sink = { updateDigest, ctx };
    rpmFileDigestOptions opts;
    rpmFileDigestResult res;
    char *emsg = NULL;
    int err;

    if (rpmFileDigestOptionsFromMacros(&opts, &emsg)) {
        rpmlog(RPMLOG_ERR, "%s\n", emsg);
        rfree(emsg);
        return EINVAL;
    }
    rpmFileDigestFeed(Fileno(fd), fn, RPMFILEDIGEST_HERE, RPMFILEDIGEST_REST, &sink, 1, &opts,
                      &res);
    err = res.err;
    rpmFileDigestResultFini(&res);
    return err;
}

int rpmDoDigest(int algo, const char *fn, int asAscii, unsigned char *digest)
{
    DIGEST_CTX ctx = NULL;
    void *result = NULL;
    size_t len = 0;
    int err = 0;
    FD_t fd = Fopen(fn, "r.ufdio");

    if (fd == NULL)
        return 1;
    ctx = rpmDigestInit(algo, RPMDIGEST_NONE);
    err = ctx != NULL ? digestAll(fd, fn, ctx) : EINVAL;
    if (rpmDigestFinal(ctx, &result, &len, asAscii) == 0 && err == 0)
        memcpy(digest, result, len);
    else if (err == 0)
        err = EIO;
    rfree(result);
    Fclose(fd);
    errno = err;
    return err != 0;
}

/* Take the last part off a path of `len` bytes; its new length. */
static size_t withoutLast(const char *path, size_t len)
{
    while (len > 0 && path[len - 1] != '/')
        len--;
    return len > 1 ? len - 1 : len;
}

/* Is the last part of a path of `len` bytes one that a `..` cannot take off? */
static int endsInDotDot(const char *path, size_t len)
{
    return len >= 2 && memcmp(path + len - 2, "..", 2) == 0 && (len == 2 || path[len - 3] == '/');
}

char *rpmCleanPath(char *path)
{
    int absolute = path != NULL && path[0] == '/';
    const char *s = path;
    size_t len = (size_t)absolute, part;

    if (path == NULL || *path == '\0')
        return path;
    for (s += strspn(s, "/"); *s != '\0'; s += part, s += strspn(s, "/")) {
        part = strcspn(s, "/");
        if (part == 1 && s[0] == '.')
            continue;
        if (part == 2 && s[0] == '.' && s[1] == '.') {
            if (absolute || (len > 0 && !endsInDotDot(path, len))) {
                len = withoutLast(path, len);
                continue;
            }
        }
        if (len > (size_t)absolute)
            path[len++] = '/';
        memmove(path + len, s, part);
        len += part;
    }
    if (len == 0)
        path[len++] = '.';
    path[len] = '\0';
    return path;
}

char *rpmGetPath(const char *path, ...)
{
    char *joined = rstrdup(""), *expanded;
    va_list ap;

    va_start(ap, path);
    for (const char *s = path; s != NULL; s = va_arg(ap, const char *))
        rstrcat(&joined, s);
    va_end(ap);
    expanded = rpmExpand(joined, NULL);
    rfree(joined);
    return rpmCleanPath(expanded);
}

char *rpmGenPath(const char *urlroot, const char *urlmdir, const char *urlfile)
{
    char *root = rpmGetPath(urlroot, NULL);
    char *mdir = rpmGetPath(urlmdir, NULL);
    char *file = rpmGetPath(urlfile, NULL);
    char *path = NULL;

    /* Joined without another expansion: a '%' in a result is a character of a name. */
    rstrscat(&path, root, "/", mdir, "/", file, NULL);
    rfree(root);
    rfree(mdir);
    rfree(file);
    return rpmCleanPath(path);
}
