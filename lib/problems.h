/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_PROBLEMS_H
#define RPM_PROBLEMS_H

/** @file problems.h
 * What is wrong with the packages of a transaction as such. */

#include <rpm/header.h>
#include <rpm/rpmts.h>

/** Make problems of packages to install that are for other machines, installed already, or older
 * than what is installed; and of packages to erase that are not installed.
 * @return 0; -1 on errors (logged)
 */
int rpmProblemsCheck(rpmts ts);

/** Is an installed package the same as that of an element: by version and, where packages of
 * several architectures live beside each other, by architecture?
 * @return 1 if it is, else 0
 */
int rpmProblemsIsSame(rpmts ts, rpmte te, Header h);

#endif /* RPM_PROBLEMS_H */
