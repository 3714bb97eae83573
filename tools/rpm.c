/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rpm command: installs, verifies, checks and queries package files. */

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>

#include "rpmtool.h"

/* Has the reader of stdout gone away? That is its decision, and no error of ours. */
static bool readerGone(void)
{
    struct pollfd pfd = { .fd = STDOUT_FILENO, .events = POLLOUT };

    return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLERR);
}

/* Runs at every exit: what could not be printed must not look like success. */
static void closeStdout(void)
{
    int error = fflush(stdout) != 0 ? errno : 0;
    bool failed = (error != 0 || ferror(stdout)) && !readerGone();

    /* A descriptor that was never open is no error to who prints nothing. */
    if (fclose(stdout) != 0 && !failed && errno != EBADF && errno != EPIPE) {
        error = errno;
        failed = true;
    }
    if (!failed)
        return;
    fprintf(stderr, "rpm: error writing to stdout: %s\n",
            error != 0 ? strerror(error) : "write failed");
    fflush(stderr);
    _exit(EXIT_FAILURE);
}

/* Statuses above 254 mean other things to shells and to xargs. */
static int exitStatus(int rc)
{
    return (rc < 0 || rc > 254) ? 254 : rc;
}

static int runMode(enum toolMode mode, ARGV_const_t args)
{
    rpmts ts = rpmtsCreate();
    int rc = EXIT_FAILURE;

    if (rpmtsSetRootDir(ts, opts.root) != 0)
        argerror("arguments to --root (-r) must begin with a /");
    switch (mode) {
    case MODE_INSTALL:
        rc = runInstall(ts, args);
        break;
    case MODE_QUERY:
        rc = runQuery(ts, args);
        break;
    case MODE_VERIFY:
        rc = runVerify(ts, args);
        break;
    case MODE_CHECKSIG:
        rc = runCheckSignatures(ts, args);
        break;
    case MODE_NONE:
        break;
    }
    if (opts.stats)
        printStats(ts);
    rpmtsFree(ts);
    return rc;
}

/* What is missing is said in the words of each mode. */
static void requireArguments(enum toolMode mode, const char *first)
{
    if ((mode == MODE_QUERY || mode == MODE_VERIFY) && !opts.package)
        argerror("%s without -p: not available in this version",
                 mode == MODE_QUERY ? "--query (-q)" : "--verify (-V)");
    if (first != NULL)
        return;
    switch (mode) {
    case MODE_INSTALL:
        argerror("no packages given for install");
    case MODE_QUERY:
        argerror("no arguments given for query");
    case MODE_VERIFY:
        argerror("no arguments given for verify");
    default:
        argerror("no arguments given");
    }
}

int main(int argc, char **argv)
{
    poptContext con;
    enum toolMode mode;
    int rc = EXIT_SUCCESS;

    atexit(closeStdout);
    setlocale(LC_ALL, "");
    rpmSetVerbosity(RPMLOG_NOTICE);
    con = parseOptions(argc, argv);
    mode = decideMode();
    if (opts.quiet)
        rpmSetVerbosity(RPMLOG_WARNING);
    if (mode != MODE_NONE) {
        requireArguments(mode, poptPeekArg(con));
        rc = runMode(mode, (ARGV_const_t)poptGetArgs(con));
    } else if (argc <= 1 || poptPeekArg(con) != NULL) {
        printUsage(con, stderr);
        rc = argc;
    }
    poptFreeContext(con);
    free(opts.queryFormat);
    rpmFreeMacros(NULL);
    rpmFreeMacros(rpmCLIMacroContext);
    rpmlogClose();
    return exitStatus(rc);
}
