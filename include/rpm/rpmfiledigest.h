/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMFILEDIGEST_H
#define RPM_RPMFILEDIGEST_H

/** @file rpm/rpmfiledigest.h
 * Digests of whole files: several algorithms in one pass, many files at once.
 *
 * Purpose: whoever checks files wants their digests at the speed of the hash, not of the copying.
 * Large regular files are looked at through memory maps of a few MiB at a time, the next one made
 * ready while this one is hashed; all else, and what is not in the page cache, is read in large
 * pieces.
 *
 * One file:
 *
 *     rpmFileDigestOptionsFromMacros(&opts, &emsg)
 *     rpmFileDigestPath(path, algos, nalgos, &opts, &res)    or ...Fd(), ...Range(), ...Feed()
 *     res.hex[0] ..., or res.msg
 *     rpmFileDigestResultFini(&res)
 *
 * Many files:
 *
 *     pool = rpmFileDigestPoolNew(&opts)
 *     rpmFileDigestPoolAdd(pool, &job)                       for each file
 *     while (rpmFileDigestPoolNext(pool, &res, &data)) ...   results in the order of adding
 *     rpmFileDigestPoolFree(pool)
 *
 * Maps: never of anything but regular files, and never on NFS, FUSE and other filesystems whose
 * files change behind the kernel's back. A file that is cut short while it is mapped gives an
 * error, not SIGBUS: while a map is in use the process has a SIGBUS handler, which passes on what
 * is not its own to the handler that was there before, and SIGBUS is not blocked in the thread. If
 * the application replaces that handler meanwhile, files are read. The handler is gone with the
 * last map.
 *
 * Changes: a regular file of which size, mtime or ctime are not the same when its end has been
 * reached has the error ESTALE, by whatever method: its digest would be that of no state it ever
 * had. Files of size 0, as in /proc, are read to their end and not compared.
 *
 * Threads: every call may be made from several threads at once, on different results; on one
 * descriptor too, if it is of a regular file. Threads that are started here block all signals but
 * SIGBUS and are gone when the call returns, those of a pool with rpmFileDigestPoolFree().
 *
 * Errors: calls that fill a result return 0, or -1 with errno; the result then has the errno and a
 * sentence. EINTR, short reads and descriptors that are not ready (O_NONBLOCK) are handled inside.
 * Nothing is ever written or synced.
 */

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most algorithms, or sinks, of one call. */
#define RPMFILEDIGEST_MAX 8

/** Offset: from where the descriptor is. Length: to the end of the file. */
#define RPMFILEDIGEST_HERE (-1)
#define RPMFILEDIGEST_REST (-1)

/** How contents are looked at. */
typedef enum rpmFileDigestMethod_e {
    RPMFILEDIGEST_AUTO = 0, /*!< maps from a threshold on */
    RPMFILEDIGEST_READ = 1, /*!< reads */
    RPMFILEDIGEST_MAP  = 2  /*!< maps of any file that can be mapped without risk, as far as it is
                                 in the page cache */
} rpmFileDigestMethod;

/** How to go about it. Plain data: copy it as you like. */
typedef struct rpmFileDigestOptions_s {
    rpmFileDigestMethod method;
    uint64_t threshold; /*!< bytes from which AUTO maps; 0 always, UINT64_MAX never */
    int keepCache;      /*!< 1 do not care about the page cache; 0 leave it as found, as far as
                             the system tells: of files of others it may not */
    int threads;        /*!< threads of a pool, or of one file with several algorithms or of many
                             MiB; 0 one per processor that may be used, 1 the caller's own */
} rpmFileDigestOptions;

/** What came of one file. */
typedef struct rpmFileDigestResult_s {
    int err;       /*!< 0, or the errno of the first failure; ESTALE: changed while it was read */
    char *msg;     /*!< NULL, or one line without newline: "LABEL: what failed: text of errno" */
    uint64_t size; /*!< bytes that were read */
    int nalgos;    /*!< as asked for */
    char **hex;    /*!< nalgos digests in lower case, in the order asked for; NULL after an error */
} rpmFileDigestResult;

/** Somebody who takes the bytes of a file, in order and once each.
 * Several sinks of a call may run at the same time in different threads, one sink in one thread at
 * a time. */
typedef struct rpmFileDigestSink_s {
    /** Take the next bytes. They may turn to zeros meanwhile, if the file is cut short: then the
     * call fails, and what the sinks have made of them is worthless.
     * @return  0, or an errno to end with */
    int (*update)(void *data, const void *buf, size_t len);
    void *data;
} rpmFileDigestSink;

/* ---- Options ---- */

/** Set options to the built-in values: AUTO, the measured threshold, one thread per processor.
 * @param opts  options to fill
 */
void rpmFileDigestOptionsInit(rpmFileDigestOptions *opts);

/** Read options from the global macro context: %_digest_mmap_threshold.
 * @retval opts  the options; the built-in values where macros are undefined
 * @retval emsg  if not NULL: after an error one line that names macro, value and what would be
 *               accepted, the caller's to free()
 * @return       0, or -1: the options are then the built-in ones
 */
