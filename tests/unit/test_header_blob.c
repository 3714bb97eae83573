/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blobs of headers, right and wrong. The blobs come from a writer of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/header.h>

#include "fakefd.h"
#include "hdrwriter.h"
#include "header_internal.h"

#define INTRO 16 /* magic and counts */

static size_t largest; /* request for memory */

void *__real_rrealloc(void *ptr, size_t size);
void *__wrap_rrealloc(void *ptr, size_t size);

void *__wrap_rrealloc(void *ptr, size_t size)
{
    if (size > largest)
        largest = size;
    return __real_rrealloc(ptr, size);
}

/* A header with a tag of every type. */
static struct hdr *sample(uint32_t region)
{
    static char *const names[] = { "one", "", "three" };
    static const uint64_t numbers[] = { 1, 2, 0xffff };
    struct hdr *h = hdrNew(region);

    hdrAddStrings(h, RPMTAG_HEADERI18NTABLE, (char *[]){ "C" }, 1);
    hdrAddString(h, RPMTAG_NAME, "sample");
    hdrAddI18n(h, RPMTAG_SUMMARY, "text");
    hdrAddNumber(h, RPMTAG_SIZE, HDR_INT32, 77);
    hdrAddBin(h, RPMTAG_GIF, "GIF89a", 6);
    hdrAddNumbers(h, RPMTAG_FILEMODES, HDR_INT16, numbers, 3);
    hdrAdd(h, RPMTAG_FILESTATES, HDR_CHAR, 3, "\0\1\2", 3);
    hdrAddStrings(h, RPMTAG_BASENAMES, names, 3);
    hdrAddNumbers(h, RPMTAG_LONGFILESIZES, HDR_INT64, numbers, 3);
    return h;
}

static struct bytes blobOf(struct hdr *h)
{
    struct bytes b = { 0 };

    hdrWrite(h, &b);
    hdrFree(h);
    return b;
}

/* Import a copy of exactly that size, so that a byte read too far is found. */
static Header importExactly(const unsigned char *data, size_t len)
{
    void *copy = malloc(len > 0 ? len : 1);
    Header h;

    memcpy(copy, data, len);
    h = headerImport(copy, (unsigned int)len, 0);
    if (h == NULL)
        free(copy);
    return h;
}

/* Read every byte that a header hands out. */
static unsigned long walk(Header h)
{
    HeaderIterator hi = headerInitIterator(h);
    unsigned long sum = 0;
    struct rpmtd_s td;

    while (headerNext(hi, &td)) {
        const char *str;

        if (rpmtdClass(&td) == RPM_STRING_CLASS) {
            while ((str = rpmtdNextString(&td)) != NULL)
                sum += strlen(str);
        } else if (rpmtdClass(&td) == RPM_BINARY_CLASS) {
            for (rpm_count_t i = 0; i < td.count; i++)
                sum += ((uint8_t *)td.data)[i];
        } else {
            while (rpmtdNext(&td) >= 0)
                sum += rpmtdGetNumber(&td);
        }
        rpmtdFreeData(&td);
    }
    headerFreeIterator(hi);
    return sum;
}

static void test_each_type_is_read(void **state)
{
    struct bytes b = blobOf(sample(RPMTAG_HEADERIMMUTABLE));
    Header h = importExactly(b.data + 8, b.len - 8);
    struct rpmtd_s td;

    (void)state;
    assert_non_null(h);
    assert_string_equal(headerGetString(h, RPMTAG_NAME), "sample");
    assert_string_equal(headerGetString(h, RPMTAG_SUMMARY), "text");
    assert_int_equal(headerGetNumber(h, RPMTAG_SIZE), 77);
    assert_int_equal(headerGet(h, RPMTAG_FILEMODES, &td, HEADERGET_MINMEM), 1);
    assert_int_equal(rpmtdSetIndex(&td, 2), 2);
    assert_int_equal(rpmtdGetNumber(&td), 0xffff);
    rpmtdFreeData(&td);
    assert_int_equal(headerGet(h, RPMTAG_LONGFILESIZES, &td, HEADERGET_MINMEM), 1);
    assert_int_equal(*rpmtdNextUint64(&td), 1);
    rpmtdFreeData(&td);
    assert_int_equal(headerGet(h, RPMTAG_GIF, &td, HEADERGET_MINMEM), 1);
    assert_int_equal(td.count, 6);
    assert_memory_equal(td.data, "GIF89a", 6);
    rpmtdFreeData(&td);
    /* exported, it is the very same blob */
    unsigned int size;
    void *again = headerExport(h, &size);
    assert_int_equal(size, b.len - 8);
    assert_memory_equal(again, b.data + 8, size);
    free(again);
    headerFree(h);
    bytesFree(&b);
}

