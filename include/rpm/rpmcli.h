/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMCLI_H
#define RPM_RPMCLI_H

/** @file rpm/rpmcli.h
 * What command lines ask for, as one call. Names as in upstream's rpm/rpmcli.h.
 */

#include <rpm/argv.h>
#include <rpm/rpmts.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Check the digests of packages, as `rpm -K` does. For each a line is logged as RPMLOG_NOTICE,
 * "NAME: digests OK" or "NAME: DIGESTS NOT OK"; if RPMLOG_INFO is logged, a line for each digest
 * and signature. Signatures cannot be checked: a package that has any is "SIGNATURES NOT OK",
 * unless rpmtsVfyFlags() leave them out.
 *
 * @param ts    transaction set: rpmtsVfyFlags() say what is left out, rpmtsVfyLevel() what must
 *              be there
 * @param argv  paths, ending with NULL
 * @return      number of packages that are not good, or not there
 */
int rpmcliVerifySignatures(rpmts ts, ARGV_const_t argv);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMCLI_H */
