/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmstring.h>

#include "testcpio.h"
#include "fakefd.h"
#include "fileheader.h"
#include "payload.h"
#include "rpmfiles_internal.h"

#define MD5_HELLO "5d41402abc4b2a76b9719d911017c592"
#define MD5_EMPTY "d41d8cd98f00b204e9800998ecf8427e"

/* The package descriptor, and the file that content goes to. */
static char packageFd, sinkFd;
#define PACKAGE ((FD_t) (void *) &packageFd)
#define SINK ((FD_t) (void *) &sinkFd)

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
    return fake.size > 0 ? (FD_t) (void *) &fake : NULL;
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
    return (ssize_t) n;
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

static void addAllBut(int left)
{
    for (int fx = 0; fx < NFILES; fx++) {
        if (fx != GHOST && fx != left)
            addFile(fx, "./");
    }
}

/* Start to read the archive with the file list of h, which is freed. */
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

static rpmPayload start(void)
{
    return startWith(fileHeader(files, NFILES, 0));
}

static void finish(rpmPayload p)
{
    assert_null(rpmPayloadFree(p));
    assert_int_equal(fake.closed, 1);
    archiveFree(&archive);
    archiveFree(&sink);
}

/* Go to the end of the archive, reading all content. */
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

static void countProgress(void *data, rpm_loff_t done)
{
    rpm_loff_t *last = data;

    assert_true(done > *last);
    *last = done;
}

static void test_reads_a_package(void **state)
{
    static const int order[] = { BIN, DIR_, LINK_, HARD1, EMPTY, HARD2 };
    struct rpmop_s uncompress = { .count = 0 }, digest = { .count = 0 };
    rpm_loff_t last = 0;
    rpmPayload p;

    (void)state;
    addAllBut(-1);
    archiveEnd(&archive);
    p = start();
    rpmPayloadSetProgress(p, countProgress, &last);
    assert_string_equal(rpmPayloadEntry(p), "");
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        int has = order[i] == BIN || order[i] == EMPTY || order[i] == HARD2;

        assert_int_equal(rpmPayloadNext(p), order[i]);
        assert_int_equal(rpmPayloadHasContent(p), has);
        if (has)
            assert_int_equal(rpmPayloadReadToFile(p, SINK, 0), 0);
    }
    assert_string_equal(rpmPayloadEntry(p), "/usr/hard2");
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    assert_int_equal(sink.size, 10);
    assert_memory_equal(sink.data, "hellohello", 10);
    assert_int_equal(rpmPayloadTell(p), archive.size);
    assert_true(last > 0);
    rpmPayloadAddOp(p, RPMPAYLOAD_OP_UNCOMPRESS, &uncompress);
    rpmPayloadAddOp(p, RPMPAYLOAD_OP_DIGEST, &digest);
    assert_int_equal(uncompress.bytes, archive.size);
    assert_int_equal(digest.bytes, 10);
    finish(p);
}

static void test_names_with_every_prefix(void **state)
{
    static const char *const prefixes[] = { "./", "/", "" };

    (void)state;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        rpmPayload p;

        for (int fx = 0; fx < NFILES; fx++) {
            if (fx != GHOST)
                addFile(fx, prefixes[i]);
        }
        archiveEnd(&archive);
        p = start();
        assert_int_equal(readAll(p), RPMERR_ITER_END);
        finish(p);
    }
}

static void test_unread_content_is_skipped(void **state)
{
    rpmPayload p;
    int n = 0;

    (void)state;
    addAllBut(-1);
    archiveEnd(&archive);
    p = start();
    while (rpmPayloadNext(p) >= 0)
        n++;
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    assert_int_equal(n, 6);
    assert_int_equal(sinkBytes, 0);
    finish(p);
}

static void test_small_pieces_and_small_reads(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 12; piece++) {
        char *emsg = NULL;
        Header h = fileHeader(files, NFILES, 0);
        rpmfiles fi = rpmfilesLoad(h, 0, &emsg);
        rpmPayload p;

        addAllBut(-1);
        archiveEnd(&archive);
        fakeReset(archive.data, archive.size);
        fake.piece = piece;
        sinkBytes = 0;
        p = rpmPayloadNew(PACKAGE, h, fi, &emsg);
        assert_int_equal(readAll(p), RPMERR_ITER_END);
        assert_memory_equal(sink.data, "hellohello", 10);
        rpmfilesFree(fi);
        headerFree(h);
        finish(p);
    }
}

