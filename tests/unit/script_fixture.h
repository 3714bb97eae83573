/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_SCRIPT_FIXTURE_H
#define TESTS_SCRIPT_FIXTURE_H

/* What the tests of scriptlets share: a package, a set to run them in, and what they printed. */

#include <stdio.h>
#include <stdlib.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>

#include "rpmscript.h"
#include "rpmts_internal.h"
#include "testinst.h"

static char output[65536];

static Header package(void)
{
    Header h = headerNew();

    headerPutString(h, RPMTAG_NAME, "a");
    headerPutString(h, RPMTAG_VERSION, "1");
    headerPutString(h, RPMTAG_RELEASE, "1");
    headerPutString(h, RPMTAG_ARCH, "noarch");
    headerPutString(h, RPMTAG_OS, "linux");
    headerPutString(h, RPMTAG_SOURCERPM, "a.src.rpm");
    return h;
}

static void readOutput(const char *tree)
{
    char *text = getFile(tree, "out");

    snprintf(output, sizeof(output), "%s", text);
    free(text);
}

static rpmts newSet(const char *rootDir)
{
    rpmts ts = rpmtsCreate();

    rpmtsSetRootDir(ts, rootDir);
    ts->root = rpmRootNew(rootDir);
    assert_non_null(ts->root);
    getrlimit(RLIMIT_NOFILE, &ts->nofile);
    return ts;
}

static void endSet(rpmts ts)
{
    ts->root = rpmRootFree(ts->root);
    rpmtsFree(ts);
}

static int scriptSetup(void **state)
{
    int rc = instSetup(state);

    rpmSetVerbosity(RPMLOG_INFO);
    putDir(*state, "tmp");
    rpmPushMacro(NULL, "_tmppath", NULL, at(*state, "tmp"), RMIL_CMDLINE);
    return rc;
}

static int scriptTeardown(void **state)
{
    rpmPopMacro(NULL, "_tmppath");
    rpmSetVerbosity(RPMLOG_NOTICE);
    return instTeardown(state);
}

#endif /* TESTS_SCRIPT_FIXTURE_H */
