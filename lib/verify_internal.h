/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef VERIFY_INTERNAL_H
#define VERIFY_INTERNAL_H

/* The comparison of one file in three steps, of which the second may be another thread's: the root,
 * and the names that it has for owners, are the caller's. */

#include <stdbool.h>
#include <sys/stat.h>

#include <rpm/rpmfiledigest.h>
#include <rpm/rpmverify.h>

#include "rpmroot.h"
#include "rpmug.h"

struct rpmVerifier_s {
    rpmRoot root;
    rpmug ug;
    rpmFileDigestOptions options;
    rpmFileDigestPool pool; /* NULL until there are many files */
};

/* What is left to do. */
enum verifyStep {
    VERIFY_LOOK,
    VERIFY_FOLLOW, /* a symlink is where a directory should be */
    VERIFY_NOTHING
};

/* A file on the disk, and what its package says of it. */
struct rpmVerifyFile_s {
    rpmfiles files;
    int ix;
    rpmVerifyAttrs omit;
    char *path;         /* below the root, absolute; for rfree() */
    const char *name;   /* its last component */
    int dirfd;          /* the directory that it is in: the root's, until the next Begin, or -1 */
    struct stat sb;     /* what is there */
    struct stat want;   /* what the package says: mode, uid, gid, rdev, size, mtime */
    enum verifyStep next;
    bool mayComeBack;   /* a file that is not in the page cache may be left for another Look */
    rpmVerifyAttrs bad; /* what was found so far */
    int error;          /* errno for RPMVERIFY_LSTATFAIL */
};

/* The path becomes the file's; NULL is the package's own. */
void rpmVerifyFileBegin(struct rpmVerifyFile_s *file, rpmVerifier verifier, rpmfiles files, int ix,
                        char *path, rpmVerifyAttrs omit);
/* In any thread, as long as dirfd is open. What was left for later is still to be looked at. */
void rpmVerifyFileLook(struct rpmVerifyFile_s *file, const rpmFileDigestOptions *options);
void rpmVerifyFileEnd(struct rpmVerifyFile_s *file, rpmVerifier verifier);

#endif /* VERIFY_INTERNAL_H */
