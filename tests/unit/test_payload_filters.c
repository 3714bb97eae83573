/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payloads through the real FD layer: every compressor, whole, cut short and damaged. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>

#include <rpm/rpmstring.h>

#include "fileheader.h"
#include "payload.h"
#include "rpmfiles_internal.h"
#include "testcpio.h"

#define MD5_HELLO "5d41402abc4b2a76b9719d911017c592"
#define TEXT_SIZE 1200

static char text[TEXT_SIZE];
static struct testfile files[] = {
    { "/a/", "hello", S_IFREG | 0644, 5, MD5_HELLO, NULL, 0, 1 },
    { "/a/", "text", S_IFREG | 0644, TEXT_SIZE, NULL, NULL, 0, 2 },
    { "/a/", "link", S_IFLNK | 0777, 4, NULL, "text", 0, 3 },
};

static const struct compressor {
    const char *name;
    int filter;
} compressors[] = {
    { "gzip", ARCHIVE_FILTER_GZIP }, { "bzip2", ARCHIVE_FILTER_BZIP2 },
    { "xz", ARCHIVE_FILTER_XZ },     { "lzma", ARCHIVE_FILTER_LZMA },
    { "zstd", ARCHIVE_FILTER_ZSTD }, { NULL, ARCHIVE_FILTER_NONE },
};
#define NCOMPRESSORS (sizeof(compressors) / sizeof(compressors[0]))

/* Bytes that no compressor makes much smaller, the same in every run. */
static int setup(void **state)
{
    uint32_t x = 1;
    DIGEST_CTX ctx = rpmDigestInit(RPM_HASH_MD5, RPMDIGEST_NONE);
    void *digest = NULL;

    (void)state;
    for (int i = 0; i < TEXT_SIZE; i++) {
        x = x * 1103515245 + 12345;
        text[i] = (char)('a' + (x >> 16) % 26);
    }
    rpmDigestUpdate(ctx, text, TEXT_SIZE);
    rpmDigestFinal(ctx, &digest, NULL, 1);
    files[1].digest = digest;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rfree((void *)(uintptr_t)files[1].digest);
    return 0;
}

static struct archive *compressTo(int fd, int filter)
{
    struct archive *a = archive_write_new();
    struct archive_entry *entry = archive_entry_new();

    assert_int_equal(archive_write_add_filter(a, filter), ARCHIVE_OK);
    assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
    archive_write_set_bytes_per_block(a, 0);
    assert_int_equal(archive_write_open_fd(a, fd), ARCHIVE_OK);
    archive_entry_set_filetype(entry, AE_IFREG);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    archive_entry_free(entry);
    return a;
}