/* One lie each; the text says which check found it. */
static const struct {
    uint32_t region, tag;
    enum hdrField field;
    uint32_t value;
    const char *error;
} lies[] = {
    { 63, 0, PATCH_MAGIC, 0x8eade802, "hdr magic: BAD" },
    { 63, 0, PATCH_NINDEX, 0x10000, "hdr tags: BAD, no. of tags(65536) out of range" },
    { 63, 0, PATCH_HSIZE, 0x10000000, "hdr data: BAD, no. of bytes(268435456) out of range" },
    { 62, 0, PATCH_NINDEX, 33, "signature hdr tags: BAD, no. of tags(33) out of range" },
    { 62, 0, PATCH_HSIZE, (64 << 20) + 1,
        "signature hdr data: BAD, no. of bytes(67108865) out of range" },
    { 63, 0, PATCH_NINDEX, 0, "region: no tags" },
    { 63, RPMTAG_NAME, PATCH_TAG, 99, "tag[1]: BAD, tag 99 type 6" },
    { 63, RPMTAG_NAME, PATCH_TAG, 0x80000000, "tag[1]: BAD, tag -2147483648 type 6" },
    { 63, RPMTAG_NAME, PATCH_TYPE, 0, "tag[1]: BAD, tag 1000 type 0" },
    { 63, RPMTAG_NAME, PATCH_TYPE, 10, "tag[1]: BAD, tag 1000 type 10" },
    { 63, RPMTAG_NAME, PATCH_TYPE, HDR_BIN, "tag[1]: BAD, tag 1000 type 7" },
    { 63, RPMTAG_NAME, PATCH_COUNT, 0, "tag[1]: BAD, tag 1000 type 6 offset 2 count 0" },
    { 63, RPMTAG_NAME, PATCH_COUNT, 2, "tag[1]: BAD, tag 1000 type 6 offset 2 count 2" },
    { 63, RPMTAG_NAME, PATCH_OFFSET, 1, "tag[1]: BAD, tag 1000 type 6 offset 1" },
    { 63, RPMTAG_NAME, PATCH_OFFSET, 0x7fffffff, "tag[1]: BAD, tag 1000 type 6 offset 2147483647" },
    { 63, RPMTAG_NAME, PATCH_OFFSET, 0xfffffff0, "tag[1]: BAD, tag 1000 type 6 offset -16" },
    { 63, RPMTAG_SIZE, PATCH_OFFSET, 17, "tag[3]: BAD, tag 1009 type 4 offset 17" },
    { 63, RPMTAG_SIZE, PATCH_COUNT, 0xffffffff, "tag[3]: BAD, tag 1009 type 4 offset 16 count -1" },
    { 63, RPMTAG_GIF, PATCH_COUNT, 1000, "tag[4]: BAD, tag 1012 type 7 offset 20 count 1000" },
    { 63, RPMTAG_FILEMODES, PATCH_COUNT, 60, "tag[6]: BAD, tag 1030 type 3 offset 30 count 60" },
    { 63, RPMTAG_BASENAMES, PATCH_COUNT, 99, "tag[7]: BAD, tag 1117 type 8" },
    { 63, RPMTAG_LONGFILESIZES, PATCH_COUNT, 4, "tag[8]: BAD, tag 5008 type 5" },
    { 63, 63, PATCH_TYPE, HDR_CHAR, "region tag: BAD, tag 63 type 1" },
    { 63, 63, PATCH_COUNT, 17, "region tag: BAD, tag 63 type 7" },
    { 63, 63, PATCH_OFFSET, 0xfffffff8, "region offset: BAD, tag 63 type 7 offset -8" },
    { 63, 63, PATCH_OFFSET, 0x1000, "region offset: BAD, tag 63 type 7 offset 4096" },
    { 63, 0, PATCH_TRAILER_TAG, 62, "region trailer: BAD, tag 62 type 7" },
    { 63, 0, PATCH_TRAILER_TYPE, 6, "region trailer: BAD, tag 63 type 6" },
    { 63, 0, PATCH_TRAILER_COUNT, 8, "region trailer: BAD, tag 63 type 7" },
    { 63, 0, PATCH_TRAILER_OFFSET, 16, "region 63 size: BAD, ril -1 il 10" },
    { 63, 0, PATCH_TRAILER_OFFSET, 0x80000000, "region 63 size: BAD, ril 134217728 il 10" },
    { 63, 0, PATCH_TRAILER_OFFSET, (uint32_t)-24, "region 63 size: BAD, ril 1 il 10" },
    { 63, 0, PATCH_TRAILER_OFFSET, (uint32_t)-176, "region 63 size: BAD, ril 11 il 10" },
    { 63, 0, PATCH_TRAILER_OFFSET, (uint32_t)-144,
        "region 63: tag number mismatch il 10 ril 9" },
};

