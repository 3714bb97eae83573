/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMDS_INTERNAL_H
#define RPM_RPMDS_INTERNAL_H

/** @file rpmds_internal.h
 * Dependency sets inside the library: entries by index, and what the flags mean. */

#include <stdbool.h>

#include <rpm/rpmds.h>

/** @name An entry by its index; as the calls without Index for one out of range
 * @{ */
const char *rpmdsNIndex(rpmds ds, int ix);
const char *rpmdsEVRIndex(rpmds ds, int ix);
rpmsenseFlags rpmdsFlagsIndex(rpmds ds, int ix);
int rpmdsCompareIndex(rpmds A, int aix, rpmds B, int bix);
/** @} */

/** Needed while a package is installed. */
#define RPMSENSE_INSTALL_ONLY                                                                   \
    (RPMSENSE_SCRIPT_PRE | RPMSENSE_SCRIPT_POST | RPMSENSE_RPMLIB | RPMSENSE_KEYRING |          \
     RPMSENSE_PRETRANS | RPMSENSE_POSTTRANS)

/** Needed while a package is erased. */
#define RPMSENSE_ERASE_ONLY (RPMSENSE_SCRIPT_PREUN | RPMSENSE_SCRIPT_POSTUN)

/** @return true for a requirement that is of no interest once the package is installed */
static inline bool rpmdsIsTransient(rpmsenseFlags flags)
{
    return (flags & RPMSENSE_INSTALL_ONLY) && !(flags & (RPMSENSE_ERASE_ONLY | RPMSENSE_META));
}

/** @return true for a requirement that says nothing about the order of installation */
static inline bool rpmdsIsUnordered(rpmsenseFlags flags)
{
    const rpmsenseFlags unordered = RPMSENSE_RPMLIB | RPMSENSE_CONFIG | RPMSENSE_PRETRANS |
        RPMSENSE_POSTTRANS | RPMSENSE_SCRIPT_VERIFY | RPMSENSE_META;
    const rpmsenseFlags scripts = RPMSENSE_SCRIPT_PRE | RPMSENSE_SCRIPT_POST | RPMSENSE_ERASE_ONLY;

    return (flags & unordered) && !(flags & scripts);
}

/** @return true for an old prerequisite that does not say what for */
static inline bool rpmdsIsLegacyPrereq(rpmsenseFlags flags)
{
    const rpmsenseFlags kinds = RPMSENSE_INTERP | RPMSENSE_INSTALL_ONLY | RPMSENSE_ERASE_ONLY |
        RPMSENSE_SCRIPT_VERIFY | RPMSENSE_FIND_REQUIRES | RPMSENSE_PREREQ | RPMSENSE_META |
        RPMSENSE_MISSINGOK;

    return (flags & kinds) == RPMSENSE_PREREQ;
}

#endif /* RPM_RPMDS_INTERNAL_H */
