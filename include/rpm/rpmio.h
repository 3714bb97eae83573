/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMIO_H
#define RPM_RPMIO_H

/** @file rpm/rpmio.h
 * File descriptors with layers: compression, digests, statistics, held errors.
 *
 * Names, argument order and return values are those of upstream's rpm/rpmio.h, with the digest
 * calls that upstream keeps in a private header. An FD_t is reference counted and belongs to one
 * thread at a time; different FD_t's may be used by different threads at once. Every descriptor
 * is close-on-exec. Nothing here makes data durable by itself: a crash after a successful Fclose()
 * can lose or truncate what was written, unless the handle was under a write policy, fdSetFlush(),
 * that promises more.
 *
 * A failed operation returns -1 and leaves its error in the FD_t, where Ferror() and Fstrerror()
 * find it, the first one for good. An operation that a layer does not have (seeking in a compressed
 * stream) returns -2 with errno ESPIPE and leaves nothing.
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmflush.h>
#include <rpm/rpmsw.h>
#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One kind of layer. */
typedef const struct FDIO_s *FDIO_t;

/** Not 0: print each open and close, with statistics of every layer, to stderr. Set it before
 * other threads start. */
extern int _rpmio_debug;

/** Open a file.
 * @param path   path; with a type other than `fdio`, "-" is a duplicate of stdin or stdout, and a
 *               URL is refused with EPROTONOSUPPORT
 * @param fmode  `r`, `w` or `a`, then any of `+` (both ways), `x` (must not exist), digits
 *               (compression level), `?` (debug output for this handle), then `.TYPE`. Types:
 *               `fdio`, `ufdio` (plain), `gzdio` (gzip, both ways; reading passes data that is
 *               not gzip, as zlib does), and for reading only `xzdio`, `lzdio`, `bzdio`,
 *               `zstdio`. New files get mode 0666 less the umask.
 * @return       handle, the caller's to Fclose(); NULL with errno set when the mode is not
 *               understood (EINVAL), asks for writing what can only be read (ENOTSUP), or the file
 *               cannot be opened
 */
FD_t Fopen(const char *path, const char *fmode);

/** Put a layer on top of a handle.
 * The data below is read from, or written at, the current position.
 * @param ofd    handle whose top is a plain descriptor
 * @param fmode  as for Fopen()
 * @return       ofd itself, now with the layer (or unchanged for `fdio`, `ufdio` and no type);
 *               NULL with errno set on failure, ofd then stays as it was and the caller's
 */
FD_t Fdopen(FD_t ofd, const char *fmode);

/** Make a handle of a duplicate of a descriptor.
 * @param fdno  open descriptor, stays the caller's
 * @return      handle, the caller's to Fclose(); NULL with errno set on failure
 */
FD_t fdDup(int fdno);

/** Make a handle of a descriptor. Not in upstream.
 * @param fdno  open descriptor, the handle's from here on
 * @return      handle, the caller's to Fclose(), which closes the descriptor
 */
FD_t fdTake(int fdno);

/** Take one more reference.
 * @param fd  handle or NULL
 * @return    fd
 */
FD_t fdLink(FD_t fd);

/** Drop one reference; the last one frees the handle. What is still open is then closed, and an
 * error in that is lost: use Fclose() to know.
 * @param fd  handle or NULL
 * @return    NULL if that was the last reference, else fd
 */
FD_t fdFree(FD_t fd);

/** Read.
 * @param buf    where to
 * @param size   bytes of one element
 * @param nmemb  elements
 * @param fd     handle
 * @return       bytes (not elements) read, less than asked for at the end of the data or, on a
 *               pipe, when no more is there yet; 0 at the end; -1 or -2 on error
 */
ssize_t Fread(void *buf, size_t size, size_t nmemb, FD_t fd);

/** Write. Short writes of the system are continued.
 * @param buf    what
 * @param size   bytes of one element
 * @param nmemb  elements
 * @param fd     handle
 * @return       bytes (not elements) written: all, or -1 or -2 on error
 */
ssize_t Fwrite(const void *buf, size_t size, size_t nmemb, FD_t fd);

/** Move the position, as lseek(2).
 * @return  0, or -1 on error; -2 for layers that cannot seek
 */
int Fseek(FD_t fd, off_t offset, int whence);

/** Tell the position in bytes; in compressed layers that of the uncompressed data.
 * @return  position, -1 with errno set on error (which is not kept)
 */
off_t Ftell(FD_t fd);

/** Hand what layers buffer to the system (not to the disk).
 * @return  0, or -1 on error
 */
int Fflush(FD_t fd);

/** Finish and close all layers and drop the caller's reference.
 * @param fd  handle
 * @return    0 only if every layer finished and closed, and no write failed before; else the
 *            first error (-1) with errno set. The handle is gone in either case, unless others
 *            hold references: they may still ask for errors and statistics.
 */
