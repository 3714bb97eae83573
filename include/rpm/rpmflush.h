/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMFLUSH_H
#define RPM_RPMFLUSH_H

/** @file rpm/rpmflush.h
 * The write policy: what happens to file contents between a write and the disk.
 *
 * Purpose: a package manager chooses whether file contents are made durable, how (O_SYNC, O_DSYNC,
 * fsync, periodic fdatasync, one barrier for many files), and what else is done for them (blocks
 * reserved in advance, nothing left in the page cache). The choice is read from macros, applied to
 * every file that is written, and every system call it costs is counted.
 *
 * Order of calls:
 *
 *     rpmFlushPolicyFromMacros(&policy, &emsg)          once per transaction
 *     flush = rpmFlushNew(&policy)                      before any chroot
 *         rpmFlushWillWrite(flush, dirfd, path)         before the first write to a filesystem
 *         fd = open(..., O_CREAT | O_EXCL | rpmFlushOpenFlags(flush), ...)
 *         rpmFlushFileNew(flush, fd, size, path, &file) before the first write
 *         rpmFlushFileWrite(file, buf, n)               as often as needed
 *         fchown(fd), fchmod(fd), futimens(fd) ...
 *         rpmFlushFileClose(file)                       makes durable, closes fd
 *         rpmFlushFileFree(file)
 *         rpmFlushTouch(flush, dirfd, path, what)       after making something that is no file
 *     rpmFlushBarrier(flush)                            before any of the files is renamed,
 *                                                       or rpmFlushGiveUp(flush) if none will be
 *         renameat(...)
 *         rpmFlushTouch(flush, dirfd, path, what)       after each change
 *     rpmFlushTouchedBarrier(flush)                     before anything is told of the new names
 *     rpmFlushSyncAll(flush)                            at the end of the transaction
 *     rpmFlushStats(flush), rpmFlushReport(flush)
 *     rpmFlushFree(flush)
 *
 * Ownership: a flush object outlives its file objects. The descriptor is the caller's until
 * rpmFlushFileClose(), which closes it whatever its result. Strings that are returned as `char *`
 * are the caller's to free().
 *
 * Threads: a flush object may be used by several threads at once, a file object by one at a time.
 *
 * Errors: calls return 0 (or a byte count), or -1 with errno set; rpmFlushTakeError() has the
 * sentence, with the file's label. A failed write, fsync, fdatasync, ftruncate or close always
 * reaches the caller, and the file object stays failed: nothing is synced a second time as if it
 * were clean. Hints that a filesystem does not know are left out, remembered for that filesystem
 * and never an error; a reservation that fails for want of space, quota or a working disk is one.
 * EINTR is handled inside.
 *
 * Crash behaviour: after rpmFlushFileClose() has returned 0, `fsync` and `fdatasync` promise that
 * the contents, and the owner, mode and times set until then, survive a power cut; `osync` and
 * `odsync` promise that for the contents only. None of them promises that the file's name is on
 * disk: that takes an fsync of its directory. `batch` promises nothing at close; contents and
 * attributes of all files closed, and what was told by RPMFLUSH_TOUCH_NODE, survive once
 * rpmFlushBarrier() has returned 0; names and attributes told afterwards, once
 * rpmFlushTouchedBarrier() has. With the policy off nothing is promised.
 */

#include <stdint.h>
#include <sys/types.h>

#include <rpm/rpmsw.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether contents are made durable at all. */
typedef enum rpmFlushWhether_e {
    RPMFLUSH_OFF  = 0, /*!< files are not synced one by one; the end of a transaction is */
    RPMFLUSH_ON   = 1, /*!< by the method */
    RPMFLUSH_NONE = 2  /*!< the caller owns durability: no sync call anywhere */
} rpmFlushWhether;

/** How contents are made durable. */
typedef enum rpmFlushMethod_e {
    RPMFLUSH_OSYNC     = 0, /*!< each write returns when it is on disk, metadata too */
    RPMFLUSH_ODSYNC    = 1, /*!< each write returns when it is on disk */
    RPMFLUSH_FSYNC     = 2, /*!< fsync before close */
    RPMFLUSH_FDATASYNC = 3, /*!< fdatasync every interval and for the rest, fsync before close */
    RPMFLUSH_BATCH     = 4  /*!< write-behind, everything made durable at one barrier */
} rpmFlushMethod;

/** How a barrier of `batch` makes things durable. */
typedef enum rpmFlushBarrierBy_e {
    RPMFLUSH_BARRIER_AUTO   = 0, /*!< by what is pending and what else is dirty on the system */
    RPMFLUSH_BARRIER_FSYNC  = 1, /*!< fsync of all that is pending, from a pool of threads */
    RPMFLUSH_BARRIER_SYNCFS = 2  /*!< one syncfs for each filesystem that can, else fsync */
} rpmFlushBarrierBy;

