/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libxml2 and libarchive are for --repo alone: the library that links them is loaded then, from
 * beside librpmio. In tests, the function in that library itself takes this one's place. */

#include <rpm/rpmstring.h>

#include "rpmdigest.h"
#include "rpmload.h"

int readRepodata(int fdno, enum repoKind kind, uint64_t maxSize, repoFound found, void *data,
                 char **emsg)
{
    static __typeof__(readRepodata) *loaded;

    if (loaded == NULL)
        loaded = rpmLoadBeside((void (*)(void))rpmFileDigestFd, "librpmio-policy-repodata.so",
                               "readRepodata");
    if (loaded == NULL) {
        *emsg = rstrdup("cannot be read without it");
        return -1;
    }
    return loaded(fdno, kind, maxSize, found, data, emsg);
}
