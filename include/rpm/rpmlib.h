/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMLIB_H
#define RPM_RPMLIB_H

/** @file rpm/rpmlib.h
 * Calls of librpm that concern the program as a whole. Names as in upstream's rpm/rpmlib.h.
 */

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Set up the global macro context: built-ins, this library's own macro file, the files of
 * `macrofiles` (see rpm/rpmmacro.h; the distribution's usual ones unless the caller has set
 * it), the macros of the command line, and `_target`, `_target_cpu`, `_target_os`. rpmrc files
 * are not read: the target is the machine that uname(2) tells of.
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
