/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMPROB_H
#define RPM_RPMPROB_H

/** @file rpm/rpmprob.h
 * One reason why a transaction may not run. Names and numbers as in upstream's rpm/rpmprob.h.
 * A problem never changes once made and is counted by reference.
 */

#include <stdint.h>

#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rpmProblem_s *rpmProblem;

/** Kinds of problems that the caller of rpmtsRun() does not want to hear of. */
enum rpmprobFilterFlags_e {
    RPMPROB_FILTER_NONE = 0,
    RPMPROB_FILTER_IGNOREOS = (1 << 0),        /*!< from --ignoreos */
    RPMPROB_FILTER_IGNOREARCH = (1 << 1),      /*!< from --ignorearch */
    RPMPROB_FILTER_REPLACEPKG = (1 << 2),      /*!< from --replacepkgs */
    RPMPROB_FILTER_FORCERELOCATE = (1 << 3),   /*!< from --badreloc */
    RPMPROB_FILTER_REPLACENEWFILES = (1 << 4), /*!< from --replacefiles */
    RPMPROB_FILTER_REPLACEOLDFILES = (1 << 5), /*!< from --replacefiles */
    RPMPROB_FILTER_OLDPACKAGE = (1 << 6),      /*!< from --oldpackage */
    RPMPROB_FILTER_DISKSPACE = (1 << 7),       /*!< from --ignoresize */
    RPMPROB_FILTER_DISKNODES = (1 << 8),       /*!< from --ignoresize */
    RPMPROB_FILTER_VERIFY = (1 << 9),          /*!< from --noverify */
};

typedef rpmFlags rpmprobFilterFlags;

typedef enum rpmProblemType_e {
    RPMPROB_BADARCH,           /*!< package for another architecture */
    RPMPROB_BADOS,             /*!< package for another operating system */
    RPMPROB_PKG_INSTALLED,     /*!< package installed already */
    RPMPROB_BADRELOCATE,       /*!< path that cannot be relocated */
    RPMPROB_REQUIRES,          /*!< requirement that is not met */
    RPMPROB_CONFLICT,          /*!< conflict declared by a package */
    RPMPROB_NEW_FILE_CONFLICT, /*!< two packages of the transaction differ in one file */
    RPMPROB_FILE_CONFLICT,     /*!< file of a package in the way: an installed one, or one's own */
    RPMPROB_OLDPACKAGE,        /*!< newer package installed already */
    RPMPROB_DISKSPACE,         /*!< filesystem too full: the number is the bytes missing */
    RPMPROB_DISKNODES,         /*!< the same for inodes */
    RPMPROB_OBSOLETES,         /*!< package obsoleted by another */
    RPMPROB_VERIFY,            /*!< package that did not pass its verification */
} rpmProblemType;

/** Make a problem. All strings are copied.
 * @param type     its kind
 * @param pkgNEVR  package at fault, or NULL
 * @param key      the package's key in the transaction
 * @param altNEVR  the other package, or NULL
 * @param str      path, filesystem, dependency or message that the kind calls for, or NULL
 * @param number   amount that the kind calls for, else 0
 * @return         problem with one reference, the caller's
 */
rpmProblem rpmProblemCreate(rpmProblemType type, const char *pkgNEVR, fnpyKey key,
                            const char *altNEVR, const char *str, uint64_t number);

/** Give up a reference.
 * @param prob  problem or NULL
 * @return      NULL always
 */
rpmProblem rpmProblemFree(rpmProblem prob);

/** Take a reference.
 * @param prob  problem or NULL
 * @return      prob
 */
rpmProblem rpmProblemLink(rpmProblem prob);

/** Compare two problems.
 * @return  0 if they say the same, 1 if not
 */
int rpmProblemCompare(rpmProblem ap, rpmProblem bp);

/** @return the package at fault or NULL; it lives as long as the problem */
const char *rpmProblemGetPkgNEVR(rpmProblem prob);

/** @return the other package or NULL; it lives as long as the problem */
const char *rpmProblemGetAltNEVR(rpmProblem prob);

/** @return the problem's kind */
rpmProblemType rpmProblemGetType(rpmProblem prob);

/** @return the package's key in the transaction */
fnpyKey rpmProblemGetKey(rpmProblem prob);

/** @return the problem's string or NULL; it lives as long as the problem */
const char *rpmProblemGetStr(rpmProblem prob);

/** @return bytes (RPMPROB_DISKSPACE) or inodes (RPMPROB_DISKNODES) that are missing */
rpm_loff_t rpmProblemGetDiskNeed(rpmProblem prob);

/** Say the problem in one line, in the words of upstream's rpm.
 * @return  message without a newline, the caller's to free()
 */
char *rpmProblemString(rpmProblem prob);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMPROB_H */
