/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps or reads, and what becomes of the page cache. */

#include "rpmfiledigest_internal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <rpm/rpmutil.h>

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x00000080 /* Linux 6.14 */
#endif

/* Pages that are looked up by one mincore(). */
#define LOOKUP_PAGES 4096

/* ---- Maps or reads ---- */

/* Others change the files of these without this kernel's knowing, or a page fault waits for a
 * network or a process; hugetlbfs has pages that are not the system's. Numbers as in linux/magic.h
 * and the filesystems' own headers. */
static const uint32_t unsafe[] = {
    0x6969,     /* NFS */
    0x65735546, /* FUSE */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB2 */
    0x517b,     /* SMB */
    0x01021997, /* 9p */
    0x00c36400, /* Ceph */
    0x5346414f, /* OpenAFS */
    0x6b414653, /* AFS */
    0x73757245, /* Coda */
    0x0bd00bd0, /* Lustre */
    0x47504653, /* GPFS */
    0x01161970, /* GFS2 */
    0x7461636f, /* OCFS2 */
    0x958458f6, /* hugetlbfs */
};

static int isSafe(int fdno)
{
    struct statfs sfs;

    if (fstatfs(fdno, &sfs))
        return 0;
    for (size_t i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++) {
        if ((uint32_t)sfs.f_type == unsafe[i])
            return 0;
    }
    return 1;
}

static int wantsMaps(const struct digestRun *run)
{
    switch (run->opts.method) {
    case RPMFILEDIGEST_AUTO:
        return (uint64_t)run->length >= run->opts.threshold;
    case RPMFILEDIGEST_MAP:
        return 1;
    case RPMFILEDIGEST_READ:
        break;
    }
    return 0;
}

/* ---- The page cache ---- */

static int isFound(const struct digestCache *cache, int64_t page)
{
    return cache->found[page / CHAR_BIT] >> (page % CHAR_BIT) & 1;
}

/* Look up a few pages; how many are there, or -1. */
static int lookUp(struct digestRun *run, int64_t first, int64_t n, size_t pageSize)
{
    unsigned char there[LOOKUP_PAGES];
    size_t len = (size_t)n * pageSize;
    void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, run->fdno, first * (int64_t)pageSize);
    int rc, count = 0;

    if (map == MAP_FAILED)
        return -1;
    rc = mincore(map, len, there);
    munmap(map, len);
    for (int64_t i = 0; rc == 0 && i < n; i++) {
        if (there[i] & 1) {
            run->cache.found[(first + i) / CHAR_BIT] |= (unsigned char)(1 << ((first + i) % CHAR_BIT));
            count++;
        }
    }
    return rc == 0 ? count : -1;
}

/* Learn which pages are there. Of files of others the kernel says that all are. The number of those
 * that are not, or -1 if it cannot be known. */
static int64_t lookUpAll(struct digestRun *run)
{
    size_t pageSize = (size_t)sysconf(_SC_PAGESIZE);
    int64_t pages = (run->before.st_size + (int64_t)pageSize - 1) / (int64_t)pageSize;
    int64_t missing = pages;

    if (geteuid() != 0 && geteuid() != run->before.st_uid)
        return -1;
    run->cache.found = rcalloc(1, (size_t)(pages / CHAR_BIT + 1));
    run->cache.pages = pages;
    for (int64_t at = 0, n; at < pages; at += n) {
        int there;

        n = pages - at < LOOKUP_PAGES ? pages - at : LOOKUP_PAGES;
        there = lookUp(run, at, n, pageSize);
        if (there < 0) {
            digestCacheFini(run);
            return -1;
        }
        missing -= there;
    }
    return missing;
}

void digestCacheFini(struct digestRun *run)
{
    run->cache.found = rfree(run->cache.found);
}

/* A range with bounds that are no folio's leaves the folios there: hence once more at the end of the
 * file, for all of it. */
void digestDrop(struct digestRun *run, int64_t offset, int64_t len)
{
    const struct digestCache *cache = &run->cache;
    int64_t pageSize = sysconf(_SC_PAGESIZE);
    int64_t end = (offset + len + pageSize - 1) / pageSize, last;

    if (cache->found == NULL)
        return;
    if (end > cache->pages)
        end = cache->pages;
    for (int64_t page = offset / pageSize; page < end; page = last) {
        for (last = page; last < end && !isFound(cache, last); last++)
            ;
        if (last > page)
            posix_fadvise(run->fdno, page * pageSize, (last - page) * pageSize,
                          POSIX_FADV_DONTNEED);
        else
            last++;
    }
}

/* Reads that leave nothing in the page cache, where the kernel and the filesystem have them; what
 * they leave nevertheless is dropped. Nothing of that is needed if all of the file is there. */
static void leaveAsFound(struct digestRun *run)
{
    if (lookUpAll(run) == 0) {
        digestCacheFini(run);
        return;
    }
    run->maps = 0;
    run->readFlags = RWF_DONTCACHE;
}

void digestChoose(struct digestRun *run)
{
    if (!run->seekable || run->before.st_size == 0)
        return;
    run->maps = wantsMaps(run) && isSafe(run->fdno);
    if (!run->opts.keepCache)
        leaveAsFound(run);
}
