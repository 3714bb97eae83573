/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reservations and the page cache: where they are used, left out, remembered, refused. */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include <rpm/rpmflush.h>

#include "flushwrap.h"

#define CHUNK 131072
#define DONTCACHE 0x80

static char bytes[8 * CHUNK];
static char path[64];
static size_t page;

static int start(void **state)
{
    (void)state;
    page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 131 + i / 257);
    snprintf(path, sizeof(path), "/tmp/test_rpmflush_hint.XXXXXX");
    close(mkstemp(path));
    wrapReset();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return unlink(path);
}

static rpmFlush flushOf(const char *flushIo, uint64_t fallocateAt, int dontneed)
{
    rpmFlushPolicy policy;

    rpmFlushPolicyInit(&policy);
    assert_int_equal(rpmFlushPolicyParse(&policy, "_flush_io", flushIo, NULL), 0);
    policy.fallocate = fallocateAt;
    policy.dontneed = dontneed;
    return rpmFlushNew(&policy);
}

static rpmFlushFile openAt(rpmFlush flush, const char *name, int flags, int64_t size)
{
    int fd = open(name, O_WRONLY | O_CREAT | flags, 0600);
    rpmFlushFile file;

    assert_true(fd >= 0);
    assert_int_equal(rpmFlushFileNew(flush, fd, size, name, &file), 0);
    return file;
}

static rpmFlushFile openNew(rpmFlush flush, int64_t size)
{
    return openAt(flush, path, O_TRUNC, size);
}

static void put(rpmFlushFile file, size_t at, size_t n)
{
    assert_int_equal(rpmFlushFileWrite(file, bytes + at, n), n);
}

static void closed(rpmFlushFile file)
{
    assert_int_equal(rpmFlushFileClose(file), 0);
    rpmFlushFileFree(file);
}

static void contentIs(size_t size)
{
    static char back[sizeof(bytes) + 1];
    int fd = open(path, O_RDONLY);

    assert_int_equal(read(fd, back, sizeof(back)), size);
    assert_memory_equal(back, bytes, size);
    __real_close(fd);
}

static void reportIs(rpmFlush flush, const char *what, const char *type)
{
    char *text = rpmFlushReport(flush);
    char wanted[128] = "";
    struct stat sb;

    assert_int_equal(stat(path, &sb), 0);
    if (what != NULL)
        snprintf(wanted, sizeof(wanted), "%s is not used on device %u:%u (%s)\n", what,
                 major(sb.st_dev), minor(sb.st_dev), type);
    assert_string_equal(text, wanted);
    free(text);
}

/* ---- Reservations ---- */

static void test_reserved_from_the_threshold_on(void **state)
{
    static const struct {
        int64_t size;
        int calls;
    } cases[] = { { -1, 0 }, { 0, 0 }, { 1, 0 }, { CHUNK - 1, 0 }, { CHUNK, 1 }, { CHUNK + 1, 1 } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rpmFlush flush = flushOf("0", CHUNK, 0);
        rpmFlushFile file = openNew(flush, cases[i].size);

        assert_int_equal(wraps[W_FALLOCATE].calls, cases[i].calls);
        rpmFlushFileFree(file);
        rpmFlushFree(flush);
        wrapReset();
    }
}

static void test_never_reserved_without_a_threshold(void **state)
{
    rpmFlush flush = flushOf("fdatasync", 0, -1);

    (void)state;
    rpmFlushFileFree(openNew(flush, INT64_MAX));
    assert_int_equal(wraps[W_FALLOCATE].calls, 0);
    rpmFlushFree(flush);
}