/** A write policy. Plain data: copy it as you like. */
typedef struct rpmFlushPolicy_s {
    rpmFlushWhether whether;
    rpmFlushMethod method; /*!< counts only if whether is RPMFLUSH_ON */
    uint64_t interval;     /*!< bytes between two fdatasyncs, or two steps of write-behind, of a
                                file, taken in whole pages; 0 as the method has it: 1M for batch,
                                else 256K */
    uint64_t fallocate;    /*!< reserve files of at least this many bytes; 0 never */
    int dontneed;          /*!< 1 leave nothing in the page cache, 0 do not care,
                                -1 as the method has it: 1 for fdatasync, else 0 */
    rpmFlushBarrierBy barrier; /*!< batch: how */
    uint64_t dirty;        /*!< batch: most bytes written and not waited for, over all files */
    uint64_t pending;      /*!< batch: most descriptors held until the barrier; 0 as the limit of
                                the process allows, which bounds other values too */
} rpmFlushPolicy;

/** Kinds of system calls that a policy makes. */
typedef enum rpmFlushKind_e {
    RPMFLUSH_KIND_WRITE  = 0, /*!< write, pwritev2; bytes: written */
    RPMFLUSH_KIND_ALLOC  = 1, /*!< fallocate; bytes: reserved */
    RPMFLUSH_KIND_DSYNC  = 2, /*!< fdatasync */
    RPMFLUSH_KIND_SYNC   = 3, /*!< fsync */
    RPMFLUSH_KIND_ADVISE = 4, /*!< posix_fadvise */
    RPMFLUSH_KIND_FSSYNC = 5, /*!< syncfs */
    RPMFLUSH_KIND_CUT    = 6, /*!< ftruncate back to what was written */
    RPMFLUSH_KIND_PROBE  = 7, /*!< what only asks, or opens for the module's own use */
    RPMFLUSH_KIND_CLOSE  = 8, /*!< close */
    RPMFLUSH_KIND_RANGE  = 9, /*!< sync_file_range; bytes: the range */
    RPMFLUSH_KIND_MAX    = 10
} rpmFlushKind;

/** What changed that is not the content of a file. */
typedef enum rpmFlushTouched_e {
    RPMFLUSH_TOUCH_NODE,  /*!< a symlink, device, fifo or directory was made in this directory, under
                               a temporary name: due at rpmFlushBarrier() */
    RPMFLUSH_TOUCH_NAMES, /*!< names in this directory changed (rename, unlink, link, mkdir): due at
                               rpmFlushTouchedBarrier() */
    RPMFLUSH_TOUCH_ATTRS  /*!< attributes of this inode changed in place: due at
                               rpmFlushTouchedBarrier() */
} rpmFlushTouched;

typedef struct rpmFlush_s *rpmFlush;
typedef struct rpmFlushFile_s *rpmFlushFile;

/* ---- The policy ---- */

/** Set a policy to the built-in values: off, fsync, no reservations; for batch: auto, dirty 64M.
 * @param policy  policy to fill
 */
void rpmFlushPolicyInit(rpmFlushPolicy *policy);

/** Change a policy by one macro's value.
 * @param policy  initialized policy; unchanged after an error
 * @param key     name of the macro, without the percent sign
 * @param value   its expansion; surrounding white space does not count, empty changes nothing
 * @retval emsg   if not NULL: after an error one line that names macro, value and what would be
 *                accepted, the caller's to free()
 * @return        0, or -1
 */
int rpmFlushPolicyParse(rpmFlushPolicy *policy, const char *key, const char *value, char **emsg);

/** Read the policy from the global macro context.
 * @retval policy  the policy; the built-in values where macros are undefined
 * @retval emsg    as rpmFlushPolicyParse()
 * @return         0, or -1: then nothing should be written
 */
int rpmFlushPolicyFromMacros(rpmFlushPolicy *policy, char **emsg);

/** Name of a policy macro, to walk through all of them.
 * @param ix  0, 1, ...
 * @return    name without the percent sign, or NULL after the last; static
 */
const char *rpmFlushPolicyKey(int ix);

/** The value in force for a macro, in a form that rpmFlushPolicyParse() takes.
 * @param policy  policy
 * @param key     name of the macro, without the percent sign
 * @return        text, the caller's to free(); NULL for an unknown name
 */
char *rpmFlushPolicyValue(const rpmFlushPolicy *policy, const char *key);

/** Tell whether a policy asks for nothing beyond plain writes.
 * @param policy  policy
 * @return        1 if a flush object with it would make no extra system call, else 0
 */
int rpmFlushPolicyIdle(const rpmFlushPolicy *policy);

