/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparing files with what their package says of them, and systems that fail meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include <rpm/header.h>
#include <rpm/rpmcrypto.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmutil.h>
#include <rpm/rpmverify.h>

#include "testtree.h"

#define CONTENT "some content\n"
/* SHA-256 of CONTENT, filled in by setup. */
static char contentDigest[65];

static atomic_int readErrors; /* reads that fail with EIO */
static int readShort;         /* reads give one byte */
static int readInterrupts;
static atomic_int readCalls;
static atomic_int cachedReads; /* those that do not wait for the disk */
static int cold;               /* 1: they have nothing, 2: the filesystem does not have them */
static int linkErrors;

ssize_t __real_pread64(int fd, void *buf, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *buf, size_t size, off_t offset);
ssize_t __wrap_preadv64v2(int fd, const struct iovec *iov, int count, off_t offset, int flags);
ssize_t __real_readlinkat(int fd, const char *path, char *buf, size_t size);
ssize_t __wrap_readlinkat(int fd, const char *path, char *buf, size_t size);

ssize_t __wrap_pread64(int fd, void *buf, size_t size, off_t offset)
{
    int left = atomic_load(&readErrors);

    atomic_fetch_add(&readCalls, 1);
    if (left > 0 && atomic_compare_exchange_strong(&readErrors, &left, left - 1)) {
        errno = EIO;
        return -1;
    }
    if (readInterrupts > 0) {
        readInterrupts--;
        errno = EINTR;
        return -1;
    }
    return __real_pread64(fd, buf, readShort && size > 1 ? 1 : size, offset);
}

ssize_t __wrap_preadv64v2(int fd, const struct iovec *iov, int count, off_t offset, int flags)
{
    assert_int_equal(flags, RWF_NOWAIT);
    atomic_fetch_add(&cachedReads, 1);
    assert_int_equal(count, 1);
    /* Not every filesystem that tests run on has such reads. */
    if (cold < 1)
        return __real_pread64(fd, iov->iov_base, iov->iov_len, offset);
    errno = cold == 1 ? EAGAIN : EOPNOTSUPP;
    return -1;
}

ssize_t __wrap_readlinkat(int fd, const char *path, char *buf, size_t size)
{
    if (linkErrors > 0) {
        linkErrors--;
        errno = EIO;
        return -1;
    }
    return __real_readlinkat(fd, path, buf, size);
}

/* What the package says of its one file, /dir/file. */
struct record {
    mode_t mode;
    uint32_t size;
    uint32_t mtime;
    uint32_t verify;
    uint32_t flags;
    const char *digest;
    const char *link;
    const char *user;
};

static void putUint32(Header h, rpmTagVal tag, uint32_t value)
{
    headerPutUint32(h, tag, &value, 1);
}

static rpmfiles filesOf(const struct record *r)
{
    Header h = headerNew();
    uint16_t mode = (uint16_t)r->mode;
    rpmfiles files;

    headerPutString(h, RPMTAG_NAME, "a");
    headerPutString(h, RPMTAG_SOURCERPM, "a.src.rpm");
    headerPutString(h, RPMTAG_DIRNAMES, "/dir/");
    headerPutString(h, RPMTAG_BASENAMES, "file");
    putUint32(h, RPMTAG_DIRINDEXES, 0);
    putUint32(h, RPMTAG_FILESIZES, r->size);
    headerPutUint16(h, RPMTAG_FILEMODES, &mode, 1);
    putUint32(h, RPMTAG_FILEMTIMES, r->mtime);
    putUint32(h, RPMTAG_FILEFLAGS, r->flags);
    putUint32(h, RPMTAG_FILEVERIFYFLAGS, r->verify);
    putUint32(h, RPMTAG_FILEDIGESTALGO, RPM_HASH_SHA256);
    headerPutString(h, RPMTAG_FILEDIGESTS, r->digest ? r->digest : "");
    headerPutString(h, RPMTAG_FILELINKTOS, r->link ? r->link : "");
    headerPutString(h, RPMTAG_FILEUSERNAME, r->user ? r->user : "root");
    headerPutString(h, RPMTAG_FILEGROUPNAME, "root");
    files = rpmfilesNew(NULL, h, RPMTAG_BASENAMES, RPMFI_FLAGS_VERIFY);
    headerFree(h);
    assert_non_null(files);
    return files;
}

