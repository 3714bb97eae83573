/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMROOT_H
#define RPM_RPMROOT_H

/** @file rpmroot.h
 * Directories below a root, found by descriptor.
 *
 * No name and no symlink leads outside: absolute targets start at the root and `..` stops there.
 * A symlink to a directory is followed only where root or the owner of the directory made it, so
 * that nobody can turn what is written for one directory into another's (the rule of upstream's
 * answer to CVE-2021-35938).
 *
 * An object is for one thread at a time. Calls return -1 with errno set.
 */

#include <sys/stat.h>

#include <rpm/rpmtypes.h>

typedef struct rpmRoot_s *rpmRoot;

/** Open a root; symlinks on the way to it are followed.
 * @param dir  path of an existing directory
 * @return     root, the caller's to rpmRootFree(); NULL with errno set
 */
rpmRoot rpmRootNew(const char *dir);

/** @return NULL always */
rpmRoot rpmRootFree(rpmRoot root);

/** Find a directory.
 * The descriptor (O_PATH: for the ...at() calls) is kept for the next call with the same path,
 * so that a directory's many files cost one walk. What happens to the path meanwhile does not
 * show: see rpmRootForget().
 *
 * @param root  root
 * @param path  path below the root, with or without slashes around it; "" is the root
 * @param make  not 0: create what is missing, with mode 0755
 * @return      descriptor, the root's, until the next call of rpmRootDir() or rpmRootForget();
 *              ELOOP for a symlink that is not trusted, see rpmRootUntrusted()
 */
int rpmRootDir(rpmRoot root, const char *path, int make);

/** As rpmRootDir() without the memory: the descriptor is the caller's to close(). */
int rpmRootOpenDir(rpmRoot root, const char *path, int make);

/** Find the deepest existing directory of a path.
 * @param root       root
 * @param path       as above
 * @param[out] rest  the part of path, or of a dangling symlink's target and path, that does not
 *                   exist, without slashes around it; the caller's to rfree(). May be NULL
 * @return           descriptor, the caller's to close()
 */
int rpmRootNearestDir(rpmRoot root, const char *path, char **rest);

/** Follow symlinks whoever made them: for a root that is only looked at. */
void rpmRootTrustLinks(rpmRoot root);

/** Walk anew next time: to be called after a directory or symlink was put in place. */
void rpmRootForget(rpmRoot root);

/** @return 1 if the last failure of a call was a symlink that is not trusted, else 0 */
int rpmRootUntrusted(rpmRoot root);

/** Have a function called for each directory that is created, right after.
 * @param root  root
 * @param made  function: data and the path below the root, with its leading slash
 * @param data  its data
 */
void rpmRootOnMake(rpmRoot root, void (*made)(void *data, const char *path), void *data);

/** Let a directory be found under another name, where its own is still a file's.
 * @param root   root
 * @param dirfd  directory that has both names
 * @param name   name in paths
 * @param alias  name on the disk; NULL to end this
 * @return       0; -1 with errno set
 */
int rpmRootAlias(rpmRoot root, int dirfd, const char *name, const char *alias);

#endif /* RPM_RPMROOT_H */
