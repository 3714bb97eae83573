/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every method and hint: which system calls, in which order, and what a failure of each does. */

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rpm/rpmflush.h>

#include "flushwrap.h"

#define FILE_SIZE 3763601
#define CHUNK 131072
#define WRITES 29
#define DSYNCS 15

static char *bytes;
static char path[64];

static int makeBytes(void **state)
{
    (void)state;
    bytes = malloc(FILE_SIZE);
    for (size_t i = 0; i < FILE_SIZE; i++)
        bytes[i] = (char)(i * 31 + i / 4093);
    snprintf(path, sizeof(path), "/tmp/test_rpmflush.XXXXXX");
    close(mkstemp(path));
    return 0;
}

static int dropBytes(void **state)
{
    (void)state;
    unlink(path);
    free(bytes);
    return 0;
}

static rpmFlushPolicy policyOf(const char *flushIo, const char *fallocateAt, const char *dontneed)
{
    rpmFlushPolicy policy;

    rpmFlushPolicyInit(&policy);
    assert_int_equal(rpmFlushPolicyParse(&policy, "_flush_io", flushIo, NULL), 0);
    assert_int_equal(rpmFlushPolicyParse(&policy, "_flush_io_fallocate", fallocateAt, NULL), 0);
    assert_int_equal(rpmFlushPolicyParse(&policy, "_flush_io_dontneed", dontneed, NULL), 0);
    return policy;
}

static int openFor(rpmFlush flush)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | rpmFlushOpenFlags(flush), 0600);

    assert_true(fd >= 0);
    return fd;
}

/* Write size bytes in chunks under the policy; 0, or the errno of what failed. */
static int writeFile(rpmFlush flush, int fd, int64_t expected, size_t size, size_t chunk)
{
    rpmFlushFile file;
    int rc = 0;

    if (rpmFlushFileNew(flush, fd, expected, "the file", &file)) {
        rc = errno;
        assert_null(file);
        __real_close(fd);
        return rc;
    }
    for (size_t at = 0; at < size && rc == 0; at += chunk) {
        size_t n = size - at < chunk ? size - at : chunk;

        if (rpmFlushFileWrite(file, bytes + at, n) != (ssize_t)n)
            rc = errno;
    }
    if (rpmFlushFileClose(file)) {
        assert_true(rc == 0 || rc == errno);
        rc = errno;
    }
    rpmFlushFileFree(file);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    return rc;
}

static void contentIs(size_t size)
{
    char *back = malloc(size + 1);
    int fd = open(path, O_RDONLY);

    assert_int_equal(read(fd, back, size + 1), size);
    assert_memory_equal(back, bytes, size);
    __real_close(fd);
    free(back);
}

static int countOf(rpmFlush flush, rpmFlushKind kind)
{
    struct rpmop_s op;

    assert_int_equal(rpmFlushGetOp(flush, kind, &op), 0);
    return op.count;
}

/* The module's counts are those of the interposed calls. */
static void countsAgree(rpmFlush flush)
{
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_WRITE),
                     wraps[W_WRITE].calls + wraps[W_PWRITEV2].calls);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_ALLOC), wraps[W_FALLOCATE].calls);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_DSYNC), wraps[W_FDATASYNC].calls);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_SYNC), wraps[W_FSYNC].calls);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_ADVISE), wraps[W_FADVISE].calls);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_CUT), wraps[W_FTRUNCATE].calls);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_CLOSE), wraps[W_CLOSE].calls);
}

/* Install the file by a policy and expect these calls, by letter, probes left out. */
static void callsAre(const rpmFlushPolicy *policy, size_t size, size_t chunk, const char *calls)
{
    rpmFlush flush = rpmFlushNew(policy);
    char seen[sizeof(wrapLog)];
    size_t n = 0;
    int fd = openFor(flush);

    wrapReset();
    assert_int_equal(writeFile(flush, fd, (int64_t)size, size, chunk), 0);
    for (const char *c = wrapLog; *c != '\0'; c++) {
        if (*c != 'p')
            seen[n++] = *c;
    }
    seen[n] = '\0';
    assert_string_equal(seen, calls);
    countsAgree(flush);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    assert_null(rpmFlushTakeError(flush));
    contentIs(size);
    rpmFlushFree(flush);
}

