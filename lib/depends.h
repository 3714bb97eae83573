/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_DEPENDS_H
#define RPM_DEPENDS_H

/** @file depends.h
 * What must hold before packages are installed: their dependencies among themselves, and that
 * they ask for nothing that this library does not do. */

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

/** Refuse a package with scriptlets or triggers that would have to run when it is installed.
 * @param h      header
 * @param flags  RPMTRANS_FLAG_NO...: the caller does without these
 * @return       0 if there are none, else -1: the log names the package, what it has, and the
 *               switch that leaves it out
 */
int rpmRefuseScripts(Header h, rpmtransFlags flags);

#endif /* RPM_DEPENDS_H */
