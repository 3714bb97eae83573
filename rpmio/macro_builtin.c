/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Built-in macros: those that act on macros, log, or need the expansion's state. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "macro_internal.h"

static void doDnl(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    (void)mb;
    (void)argv;
    if (rest == NULL)
        return;
    while (rest->s < rest->end && *rest->s != '\n' && *rest->s != '\r')
        rest->s++;
    if (rest->s < rest->end)
        rest->s++;
}

static void define(macroBuf mb, ARGV_const_t argv, struct macroRest *rest, int level, bool expand)
{
    if (rest != NULL)
        macroDefine(mb, rest->s, rest->end, level, expand, &rest->s);
    else
        macroDefine(mb, argv[1], argv[1] + strlen(argv[1]), level, expand, NULL);
}

static void doDefine(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    define(mb, argv, rest, mb->level, false);
}

static void doGlobal(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    define(mb, argv, rest, RMIL_GLOBAL, true);
}

static void doUndefine(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    (void)rest;
    macroUndefine(mb, argv[1]);
}

static void doDump(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    (void)argv;
    (void)rest;
    if (macroCharge(mb, mb->mc->n * MACRO_CALL_COST))
        macroDump(mb->mc, stderr);
}

/* Tracing lasts to the end of the text it is switched on in; outside of any macro, for good. */
static void doTrace(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    (void)argv;
    (void)rest;
    mb->traceIn = mb->traceOut = mb->depth;
    if (mb->depth == 1)
        mb->mc->trace = mb->depth;
}

static void doOutput(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    int priority = RPMLOG_NOTICE;

    (void)rest;
    if (rstreq(argv[0], "error")) {
        priority = RPMLOG_ERR;
        mb->error = 1;
    } else if (rstreq(argv[0], "warn")) {
        priority = RPMLOG_WARNING;
    }
    rpmlog(priority, "%s\n", argv[1]);
}

static void doBody(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    rpmMacroEntry me = macroFind(mb->mc, argv[1], strlen(argv[1]));

    (void)rest;
    if (me != NULL)
        macroAppendStr(mb, me->body);
    else if (*argv[1] != '\0')
        macroErr(mb, true, "no such macro: '%s'\n", argv[1]);
}

static void doExpand(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    (void)rest;
    if (*argv[1] != '\0')
        macroExpand(mb, argv[1], strlen(argv[1]));
}

static void doLoad(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    (void)rest;
    if (macroCharge(mb, MACRO_SYSTEM_COST) && macroLoadFile(mb->mc, argv[1]))
        macroErr(mb, true, "failed to load macro file %s\n", argv[1]);
}

/* %{S:1} is %SOURCE1, %{P:1} is %PATCH1. */
static void doSourcePatch(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    char *text = rstrscat(NULL, *argv[0] == 'S' ? "%SOURCE" : "%PATCH", argv[1], NULL);

    (void)rest;
    macroExpand(mb, text, strlen(text));
    free(text);
}

static void doUncompress(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    static const char tool[] = "%__rpmuncompress ";

    (void)rest;
    if (*argv[1] == '\0')
        return;
    macroExpand(mb, tool, strlen(tool));
    macroAppendStr(mb, argv[1]);
}

static void doVerbose(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    if (rest != NULL || argv[1] == NULL)
        macroAppend(mb, rpmIsVerbose() ? "1" : "0", 1);
    else if (rpmIsVerbose())
        macroExpand(mb, argv[1], strlen(argv[1]));
}

static void doUnsupported(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    (void)rest;
    macroErr(mb, true, "%%{%s:...} is not supported\n", argv[0]);
}

static const struct macroBuiltin builtins[] = {
    { "P", doSourcePatch, true, 0 },
    { "S", doSourcePatch, true, 0 },
    { "define", doDefine, true, MACRO_RAW },
    { "dnl", doDnl, true, MACRO_RAW },
    { "dump", doDump, false, 0 },
    { "echo", doOutput, true, 0 },
    { "error", doOutput, true, 0 },
    { "expand", doExpand, true, 0 },
    { "expr", doUnsupported, true, MACRO_RAW },
    { "global", doGlobal, true, MACRO_RAW },
    { "load", doLoad, true, 0 },
    { "lua", doUnsupported, true, MACRO_RAW },
    { "macrobody", doBody, true, 0 },
    { "trace", doTrace, false, 0 },
    { "uncompress", doUncompress, true, 0 },
    { "undefine", doUndefine, true, 0 },
    { "verbose", doVerbose, true, MACRO_RAW | MACRO_OPTIONAL },
    { "warn", doOutput, true, 0 },
    { NULL, NULL, false, 0 },
};

static void addBuiltins(rpmMacroContext mc, const struct macroBuiltin *b)
{
    for (; b->name != NULL; b++) {
        rpmMacroEntry me = macroPush(mc, b->name, b->arg ? "" : NULL, "<builtin>", RMIL_BUILTIN,
                                     b->flags);

        me->func = b->func;
    }
}

void macroInitBuiltins(rpmMacroContext mc)
{
    if (macroFind(mc, builtins[0].name, strlen(builtins[0].name)) != NULL)
        return;
    addBuiltins(mc, builtins);
    addBuiltins(mc, macroStringBuiltins);
}