static void test_not_where_writes_are_copied(void **state)
{
    static const struct {
        unsigned type;
        const char *name;
    } cases[] = { { 0x9123683e, "btrfs" }, { 0x2fc12fc1, "zfs" }, { 0xca451a4e, "bcachefs" } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rpmFlush flush = flushOf("0", 1, 0);

        wrapReset();
        wrapFsType = cases[i].type;
        rpmFlushFileFree(openNew(flush, CHUNK));
        rpmFlushFileFree(openNew(flush, INT64_MAX));
        assert_int_equal(wraps[W_FALLOCATE].calls, 0);
        assert_int_equal(wraps[W_FSTATFS].calls, 1);
        reportIs(flush, "fallocate", cases[i].name);
        rpmFlushFree(flush);
    }
}

static void test_not_supported_is_remembered_and_no_error(void **state)
{
    static const int errors[] = { EOPNOTSUPP, ENOSYS, EINVAL, EPERM, ENODEV, ESPIPE };

    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        rpmFlush flush = flushOf("0", 1, 0);
        rpmFlushFile file;

        wrapReset();
        wrapFail(W_FALLOCATE, 1, 1, errors[i]);
        reportIs(flush, NULL, NULL);
        for (int k = 0; k < 3; k++) {
            file = openNew(flush, CHUNK);
            put(file, 0, CHUNK);
            closed(file);
        }
        assert_int_equal(wraps[W_FALLOCATE].calls, 1);
        reportIs(flush, "fallocate", "ext4");
        assert_int_equal(rpmFlushBarrier(flush), 0);
        contentIs(CHUNK);
        rpmFlushFree(flush);
    }
}

/* What one filesystem cannot do says nothing of another. */
static void test_remembered_for_its_filesystem_only(void **state)
{
    rpmFlush flush = flushOf("0", 1, 0);
    char other[] = "/dev/shm/test_rpmflush_hint.XXXXXX";
    int fd = mkstemp(other);
    struct stat here, there;

    (void)state;
    if (fd < 0 || __real_fstat64(fd, &there) || stat(path, &here) || here.st_dev == there.st_dev)
        skip();
    __real_close(fd);
    wrapReset();
    wrapFail(W_FALLOCATE, 1, 1, EOPNOTSUPP);
    rpmFlushFileFree(openNew(flush, CHUNK));
    rpmFlushFileFree(openNew(flush, CHUNK));
    assert_int_equal(wraps[W_FALLOCATE].calls, 1);
    rpmFlushFileFree(openAt(flush, other, O_TRUNC, CHUNK));
    rpmFlushFileFree(openAt(flush, other, O_TRUNC, CHUNK));
    assert_int_equal(wraps[W_FALLOCATE].calls, 3);
    unlink(other);
    rpmFlushFree(flush);
}

static void test_more_than_is_free_is_enospc_at_once(void **state)
{
    rpmFlush flush = flushOf("0", 1, 0);
    int fd = open(path, O_WRONLY | O_TRUNC);
    rpmFlushFile file;
    char *error;

    (void)state;
    wrapReset();
    wrapFree = 1048576;
    assert_int_equal(rpmFlushFileNew(flush, fd, 1048576 + 8192, "/usr/big", &file), -1);
    assert_int_equal(errno, ENOSPC);
    assert_null(file);
    assert_int_equal(wraps[W_FALLOCATE].calls, 0);
    error = rpmFlushTakeError(flush);
    assert_string_equal(error,
                        "/usr/big: cannot reserve 1056768 bytes: No space left on device");
    free(error);
    assert_int_equal(rpmFlushFileNew(flush, fd, 1048576, "/usr/big", &file), 0);
    assert_int_equal(wraps[W_FALLOCATE].calls, 1);
    closed(file);
    rpmFlushFree(flush);
}

static void test_what_was_not_written_is_given_back(void **state)
{
    rpmFlush flush = flushOf("fsync", 1, 0);
    rpmFlushFile file = openNew(flush, 4 * CHUNK);
    struct stat sb;

    (void)state;
    put(file, 0, CHUNK + 1);
    closed(file);
    assert_int_equal(wraps[W_FTRUNCATE].calls, 1);
    assert_true(strcmp(strchr(wrapLog, 't'), "tsc") == 0);
    contentIs(CHUNK + 1);
    assert_int_equal(stat(path, &sb), 0);
    assert_true(sb.st_blocks * 512 < 3 * CHUNK);
    rpmFlushFree(flush);
}

