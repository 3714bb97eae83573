/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_DEPENDS_INTERNAL_H
#define RPM_DEPENDS_INTERNAL_H

/** @file depends_internal.h
 * A check of dependencies: what its parts share. */

#include <rpm/rpmds.h>
#include <rpm/rpmts.h>

#include "rpmal.h"
#include "rpmte_internal.h"

/** A dependency on a file that some installed package has. */
struct fileDep {
    char *key;        /**< as in the index: the path, behind a `!` where its absence matters */
    const char *path; /**< in key */
    const char *base; /**< in path */
    char *dir;        /**< with its final slash */
};

/** All of one kind, sorted by base name. */
struct fileDeps {
    struct fileDep *deps;
    size_t count;
    bool made;
};

/** What a check knows. */
struct depends {
    rpmts ts;              /**< whose database is looked into */
    rpmal added;           /**< what is installed */
    rpmPlaces places;
    unsigned int *removed; /**< records of what is erased, sorted */
    size_t nremoved;
    rpmds rpmlib;          /**< features */
    void *answers;         /**< tree of what the database was asked already */
    void *said;            /**< tree of the problems of this element */
    struct fileDeps requires, conflicts;
    int failed;            /**< -1: something could not be evaluated, which was logged */
};

/** @return true if a record is of a package that is erased */
bool dependsIsRemoved(const struct depends *d, unsigned int hdrNum);

/** Whether there is something, after the transaction, that an entry names.
 * @param ds      requires, conflicts or obsoletes, at the entry; not a rich one
 * @param except  number of the package in d->added that does not count, or -1 */
bool dependsMet(struct depends *d, rpmds ds, int except);

/** Whether anything in the database provides a name.
 * @param pruned  what is erased does not count */
bool dependsInstalled(struct depends *d, const char *name, bool pruned);

/** Forget what the database was asked. */
void dependsFreeAnswers(struct depends *d);

/** Add a problem to an element, unless it has it.
 * @param ds     at the entry that is not met, or is met and should not be
 * @param nevra  package that has the entry */
void dependsAddProblem(struct depends *d, rpmte te, rpmds ds, const char *nevra);

/** Check what installed packages say of one that comes. */
void dependsCheckAdded(struct depends *d, rpmte te);

/** Check what installed packages say of one that goes. */
void dependsCheckRemoved(struct depends *d, rpmte te);

/** Forget the lists of installed packages' file dependencies. */
void dependsFreeFileDeps(struct depends *d);

#endif /* RPM_DEPENDS_INTERNAL_H */
