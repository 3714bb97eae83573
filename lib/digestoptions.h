/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_DIGESTOPTIONS_H
#define RPM_DIGESTOPTIONS_H

/** @file digestoptions.h
 * How files are digested, as the macros have it. */

#include <rpm/rpmfiledigest.h>

/** Read the options from the macros.
 * @param[out] options  options
 * @return              0; -1 with errno EINVAL if a macro's value is unknown, which is logged
 */
int rpmDigestOptions(rpmFileDigestOptions *options);

#endif /* RPM_DIGESTOPTIONS_H */