static void test_missing_files_are_named(void **state)
{
    (void)state;
    for (int fx = 0; fx < NFILES; fx++) {
        char *name = rstrscat(NULL, files[fx].dn, files[fx].bn, NULL);
        rpmPayload p;

        if (fx != GHOST) {
            addAllBut(fx);
            archiveEnd(&archive);
            p = start();
            expectFailure(p, RPMERR_MISSING_FILE, name, "cpio: Missing file(s)");
        }
        rfree(name);
    }
}

static void test_entries_that_are_not_in_the_header(void **state)
{
    static const char *const names[][2] = {
        { "./etc/extra", "./etc/extra" }, { "/etc/passwd", "/etc/passwd" },
        { "../../etc/passwd", "../../etc/passwd" },
        { "./usr/bin/../bin/tool", "./usr/bin/../bin/tool" },
        { "a\nb\x1b", "a\\x0ab\\x1b" }, { "", "" }, { "./usr/bin/tool/", "./usr/bin/tool/" }
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        addFile(BIN, "./");
        archiveEntry(&archive, names[i][0], "", 0);
        archiveEnd(&archive);
        expectFailure(start(), RPMERR_UNMAPPED_FILE, names[i][1],
                      "cpio: Archive file not in header");
    }
}

static void test_entries_that_come_twice(void **state)
{
    (void)state;
    addAllBut(-1);
    addFile(DIR_, "./");
    archiveEnd(&archive);
    expectFailure(start(), RPMERR_BAD_HEADER, "/usr/share",
                  "cpio: Bad/unreadable header: file is in the archive twice");
    addFile(BIN, "./");
    archiveStripped(&archive, BIN, "hello", 5);
    expectFailure(start(), RPMERR_BAD_HEADER, "/usr/bin/tool",
                  "cpio: Bad/unreadable header: file is in the archive twice");
}

static void expectSize(const char *name, const char *content, size_t size, const char *entry,
                       const char *sizes)
{
    char *text = rstrscat(NULL, "cpio: Bad/unreadable header: ", sizes, NULL);

    archiveEntry(&archive, name, content, size);
    archiveEnd(&archive);
    expectFailure(start(), RPMERR_BAD_HEADER, entry, text);
    rfree(text);
}

static void test_sizes_are_the_headers(void **state)
{
    (void)state;
    expectSize("./usr/bin/tool", "hell", 4, "/usr/bin/tool",
               "size 4 in the archive, 5 in the header");
    expectSize("./usr/bin/tool", "hello!", 6, "/usr/bin/tool",
               "size 6 in the archive, 5 in the header");
    expectSize("./usr/hard1", "hello", 5, "/usr/hard1",
               "size 5 in the archive, 0 in the header");
    expectSize("./usr/hard2", "", 0, "/usr/hard2", "size 0 in the archive, 5 in the header");
    expectSize("./usr/share", "x", 1, "/usr/share", "size 1 in the archive, 0 in the header");
    expectSize("./usr/share/link", "targe", 5, "/usr/share/link",
               "size 5 in the archive, 6 in the header");
    expectSize("./var/ghost", "xy", 2, "/var/ghost", "size 2 in the archive, 3 in the header");
}

static void test_symlinks_lead_where_the_header_says(void **state)
{
    struct testfile link = files[LINK_];

    (void)state;
    archiveEntry(&archive, "./usr/share/link", "tarGet", 6);
    expectFailure(start(), RPMERR_BAD_HEADER, "/usr/share/link",
                  "cpio: Bad/unreadable header: target of the symlink is not the header's");
    link.link = "targets";
    archiveEntry(&archive, "./usr/share/link", "target", 6);
    expectFailure(startWith(fileHeader(&link, 1, 0)), RPMERR_BAD_HEADER, "/usr/share/link",
                  "cpio: Bad/unreadable header: "
                  "length of the symlink's target is not the header's");
    archiveStripped(&archive, 0, "tarGet", 6);
    expectFailure(startWith(fileHeader(&files[LINK_], 1, 1)), RPMERR_BAD_HEADER, "/usr/share/link",
                  "cpio: Bad/unreadable header: target of the symlink is not the header's");
}

static void test_ghosts_in_the_archive_are_skipped(void **state)
{
    rpmPayload p;

    (void)state;
    archiveEntry(&archive, "./var/ghost", "old", 3);
    addAllBut(-1);
    archiveEnd(&archive);
    p = start();
    assert_int_equal(rpmPayloadNext(p), BIN);
    assert_int_equal(readAll(p), RPMERR_ITER_END);
    finish(p);
    archiveEntry(&archive, "./var/ghost", "", 0);
    addFile(BIN, "./");
    p = start();
    assert_int_equal(rpmPayloadNext(p), BIN);
    finish(p);
}

