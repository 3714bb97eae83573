/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which mode the command line asks for, and which options go with it. */

#include <stddef.h>

#include "rpmtool.h"

#define SCRIPT_BITS \
    (RPMTRANS_FLAG_NOPRE | RPMTRANS_FLAG_NOPOST | RPMTRANS_FLAG_NOPREUN | \
     RPMTRANS_FLAG_NOPOSTUN | RPMTRANS_FLAG_NOPRETRANS | RPMTRANS_FLAG_NOPOSTTRANS)
#define TRIGGER_BITS \
    (RPMTRANS_FLAG_NOTRIGGERPREIN | RPMTRANS_FLAG_NOTRIGGERIN | RPMTRANS_FLAG_NOTRIGGERUN | \
     RPMTRANS_FLAG_NOTRIGGERPOSTUN)

/* Bits of a variable that only some modes may have set. */
struct modeRule {
    const unsigned int *var;
    unsigned int bits;
    unsigned int modes;
    const char *message;
};

static const struct modeRule modeRules[] = {
    { &opts.progress, SHOW_HASH, MODE_INSTALL,
      "--hash (-h) may only be specified during package installation and erasure" },
    { &opts.progress, SHOW_PERCENT, MODE_INSTALL,
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
    { &opts.probFilter, RPMPROB_FILTER_DISKSPACE, MODE_INSTALL,
      "--ignoresize may only be specified during package installation" },
    { &opts.transFlags, RPMTRANS_FLAG_ALLFILES, MODE_INSTALL,
      "--allfiles may only be specified during package installation" },
    { &opts.transFlags, SCRIPT_BITS, MODE_INSTALL | MODE_VERIFY,
      "script disabling options may only be specified during package installation and erasure" },
    { &opts.transFlags, TRIGGER_BITS, MODE_INSTALL | MODE_VERIFY,
      "trigger disabling options may only be specified during package installation and erasure" },
    { &opts.skip, SKIP_DEPS, MODE_INSTALL | MODE_VERIFY,
      "--nodeps may only be specified during package installation, erasure, and verification" },
    { &opts.transFlags, RPMTRANS_FLAG_TEST, MODE_INSTALL,
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
    if (opts.includeDocs && mode != MODE_INSTALL)
        argerror("--includedocs may only be specified during package installation");
    if (opts.includeDocs && (opts.transFlags & RPMTRANS_FLAG_NODOCS))
        argerror("only one of --excludedocs and --includedocs may be specified");
    if (opts.root[0] != '/')
        argerror("arguments to --root (-r) must begin with a /");
    return mode;
}
