/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_DEPENDS_H
#define RPM_DEPENDS_H

/** @file depends.h
 * What must hold before packages are installed: that they ask for nothing that this library does
 * not do. */

#include <rpm/header.h>
#include <rpm/rpmts.h>

/** Refuse a package with scriptlets or triggers that would have to run when it is installed.
 * @param h      header
 * @param flags  RPMTRANS_FLAG_NO...: the caller does without these
 * @return       0 if there are none, else -1: the log names the package, what it has, and the
 *               switch that leaves it out
 */
int rpmRefuseScripts(Header h, rpmtransFlags flags);

#endif /* RPM_DEPENDS_H */
