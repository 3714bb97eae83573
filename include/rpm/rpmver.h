/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMVER_H
#define RPM_RPMVER_H

/** @file rpm/rpmver.h
 * Comparison of version strings. Names as in upstream's rpm/rpmver.h.
 */

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

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMVER_H */
