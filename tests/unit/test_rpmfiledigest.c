/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests of one file by any method: sizes, parts, positions, what is not a file, errors. */

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "digest_fixture.h"

#include <rpm/rpmmacro.h>

static const rpmFileDigestMethod methods[] = { RPMFILEDIGEST_READ, RPMFILEDIGEST_MAP,
                                               RPMFILEDIGEST_AUTO };
#define NMETHODS (sizeof(methods) / sizeof(methods[0]))

/* Reads fail or come short when told so. */
static size_t readMost;                  /* 0: as much as is asked for */
static int readErrno, readFailures;      /* the next readFailures calls fail */
static int64_t readFailsFrom = INT64_MAX; /* pread() fails with readErrno from this offset on */

ssize_t __real_read(int fdno, void *buf, size_t n);
ssize_t __wrap_read(int fdno, void *buf, size_t n);
ssize_t __real_pread64(int fdno, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread64(int fdno, void *buf, size_t n, off_t offset);

static int failsNow(int64_t offset)
{
    if (readFailures == 0 && offset < readFailsFrom)
        return 0;
    if (readFailures > 0)
        readFailures--;
    errno = readErrno;
    return 1;
}

ssize_t __wrap_read(int fdno, void *buf, size_t n)
{
    if (failsNow(0))
        return -1;
    return __real_read(fdno, buf, readMost > 0 && n > readMost ? readMost : n);
}

ssize_t __wrap_pread64(int fdno, void *buf, size_t n, off_t offset)
{
    if (failsNow(offset))
        return -1;
    return __real_pread64(fdno, buf, readMost > 0 && n > readMost ? readMost : n, offset);
}

static void test_every_size(void **state)
{
    static const size_t borders[] = { 0,       4096,    8192,    65536,   262144,
                                      1 << 20, 4 << 20, 8 << 20, 12 << 20 };

    (void)state;
    for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++) {
        for (size_t size = borders[i] < 2 ? 0 : borders[i] - 2; size <= borders[i] + 2; size++) {
            const char *path = fileOf("sizes", size);
            rpmFileDigestResult res;

            for (size_t m = 0; m < NMETHODS; m++) {
                rpmFileDigestOptions opts = optionsOf(methods[m], 1 + (int)(size % 3));
                int n = i < 4 ? NALGOS : 1;

                assert_int_equal(rpmFileDigestPath(path, allAlgos, n, &opts, &res), 0);
                isDigestOf(&res, content, size, allAlgos, n);
            }
        }
    }
}

static void test_several_algorithms(void **state)
{
    const char *path = fileOf("several", 30000001);
    rpmFileDigestResult res;

    (void)state;
    for (size_t m = 0; m < NMETHODS; m++) {
        for (int threads = 0; threads <= 8; threads++) {
            rpmFileDigestOptions opts = optionsOf(methods[m], threads);
            int n = threads == 0 ? 3 : 1 + (threads * 5) % NALGOS;

            assert_int_equal(rpmFileDigestPath(path, allAlgos, n, &opts, &res), 0);
            isDigestOf(&res, content, 30000001, allAlgos, n);
        }
    }
}

static const struct {
    int64_t offset, length;
    size_t from, size; /* what must have been read of a file of 9000001 bytes */
} parts[] = {
    { 0, RPMFILEDIGEST_REST, 0, 9000001 },
    { 1, RPMFILEDIGEST_REST, 1, 9000000 },
    { 4095, 4098, 4095, 4098 },
    { 4097, 8999000, 4097, 8995904 },
    { 8388608, 1, 8388608, 1 },
    { 9000000, 10, 9000000, 1 },
    { 9000001, RPMFILEDIGEST_REST, 9000001, 0 },
    { 10000000, RPMFILEDIGEST_REST, 10000000, 0 },
    { 5, 0, 5, 0 },
    { RPMFILEDIGEST_HERE, 100, 70, 100 },
    { RPMFILEDIGEST_HERE, RPMFILEDIGEST_REST, 70, 8999931 },
};

