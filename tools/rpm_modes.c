/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which mode the command line asks for, and which options go with it. */

#include <stddef.h>

#include "rpmtool.h"

#define MODES_IE (MODE_INSTALL | MODE_ERASE)

/* Bits of a variable that only some modes may have set. */
struct modeRule {
    const unsigned int *var;
    unsigned int bits;
    unsigned int modes;
    const char *message;
};

static const struct modeRule modeRules[] = {
    { &opts.progress, SHOW_HASH, MODES_IE,
      "--hash (-h) may only be specified during package installation and erasure" },
    { &opts.progress, SHOW_PERCENT, MODES_IE,
      "--percent may only be specified during package installation and erasure" },
    { &opts.probFilter, RPMPROB_FILTER_OLDPACKAGE, MODE_INSTALL,
      "only installation and upgrading may be forced" },
    { &opts.probFilter, RPMPROB_FILTER_REPLACEPKG, MODE_INSTALL,
      "--replacepkgs may only be specified during package installation" },
    { &opts.transFlags, RPMTRANS_FLAG_NODOCS, MODE_INSTALL,
      "--excludedocs may only be specified during package installation" },
    { &opts.probFilter, RPMPROB_FILTER_IGNOREARCH, MODE_INSTALL,
      "--ignorearch may only be specified during package installation" },
    { &opts.probFilter, RPMPROB_FILTER_IGNOREOS, MODE_INSTALL,
      "--ignoreos may only be specified during package installation" },
    { &opts.probFilter, RPMPROB_FILTER_DISKSPACE, MODES_IE,
      "--ignoresize may only be specified during package installation" },
    { &opts.transFlags, RPMTRANS_FLAG_ALLFILES, MODE_INSTALL,
      "--allfiles may only be specified during package installation" },
    { &opts.transFlags, RPMTRANS_FLAG_JUSTDB, MODES_IE,
      "--justdb may only be specified during package installation and erasure" },
    { &opts.transFlags, RPMTRANS_FLAG_NODB, MODE_INSTALL,
      "--nodb may only be specified during package installation" },
    { &opts.transFlags, _noTransScripts, MODES_IE | MODE_VERIFY,
      "script disabling options may only be specified during package installation and erasure" },
    { &opts.transFlags, _noTransTriggers, MODES_IE | MODE_VERIFY,
      "trigger disabling options may only be specified during package installation and erasure" },
    { &opts.skip, SKIP_DEPS, MODES_IE | MODE_VERIFY,
      "--nodeps may only be specified during package installation, erasure, and verification" },
    { &opts.transFlags, RPMTRANS_FLAG_TEST, MODES_IE,
      "--test may only be specified during package installation and erasure" },
};

/* -q and -V go together, as the package selection of both is the same: -V wins, as in rpm. */
static enum toolMode modeOf(unsigned int modes)
{
    if ((modes & (MODE_QUERY | MODE_VERIFY)) == (MODE_QUERY | MODE_VERIFY))
        modes &= ~MODE_QUERY;
    if (modes & (modes - 1))
        argerror("only one major mode may be specified");
    return modes;
}

enum toolMode decideMode(void)
{
    enum toolMode mode = modeOf(opts.modes);

    for (size_t i = 0; i < sizeof(modeRules) / sizeof(*modeRules); i++) {
        const struct modeRule *rule = &modeRules[i];

        if ((*rule->var & rule->bits) && !(mode & rule->modes))
            argerror("%s", rule->message);
    }
    if (opts.allMatches && mode != MODE_ERASE)
        argerror("--allmatches may only be specified during package erasure");
    if ((opts.transFlags & RPMTRANS_FLAG_NODB) && (opts.transFlags & RPMTRANS_FLAG_JUSTDB))
        argerror("only one of --nodb and --justdb may be specified");
    if ((opts.transFlags & RPMTRANS_FLAG_NODB) && (opts.way & INSTALL_FRESHEN))
        argerror("--freshen (-F) needs the database that --nodb goes without");
    if (opts.includeDocs && mode != MODE_INSTALL)
        argerror("--includedocs may only be specified during package installation");
    if (opts.includeDocs && (opts.transFlags & RPMTRANS_FLAG_NODOCS))
        argerror("only one of --excludedocs and --includedocs may be specified");
    if (opts.root[0] != '/')
        argerror("arguments to --root (-r) must begin with a /");
    return mode;
}
