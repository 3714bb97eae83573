/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rpm/rpmarchive.h>
#include <rpm/rpmstring.h>

#include "testcpio.h"
#include "cpio.h"
#include "fakefd.h"

static struct testcpio archive;
static struct rpmcpio_s cpio;

static void open_(void)
{
    char *emsg = NULL;
    rpmRing ring = rpmRingNew(fakeReset(archive.data, archive.size), 0, &emsg);

    assert_non_null(ring);
    rpmcpioInit(&cpio, ring);
}

static void close_(void)
{
    rpmRingFree(cpio.ring);
    archiveFree(&archive);
}

/* Open the archive, and the first entry gives rc because of why. */
static void expectFirst(int rc, const char *why)
{
    open_();
    assert_int_equal(rpmcpioNext(&cpio), rc);
    if (why == NULL)
        assert_null(cpio.why);
    else
        assert_string_equal(cpio.why, why);
    close_();
}

static void expectContent(const char *content)
{
    const unsigned char *data;
    ssize_t n;

    while ((n = rpmcpioPeek(&cpio, &data)) > 0) {
        assert_true((size_t)n <= strlen(content));
        assert_memory_equal(data, content, n);
        rpmcpioSkip(&cpio, (size_t)n);
        content += n;
    }
    assert_int_equal(n, 0);
    assert_string_equal(content, "");
}

static void test_reads_newc_and_stripped_entries(void **state)
{
    (void)state;
    archiveEntry(&archive, "./etc/a", "content", 7);
    archiveHeader(&archive, "070702", 2, 2, "b", 2);
    archiveAdd(&archive, "xy\0\0", 4);
    archiveStripped(&archive, 0xabcd, "big", 3);
    archiveEntry(&archive, "last", "", 0);
    archiveEnd(&archive);
    open_();
    assert_int_equal(rpmcpioNext(&cpio), 0);
    assert_string_equal(cpio.name, "./etc/a");
    assert_int_equal(cpio.size, 7);
    assert_int_equal(cpio.stripped, 0);
    expectContent("content");
    assert_int_equal(rpmcpioNext(&cpio), 0);
    assert_string_equal(cpio.name, "b");
    expectContent("xy");
    assert_int_equal(rpmcpioNext(&cpio), 0);
    assert_int_equal(cpio.stripped, 1);
    assert_int_equal(cpio.fx, 0xabcd);
    cpio.left = 3;
    expectContent("big");
    assert_int_equal(rpmcpioNext(&cpio), 0);
    assert_int_equal(cpio.stripped, 0);
    assert_string_equal(cpio.name, "last");
    expectContent("");
    assert_int_equal(rpmcpioNext(&cpio), RPMERR_ITER_END);
    assert_int_equal(cpio.offset, archive.size);
    assert_int_equal(rpmcpioFinish(&cpio), 0);
    close_();
}

static void test_unread_content_is_passed_over(void **state)
{
    const unsigned char *data;

    (void)state;
    archiveEntry(&archive, "a", "0123456789", 10);
    archiveEntry(&archive, "b", "x", 1);
    open_();
    assert_int_equal(rpmcpioNext(&cpio), 0);
    assert_true(rpmcpioPeek(&cpio, &data) > 0);
    rpmcpioSkip(&cpio, 3);
    assert_int_equal(rpmcpioNext(&cpio), 0);
    assert_string_equal(cpio.name, "b");
    expectContent("x");
    close_();
}

static void test_every_truncation_is_an_error(void **state)
{
    size_t size;

    (void)state;
    archiveEntry(&archive, "./name", "content", 7);
    archiveStripped(&archive, 1, "", 0);
    archiveEnd(&archive);
    size = archive.size;
    for (size_t cut = 0; cut < size; cut++) {
        int rc;

        archive.size = cut;
        open_();
        do {
            rc = rpmcpioNext(&cpio);
        } while (rc == 0);
        assert_int_equal(rc, RPMERR_READ_FAILED);
        assert_string_equal(cpio.why, "unexpected end of archive");
        rpmRingFree(cpio.ring);
    }
    archiveFree(&archive);
}

static void test_bad_magic(void **state)
{
    static const char *const magics[] = { "070707", "07070x", "070703", "\0\0\0\0\0\0", "drpm00" };

    (void)state;
    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
        archiveAdd(&archive, magics[i], 6);
        archiveAdd(&archive, "0000000000000000", 16);
        expectFirst(RPMERR_BAD_MAGIC, NULL);
    }
}

