/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMFILEDIGEST_INTERNAL_H
#define RPMFILEDIGEST_INTERNAL_H

/* What the files of the file digest module share. Nothing here is visible outside of it.
 *
 * rpmfiledigest.c          one file: what to do with it, results, errors
 * rpmfiledigest_options.c  options and their macro
 * rpmfiledigest_read.c     contents by reads
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
/* Tell the watch of bytes; 0, or -1 with a failure kept if it says to stop. */
int digestWatched(struct digestRun *run, size_t n);

/* rpmfiledigest_thread.c */
/* How many threads the options ask for: at least 1. */
int digestThreads(const rpmFileDigestOptions *opts);
/* Start up to n threads, all signals but SIGBUS blocked; how many there are. */
int digestThreadsStart(pthread_t *threads, int n, void *(*start)(void *), void *data);

/* rpmfiledigest_read.c: 0 or -1 with a failure kept. */
int digestByReads(struct digestRun *run);

#pragma GCC visibility pop

#endif /* RPMFILEDIGEST_INTERNAL_H */