static void test_off_and_none_add_no_call(void **state)
{
    rpmFlushPolicy policy = policyOf("0", "0", "");

    (void)state;
    callsAre(&policy, 5 * CHUNK, CHUNK, "wwwwwc");
    assert_null(strchr(wrapLog, 'p'));
    policy = policyOf("none", "0", "");
    callsAre(&policy, 5 * CHUNK, CHUNK, "wwwwwc");
    assert_null(strchr(wrapLog, 'p'));
}

static void test_osync_and_odsync_write_through(void **state)
{
    rpmFlushPolicy policy = policyOf("osync", "0", "");
    rpmFlush flush = rpmFlushNew(&policy);

    (void)state;
    assert_int_equal(rpmFlushOpenFlags(flush), O_SYNC);
    rpmFlushFree(flush);
    callsAre(&policy, 5 * CHUNK, CHUNK, "wwwwwc");
    policy = policyOf("odsync", "0", "");
    flush = rpmFlushNew(&policy);
    assert_int_equal(rpmFlushOpenFlags(flush), O_DSYNC);
    rpmFlushFree(flush);
    callsAre(&policy, 5 * CHUNK, CHUNK, "wwwwwc");
    assert_int_equal(rpmFlushOpenFlags(NULL), 0);
}

/* A writer that did not open the file itself still gets what the method promises. */
static void test_a_file_opened_without_the_flags_is_synced_after_each_write(void **state)
{
    static const struct {
        const char *method, *calls;
    } cases[] = { { "osync", "wswswsc" }, { "odsync", "wdwdwdc" } };

    (void)state;
    for (int i = 0; i < 2; i++) {
        rpmFlushPolicy policy = policyOf(cases[i].method, "0", "");
        rpmFlush flush = rpmFlushNew(&policy);
        int fd = openFor(NULL);

        wrapReset();
        assert_int_equal(writeFile(flush, fd, -1, 3 * CHUNK, CHUNK), 0);
        assert_string_equal(wrapLog, cases[i].calls);
        rpmFlushFree(flush);
    }
}

static void test_fsync_once_before_close(void **state)
{
    rpmFlushPolicy policy = policyOf("1", "0", "");

    (void)state;
    callsAre(&policy, 3 * CHUNK, CHUNK, "wwwsc");
    callsAre(&policy, 0, CHUNK, "sc");
}

static void test_fdatasync_every_interval_and_for_the_rest(void **state)
{
    rpmFlushPolicy policy = policyOf("fdatasync", "0", "");

    (void)state;
    callsAre(&policy, 4 * CHUNK, CHUNK, "wwdvwwdvsc");
    callsAre(&policy, 4 * CHUNK + 1, CHUNK, "wwdvwwdvwdvsc");
    callsAre(&policy, 1, CHUNK, "wdvsc");
    callsAre(&policy, 0, CHUNK, "sc");
    policy = policyOf("fdatasync", "0", "0");
    callsAre(&policy, 4 * CHUNK + 1, CHUNK, "wwdwwdwdsc");
}

/* However large the caller's writes are, no more than an interval is ever dirty. */
static void test_a_large_write_is_cut_at_the_interval(void **state)
{
    rpmFlushPolicy policy = policyOf("fdatasync", "0", "0");

    (void)state;
    callsAre(&policy, 1048576, 1048576, "wdwdwdwdsc");
    policy.interval = 5000;
    callsAre(&policy, 16384 + 100, 16384, "wdwdwdsc");
}

static void test_the_counts_of_the_original_measurements(void **state)
{
    rpmFlushPolicy policy = policyOf("fdatasync", "1", "");
    rpmFlush flush = rpmFlushNew(&policy);
    int fd = openFor(flush);
    struct rpmop_s op;
    char *text;

    (void)state;
    wrapReset();
    assert_int_equal(writeFile(flush, fd, FILE_SIZE, FILE_SIZE, CHUNK), 0);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_WRITE), WRITES);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_ALLOC), 1);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_DSYNC), DSYNCS);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_ADVISE), DSYNCS);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_SYNC), 1);
    assert_int_equal(rpmFlushGetOp(flush, RPMFLUSH_KIND_WRITE, &op), 0);
    assert_int_equal(op.bytes, FILE_SIZE);
    assert_int_equal(rpmFlushGetOp(flush, RPMFLUSH_KIND_ALLOC, &op), 0);
    assert_int_equal(op.bytes, FILE_SIZE);
    assert_int_equal(rpmFlushGetOp(flush, RPMFLUSH_KIND_MAX, &op), -1);
    countsAgree(flush);
    contentIs(FILE_SIZE);
    text = rpmFlushStats(flush);
    assert_non_null(strstr(text, "FDIO:      29 writes,  3763601 total bytes in "));
    assert_non_null(strstr(text, "\nFDIO:       1 allocs,  3763601 total bytes in "));
    assert_non_null(strstr(text, "\nFDIO:      15 dsyncs,        0 total bytes in "));
    assert_non_null(strstr(text, "\nFDIO:       1 syncs,        0 total bytes in "));
    assert_null(strstr(text, "closes"));
    free(text);
    rpmFlushFree(flush);
}

