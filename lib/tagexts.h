/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_TAGEXTS_H
#define RPM_TAGEXTS_H

/** @file tagexts.h
 * Tags that are computed from others, by the file that computes them. All are
 * headerTagTagFunctions: 1, or 0 and an untouched container if there is nothing to compute from.
 */

#include <rpm/header.h>

/** Make td hold strings that it will free, each and all. @return  1 */
int tagextStrings(rpmtd td, char **strings, rpm_count_t count);

/** @name tagexts_files.c
 * @{ */
int filenamesTag(Header h, rpmtd td, headerGetFlags hgflags);
int origfilenamesTag(Header h, rpmtd td, headerGetFlags hgflags);
int instfilenamesTag(Header h, rpmtd td, headerGetFlags hgflags);
int fileclassTag(Header h, rpmtd td, headerGetFlags hgflags);
int fileprovideTag(Header h, rpmtd td, headerGetFlags hgflags);
int filerequireTag(Header h, rpmtd td, headerGetFlags hgflags);
int filenlinksTag(Header h, rpmtd td, headerGetFlags hgflags);
/** @} */

/** @name tagexts_triggers.c
 * @{ */
int triggercondsTag(Header h, rpmtd td, headerGetFlags hgflags);
int filetriggercondsTag(Header h, rpmtd td, headerGetFlags hgflags);
int transfiletriggercondsTag(Header h, rpmtd td, headerGetFlags hgflags);
int triggertypeTag(Header h, rpmtd td, headerGetFlags hgflags);
int filetriggertypeTag(Header h, rpmtd td, headerGetFlags hgflags);
int transfiletriggertypeTag(Header h, rpmtd td, headerGetFlags hgflags);
/** @} */

#endif /* RPM_TAGEXTS_H */
