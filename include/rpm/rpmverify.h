/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMVERIFY_H
#define RPM_RPMVERIFY_H

/** @file rpm/rpmverify.h
 * Comparing the files of a package with those below a root.
 *
 * Upstream's rpmfilesVerify() does so in the root of the process, after a chroot(2). Here the
 * root is an object: no path and no symlink leads out of it, and the process stays where it is.
 */

#include <rpm/header.h>
#include <rpm/rpmfiles.h>
#include <rpm/rpmps.h>
#include <rpm/rpmts.h>
#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A root to verify in. For one thread at a time. */
typedef struct rpmVerifier_s *rpmVerifier;

/** Open a root.
 * Names of users and groups are the root's own: those of its etc/passwd and etc/group, or of the
 * running system for "/".
 *
 * @param rootDir  path of an existing directory
 * @return         verifier, the caller's to rpmVerifierFree(); NULL with errno set: EINVAL if
 *                 %_digest_mmap_threshold is not understood, which the log has told of
 */
rpmVerifier rpmVerifierNew(const char *rootDir);

/** @return NULL always */
rpmVerifier rpmVerifierFree(rpmVerifier verifier);

/** Compare a file with what its package says of it.
 *
 * What is compared is what the package's verify flags ask for, less what makes no sense for the
 * kind of the file that is there: as upstream, no content of a ghost, no mode of a symlink, only
 * owner, group and mode of what is neither file nor symlink. Where a directory should be, a
 * symlink to one is taken for it if root or the directory's owner made the symlink. A file that
 * its package's record calls not installed is taken for good.
 *
 * @param verifier  root
 * @param files     files of the package
 * @param ix        index of the file
 * @param path      where the file is below the root; NULL for where the package has it
 * @param omit      RPMVERIFY_* bits that are not compared
 * @return          RPMVERIFY_* bits that differ. RPMVERIFY_LSTATFAIL alone, with errno set, for a
 *                  file that is not there; _READFAIL with _FILEDIGEST and _READLINKFAIL with
 *                  _LINKTO for contents and symlinks that could not be read, or that changed
 *                  while they were
 */
rpmVerifyAttrs rpmVerifierFile(rpmVerifier verifier, rpmfiles files, int ix, const char *path,
                               rpmVerifyAttrs omit);

/** Name the next file of rpmVerifierFiles().
 * @param data       the caller's
 * @param[out] path  where it is below the root, malloc'd; NULL, as it is, for where the package
 *                   has it
 * @return           its index, or -1 at the end
 */
typedef int (*rpmVerifierNext)(void *data, char **path);

/** Be told of a file by rpmVerifierFiles().
 * @param data   the caller's
 * @param ix     index of the file
 * @param path   where it is
 * @param bad    as rpmVerifierFile() returns it
 * @param error  and its errno
 */
typedef void (*rpmVerifierTell)(void *data, int ix, const char *path, rpmVerifyAttrs bad,
                                int error);

/** Compare many files of a package, each as rpmVerifierFile() does, their contents several at once.
 * Both functions are called from the caller's thread; the files are told of in the order in which
 * they were named, up to 256 of them later. Threads that this starts are gone after
 * rpmVerifierFree().
 *
 * @param verifier  root
 * @param files     files of the package
 * @param next      names each file
 * @param omit      RPMVERIFY_* bits that are not compared
 * @param tell      is told of each
 * @param data      for both
 */
void rpmVerifierFiles(rpmVerifier verifier, rpmfiles files, rpmVerifierNext next,
                      rpmVerifyAttrs omit, rpmVerifierTell tell, void *data);

/** Check the dependencies of one package: one of the database, or one that would be installed by
 * itself. Rich dependencies of the former are left out, with a warning.
 * @param ts             transaction set, whose elements do not matter
 * @param h              header
 * @param[out] problems  what is not met, the caller's to rpmpsFree(); NULL for nothing
 * @return               0; -1 if some dependencies cannot be evaluated, or the database cannot be
 *                       read (the log has told of it)
 */
int rpmVerifyDependencies(rpmts ts, Header h, rpmps *problems);

/** Run the scriptlet that a package has for its verification, with its output on stdout.
 * @param ts  transaction set, whose root it runs below
 * @param h   header
 * @return    0 if there is none or it succeeded; -1 if it failed, or cannot be run here (the log
 *            has told of it)
 */
int rpmVerifyScript(rpmts ts, Header h);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMVERIFY_H */