static void test_parts_and_positions(void **state)
{
    int fdno = open(fileOf("parts", 9000001), O_RDONLY);
    rpmFileDigestResult res;

    (void)state;
    for (size_t m = 0; m < NMETHODS; m++) {
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
            rpmFileDigestOptions opts = optionsOf(methods[m], 1 + (int)(i % 3));

            lseek(fdno, 70, SEEK_SET);
            assert_int_equal(rpmFileDigestRange(fdno, "parts", parts[i].offset, parts[i].length,
                                                allAlgos, 2, &opts, &res), 0);
            isDigestOf(&res, content + parts[i].from, parts[i].size, allAlgos, 2);
            assert_int_equal(lseek(fdno, 0, SEEK_CUR), parts[i].from + parts[i].size);
        }
    }
    lseek(fdno, 70, SEEK_SET);
    assert_int_equal(rpmFileDigestFd(fdno, "parts", allAlgos, 1, NULL, &res), 0);
    isDigestOf(&res, content, 9000001, allAlgos, 1);
    assert_int_equal(lseek(fdno, 0, SEEK_CUR), 9000001);
    close(fdno);
}

/* A pipe with so many bytes in it, or to come. */
static int pipeOf(size_t size, pid_t *pid)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    *pid = fork();
    if (*pid == 0) {
        size_t done = 0;
        ssize_t n = 0;

        while (done < size && (n = write(ends[1], content + done, size - done)) > 0)
            done += (size_t)n;
        _exit(n < 0);
    }
    close(ends[1]);
    return ends[0];
}

static void test_pipes(void **state)
{
    static const size_t sizes[] = { 0, 1, 65537, 3000000 };
    rpmFileDigestResult res;
    pid_t pid;

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        rpmFileDigestOptions opts = optionsOf(methods[i % NMETHODS], 2);
        int fdno = pipeOf(sizes[i], &pid), status;

        fcntl(fdno, F_SETFL, i % 2 ? O_NONBLOCK : 0);
        assert_int_equal(rpmFileDigestFd(fdno, "pipe", allAlgos, 3, &opts, &res), 0);
        isDigestOf(&res, content, sizes[i], allAlgos, 3);
        close(fdno);
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
    }
}

static void test_parts_of_pipes(void **state)
{
    pid_t pid;
    int fdno = pipeOf(1000000, &pid);
    rpmFileDigestResult res;

    (void)state;
    assert_int_equal(rpmFileDigestRange(fdno, "pipe", 0, 300000, allAlgos, 1, NULL, &res), 0);
    isDigestOf(&res, content, 300000, allAlgos, 1);
    assert_int_equal(rpmFileDigestRange(fdno, "pipe", RPMFILEDIGEST_HERE, RPMFILEDIGEST_REST,
                                        allAlgos, 1, NULL, &res), 0);
    isDigestOf(&res, content + 300000, 700000, allAlgos, 1);
    assert_int_equal(rpmFileDigestRange(fdno, "pipe", 1, 1, allAlgos, 1, NULL, &res), -1);
    isFailure(&res, ESPIPE, "pipe: lseek: ");
    close(fdno);
    waitpid(pid, NULL, 0);
}

/* Files that say they have no bytes, or more than they have. */
static void test_files_of_the_kernel(void **state)
{
    static const char *const paths[] = { "/proc/self/cmdline", "/proc/version", "/proc/filesystems",
                                         "/sys/kernel/mm/transparent_hugepage/enabled" };
    char *data = malloc(65536);
    rpmFileDigestResult res;

    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        int fdno = open(paths[i], O_RDONLY);
        ssize_t n = fdno >= 0 ? read(fdno, data, 65536) : -1;

        if (fdno >= 0)
            close(fdno);
        for (size_t m = 0; m < NMETHODS && n > 0; m++) {
            rpmFileDigestOptions opts = optionsOf(methods[m], 2);

            opts.threshold = 0;
            assert_int_equal(rpmFileDigestPath(paths[i], allAlgos, 2, &opts, &res), 0);
            isDigestOf(&res, data, (size_t)n, allAlgos, 2);
        }
    }
    free(data);
}

