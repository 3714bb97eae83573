/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_PKGPOOL_H
#define RPM_PKGPOOL_H

/** @file pkgpool.h
 * Reading packages, several at once, for what each says of itself.
 *
 *     pool = rpmpkgPoolNew(ts, n)
 *     for each package: while (rpmpkgPoolIsFull(pool)) look at rpmpkgPoolNext(pool)
 *                       rpmpkgPoolAdd(pool, fd, data)
 *     while (rpmpkgPoolNext(pool)) ...
 *     rpmpkgPoolFree(pool)
 *
 * Results come in the order of adding, and all calls are one thread's. One package alone has all
 * processors for its own digests.
 */

#include <rpm/rpmio.h>
#include <rpm/rpmts.h>

#include "rpmvs.h"

typedef struct rpmpkgPool_s *rpmpkgPool;

/** A package that was read. */
struct rpmpkgReading_s {
    FD_t fd;            /**< as it was added */
    void *data;         /**< as it was added */
    struct rpmvs_s *vs; /**< for rpmvsVerify(), if rc is RPMRC_OK */
    rpmRC rc;           /**< of rpmpkgRead(); RPMRC_FAIL without fd */
    char *msg;          /**< of rpmpkgRead(), or NULL */
};

/** Make a pool.
 * @param ts         set whose level and flags of verification count
 * @param npackages  how many will be added
 * @return           pool; NULL if a macro's value is unknown, which is logged
 */
rpmpkgPool rpmpkgPoolNew(rpmts ts, rpm_loff_t npackages);

/** @return  not 0: so many are open that one should be taken before the next is added */
int rpmpkgPoolIsFull(rpmpkgPool pool);

/** Add a package.
 * @param fd    package at its start, the reading's; NULL: there is nothing to read
 * @param data  for the caller
 */
void rpmpkgPoolAdd(rpmpkgPool pool, FD_t fd, void *data);

/** Take the next one; waits for it.
 * @return  for rpmpkgReadingFree(); NULL if all were taken
 */
struct rpmpkgReading_s *rpmpkgPoolNext(rpmpkgPool pool);

/** Close the package, too. */
void rpmpkgReadingFree(struct rpmpkgReading_s *reading);

/** Those that were not taken are dropped.
 * @return  NULL always */
rpmpkgPool rpmpkgPoolFree(rpmpkgPool pool);

#endif /* RPM_PKGPOOL_H */
