/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DIGEST_ACTING_H
#define DIGEST_ACTING_H

/* Files under a map while something happens to them: calls that are interposed, and sinks that act. */

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "digest_fixture.h"

#include "rpmfiledigest_internal.h"

/* The windows of a file of 3 * WINDOW bytes are of 1/8, 1/8, 1/4, 1/2, 1 and 1 of this. */
#define WINDOW (2u << 20)

/* ---- What is interposed ---- */

static atomic_int preads, mapped;
static int preadErrno;         /* pread() fails with it */
static int populateErrno;      /* MADV_POPULATE_READ fails with it */
static long fakeType;          /* f_type of every filesystem */
static int lieAboutHandlers;   /* sigaction() only remembers what it is told */
static struct sigaction remembered;

ssize_t __real_pread64(int fdno, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread64(int fdno, void *buf, size_t n, off_t offset);
void *__real_mmap64(void *addr, size_t len, int prot, int flags, int fdno, off_t offset);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fdno, off_t offset);
int __real_madvise(void *addr, size_t len, int advice);
int __wrap_madvise(void *addr, size_t len, int advice);
int __real_fstatfs64(int fdno, struct statfs *sfs);
int __wrap_fstatfs64(int fdno, struct statfs *sfs);
int __real_sigaction(int sig, const struct sigaction *action, struct sigaction *old);
int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old);

ssize_t __wrap_pread64(int fdno, void *buf, size_t n, off_t offset)
{
    atomic_fetch_add(&preads, 1);
    if (preadErrno == 0)
        return __real_pread64(fdno, buf, n, offset);
    errno = preadErrno;
    return -1;
}

void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fdno, off_t offset)
{
    if (fdno >= 0)
        atomic_fetch_add(&mapped, 1);
    return __real_mmap64(addr, len, prot, flags, fdno, offset);
}

int __wrap_madvise(void *addr, size_t len, int advice)
{
    if (populateErrno == 0 || advice != MADV_POPULATE_READ)
        return __real_madvise(addr, len, advice);
    errno = populateErrno;
    return -1;
}

int __wrap_fstatfs64(int fdno, struct statfs *sfs)
{
    int rc = __real_fstatfs64(fdno, sfs);

    if (fakeType != 0)
        sfs->f_type = fakeType;
    return rc;
}

int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
    if (!lieAboutHandlers)
        return __real_sigaction(sig, action, old);
    if (old != NULL)
        *old = remembered;
    if (action != NULL)
        remembered = *action;
    return 0;
}

/* ---- Sinks that do something to the file, or the process, while they have a window ---- */

struct act {
    int fdno;
    size_t seen;           /* bytes so far */
    size_t at;             /* when it is done: in the window that has this byte */
    int done;
    void (*what)(struct act *act, const unsigned char *window, size_t len);
    off_t size;            /* for what() */
    int sum;               /* every byte is read */
};

static inline int actingSink(void *data, const void *buf, size_t len)
{
    struct act *act = data;
    const unsigned char *bytes = buf;

    if (!act->done && act->what != NULL && act->at < act->seen + len) {
        act->done = 1;
        act->what(act, bytes, len);
    }
    for (size_t i = 0; i < len; i++)
        act->sum += bytes[i];
    act->seen += len;
    return 0;
}

static inline void setSize(struct act *act, const unsigned char *window, size_t len)
{
    (void)window;
    (void)len;
    assert_int_equal(ftruncate(act->fdno, act->size), 0);
}

/* Feed a file to one acting sink. */
static inline int feedTo(struct act *act, const rpmFileDigestOptions *opts, rpmFileDigestResult *res)
{
    rpmFileDigestSink sink = { actingSink, act };

    atomic_store(&preads, 0);
    atomic_store(&mapped, 0);
    return rpmFileDigestFeed(act->fdno, "the file", 0, RPMFILEDIGEST_REST, &sink, 1, opts, res);
}

static inline struct act actOn(const char *name, size_t size, size_t at,
                               void (*what)(struct act *act, const unsigned char *window, size_t len))
{
    struct act act = { .at = at, .what = what };

    act.fdno = open(fileOf(name, size), O_RDWR);
    assert_true(act.fdno >= 0);
    return act;
}

static inline struct sigaction busAction(void)
{
    struct sigaction action;

    assert_int_equal(__real_sigaction(SIGBUS, NULL, &action), 0);
    return action;
}

static inline int busIs(void (*handler)(int))
{
    return busAction().sa_handler == handler;
}

#endif /* DIGEST_ACTING_H */
