/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of rpmdigest. */

#include <stdlib.h>

#include <popt.h>
#include <rpm/rpmstring.h>

#include "rpmdigest.h"

#ifndef RPM_VERSION
#error "RPM_VERSION: the version of this tree"
#endif

#define THREADS_MAX 1024

struct digestOptions opts;

static char *algorithmNames;
static int showVersion;
static poptContext con;

static const struct poptOption optionTable[] = {
    { "algorithm", 'a', POPT_ARG_STRING, NULL, 'a',
      "md5, sha1, sha224, sha256, sha384, sha512, or several; by default sha256, with --check any",
      "ALGORITHM,..." },
    { "binary", 'b', POPT_ARG_NONE, &opts.binary, 0, "mark names with an asterisk", NULL },
    { "check", 'c', POPT_ARG_NONE, &opts.check, 0,
      "read digests from the FILEs and check them", NULL },
    { "repo", '\0', POPT_ARG_NONE, &opts.repo, 0,
      "check all packages of the repositories DIR against their repodata", NULL },
    { "tag", '\0', POPT_ARG_NONE, &opts.tag, 0, "print lines in the BSD form", NULL },
    { "text", 't', POPT_ARG_NONE, &opts.text, 0, "mark names with a blank (default)", NULL },
    { "zero", 'z', POPT_ARG_NONE, &opts.zero, 0, "end lines with NUL, and escape no names", NULL },
    { "json", '\0', POPT_ARG_NONE, &opts.json, 0, "print one JSON object a line", NULL },
    { "threads", 'j', POPT_ARG_INT, &opts.threads, 0,
      "files at the same time; by default as many as there are processors", "N" },
    { "progress", '\0', POPT_ARG_NONE, &opts.progress, 0,
      "show progress on a terminal, and a summary", NULL },
    { "verbose", 'v', POPT_ARG_NONE, &opts.verbose, 0, "print a summary on stderr", NULL },
    { "ignore-missing", '\0', POPT_ARG_NONE, &opts.ignoreMissing, 0,
      "with --check and --repo: pass over files that are missing", NULL },
    { "ignore-extra", '\0', POPT_ARG_NONE, &opts.ignoreExtra, 0,
      "with --repo: pass over packages that are not listed", NULL },
    { "quiet", '\0', POPT_ARG_NONE, &opts.quiet, 0, "with --check and --repo: print no OK", NULL },
    { "status", '\0', POPT_ARG_NONE, &opts.status, 0,
      "with --check and --repo: print no verdicts at all", NULL },
    { "strict", '\0', POPT_ARG_NONE, &opts.strict, 0,
      "with --check: malformed lines are errors", NULL },
    { "warn", 'w', POPT_ARG_NONE, &opts.warn, 0,
      "with --check: tell of each malformed line", NULL },
    { "version", '\0', POPT_ARG_NONE, &showVersion, 0, "print the version", NULL },
    POPT_AUTOHELP
    POPT_TABLEEND
};

#define usageError(...) (trouble(NULL, __VA_ARGS__), exit(STATUS_TROUBLE))

/* The words of sha256sum, where it has them. */
static void requireSense(void)
{
    if (opts.check && opts.repo)
        usageError("only one of --check and --repo may be given");
    if (opts.tag && opts.text)
        usageError("--tag does not support --text mode");
    if (opts.zero && (opts.check || opts.repo))
        usageError("the --zero option is not supported when verifying checksums");
    if (opts.zero && opts.json)
        usageError("only one of --zero and --json may be given");
    if (opts.tag && (opts.check || opts.repo))
        usageError("the --tag option is meaningless when verifying checksums");
    if ((opts.binary || opts.text) && (opts.check || opts.repo))
        usageError("the --binary and --text options are meaningless when verifying checksums");
    if (algorithmNames != NULL && opts.repo)
        usageError("the --algorithm option is meaningless with --repo: repodata have their own");
    if (opts.threads < 0 || opts.threads > THREADS_MAX)
        usageError("-j: from 1 to 1024, or 0 for one per processor");
}

static void requireMode(int given, bool mode, const char *option)
{
    if (given && !mode)
        usageError("the --%s option is meaningful only when verifying checksums", option);
}

static void requireModes(void)
{
    requireMode(opts.ignoreMissing, opts.check || opts.repo, "ignore-missing");
    requireMode(opts.quiet, opts.check || opts.repo, "quiet");
    requireMode(opts.status, opts.check || opts.repo, "status");
    requireMode(opts.strict, opts.check, "strict");
    requireMode(opts.warn, opts.check, "warn");
    if (opts.ignoreExtra && !opts.repo)
        usageError("the --ignore-extra option is meaningful only with --repo");
}

static void chooseAlgorithms(void)
{
    char *emsg = NULL;

    if (algorithmNames == NULL && opts.check) {
        allAlgos(&opts.algos);
    } else if (parseAlgos(algorithmNames ? algorithmNames : "sha256", &opts.algos, &emsg) != 0) {
        trouble(NULL, "-a: %s", emsg);
        free(emsg);
        exit(STATUS_TROUBLE);
    }
}

/* Several -a are one. */
static void addAlgorithms(void)
{
    char *names = poptGetOptArg(con);

    if (algorithmNames != NULL)
        rstrcat(&algorithmNames, ",");
    rstrcat(&algorithmNames, names);
    free(names);
}

char **parseOptions(int argc, char **argv)
{
    static char *standardInput[] = { "-", NULL };
    char **operands;
    int rc;

    con = poptGetContext("rpmdigest", argc, (const char **)argv, optionTable, 0);
    poptSetOtherOptionHelp(con, "[OPTION...] [FILE|DIR]...");
    while ((rc = poptGetNextOpt(con)) == 'a')
        addAlgorithms();
    if (rc < -1) {
        trouble(poptBadOption(con, POPT_BADOPTION_NOALIAS), "%s", poptStrerror(rc));
        exit(STATUS_TROUBLE);
    }
    if (showVersion) {
        puts("rpmdigest (rpmio-policy) " RPM_VERSION);
        requireStdout();
        exit(STATUS_RIGHT);
    }
    requireSense();
    requireModes();
    chooseAlgorithms();
    operands = (char **)poptGetArgs(con);
    if (operands == NULL && opts.repo)
        usageError("--repo: no directory given");
    return operands != NULL ? operands : standardInput;
}

void freeOptions(void)
{
    con = poptFreeContext(con);
    free(algorithmNames);
}