static void test_stripped_entries(void **state)
{
    rpmPayload p;

    (void)state;
    archiveStripped(&archive, BIN, "hello", 5);
    archiveStripped(&archive, DIR_, "", 0);
    archiveStripped(&archive, LINK_, "target", 6);
    archiveStripped(&archive, EMPTY, "", 0);
    archiveStripped(&archive, HARD1, "", 0);
    archiveStripped(&archive, HARD2, "hello", 5);
    archiveEnd(&archive);
    p = startWith(fileHeader(files, NFILES, 1));
    assert_int_equal(readAll(p), RPMERR_ITER_END);
    assert_memory_equal(sink.data, "hellohello", 10);
    finish(p);
    archiveStripped(&archive, NFILES, "", 0);
    expectFailure(start(), RPMERR_UNMAPPED_FILE, "entry 7", "cpio: Archive file not in header");
    archiveStripped(&archive, 0xffffffff, "", 0);
    expectFailure(start(), RPMERR_UNMAPPED_FILE, "entry 4294967295",
                  "cpio: Archive file not in header");
}

static void test_digests_are_checked(void **state)
{
    struct testfile f = files[BIN];
    rpmPayload p;
    Header h;

    (void)state;
    f.digest = MD5_EMPTY;
    archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
    expectFailure(startWith(fileHeader(&f, 1, 0)), RPMERR_DIGEST_MISMATCH, "/usr/bin/tool",
                  "cpio: Digest mismatch");
    f.digest = "";
    archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
    expectFailure(startWith(fileHeader(&f, 1, 0)), RPMERR_DIGEST_MISMATCH, "/usr/bin/tool",
                  "cpio: Digest mismatch");
    archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
    h = fileHeader(&f, 1, 0);
    headerDel(h, RPMTAG_FILEDIGESTS);
    expectFailure(startWith(h), RPMERR_DIGEST_MISMATCH, "/usr/bin/tool", "cpio: Digest mismatch");

    archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
    archiveEnd(&archive);
    p = startWith(fileHeader(&f, 1, 0));
    assert_int_equal(rpmPayloadNext(p), 0);
    assert_int_equal(rpmPayloadReadToFile(p, SINK, 1), 0);
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    finish(p);
}

static void test_sha256_digests(void **state)
{
    struct testfile f = files[BIN];
    uint32_t algo = RPM_HASH_SHA256;
    Header h;

    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        f.digest = wrong ? "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9825"
                         : "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
        archiveEnd(&archive);
        h = fileHeader(&f, 1, 0);
        headerPutUint32(h, RPMTAG_FILEDIGESTALGO, &algo, 1);
        if (wrong) {
            expectFailure(startWith(h), RPMERR_DIGEST_MISMATCH, "/usr/bin/tool",
                          "cpio: Digest mismatch");
        } else {
            rpmPayload p = startWith(h);

            assert_int_equal(readAll(p), RPMERR_ITER_END);
            finish(p);
        }
    }
}

static void test_old_packages_have_no_digest_of_empty_files(void **state)
{
    struct testfile f = files[EMPTY];
    rpmPayload p;

    (void)state;
    f.digest = "";
    archiveEntry(&archive, "./usr/empty", "", 0);
    archiveEnd(&archive);
    p = startWith(fileHeader(&f, 1, 0));
    assert_int_equal(readAll(p), RPMERR_ITER_END);
    finish(p);
}

static void test_a_full_device_is_said_to_be_full(void **state)
{
    rpmPayload p;

    (void)state;
    addAllBut(-1);
    archiveEnd(&archive);
    p = start();
    sinkLimit = 7;
    expectFailure(p, RPMERR_WRITE_FAILED, "/usr/hard2",
                  "cpio: write failed - No space left on device");
}

static void test_errors_of_the_decompressor(void **state)
{
    (void)state;
    for (int text = 0; text < 2; text++) {
        rpmPayload p;

        addFile(BIN, "./");
        p = start();
        finish(p);
        addFile(BIN, "./");
        fakeReset(archive.data, archive.size);
        fake.fails = 1;
        fake.failat = archive.size - 6;
        fake.error = text ? "Decompression error : Corrupted block" : NULL;
        {
            char *emsg = NULL;
            Header h = fileHeader(files, NFILES, 0);
            rpmfiles fi = rpmfilesLoad(h, 0, &emsg);

            p = rpmPayloadNew(PACKAGE, h, fi, &emsg);
            rpmfilesFree(fi);
            headerFree(h);
        }
        expectFailure(p, RPMERR_READ_FAILED, "/usr/bin/tool",
                      text ? "cpio: read failed - Decompression error : Corrupted block"
                           : "cpio: read failed - Input/output error");
    }
}

