/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMTE_H
#define RPM_RPMTE_H

/** @file rpm/rpmte.h
 * Elements of a transaction: one package to install or to erase. Names as in upstream's
 * rpm/rpmte.h. An element belongs to its transaction set and lives until rpmtsEmpty() or rpmtsFree(); so do the
 * strings that its calls return.
 */

#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What happens to the package of an element. */
typedef enum rpmElementType_e {
    TR_ADDED = (1 << 0),   /*!< it is installed */
    TR_REMOVED = (1 << 1), /*!< it is erased */
} rpmElementType;

/** Set of rpmElementType; 0 stands for all. */
typedef rpmFlags rpmElementTypes;

/** @return the package's header with a reference of the caller's to headerFree() */
Header rpmteHeader(rpmte te);

/** @return the element's kind */
rpmElementType rpmteType(rpmte te);

/** @return number of its record in the database: of a package to erase, or installed by now; 0 for
 *          none */
unsigned int rpmteDBInstance(rpmte te);

/** @return the same */
int rpmteDBOffset(rpmte te);

/** @return of a package to erase, the element that it makes place for; else NULL */
rpmte rpmteDependsOn(rpmte te);

/** @return bits of the ELF classes that the package is for */
rpm_color_t rpmteColor(rpmte te);

/** @return name */
const char *rpmteN(rpmte te);

/** @return epoch in decimal, or NULL where the package has none */
const char *rpmteE(rpmte te);

/** @return version */
const char *rpmteV(rpmte te);

/** @return release */
const char *rpmteR(rpmte te);

/** @return architecture, or NULL */
const char *rpmteA(rpmte te);

/** @return operating system, or NULL */
const char *rpmteO(rpmte te);

/** @return [epoch:]version-release */
const char *rpmteEVR(rpmte te);

/** @return name-[epoch:]version-release */
const char *rpmteNEVR(rpmte te);

/** @return name-[epoch:]version-release.arch */
const char *rpmteNEVRA(rpmte te);

/** @return 1 for a source package, else 0 */
int rpmteIsSource(rpmte te);

/** @return the key that rpmtsAddInstallElement() was given, NULL for a package to erase */
fnpyKey rpmteKey(rpmte te);

/** @return bytes of the package file as its header tells them (an estimate, 0 if it does not) */
rpm_loff_t rpmtePkgFileSize(rpmte te);

/** @return 1 if the package failed or was skipped in rpmtsRun(), else 0 */
int rpmteFailed(rpmte te);

/** @return RPMSIG_* bits of what was verified and found good in rpmtsRun() */
int rpmteVerified(rpmte te);

/** @return the element's problems with a reference of the caller's, or NULL if it has none */
rpmps rpmteProblems(rpmte te);

/** Forget the element's problems. */
void rpmteCleanProblems(rpmte te);

/** @return the package's files with a reference of the caller's to rpmfilesFree() */
rpmfiles rpmteFiles(rpmte te);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMTE_H */
