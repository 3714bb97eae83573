/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles under a write policy. */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rpm/rpmio.h>

#include "flushwrap.h"

#define CHUNK 131072

static char bytes[5 * CHUNK];
static char path[64];
static rpmFlush flush;

static int start(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 7 + i / 1021);
    snprintf(path, sizeof(path), "/tmp/test_rpmio_flush.XXXXXX");
    close(mkstemp(path));
    wrapReset();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    flush = rpmFlushFree(flush);
    return unlink(path);
}

/* A handle for path under the policy. */
static FD_t opened(const char *flushIo, uint64_t fallocateAt, int64_t size, const char *mode)
{
    rpmFlushPolicy policy;
    FD_t fd = Fopen(path, mode);

    assert_non_null(fd);
    rpmFlushPolicyInit(&policy);
    assert_int_equal(rpmFlushPolicyParse(&policy, "_flush_io", flushIo, NULL), 0);
    policy.fallocate = fallocateAt;
    flush = rpmFlushNew(&policy);
    assert_int_equal(fdSetFlush(fd, flush, size, NULL), 0);
    return fd;
}

static void put(FD_t fd, size_t at, size_t n)
{
    assert_int_equal(Fwrite(bytes + at, 1, n, fd), n);
}

static void callsAre(const char *wanted)
{
    char seen[sizeof(wrapLog)];
    size_t n = 0;

    for (const char *c = wrapLog; *c != '\0'; c++) {
        if (*c != 'p')
            seen[n++] = *c;
    }
    seen[n] = '\0';
    assert_string_equal(seen, wanted);
}

static void contentIs(size_t size)
{
    static char back[sizeof(bytes) + 1];
    FD_t fd = Fopen(path, "r.ufdio");

    assert_int_equal(Fread(back, 1, sizeof(back), fd), size);
    assert_memory_equal(back, bytes, size);
    Fclose(fd);
}

static void test_write_and_close_do_the_rest(void **state)
{
    FD_t fd = opened("fdatasync", 1, 5 * CHUNK, "w.ufdio");

    (void)state;
    for (size_t at = 0; at < sizeof(bytes); at += CHUNK)
        put(fd, at, CHUNK);
    assert_int_equal(fdOp(fd, FDSTAT_DSYNC)->count, 2);
    fdLink(fd);
    assert_int_equal(Fclose(fd), 0);
    callsAre("awwdvwwdvwdvsc");
    assert_int_equal(fdOp(fd, FDSTAT_WRITE)->count, 5);
    assert_int_equal(fdOp(fd, FDSTAT_ALLOC)->count, 1);
    assert_int_equal(fdOp(fd, FDSTAT_ALLOC)->bytes, 5 * CHUNK);
    assert_int_equal(fdOp(fd, FDSTAT_DSYNC)->count, 3);
    assert_int_equal(fdOp(fd, FDSTAT_SYNC)->count, 1);
    assert_int_equal(fdOp(fd, FDSTAT_ADVISE)->count, 3);
    fdFree(fd);
    contentIs(sizeof(bytes));
    assert_int_equal(rpmFlushBarrier(flush), 0);
}

static void test_without_a_policy_nothing_is_added(void **state)
{
    FD_t fd = Fopen(path, "w.ufdio");

    (void)state;
    put(fd, 0, CHUNK);
    assert_int_equal(fdOp(fd, FDSTAT_SYNC)->count, 0);
    assert_int_equal(Fclose(fd), 0);
    assert_string_equal(wrapLog, "wc");
}

static void test_a_failed_sync_fails_the_close(void **state)
{
    FD_t fd = opened("fsync", 0, -1, "w.ufdio");
    char *error;

    (void)state;
    put(fd, 0, CHUNK);
    wrapFail(W_FSYNC, 1, 1, EIO);
    fdLink(fd);
    errno = 0;
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(Ferror(fd), EIO);
    assert_string_equal(Fstrerror(fd), strerror(EIO));
    fdFree(fd);
    callsAre("wsc");
    error = rpmFlushTakeError(flush);
    assert_int_equal(strncmp(error, path, strlen(path)), 0);
    assert_string_equal(error + strlen(path), ": fsync failed: Input/output error");
    free(error);
    assert_int_equal(rpmFlushBarrier(flush), -1);
}