static void test_fifo_without_writer(void **state)
{
    rpmFileDigestResult res;

    (void)state;
    assert_int_equal(mkfifo(inTree("fifo"), 0600), 0);
    assert_int_equal(rpmFileDigestPath(inTree("fifo"), allAlgos, 1, NULL, &res), 0);
    isDigestOf(&res, content, 0, allAlgos, 1);
}

static void test_short_and_interrupted_reads(void **state)
{
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_READ, 1);
    const char *path = fileOf("short", 100003);
    rpmFileDigestResult res;

    (void)state;
    readMost = 1000;
    readErrno = EINTR;
    readFailures = 3;
    assert_int_equal(rpmFileDigestPath(path, allAlgos, 2, &opts, &res), 0);
    isDigestOf(&res, content, 100003, allAlgos, 2);
    assert_int_equal(readFailures, 0);
    readMost = 0;
}

static void test_read_errors(void **state)
{
    static const int64_t from[] = { 0, 1 << 20 };
    const char *path = fileOf("errors", 3000000);
    rpmFileDigestResult res;

    (void)state;
    readErrno = EIO;
    for (int threads = 1; threads <= 3; threads++) {
        rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_READ, threads);

        for (size_t i = 0; i < 2; i++) {
            readFailsFrom = from[i];
            assert_int_equal(rpmFileDigestPath(path, allAlgos, threads, &opts, &res), -1);
            assert_int_equal(errno, EIO);
            assert_int_equal(res.size, from[i]);
            isFailure(&res, EIO, "errors: read: ");
        }
    }
    readFailsFrom = INT64_MAX;
}

static void test_refusals(void **state)
{
    static const int unknown[] = { SHA256, 99 };
    int algos[RPMFILEDIGEST_MAX + 1] = { SHA256, SHA256, SHA256, SHA256, SHA256,
                                         SHA256, SHA256, SHA256, SHA256 };
    const char *path = fileOf("refusals", 10);
    rpmFileDigestResult res;

    (void)state;
    assert_int_equal(rpmFileDigestPath(path, unknown, 2, NULL, &res), -1);
    isFailure(&res, EINVAL, "refusals: digest algorithm: ");
    assert_int_equal(rpmFileDigestPath(path, algos, 0, NULL, &res), -1);
    isFailure(&res, EINVAL, "number of algorithms");
    assert_int_equal(rpmFileDigestPath(path, algos, RPMFILEDIGEST_MAX + 1, NULL, &res), -1);
    isFailure(&res, EINVAL, "number of algorithms");
    assert_int_equal(rpmFileDigestPath(path, algos, RPMFILEDIGEST_MAX, NULL, &res), 0);
    isDigestOf(&res, content, 10, algos, RPMFILEDIGEST_MAX);
    assert_int_equal(rpmFileDigestPath(inTree("missing"), algos, 1, NULL, &res), -1);
    isFailure(&res, ENOENT, "missing: open: ");
    assert_int_equal(rpmFileDigestPath(tree, algos, 1, NULL, &res), -1);
    isFailure(&res, EISDIR, ": read: ");
    assert_int_equal(rpmFileDigestFd(-1, "no file", algos, 1, NULL, &res), -1);
    isFailure(&res, EBADF, "no file: fstat: ");
    assert_int_equal(rpmFileDigestRange(0, "part", -2, 0, algos, 1, NULL, &res), -1);
    isFailure(&res, EINVAL, "part: offset or length: ");
}

/* ---- Sinks ---- */

struct collector {
    unsigned char *data;
    size_t n;
    size_t failAt;
};

static int collect(void *data, const void *buf, size_t len)
{
    struct collector *c = data;

    if (c->n + len > c->failAt)
        return ENOSPC;
    memcpy(c->data + c->n, buf, len);
    c->n += len;
    return 0;
}

