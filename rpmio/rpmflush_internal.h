/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMFLUSH_INTERNAL_H
#define RPMFLUSH_INTERNAL_H

/* What the files of the write policy module share. Nothing here is visible outside of it.
 *
 * rpmflush_policy.c   the policy: words and numbers, to and from text
 * rpmflush.c          the objects: open, write, close, end of a group, errors
 * rpmflush_method.c   the methods: what each does after a write and before a close
 * rpmflush_hint.c     reservations, page cache
 * rpmflush_fs.c       the filesystems met: what they can do, the sync of all of them
 * rpmflush_batch.c    batch, until close: write-behind, and the bound of what is dirty
 * rpmflush_hold.c     batch, from close on: descriptors held, and their bound
 * rpmflush_touch.c    batch: what changed that is not a file's content
 * rpmflush_list.c     batch: lists of what waits for a barrier
 * rpmflush_barrier.c  batch: the barriers, which kind and why, whose error
 * rpmflush_pool.c     threads that work on a list in its order
 * rpmflush_count.c    counts as text
 * rpmflush_report.c   what the filesystems could not do, and the barriers they had
 * rpmflush_sys.c      the system calls, each in one place, counted and timed
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
    int (*wrote)(rpmFlushFile file, size_t n);   /* after each write of n bytes */
    int (*finish)(rpmFlushFile file);            /* before close */
    int (*close)(rpmFlushFile file);             /* instead of close */
    size_t (*step)(rpmFlushFile file, size_t n); /* most bytes to write before wrote() is due */
    int dropsBehind;                             /* wrote() keeps the page cache small by itself */
};

#define FLUSH_BTRFS 0x9123683eu
#define FLUSH_EXT4 0xef53u
#define FLUSH_OVERLAY 0x794c7630u
#define FLUSH_XFS 0x58465342u

/* What is known of a filesystem, by device number. It stays where it is as long as the flush
 * object. */
struct flushFs {
    struct flushFs *next;
    dev_t dev;
    uint32_t type;    /* f_type */
    unsigned missing; /* FLUSH_NO_ bits */
    int fdno;         /* a directory of it, opened before the first write; -1 for none */
    char *label;      /* of that directory */
    /* Of the group in hand: */
    int begun;        /* something was written */
    int late;         /* fdno was opened after that: a syncfs might miss an error */
    int closed;       /* files that only a syncfs can make durable now */
    unsigned changes; /* what was touched, a bit of rpmFlushTouched each */
    unsigned due;     /* what of it only a syncfs can make durable now */
    /* Of rpmFlushBarrier() and rpmFlushTouchedBarrier(), by kind, for the report: */
    struct {
        int files, times;
        const char *why; /* the last time */
    } had[2][RPMFLUSH_BARRIER_SYNCFS + 1];
};

#define FLUSH_NO_ALLOC 1u     /* fallocate */
#define FLUSH_NO_DONTCACHE 2u /* RWF_DONTCACHE */
#define FLUSH_NO_RANGE 4u     /* sync_file_range */
#define FLUSH_NO_SYNCFS 8u    /* syncfs that reports errors */

/* Something that waits for a barrier: a file closed by its writer, or an inode touched. */
struct flushItem {
    struct flushItem *next;
    struct flushItem *chain; /* touched inodes: the next of its bucket */
    struct flushFs *fs;
    char *label;
    int fdno;       /* -1 if none is held */
    ino_t ino;      /* touched inodes */
    ino_t written;  /* the inode of a file */
    uint64_t dirty; /* bytes written and not waited for */
    int64_t floor;  /* as in the file object; -1: no pages to drop */
    int err;        /* errno of what failed */
    const char *what;
};

enum { FLUSH_BUCKETS = 64 };

struct flushList {
    struct flushItem *first, **end;
    int n, held; /* items, and those of them that hold a descriptor */
    struct flushItem *buckets[FLUSH_BUCKETS]; /* touched inodes by number */
};