/* ---- The flush object: one per transaction ---- */

/** Make a flush object.
 * For batch with RPMFLUSH_BARRIER_AUTO it opens /proc/meminfo: make it before any chroot.
 * @param policy  policy, copied
 * @return        object, to be ended by rpmFlushFree()
 */
rpmFlush rpmFlushNew(const rpmFlushPolicy *policy);

/** End a flush object. All of its file objects must have been freed before.
 * @param flush  object or NULL
 * @return       NULL always
 */
rpmFlush rpmFlushFree(rpmFlush flush);

/** The policy that a flush object follows.
 * @param flush  object
 * @return       policy, the object's; dontneed is 0 or 1, interval is as it is used
 */
const rpmFlushPolicy *rpmFlushGetPolicy(rpmFlush flush);

/** Flags to add when a file is opened for writing: they cannot be added later.
 * @param flush  object or NULL
 * @return       O_SYNC, O_DSYNC or 0
 */
int rpmFlushOpenFlags(rpmFlush flush);

/** Tell of a filesystem that will be written to, before the first write to it.
 * Keeps a descriptor of its own, so that a later syncfs reports every error since; cheap to repeat.
 * Nothing is done with RPMFLUSH_NONE.
 * @param flush  object or NULL
 * @param dirfd  descriptor of a directory on it, of O_PATH or not; stays the caller's
 * @param label  its path for messages, copied
 * @return       0, or -1 with errno: then another directory will do, or its barrier is fsync
 */
int rpmFlushWillWrite(rpmFlush flush, int dirfd, const char *label);

/** Set how a file is opened by its label: where a syncfs failed, to say whose error it is, and
 * where its pages are to be dropped.
 * @param flush   object
 * @param reopen  returns a descriptor to read from, which becomes the module's, or -1 with errno;
 *                called by several threads at once. NULL: open(label), not through a symlink
 * @param data    its first argument
 */
void rpmFlushSetReopen(rpmFlush flush, int (*reopen)(void *data, const char *label), void *data);

/** Set whether rpmFlushFileClose() has to free the descriptor's number at once, as a program
 * expects that has called close(). The module then holds duplicates.
 * @param flush  object
 * @param keep   1 or 0 (default)
 */
void rpmFlushKeepNumbers(rpmFlush flush, int keep);

/** Tell that something other than a file's content changed, after the change.
 * The module keeps a descriptor of its own where it needs one, once for each inode and barrier.
 * Nothing is done but for batch.
 * @param flush  object or NULL
 * @param fdno   descriptor of the directory or inode; directories may be of O_PATH; the caller's
 * @param label  path for messages and, at the limit of descriptors, to open it again; copied
 * @param what   what changed
 * @return       0, or -1 with errno: it cannot be opened and no syncfs will cover it
 */
int rpmFlushTouch(rpmFlush flush, int fdno, const char *label, rpmFlushTouched what);

/** End the writing of a group of files, before the first of them is renamed.
 * When it returns 0, every file closed since the last barrier is as durable as the policy
 * promises. Otherwise at least one is not, and none should be renamed; the object is then ready
 * for the next group. With batch this is where the disk is waited for; threads that it starts
 * take no signals and have ended when it returns.
 * @param flush  object or NULL
 * @return       0, or -1 with errno of the first failure
 */
int rpmFlushBarrier(rpmFlush flush);

/** Make durable what rpmFlushTouch() told of since rpmFlushBarrier(), and end the group.
 * Nothing is done but for batch.
 * @param flush  object or NULL
 * @return       0, or -1 with errno of the first failure
 */
int rpmFlushTouchedBarrier(rpmFlush flush);

/** End the writing of a group of files that will not be renamed: their failures are forgotten, so
 * that they do not count against the next group; descriptors held are closed without a sync.
 * @param flush  object or NULL
 */
void rpmFlushGiveUp(rpmFlush flush);

/** Go on without files of the group whose failures calls on them have returned: those failures are
 * forgotten, all that is pending stays so. A failure that was found later, of a file that had been
 * closed, still is one of the group.
 * @param flush  object or NULL
 */
void rpmFlushForget(rpmFlush flush);

/** Sync every filesystem told by rpmFlushWillWrite(), as a transaction does at its end; not with
 * RPMFLUSH_NONE. The descriptors kept of them are closed: tell again before writing again.
 * @param flush  object or NULL
 * @return       0, or -1 with errno of the first failure; all are tried
 */
int rpmFlushSyncAll(rpmFlush flush);

/** Close the descriptors kept of filesystems, unsynced: where all was made durable, and they are to
 * be unmounted. Tell again before writing again.
 * @param flush  object or NULL
 */
void rpmFlushReleaseFs(rpmFlush flush);