/* The result of a comparison; errno is the call's. */
static rpmVerifyAttrs verifyAt(const char *tree, const struct record *r, const char *path,
                               rpmVerifyAttrs omit)
{
    rpmVerifier verifier = rpmVerifierNew(tree);
    rpmfiles files = filesOf(r);
    rpmVerifyAttrs bad;
    int error;

    assert_non_null(verifier);
    bad = rpmVerifierFile(verifier, files, 0, path, omit);
    error = errno;
    rpmfilesFree(files);
    assert_null(rpmVerifierFree(verifier));
    errno = error;
    return bad;
}

static rpmVerifyAttrs verify(const char *tree, const struct record *r)
{
    return verifyAt(tree, r, NULL, 0);
}

/* The record of a regular file with CONTENT, and that file. What needs root to be right, owner
 * and group, is not compared. */
static struct record regular(const char *tree)
{
    struct record r = { .mode = S_IFREG | 0644, .size = sizeof(CONTENT) - 1,
                        .digest = contentDigest,
                        .verify = RPMVERIFY_ALL & ~(RPMVERIFY_USER | RPMVERIFY_GROUP) };
    struct stat sb;

    putDir(tree, "dir");
    putFile(tree, "dir/file", CONTENT);
    assert_int_equal(chmod(at(tree, "dir/file"), 0644), 0);
    assert_int_equal(stat(at(tree, "dir/file"), &sb), 0);
    r.mtime = (uint32_t)sb.st_mtime;
    return r;
}

static int setup(void **state)
{
    DIGEST_CTX ctx = rpmDigestInit(RPM_HASH_SHA256, RPMDIGEST_NONE);
    void *hex = NULL;

    cold = readShort = readInterrupts = linkErrors = 0;
    cachedReads = 0;
    readErrors = 0;
    readCalls = 0;
    rpmDigestUpdate(ctx, CONTENT, sizeof(CONTENT) - 1);
    rpmDigestFinal(ctx, &hex, NULL, 1);
    strcpy(contentDigest, hex);
    rfree(hex);
    return treeSetup(state);
}

static void same(void **state)
{
    struct record r = regular(*state);

    assert_int_equal(verify(*state, &r), 0);
}

/* A small file with the right content takes one read, another one is read once more to find out. */
static void readsOfSmallFiles(void **state)
{
    struct record r = regular(*state);

    assert_int_equal(verify(*state, &r), 0);
    assert_int_equal(readCalls, 1);
    r.digest = "0000000000000000000000000000000000000000000000000000000000000001";
    assert_int_equal(verify(*state, &r), RPMVERIFY_FILEDIGEST);
    assert_int_equal(readCalls, 3);
}

static void shortAndInterruptedReads(void **state)
{
    struct record r = regular(*state);

    readShort = 1;
    readInterrupts = 3;
    assert_int_equal(verify(*state, &r), 0);
    assert_int_equal(readInterrupts, 0);
}

static void readFails(void **state)
{
    struct record r = regular(*state);

    readErrors = 1;
    assert_int_equal(verify(*state, &r), RPMVERIFY_FILEDIGEST | RPMVERIFY_READFAIL);
    assert_int_equal(readErrors, 0);
}

static void otherContent(void **state)
{
    struct record r = regular(*state);

    r.digest = "0000000000000000000000000000000000000000000000000000000000000001";
    assert_int_equal(verify(*state, &r), RPMVERIFY_FILEDIGEST);
    assert_int_equal(verifyAt(*state, &r, NULL, RPMVERIFY_FILEDIGEST), 0);
}

static void eachNumber(void **state)
{
    struct record good = regular(*state);
    struct record r = good;

    r.size++;
    assert_int_equal(verify(*state, &r), RPMVERIFY_FILESIZE);
    r = good;
    r.mtime++;
    assert_int_equal(verify(*state, &r), RPMVERIFY_MTIME);
    r = good;
    r.mode ^= 1;
    assert_int_equal(verify(*state, &r), RPMVERIFY_MODE);
    r.verify &= ~RPMVERIFY_MODE;
    assert_int_equal(verify(*state, &r), 0);
}

