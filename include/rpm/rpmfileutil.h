/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMFILEUTIL_H
#define RPM_RPMFILEUTIL_H

/** @file rpm/rpmfileutil.h
 * Files and paths. Names as in upstream's rpm/rpmfileutil.h.
 */

#include <rpm/argv.h>
#include <rpm/rpmio.h>
#include <rpm/rpmutil.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Digest of a file's contents, by rpm/rpmfiledigest.h: large ones through memory maps.
 * @param algo     one of RPM_HASH_*
 * @param fn       path of the file; "-" is standard input, URLs are refused with EPROTONOSUPPORT
 * @param asAscii  as a hexadecimal string?
 * @param digest   result: rpmDigestLength() bytes, or twice that and a NUL for ASCII; untouched
 *                 on error
 * @return         0; 1 with errno set when the file cannot be read, ESTALE when it changed
 *                 meanwhile, EINVAL when the algorithm is not supported or
 *                 %_digest_mmap_threshold makes no sense
 */
int rpmDoDigest(int algo, const char *fn, int asAscii, unsigned char *digest);

/** Tidy a path in place: runs of slashes, `.` and `..` parts, a trailing slash.
 * The path is not looked up: `..` takes off the part before it even where that is a symlink.
 * @param path  string or NULL
 * @return      path
 */
char *rpmCleanPath(char *path);

/** Expand macros in each argument, join the results and tidy the path.
 * @param path  first part of a list that ends in NULL
 * @return      path, the caller's to rfree()
 */
char *rpmGetPath(const char *path, ...) RPM_GNUC_NULL_TERMINATED;

/** Expand macros in a root, a directory and a file name, put them together and tidy the path.
 * @param urlroot  root directory or NULL
 * @param urlmdir  directory or NULL
 * @param urlfile  file name or NULL
 * @return         path, the caller's to rfree()
 */
char *rpmGenPath(const char *urlroot, const char *urlmdir, const char *urlfile);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMFILEUTIL_H */