int Fclose(FD_t fd);

/** Is an error held?
 * @return  0 for none; the errno of a plain descriptor, -1 for a layer's own; -1 for NULL
 */
int Ferror(FD_t fd);

/** Text of the held error.
 * @param fd  handle; NULL for the text of errno, as after a failed Fopen()
 * @return    text, "" for no error; valid until the next call on the handle (for NULL: until the
 *            next call in this thread)
 */
const char *Fstrerror(FD_t fd);

/** The descriptor below all layers.
 * @return  descriptor, stays the handle's; -1 for NULL or a closed handle
 */
int Fileno(FD_t fd);

/** fcntl(2) on the descriptor. */
int Fcntl(FD_t fd, int op, void *lip);

/** Name for messages: the path opened, or what /proc knows of the descriptor.
 * @return  text, the handle's; "[none]" for NULL
 */
const char *Fdescr(FD_t fd);

/** Size in bytes of the file below all layers.
 * @return  size, -1 with errno set on error
 */
off_t fdSize(FD_t fd);

/** Copy the rest of one handle to another.
 * @return  bytes copied, -1 on error, which is held by the handle that failed
 */
off_t ufdCopy(FD_t sfd, FD_t tfd);

/** Indices of a handle's statistics. */
typedef enum fdOpX_e {
    FDSTAT_READ = 0,   /**< Fread() */
    FDSTAT_WRITE = 1,  /**< Fwrite() */
    FDSTAT_SEEK = 2,   /**< Fseek() */
    FDSTAT_CLOSE = 3,  /**< Fclose() */
    FDSTAT_DIGEST = 4, /**< digests of what was read and written */
    FDSTAT_ALLOC = 5,  /**< fallocate; this and the rest under a write policy, fdSetFlush() */
    FDSTAT_DSYNC = 6,  /**< fdatasync */
    FDSTAT_SYNC = 7,   /**< fsync */
    FDSTAT_ADVISE = 8, /**< posix_fadvise */
    FDSTAT_MAX = 9
} fdOpX;

/** Statistics of the top layer: calls, bytes before compression, time. Those of a write policy are
 * the descriptor's, below all layers; they are complete after Fclose() (keep a reference).
 * @return  counters, the handle's; NULL for a bad handle or index
 */
rpmop fdOp(FD_t fd, fdOpX opx);

/** Put a handle under a write policy, before anything is written to it.
 * From here on Fwrite() and Fclose() do what the policy says; a failure of a sync is that of the
 * call, and held by the handle.
 * @param fd     handle, open for writing
 * @param flush  flush object, which must outlive the handle; NULL takes the policy off again:
 *               for files that are given up
 * @param size   bytes that the descriptor will get (below compression), -1 if not known
 * @param label  name for messages; NULL for Fdescr()
 * @return       0, or -1 with errno: the space could not be reserved, or the handle is closed
 */
int fdSetFlush(FD_t fd, rpmFlush flush, int64_t size, const char *label);

/** Digest everything that is read or written from here on; the digest's ID is its algorithm.
 * What a layer reads ahead from below does not count, only what passes Fread() and Fwrite().
 * @param fd        handle
 * @param hashalgo  one of RPM_HASH_*
 * @param flags     RPMDIGEST_NONE
 */
void fdInitDigest(FD_t fd, int hashalgo, rpmDigestFlags flags);

/** As fdInitDigest(), under an ID of the caller's choice (> 0), so that several digests of one
 * algorithm can run over different parts. */
void fdInitDigestID(FD_t fd, int hashalgo, int id, rpmDigestFlags flags);

/** Take a digest's result and end it.
 * @param fd       handle
 * @param id       ID of the digest
 * @param datap    result: the digest, the caller's to rfree(); NULL if there is no such digest
 * @param lenp     result: its length in bytes, a terminating NUL included for ASCII
 * @param asAscii  as a hexadecimal string?
 */
void fdFiniDigest(FD_t fd, int id, void **datap, size_t *lenp, int asAscii);

/** Copy a running digest, so that its value so far can be taken.
 * @return  digest, the caller's to rpmDigestFinal(); NULL if there is no such digest
 */
DIGEST_CTX fdDupDigest(FD_t fd, int id);

/** Replace the handle's digests.
 * @param fd      handle
 * @param bundle  digests, the handle's to free from here on; NULL for none. The old ones are
 *                not freed: get them first.
 */
void fdSetBundle(FD_t fd, rpmDigestBundle bundle);

/** The handle's digests.
 * @param fd      handle
 * @param create  make an empty bundle if there is none?
 * @return        digests, the handle's; NULL if there are none
 */
rpmDigestBundle fdGetBundle(FD_t fd, int create);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMIO_H */
