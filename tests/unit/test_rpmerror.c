/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rpm/rpmarchive.h>
#include <rpm/rpmutil.h>

static void expect(int rc, int error, const char *text)
{
    char *msg;

    errno = error;
    msg = rpmfileStrerror(rc);
    assert_string_equal(msg, text);
    rfree(msg);
}

static void test_archive_faults_do_not_mention_errno(void **state)
{
    (void)state;
    expect(RPMERR_BAD_MAGIC, EACCES, "cpio: Bad magic");
    expect(RPMERR_DIGEST_MISMATCH, ENOSPC, "cpio: Digest mismatch");
    expect(RPMERR_UNMAPPED_FILE, 0, "cpio: Archive file not in header");
    expect(RPMERR_MISSING_FILE, 0, "cpio: Missing file(s)");
}

static void test_failed_calls_name_errno(void **state)
{
    (void)state;
    expect(RPMERR_OPEN_FAILED, EACCES, "cpio: open failed - Permission denied");
    expect(RPMERR_WRITE_FAILED, ENOSPC, "cpio: write failed - No space left on device");
    expect(RPMERR_CLOSE_FAILED, 0, "cpio: close");
}

static void test_unknown_codes_are_printed_as_numbers(void **state)
{
    (void)state;
    expect(RPMERR_ITER_END, 0, "cpio: (error 0xffffffff)");
    expect(17, EIO, "cpio: (error 0x11)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_faults_do_not_mention_errno),
        cmocka_unit_test(test_failed_calls_name_errno),
        cmocka_unit_test(test_unknown_codes_are_printed_as_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
