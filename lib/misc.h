/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_MISC_H
#define RPM_MISC_H

/** @file misc.h
 * Texts for the flags of files, and for what packages say of themselves. Each is the caller's to
 * free().
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Untrusted text on one line: control bytes become `\xNN`, and text of more than max bytes ends
 * in `...`. */
char *rpmEscape(const char *s, size_t max);

/** Mode as ls shows it, like "drwxr-xr-x"; "?" for an unknown type. */
char *rpmPermsString(int mode);

/** Letters of RPMFILE_* flags, in rpm's order: dcsmnglra. */
char *rpmFFlagsString(uint32_t fflags);

/** Letters of RPMVERIFY_* flags, in rpm's order: SM5DLUGTP, with ? for what could not be read.
 * @param verifyResult  flags
 * @param pad           what stands for a flag that is not set
 */
char *rpmVerifyString(uint32_t verifyResult, const char *pad);

/** Is this, in lower case, the hexadecimal form of a digest? */
bool rpmHexIsDigest(const char *hex, const unsigned char *digest, size_t length);

#endif /* RPM_MISC_H */