static void owner(void **state)
{
    struct record r = regular(*state);

    if (geteuid() != 0)
        skip();
    r.verify = RPMVERIFY_ALL;
    putDir(*state, "etc");
    putFile(*state, "etc/passwd", "mine:x:1234:1234::/:\n");
    assert_int_equal(verify(*state, &r), 0);
    r.user = "mine";
    assert_int_equal(verify(*state, &r), RPMVERIFY_USER);
    assert_int_equal(chown(at(*state, "dir/file"), 1234, 0), 0);
    assert_int_equal(verify(*state, &r), 0);
    /* A user that the root does not know is root, and its set-user-ID bit does not count. */
    r.user = "unknown";
    r.mode |= S_ISUID;
    assert_int_equal(verify(*state, &r), RPMVERIFY_USER);
    assert_int_equal(chown(at(*state, "dir/file"), 0, 0), 0);
    assert_int_equal(verify(*state, &r), 0);
}

static void missing(void **state)
{
    struct record r = regular(*state);

    assert_int_equal(unlink(at(*state, "dir/file")), 0);
    assert_int_equal(verify(*state, &r), RPMVERIFY_LSTATFAIL);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(rmdir(at(*state, "dir")), 0);
    assert_int_equal(verify(*state, &r), RPMVERIFY_LSTATFAIL);
    assert_int_equal(errno, ENOENT);
    putFile(*state, "dir", "");
    assert_int_equal(verify(*state, &r), RPMVERIFY_LSTATFAIL);
    assert_int_equal(errno, ENOTDIR);
}

static void elsewhere(void **state)
{
    struct record r = regular(*state);

    putDir(*state, "other");
    assert_int_equal(rename(at(*state, "dir/file"), at(*state, "other/name")), 0);
    assert_int_equal(verifyAt(*state, &r, "/other/name", 0), 0);
}

static void symlinks(void **state)
{
    struct record r = { .mode = S_IFLNK | 0777, .link = "target", .size = 6,
                        .verify = RPMVERIFY_ALL & ~(RPMVERIFY_USER | RPMVERIFY_GROUP) };

    putDir(*state, "dir");
    putLink(*state, "dir/file", "target");
    assert_int_equal(verify(*state, &r), 0);
    r.link = "elsewhere";
    assert_int_equal(verify(*state, &r), RPMVERIFY_LINKTO);
    linkErrors = 1;
    assert_int_equal(verify(*state, &r), RPMVERIFY_LINKTO | RPMVERIFY_READLINKFAIL);
}

/* Wherever a symlink points, what is compared is below the root. */
static void noEscape(void **state)
{
    struct record r = regular(*state);
    char root[4096];

    putDir(*state, "root");
    putDir(*state, "root/dir");
    snprintf(root, sizeof(root), "%s", at(*state, "root"));
    putLink(root, "dir/file", "../../dir/file");
    assert_int_equal(verify(root, &r) & RPMVERIFY_LSTATFAIL, 0);
    assert_int_not_equal(verify(root, &r), 0);
    assert_int_equal(unlink(at(root, "dir/file")), 0);
    assert_int_equal(rmdir(at(root, "dir")), 0);
    putLink(root, "dir", "../dir");
    assert_int_equal(verify(root, &r), RPMVERIFY_LSTATFAIL);
    assert_int_equal(unlink(at(root, "dir")), 0);
    putLink(root, "dir", at(*state, "dir"));
    assert_int_equal(verify(root, &r), RPMVERIFY_LSTATFAIL);
    assert_int_equal(errno, ENOENT);
}

static void behindSymlink(void **state)
{
    struct record r = regular(*state);

    assert_int_equal(rename(at(*state, "dir"), at(*state, "moved")), 0);
    putLink(*state, "dir", "/moved");
    assert_int_equal(verify(*state, &r), 0);
    if (geteuid() == 0) {
        assert_int_equal(lchown(at(*state, "dir"), 1234, 1234), 0);
        assert_int_equal(verify(*state, &r), 0);
    }
}