/* Read as packages are: with the magic and one region. */
static rpmRC readBlob(const struct bytes *b, rpmTagVal region, char **msg)
{
    struct hdrblob_s blob;
    rpmRC rc = hdrblobRead(fakeReset(b->data, b->len), 1, 1, region, &blob, msg);

    hdrblobFini(&blob);
    return rc;
}

static void test_each_lie_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        struct hdr *h = sample(lies[i].region);
        struct bytes b;
        char *msg = NULL;

        hdrPatch(h, lies[i].tag, lies[i].field, lies[i].value);
        b = blobOf(h);
        /* room for the claims about sizes to be true as far as the reader can see */
        bytesZero(&b, 64);
        assert_int_equal(readBlob(&b, (rpmTagVal)lies[i].region, &msg), RPMRC_FAIL);
        if (strncmp(msg, lies[i].error, strlen(lies[i].error)) != 0)
            fail_msg("row %zu: '%s' is not '%s'", i, msg, lies[i].error);
        free(msg);
        bytesFree(&b);
    }
}

/* The control: the same header without a lie. */
static void test_the_truth_is_read(void **state)
{
    struct bytes b = blobOf(sample(RPMTAG_HEADERIMMUTABLE));
    char *msg = NULL;

    (void)state;
    assert_int_equal(readBlob(&b, RPMTAG_HEADERIMMUTABLE, &msg), RPMRC_OK);
    assert_null(msg);
    bytesFree(&b);
}

static void test_a_truncated_blob_says_how_much_was_there(void **state)
{
    struct bytes b = blobOf(sample(RPMTAG_HEADERIMMUTABLE));
    char expected[100];

    (void)state;
    for (size_t len = 0; len < b.len; len++) {
        struct bytes part = { .data = b.data, .len = len };
        char *msg = NULL;

        assert_int_equal(readBlob(&part, RPMTAG_HEADERIMMUTABLE, &msg), RPMRC_FAIL);
        if (len < INTRO)
            snprintf(expected, sizeof(expected), "hdr size(16): BAD, read returned %zu", len);
        else
            snprintf(expected, sizeof(expected), "hdr blob(%zu): BAD, read returned %zu",
                b.len - INTRO, len - INTRO);
        assert_string_equal(msg, expected);
        free(msg);
        if (len > 8)
            assert_null(importExactly(b.data + 8, len - 8));
    }
    bytesFree(&b);
}

static void test_read_errors_are_told(void **state)
{
    struct bytes b = blobOf(sample(RPMTAG_HEADERIMMUTABLE));

    (void)state;
    for (size_t at = 0; at < b.len; at++) {
        FD_t fd = fakeReset(b.data, b.len);
        struct hdrblob_s blob;
        char *msg = NULL;

        fake.fails = 1;
        fake.failat = at;
        fake.piece = 7;
        assert_int_equal(hdrblobRead(fd, 1, 1, RPMTAG_HEADERIMMUTABLE, &blob, &msg), RPMRC_FAIL);
        assert_non_null(strstr(msg, "BAD, read returned -1"));
        free(msg);
    }
    bytesFree(&b);
}

