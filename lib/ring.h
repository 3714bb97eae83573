/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RING_H
#define RPM_RING_H

/** @file ring.h
 * Reading ahead: a thread reads a descriptor into a ring of buffers, a consumer takes the bytes
 * from there without copying them. Where one buffer holds everything, the two would only wait for
 * each other: then the consumer reads by itself.
 *
 * The ring is the only memory between the two, so neither a slow consumer nor data without end
 * makes it grow. The thread blocks all signals but SIGBUS; whatever it meets, end or error, it
 * hands over after the bytes that came before.
 */

#include <stdint.h>

#include <rpm/rpmio.h>
#include <rpm/rpmsw.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Buffers of a ring, and bytes of each: 2 MiB together. Decompressors deliver blocks of up to
 * 128 KiB; twice that keeps the two threads from meeting at every block, and eight of them even
 * out what the disk does to the writer. */
#define RPMRING_SLOTS 8
#define RPMRING_SLOTSIZE (256 * 1024)

typedef struct rpmRing_s *rpmRing;

/** Start reading.
 * @param fd          what to read; the ring's to close from here on, on failure too
 * @param expected    bytes that there probably are; 0 if that is not known. Any number is read
 * @param[out] emsg   one line on failure, the caller's to rfree()
 * @return            ring, the caller's to rpmRingFree(); NULL if no thread could be started
 */
rpmRing rpmRingNew(FD_t fd, uint64_t expected, char **emsg);

/** Look at the next bytes; wait until there are some.
 * @param r          ring
 * @param[out] data  the bytes, valid until they are skipped
 * @return           how many there are in one piece; 0 at the end; -1 on a read error
 */
ssize_t rpmRingPeek(rpmRing r, const unsigned char **data);

/** Be done with bytes.
 * @param r  ring
 * @param n  at most what rpmRingPeek() returned
 */
void rpmRingSkip(rpmRing r, size_t n);

/** Take bytes that may lie across buffers.
 * @param r    ring
 * @param buf  where to; NULL to skip them
 * @param n    how many
 * @return     how many there were: fewer than n only at the end; -1 on a read error
 */
ssize_t rpmRingRead(rpmRing r, void *buf, size_t n);

/** @return text of the read error after -1, the ring's; "" if there is none */
const char *rpmRingError(rpmRing r);

/** Stop the thread and join it. A read that is under way is waited for: one buffer's worth, or
 * as long as a pipe keeps silent. What is in the ring is lost.
 * @param r  ring
 */
void rpmRingStop(rpmRing r);

/** @param r  stopped ring
 * @return    calls, bytes and time of reading */
rpmop rpmRingOp(rpmRing r);

/** Stop, close and free.
 * @param r  ring or NULL
 * @return   NULL always
 */
rpmRing rpmRingFree(rpmRing r);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RING_H */
