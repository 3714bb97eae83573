/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMFILEDIGEST_INTERNAL_H
#define RPMFILEDIGEST_INTERNAL_H

/* What the files of the file digest module share. Nothing here is visible outside of it.
 *
 * rpmfiledigest.c          one file: where it begins and ends, results, errors
 * rpmfiledigest_options.c  options and their macro
 * rpmfiledigest_method.c   maps or reads, and the page cache
 * rpmfiledigest_flow.c     windows: who prepares, hashes and releases them
 * rpmfiledigest_map.c      a window by a map
 * rpmfiledigest_read.c     a window by reads
 * rpmfiledigest_guard.c    SIGBUS
 * rpmfiledigest_pool.c     many files
 * rpmfiledigest_thread.c   threads
 *
 * The same files are built in other trees: they include their configuration and nothing of this
 * tree but public headers.
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <rpm/rpmfiledigest.h>

#define DIGEST_THREADS_MAX 64

#pragma GCC visibility push(hidden)

/* What a pool and the files it works on tell each other. */
struct digestWatch {
    atomic_int cancelled;
    _Atomic uint64_t bytes; /* read so far, of all files */
    int workers; /* of the pool */
};

/* Pages that were in the page cache before: a bit for each of the file. */
struct digestCache {
    unsigned char *found; /* NULL: nothing is to be dropped */
    int64_t pages;
};

/* One file being read. */
struct digestRun {
    int fdno;
    const char *label;
    rpmFileDigestOptions opts;
    const rpmFileDigestSink *sinks;
    int nsinks;
    struct digestWatch *watch; /* or NULL */
    rpmFileDigestResult *res;  /* of which err, msg and size are set */

    struct stat before;
    int seekable;   /* offset counts: pread() is possible */
    int64_t offset; /* where to begin */
    int64_t length; /* bytes to read at most, INT64_MAX to the end */

    int maps;      /* by maps, as long as they work; else by reads */
    int readFlags; /* of preadv2() */
    int cold;      /* what comes is not in the page cache, as far as that has been looked at */
    int64_t probeNext; /* where to look next */
    struct digestCache cache;
};

/* A piece of a file in memory. */
struct digestWindow {
    int64_t offset; /* in the file, or from where reading began */
    const unsigned char *addr;
    size_t len;     /* 0: the end */
    struct digestGuarded *guarded; /* it is a map */
    unsigned char *buf;            /* for reads, kept from window to window */
    size_t bufSize;
};

/* rpmfiledigest.c */
/* Keep the first failure: "LABEL: WHAT: strerror"; returns -1 with errno set. */
int digestFail(struct digestRun *run, int err, const char *what);
/* The same for a file that is not what it was: "LABEL: HOW while it was read". */
int digestChanged(struct digestRun *run, const char *how);
/* rpmFileDigestFd() and rpmFileDigestPath() as a pool calls them. */
int digestOpened(int fdno, const char *label, const int *algos, int nalgos,
                 const rpmFileDigestOptions *opts, struct digestWatch *watch,
                 rpmFileDigestResult *res);
int digestOpen(const char *path);
/* An empty result with an error; returns -1 with errno set. */
int digestRefuse(rpmFileDigestResult *res, int nalgos, const char *label, int err, const char *what);

/* rpmfiledigest_method.c */
/* Choose between maps and reads, and learn what of the file is in the page cache. */
void digestChoose(struct digestRun *run);
/* Drop the pages of a part that were not in the page cache before. */
void digestDrop(struct digestRun *run, int64_t offset, int64_t len);
void digestCacheFini(struct digestRun *run);

/* rpmfiledigest_flow.c */
/* Give the part to the sinks; 0 or -1 with a failure kept. */
int digestFlow(struct digestRun *run);

/* rpmfiledigest_map.c */
/* Map the window at its offset, at most `most` bytes. 0: it cannot be mapped. */
int digestMap(struct digestRun *run, struct digestWindow *window, int64_t most);
void digestUnmap(struct digestWindow *window);
/* A reader met a hole in a window that was at offset: say why. */
int digestExplainFault(struct digestRun *run, int64_t offset);

/* rpmfiledigest_read.c */
/* Is what comes at offset, at most `most` bytes, still on the disk? */
int digestIsCold(struct digestRun *run, int64_t offset, int64_t most);
/* Fill the window from its offset, at most `most` bytes. 0, or -1 with errno. */
int digestRead(struct digestRun *run, struct digestWindow *window, int64_t most);

/* rpmfiledigest_guard.c */
/* Install the handler of SIGBUS, and unblock it in this thread; *old is what was blocked. Every
 * Enter has a Leave, in the same thread. 0, or -1 if there cannot be a guard. */
int digestGuardEnter(sigset_t *old);
void digestGuardLeave(const sigset_t *old);
/* Is the handler in force ours? */
int digestGuardHolds(void);
/* Guard a map; NULL if there are too many. */
struct digestGuarded *digestGuardMap(void *addr, size_t len);
/* Has somebody met a hole in it? *addr is where. */
int digestGuardFaulted(const struct digestGuarded *guarded, uintptr_t *addr);
/* The end of it, before the map is unmapped; takes NULL, too, and returns it. */
struct digestGuarded *digestGuardEnd(struct digestGuarded *guarded);

/* rpmfiledigest_thread.c */
/* How many threads the options ask for: at least 1. */
int digestThreads(const rpmFileDigestOptions *opts);
/* Start up to n threads, all signals but SIGBUS blocked; how many there are. */
int digestThreadsStart(pthread_t *threads, int n, void *(*start)(void *), void *data);

#pragma GCC visibility pop

#endif /* RPMFILEDIGEST_INTERNAL_H */
