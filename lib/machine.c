/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packages a machine can run. */

#include <string.h>
#include <sys/utsname.h>

#include <rpm/rpmstring.h>

#include "machine.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

#define RUNS_MAX 3

/* What else a machine runs than what bears its name; that in turn runs more, but never
 * comes back to the machine. What is not here runs its own and noarch. */
static const struct compat {
    const char *machine;
    const char *runs[RUNS_MAX];
} compats[] = {
    { "x86_64", { "amd64", "em64t", "athlon" } },
    { "athlon", { "i686" } },
    { "pentium4", { "pentium3" } },
    { "pentium3", { "i686" } },
    { "geode", { "i586" } },
    { "i686", { "i586" } },
    { "i586", { "i486" } },
    { "i486", { "i386" } },
    { "i386", { "fat" } },
    { "armv8l", { "armv7l", "armv8hl" } },
    { "armv8hl", { "armv7hl" } },
    { "armv7l", { "armv6l", "armv7hl" } },
    { "armv7hnl", { "armv7hl" } },
    { "armv7hl", { "armv6hl" } },
    { "armv6l", { "armv5tejl", "armv6hl" } },
    { "armv5tejl", { "armv5tel" } },
    { "armv5tel", { "armv5tl" } },
    { "armv5tl", { "armv4tl" } },
    { "armv4tl", { "armv4l" } },
    { "armv4l", { "armv3l" } },
    { "ppc64", { "ppc" } },
    { "ppc64p7", { "ppc64" } },
    { "ppc64le", { "fat" } },
    { "s390x", { "s390" } },
    { "mips64", { "mips" } },
    { "mips64el", { "mipsel" } },
    { "sparc64v", { "sparc64" } },
    { "sparc64", { "sparcv9" } },
    { "sparcv9", { "sparcv8" } },
    { "sparcv8", { "sparc" } },
    { "sh4a", { "sh4" } },
};

bool rpmMachineRuns(const char *machine, const char *arch)
{
    if (rstreq(arch, "noarch") || rstreq(arch, machine))
        return true;
    for (size_t i = 0; i < sizeof(compats) / sizeof(*compats); i++) {
        if (!rstreq(compats[i].machine, machine))
            continue;
        for (size_t j = 0; j < RUNS_MAX && compats[i].runs[j] != NULL; j++) {
            if (rpmMachineRuns(compats[i].runs[j], arch))
                return true;
        }
    }
    return false;
}

int rpmMachineCheck(rpmts ts)
{
    struct utsname un;

    if (uname(&un) != 0)
        return -1;
    for (int i = 0; i < ts->nelements; i++) {
        rpmte te = ts->elements[i];

        if (te->type != TR_ADDED)
            continue;
        if (!(ts->ignoreSet & RPMPROB_FILTER_IGNOREARCH) && te->arch != NULL &&
            !rpmMachineRuns(un.machine, te->arch))
            rpmteAddProblem(te, RPMPROB_BADARCH, te->arch, NULL, 0);
        if (!(ts->ignoreSet & RPMPROB_FILTER_IGNOREOS) && te->os != NULL &&
            rstrcasecmp(un.sysname, te->os) != 0)
            rpmteAddProblem(te, RPMPROB_BADOS, te->os, NULL, 0);
    }
    return 0;
}
