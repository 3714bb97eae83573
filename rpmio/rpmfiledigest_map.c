/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A window by a map. */

#include "rpmfiledigest_internal.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Large enough that calls do not count and that folios of 2 MiB are mapped whole; small enough for
 * a 32-bit address space with many workers. The first ones are smaller: until the first is ready,
 * nothing is hashed. */
#define WINDOW (4 * 1024 * 1024)
#define WINDOW_FIRST (256 * 1024)

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14; the number is the same everywhere */
#endif

static int64_t mapStart(int64_t offset)
{
    return offset & ~(int64_t)(sysconf(_SC_PAGESIZE) - 1);
}

/* All that can be done here for a reader who will go through it once. Failures are hints that are
 * not taken, or holes: whoever reads them finds out. Only a page that the hardware has lost must not
 * be met: its SIGBUS is not ours. */
static int makeReady(void *addr, size_t len)
{
    madvise(addr, len, MADV_SEQUENTIAL);
    if (madvise(addr, len, MADV_POPULATE_READ) == 0)
        return 1;
    if (errno == EHWPOISON)
        return 0;
    if (errno == EINVAL)
        madvise(addr, len, MADV_WILLNEED);
    return 1;
}

static void setWindow(struct digestWindow *window, unsigned char *addr, int64_t start, int64_t end)
{
    window->addr = addr + (window->offset - start);
    window->len = (size_t)(end - window->offset);
}

/* As much again as there was before, up to the size of a window; windows end at multiples of their
 * size, so that large folios are not cut. */
static int64_t windowEnd(const struct digestRun *run, int64_t offset, int64_t most)
{
    int64_t size = WINDOW_FIRST, end;

    while (size < WINDOW && size < offset - run->offset)
        size *= 2;
    end = (offset / size + 1) * size;
    return end - offset > most ? offset + most : end;
}

int digestMap(struct digestRun *run, struct digestWindow *window, int64_t most)
{
    int64_t start = mapStart(window->offset), end = windowEnd(run, window->offset, most);
    unsigned char *addr;

    if (!run->maps || !digestGuardHolds())
        return 0;
    addr = mmap(NULL, (size_t)(end - start), PROT_READ, MAP_SHARED, run->fdno, start);
    if (addr == MAP_FAILED) {
        run->maps = 0;
        return 0;
    }
    window->guarded = digestGuardMap(addr, (size_t)(end - start));
    if (window->guarded == NULL || !makeReady(addr, (size_t)(end - start))) {
        window->guarded = digestGuardEnd(window->guarded);
        munmap(addr, (size_t)(end - start));
        return 0;
    }
    setWindow(window, addr, start, end);
    return 1;
}

void digestUnmap(struct digestWindow *window)
{
    uintptr_t start;

    if (window->guarded == NULL)
        return;
    window->guarded = digestGuardEnd(window->guarded);
    start = (uintptr_t)window->addr & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
    munmap((void *)start, window->len + ((uintptr_t)window->addr - start));
}

int digestExplainFault(struct digestRun *run, int64_t offset)
{
    struct stat now;
    char byte;
    ssize_t n;

    if (fstat(run->fdno, &now) == 0 && now.st_size < run->before.st_size)
        return digestChanged(run, "was cut short");
    do {
        n = pread(run->fdno, &byte, 1, offset);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? digestFail(run, errno, "read") : digestChanged(run, "was changed");
}
