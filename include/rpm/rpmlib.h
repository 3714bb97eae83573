/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMLIB_H
#define RPM_RPMLIB_H

/** @file rpm/rpmlib.h
 * Packages, and the configuration of the program. Names as in upstream's rpm/rpmlib.h.
 */

#include <stdio.h>

#include <rpm/header.h>
#include <rpm/rpmio.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmts.h>
#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a package before its signature header. */
#define RPMLEAD_SIZE 96

/** Read the headers of a package and check what can be checked of them without the payload, less
 * what the set's rpmtsVSFlags() leave out. Faults are logged, each in one line.
 *
 * Tags of the signature header join the main one: RPMSIGTAG_SIZE as RPMTAG_SIGSIZE,
 * RPMSIGTAG_MD5 as RPMTAG_SIGMD5, RPMSIGTAG_PAYLOADSIZE as RPMTAG_ARCHIVESIZE and so on.
 *
 * @param ts         transaction set
 * @param fd         package, at its start; left at the payload
 * @param fn         name of the package for messages; NULL for that of fd
 * @param[out] hdrp  header, the caller's to headerFree(); NULL on failure; may be NULL
 * @return           RPMRC_OK; RPMRC_NOTFOUND for no package at all (nothing is logged: it may be
 *                   a list of packages); RPMRC_NOKEY and *hdrp where there are signatures, which
 *                   nobody checked; RPMRC_FAIL
 */
rpmRC rpmReadPackageFile(rpmts ts, FD_t fd, const char *fn, Header *hdrp);

/** Check a header's blob: that it is well formed, and its region as the SHA-1 and SHA-256 digests
 * that are recorded with it say. Signatures are not looked at.
 * @param ts        transaction set, for its rpmtsVSFlags()
 * @param uh        blob
 * @param uc        bytes of it
 * @param[out] msg  what was found, lines, the caller's to free(); may be NULL
 * @return          RPMRC_OK or RPMRC_FAIL
 */
rpmRC headerCheck(rpmts ts, const void *uh, size_t uc, char **msg);

/** Put the files of a source package where rpmbuild looks for them: the spec file in
 * `%{_specdir}`, the others in `%{_sourcedir}`, below the set's root. Directories that are missing
 * are made, files that are there replaced, each in one step. Nothing is recorded. It takes no
 * privilege; without it, the files are the caller's.
 *
 * A package that fails leaves the old files as they were, unless the log names some.
 *
 * @param ts                transaction set: root, flags, write policy and notify function
 * @param fd                package, at its start
 * @param[out] specFilePtr  path of the spec file below the root, the caller's to rfree(); may be
 *                          NULL
 * @param[out] cookie       RPMTAG_COOKIE, the caller's to free(), NULL without; may be NULL
 * @return                  RPMRC_OK; else nothing is set, and the log has said why, except for
 *                          RPMRC_NOTFOUND: this is no package at all
 */
rpmRC rpmInstallSourcePackage(rpmts ts, FD_t fd, char **specFilePtr, char **cookie);

/** Compare epoch, version and release of two packages.
 * @return  1 if first is newer, 0 if they are equal, -1 if second is newer
 */
int rpmVersionCompare(Header first, Header second);

/** Set up the global macro context: built-ins, this library's own macro file, the files of
 * `macrofiles` (see rpm/rpmmacro.h; the distribution's usual ones unless the caller has set
 * it), the macros of the command line, and `_target`, `_target_cpu`, `_target_os`. rpmrc files
 * are not read: the target is the machine that uname(2) tells of. This library's own macro file
 * is PREFIX/lib/rpm/macros, or what the environment variable RPMIO_POLICY_MACROS names.
 *
 * @param file    rpmrc files in upstream: must be NULL
 * @param target  platform to stand in for the machine's own, as CPU-VENDOR-OS or CPU-OS; NULL
 *                for the machine's own
 * @return        0, or -1 after an error was logged
 */
int rpmReadConfigFiles(const char *file, const char *target);

/** Print the configuration in force: target, macro path and all macros.
 * @param fp  stream
 * @return    0
 */
int rpmShowRC(FILE *fp);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMLIB_H */
