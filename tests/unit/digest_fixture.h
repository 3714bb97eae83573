/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_DIGEST_FIXTURE_H
#define TESTS_DIGEST_FIXTURE_H

/* Files with known contents, and what OpenSSL's one call says of them. */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/evp.h>

#include <rpm/rpmfiledigest.h>

/* OpenPGP numbers, as rpm has them. */
enum { MD5 = 1, SHA1 = 2, SHA256 = 8, SHA384 = 9, SHA512 = 10, SHA224 = 11 };

static const int allAlgos[] = { MD5, SHA1, SHA256, SHA384, SHA512, SHA224 };
#define NALGOS ((int)(sizeof(allAlgos) / sizeof(allAlgos[0])))

#define CONTENT_MAX (40u << 20)

static char tree[32] = "/tmp/test_digest.XXXXXX";
static unsigned char *content; /* CONTENT_MAX bytes, no two pages alike */

static inline int digestSetup(void **state)
{
    uint64_t x = 88172645463325252u;

    (void)state;
    content = malloc(CONTENT_MAX);
    for (size_t i = 0; i < CONTENT_MAX; i += 8) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(content + i, &x, 8);
    }
    return mkdtemp(tree) == NULL;
}

static inline int digestTeardown(void **state)
{
    char command[64];

    (void)state;
    free(content);
    snprintf(command, sizeof(command), "rm -r %s", tree);
    return system(command);
}

/* Path of a name below the tree; one of eight static buffers in turn. */
static inline const char *inTree(const char *name)
{
    static char paths[8][128];
    static int next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof(paths[0]), "%s/%s", tree, name);
    return path;
}

/* A file of the first `size` bytes of the content; its path. */
static inline const char *fileOf(const char *name, size_t size)
{
    const char *path = inTree(name);
    int fdno = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    assert_true(fdno >= 0);
    assert_int_equal(write(fdno, content, size), (ssize_t)size);
    close(fdno);
    return path;
}

/* The digest of bytes by OpenSSL in one call, as hex in `hex`, which has room for 129. */
static inline const char *oneShot(int algo, const void *data, size_t size, char *hex)
{
    const EVP_MD *md = algo == MD5      ? EVP_md5()
                       : algo == SHA1   ? EVP_sha1()
                       : algo == SHA224 ? EVP_sha224()
                       : algo == SHA256 ? EVP_sha256()
                       : algo == SHA384 ? EVP_sha384()
                                        : EVP_sha512();
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int n = 0;

    assert_int_equal(EVP_Digest(data, size, digest, &n, md, NULL), 1);
    for (unsigned int i = 0; i < n; i++)
        sprintf(hex + 2 * i, "%02x", digest[i]);
    return hex;
}

/* A result is that of these bytes, for all of these algorithms; it is freed. */
static inline void isDigestOf(rpmFileDigestResult *res, const void *data, size_t size,
                              const int *algos, int nalgos)
{
    char hex[129];

    if (res->msg != NULL)
        fail_msg("%s", res->msg);
    assert_int_equal(res->err, 0);
    assert_int_equal(res->size, size);
    assert_int_equal(res->nalgos, nalgos);
    for (int i = 0; i < nalgos; i++)
        assert_string_equal(res->hex[i], oneShot(algos[i], data, size, hex));
    rpmFileDigestResultFini(res);
}

/* A result is this error, with a message that has these words; it is freed. */
static inline void isFailure(rpmFileDigestResult *res, int err, const char *words)
{
    const char *msg = res->msg != NULL ? res->msg : "";

    assert_int_equal(res->err, err);
    assert_true(msg[0] != '\0');
    if (strstr(msg, words) == NULL)
        fail_msg("'%s' has no '%s'", msg, words);
    assert_null(strchr(msg, '\n'));
    assert_null(res->hex);
    rpmFileDigestResultFini(res);
}

static inline rpmFileDigestOptions optionsOf(rpmFileDigestMethod method, int threads)
{
    rpmFileDigestOptions opts;

    rpmFileDigestOptionsInit(&opts);
    opts.method = method;
    opts.threads = threads;
    return opts;
}

#endif /* TESTS_DIGEST_FIXTURE_H */
