/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTINST_H
#define TESTINST_H

/** @file testinst.h
 * Install packages of manifests (see pkgwriter.h) under the directory `root` of a test's tree. */

#include <rpm/rpmts.h>

#include "testtree.h"

/** Settings of the next installs; instReset() clears them. */
extern rpmtransFlags instFlags;
extern rpmprobFilterFlags instIgnore;
extern int instDb;           /**< with a package database */
extern int instUpgrade;      /**< in the place of older versions, in rpmtsOrder()'s order */
extern const char *instRoot; /**< other root than the tree's, or NULL */

/** Results of the last install. */
extern char instLog[65536];      /**< all messages, each with its prefix */
extern char instProblems[65536]; /**< the problems' messages, a line each */
extern int instFailed;           /**< elements that failed */

/** Called between packages being read and rpmtsRun(), and there with RPMCALLBACK_* events. */
extern void (*instHook)(const char *tree, rpmCallbackType what, rpm_loff_t amount,
                        rpm_loff_t total);

void instReset(void);

/** Group setup and teardown: a tree with an empty `root`. */
int instSetup(void **state);
int instTeardown(void **state);

/** The same, with `/db` below the root as the place of the database and its lock. */
int instSetupDb(void **state);
int instTeardownDb(void **state);

/** Build packages and install them in one transaction.
 * @param tree   tree
 * @param first  manifests, NULL after the last
 * @return       what rpmtsRun() returned; 1000 + what rpmtsAddInstallElement() returned if it
 *               took a package for wrong
 */
int inst(const char *tree, const char *first, ...) __attribute__((sentinel));

/** The same with packages that are there already: tree/pkgN.rpm. */
int instBuilt(const char *tree, int n);
void instBuild(const char *tree, int ix, const char *manifest);

#endif /* TESTINST_H */
