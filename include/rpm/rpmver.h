/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMVER_H
#define RPM_RPMVER_H

/** @file rpm/rpmver.h
 * Versions and their comparison. Names as in upstream's rpm/rpmver.h.
 */

#include <rpm/rpmds.h>
#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Compare two version or release strings, segment by segment.
 * Segments are runs of digits or of ASCII letters; everything else only separates. Digits are
 * newer than letters, a longer list of segments is newer than its prefix. `~` sorts before
 * everything, the end of the string included; `^` after the end and before everything else.
 *
 * @param a  version, not NULL
 * @param b  version, not NULL
 * @return   1 if a is newer, 0 if they are equal, -1 if b is newer
 */
int rpmvercmp(const char *a, const char *b);

/** Split a version into its parts.
 * @param evr  [epoch:]version[-release]
 * @return     version, the caller's to rpmverFree(); NULL for NULL or an empty string
 */
rpmver rpmverParse(const char *evr);

/** Give a version up.
 * @param rv  version or NULL
 * @return    NULL always
 */
rpmver rpmverFree(rpmver rv);

/** Do two ranges of versions have a version in common? A part that one of them leaves out (the
 * release, or an epoch, which then is 0) does not tell them apart.
 *
 * @param v1  version, not NULL
 * @param f1  RPMSENSE_LESS, _EQUAL, _GREATER: the range around v1
 * @param v2  version, not NULL
 * @param f2  the range around v2
 * @return    1 if they have, else 0
 */
int rpmverOverlap(rpmver v1, rpmsenseFlags f1, rpmver v2, rpmsenseFlags f2);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMVER_H */