static void test_short_reads_are_continued(void **state)
{
    struct bytes b = blobOf(sample(RPMTAG_HEADERIMMUTABLE));
    FD_t fd = fakeReset(b.data, b.len);
    struct hdrblob_s blob;
    char *msg = NULL;

    (void)state;
    fake.piece = 1;
    assert_int_equal(hdrblobRead(fd, 1, 1, RPMTAG_HEADERIMMUTABLE, &blob, &msg), RPMRC_OK);
    assert_memory_equal(blob.ei, b.data + 8, blob.pvlen);
    hdrblobFini(&blob);
    bytesFree(&b);
}

static void test_memory_follows_what_is_read(void **state)
{
    struct hdr *h = sample(RPMTAG_HEADERIMMUTABLE);
    struct bytes b;
    char *msg = NULL;

    (void)state;
    hdrPatch(h, 0, PATCH_HSIZE, 0x0f000000);
    b = blobOf(h);
    largest = 0;
    assert_int_equal(readBlob(&b, RPMTAG_HEADERIMMUTABLE, &msg), RPMRC_FAIL);
    assert_in_range(largest, 1, (1 << 20) + 8);
    free(msg);
    bytesFree(&b);
}

static void test_a_large_blob_is_read_in_steps(void **state)
{
    size_t len = (3 << 20) + 5;
    char *big = malloc(len);
    struct hdr *h = hdrNew(RPMTAG_HEADERIMMUTABLE);
    struct hdrblob_s blob;
    struct bytes b;
    char *msg = NULL;

    (void)state;
    memset(big, 'x', len);
    hdrAddBin(h, RPMTAG_GIF, big, len);
    b = blobOf(h);
    assert_int_equal(hdrblobRead(fakeReset(b.data, b.len), 1, 1, RPMTAG_HEADERIMMUTABLE, &blob,
        &msg), RPMRC_OK);
    assert_int_equal(blob.pvlen, b.len - 8);
    assert_memory_equal(blob.ei, b.data + 8, blob.pvlen);
    hdrblobFini(&blob);
    bytesFree(&b);
    free(big);
}

/* Whatever bit is wrong: nothing is read that is not there, and what is taken can be walked,
 * exported and imported again. */
static void test_flipped_bits_do_no_harm(void **state)
{
    static const uint32_t regions[] = { RPMTAG_HEADERIMMUTABLE, RPMTAG_HEADERSIGNATURES, 0 };
    unsigned taken = 0, refused = 0;

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        struct bytes b = blobOf(sample(regions[r]));

        for (size_t bit = 0; bit < (b.len - 8) * 8; bit++) {
            unsigned char *byte = b.data + 8 + bit / 8;
            Header h;

            *byte ^= (unsigned char)(1 << bit % 8);
            h = importExactly(b.data + 8, b.len - 8);
            if (h != NULL) {
                unsigned int size;
                void *again = headerExport(h, &size);

                walk(h);
                assert_non_null(again);
                free(again);
                taken++;
            } else {
                refused++;
            }
            headerFree(h);
            *byte ^= (unsigned char)(1 << bit % 8);
        }
        bytesFree(&b);
    }
    /* both happen: data may have any value, entries may not */
    assert_true(taken > 1000);
    assert_true(refused > 1000);
}

static void test_bytes_of_no_tag_are_refused(void **state)
{
    static const uint32_t regions[] = { RPMTAG_HEADERIMMUTABLE, 0 };

    (void)state;
    for (size_t r = 0; r < 2; r++) {
        struct hdr *h = sample(regions[r]);
        struct bytes b;

        /* three bytes at the end of a tag are nobody's any more */
        hdrPatch(h, RPMTAG_GIF, PATCH_COUNT, 3);
        b = blobOf(h);
        assert_null(importExactly(b.data + 8, b.len - 8));
        bytesFree(&b);
    }
}

static void test_strings_must_end(void **state)
{
    struct hdr *h = hdrNew(0);
    struct bytes b;

    (void)state;
    hdrAdd(h, RPMTAG_NAME, HDR_STRING, 1, "endless", 7);
    b = blobOf(h);
    assert_null(importExactly(b.data + 8, b.len - 8));
    bytesFree(&b);
}