/** Bytes of file contents written and not yet waited for, in whole pages.
 * @param flush  object
 * @return       bytes; 0 but for batch
 */
uint64_t rpmFlushDirty(rpmFlush flush);

/** Sync a whole filesystem, as a transaction does at its end; not with RPMFLUSH_NONE.
 * Errors that the filesystem met since the descriptor was opened are reported, others are not:
 * open it before the first write.
 * @param flush  object
 * @param fdno   descriptor of anything on it, not one of O_PATH; stays the caller's
 * @param label  path for messages
 * @return       0, or -1 with errno
 */
int rpmFlushSyncFs(rpmFlush flush, int fdno, const char *label);

/** Take the sentence about the first failure since the last call.
 * @param flush  object or NULL
 * @return       one line, "LABEL: what failed: text of errno", the caller's to free(), or NULL
 */
char *rpmFlushTakeError(rpmFlush flush);

/** Calls, bytes and time of one kind, over all file objects freed or closed so far.
 * @param flush  object
 * @param kind   kind
 * @retval op    sums
 * @return       0, or -1 for an unknown kind
 */
int rpmFlushGetOp(rpmFlush flush, rpmFlushKind kind, struct rpmop_s *op);

/** Plural noun of a kind, as in "writes" and "dsyncs".
 * @param kind  kind
 * @return      static text; NULL for an unknown kind
 */
const char *rpmFlushKindName(rpmFlushKind kind);

/** One line for an operation: `LABEL: count noun, bytes total bytes in seconds secs`.
 * @param label  as "FDIO"
 * @param noun   plural noun
 * @param op     its sums
 * @return       line without newline, the caller's to free()
 */
char *rpmFlushOpLine(const char *label, const char *noun, const struct rpmop_s *op);

/** The lines of rpmFlushOpLine(), labelled FDIO, for every kind that occurred, closes left out.
 * @param flush  object
 * @return       lines, each ended by newline, perhaps none; the caller's to free()
 */
char *rpmFlushStats(rpmFlush flush);

/** What the filesystems met so far could not do, and which barriers they had.
 * @param flush  object
 * @return       one line per filesystem and missing ability, and for batch one per filesystem,
 *               barrier and kind of it with how many files it covered and why it was chosen, each
 *               ended by newline, perhaps none; the caller's to free()
 */
char *rpmFlushReport(rpmFlush flush);

/* ---- The file object: one per file that is written ---- */

/** Put an open file under the policy, before its first write.
 * Reserves its blocks, if the policy says so, the file is empty and its size is known.
 * @param flush  object
 * @param fdno   descriptor, open for writing
 * @param size   bytes that will be written, -1 if not known
 * @param label  path for messages, copied
 * @retval file  object, to be ended by rpmFlushFileFree(); NULL after an error
 * @return       0, or -1 with errno: no space, quota exhausted, disk error; the descriptor stays
 *               the caller's
 */
int rpmFlushFileNew(rpmFlush flush, int fdno, int64_t size, const char *label, rpmFlushFile *file);

/** Write at the descriptor's position.
 * Goes on after short writes. A file opened without the flags of rpmFlushOpenFlags() is synced
 * after each write instead.
 * @param file  object
 * @param buf   bytes
 * @param n     how many
 * @return      n, or -1 with errno
 */
ssize_t rpmFlushFileWrite(rpmFlushFile file, const void *buf, size_t n);

/** Tell of bytes that the caller has written itself at the descriptor's position.
 * @param file  object
 * @param n     how many
 * @return      0, or -1 with errno if they could not be made durable
 */
int rpmFlushFileWrote(rpmFlushFile file, size_t n);

/** Tell that the descriptor's position has been moved.
 * @param file    object
 * @param offset  new position in bytes from the start
 */
void rpmFlushFileSought(rpmFlushFile file, int64_t offset);

/** Make a file as durable as the policy promises, and close its descriptor. With batch the
 * descriptor may stay open, the module's, until the barrier.
 * After a failure on this file, this one or an earlier one, it is only closed.
 * @param file  object; only its counts are left to read afterwards
 * @return      0, or -1 with errno of the first failure: the file must not be used
 */
int rpmFlushFileClose(rpmFlushFile file);

/** Calls, bytes and time of one kind for this file.
 * @param file  object
 * @param kind  kind
 * @return      sums, valid until rpmFlushFileFree(); NULL for an unknown kind
 */
rpmop rpmFlushFileOp(rpmFlushFile file, rpmFlushKind kind);

/** End a file object.
 * If it was not closed, the descriptor stays open, the caller's, and nothing is synced: for files
 * that are given up.
 * @param file  object or NULL
 * @return      NULL always
 */
rpmFlushFile rpmFlushFileFree(rpmFlushFile file);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMFLUSH_H */
