/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMDS_H
#define RPM_RPMDS_H

/** @file rpm/rpmds.h
 * Dependency sets: the provides, requires, conflicts or obsoletes of one header, walked as an
 * iterator. Names and numbers as in upstream's rpm/rpmds.h.
 *
 * A set is its owner's alone: it may be used by one thread at a time. The strings that its calls
 * return belong to the set; those of rpmdsDNEVR() live until the next rpmdsNext() or rpmdsFree().
 */

#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a dependency says beside its name: the comparison, and what it is for. */
enum rpmsenseFlags_e {
    RPMSENSE_ANY = 0,
    RPMSENSE_LESS = (1 << 1),
    RPMSENSE_GREATER = (1 << 2),
    RPMSENSE_EQUAL = (1 << 3),
    RPMSENSE_POSTTRANS = (1 << 5),
    RPMSENSE_PREREQ = (1 << 6),
    RPMSENSE_PRETRANS = (1 << 7),
    RPMSENSE_INTERP = (1 << 8),         /*!< interpreter of a scriptlet */
    RPMSENSE_SCRIPT_PRE = (1 << 9),
    RPMSENSE_SCRIPT_POST = (1 << 10),
    RPMSENSE_SCRIPT_PREUN = (1 << 11),
    RPMSENSE_SCRIPT_POSTUN = (1 << 12),
    RPMSENSE_SCRIPT_VERIFY = (1 << 13),
    RPMSENSE_FIND_REQUIRES = (1 << 14), /*!< found by the builder */
    RPMSENSE_FIND_PROVIDES = (1 << 15), /*!< found by the builder */
    RPMSENSE_TRIGGERIN = (1 << 16),
    RPMSENSE_TRIGGERUN = (1 << 17),
    RPMSENSE_TRIGGERPOSTUN = (1 << 18),
    RPMSENSE_MISSINGOK = (1 << 19),
    RPMSENSE_RPMLIB = (1 << 24),        /*!< feature of the installing rpm */
    RPMSENSE_TRIGGERPREIN = (1 << 25),
    RPMSENSE_KEYRING = (1 << 26),
    RPMSENSE_CONFIG = (1 << 28),
    RPMSENSE_META = (1 << 29),
};

typedef rpmFlags rpmsenseFlags;

/** The bits that compare. */
#define RPMSENSE_SENSEMASK 15

/** The bits of package triggers. */
#define RPMSENSE_TRIGGER \
    (RPMSENSE_TRIGGERPREIN | RPMSENSE_TRIGGERIN | RPMSENSE_TRIGGERUN | RPMSENSE_TRIGGERPOSTUN)

/** Read a dependency set out of a header.
 * @param h      header
 * @param tagN   RPMTAG_PROVIDENAME, RPMTAG_REQUIRENAME, RPMTAG_CONFLICTNAME, RPMTAG_OBSOLETENAME
 *               or the name tag of a weaker kind (RPMTAG_RECOMMENDNAME and so on);
 *               RPMTAG_NAME for the package's own name and version
 * @param flags  0 (as upstream, unused)
 * @return       set before its first entry, the caller's to rpmdsFree(); NULL if the header has
 *               none, or if the counts of its name, version and flag tags differ
 */
rpmds rpmdsNew(Header h, rpmTagVal tagN, int flags);

/** Give a set up.
 * @param ds  set or NULL
 * @return    NULL always
 */
rpmds rpmdsFree(rpmds ds);

/** Go back before the first entry.
 * @param ds  set or NULL
 * @return    ds
 */
rpmds rpmdsInit(rpmds ds);

/** Step to the next entry.
 * @param ds  set or NULL
 * @return    its index from 0, or -1 at the end
 */
int rpmdsNext(rpmds ds);

/** @return entries of the set; 0 for NULL */
int rpmdsCount(rpmds ds);

/** @return index of the entry, -1 outside the set */
int rpmdsIx(rpmds ds);

/** Go to an entry.
 * @param ds  set or NULL
 * @param ix  its index; -1, or one out of range: before the first
 * @return    index before the call
 */
int rpmdsSetIx(rpmds ds, int ix);

/** @return number of the header's record in the database, 0 for a package that is not of it */
unsigned int rpmdsInstance(rpmds ds);

/** @return name of the entry, or NULL outside the set */
const char *rpmdsN(rpmds ds);

/** @return [epoch:]version[-release] of the entry ("" for none), or NULL outside the set */
const char *rpmdsEVR(rpmds ds);

/** @return RPMSENSE_* bits of the entry, 0 outside the set */
rpmsenseFlags rpmdsFlags(rpmds ds);

/** @return tag that the set was made from; 0 for NULL */
rpmTagVal rpmdsTagN(rpmds ds);

/** Show the entry as rpm does.
 * @return a letter of its kind (P, R, C, O, ...), a space, name, comparison, version; NULL outside
 *         the set
 */
const char *rpmdsDNEVR(rpmds ds);

/** @return 1 if the entry is a rich dependency (a boolean expression in parentheses), else 0 */
int rpmdsIsRich(rpmds ds);

/** @return 1 if the entry is a hint only: recommended, suggested, may be missing; else 0 */
int rpmdsIsWeak(rpmds ds);

/** @return 1 if the set says what wants its package (supplements, enhances), else 0 */
int rpmdsIsReverse(rpmds ds);

/** Compare the entries of two sets.
 * @return  1 if the names are the same and the ranges overlap, else 0
 */
int rpmdsCompare(rpmds A, rpmds B);

/** Make the set of the rpmlib() features that this library has: a package that requires another
 * cannot be installed by it.
 * @retval dsp   set, the caller's to rpmdsFree()
 * @param tblp   NULL (the built-in table)
 * @return       0
 */
int rpmdsRpmlib(rpmds *dsp, const void *tblp);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMDS_H */
