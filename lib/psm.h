/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_PSM_H
#define RPM_PSM_H

/** @file psm.h
 * What happens to one element of a transaction, step by step. group.h has the order of the steps,
 * and what is done for many elements at once between them.
 *
 *     added:   psmBegin()       %pre -> files to temporary names -> could every rename work?
 *              fsmCommit(), a record
 *              psmScripts()     %post -> end
 *     removed: psmEraseBegin()  %preun -> files removed
 *              psmScripts()     %postun
 *              its record is removed
 */

#include <rpm/rpmts.h>

#include "fsm.h"

/** An element on its way. */
struct psm_s {
    rpmts ts;
    rpmte te;
    int arg;          /**< packages of its name when it is done: what scriptlets are told */
    fsm files;        /**< NULL: nothing to rename */
    rpm_loff_t total; /**< bytes of the archive */
    int shown;        /**< the end of its progress is to be told */
    int open;         /**< the package is to be closed */
};

typedef struct psm_s *psm;

/** The first half of an added element.
 * @param p       ts and te set, all else 0
 * @param before  packages of its name that are recorded
 * @return        0; -1 on failure (logged): psmEnd() was called, nothing of it is there
 */
int psmBegin(psm p, int before);

/** The part of it that unpacks, with the calls back for progress.
 * @param fd  package, at the first byte of its payload
 * @return    0; -1 on failure (logged): nothing of it is there
 */
int psmUnpack(psm p, FD_t fd);

/** Log why the files cannot be put in place, after fsmUndo(), and forget them. */
void psmSayFailed(psm p);

/** Tell the end of an element's progress, if that was not done. */
void psmStop(psm p);

/** Close the package of an added element, if that was not done. */
void psmClose(psm p);

/** Both, and free what is left of its steps. */
void psmEnd(psm p);

/** The first half of a removed element.
 * @param p       as psmBegin()
 * @param before  packages of its name that are recorded
 * @return        0; -1 on failure (logged): its record is to stay
 */
int psmEraseBegin(psm p, int before);

/** Remove the files of an element that is removed ahead of its turn, without calls back.
 * @return  0; -1 on failure (logged): its record is to stay
 */
int psmEraseAhead(rpmts ts, rpmte te);

/** The calls back of an element whose files were removed ahead of its turn. */
void psmSayErased(rpmts ts, rpmte te);

/** Run %post of an added, %postun of a removed element.
 * @return 0; -1 if it must not go on (logged)
 */
int psmScripts(psm p);

/** @return 1 if a scriptlet of the element itself will run, of an added one %pre or %post */
int psmHasScripts(rpmts ts, rpmte te);

/** @return 1 if erasing the element will run a scriptlet */
int psmEraseHasScripts(rpmts ts, rpmte te);

/** Note that an element failed, and that what it would have made place for stays. */
void psmMarkFailed(rpmts ts, rpmte te);

/** Run a scriptlet of the whole transaction: of all added elements that have it. Those
 * whose scriptlet fails are marked, where that matters.
 * @param tag  RPMTAG_PRETRANS or RPMTAG_POSTTRANS
 */
void psmTransScripts(rpmts ts, rpmTagVal tag);

/** @return packages of the element's name that are recorded */
int psmCountInstalled(rpmts ts, rpmte te);

/* psm_record.c: parts of one bracket of rpmdbBegin() and rpmdbCommit(). */

/** Record an added element: a package in the place of itself takes the place of its record, too.
 * @return 0 or -1 (logged) */
int psmAddRecord(rpmts ts, rpmte te);

/** Remove the record of a removed element. @return 0 or -1 (logged) */
int psmRemoveRecord(rpmts ts, rpmte te);

/** Tell the records of other packages that some of their files are this one's now; in a bracket
 * or without. */
void psmMarkReplaced(rpmts ts, rpmte te);

#endif /* RPM_PSM_H */
