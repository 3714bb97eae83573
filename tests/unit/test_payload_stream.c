/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What payloads do when the stream, the disk or the caller ends early, or the stream never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fakepayload.h"

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
    for (size_t i = offset + n > tail && offset < tail ? (size_t)(tail - offset) : 0;
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
