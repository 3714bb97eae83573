/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page cache is left as it was found, when that is asked for; what is not in it is read in large
 * pieces. */

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "digest_fixture.h"

#define SIZE (9000001)

static int refuseFlags; /* preadv2() with RWF_DONTCACHE: EOPNOTSUPP, as of a kernel before 6.14 */
static int noWait = -1; /* what preadv2() with RWF_NOWAIT says: its errno, 0 for success, or -1 */

ssize_t __real_preadv64v2(int fdno, const struct iovec *iov, int n, off_t offset, int flags);
ssize_t __wrap_preadv64v2(int fdno, const struct iovec *iov, int n, off_t offset, int flags);

static atomic_int probes, preads, maps;

ssize_t __real_pread64(int fdno, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread64(int fdno, void *buf, size_t n, off_t offset);
void *__real_mmap64(void *addr, size_t len, int prot, int flags, int fdno, off_t offset);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fdno, off_t offset);

ssize_t __wrap_pread64(int fdno, void *buf, size_t n, off_t offset)
{
    atomic_fetch_add(&preads, 1);
    return __real_pread64(fdno, buf, n, offset);
}

void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fdno, off_t offset)
{
    atomic_fetch_add(&maps, fdno >= 0);
    return __real_mmap64(addr, len, prot, flags, fdno, offset);
}

ssize_t __wrap_preadv64v2(int fdno, const struct iovec *iov, int n, off_t offset, int flags)
{
    atomic_fetch_add(&probes, flags == RWF_NOWAIT);
    if (noWait >= 0 && flags == RWF_NOWAIT) {
        errno = noWait;
        return noWait == 0 ? 1 : -1;
    }
    if (!refuseFlags || flags == RWF_NOWAIT)
        return __real_preadv64v2(fdno, iov, n, offset, flags);
    errno = EOPNOTSUPP;
    return -1;
}

/* A byte for each page of a file, 1 if it is in the page cache; how many are. */
static int resident(const char *path, unsigned char *pages)
{
    size_t n = (SIZE + (size_t)sysconf(_SC_PAGESIZE) - 1) / (size_t)sysconf(_SC_PAGESIZE);
    int fdno = open(path, O_RDONLY), count = 0;
    void *map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fdno, 0);

    assert_true(map != MAP_FAILED);
    assert_int_equal(mincore(map, SIZE, pages), 0);
    munmap(map, SIZE);
    close(fdno);
    for (size_t i = 0; i < n; i++)
        count += pages[i] &= 1;
    return count;
}

/* A file of which only some parts are in the page cache: one read() of `len` bytes every `step`. */
static const char *cachedPartly(size_t step, size_t len)
{
    const char *path = fileOf("cached", SIZE);
    int fdno = open(path, O_RDWR);
    char *buf = malloc(len + 1);

    assert_int_equal(fsync(fdno), 0);
    posix_fadvise(fdno, 0, 0, POSIX_FADV_DONTNEED);
    posix_fadvise(fdno, 0, 0, POSIX_FADV_RANDOM); /* no readahead */
    for (size_t at = 0; len > 0 && at < SIZE; at += step)
        assert_true(pread(fdno, buf, len, (off_t)at) > 0);
    free(buf);
    close(fdno);
    return path;
}

static const struct {
    size_t step, len;
} parts[] = {
    { SIZE, 0 },           /* nothing */
    { SIZE, SIZE / 2 },    /* the first half */
    { 1000000, 4096 },     /* single pages */
    { SIZE, SIZE },        /* all */
};

/* How many pages are gone that were there; none may have come. */
static int pagesLost(const unsigned char *before, const unsigned char *after)
{
    int lost = 0;

    for (size_t i = 0; i < (SIZE + 4095) / 4096; i++) {
        assert_true(after[i] <= before[i]);
        lost += before[i] - after[i];
    }
    return lost;
}

/* Digest a file of which parts are in the page cache; how many of its pages are not, afterwards. */
static int lostOf(size_t step, size_t len, const rpmFileDigestOptions *opts)
{
    const char *path = cachedPartly(step, len);
    unsigned char *before = malloc(SIZE / 4096 + 1), *after = malloc(SIZE / 4096 + 1);
    rpmFileDigestResult res;
    int lost;

    resident(path, before);
    assert_int_equal(rpmFileDigestPath(path, allAlgos, 2, opts, &res), 0);
    isDigestOf(&res, content, SIZE, allAlgos, 2);
    resident(path, after);
    lost = pagesLost(before, after);
    free(before);
    free(after);
    return lost;
}