static void test_a_failed_dsync_fails_the_write(void **state)
{
    FD_t fd = opened("fdatasync", 0, -1, "w.ufdio");

    (void)state;
    wrapFail(W_FDATASYNC, 1, 1, ENOSPC);
    put(fd, 0, CHUNK);
    assert_int_equal(Fwrite(bytes, 1, CHUNK, fd), -1);
    assert_int_equal(Ferror(fd), ENOSPC);
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, ENOSPC);
    callsAre("wwdc");
}

static void test_a_failed_reservation_fails_the_handle(void **state)
{
    rpmFlushPolicy policy;
    FD_t fd = Fopen(path, "w.ufdio");

    (void)state;
    rpmFlushPolicyInit(&policy);
    policy.fallocate = 1;
    flush = rpmFlushNew(&policy);
    wrapFail(W_FALLOCATE, 1, 1, EDQUOT);
    assert_int_equal(fdSetFlush(fd, flush, CHUNK, "a name"), -1);
    assert_int_equal(errno, EDQUOT);
    assert_int_equal(Ferror(fd), EDQUOT);
    assert_int_equal(Fclose(fd), -1);
}

static void test_a_policy_can_be_taken_off(void **state)
{
    FD_t fd = opened("fsync", 0, -1, "w.ufdio");

    (void)state;
    put(fd, 0, CHUNK);
    assert_int_equal(fdSetFlush(fd, NULL, -1, NULL), 0);
    put(fd, CHUNK, CHUNK);
    assert_int_equal(Fclose(fd), 0);
    callsAre("wwc");
    contentIs(2 * CHUNK);
}

static void test_seeking_is_followed(void **state)
{
    FD_t fd = opened("fsync", 1, 4 * CHUNK, "w.ufdio");

    (void)state;
    put(fd, 0, 2 * CHUNK);
    assert_int_equal(Fseek(fd, 10, SEEK_SET), 0);
    put(fd, 10, 10);
    assert_int_equal(Fclose(fd), 0);
    callsAre("awwtsc");
    contentIs(2 * CHUNK);
}

/* What a layer still holds is written before the descriptor is synced. */
static void test_below_a_compressing_layer(void **state)
{
    FD_t fd = opened("fsync", 0, -1, "w9.gzdio");
    static char back[CHUNK];

    (void)state;
    put(fd, 0, CHUNK);
    fdLink(fd);
    assert_int_equal(Fclose(fd), 0);
    assert_int_equal(fdOp(fd, FDSTAT_SYNC)->count, 1);
    fdFree(fd);
    assert_string_equal(wrapLog + strlen(wrapLog) - 3, "wsc");
    fd = Fopen(path, "r.gzdio");
    assert_int_equal(Fread(back, 1, CHUNK, fd), CHUNK);
    assert_memory_equal(back, bytes, CHUNK);
    Fclose(fd);
}

static void test_debugging_prints_the_calls(void **state)
{
    FD_t fd = opened("fdatasync", 1, CHUNK, "w?.ufdio");
    int saved = dup(STDERR_FILENO);
    char text[2048] = "";
    FILE *out = tmpfile();

    (void)state;
    put(fd, 0, CHUNK);
    dup2(fileno(out), STDERR_FILENO);
    assert_int_equal(Fclose(fd), 0);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(out);
    fread(text, 1, sizeof(text) - 1, out);
    fclose(out);
    assert_non_null(strstr(text, "FDIO:       1 writes,   131072 total bytes in 0."));
    assert_non_null(strstr(text, "FDIO:       1 allocs,   131072 total bytes in 0."));
    assert_non_null(strstr(text, "FDIO:       1 dsyncs,        0 total bytes in 0."));
    assert_non_null(strstr(text, "FDIO:       1 syncs,        0 total bytes in 0."));
    assert_non_null(strstr(text, "FDIO:       1 advises,        0 total bytes in 0."));
}

static void test_a_closed_handle_has_no_policy(void **state)
{
    FD_t fd = fdLink(Fopen(path, "w.ufdio"));

    (void)state;
    Fclose(fd);
    assert_int_equal(fdSetFlush(fd, NULL, -1, NULL), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(fdSetFlush(NULL, NULL, -1, NULL), -1);
    fdFree(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_write_and_close_do_the_rest),
        TEST(test_without_a_policy_nothing_is_added),
        TEST(test_a_failed_sync_fails_the_close),
        TEST(test_a_failed_dsync_fails_the_write),
        TEST(test_a_failed_reservation_fails_the_handle),
        TEST(test_a_policy_can_be_taken_off),
        TEST(test_seeking_is_followed),
        TEST(test_below_a_compressing_layer),
        TEST(test_debugging_prints_the_calls),
        TEST(test_a_closed_handle_has_no_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
