/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_DEPENDS_H
#define RPM_DEPENDS_H

/** @file depends.h
 * What must hold before packages are installed: their dependencies among themselves. */

#include <rpm/header.h>
#include <rpm/rpmps.h>
#include <rpm/rpmts.h>

/** Check the dependencies of packages that are installed together.
 * Requirements must be met by what the packages provide, by their files, or by this library's
 * rpmlib() features; no package may conflict with another, or obsolete it.
 *
 * @param hs        headers
 * @param keys      key of each in the transaction, for the problems; NULL for none
 * @param count     headers
 * @param problems  count sets, to which the problems of each package are added, each once
 * @return          0; -1 if some dependencies cannot be evaluated: the log has said which
 */
int rpmDependsCheck(Header *hs, const fnpyKey *keys, int count, rpmps *problems);

#endif /* RPM_DEPENDS_H */
