/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_CPIO_H
#define RPM_CPIO_H

/** @file cpio.h
 * The archive format of payloads: cpio "newc" (magic 070701; 070702, whose checksums rpm ignores),
 * and rpm's stripped form (magic 07070X) that has only the number of the header's file where
 * sizes do not fit the 32 bits of newc. Everything is aligned to 4 bytes, the end is a newc entry
 * called TRAILER!!!.
 */

#include <stdint.h>
#include <sys/types.h>

#include "ring.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Longest name of an entry in bytes, its NUL included: PATH_MAX, as rpm has it. */
#define RPMCPIO_NAMEMAX 4096

/** Most bytes that may follow the archive, all 0: other archivers fill up a tape block. */
#define RPMCPIO_TAILMAX 10240

/** An archive being read. */
struct rpmcpio_s {
    rpmRing ring;
    uint64_t offset;             /**< bytes of the archive that were read */
    uint64_t left;               /**< bytes of this entry's content that were not */
    int stripped;                /**< this entry is of the stripped form: fx counts, not name */
    uint32_t fx;                 /**< number of the header's file, not checked */
    uint64_t size;               /**< bytes of content that a newc entry declares */
    char name[RPMCPIO_NAMEMAX];  /**< name of a newc entry, not checked */
    const char *why;             /**< what is wrong after an error, constant; NULL if the code
                                      says it all. After RPMERR_READ_FAILED the ring may know
                                      more */
};
typedef struct rpmcpio_s *rpmcpio_t;

/** Begin.
 * @param cpio  archive, filled in
 * @param ring  where its bytes come from, stays the caller's
 */
void rpmcpioInit(rpmcpio_t cpio, rpmRing ring);

/** Read the next entry's header, past what is left of the content before it.
 * Of a stripped entry the caller knows the size and sets cpio->left.
 *
 * @param cpio  archive
 * @return      0; RPMERR_ITER_END at the trailer; RPMERR_BAD_MAGIC, RPMERR_BAD_HEADER,
 *              RPMERR_READ_FAILED
 */
int rpmcpioNext(rpmcpio_t cpio);

/** Look at content of this entry.
 * @param cpio       archive
 * @param[out] data  bytes, valid until skipped
 * @return           how many; 0 at the end of the content; RPMERR_READ_FAILED
 */
ssize_t rpmcpioPeek(rpmcpio_t cpio, const unsigned char **data);

/** Be done with content.
 * @param cpio  archive
 * @param n     at most what rpmcpioPeek() returned
 */
void rpmcpioSkip(rpmcpio_t cpio, size_t n);

/** Read to the end of the stream behind the trailer, which is also what makes decompressors check
 * their checksums.
 * @param cpio  archive
 * @return      0; RPMERR_BAD_HEADER if anything but a little padding follows;
 *              RPMERR_READ_FAILED
 */
int rpmcpioFinish(rpmcpio_t cpio);

#ifdef __cplusplus
}
#endif

#endif /* RPM_CPIO_H */