static void test_sinks(void **state)
{
    struct collector c[3];
    rpmFileDigestSink sinks[3];
    rpmFileDigestResult res;
    int fdno = open(fileOf("sinks", 9000001), O_RDONLY);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        c[i].data = malloc(9000001);
        sinks[i].update = collect;
        sinks[i].data = &c[i];
    }
    for (size_t m = 0; m < NMETHODS * 3; m++) {
        rpmFileDigestOptions opts = optionsOf(methods[m % NMETHODS], 1 + (int)(m / NMETHODS));

        for (size_t i = 0; i < 3; i++) {
            c[i].n = 0;
            c[i].failAt = SIZE_MAX;
        }
        assert_int_equal(rpmFileDigestFeed(fdno, "sinks", 1, RPMFILEDIGEST_REST, sinks, 3, &opts,
                                           &res), 0);
        assert_null(res.hex);
        assert_int_equal(res.size, 9000000);
        rpmFileDigestResultFini(&res);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(c[i].n, 9000000);
            assert_memory_equal(c[i].data, content + 1, 9000000);
            c[i].n = 0;
        }
        c[1].failAt = 5000000;
        assert_int_equal(rpmFileDigestFeed(fdno, "sinks", 0, RPMFILEDIGEST_REST, sinks, 3, &opts,
                                           &res), -1);
        isFailure(&res, ENOSPC, "sinks: digest: ");
        assert_int_equal(rpmFileDigestFeed(fdno, "sinks", 0, RPMFILEDIGEST_REST, sinks, 0, &opts,
                                           &res), -1);
        isFailure(&res, EINVAL, "sinks: number of sinks: ");
    }
    for (size_t i = 0; i < 3; i++)
        free(c[i].data);
    close(fdno);
}

/* ---- Options ---- */

static const struct {
    const char *value;
    uint64_t threshold; /* 1: refused */
} thresholds[] = {
    { "0", 0 },
    { " 64K ", 65536 },
    { "2m", 2 << 20 },
    { "never", UINT64_MAX },
    { "8E", 1 },
    { "-1", 1 },
    { "always", 1 },
    { "99999999999999999999", 1 },
};

static void test_macro(void **state)
{
    rpmFileDigestOptions builtin, opts;
    char *emsg = NULL;

    (void)state;
    rpmFileDigestOptionsInit(&builtin);
    assert_int_equal(rpmFileDigestOptionsFromMacros(&opts, &emsg), 0);
    assert_memory_equal(&opts, &builtin, sizeof(opts));
    for (size_t i = 0; i < sizeof(thresholds) / sizeof(thresholds[0]); i++) {
        rpmPushMacro(NULL, "_digest_mmap_threshold", NULL, thresholds[i].value, 0);
        if (thresholds[i].threshold != 1) {
            assert_int_equal(rpmFileDigestOptionsFromMacros(&opts, &emsg), 0);
            assert_true(opts.threshold == thresholds[i].threshold);
        } else {
            assert_int_equal(rpmFileDigestOptionsFromMacros(&opts, NULL), -1);
            assert_int_equal(rpmFileDigestOptionsFromMacros(&opts, &emsg), -1);
            assert_non_null(strstr(emsg, "macro %_digest_mmap_threshold: unknown value '"));
            assert_non_null(strstr(emsg, thresholds[i].value));
            assert_memory_equal(&opts, &builtin, sizeof(opts));
            free(emsg);
            emsg = NULL;
        }
        rpmPopMacro(NULL, "_digest_mmap_threshold");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_several_algorithms),
        cmocka_unit_test(test_parts_and_positions),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_parts_of_pipes),
        cmocka_unit_test(test_files_of_the_kernel),
        cmocka_unit_test(test_fifo_without_writer),
        cmocka_unit_test(test_short_and_interrupted_reads),
        cmocka_unit_test(test_read_errors),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_sinks),
        cmocka_unit_test(test_macro),
    };

    return cmocka_run_group_tests(tests, digestSetup, digestTeardown);
}