static void test_a_line_has_the_form_of_the_original(void **state)
{
    struct rpmop_s op = { .count = 15, .bytes = 7, .usecs = 12703922 };
    char *line = rpmFlushOpLine("FDIO", "dsyncs", &op);

    (void)state;
    assert_string_equal(line, "FDIO:      15 dsyncs,        7 total bytes in 12.703922 secs");
    free(line);
    assert_string_equal(rpmFlushKindName(RPMFLUSH_KIND_ALLOC), "allocs");
    assert_null(rpmFlushKindName(RPMFLUSH_KIND_MAX));
    assert_null(rpmFlushKindName((rpmFlushKind)-1));
}

static void test_short_writes_go_on(void **state)
{
    rpmFlushPolicy policy = policyOf("fdatasync", "0", "0");
    rpmFlush flush = rpmFlushNew(&policy);
    int fd = openFor(flush);

    (void)state;
    wrapReset();
    wrapShort = 50000;
    assert_int_equal(writeFile(flush, fd, -1, 2 * CHUNK, CHUNK), 0);
    assert_string_equal(wrapLog, "wwwwwwdsc");
    contentIs(2 * CHUNK);
    rpmFlushFree(flush);
}

/* ---- Failures ---- */

struct failure {
    const char *method, *fallocateAt, *dontneed;
    enum wrapped which;
    int nth;
    const char *calls; /* all of them, probes left out */
    const char *text;  /* before the errno's; NULL for no failure */
};

static void failsWith(const struct failure *f, int err)
{
    rpmFlushPolicy policy = policyOf(f->method, f->fallocateAt, f->dontneed);
    rpmFlush flush = rpmFlushNew(&policy);
    char seen[sizeof(wrapLog)], text[256];
    size_t n = 0;
    char *error;
    int fd = openFor(flush);

    wrapReset();
    wrapFail(f->which, f->nth, 1, err);
    assert_int_equal(writeFile(flush, fd, 4 * CHUNK, 4 * CHUNK, CHUNK), err);
    for (const char *c = wrapLog; *c != '\0'; c++) {
        if (*c != 'p')
            seen[n++] = *c;
    }
    seen[n] = '\0';
    assert_string_equal(seen, f->calls);
    countsAgree(flush);
    errno = 0;
    assert_int_equal(rpmFlushBarrier(flush), -1);
    assert_int_equal(errno, err);
    assert_int_equal(rpmFlushBarrier(flush), 0);
    error = rpmFlushTakeError(flush);
    snprintf(text, sizeof(text), "the file: %s: %s", f->text, strerror(err));
    assert_string_equal(error, text);
    free(error);
    assert_null(rpmFlushTakeError(flush));
    rpmFlushFree(flush);
}

