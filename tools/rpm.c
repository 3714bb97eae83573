/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rpm command: installs, erases, verifies, checks and queries packages. */

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
#include <rpm/rpmsq.h>

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

/* Statuses above 254 mean other things to shells and to xargs. A signal that came while packages
 * were in hand is told as a shell tells it. */
static int exitStatus(int rc)
{
    static const int signals[] = { SIGINT, SIGQUIT, SIGTERM };

    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        if (rpmsqIsCaught(signals[i]) == 1)
            return 128 + signals[i];
    }
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
    case MODE_ERASE:
        rc = runErase(ts, args);
        break;
    case MODE_INITDB:
    case MODE_REBUILDDB:
    case MODE_VERIFYDB:
        rc = runDatabase(ts, mode);
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
static void requireArguments(enum toolMode mode)
{
    switch (mode) {
    case MODE_INSTALL:
        argerror("no packages given for install");
    case MODE_ERASE:
        argerror("no packages given for erase");
    case MODE_QUERY:
        if (opts.source != SOURCE_ALL)
            argerror("no arguments given for query");
        break;
    case MODE_VERIFY:
        if (opts.source != SOURCE_ALL)
            argerror("no arguments given for verify");
        break;
    case MODE_CHECKSIG:
        argerror("no arguments given");
    default:
        break;
    }
}

static int run(enum toolMode mode, poptContext con)
{
    static const char *const none[] = { NULL };
    const char **args = poptGetArgs(con);
    int rc;

    if (args == NULL)
        requireArguments(mode);
    else if (mode & MODES_DB)
        argerror("%s: no operand is expected here", args[0]);
    beginPipe();
    rc = runMode(mode, (ARGV_const_t)(args != NULL ? args : none));
    return endPipe() != 0 ? EXIT_FAILURE : rc;
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
        rc = run(mode, con);
    } else if (argc <= 1 || poptPeekArg(con) != NULL) {
        printUsage(con, stderr);
        rc = argc;
    }
    poptFreeContext(con);
    free(opts.queryFormat);
    free(opts.pipe);
    rpmFreeMacros(NULL);
    rpmFreeMacros(rpmCLIMacroContext);
    rpmlogClose();
    return exitStatus(rc);
}
