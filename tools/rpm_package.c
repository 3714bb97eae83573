/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The package files that a command line names. */

#include <string.h>

#include <rpm/rpmio.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>

#include "rpmtool.h"

static bool isUrl(const char *fn)
{
    static const char *const schemes[] = { "http://", "https://", "ftp://", "hkp://" };

    for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
        if (strncmp(fn, schemes[i], strlen(schemes[i])) == 0)
            return true;
    }
    return false;
}

Header readPackage(rpmts ts, const char *fn)
{
    FD_t fd = NULL;
    Header h = NULL;

    if (isUrl(fn)) {
        rpmlog(RPMLOG_ERR, "%s: URLs are not available in this version\n", fn);
        return NULL;
    }
    fd = Fopen(fn, "r.ufdio");
    if (fd == NULL) {
        rpmlog(RPMLOG_ERR, "open of %s failed: %s\n", fn, Fstrerror(NULL));
        return NULL;
    }
    if (rpmReadPackageFile(ts, fd, fn, &h) == RPMRC_NOTFOUND)
        rpmlog(RPMLOG_ERR, "%s: not an rpm package\n", fn);
    Fclose(fd);
    return h;
}

int eachPackageFile(rpmts ts, ARGV_const_t args, packageFunction show)
{
    int failed = 0;
    int result = 0;

    for (; *args != NULL; args++) {
        Header h = readPackage(ts, *args);
        int rc;

        if (h == NULL) {
            failed++;
            continue;
        }
        rc = show(ts, h);
        if (rc != 0)
            result = rc;
        headerFree(h);
    }
    return failed + result;
}