struct rpmFlush_s {
    rpmFlushPolicy policy; /* dontneed is 0 or 1, interval whole pages */
    const struct flushMethod *method;
    size_t page;
    int meminfo;          /* descriptor of /proc/meminfo, or -1 */
    int keepNumbers;
    int (*reopen)(void *data, const char *label);
    void *reopenData;
    pthread_mutex_t work; /* held while items are being synced: taken before lock */
    pthread_mutex_t lock; /* for all that follows */
    struct rpmop_s ops[RPMFLUSH_KIND_MAX];
    struct flushFs *fs;
    struct flushList files; /* closed by their writers, not durable yet */
    struct flushList nodes; /* RPMFLUSH_TOUCH_NODE */
    struct flushList names; /* RPMFLUSH_TOUCH_NAMES, RPMFLUSH_TOUCH_ATTRS */
    int bound;              /* most descriptors to hold, found out at the first of a group */
    uint64_t dirty;         /* bytes written and not waited for, in whole pages */
    int failed;             /* errno of the first failure of this group */
    int late;               /* errno of the first that no call on the file itself has returned */
    char *error;            /* its sentence, until taken */
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
    uint64_t pending; /* written and not yet synced; batch: whose writeback was not started */
    uint64_t started; /* batch: bytes whose writeback was started last, just before pending */
    uint64_t dirty;   /* batch: written and not waited for, in whole pages */
    int sought;       /* batch: pending and started are no ranges that end at offset */
    int behind;       /* batch: writeback of something was started */
    struct flushFs *fs; /* NULL if not known */
    ino_t ino;        /* if fs is known */
    int hints;        /* a regular file that hints are for */
    int writeThrough; /* opened with the method's flags */
    int dontcache;    /* pwritev2 with RWF_DONTCACHE is worth trying */
    int err;          /* errno of the first failure: nothing is done any more but close */
    struct rpmop_s ops[RPMFLUSH_KIND_MAX];
};

/* rpmflush_policy.c */
/* 1 if nothing is to stay in the page cache: as set, or as the method has it. */
int flushDontneed(const rpmFlushPolicy *policy);
/* Bytes of an interval: as set, or as the method has it. */
uint64_t flushInterval(const rpmFlushPolicy *policy);

/* rpmflush.c */
/* Keep errno and say what failed with "LABEL: WHAT: strerror"; returns -1 with errno set. */
int flushFail(rpmFlushFile file, const char *what);
/* The same without a file object. */
void flushFailed(rpmFlush flush, const char *label, const char *what, int err);
/* Close a file's descriptor. */
int flushCloseNow(rpmFlushFile file);
/* Add the counts of a file object, or of a passing one around a descriptor, to the sums. */
void flushAddCounts(rpmFlushFile file);

/* rpmflush_method.c */
const struct flushMethod *flushMethodOf(const rpmFlushPolicy *policy);
int flushIsBatch(rpmFlush flush);
/* fsync or fdatasync; where there is nothing to sync no error. flushMoot: was it that? */
int flushFullSync(rpmFlushFile file);
int flushMoot(rpmFlushFile file);

/* rpmflush_hint.c */
/* Does errno say that a hint is not known here? */
int flushNotHere(int err);
/* Learn what hints and write-behind need to know of a file that has just been opened. */
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
/* The same for a file that is clean, and only if it has any of ours there. */
void flushHintForget(rpmFlushFile file);

/* rpmflush_fs.c */
/* The entry of the filesystem that the descriptor is on, made if it is new; NULL with errno. */
struct flushFs *flushFsOf(rpmFlushFile file, const struct stat *sb);
/* Something is about to be written to it. */
void flushFsBegin(rpmFlush flush, struct flushFs *fs);
unsigned flushFsMissing(rpmFlush flush, const struct flushFs *fs);
/* From now on do without what just failed with errno. */
void flushFsForget(rpmFlushFile file, unsigned what, const char *name);
/* Why a syncfs is no barrier there; NULL if it is one. */
const char *flushFsNoBarrier(const struct flushFs *fs);
/* Sync it; -1 with errno of a failure, which is not told. */
int flushFsSync(rpmFlush flush, struct flushFs *fs);
void flushFsFree(rpmFlush flush);

/* rpmflush_batch.c */
int flushBatchWrote(rpmFlushFile file, size_t n);
int flushBatchFinish(rpmFlushFile file);
size_t flushBatchStep(rpmFlushFile file, size_t n);
/* So much less is dirty; the second: of a file. */
void flushCleaned(rpmFlush flush, uint64_t bytes);
void flushFileCleaned(rpmFlushFile file, uint64_t bytes);
/* The oldest items that hold a descriptor: of a filesystem, or of all enough to have only half of
 * the bound left dirty. Returns an array, to be freed; they stay on the list, and with work held
 * nobody takes them off. */
