/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_PAYLOAD_H
#define RPM_PAYLOAD_H

/** @file payload.h
 * Reading a package's payload: decompression in a thread of its own, the archive checked entry by
 * entry against the header's file list.
 *
 *     p = rpmPayloadNew(fd, h, files, &emsg);
 *     while ((fx = rpmPayloadNext(p)) >= 0) {
 *         if (rpmPayloadHasContent(p))
 *             rc = rpmPayloadReadToFile(p, out, 0);
 *     }
 *     if (fx != RPMERR_ITER_END)
 *         emsg = rpmPayloadStrerror(p, fx);
 *     rpmPayloadFree(p);
 *
 * Every entry must be a file of the header, once, with the size (and symlink target) that the
 * header gives; at the end every file but the ghosts must have been there, and nothing may follow
 * the archive. So a payload cannot yield more than its header declares: reading stops at the
 * first byte too many. Memory is bounded by the ring between the two threads, about 2 MiB, and by
 * what the decompressor itself takes.
 *
 * Entries are named as rpmbuild names them: `./path`, or `path` or `/path` as packages made by
 * others have it. The name serves only to find the header's file, and the header's path is the
 * one in use, so an absolute name or one with `..` can at worst be refused as unknown.
 *
 * One payload is for one thread at a time. Until rpmPayloadFree() the descriptor is the reader
 * thread's: leave it alone.
 */

#include <rpm/header.h>
#include <rpm/rpmarchive.h>
#include <rpm/rpmfiles.h>
#include <rpm/rpmio.h>
#include <rpm/rpmsw.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rpmPayload_s *rpmPayload;

/** Start to read a payload.
 * @param fd         package, positioned at the first byte of the payload; a duplicate is read, the
 *                   caller keeps this one
 * @param h          main header: names the compressor (none named: gzip) and the format
 * @param files      file list of h, with modes, flags, sizes, links and inodes; referenced
 * @param[out] emsg  one line on failure, the caller's to rfree(): a compressor or format unknown
 *                   here is named, so is a thread that does not start
 * @return           payload, the caller's to rpmPayloadFree(); NULL on failure
 */
rpmPayload rpmPayloadNew(FD_t fd, Header h, rpmfiles files, char **emsg);

/** Go to the next entry, past content that was not read.
 * Entries of ghosts, which old rpms wrote, are skipped.
 *
 * @param p  payload
 * @return   file index; #RPMERR_ITER_END after the last one, when all was in order to the end of
 *           the stream; another negative RPMERR_* on error, and again from then on
 */
int rpmPayloadNext(rpmPayload p);

/** Whether this entry carries content: a regular file, for a hard link set its last member.
 * Empty files have (empty) content.
 */
int rpmPayloadHasContent(rpmPayload p);

/** Write the content of the entry in hand and check it against the header's digest.
 * Everything goes through Fwrite(), straight from the ring's buffers.
 *
 * @param p         payload, at an entry with content that was not read yet
 * @param out       file to write to; not flushed, not closed
 * @param nodigest  not 0: skip the digest
 * @return          0; RPMERR_WRITE_FAILED with errno set (Ferror(out) holds it too),
 *                  RPMERR_READ_FAILED, RPMERR_DIGEST_MISMATCH, RPMERR_INTERNAL when there is no
 *                  content to read. After any of them rpmPayloadNext() gives the same again
 */
int rpmPayloadReadToFile(rpmPayload p, FD_t out, int nodigest);

/** The entry that a call was about, for messages: the header's path, else the archive's name.
 * @return  text without control bytes, valid until the next call; "" before the first entry
 */
const char *rpmPayloadEntry(rpmPayload p);

/** Say an error of this payload in words: rpmfileStrerror() and what more is known.
 * For example `cpio: read failed - Input/output error`, `cpio: Bad/unreadable header: size 7 in
 * the archive, 5 in the header`.
 *
 * @param p   payload
 * @param rc  what a call returned
 * @return    one line, the caller's to rfree()
 */
char *rpmPayloadStrerror(rpmPayload p, int rc);

/** @return bytes of the uncompressed archive that the caller has been through */
rpm_loff_t rpmPayloadTell(rpmPayload p);

/** Have a function called as content is written, for progress bars.
 * @param p     payload
 * @param cb    called with data and rpmPayloadTell() after each Fwrite(); NULL for none
 * @param data  for cb
 */
void rpmPayloadSetProgress(rpmPayload p, void (*cb)(void *data, rpm_loff_t done), void *data);

/** What a payload's operations cost. */
typedef enum rpmPayloadOpX_e {
    RPMPAYLOAD_OP_UNCOMPRESS = 0, /**< reading and decompressing, bytes of the archive */
    RPMPAYLOAD_OP_DIGEST = 1      /**< digests of file contents */
} rpmPayloadOpX;

/** Add this payload's cost to a total.
 * @param p    payload; the reader thread is stopped first, so call it last
 * @param opx  which operation
 * @param to   total to add to
 */
void rpmPayloadAddOp(rpmPayload p, rpmPayloadOpX opx, rpmop to);

/** Stop reading, wherever it is, and join the thread.
 * @param p  payload or NULL
 * @return   NULL always
 */
rpmPayload rpmPayloadFree(rpmPayload p);

#ifdef __cplusplus
}
#endif

#endif /* RPM_PAYLOAD_H */
