/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMUG_H
#define RPM_RPMUG_H

/** @file rpmug.h
 * Numbers of users and groups as a root knows them.
 *
 * The running system asks NSS. Any other root has its own etc/passwd and etc/group, which are
 * read as they are: no code of that root runs, and no name of the host's gets in. Answers are
 * remembered; make a new object where packages may have changed the files.
 *
 * An object is for one thread at a time.
 */

#include <sys/types.h>

#include "rpmroot.h"

typedef struct rpmug_s *rpmug;

/** @param root  root, outliving the object; NULL for the running system
 *  @return      object, the caller's to rpmugFree() */
rpmug rpmugNew(rpmRoot root);

/** @return NULL always */
rpmug rpmugFree(rpmug ug);

/** Find a user; root is 0 whatever the files say.
 * @param[out] uid  number, untouched where there is none
 * @return          0; -1 for an unknown name
 */
int rpmugUid(rpmug ug, const char *name, uid_t *uid);

/** As rpmugUid(), for a group. */
int rpmugGid(rpmug ug, const char *name, gid_t *gid);

#endif /* RPM_RPMUG_H */
