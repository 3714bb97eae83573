/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsing the command line, and the options that act while it is parsed. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "rpm_options.h"
#include "rpmtool.h"

#ifndef RPM_VERSION
#error "RPM_VERSION: the version of this tree"
#endif

void argerror(const char *fmt, ...)
{
    va_list ap;

    fputs("rpm: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

void printVersion(FILE *fp)
{
    fputs("RPM version " RPM_VERSION " (rpmio-policy)\n", fp);
}

void printUsage(poptContext con, FILE *fp)
{
    printVersion(fp);
    fputs("This program may be freely redistributed under the terms of the GNU LGPL, "
          "version 2.1 or later\n\n", fp);
    if (rpmIsVerbose())
        poptPrintHelp(con, fp, 0);
    else
        poptPrintUsage(con, fp, 0);
}

void configure(void)
{
    static bool done;

    if (!done && rpmReadConfigFiles(NULL, NULL) != 0)
        exit(EXIT_FAILURE);
    done = true;
}

/* Define a macro of the command line. One defined before the configuration is read survives it
 * only for the files' own use, unless they define it themselves. */
static void define(const char *arg, bool predefine)
{
    char *copy = rstrdup(arg);
    char *name = copy + (copy[0] == '%');
    int rc;

    for (char *c = name; *c != '\0' && *c != '(' && !risspace(*c); c++) {
        if (*c == '-')
            *c = '_';
    }
    rc = rpmDefineMacro(NULL, name, RMIL_CMDLINE);
    if (rc == 0 && !predefine)
        rc = rpmDefineMacro(rpmCLIMacroContext, name, RMIL_CMDLINE);
    rfree(copy);
    if (rc != 0)
        exit(EXIT_FAILURE);
}

static void evaluate(const char *arg)
{
    char *value = NULL;

    if (rpmExpandMacros(NULL, arg, &value, 0) < 0)
        exit(EXIT_FAILURE);
    printf("%s\n", value);
    rfree(value);
}

static void setDbPath(const char *arg)
{
    if (arg[0] != '/')
        argerror("arguments to --dbpath must begin with '/'");
    rpmPushMacro(NULL, "_dbpath", NULL, arg, RMIL_CMDLINE);
}

static void setQuery(poptContext con, int letter)
{
    static const char *info[] = { "--info", NULL };

    if (letter == 'q')
        opts.modes |= MODE_QUERY;
    else if (opts.modes & MODE_QUERY)
        poptStuffArgs(con, info);
    else
        opts.modes |= MODE_INSTALL;
}

static void setInstall(unsigned int way)
{
    opts.modes |= MODE_INSTALL;
    opts.way |= way;
}

static void setSource(enum querySource source)
{
    if (opts.source != SOURCE_LABEL && opts.source != source)
        argerror("one type of query/verify may be performed at a time");
    opts.source = source;
}

static void setPipe(const char *command)
{
    if (opts.pipe != NULL)
        argerror("error: more than one --pipe specified (incompatible popt aliases?)");
    opts.pipe = rstrdup(command);
}

static void handleTextOption(int val, const char *arg)
{
    if (val != OPT_PREDEFINE)
        configure();
    switch (val) {
    case OPT_PREDEFINE:
    case 'D':
        define(arg, val == OPT_PREDEFINE);
        break;
    case OPT_UNDEFINE:
        rpmPopMacro(NULL, arg + (arg[0] == '%'));
        break;
    case 'E':
        evaluate(arg);
        break;
    case OPT_LOAD:
        if (rpmLoadMacroFile(NULL, arg) != 0)
            argerror("failed to load macro file %s", arg);
        break;
    case OPT_DBPATH:
        setDbPath(arg);
        break;
    case OPT_PIPE:
        setPipe(arg);
        break;
    case OPT_QUERYFORMAT:
        /* Several make one, as the options that stand for formats are often combined. */
        rstrcat(&opts.queryFormat, arg);
        break;
    }
}

static void handleOption(poptContext con, int val)
{
    switch (val) {
    case 'q':
    case 'i':
        setQuery(con, val);
        break;
    case 'U':
        setInstall(INSTALL_UPGRADE);
        break;
    case 'F':
        setInstall(INSTALL_UPGRADE | INSTALL_FRESHEN);
        break;
    case OPT_REINSTALL:
        setInstall(INSTALL_REINSTALL);
        break;
    case 'v':
        rpmIncreaseVerbosity();
        break;
    case OPT_NODIGEST:
        opts.vsFlags |= RPMVSF_MASK_NODIGESTS;
        opts.vfyLevelMask |= RPMSIG_DIGEST_TYPE;
        break;
    case OPT_NOHDRCHK:
        opts.vsFlags |= RPMVSF_NOHDRCHK;
        break;
    case OPT_NOSIGNATURE:
        opts.vsFlags |= RPMVSF_MASK_NOSIGNATURES;
        opts.vfyLevelMask |= RPMSIG_SIGNATURE_TYPE;
        break;
    case OPT_NOSCRIPTS:
        opts.skip |= SKIP_SCRIPT;
        opts.transFlags |= _noTransScripts | _noTransTriggers;
        break;
    case OPT_VERSION:
        printVersion(stdout);
        exit(EXIT_SUCCESS);
    case OPT_QUERYTAGS:
        exit(printQueryTags(stdout));
    case OPT_SHOWRC:
        configure();
        exit(printConfiguration(stdout));
    }
}

static void refuse(int val)
{
    argerror("--%s: not available in this version", refusedOption(val)->longName);
}

/* popt's argument is only to be asked for after an option that has one: else it is that of an
 * option before. */
static bool takesText(int val)
{
    return val == 'D' || val == 'E' || (val >= OPT_PREDEFINE && val <= OPT_QUERYFORMAT);
}

static void nameStatsJson(int argc, char **argv)
{
    static char option[] = "--" STATS_JSON_OPTION;

    for (int i = 1; i < argc && !rstreq(argv[i], "--"); i++) {
        if (rstreq(argv[i], "--stats=json"))
            argv[i] = option;
    }
}

poptContext parseOptions(int argc, char **argv)
{
    poptContext con;
    int val;

    nameStatsJson(argc, argv);
    con = poptGetContext("rpm", argc, (const char **)argv, toolOptionTable, 0);
    addAliases(con);
    poptReadDefaultConfig(con, 1);
    while ((val = poptGetNextOpt(con)) > 0) {
        if (val >= OPT_REFUSED) {
            refuse(val);
        } else if (val >= OPT_SOURCE) {
            setSource((enum querySource)(val - OPT_SOURCE));
        } else if (takesText(val)) {
            char *arg = poptGetOptArg(con);

            handleTextOption(val, arg);
            free(arg);
        } else {
            handleOption(con, val);
        }
    }
    if (val < -1)
        argerror("%s: %s", poptBadOption(con, POPT_BADOPTION_NOALIAS), poptStrerror(val));
    configure();
    if (opts.debug)
        rpmSetVerbosity(RPMLOG_DEBUG);
    return con;
}