struct flushItem **flushOldestHeld(rpmFlush flush, const struct flushFs *fs, int *n);
/* A passing file object around an item's descriptor. */
struct rpmFlushFile_s flushPassing(rpmFlush flush, const struct flushItem *item);

/* rpmflush_hold.c */
int flushBatchClose(rpmFlushFile file);
/* May one more descriptor be held? */
int flushMayHold(rpmFlush flush);

/* rpmflush_list.c, with lock held */
void flushListInit(struct flushList *list);
void flushListAdd(struct flushList *list, struct flushItem *item);
struct flushItem *flushListFind(struct flushList *list, const struct flushFs *fs, ino_t ino);
/* Take the items of a filesystem (NULL: of all) off: the first n that hold a descriptor, or all of
 * them for 0. Returns a chain. */
struct flushItem *flushListTake(struct flushList *list, const struct flushFs *fs, int n);
/* Close and free a chain; without lock. */
void flushItemsFree(rpmFlush flush, struct flushItem *items);

/* rpmflush_barrier.c */
void flushBatchBarrier(rpmFlush flush);
void flushBatchTouched(rpmFlush flush);
void flushBatchGiveUp(rpmFlush flush);
/* Bits of all that is due at the same barrier. */
unsigned flushBitsWith(rpmFlushTouched what);
/* Does btrfs need a syncfs for what changed and is due by one of bits? */
int flushBtrfsNeeds(const struct flushFs *fs, unsigned bits);
/* With work held: where closed files wait for a syncfs, have it now. */
int flushSyncClosed(rpmFlush flush, struct flushFs *fs);
/* With work held: fsync a chain of items and free it; -1 after the first failure was told. */
int flushSyncItems(rpmFlush flush, struct flushItem *items);
/* Would auto sync n items of a filesystem by syncfs now? Sets why. */
int flushLeansToSyncFs(rpmFlush flush, int n, const char **why);

/* rpmflush_pool.c */
/* Call job(flush, item) for each of n items, in their order, by several threads; ends early after
 * one has set its err. Returns the first item with err, or NULL. */
typedef void (*flushJob)(rpmFlush flush, struct flushItem *item);
struct flushItem *flushPoolRun(rpmFlush flush, flushJob job, struct flushItem *items);

/* rpmflush_sys.c: 0 or a count, or -1 with errno; EINTR is handled. */
ssize_t flushSysWrite(rpmFlushFile file, const void *buf, size_t n, int flags);
int flushSysAllocate(rpmFlushFile file, int64_t size);
int flushSysDataSync(rpmFlushFile file);
int flushSysSync(rpmFlushFile file);
int flushSysSyncFs(rpmFlushFile file);
int flushSysRange(rpmFlushFile file, int64_t offset, uint64_t n, unsigned flags);
int flushSysDrop(rpmFlushFile file, int64_t offset);
int flushSysCut(rpmFlushFile file, int64_t size);
int flushSysStat(rpmFlushFile file, struct stat *sb);
int flushSysStatfs(rpmFlushFile file, struct statfs *sfs);
int flushSysUname(rpmFlushFile file, struct utsname *name);
int64_t flushSysTell(rpmFlushFile file);
int flushSysFlags(rpmFlushFile file);
int flushSysClose(rpmFlushFile file);
/* A new descriptor: of the same open file, of the directory at fdno, of a path. */
int flushSysDup(rpmFlushFile file);
int flushSysOpenDir(rpmFlushFile file);
int flushSysOpen(rpmFlushFile file, const char *path, int flags);
ssize_t flushSysRead(rpmFlushFile file, void *buf, size_t n);
/* Soft limit of descriptors, and how many of the numbers below n are in use. */
int flushSysLimit(rpmFlushFile file, uint64_t *limit);
int flushSysInUse(rpmFlushFile file, int n);
/* Is a page from offset on, up to size, in the page cache? -1 where that cannot be told. */
int flushSysResident(rpmFlushFile file, int64_t offset, int64_t size);

#pragma GCC visibility pop

#endif /* RPMFLUSH_INTERNAL_H */
