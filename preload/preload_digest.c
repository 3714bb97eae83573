/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names by which librpm, libcreaterepo_c and librepo make digests of files. Results are the
 * originals'; whatever is not a regular file, or fails here, is the originals' to do, and so are
 * their errors. */

#include "preload_internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmfiledigest.h>
#include <rpm/rpmstring.h>

#pragma GCC visibility push(default)
int rpmDoDigest(int algo, const char *path, int asAscii, unsigned char *digest);
char *cr_checksum_file(const char *path, int type, void **error);
char *lr_checksum_fd(int type, int fdno, void **error);
#pragma GCC visibility pop

/* From a file's size on it is digested here. */
enum from { FROM_THRESHOLD, FROM_START };

static bool isDue(const struct stat *sb, enum from from, rpmFileDigestOptions *opts)
{
    if (!S_ISREG(sb->st_mode) || sb->st_size == 0 || rpmFileDigestOptionsFromMacros(opts, NULL))
        return false;
    /* The callers have threads of their own, or check one file after the other. */
    opts->threads = 1;
    return from == FROM_START || (uint64_t)sb->st_size >= opts->threshold;
}

/* The digest in hexadecimal, the caller's to free(); NULL if the original has to be asked. */
static char *digestOf(int fdno, int algo, const rpmFileDigestOptions *opts)
{
    rpmFileDigestResult res;
    char *hex = NULL;

    if (rpmFileDigestFd(fdno, "", &algo, 1, opts, &res) == 0)
        hex = rstrdup(res.hex[0]);
    rpmFileDigestResultFini(&res);
    return hex;
}

static char *digestFd(int fdno, int algo, enum from from)
{
    rpmFileDigestOptions opts;
    struct stat sb;

    if (algo < 0 || !shimStockHere() || fstat(fdno, &sb) || !isDue(&sb, from, &opts))
        return NULL;
    return digestOf(fdno, algo, &opts);
}

/* Nothing but a regular file is opened: opening may mean something to others. */
static char *digestPath(const char *path, int algo, enum from from)
{
    int err = errno;
    char *hex = NULL;
    rpmFileDigestOptions opts;
    struct stat sb;

    if (algo >= 0 && shimStockHere() && stat(path, &sb) == 0 && isDue(&sb, from, &opts)) {
        int fdno = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

        if (fdno >= 0) {
            hex = digestOf(fdno, algo, &opts);
            close(fdno);
        }
    }
    errno = err;
    return hex;
}

/* ---- librpm ---- */

static unsigned nibble(char c)
{
    return isdigit((unsigned char)c) ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

static void giveDigest(const char *hex, int asAscii, unsigned char *digest)
{
    if (asAscii) {
        memcpy(digest, hex, strlen(hex) + 1);
        return;
    }
    for (; hex[0] != '\0'; hex += 2)
        *digest++ = (unsigned char)(nibble(hex[0]) << 4 | nibble(hex[1]));
}

/* It takes URLs too, and "-" for standard input. */
int rpmDoDigest(int algo, const char *path, int asAscii, unsigned char *digest)
{
    SHIM_STOCK(int, rpmDoDigest, (int, const char *, int, unsigned char *));
    char *hex = path[0] == '/' ? digestPath(path, algo, FROM_THRESHOLD) : NULL;

    if (hex == NULL)
        return rpmDoDigest_ ? rpmDoDigest_(algo, path, asAscii, digest) : 1;
    giveDigest(hex, asAscii, digest);
    free(hex);
    return 0;
}

/* ---- libcreaterepo_c, librepo ---- */

/* Both name their types, whose numbers have changed between releases. */
static int algoOf(const char *name)
{
    static const struct {
        const char *name;
        int algo;
    } algos[] = {
        { "md5", RPM_HASH_MD5 },       { "sha", RPM_HASH_SHA1 },      { "sha1", RPM_HASH_SHA1 },
        { "sha224", RPM_HASH_SHA224 }, { "sha256", RPM_HASH_SHA256 }, { "sha384", RPM_HASH_SHA384 },
        { "sha512", RPM_HASH_SHA512 },
    };

    for (size_t i = 0; name != NULL && i < sizeof(algos) / sizeof(algos[0]); i++) {
        if (strcasecmp(name, algos[i].name) == 0)
            return algos[i].algo;
    }
    return -1;
}

/* What the callers free with GLib's g_free() has to come from there. */
static char *asGlib(char *hex, void *caller)
{
    static char *(*_Atomic known)(const char *);
    char *(*duplicate)(const char *) = known;
    char *copy;

    if (hex == NULL)
        return NULL;
    if (duplicate == NULL)
        known = duplicate = (char *(*)(const char *))shimStock("g_strdup", caller);
    copy = duplicate ? duplicate(hex) : NULL;
    free(hex);
    return copy;
}

char *cr_checksum_file(const char *path, int type, void **error)
{
    SHIM_STOCK(char *, cr_checksum_file, (const char *, int, void **));
    SHIM_STOCK(const char *, cr_checksum_name_str, (int));
    int algo = cr_checksum_name_str_ ? algoOf(cr_checksum_name_str_(type)) : -1;
    char *hex = asGlib(digestPath(path, algo, FROM_START), __builtin_return_address(0));

    if (hex == NULL && cr_checksum_file_ != NULL)
        hex = cr_checksum_file_(path, type, error);
    return hex;
}

char *lr_checksum_fd(int type, int fdno, void **error)
{
    SHIM_STOCK(char *, lr_checksum_fd, (int, int, void **));
    SHIM_STOCK(const char *, lr_checksum_type_to_str, (int));
    int algo = lr_checksum_type_to_str_ ? algoOf(lr_checksum_type_to_str_(type)) : -1;
    char *hex = asGlib(digestFd(fdno, algo, FROM_START), __builtin_return_address(0));

    if (hex == NULL && lr_checksum_fd_ != NULL)
        hex = lr_checksum_fd_(type, fdno, error);
    return hex;
}