/* The system may need memory at any time, or be told to empty its caches: that it takes pages is no
 * fault unless it happens every time. */
static void leavesAsFound(size_t step, size_t len, const rpmFileDigestOptions *opts)
{
    for (int i = 0; i < 5; i++) {
        if (lostOf(step, len, opts) == 0)
            return;
    }
    fail_msg("pages that were there are gone: step %zu, length %zu", step, len);
}

static void test_left_as_found(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        rpmFileDigestOptions opts = optionsOf(i % 2 ? RPMFILEDIGEST_READ : RPMFILEDIGEST_MAP,
                                              1 + i % 3);

        refuseFlags = i >= 6;
        opts.keepCache = 0;
        for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
            leavesAsFound(parts[p].step, parts[p].len, &opts);
    }
    refuseFlags = 0;
}

/* The control: without being asked, most of the file is there afterwards. */
static void test_kept_by_default(void **state)
{
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_AUTO, 1);
    const char *path = cachedPartly(SIZE, 0);
    unsigned char *pages = malloc(SIZE / 4096 + 1);
    rpmFileDigestResult res;

    (void)state;
    assert_int_equal(rpmFileDigestPath(path, allAlgos, 1, &opts, &res), 0);
    isDigestOf(&res, content, SIZE, allAlgos, 1);
    assert_true(resident(path, pages) > SIZE / 4096 / 2);
    free(pages);
}

/* What is asked of the system for a file of SIZE, of which all is in the page cache, or, by the errno
 * `err`, nothing is. */
static void isAsked(rpmFileDigestMethod method, int threads, int err, int nprobes, int npreads,
                    int nmaps)
{
    rpmFileDigestOptions opts = optionsOf(method, threads);
    const char *path = cachedPartly(SIZE, SIZE);
    rpmFileDigestResult res;

    noWait = err;
    atomic_store(&probes, 0);
    atomic_store(&preads, 0);
    atomic_store(&maps, 0);
    assert_int_equal(rpmFileDigestPath(path, allAlgos, 1, &opts, &res), 0);
    noWait = -1;
    isDigestOf(&res, content, SIZE, allAlgos, 1);
    assert_int_equal(atomic_load(&probes), nprobes);
    assert_int_equal(atomic_load(&preads), npreads);
    assert_int_equal(atomic_load(&maps), nmaps);
}

/* 2 MiB at a time where there are not too many processors to share the memory. A system that cannot
 * tell is asked once. */
static void test_calls(void **state)
{
    int few = sysconf(_SC_NPROCESSORS_ONLN) <= 16;

    (void)state;
    for (int threads = 1; threads < 4; threads++) {
        isAsked(RPMFILEDIGEST_MAP, threads, 0, 7, 0, 7);
        isAsked(RPMFILEDIGEST_MAP, threads, EOPNOTSUPP, 1, 0, 7);
        isAsked(RPMFILEDIGEST_READ, threads, 0, 8, 69, 0);
        isAsked(RPMFILEDIGEST_READ, threads, EOPNOTSUPP, 1, 69, 0);
        if (!few)
            continue;
        isAsked(RPMFILEDIGEST_MAP, threads, EAGAIN, 5, 5, 0);
        isAsked(RPMFILEDIGEST_READ, threads, EAGAIN, 5, 5, 0);
    }
}

/* On a filesystem that is nothing but page cache, as tmpfs, there is nothing to find out. */
static int skipWithoutDisk(void)
{
    unsigned char *pages = malloc(SIZE / 4096 + 1);
    int there;

    digestSetup(NULL);
    there = resident(cachedPartly(SIZE, 0), pages);
    free(pages);
    if (there == 0 && sysconf(_SC_PAGESIZE) == 4096)
        return 0;
    digestTeardown(NULL);
    printf("SKIPPED: the page cache cannot be emptied of a file below /tmp\n");
    return 1;
}

static int teardown(void **state)
{
    return digestTeardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left_as_found),
        cmocka_unit_test(test_kept_by_default),
        cmocka_unit_test(test_calls),
    };

    if (skipWithoutDisk())
        return 77;
    return cmocka_run_group_tests(tests, NULL, teardown);
}