static void symlinkForDirectory(void **state)
{
    struct record r = { .mode = S_IFDIR | 0755,
                        .verify = RPMVERIFY_ALL & ~(RPMVERIFY_USER | RPMVERIFY_GROUP) };

    putDir(*state, "dir");
    putDir(*state, "real");
    assert_int_equal(chmod(at(*state, "real"), 0755), 0);
    putLink(*state, "dir/file", "../real");
    assert_int_equal(verify(*state, &r), 0);
    if (geteuid() == 0) {
        assert_int_equal(lchown(at(*state, "dir/file"), 1234, 1234), 0);
        assert_int_equal(verify(*state, &r), RPMVERIFY_LINKTO);
    }
}

static void ghost(void **state)
{
    struct record r = regular(*state);

    r.flags = RPMFILE_GHOST;
    r.size++;
    r.mtime++;
    r.digest = "0000000000000000000000000000000000000000000000000000000000000001";
    assert_int_equal(verify(*state, &r), 0);
    r.mode = S_IFDIR | 0644;
    assert_int_equal(verify(*state, &r), 0);
    r.mode = S_IFREG | 0600;
    assert_int_equal(verify(*state, &r), RPMVERIFY_MODE);
}

static void otherKind(void **state)
{
    struct record r = regular(*state);

    assert_int_equal(unlink(at(*state, "dir/file")), 0);
    assert_int_equal(mkfifo(at(*state, "dir/file"), 0644), 0);
    assert_int_equal(chmod(at(*state, "dir/file"), 0644), 0);
    assert_int_equal(verify(*state, &r), RPMVERIFY_MODE);
    r.mode = S_IFCHR | 0644;
    assert_int_equal(verify(*state, &r), RPMVERIFY_MODE | RPMVERIFY_RDEV);
}

/* ---- Many files ---- */

#define MANY 300

/* What was told of each of them. */
struct many {
    int next, told;
    rpmVerifyAttrs bad[MANY];
    int error[MANY];
};

/* /dir/0 to /dir/299, with paths of their own for the even ones. */
static rpmfiles manyFiles(const char *tree)
{
    Header h = headerNew();
    uint16_t mode = S_IFREG | 0644;
    rpmfiles files;
    char name[32];

    putDir(tree, "dir");
    headerPutString(h, RPMTAG_NAME, "a");
    headerPutString(h, RPMTAG_DIRNAMES, "/dir/");
    putUint32(h, RPMTAG_FILEDIGESTALGO, RPM_HASH_SHA256);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "%d", i);
        headerPutString(h, RPMTAG_BASENAMES, name);
        putUint32(h, RPMTAG_DIRINDEXES, 0);
        putUint32(h, RPMTAG_FILESIZES, sizeof(CONTENT) - 1);
        headerPutUint16(h, RPMTAG_FILEMODES, &mode, 1);
        putUint32(h, RPMTAG_FILEMTIMES, 0);
        putUint32(h, RPMTAG_FILEVERIFYFLAGS, RPMVERIFY_FILEDIGEST);
        headerPutString(h, RPMTAG_FILEDIGESTS, contentDigest);
        headerPutString(h, RPMTAG_FILELINKTOS, "");
        headerPutString(h, RPMTAG_FILEUSERNAME, "root");
        headerPutString(h, RPMTAG_FILEGROUPNAME, "root");
        snprintf(name, sizeof(name), "dir/%d", i);
        putFile(tree, name, i % 7 == 3 ? "other content" : CONTENT);
        if (i % 11 == 5)
            assert_int_equal(unlink(at(tree, name)), 0);
    }
    files = rpmfilesNew(NULL, h, RPMTAG_BASENAMES, RPMFI_FLAGS_VERIFY);
    headerFree(h);
    assert_non_null(files);
    return files;
}

static int nextOfMany(void *data, char **path)
{
    struct many *many = data;

    if (many->next == MANY)
        return -1;
    if (many->next % 2 == 0)
        rasprintf(path, "/dir/%d", many->next);
    return many->next++;
}

