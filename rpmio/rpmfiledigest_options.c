/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of file digests, and the macro behind them. */

#include "rpmfiledigest_internal.h"

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>

#include "rpmpolicytext.h"

#define THRESHOLD_MACRO "_digest_mmap_threshold"
/* Where maps begin to be faster than reads: docs/digest-speed.md. */
#define THRESHOLD_DEFAULT (3 * 1024 * 1024)

void rpmFileDigestOptionsInit(rpmFileDigestOptions *opts)
{
    memset(opts, 0, sizeof(*opts));
    opts->method = RPMFILEDIGEST_AUTO;
    opts->threshold = THRESHOLD_DEFAULT;
    opts->keepCache = 1;
}

int rpmFileDigestOptionsFromMacros(rpmFileDigestOptions *opts, char **emsg)
{
    char *value = policyMacro(THRESHOLD_MACRO);
    int rc = 0;

    rpmFileDigestOptionsInit(opts);
    if (rstreq(value, "never"))
        opts->threshold = UINT64_MAX;
    else if (*value != '\0' && policySize(value, &opts->threshold))
        rc = policyRefuse(emsg, THRESHOLD_MACRO, value,
                          "never, 0 or a number of bytes, with K, M or G for 1024 and its powers");
    free(value);
    return rc;
}
