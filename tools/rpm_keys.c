/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -K: check the digests of packages. */

#include <rpm/rpmcli.h>

#include "rpmtool.h"

int runCheckSignatures(rpmts ts, ARGV_const_t args)
{
    rpmtsSetVfyFlags(ts, rpmtsVfyFlags(ts) | opts.vsFlags);
    rpmtsSetVfyLevel(ts, rpmtsVfyLevel(ts) & ~opts.vfyLevelMask);
    return rpmcliVerifySignatures(ts, args);
}
