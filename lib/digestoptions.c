/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How files are digested, as the macros have it. */

#include "digestoptions.h"

#include <errno.h>
#include <stdlib.h>

#include <rpm/rpmlog.h>

int rpmDigestOptions(rpmFileDigestOptions *options)
{
    char *emsg = NULL;

    if (rpmFileDigestOptionsFromMacros(options, &emsg) == 0)
        return 0;
    rpmlog(RPMLOG_ERR, "%s\n", emsg);
    free(emsg);
    errno = EINVAL;
    return -1;
}