static void test_signature_headers_of_old(void **state)
{
    struct hdr *h = sample(RPMTAG_HEADERSIGNATURES);
    struct hdrblob_s blob;
    struct bytes b;
    char *msg = NULL;

    (void)state;
    /* their trailer has another tag */
    hdrPatch(h, 0, PATCH_TRAILER_TAG, RPMTAG_HEADERIMAGE);
    b = blobOf(h);
    bytesAlign(&b, 8);
    assert_int_equal(hdrblobRead(fakeReset(b.data, b.len), 1, 0, RPMTAG_HEADERSIGNATURES, &blob,
        &msg), RPMRC_OK);
    assert_int_equal(blob.regionTag, RPMTAG_HEADERSIGNATURES);
    assert_int_equal(fake.pos, b.len);
    hdrblobFini(&blob);
    bytesFree(&b);
    /* or they have no region */
    b = blobOf(sample(0));
    bytesAlign(&b, 8);
    assert_int_equal(hdrblobRead(fakeReset(b.data, b.len), 1, 0, RPMTAG_HEADERSIGNATURES, &blob,
        &msg), RPMRC_OK);
    assert_int_equal(blob.regionTag, 0);
    hdrblobFini(&blob);
    bytesFree(&b);
}

static void test_padding_must_be_there(void **state)
{
    struct hdr *h = sample(RPMTAG_HEADERSIGNATURES);
    struct bytes b;
    char expected[64];
    char *msg = NULL;

    (void)state;
    hdrAddString(h, RPMTAG_BUGURL, "ab");
    b = blobOf(h);
    assert_true(b.len % 8 != 0);
    snprintf(expected, sizeof(expected), "signature sigh pad(%zu): BAD, read 0 bytes",
        8 - b.len % 8);
    assert_int_equal(readBlob(&b, RPMTAG_HEADERSIGNATURES, &msg), RPMRC_FAIL);
    assert_string_equal(msg, expected);
    free(msg);
    bytesFree(&b);
}

static void test_tags_out_of_a_blob(void **state)
{
    struct bytes b = blobOf(sample(RPMTAG_HEADERIMMUTABLE));
    struct hdrblob_s blob;
    struct rpmtd_s td;
    char *msg = NULL;

    (void)state;
    assert_int_equal(hdrblobInit(b.data + 8, b.len - 8, RPMTAG_HEADERIMMUTABLE, 1, &blob, &msg),
        RPMRC_OK);
    assert_int_equal(hdrblobGet(&blob, RPMTAG_NAME, &td), RPMRC_OK);
    assert_string_equal(rpmtdGetString(&td), "sample");
    rpmtdFreeData(&td);
    assert_int_equal(hdrblobGet(&blob, RPMTAG_BASENAMES, &td), RPMRC_OK);
    assert_int_equal(rpmtdCount(&td), 3);
    rpmtdFreeData(&td);
    assert_int_equal(hdrblobGet(&blob, RPMTAG_SIZE, &td), RPMRC_FAIL);
    assert_int_equal(hdrblobGet(&blob, RPMTAG_VERSION, &td), RPMRC_NOTFOUND);
    bytesFree(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_type_is_read),
        cmocka_unit_test(test_each_lie_is_found),
        cmocka_unit_test(test_the_truth_is_read),
        cmocka_unit_test(test_a_truncated_blob_says_how_much_was_there),
        cmocka_unit_test(test_read_errors_are_told),
        cmocka_unit_test(test_short_reads_are_continued),
        cmocka_unit_test(test_memory_follows_what_is_read),
        cmocka_unit_test(test_a_large_blob_is_read_in_steps),
        cmocka_unit_test(test_flipped_bits_do_no_harm),
        cmocka_unit_test(test_bytes_of_no_tag_are_refused),
        cmocka_unit_test(test_strings_must_end),
        cmocka_unit_test(test_signature_headers_of_old),
        cmocka_unit_test(test_padding_must_be_there),
        cmocka_unit_test(test_tags_out_of_a_blob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