/* After the first failure nothing but close is done: a later sync would come back clean. */
static void test_a_failed_call_fails_the_file_and_is_not_repeated(void **state)
{
    static const struct failure failures[] = {
        { "0", "0", "", W_WRITE, 3, "wwwc", "write failed" },
        { "0", "0", "", W_CLOSE, 1, "wwwwc", "close failed" },
        { "osync", "0", "", W_WRITE, 4, "wwwwc", "write failed" },
        { "osync", "0", "", W_CLOSE, 1, "wwwwc", "close failed" },
        { "odsync", "0", "", W_WRITE, 1, "wc", "write failed" },
        { "odsync", "0", "", W_CLOSE, 1, "wwwwc", "close failed" },
        { "fsync", "0", "", W_WRITE, 2, "wwc", "write failed" },
        { "fsync", "0", "", W_FSYNC, 1, "wwwwsc", "fsync failed" },
        { "fsync", "0", "", W_CLOSE, 1, "wwwwsc", "close failed" },
        { "fsync", "1", "", W_FALLOCATE, 1, "a", "cannot reserve 524288 bytes" },
        { "fdatasync", "1", "", W_FALLOCATE, 1, "a", "cannot reserve 524288 bytes" },
        { "fdatasync", "1", "", W_WRITE, 3, "awwdvwc", "write failed" },
        { "fdatasync", "1", "", W_FDATASYNC, 1, "awwdc", "fdatasync failed" },
        { "fdatasync", "1", "", W_FDATASYNC, 2, "awwdvwwdc", "fdatasync failed" },
        { "fdatasync", "1", "", W_FSYNC, 1, "awwdvwwdvsc", "fsync failed" },
        { "fdatasync", "1", "", W_CLOSE, 1, "awwdvwwdvsc", "close failed" },
    };
    static const int errors[] = { EIO, ENOSPC, EDQUOT };

    (void)state;
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++)
            failsWith(&failures[i], errors[k]);
    }
}

static void test_other_refusals_of_space_fail_too(void **state)
{
    static const struct failure tooBig = { "fsync", "1", "", W_FALLOCATE, 1, "a",
                                           "cannot reserve 524288 bytes" };

    (void)state;
    failsWith(&tooBig, EFBIG);
    failsWith(&tooBig, EROFS);
}

/* A regular file that refuses to be synced is no pipe: what is lost would be lost. */
static void test_einval_of_a_sync_fails_a_regular_file(void **state)
{
    static const struct failure cases[] = {
        { "fsync", "0", "", W_FSYNC, 1, "wwwwsc", "fsync failed" },
        { "fdatasync", "0", "", W_FDATASYNC, 2, "wwdvwwdc", "fdatasync failed" },
    };

    (void)state;
    for (int i = 0; i < 2; i++) {
        failsWith(&cases[i], EINVAL);
        failsWith(&cases[i], EROFS);
        failsWith(&cases[i], EOPNOTSUPP);
    }
}

static void test_a_pipe_has_nothing_to_sync(void **state)
{
    static const char *const methods[] = { "osync", "odsync", "fsync", "fdatasync" };
    int fds[2];

    (void)state;
    for (int i = 0; i < 4; i++) {
        rpmFlushPolicy policy = policyOf(methods[i], "1", "1");
        rpmFlush flush = rpmFlushNew(&policy);
        char back[8];

        assert_int_equal(pipe(fds), 0);
        wrapReset();
        assert_int_equal(writeFile(flush, fds[1], 5, 5, 5), 0);
        assert_int_equal(read(fds[0], back, sizeof(back)), 5);
        assert_memory_equal(back, bytes, 5);
        assert_int_equal(wraps[W_FADVISE].calls + wraps[W_FALLOCATE].calls, 0);
        __real_close(fds[0]);
        rpmFlushFree(flush);
    }
}