static void tellOfMany(void *data, int ix, const char *path, rpmVerifyAttrs bad, int error)
{
    struct many *many = data;
    char want[32];

    snprintf(want, sizeof(want), "/dir/%d", ix);
    assert_string_equal(path, want);
    assert_int_equal(ix, many->told);
    many->bad[many->told] = bad;
    many->error[many->told++] = error;
}

static int openDescriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void verifyMany(const char *tree, rpmfiles files, struct many *many)
{
    rpmVerifier verifier = rpmVerifierNew(tree);
    int before = openDescriptors();

    assert_non_null(verifier);
    memset(many, 0, sizeof(*many));
    rpmVerifierFiles(verifier, files, nextOfMany, 0, tellOfMany, many);
    assert_int_equal(many->told, MANY);
    /* The root keeps one directory. */
    assert_in_range(openDescriptors(), before, before + 1);
    rpmVerifierFree(verifier);
}

static void checkMany(const struct many *many)
{
    for (int i = 0; i < MANY; i++) {
        rpmVerifyAttrs want = i % 11 == 5  ? RPMVERIFY_LSTATFAIL
                              : i % 7 == 3 ? RPMVERIFY_FILEDIGEST
                                           : RPMVERIFY_NONE;

        assert_int_equal(many->bad[i], want);
        if (want == RPMVERIFY_LSTATFAIL)
            assert_int_equal(many->error[i], ENOENT);
    }
}

static void inOrder(void **state)
{
    rpmfiles files = manyFiles(*state);
    struct many many;

    verifyMany(*state, files, &many);
    checkMany(&many);
    rpmfilesFree(files);
}

/* What is on the disk is waited for by a second read, after others have been asked for. */
static void readsOfManyFiles(void **state)
{
    rpmfiles files = manyFiles(*state);
    struct many many;
    int present = 0, wrong = 0;

    for (int i = 0; i < MANY; i++) {
        present += i % 11 != 5;
        wrong += i % 11 != 5 && i % 7 == 3;
    }
    for (cold = 0; cold <= 2; cold++) {
        cachedReads = readCalls = 0;
        verifyMany(*state, files, &many);
        checkMany(&many);
        assert_int_equal(cachedReads, present);
        assert_int_equal(readCalls, cold ? present + wrong : wrong);
    }
    rpmfilesFree(files);
}

/* Where descriptors are short, files are looked at one by one. */
static void fewDescriptors(void **state)
{
    rpmfiles files = manyFiles(*state);
    struct rlimit before, few;
    struct many many;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)openDescriptors() + 8;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    verifyMany(*state, files, &many);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    checkMany(&many);
    rpmfilesFree(files);
}

/* A read that fails is its own file's. */
static void oneReadFails(void **state)
{
    rpmfiles files = manyFiles(*state);
    struct many many;
    int failed = 0;

    readErrors = 1;
    verifyMany(*state, files, &many);
    for (int i = 0; i < MANY; i++)
        failed += (many.bad[i] & RPMVERIFY_READFAIL) != 0;
    assert_int_equal(failed, 1);
    rpmfilesFree(files);
}

static void badThreshold(void **state)
{
    rpmPushMacro(NULL, "_digest_mmap_threshold", NULL, "much", RMIL_CMDLINE);
    assert_null(rpmVerifierNew(*state));
    assert_int_equal(errno, EINVAL);
    rpmPopMacro(NULL, "_digest_mmap_threshold");
}

static void noRoot(void **state)
{
    assert_null(rpmVerifierNew(at(*state, "absent")));
    assert_int_equal(errno, ENOENT);
    putFile(*state, "file", "");
    assert_null(rpmVerifierNew(at(*state, "file")));
    assert_int_equal(errno, ENOTDIR);
    assert_null(rpmVerifierFree(NULL));
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, treeTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(same),
        test(readsOfSmallFiles),
        test(shortAndInterruptedReads),
        test(readFails),
        test(otherContent),
        test(eachNumber),
        test(owner),
        test(missing),
        test(elsewhere),
        test(symlinks),
        test(noEscape),
        test(behindSymlink),
        test(symlinkForDirectory),
        test(ghost),
        test(otherKind),
        test(inOrder),
        test(readsOfManyFiles),
        test(fewDescriptors),
        test(oneReadFails),
        test(badThreshold),
        test(noRoot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
