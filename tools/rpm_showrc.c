/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --querytags and --showrc. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmtag.h>

#include "rpmtool.h"

int printQueryTags(FILE *fp)
{
    (void)fp;
    argerror("--querytags: not available in this version");
}

int printConfiguration(FILE *fp)
{
    rpmShowRC(fp);
    return rpmlogGetNrecsByMask(RPMLOG_UPTO(RPMLOG_ERR)) ? EXIT_FAILURE : EXIT_SUCCESS;
}