static void test_every_truncation_is_an_error(void **state)
{
    size_t size;

    (void)state;
    addAllBut(-1);
    archiveEnd(&archive);
    size = archive.size;
    for (size_t cut = 1; cut < size; cut++) {
        rpmPayload p;
        char *msg;

        archive.size = cut;
        p = start();
        assert_int_equal(readAll(p), RPMERR_READ_FAILED);
        msg = rpmPayloadStrerror(p, RPMERR_READ_FAILED);
        assert_string_equal(msg, "cpio: read failed - unexpected end of archive");
        rfree(msg);
        rpmPayloadFree(p);
    }
    archiveFree(&archive);
    archiveFree(&sink);
}

static void test_broken_archives(void **state)
{
    (void)state;
    addFile(BIN, "./");
    archiveAdd(&archive, "garbage.garbage.", 16);
    expectFailure(start(), RPMERR_BAD_MAGIC, "", "cpio: Bad magic");
    addAllBut(-1);
    archiveEnd(&archive);
    archiveAdd(&archive, "070701", 6);
    expectFailure(start(), RPMERR_BAD_HEADER, "",
                  "cpio: Bad/unreadable header: data after the end of the archive");
}

static void test_stopping_early(void **state)
{
    struct testfile f = files[BIN];
    unsigned char *big = rcalloc(1, 8 << 20);
    rpmPayload p;

    (void)state;
    f.size = 8 << 20;
    for (int step = 0; step < 3; step++) {
        archiveEntry(&archive, "./usr/bin/tool", big, 8 << 20);
        p = startWith(fileHeader(&f, 1, 0));
        sinkLimit = 1 << 20;
        if (step > 0)
            assert_int_equal(rpmPayloadNext(p), 0);
        if (step > 1)
            assert_int_equal(rpmPayloadReadToFile(p, SINK, 0), RPMERR_WRITE_FAILED);
        finish(p);
        assert_true(fake.pos < 8 << 20);
    }
    rfree(big);
}

static void test_content_can_be_read_once(void **state)
{
    rpmPayload p;

    (void)state;
    addAllBut(-1);
    p = start();
    assert_int_equal(rpmPayloadReadToFile(p, SINK, 0), RPMERR_INTERNAL);
    finish(p);
    addAllBut(-1);
    p = start();
    assert_int_equal(rpmPayloadNext(p), BIN);
    assert_int_equal(rpmPayloadReadToFile(p, SINK, 0), 0);
    assert_int_equal(rpmPayloadReadToFile(p, SINK, 0), RPMERR_INTERNAL);
    finish(p);
}

static unsigned char bigHead[32], bigTail[160];
static size_t bigHeadSize, bigTailSize;
static uint64_t bigSize;

/* A stream of a head, zeros and a tail. */
static void makeBig(unsigned char *buf, uint64_t offset, size_t n)
{
    uint64_t tail = bigHeadSize + bigSize;

    memset(buf, 0, n);
    for (size_t i = 0; i < n && offset + i < bigHeadSize; i++)
        buf[i] = bigHead[offset + i];
    for (size_t i = offset + n > tail && offset < tail ? (size_t) (tail - offset) : 0;
         i < n && offset + i >= tail && offset + i - tail < bigTailSize; i++)
        buf[i] = bigTail[offset + i - tail];
}

static rpmPayload startBig(uint64_t size, uint64_t streamed)
{
    struct testfile f = files[BIN];
    struct testcpio head = { NULL, 0 }, tail = { NULL, 0 };

    f.size = size;
    archiveStripped(&head, 0, "", 0);
    memcpy(bigHead, head.data, bigHeadSize = head.size);
    archiveAdd(&tail, "\0\0\0", (4 - size % 4) % 4);
    archiveHeader(&tail, "070701", 0, 11, "TRAILER!!!", 11);
    memcpy(bigTail, tail.data, bigTailSize = tail.size);
    archiveFree(&head);
    archiveFree(&tail);
    bigSize = size;
    fakeReset(NULL, streamed != 0 ? streamed : bigHeadSize + size + bigTailSize);
    fake.make = makeBig;
    return startWith(fileHeader(&f, 1, 1));
}

static void test_a_file_over_4_gib(void **state)
{
    uint64_t size = (UINT64_C(1) << 32) + 8;
    rpmPayload p = startBig(size, 0);

    (void)state;
    assert_int_equal(rpmPayloadNext(p), 0);
    assert_int_equal(rpmPayloadReadToFile(p, SINK, 1), 0);
    assert_true(sinkBytes == size);
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    assert_true(rpmPayloadTell(p) == bigHeadSize + size + bigTailSize);
    finish(p);
}