static void test_no_cut_where_all_or_more_came(void **state)
{
    (void)state;
    for (size_t n = CHUNK; n <= 2 * CHUNK; n += CHUNK) {
        rpmFlush flush = flushOf("fsync", 1, 0);
        rpmFlushFile file = openNew(flush, CHUNK);

        put(file, 0, n);
        closed(file);
        assert_int_equal(wraps[W_FTRUNCATE].calls, 0);
        contentIs(n);
        rpmFlushFree(flush);
    }
}

/* The end of the file is where the furthest write ended, not where the last one did. */
static void test_a_seek_back_does_not_cut_the_end(void **state)
{
    rpmFlush flush = flushOf("fsync", 1, 0);
    int fd = open(path, O_WRONLY | O_TRUNC);
    rpmFlushFile file;

    (void)state;
    assert_int_equal(rpmFlushFileNew(flush, fd, 2 * CHUNK, path, &file), 0);
    put(file, 0, CHUNK);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    rpmFlushFileSought(file, 0);
    put(file, 0, 100);
    closed(file);
    contentIs(CHUNK);
    rpmFlushFree(flush);
}

static void test_a_cut_that_fails_is_an_error(void **state)
{
    rpmFlush flush = flushOf("fsync", 1, 0);
    rpmFlushFile file = openNew(flush, 2 * CHUNK);

    (void)state;
    put(file, 0, CHUNK);
    wrapFail(W_FTRUNCATE, 1, 1, EIO);
    assert_int_equal(rpmFlushFileClose(file), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(wraps[W_FSYNC].calls, 0);
    rpmFlushFileFree(file);
    rpmFlushFree(flush);
}

static void test_a_file_with_content_is_not_reserved(void **state)
{
    rpmFlush flush = flushOf("fsync", 1, 0);
    rpmFlushFile file = openNew(flush, CHUNK);

    (void)state;
    put(file, 0, CHUNK);
    closed(file);
    wrapReset();
    file = openAt(flush, path, 0, CHUNK);
    put(file, 0, 10);
    closed(file);
    assert_int_equal(wraps[W_FALLOCATE].calls + wraps[W_FTRUNCATE].calls, 0);
    contentIs(CHUNK);
    rpmFlushFree(flush);
}

static void test_probes_that_fail_only_lose_the_hints(void **state)
{
    static const enum wrapped probes[] = { W_FSTAT, W_FSTATFS, W_UNAME };

    (void)state;
    for (int i = 0; i < 3; i++) {
        rpmFlush flush = flushOf("fsync", 1, 1);
        rpmFlushFile file;

        wrapReset();
        wrapFail(probes[i], 1, 9, EIO);
        file = openNew(flush, 4 * CHUNK);
        put(file, 0, 4 * CHUNK);
        closed(file);
        assert_int_equal(wraps[W_PWRITEV2].calls, 0);
        assert_int_equal(wraps[W_FSYNC].calls, 1);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        rpmFlushFree(flush);
    }
}

/* ---- The page cache ---- */

static void test_only_our_pages_are_dropped(void **state)
{
    const struct {
        size_t before;
        size_t pages;
    } cases[] = { { 0, 0 }, { 1, 1 }, { 8192, 8192 / page }, { 8193, 8192 / page + 1 } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rpmFlush flush = flushOf("fdatasync", 0, -1);
        off_t from = (off_t)(cases[i].pages * page);
        rpmFlushFile file;

        wrapReset();
        assert_int_equal(truncate(path, (off_t)cases[i].before), 0);
        file = openAt(flush, path, 0, -1);
        put(file, 0, 2 * CHUNK);
        assert_int_equal(wraps[W_FADVISE].calls, 1);
        assert_int_equal(wrapDropped, from);
        closed(file);
        rpmFlushFree(flush);
    }
}

static void test_advice_that_fails_is_no_error(void **state)
{
    static const int errors[] = { EIO, EINVAL, ENOSYS, EPERM, ESPIPE };

    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        rpmFlush flush = flushOf("fdatasync", 0, -1);
        rpmFlushFile file;

        wrapReset();
        wrapFail(W_FADVISE, 1, 99, errors[i]);
        file = openNew(flush, -1);
        put(file, 0, 3 * CHUNK);
        closed(file);
        assert_int_equal(wraps[W_FADVISE].calls, 2);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        contentIs(3 * CHUNK);
        rpmFlushFree(flush);
    }
}

