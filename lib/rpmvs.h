/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMVS_H
#define RPM_RPMVS_H

/** @file rpmvs.h
 * Verification of packages: what a package says that its bytes should be, and whether they are.
 *
 * One rpmpkgRead() reads a package once and computes each digest that is wanted once;
 * rpmvsVerify() then compares and tells of each item. Signatures are never checked: they count as
 * RPMRC_NOKEY.
 */

#include <stdbool.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmfiledigest.h>
#include <rpm/rpmts.h>
#include <rpm/rpmtypes.h>

#include "header_internal.h"

/** Parts of a package that an item is about; both bits are one range of their own. */
enum {
    RPMSIG_HEADER = (1 << 0),
    RPMSIG_PAYLOAD = (1 << 1)
};

/** Something that a package can be verified by. */
struct rpmsinfo_s {
    int type;           /**< RPMSIG_DIGEST_TYPE, RPMSIG_SIGNATURE_TYPE; RPMSIG_OTHER_TYPE: size */
    int disabler;       /**< RPMVSF_* bit that leaves it out */
    int range;          /**< RPMSIG_* bits above */
    int hashalgo;       /**< enum rpmHashAlgo_e */
    bool alt;           /**< of the payload before compression */
    int id;             /**< from its tag, to sort by */
    unsigned int keyid; /**< low 32 bits of the signature's key ID */
    char *dig;          /**< the digest that is said, hex */
    char *result;       /**< the digest that was computed, hex; NULL if none was */
    char *descr;        /**< for messages */
    rpmRC rc;           /**< RPMRC_NOTFOUND where there is nothing, or nothing to check it by */
    char *msg;          /**< more about a failure, or NULL */
};

struct rpmvs_s;

/** Called for each item. May change sinfo->rc: RPMRC_OK makes it pass.
 * @return  1 to go on, 0 to stop */
typedef int (*rpmsinfoCb)(struct rpmsinfo_s *sinfo, void *cbdata);

/** Line about an item, like "Header SHA256 digest: OK", the caller's to free(). */
char *rpmsinfoMsg(struct rpmsinfo_s *sinfo);

/** Start a verification.
 * @param vfylevel  RPMSIG_* types that must be there, as rpmtsVfyLevel()
 * @param vsflags   RPMVSF_* bits of what is left out
 * @return          verification, for one package and for rpmvsFree()
 */
struct rpmvs_s *rpmvsCreate(int vfylevel, rpmVSFlags vsflags);

/** @return  NULL always */
struct rpmvs_s *rpmvsFree(struct rpmvs_s *vs);

/** Take up what a signature header or the main one says. */
void rpmvsInit(struct rpmvs_s *vs, const struct hdrblob_s *blob, bool signature);

/** Start the digests of the ranges that begin with a part: what is read from now on counts.
 * @param fd  descriptor; its digests are rpmvsFree()'s until rpmvsFiniRange() */
void rpmvsInitRange(struct rpmvs_s *vs, FD_t fd, int range);

/** A digest that runs over a payload. */
struct rpmvsDigest_s {
    int range, hashalgo;
    DIGEST_CTX ctx; /**< with what was read so far */
};

/** Take the digests that run over the payload from a descriptor, at its start: what is read from
 * now on counts no more, the caller updates them.
 * @param digests  room for RPMVS_DIGESTS_MAX, each for rpmvsGiveDigest()
 * @return         how many there are
 */
int rpmvsTakeDigests(struct rpmvs_s *vs, FD_t fd, struct rpmvsDigest_s *digests);
#define RPMVS_DIGESTS_MAX 8

/** End a digest that was taken, at the end of the payload, and keep what came out. */
void rpmvsGiveDigest(struct rpmvs_s *vs, struct rpmvsDigest_s *digest);

/** End the digests of exactly this range. */
void rpmvsFiniRange(struct rpmvs_s *vs, FD_t fd, int range);

/** End all digests that still run on fd. */
void rpmvsAbort(struct rpmvs_s *vs, FD_t fd);

/** @return  whether there is anything that needs the payload read */
bool rpmvsNeedsPayload(const struct rpmvs_s *vs);

/** Take up a size that is not as it should be.
 * @param actual    bytes of the file
 * @param expected  what the headers say
 */
void rpmvsSetSize(struct rpmvs_s *vs, uint64_t actual, uint64_t expected);

/** Compare, and call back for each item that is there or is required.
 * @param type    RPMSIG_* types to look at
 * @param cb      callback or NULL
 * @return        0, or 1 if any item did not pass
 */
int rpmvsVerify(struct rpmvs_s *vs, int type, rpmsinfoCb cb, void *cbdata);

/** Read a package once: lead, headers and, unless the flags leave out all that needs it, the
 * payload, computing what rpmvsVerify() will ask for.
 * @param vs             verification
 * @param fd             package at its start; left at the payload, or at the end if that was read
 * @param[out] sigblob   signature header, for hdrblobFini() or hdrblobImport(); may be NULL
 * @param[out] blob      main header, likewise
 * @param[out] emsg      what is wrong, the caller's to free(); NULL with RPMRC_NOTFOUND
 * @return               RPMRC_OK: the package is well formed, its digests are for rpmvsVerify();
 *                       RPMRC_NOTFOUND: not a package; RPMRC_FAIL
 */
rpmRC rpmpkgRead(struct rpmvs_s *vs, FD_t fd, struct hdrblob_s *sigblob, struct hdrblob_s *blob,
    char **emsg);

/** How rpmpkgRead() reads the payload: as rpmFileDigestOptionsInit() has it, unless this is called.
 * @param opts  options, copied */
void rpmvsSetDigestOptions(struct rpmvs_s *vs, const rpmFileDigestOptions *opts);
const rpmFileDigestOptions *rpmvsDigestOptions(const struct rpmvs_s *vs);

/** Read and check a lead.
 * @param[out] emsg  what is wrong, the caller's to free()
 * @return           RPMRC_OK; RPMRC_NOTFOUND for what is no package; RPMRC_FAIL
 */
rpmRC rpmLeadRead(FD_t fd, char **emsg);

/** rpmReadPackageFile() with the flags given instead of taken from a transaction set. */
rpmRC rpmpkgReadHeader(rpmVSFlags vsflags, FD_t fd, const char *fn, Header *hdrp);

#endif /* RPM_RPMVS_H */