int rpmFileDigestOptionsFromMacros(rpmFileDigestOptions *opts, char **emsg);

/* ---- One file ---- */

/** Digests of an open file.
 * A regular file is read from its start, anything else from where it is. Afterwards the descriptor
 * is at the end of the file, as it would be after reads; after an error it may be anywhere.
 * @param fdno    descriptor, stays the caller's
 * @param label   path for messages
 * @param algos   RPM_HASH_* or PGPHASHALGO_* numbers
 * @param nalgos  how many, 1 to RPMFILEDIGEST_MAX
 * @param opts    options, or NULL for the built-in ones
 * @retval res    result, to be ended by rpmFileDigestResultFini(), after errors too
 * @return        0, or -1 with errno
 */
int rpmFileDigestFd(int fdno, const char *label, const int *algos, int nalgos,
                    const rpmFileDigestOptions *opts, rpmFileDigestResult *res);

/** Digests of a file by its path.
 * A FIFO is not waited for: without a writer it is empty.
 */
int rpmFileDigestPath(const char *path, const int *algos, int nalgos,
                      const rpmFileDigestOptions *opts, rpmFileDigestResult *res);

/** Digests of a part of a file. Otherwise as rpmFileDigestFd(); the descriptor is left behind the
 * part.
 * @param offset  bytes from the start, or RPMFILEDIGEST_HERE; ESPIPE for an offset above 0 of what
 *                cannot be positioned
 * @param length  bytes, or RPMFILEDIGEST_REST; if there are less, that is no error: see res->size
 */
int rpmFileDigestRange(int fdno, const char *label, int64_t offset, int64_t length,
                       const int *algos, int nalgos, const rpmFileDigestOptions *opts,
                       rpmFileDigestResult *res);

/** Give a part of a file to sinks: digests that have begun elsewhere, bundles, whatever takes
 * bytes. Otherwise as rpmFileDigestRange(); the result has no digests.
 * @param sinks   sinks
 * @param nsinks  how many, 1 to RPMFILEDIGEST_MAX
 */
int rpmFileDigestFeed(int fdno, const char *label, int64_t offset, int64_t length,
                      const rpmFileDigestSink *sinks, int nsinks,
                      const rpmFileDigestOptions *opts, rpmFileDigestResult *res);

/** Free what a result holds, and make it empty.
 * @param res  result of a call above; one that is all zeros will do
 */
void rpmFileDigestResultFini(rpmFileDigestResult *res);

/* ---- Many files ---- */

typedef struct rpmFileDigestPool_s *rpmFileDigestPool;

/** One piece of work for a pool. What is not set must be zero. */
typedef struct rpmFileDigestJob_s {
    const char *path; /*!< file, copied; also the label */
    /** How to open it: a descriptor, or -1 with errno; called in a worker. NULL: by its path. */
    int (*open)(void *openData, const char *path);
    void *openData;
    const int *algos; /*!< copied */
    int nalgos;
    /** Instead of all this: a function to be called in a worker, of which only the order of the
     * results is the pool's business. It returns 0 or an errno, the result's. It must not add to
     * the pool. */
    int (*work)(void *data);
    void *data;       /*!< given back with the result, and to work() */
} rpmFileDigestJob;

/** Make a pool; opts->threads files are worked on at once.
 * With one thread, or where none can be started, the work is done in rpmFileDigestPoolNext().
 * @param opts  options, copied, or NULL for the built-in ones
 * @return      pool, to be ended by rpmFileDigestPoolFree()
 */
rpmFileDigestPool rpmFileDigestPoolNew(const rpmFileDigestOptions *opts);

/** Add work. Blocks while much is waiting to be begun, never for results to be taken: those are
 * kept, however many.
 * @param pool  pool
 * @param job   work, copied
 */
void rpmFileDigestPoolAdd(rpmFileDigestPool pool, const rpmFileDigestJob *job);

/** Take the next result, in the order of adding. Blocks until it is there. One thread at a time.
 * @param pool  pool
 * @retval res  result, the caller's to rpmFileDigestResultFini()
 * @retval data the job's, if not NULL
 * @return      1, or 0 if the results of all that was added have been taken
 */
int rpmFileDigestPoolNext(rpmFileDigestPool pool, rpmFileDigestResult *res, void **data);

/** Be told of progress, about ten times a second, from within rpmFileDigestPoolNext().
 * @param pool      pool
 * @param progress  function; bytes is what has been read of all files so far
 * @param data      for the function
 */
void rpmFileDigestPoolProgress(rpmFileDigestPool pool, void (*progress)(void *data, uint64_t bytes),
                               void *data);

/** Stop: what has not come to its end has ECANCELED as its result. From any thread.
 * @param pool  pool
 */
void rpmFileDigestPoolCancel(rpmFileDigestPool pool);

/** End a pool: cancels what is not done, waits for the threads, drops results not taken.
 * @param pool  pool or NULL
 * @return      NULL always
 */
rpmFileDigestPool rpmFileDigestPoolFree(rpmFileDigestPool pool);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMFILEDIGEST_H */