static void test_no_advice_where_the_cache_may_be_kept(void **state)
{
    static const char *const methods[] = { "0", "none", "osync", "odsync", "fsync", "fdatasync" };

    (void)state;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        for (int dontneed = 0; dontneed <= 1; dontneed++) {
            rpmFlush flush = flushOf(methods[i], 0, dontneed);
            rpmFlushFile file;

            wrapReset();
            file = openNew(flush, CHUNK);
            put(file, 0, CHUNK);
            closed(file);
            assert_int_equal(wraps[W_FADVISE].calls, dontneed);
            rpmFlushFree(flush);
        }
    }
}

static void test_whole_pages_of_large_files_bypass_the_cache(void **state)
{
    rpmFlush flush = flushOf("fsync", 0, 1);
    rpmFlushFile file = openNew(flush, 2 * CHUNK + 10);

    (void)state;
    put(file, 0, CHUNK);
    assert_int_equal(wrapLastFlags, DONTCACHE);
    put(file, CHUNK, CHUNK + 10);
    closed(file);
    assert_string_equal(strchr(wrapLog, 'W'), "WWwsvc");
    contentIs(2 * CHUNK + 10);
    reportIs(flush, NULL, NULL);
    rpmFlushFree(flush);
}

static void test_a_write_within_a_page_first_fills_the_page(void **state)
{
    rpmFlush flush = flushOf("fsync", 0, 1);
    rpmFlushFile file = openNew(flush, 8 * CHUNK);

    (void)state;
    put(file, 0, 100);
    put(file, 100, 3 * page);
    put(file, 100 + 3 * page, page - 1);
    closed(file);
    assert_string_equal(strchr(wrapLog, 'w'), "wwWwwsvc");
    contentIs(4 * page + 99);
    rpmFlushFree(flush);
}

static void test_small_files_go_through_the_cache(void **state)
{
    rpmFlush flush = flushOf("fsync", 0, 1);
    rpmFlushFile file = openNew(flush, 262143);

    (void)state;
    put(file, 0, CHUNK);
    closed(file);
    file = openNew(flush, -1);
    put(file, 0, 2 * CHUNK);
    assert_int_equal(wraps[W_PWRITEV2].calls, 0);
    put(file, 2 * CHUNK, CHUNK);
    assert_int_equal(wraps[W_PWRITEV2].calls, 1);
    closed(file);
    contentIs(3 * CHUNK);
    rpmFlushFree(flush);
}

static void test_a_refused_flag_is_remembered(void **state)
{
    static const int errors[] = { EOPNOTSUPP, ENOSYS, EINVAL, EPERM };

    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        rpmFlush flush = flushOf("fsync", 0, 1);
        rpmFlushFile file;

        wrapReset();
        wrapFail(W_PWRITEV2, 1, 99, errors[i]);
        for (int k = 0; k < 2; k++) {
            file = openNew(flush, 4 * CHUNK);
            put(file, 0, 2 * CHUNK);
            put(file, 2 * CHUNK, 2 * CHUNK);
            closed(file);
            contentIs(4 * CHUNK);
        }
        assert_int_equal(wraps[W_PWRITEV2].calls, 1);
        assert_int_equal(wraps[W_WRITE].calls, 4);
        reportIs(flush, "RWF_DONTCACHE", "ext4");
        assert_int_equal(rpmFlushBarrier(flush), 0);
        rpmFlushFree(flush);
    }
}

