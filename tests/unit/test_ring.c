/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include <rpm/rpmutil.h>

#include "fakefd.h"
#include "ring.h"

#define RING_BYTES ((uint64_t)RPMRING_SLOTS * RPMRING_SLOTSIZE)

static int createFails;
static uint64_t expected;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg)
{
    return createFails ? EAGAIN : __real_pthread_create(thread, attr, run, arg);
}

/* Bytes that tell where in the stream they are. */
static unsigned char byteAt(uint64_t offset)
{
    return (unsigned char)(offset * 31 + (offset >> 8) * 7 + (offset >> 16));
}

static void makeBytes(unsigned char *buf, uint64_t offset, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf[i] = byteAt(offset + i);
}

static rpmRing start(uint64_t size, size_t piece)
{
    char *emsg = NULL;
    FD_t fd = fakeReset(NULL, size);
    rpmRing r;

    fake.make = makeBytes;
    fake.piece = piece;
    r = rpmRingNew(fd, expected, &emsg);
    assert_non_null(r);
    assert_null(emsg);
    return r;
}

static void expectBytes(rpmRing r, uint64_t offset, size_t n)
{
    unsigned char *got = rmalloc(n), *want = rmalloc(n);

    assert_int_equal(rpmRingRead(r, got, n), n);
    makeBytes(want, offset, n);
    assert_memory_equal(got, want, n);
    rfree(got);
    rfree(want);
}

/* Wait for what another thread does: there is no event to wait for. */
static void waitUntilFull(void)
{
    const struct timespec pause = { 0, 1000000 };

    while (__atomic_load_n(&fake.pos, __ATOMIC_RELAXED) < RING_BYTES)
        nanosleep(&pause, NULL);
    nanosleep(&pause, NULL);
}

static void test_delivers_every_byte_in_order(void **state)
{
    static const size_t pieces[] = { 0, 1000, 4096, RPMRING_SLOTSIZE - 1 };
    uint64_t size = 3 * RING_BYTES + 12345;

    (void)state;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        rpmRing r = start(size, pieces[i]);
        uint64_t offset = 0;

        while (offset < size) {
            size_t n = 1 + (size_t)(offset % 70000);

            if (n > size - offset)
                n = (size_t)(size - offset);
            expectBytes(r, offset, n);
            offset += n;
        }
        assert_int_equal(rpmRingRead(r, &offset, 1), 0);
        assert_string_equal(rpmRingError(r), "");
        rpmRingStop(r);
        assert_int_equal(rpmRingOp(r)->bytes, size);
        rpmRingFree(r);
        assert_int_equal(fake.closed, 1);
    }
}

static void test_peek_shows_bytes_until_they_are_skipped(void **state)
{
    rpmRing r = start(100, 60);
    const unsigned char *data = NULL;

    (void)state;
    assert_int_equal(rpmRingPeek(r, &data), 60);
    assert_int_equal(rpmRingPeek(r, &data), 60);
    assert_int_equal(data[0], byteAt(0));
    rpmRingSkip(r, 59);
    assert_int_equal(rpmRingPeek(r, &data), 1);
    assert_int_equal(data[0], byteAt(59));
    rpmRingSkip(r, 1);
    assert_int_equal(rpmRingPeek(r, &data), 40);
    assert_int_equal(data[0], byteAt(60));
    rpmRingSkip(r, 40);
    assert_int_equal(rpmRingPeek(r, &data), 0);
    assert_int_equal(rpmRingPeek(r, &data), 0);
    rpmRingFree(r);
}

static void test_empty_stream(void **state)
{
    rpmRing r = start(0, 0);
    const unsigned char *data;

    (void)state;
    assert_int_equal(rpmRingPeek(r, &data), 0);
    rpmRingFree(r);
}

static void test_reads_no_further_than_the_ring_holds(void **state)
{
    rpmRing r = start(100 * RING_BYTES, 0);

    (void)state;
    expectBytes(r, 0, 1);
    waitUntilFull();
    rpmRingFree(r);
    assert_int_equal(fake.pos, RING_BYTES);
    assert_int_equal(fake.closed, 1);
}

static void test_stops_before_anything_was_read(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        rpmRing r = start(100 * RING_BYTES, 0);

        rpmRingFree(r);
        assert_int_equal(fake.closed, 1);
        assert_true(fake.pos <= RING_BYTES);
    }
}

