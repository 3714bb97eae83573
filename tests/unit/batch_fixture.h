/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef BATCH_FIXTURE_H
#define BATCH_FIXTURE_H

/* Groups of files under the method batch, in a directory whose filesystem pretends to be ext4. */

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rpm/rpmflush.h>

#include "flushwrap.h"

#define INTERVAL 65536
#define BTRFS 0x9123683eu
#define TMPFS 0x01021994u

static char bytes[8 * INTERVAL];
static char dir[64];
static int dirFd;
static size_t page;

static int start(void **state)
{
    (void)state;
    page = (size_t)sysconf(_SC_PAGESIZE);
    snprintf(dir, sizeof(dir), "/tmp/test_rpmflush_batch.XXXXXX");
    assert_non_null(mkdtemp(dir));
    dirFd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    wrapReset();
    wrapMeminfo = "MemTotal: 1 kB\nDirty:     0 kB\nWriteback:   0 kB\n";
    return dirFd < 0;
}

static int removeOne(const char *path, const struct stat *sb, int type, struct FTW *ftw)
{
    (void)sb, (void)type, (void)ftw;
    return remove(path);
}

static int stop(void **state)
{
    (void)state;
    __real_close(dirFd);
    return nftw(dir, removeOne, 8, FTW_DEPTH | FTW_PHYS);
}

static inline rpmFlushPolicy policyOf(rpmFlushBarrierBy barrier)
{
    rpmFlushPolicy policy;

    rpmFlushPolicyInit(&policy);
    assert_int_equal(rpmFlushPolicyParse(&policy, "_flush_io", "batch", NULL), 0);
    policy.barrier = barrier;
    policy.interval = INTERVAL;
    return policy;
}

/* Told of the directory's filesystem. */
static inline rpmFlush flushBy(const rpmFlushPolicy *policy)
{
    rpmFlush flush = rpmFlushNew(policy);

    assert_int_equal(rpmFlushWillWrite(flush, dirFd, dir), 0);
    return flush;
}

static inline rpmFlush flushOf(rpmFlushBarrierBy barrier)
{
    rpmFlushPolicy policy = policyOf(barrier);

    return flushBy(&policy);
}

static inline const char *nameOf(int i)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%d", dir, i);
    return path;
}

/* Open file i for writing; its label is its path. */
static inline rpmFlushFile openFile(rpmFlush flush, int i, int64_t size)
{
    int fd = open(nameOf(i), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    rpmFlushFile file;

    assert_true(fd >= 0);
    assert_int_equal(rpmFlushFileNew(flush, fd, size, nameOf(i), &file), 0);
    return file;
}

static inline void closed(rpmFlushFile file)
{
    assert_int_equal(rpmFlushFileClose(file), 0);
    rpmFlushFileFree(file);
}

static inline void writeFile(rpmFlush flush, int i, size_t size)
{
    rpmFlushFile file = openFile(flush, i, (int64_t)size);

    assert_int_equal(rpmFlushFileWrite(file, bytes, size), size);
    closed(file);
}

static inline void writeFiles(rpmFlush flush, int n)
{
    for (int i = 0; i < n; i++)
        writeFile(flush, i, 100);
}

/* How many descriptors the process has. */
static inline int inUse(void)
{
    int n = 0;

    for (int fd = 0; fd < 4096; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* The number that the next descriptor will have. */
static inline int nextNumber(void)
{
    int fd = open("/dev/null", O_RDONLY);

    __real_close(fd);
    return fd;
}

/* The calls so far, probes and writes left out, and forget them. */
static inline void callsAre(const char *wanted)
{
    char seen[sizeof(wrapLog)];
    size_t n = 0;

    for (const char *c = wrapLog; *c != '\0'; c++) {
        if (*c != 'p' && *c != 'w')
            seen[n++] = *c;
    }
    seen[n] = '\0';
    assert_string_equal(seen, wanted);
    memset(wrapLog, 0, sizeof(wrapLog));
}

static inline int countOf(rpmFlush flush, rpmFlushKind kind)
{
    struct rpmop_s op;

    assert_int_equal(rpmFlushGetOp(flush, kind, &op), 0);
    return op.count;
}

/* So many of these, and the module has counted what was called. */
static inline void countsAre(rpmFlush flush, int syncs, int syncfses)
{
    assert_int_equal(wraps[W_FSYNC].calls, syncs);
    assert_int_equal(wraps[W_SYNCFS].calls, syncfses);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_SYNC), syncs);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_FSSYNC), syncfses);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_CLOSE), wraps[W_CLOSE].calls);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_RANGE), wraps[W_RANGE].calls);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_DSYNC), wraps[W_FDATASYNC].calls);
    assert_int_equal(countOf(flush, RPMFLUSH_KIND_ADVISE), wraps[W_FADVISE].calls);
}

static inline void reportHas(rpmFlush flush, const char *wanted)
{
    char *text = rpmFlushReport(flush);

    if (strstr(text, wanted) == NULL)
        fail_msg("no '%s' in '%s'", wanted, text);
    free(text);
}

static inline void errorIs(rpmFlush flush, const char *label, const char *rest)
{
    char *error = rpmFlushTakeError(flush);
    char wanted[512];

    snprintf(wanted, sizeof(wanted), "%s: %s", label, rest);
    assert_string_equal(error, wanted);
    free(error);
}

/* Inodes whose fsync fails, for wrapOnSync. */
static ino_t bad[2];

static inline bool isBad(int fd)
{
    struct stat sb;

    assert_int_equal(__real_fstat64(fd, &sb), 0);
    return sb.st_ino == bad[0] || sb.st_ino == bad[1];
}

static inline ino_t inodeOf(int i)
{
    struct stat sb;

    assert_int_equal(stat(nameOf(i), &sb), 0);
    return sb.st_ino;
}

#endif /* BATCH_FIXTURE_H */