static void compressEnd(struct archive *a)
{
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

/* The three files' payload, in memory behind a descriptor. */
static int makePayload(int filter)
{
    struct testcpio cpio = { NULL, 0 };
    int fd = memfd_create("payload", MFD_CLOEXEC);
    struct archive *a = compressTo(fd, filter);

    archiveEntry(&cpio, "./a/hello", "hello", 5);
    archiveEntry(&cpio, "./a/text", text, TEXT_SIZE);
    archiveEntry(&cpio, "./a/link", "text", 4);
    archiveEnd(&cpio);
    assert_int_equal(archive_write_data(a, cpio.data, cpio.size), cpio.size);
    compressEnd(a);
    archiveFree(&cpio);
    return fd;
}

static rpmPayload start(FD_t fd, const char *compressor, const struct testfile *list, int n,
                        int longsizes)
{
    Header h = fileHeader(list, n, longsizes);
    char *emsg = NULL;
    rpmfiles fi = rpmfilesLoad(h, 0, &emsg);
    rpmPayload p;

    assert_non_null(fi);
    if (compressor != NULL)
        headerPutString(h, RPMTAG_PAYLOADCOMPRESSOR, compressor);
    p = rpmPayloadNew(fd, h, fi, &emsg);
    if (emsg != NULL)
        print_error("%s\n", emsg);
    assert_non_null(p);
    rpmfilesFree(fi);
    headerFree(h);
    return p;
}

/* Read the payload on fd from where it stands. Returns how it ended; content that was passed as
 * right is compared with what it should be. */
static int readAll(int payload, const char *compressor, char **msg)
{
    FD_t fd = fdDup(payload);
    rpmPayload p = start(fd, compressor, files, 3, 0);
    int fx, rc = 0;

    while (rc == 0 && (fx = rpmPayloadNext(p)) >= 0) {
        int outfd = memfd_create("content", MFD_CLOEXEC);
        FD_t out = fdDup(outfd);
        char got[TEXT_SIZE];

        if (rpmPayloadHasContent(p))
            rc = rpmPayloadReadToFile(p, out, 0);
        if (rc == 0 && rpmPayloadHasContent(p)) {
            assert_int_equal(pread(outfd, got, sizeof(got), 0), files[fx].size);
            assert_memory_equal(got, fx == 0 ? "hello" : text, files[fx].size);
        }
        Fclose(out);
        close(outfd);
    }
    rc = rc != 0 ? rc : fx;
    if (msg != NULL)
        *msg = rpmPayloadStrerror(p, rc);
    rpmPayloadFree(p);
    Fclose(fd);
    return rc;
}

static void test_every_compressor(void **state)
{
    (void)state;
    for (size_t i = 0; i < NCOMPRESSORS; i++) {
        int fd = makePayload(compressors[i].filter);

        lseek(fd, 0, SEEK_SET);
        assert_int_equal(readAll(fd, compressors[i].name, NULL), RPMERR_ITER_END);
        close(fd);
    }
}

static void test_reading_starts_where_the_package_stands(void **state)
{
    int fd = makePayload(ARCHIVE_FILTER_GZIP), package = memfd_create("package", MFD_CLOEXEC);
    struct stat st;

    (void)state;
    fstat(fd, &st);
    assert_int_equal(lseek(package, 96, SEEK_SET), 96);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(sendfile(package, fd, NULL, (size_t)st.st_size), st.st_size);
    lseek(package, 96, SEEK_SET);
    assert_int_equal(readAll(package, "gzip", NULL), RPMERR_ITER_END);
    close(package);
    close(fd);
}

/* Not within some bytes of either end, where the formats have their fields. */
static int middle(off_t at, off_t size, off_t margin)
{
    return at > margin && at < size - margin;
}

/* How a stream cut short is told is the decompressor's; that it is told as a failed read is not. */
static void test_every_truncation(void **state)
{
    (void)state;
    for (size_t i = 0; i < NCOMPRESSORS; i++) {
        int fd = makePayload(compressors[i].filter);
        struct stat st;

        fstat(fd, &st);
        for (off_t cut = st.st_size - 1; cut > 0; cut -= middle(cut, st.st_size, 32) ? 37 : 1) {
            char *msg = NULL;
            int rc;

            assert_int_equal(ftruncate(fd, cut), 0);
            lseek(fd, 0, SEEK_SET);
            rc = readAll(fd, compressors[i].name, &msg);
            if (rc != RPMERR_READ_FAILED)
                print_error("%s cut to %d: %s\n", compressors[i].name, (int)cut, msg);
            assert_int_equal(rc, RPMERR_READ_FAILED);
            assert_memory_equal(msg, "cpio: read failed - ", 20);
            assert_true(strlen(msg) > 20);
            rfree(msg);
        }
        close(fd);
    }
}

static void test_no_flipped_bit_changes_content(void **state)
{
    (void)state;
    for (size_t i = 0; i < NCOMPRESSORS; i++) {
        int fd = makePayload(compressors[i].filter);
        int failed = 0, passed = 0;
        struct stat st;

        fstat(fd, &st);
        for (off_t at = 0; at < st.st_size; at += middle(at, st.st_size, 64) ? 11 : 1) {
            unsigned char byte, wrong;

            assert_int_equal(pread(fd, &byte, 1, at), 1);
            wrong = byte ^ (unsigned char)(1 << (at % 8));
            assert_int_equal(pwrite(fd, &wrong, 1, at), 1);
            lseek(fd, 0, SEEK_SET);
            if (readAll(fd, compressors[i].name, NULL) == RPMERR_ITER_END)
                passed++;
            else
                failed++;
            assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        }
        /* Bits that mean nothing: times and names in gzip's header, owners in the archive's. */
        assert_true(failed > passed);
        lseek(fd, 0, SEEK_SET);
        assert_int_equal(readAll(fd, compressors[i].name, NULL), RPMERR_ITER_END);
        close(fd);
    }
}

static void test_a_compressed_file_over_4_gib(void **state)
{
    static const char zeros[1 << 20];
    uint64_t size = (UINT64_C(1) << 32) + sizeof(zeros);
    struct testfile big = { "/", "big", S_IFREG | 0644, size, NULL, NULL, 0, 1 };
    struct testcpio cpio = { NULL, 0 };
    int payload = memfd_create("payload", MFD_CLOEXEC), null = open("/dev/null", O_WRONLY);
    struct archive *a = compressTo(payload, ARCHIVE_FILTER_ZSTD);
    FD_t fd = fdDup(payload), out = fdDup(null);
    rpmPayload p;

    (void)state;
    archiveStripped(&cpio, 0, "", 0);
    assert_int_equal(archive_write_data(a, cpio.data, cpio.size), cpio.size);
    for (uint64_t n = 0; n < size; n += sizeof(zeros))
        assert_int_equal(archive_write_data(a, zeros, sizeof(zeros)), sizeof(zeros));
    archiveFree(&cpio);
    archiveEnd(&cpio);
    assert_int_equal(archive_write_data(a, cpio.data, cpio.size), cpio.size);
    compressEnd(a);
    archiveFree(&cpio);

    assert_int_equal(Fseek(fd, 0, SEEK_SET), 0);
    p = start(fd, "zstd", &big, 1, 1);
    assert_int_equal(rpmPayloadNext(p), 0);
    assert_int_equal(rpmPayloadReadToFile(p, out, 1), 0);
    assert_true(fdOp(out, FDSTAT_WRITE)->bytes == size);
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    rpmPayloadFree(p);
    Fclose(fd);
    Fclose(out);
    close(payload);
    close(null);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_compressor),
        cmocka_unit_test(test_reading_starts_where_the_package_stands),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_no_flipped_bit_changes_content),
        cmocka_unit_test(test_a_compressed_file_over_4_gib),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