static void test_a_payload_without_end(void **state)
{
    rpmPayload p = startBig(1000, UINT64_MAX);

    (void)state;
    expectFailure(p, RPMERR_DIGEST_MISMATCH, "/usr/bin/tool", "cpio: Digest mismatch");
    p = startBig(1000, UINT64_MAX);
    assert_int_equal(rpmPayloadNext(p), 0);
    assert_int_equal(rpmPayloadNext(p), RPMERR_BAD_HEADER);
    finish(p);
    assert_true(fake.pos <= 2 * 8 * 256 * 1024);
}

static void test_compressors_by_name(void **state)
{
    static const char *const names[][2] = {
        { NULL, "r.gzdio" }, { "gzip", "r.gzdio" }, { "bzip2", "r.bzdio" }, { "xz", "r.xzdio" },
        { "lzma", "r.lzdio" }, { "zstd", "r.zstdio" }, { "identity", "r.ufdio" }
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        Header h = fileHeader(files, NFILES, 0);

        if (names[i][0] != NULL)
            headerPutString(h, RPMTAG_PAYLOADCOMPRESSOR, names[i][0]);
        headerPutString(h, RPMTAG_PAYLOADFORMAT, "cpio");
        addAllBut(-1);
        finish(startWith(h));
        assert_string_equal(mode, names[i][1]);
    }
}

static void expectNoStart(rpmTagVal tag, const char *value, const char *reason)
{
    Header h = fileHeader(files, 0, 0);
    char *emsg = NULL;
    rpmfiles fi = rpmfilesLoad(h, 0, &emsg);

    if (value != NULL)
        headerPutString(h, tag, value);
    assert_null(rpmPayloadNew(PACKAGE, h, fi, &emsg));
    assert_string_equal(emsg, reason);
    rfree(emsg);
    rpmfilesFree(fi);
    headerFree(h);
}

static void test_what_cannot_be_started(void **state)
{
    (void)state;
    fakeReset("x", 1);
    expectNoStart(RPMTAG_PAYLOADCOMPRESSOR, "lzip\n", "unsupported payload compression: lzip\\x0a");
    expectNoStart(RPMTAG_PAYLOADCOMPRESSOR, "", "unsupported payload compression: ");
    expectNoStart(RPMTAG_PAYLOADFORMAT, "drpm", "unsupported payload format: drpm");
    assert_int_equal(fake.closed, 0);
    createFails = 1;
    expectNoStart(0, NULL, "cannot start the decompression thread: "
                           "Resource temporarily unavailable");
    createFails = 0;
    assert_int_equal(fake.closed, 1);
    fake.error = "no such layer";
    expectNoStart(0, NULL, "cannot read the payload: Invalid argument");
    assert_int_equal(fake.closed, 2);
    fakeReset("", 0);
    expectNoStart(0, NULL, "cannot read the payload: Too many open files");
    assert_int_equal(fake.closed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_a_package),
        cmocka_unit_test(test_names_with_every_prefix),
        cmocka_unit_test(test_unread_content_is_skipped),
        cmocka_unit_test(test_small_pieces_and_small_reads),
        cmocka_unit_test(test_missing_files_are_named),
        cmocka_unit_test(test_entries_that_are_not_in_the_header),
        cmocka_unit_test(test_entries_that_come_twice),
        cmocka_unit_test(test_sizes_are_the_headers),
        cmocka_unit_test(test_symlinks_lead_where_the_header_says),
        cmocka_unit_test(test_ghosts_in_the_archive_are_skipped),
        cmocka_unit_test(test_stripped_entries),
        cmocka_unit_test(test_digests_are_checked),
        cmocka_unit_test(test_sha256_digests),
        cmocka_unit_test(test_old_packages_have_no_digest_of_empty_files),
        cmocka_unit_test(test_a_full_device_is_said_to_be_full),
        cmocka_unit_test(test_errors_of_the_decompressor),
        cmocka_unit_test(test_every_truncation_is_an_error),
        cmocka_unit_test(test_broken_archives),
        cmocka_unit_test(test_stopping_early),
        cmocka_unit_test(test_content_can_be_read_once),
        cmocka_unit_test(test_a_file_over_4_gib),
        cmocka_unit_test(test_a_payload_without_end),
        cmocka_unit_test(test_compressors_by_name),
        cmocka_unit_test(test_what_cannot_be_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