static void test_eintr_is_tried_again(void **state)
{
    static const struct {
        enum wrapped which;
        const char *calls;
    } cases[] = {
        { W_FALLOCATE, "ppppaaawwdvsc" }, { W_WRITE, "ppppawwwwdvsc" },
        { W_FDATASYNC, "ppppawwdddvsc" }, { W_FSYNC, "ppppawwdvsssc" },
        { W_CLOSE, "ppppawwdvsc" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rpmFlushPolicy policy = policyOf("fdatasync", "1", "");
        rpmFlush flush = rpmFlushNew(&policy);
        int fd = openFor(flush);

        wrapReset();
        wrapFail(cases[i].which, 1, 2, EINTR);
        assert_int_equal(writeFile(flush, fd, 2 * CHUNK, 2 * CHUNK, CHUNK), 0);
        assert_string_equal(wrapLog, cases[i].calls);
        countsAgree(flush);
        assert_int_equal(rpmFlushBarrier(flush), 0);
        contentIs(2 * CHUNK);
        rpmFlushFree(flush);
    }
}

static void test_a_write_of_nothing_is_an_error_not_a_loop(void **state)
{
    static const struct failure nothing = { "fsync", "0", "", W_WRITE, 2, "wwc", "write failed" };

    (void)state;
    wrapZero = true;
    failsWith(&nothing, EIO);
    wrapZero = false;
}

static void test_the_first_failure_of_a_group_is_told(void **state)
{
    rpmFlushPolicy policy = policyOf("fsync", "0", "");
    rpmFlush flush = rpmFlushNew(&policy);
    char *error;

    (void)state;
    wrapReset();
    wrapFail(W_FSYNC, 1, 1, EIO);
    assert_int_equal(writeFile(flush, openFor(flush), -1, CHUNK, CHUNK), EIO);
    wrapFail(W_WRITE, 2, 1, ENOSPC);
    assert_int_equal(writeFile(flush, openFor(flush), -1, CHUNK, CHUNK), ENOSPC);
    assert_int_equal(writeFile(flush, openFor(flush), -1, CHUNK, CHUNK), 0);
    assert_int_equal(rpmFlushBarrier(flush), -1);
    assert_int_equal(errno, EIO);
    error = rpmFlushTakeError(flush);
    assert_string_equal(error, "the file: fsync failed: Input/output error");
    free(error);
    assert_null(rpmFlushTakeError(flush));
    rpmFlushFree(flush);
}

static void test_giving_up_forgets_the_failure(void **state)
{
    rpmFlushPolicy policy = policyOf("fsync", "0", "");
    rpmFlush flush = rpmFlushNew(&policy);
    rpmFlushFile file;
    int fd = openFor(flush);

    (void)state;
    wrapReset();
    wrapFail(W_WRITE, 1, 1, EIO);
    assert_int_equal(rpmFlushFileNew(flush, fd, -1, "given up", &file), 0);
    assert_int_equal(rpmFlushFileWrite(file, bytes, 10), -1);
    assert_int_equal(rpmFlushFileWrite(file, bytes, 10), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(rpmFlushFileWrote(file, 10), -1);
    assert_int_equal(wraps[W_WRITE].calls, 1);
    rpmFlushFileFree(file);
    assert_int_equal(fcntl(fd, F_GETFD), 0);
    assert_int_equal(wraps[W_FSYNC].calls, 0);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_WRITE), 1);
    __real_close(fd);
    rpmFlushGiveUp(flush);
    assert_null(rpmFlushTakeError(flush));
    assert_int_equal(rpmFlushBarrier(flush), 0);
    rpmFlushFree(flush);
}

/* One file of a group is left out: its failure is its own, and the others' barrier holds. */
static void test_forget_one_file(void **state)
{
    rpmFlushPolicy policy = policyOf("fsync", "0", "");
    rpmFlush flush = rpmFlushNew(&policy);
    rpmFlushFile file;
    int fd = openFor(flush);

    (void)state;
    for (int forget = 0; forget < 2; forget++) {
        wrapReset();
        wrapFail(W_WRITE, 1, 1, EIO);
        assert_int_equal(rpmFlushFileNew(flush, fd, -1, "left out", &file), 0);
        assert_int_equal(rpmFlushFileWrite(file, bytes, 10), -1);
        rpmFlushFileFree(file);
        if (forget)
            rpmFlushForget(flush);
        assert_int_equal(rpmFlushBarrier(flush), forget ? 0 : -1);
        if (!forget)
            free(rpmFlushTakeError(flush));
    }
    assert_null(rpmFlushTakeError(flush));
    rpmFlushForget(NULL);
    __real_close(fd);
    rpmFlushFree(flush);
}

/* The preload shim's way: the caller writes, the module is told. */
static void test_told_of_writes_the_interval_holds(void **state)
{
    rpmFlushPolicy policy = policyOf("fdatasync", "0", "0");
    rpmFlush flush = rpmFlushNew(&policy);
    rpmFlushFile file;
    int fd = openFor(flush);

    (void)state;
    wrapReset();
    assert_int_equal(rpmFlushFileNew(flush, fd, -1, "told", &file), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(rpmFlushFileWrote(file, CHUNK), 0);
    assert_int_equal(rpmFlushFileClose(file), 0);
    assert_string_equal(wrapLog, "dddsc");
    assert_int_equal(rpmFlushFileOp(file, RPMFLUSH_KIND_DSYNC)->count, 3);
    assert_null(rpmFlushFileOp(file, RPMFLUSH_KIND_MAX));
    rpmFlushFileFree(file);
    rpmFlushFree(flush);
}

static void *writeMany(void *arg)
{
    rpmFlush flush = arg;

    for (int i = 0; i < 50; i++) {
        rpmFlushFile file;
        int fd = open("/tmp", O_TMPFILE | O_WRONLY, 0600);

        if (rpmFlushFileNew(flush, fd, 10, "unnamed", &file) == 0) {
            rpmFlushFileWrite(file, bytes, 10);
            rpmFlushFileClose(file);
            rpmFlushFileFree(file);
        }
    }
    return NULL;
}

static void test_threads_share_a_flush_object(void **state)
{
    rpmFlushPolicy policy = policyOf("fdatasync", "1", "1");
    rpmFlush flush = rpmFlushNew(&policy);
    pthread_t threads[4];

    (void)state;
    wrapReset();
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, writeMany, flush), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_WRITE), 200);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_SYNC), 200);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_CLOSE), 200);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_ALLOC), 200);
    countsAgree(flush);
    rpmFlushFree(flush);
}

