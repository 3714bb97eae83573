/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_FAKEPAYLOAD_H
#define TESTS_FAKEPAYLOAD_H

/* What the tests of payloads share: a package's files, its archive in memory in place of a
 * decompressor, and content that goes to memory. The FD layer is wrapped whole. Include it after
 * cmocka.h. */

#include <errno.h>
#include <sys/stat.h>

#include <rpm/rpmstring.h>

#include "fakefd.h"
#include "fileheader.h"
#include "payload.h"
#include "rpmfiles_internal.h"
#include "testcpio.h"

#define MD5_HELLO "5d41402abc4b2a76b9719d911017c592"
#define MD5_EMPTY "d41d8cd98f00b204e9800998ecf8427e"

/* The package descriptor, and the file that content goes to. */
static char packageFd, sinkFd;
#define PACKAGE ((FD_t)(void *)&packageFd)
#define SINK ((FD_t)(void *)&sinkFd)

static struct testcpio archive;
static struct testcpio sink;
static uint64_t sinkBytes;
static uint64_t sinkLimit;     /* ENOSPC from here on */
static const char *mode;       /* of the last Fdopen() */
static int createFails;

int __wrap_Fileno(FD_t fd);
FD_t __wrap_fdDup(int fdno);
FD_t __wrap_Fdopen(FD_t fd, const char *fmode);
ssize_t __wrap_Fwrite(const void *buf, size_t size, size_t nmemb, FD_t fd);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);

int __wrap_Fileno(FD_t fd)
{
    assert_ptr_equal(fd, PACKAGE);
    return 77;
}

FD_t __wrap_fdDup(int fdno)
{
    assert_int_equal(fdno, 77);
    if (fake.size == 0 && fake.make == NULL)
        errno = EMFILE;
    return fake.size > 0 ? (FD_t)(void *)&fake : NULL;
}

FD_t __wrap_Fdopen(FD_t fd, const char *fmode)
{
    mode = fmode;
    errno = EINVAL;
    return fake.error != NULL && !fake.fails ? NULL : fd;
}

ssize_t __wrap_Fwrite(const void *buf, size_t size, size_t nmemb, FD_t fd)
{
    size_t n = size * nmemb;

    assert_ptr_equal(fd, SINK);
    if (sinkBytes + n > sinkLimit) {
        errno = ENOSPC;
        return -1;
    }
    sinkBytes += n;
    if (sinkBytes < 1 << 20)
        archiveAdd(&sink, buf, n);
    return (ssize_t)n;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg)
{
    return createFails ? EAGAIN : __real_pthread_create(thread, attr, run, arg);
}

enum { BIN, DIR_, LINK_, GHOST, HARD1, EMPTY, HARD2, NFILES };

static const struct testfile files[NFILES] = {
    [BIN] = { "/usr/bin/", "tool", S_IFREG | 0755, 5, MD5_HELLO, NULL, 0, 1 },
    [DIR_] = { "/usr/", "share", S_IFDIR | 0755, 4096, NULL, NULL, 0, 2 },
    [LINK_] = { "/usr/share/", "link", S_IFLNK | 0777, 6, NULL, "target", 0, 3 },
    [GHOST] = { "/var/", "ghost", S_IFREG | 0644, 3, NULL, NULL, RPMFILE_GHOST, 4 },
    [HARD1] = { "/usr/", "hard1", S_IFREG | 0644, 5, MD5_HELLO, NULL, 0, 5 },
    [EMPTY] = { "/usr/", "empty", S_IFREG | 0644, 0, MD5_EMPTY, NULL, 0, 6 },
    [HARD2] = { "/usr/", "hard2", S_IFREG | 0644, 5, MD5_HELLO, NULL, 0, 5 },
};

/* The archive's entry of a file, as rpmbuild makes it. */
RPM_GNUC_UNUSED
static void addFile(int fx, const char *prefix)
{
    static const char *const content[NFILES] = {
        [BIN] = "hello", [LINK_] = "target", [HARD2] = "hello"
    };
    char *name = rstrscat(NULL, prefix, files[fx].dn + 1, files[fx].bn, NULL);

    archiveEntry(&archive, name, content[fx] != NULL ? content[fx] : "",
                 content[fx] != NULL ? strlen(content[fx]) : 0);
    rfree(name);
}

RPM_GNUC_UNUSED
static void addAllBut(int left)
{
    for (int fx = 0; fx < NFILES; fx++) {
        if (fx != GHOST && fx != left)
            addFile(fx, "./");
    }
}

/* Start to read the archive with the file list of h, which is freed. */
RPM_GNUC_UNUSED
static rpmPayload startWith(Header h)
{
    char *emsg = NULL;
    rpmfiles fi = rpmfilesLoad(h, 0, &emsg);
    rpmPayload p;

    assert_non_null(fi);
    if (archive.data != NULL)
        fakeReset(archive.data, archive.size);
    sinkBytes = 0;
    sinkLimit = UINT64_MAX;
    archiveFree(&sink);
    p = rpmPayloadNew(PACKAGE, h, fi, &emsg);
    if (emsg != NULL)
        print_error("%s\n", emsg);
    assert_non_null(p);
    rpmfilesFree(fi);
    headerFree(h);
    return p;
}

RPM_GNUC_UNUSED
static rpmPayload start(void)
{
    return startWith(fileHeader(files, NFILES, 0));
}

RPM_GNUC_UNUSED
static void finish(rpmPayload p)
{
    assert_null(rpmPayloadFree(p));
    assert_int_equal(fake.closed, 1);
    archiveFree(&archive);
    archiveFree(&sink);
}

/* Go to the end of the archive, reading all content. */
RPM_GNUC_UNUSED
static int readAll(rpmPayload p)
{
    int fx, rc = 0;

    while (rc == 0 && (fx = rpmPayloadNext(p)) >= 0) {
        if (rpmPayloadHasContent(p))
            rc = rpmPayloadReadToFile(p, SINK, 0);
    }
    return rc != 0 ? rc : fx;
}

/* Reading to the end fails with this code about this entry, in these words, and keeps doing so. */
RPM_GNUC_UNUSED
static void expectFailure(rpmPayload p, int rc, const char *entry, const char *text)
{
    char *msg;

    assert_int_equal(readAll(p), rc);
    assert_string_equal(rpmPayloadEntry(p), entry);
    msg = rpmPayloadStrerror(p, rc);
    assert_string_equal(msg, text);
    rfree(msg);
    assert_int_equal(rpmPayloadNext(p), rc);
    assert_int_equal(rpmPayloadHasContent(p), 0);
    finish(p);
}

#endif /* TESTS_FAKEPAYLOAD_H */
