/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMFLUSH_INTERNAL_H
#define RPMFLUSH_INTERNAL_H

/* What the files of the write policy module share. Nothing here is visible outside of it.
 *
 * rpmflush_policy.c  the policy: words and numbers, to and from text
 * rpmflush.c         the objects: open, write, close, barrier, errors, counts
 * rpmflush_method.c  the methods: what each does after a write and before a close
 * rpmflush_hint.c    reservations, page cache, and what a filesystem cannot do
 * rpmflush_sys.c     the system calls, each in one place, counted and timed
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
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include <rpm/rpmflush.h>

#pragma GCC visibility push(hidden)

/* A method of making contents durable. A null member does nothing. */
struct flushMethod {
    int openFlags;
    int (*wrote)(rpmFlushFile file);    /* after each write, file->pending says how much */
    int (*finish)(rpmFlushFile file);   /* before close */
    size_t (*step)(rpmFlushFile file, size_t n); /* most bytes to write before wrote() is due */
    int dropsBehind;                    /* wrote() keeps the page cache small by itself */
};

/* What is known of a filesystem, by device number. */
struct flushFs {
    dev_t dev;
    uint32_t type;    /* f_type */
    unsigned missing; /* FLUSH_NO_ bits */
};

#define FLUSH_NO_ALLOC 1u     /* fallocate */
#define FLUSH_NO_DONTCACHE 2u /* RWF_DONTCACHE */

struct rpmFlush_s {
    rpmFlushPolicy policy; /* dontneed is 0 or 1, interval whole pages */
    const struct flushMethod *method;
    size_t page;
    pthread_mutex_t lock; /* for all that follows */
    struct rpmop_s ops[RPMFLUSH_KIND_MAX];
    struct flushFs *fs;
    int nfs;
    int failed;  /* errno of the first failure of this group */
    char *error; /* its sentence, until taken */
};

struct rpmFlushFile_s {
    rpmFlush flush;
    int fdno; /* -1 after close */
    char *label;
    int64_t size;     /* expected, or -1 */
    int64_t offset;   /* the descriptor's position */
    int64_t end;      /* highest position written */
    int64_t reserved; /* bytes reserved from 0 */
    int64_t floor;    /* pages below were there before us: not ours to drop */
    uint64_t pending; /* written and not yet synced */
    dev_t dev;
    int hints;        /* a regular file that hints are for */
    int writeThrough; /* opened with the method's flags */
    int dontcache;    /* pwritev2 with RWF_DONTCACHE is worth trying */
    int err;          /* errno of the first failure: nothing is done any more but close */
    struct rpmop_s ops[RPMFLUSH_KIND_MAX];
};

/* rpmflush_policy.c */
/* 1 if nothing is to stay in the page cache: as set, or as the method has it. */
int flushDontneed(const rpmFlushPolicy *policy);

/* rpmflush.c */
/* Keep errno and say what failed with "LABEL: WHAT: strerror"; returns -1 with errno set. */
int flushFail(rpmFlushFile file, const char *what);

/* rpmflush_method.c */
const struct flushMethod *flushMethodOf(const rpmFlushPolicy *policy);

/* rpmflush_hint.c */
/* Learn what the hints need to know of a file that has just been opened. */
void flushHintStart(rpmFlushFile file);
/* Reserve size bytes if the policy and the filesystem are for it. */
int flushHintReserve(rpmFlushFile file);
/* Give back what was reserved and not written. */
int flushHintCut(rpmFlushFile file);
/* Flags for pwritev2 of the next *n bytes; makes *n smaller where only a part can have them. */
int flushHintWriteFlags(rpmFlushFile file, size_t *n);
/* A write with flags failed with errno: true if it should be tried again without. */
int flushHintRefused(rpmFlushFile file, int flags);
/* Drop clean pages from the cache, if the policy is for it. */
void flushHintDrop(rpmFlushFile file);

/* rpmflush_sys.c: 0 or a count, or -1 with errno; EINTR is handled. */
ssize_t flushSysWrite(rpmFlushFile file, const void *buf, size_t n, int flags);
int flushSysAllocate(rpmFlushFile file, int64_t size);
int flushSysDataSync(rpmFlushFile file);
int flushSysSync(rpmFlushFile file);
int flushSysSyncFs(rpmFlushFile file);
int flushSysDrop(rpmFlushFile file, int64_t offset);
int flushSysCut(rpmFlushFile file, int64_t size);
int flushSysStat(rpmFlushFile file, struct stat *sb);
int flushSysStatfs(rpmFlushFile file, struct statfs *sfs);
int flushSysUname(rpmFlushFile file, struct utsname *name);
int64_t flushSysTell(rpmFlushFile file);
int flushSysFlags(rpmFlushFile file);
int flushSysClose(rpmFlushFile file);

#pragma GCC visibility pop

#endif /* RPMFLUSH_INTERNAL_H */