static void test_a_write_error_with_the_flag_is_an_error(void **state)
{
    static const int errors[] = { EIO, ENOSPC, EDQUOT };

    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        rpmFlush flush = flushOf("fsync", 0, 1);
        rpmFlushFile file = openNew(flush, 4 * CHUNK);

        wrapFail(W_PWRITEV2, wraps[W_PWRITEV2].calls + 1, 1, errors[i]);
        assert_int_equal(rpmFlushFileWrite(file, bytes, 4 * CHUNK), -1);
        assert_int_equal(errno, errors[i]);
        assert_int_equal(rpmFlushFileClose(file), -1);
        assert_int_equal(wraps[W_FSYNC].calls + wraps[W_WRITE].calls, 0);
        rpmFlushFileFree(file);
        rpmFlushFree(flush);
    }
}

static void test_kernels_that_lose_data_do_without(void **state)
{
    static const struct {
        const char *release;
        int calls;
    } cases[] = { { "5.10.0", 0 }, { "6.1.0-49-amd64", 0 }, { "6.15.11", 0 }, { "6.16.0", 1 },
                  { "6.18.44-x", 1 }, { "7.0", 1 }, { "strange", 0 } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rpmFlush flush = flushOf("fsync", 0, 1);
        rpmFlushFile file;

        wrapReset();
        wrapRelease = cases[i].release;
        file = openNew(flush, 4 * CHUNK);
        put(file, 0, 4 * CHUNK);
        closed(file);
        assert_int_equal(wraps[W_PWRITEV2].calls, cases[i].calls);
        assert_int_equal(wraps[W_UNAME].calls, 1);
        rpmFlushFree(flush);
    }
}

/* fdatasync drops its pages itself: its calls stay those of the original measurements. */
static void test_fdatasync_writes_through_the_cache(void **state)
{
    rpmFlush flush = flushOf("fdatasync", 0, -1);
    rpmFlushFile file = openNew(flush, 4 * CHUNK);

    (void)state;
    put(file, 0, 4 * CHUNK);
    closed(file);
    assert_int_equal(wraps[W_PWRITEV2].calls, 0);
    reportIs(flush, NULL, NULL);
    rpmFlushFree(flush);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_reserved_from_the_threshold_on),
        TEST(test_never_reserved_without_a_threshold),
        TEST(test_not_where_writes_are_copied),
        TEST(test_not_supported_is_remembered_and_no_error),
        TEST(test_remembered_for_its_filesystem_only),
        TEST(test_more_than_is_free_is_enospc_at_once),
        TEST(test_what_was_not_written_is_given_back),
        TEST(test_no_cut_where_all_or_more_came),
        TEST(test_a_seek_back_does_not_cut_the_end),
        TEST(test_a_cut_that_fails_is_an_error),
        TEST(test_a_file_with_content_is_not_reserved),
        TEST(test_probes_that_fail_only_lose_the_hints),
        TEST(test_only_our_pages_are_dropped),
        TEST(test_advice_that_fails_is_no_error),
        TEST(test_no_advice_where_the_cache_may_be_kept),
        TEST(test_whole_pages_of_large_files_bypass_the_cache),
        TEST(test_a_write_within_a_page_first_fills_the_page),
        TEST(test_small_files_go_through_the_cache),
        TEST(test_a_refused_flag_is_remembered),
        TEST(test_a_write_error_with_the_flag_is_an_error),
        TEST(test_kernels_that_lose_data_do_without),
        TEST(test_fdatasync_writes_through_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