static void test_numbers_are_eight_hexadecimal_digits(void **state)
{
    static const char *const numbers[] = {
        "0000000g", "+0000001", " 0000001", "0x000001", "0000 001"
    };

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        archiveEntry(&archive, "a", "", 0);
        memcpy(archive.data + 6 + 6 * 8, numbers[i], 8);
        expectFirst(RPMERR_BAD_HEADER, "not a hexadecimal number");
        archiveEntry(&archive, "a", "", 0);
        memcpy(archive.data + 6 + 11 * 8, numbers[i], 8);
        expectFirst(RPMERR_BAD_HEADER, "not a hexadecimal number");
        archiveStripped(&archive, 0, "", 0);
        memcpy(archive.data + 6, numbers[i], 8);
        expectFirst(RPMERR_BAD_HEADER, "not a hexadecimal number");
    }
    archiveStripped(&archive, 0, "", 0);
    memcpy(archive.data + 6, "FFfeDcBa", 8);
    open_();
    assert_int_equal(rpmcpioNext(&cpio), 0);
    assert_int_equal(cpio.fx, 0xfffedcba);
    close_();
}

static void test_name_sizes_at_and_over_the_limits(void **state)
{
    char *name = rcalloc(1, RPMCPIO_NAMEMAX + 1);

    (void)state;
    memset(name, 'n', RPMCPIO_NAMEMAX);
    archiveHeader(&archive, "070701", 0, RPMCPIO_NAMEMAX, name + 1, RPMCPIO_NAMEMAX);
    open_();
    assert_int_equal(rpmcpioNext(&cpio), 0);
    assert_int_equal(strlen(cpio.name), RPMCPIO_NAMEMAX - 1);
    close_();
    archiveHeader(&archive, "070701", 0, RPMCPIO_NAMEMAX + 1, name, RPMCPIO_NAMEMAX + 1);
    expectFirst(RPMERR_BAD_HEADER, "length of the name");
    archiveHeader(&archive, "070701", 0, 0xffffffff, name, 10);
    expectFirst(RPMERR_BAD_HEADER, "length of the name");
    archiveHeader(&archive, "070701", 0, 0, name, 0);
    expectFirst(RPMERR_BAD_HEADER, "length of the name");
    rfree(name);
}

static void test_name_ends_at_its_only_nul(void **state)
{
    (void)state;
    archiveHeader(&archive, "070701", 0, 3, "abc", 3);
    expectFirst(RPMERR_BAD_HEADER, "name does not end where it should");
    archiveHeader(&archive, "070701", 0, 4, "a\0b", 4);
    expectFirst(RPMERR_BAD_HEADER, "name does not end where it should");
}

static int finishWith(const void *tail, size_t n)
{
    int rc;

    archiveEnd(&archive);
    archiveAdd(&archive, tail, n);
    open_();
    assert_int_equal(rpmcpioNext(&cpio), RPMERR_ITER_END);
    rc = rpmcpioFinish(&cpio);
    if (rc != 0)
        assert_string_equal(cpio.why, "data after the end of the archive");
    close_();
    return rc;
}

static void test_only_padding_may_follow_the_trailer(void **state)
{
    static const char zeros[RPMCPIO_TAILMAX + 1];

    (void)state;
    assert_int_equal(finishWith("", 0), 0);
    assert_int_equal(finishWith(zeros, 512), 0);
    assert_int_equal(finishWith(zeros, RPMCPIO_TAILMAX), 0);
    assert_int_equal(finishWith(zeros, RPMCPIO_TAILMAX + 1), RPMERR_BAD_HEADER);
    assert_int_equal(finishWith("x", 1), RPMERR_BAD_HEADER);
    assert_int_equal(finishWith("\0\0\0x", 4), RPMERR_BAD_HEADER);
}

static void test_read_errors_are_left_to_the_ring(void **state)
{
    (void)state;
    archiveEntry(&archive, "a", "0123456789", 10);
    archiveEnd(&archive);
    for (size_t at = 0; at < archive.size; at += 40) {
        char *emsg = NULL;
        FD_t fd = fakeReset(archive.data, archive.size);
        int rc;

        fake.fails = 1;
        fake.failat = at;
        rpmcpioInit(&cpio, rpmRingNew(fd, 0, &emsg));
        do {
            rc = rpmcpioNext(&cpio);
        } while (rc == 0);
        assert_int_equal(rc, RPMERR_READ_FAILED);
        assert_null(cpio.why);
        assert_string_equal(rpmRingError(cpio.ring), "Input/output error");
        rpmRingFree(cpio.ring);
    }
    archiveFree(&archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_newc_and_stripped_entries),
        cmocka_unit_test(test_unread_content_is_passed_over),
        cmocka_unit_test(test_every_truncation_is_an_error),
        cmocka_unit_test(test_bad_magic),
        cmocka_unit_test(test_numbers_are_eight_hexadecimal_digits),
        cmocka_unit_test(test_name_sizes_at_and_over_the_limits),
        cmocka_unit_test(test_name_ends_at_its_only_nul),
        cmocka_unit_test(test_only_padding_may_follow_the_trailer),
        cmocka_unit_test(test_read_errors_are_left_to_the_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