static void test_a_filesystem_is_synced_but_for_none(void **state)
{
    rpmFlushPolicy policy = policyOf("0", "0", "");
    rpmFlush flush = rpmFlushNew(&policy);
    int fd = open("/dev/shm", O_RDONLY | O_DIRECTORY);
    char *error;

    (void)state;
    assert_true(fd >= 0);
    wrapReset();
    assert_int_equal(rpmFlushSyncFs(flush, fd, "/dev/shm"), 0);
    wrapFail(W_SYNCFS, 2, 1, EIO);
    assert_int_equal(rpmFlushSyncFs(flush, fd, "/dev/shm"), -1);
    assert_int_equal(errno, EIO);
    error = rpmFlushTakeError(flush);
    assert_string_equal(error, "/dev/shm: syncfs failed: Input/output error");
    free(error);
    wrapFail(W_SYNCFS, 3, 1, EINTR);
    assert_int_equal(rpmFlushSyncFs(flush, fd, "/dev/shm"), 0);
    assert_string_equal(wrapLog, "SSSS");
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_FSSYNC), 4);
    rpmFlushFree(flush);
    policy = policyOf("none", "0", "");
    flush = rpmFlushNew(&policy);
    assert_int_equal(rpmFlushSyncFs(flush, fd, "/dev/shm"), 0);
    assert_int_equal(wraps[W_SYNCFS].calls, 4);
    rpmFlushFree(flush);
    __real_close(fd);
}

static void test_null_is_nothing(void **state)
{
    (void)state;
    assert_null(rpmFlushFree(NULL));
    assert_null(rpmFlushFileFree(NULL));
    assert_int_equal(rpmFlushBarrier(NULL), 0);
    assert_null(rpmFlushTakeError(NULL));
    rpmFlushGiveUp(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off_and_none_add_no_call),
        cmocka_unit_test(test_osync_and_odsync_write_through),
        cmocka_unit_test(test_a_file_opened_without_the_flags_is_synced_after_each_write),
        cmocka_unit_test(test_fsync_once_before_close),
        cmocka_unit_test(test_fdatasync_every_interval_and_for_the_rest),
        cmocka_unit_test(test_a_large_write_is_cut_at_the_interval),
        cmocka_unit_test(test_the_counts_of_the_original_measurements),
        cmocka_unit_test(test_a_line_has_the_form_of_the_original),
        cmocka_unit_test(test_short_writes_go_on),
        cmocka_unit_test(test_a_failed_call_fails_the_file_and_is_not_repeated),
        cmocka_unit_test(test_other_refusals_of_space_fail_too),
        cmocka_unit_test(test_einval_of_a_sync_fails_a_regular_file),
        cmocka_unit_test(test_a_pipe_has_nothing_to_sync),
        cmocka_unit_test(test_eintr_is_tried_again),
        cmocka_unit_test(test_a_write_of_nothing_is_an_error_not_a_loop),
        cmocka_unit_test(test_the_first_failure_of_a_group_is_told),
        cmocka_unit_test(test_giving_up_forgets_the_failure),
        cmocka_unit_test(test_forget_one_file),
        cmocka_unit_test(test_told_of_writes_the_interval_holds),
        cmocka_unit_test(test_threads_share_a_flush_object),
        cmocka_unit_test(test_a_filesystem_is_synced_but_for_none),
        cmocka_unit_test(test_null_is_nothing),
    };
    return cmocka_run_group_tests(tests, makeBytes, dropBytes);
}
