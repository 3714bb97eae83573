/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMPS_H
#define RPM_RPMPS_H

/** @file rpm/rpmps.h
 * Sets of problems: the answer of rpmtsProblems(). Names as in upstream's rpm/rpmps.h.
 * A set is counted by reference, and is its owner's alone while it grows.
 */

#include <stdio.h>

#include <rpm/rpmprob.h>
#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rpmpsi_s *rpmpsi;

/** @return an empty set with one reference, the caller's */
rpmps rpmpsCreate(void);

/** Take a reference.
 * @param ps  set or NULL
 * @return    ps
 */
rpmps rpmpsLink(rpmps ps);

/** Give up a reference.
 * @param ps  set or NULL
 * @return    NULL always
 */
rpmps rpmpsFree(rpmps ps);

/** Add a problem; the set takes its own reference.
 * @param ps    set
 * @param prob  problem, not NULL
 */
void rpmpsAppendProblem(rpmps ps, rpmProblem prob);

/** Add the problems of one set to another.
 * @param dest  set
 * @param src   set or NULL
 * @return      how many were added
 */
int rpmpsMerge(rpmps dest, rpmps src);

/** @return problems in the set; 0 for NULL */
int rpmpsNumProblems(rpmps ps);

/** Write the messages of all problems of a set, a tab before and a newline after each.
 * @param fp  stream, NULL for stderr
 * @param ps  set or NULL
 */
void rpmpsPrint(FILE *fp, rpmps ps);

/** Begin to walk a set, which must not change meanwhile.
 * @return  iterator, the caller's to rpmpsFreeIterator(); NULL for NULL
 */
rpmpsi rpmpsInitIterator(rpmps ps);

/** @return NULL always */
rpmpsi rpmpsFreeIterator(rpmpsi psi);

/** @return the next problem, owned by the set, or NULL at the end */
rpmProblem rpmpsiNext(rpmpsi psi);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMPS_H */
