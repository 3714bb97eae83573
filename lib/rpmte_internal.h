/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMTE_INTERNAL_H
#define RPM_RPMTE_INTERNAL_H

/** @file rpmte_internal.h
 * Elements of a transaction inside the library. */

#include <rpm/header.h>
#include <rpm/rpmfiles.h>
#include <rpm/rpmps.h>
#include <rpm/rpmte.h>

/** Why a package is installed. */
enum rpmteOp {
    RPMTE_INSTALL,   /**< beside what there is of the same name */
    RPMTE_UPGRADE,   /**< in its place */
    RPMTE_REINSTALL  /**< in place of the same version */
};

/** A file of an installed package that one of this package took the place of. */
struct rpmteReplaced {
    unsigned int num; /**< record of that package */
    int fx;           /**< its file */
    char state;       /**< RPMFILE_STATE_* that it gets */
};

struct rpmte_s {
    rpmElementType type;
    enum rpmteOp op;
    Header h;
    unsigned int dbInstance; /**< number of the record, 0 for none */
    rpm_color_t color;
    rpmte dependsOn;         /**< element that this one is erased for; NULL without */
    fnpyKey key;
    rpmfiles files;
    rpmFileAction *actions; /**< one for each file */
    char *states;           /**< RPMFILE_STATE_* for each file */
    struct rpmteReplaced *replaced;
    int nreplaced;
    char *name;
    char *epoch;            /**< NULL without */
    char *version;
    char *release;
    char *arch;             /**< NULL without */
    char *os;               /**< NULL without */
    char *EVR;
    char *NEVR;
    char *NEVRA;
    int isSource;
    rpm_loff_t pkgFileSize;
    int ahead;              /**< of one to erase: its files went ahead of its turn, see group.h: 1;
                                 -1: and that failed */
    int failed;             /**< 0 not; 1 failed; 2 another failed that this one depends on */
    int verified;           /**< RPMSIG_* bits */
    rpmps probs;            /**< NULL without */
};

/** Make an element.
 * @param h     header, of which the element takes a reference
 * @param type  its kind
 * @param key   the caller's name for the package, NULL for one to erase
 * @return      element; NULL for a header whose name or files are not in order (logged)
 */
rpmte rpmteNew(Header h, rpmElementType type, fnpyKey key);

/** @return NULL always */
rpmte rpmteFree(rpmte te);

/** @return bits of the ELF classes of the files that provide or require something: what upstream
 *          takes for the color of an element (the header's color is that of all files) */
rpm_color_t rpmteFindColor(Header h);

/** Note a file that one of this package takes the place of. */
void rpmteAddReplaced(rpmte te, unsigned int num, int fx, char state);

/** Add a problem with this package, unless it has it. */
void rpmteAddProblem(rpmte te, rpmProblemType type, const char *altNEVR, const char *str,
                     uint64_t number);

#endif /* RPM_RPMTE_INTERNAL_H */
