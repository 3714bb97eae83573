/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rpmdigest command: prints and checks digests of files, trees and repositories. */

#include <locale.h>
#include <stdlib.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>

#include "rpmdigest.h"

/* %_digest_mmap_threshold is the only macro that counts. */
static void readOptions(rpmFileDigestOptions *options)
{
    char *emsg = NULL;

    if (rpmReadConfigFiles(NULL, NULL) != 0)
        exit(STATUS_TROUBLE);
    if (rpmFileDigestOptionsFromMacros(options, &emsg) != 0) {
        trouble(NULL, "%s", emsg);
        free(emsg);
        exit(STATUS_TROUBLE);
    }
    options->threads = opts.threads;
}

static void run(char **operands)
{
    if (opts.repo)
        runRepos(operands);
    else if (opts.check)
        runChecks(operands);
    else
        runSums(operands);
}

int main(int argc, char **argv)
{
    rpmFileDigestOptions options;
    char **operands;

    setlocale(LC_ALL, "");
    operands = parseOptions(argc, argv);
    readOptions(&options);
    startClock();
    beginJobs(&options);
    run(operands);
    endJobs();
    requireStdout();
    if (opts.progress || opts.verbose)
        printSummary();
    freeOptions();
    rpmFreeMacros(NULL);
    rpmlogClose();
    return finalStatus();
}