static void test_error_comes_after_the_bytes_before_it(void **state)
{
    char *emsg = NULL;
    FD_t fd = fakeReset(NULL, 1000000);
    unsigned char byte;
    rpmRing r;

    (void)state;
    fake.make = makeBytes;
    fake.fails = 1;
    fake.failat = 700000;
    fake.error = "Lzma library error: Corrupted input data";
    r = rpmRingNew(fd, expected, &emsg);
    expectBytes(r, 0, 700000);
    assert_int_equal(rpmRingRead(r, &byte, 1), -1);
    assert_int_equal(rpmRingRead(r, &byte, 1), -1);
    assert_string_equal(rpmRingError(r), "Lzma library error: Corrupted input data");
    rpmRingFree(r);
    assert_int_equal(fake.closed, 1);
}

static void test_error_without_text_is_errnos(void **state)
{
    char *emsg = NULL;
    FD_t fd = fakeReset("x", 1);
    const unsigned char *data;
    rpmRing r;

    (void)state;
    fake.fails = 1;
    r = rpmRingNew(fd, expected, &emsg);
    assert_int_equal(rpmRingPeek(r, &data), -1);
    assert_string_equal(rpmRingError(r), "Input/output error");
    rpmRingFree(r);
}

static void test_thread_blocks_all_signals_but_sigbus(void **state)
{
    sigset_t before, after;
    rpmRing r;

    (void)state;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    r = start(10, 0);
    expectBytes(r, 0, 10);
    rpmRingFree(r);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    assert_int_equal(sigismember(&fake.mask, SIGTERM), 1);
    assert_int_equal(sigismember(&fake.mask, SIGINT), 1);
    assert_int_equal(sigismember(&fake.mask, SIGSEGV), 1);
    assert_int_equal(sigismember(&fake.mask, SIGBUS), 0);
    assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
    assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

static void test_no_thread_is_an_error_and_closes(void **state)
{
    char *emsg = NULL;
    FD_t fd = fakeReset("x", 1);

    (void)state;
    createFails = 1;
    assert_null(rpmRingNew(fd, expected, &emsg));
    createFails = 0;
    assert_string_equal(emsg, "cannot start the decompression thread: "
                              "Resource temporarily unavailable");
    assert_int_equal(fake.closed, 1);
    assert_int_equal(fake.reads, 0);
    rfree(emsg);
}

static void test_no_thread_for_one_buffer(void **state)
{
    (void)state;
    createFails = 1;
    expected = RPMRING_SLOTSIZE;
    rpmRingFree(start(100, 0));
    assert_int_equal(fake.reads, 0);
    expected++;
    createFails = 0;
    rpmRingFree(start(100, 0));
}

static int threaded(void **state)
{
    (void)state;
    expected = 0;
    return 0;
}

/* Whatever there is in truth. */
static int alone(void **state)
{
    (void)state;
    expected = 1;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_delivers_every_byte_in_order, threaded),
        cmocka_unit_test_setup(test_delivers_every_byte_in_order, alone),
        cmocka_unit_test_setup(test_peek_shows_bytes_until_they_are_skipped, threaded),
        cmocka_unit_test_setup(test_peek_shows_bytes_until_they_are_skipped, alone),
        cmocka_unit_test_setup(test_empty_stream, threaded),
        cmocka_unit_test_setup(test_empty_stream, alone),
        cmocka_unit_test_setup(test_reads_no_further_than_the_ring_holds, threaded),
        cmocka_unit_test_setup(test_stops_before_anything_was_read, threaded),
        cmocka_unit_test_setup(test_error_comes_after_the_bytes_before_it, threaded),
        cmocka_unit_test_setup(test_error_comes_after_the_bytes_before_it, alone),
        cmocka_unit_test_setup(test_error_without_text_is_errnos, threaded),
        cmocka_unit_test_setup(test_error_without_text_is_errnos, alone),
        cmocka_unit_test_setup(test_thread_blocks_all_signals_but_sigbus, threaded),
        cmocka_unit_test_setup(test_no_thread_is_an_error_and_closes, threaded),
        cmocka_unit_test(test_no_thread_for_one_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
