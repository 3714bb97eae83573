/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls of parametric macros: words, options, and the macros that stand for them. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>

#include "macro_internal.h"

/* Append a word without its quotes. */
static void addWord(macroBuf mb, ARGV_t *argvp, const char *s, size_t len)
{
    char *word;
    size_t n = 0;

    if (!macroCharge(mb, MACRO_DEFINE_COST))
        return;
    word = rmalloc(len + 1);
    for (size_t i = 0; i < len; i++) {
        if (s[i] != MACRO_QUOTE)
            word[n++] = s[i];
    }
    word[n] = '\0';
    argvAdd(argvp, word);
    free(word);
}

void macroSplit(macroBuf mb, ARGV_t *argvp, const char *str)
{
    const char *start = str;
    bool quoted = false;

    for (const char *s = str;; s++) {
        if (*s == '\0' || (!quoted && risblank(*s))) {
            if (s > start)
                addWord(mb, argvp, start, (size_t)(s - start));
            start = s + 1;
        }
        if (*s == '\0')
            break;
        if (*s == MACRO_QUOTE)
            quoted = !quoted;
    }
}

static void define(macroBuf mb, const char *name, const char *body)
{
    if (macroCharge(mb, MACRO_DEFINE_COST))
        macroPush(mb->mc, name, NULL, body, mb->level, MACRO_AUTO | MACRO_LITERAL);
}

/* %{-f} and, if it has a value, %{-f*}. */
static void defineOption(macroBuf mb, char option, const char *value)
{
    char name[] = { '-', option, '*', '\0' };
    char *body = NULL;

    if (value != NULL) {
        define(mb, name, value);
        name[2] = '\0';
        rasprintf(&body, "%s %s", name, value);
    } else {
        name[2] = '\0';
    }
    define(mb, name, body ? body : name);
    free(body);
}

/* The options in one word, such as -a, -abc or -fvalue. The value of a last option may be the
 * next word: then *argv is stepped on. Returns an option that is wrong, else 0. */
static char parseWord(macroBuf mb, const char *opts, ARGV_const_t *argv)
{
    for (const char *s = **argv + 1; *s != '\0'; s++) {
        const char *opt = (*s != ':' && *s != ';') ? strchr(opts, *s) : NULL;
        const char *value = s + 1;

        if (opt == NULL)
            return *s;
        if (opt[1] != ':') {
            defineOption(mb, *s, NULL);
            continue;
        }
        if (*value == '\0' && opt[2] == ':') {
            value = NULL;
        } else if (*value == '\0') {
            value = (*argv)[1];
            if (value == NULL)
                return *s;
            ++*argv;
        }
        defineOption(mb, *s, value);
        break;
    }
    return '\0';
}

/* As getopt(3), which cannot be used since it keeps its state in globals. Options are defined,
 * all other words appended to *args. Returns an option that is wrong, else 0. */
static char parseOptions(macroBuf mb, const char *opts, ARGV_const_t argv, ARGV_t *args)
{
    bool ordered = *opts == '+';
    char wrong = '\0';

    if (rstreq(opts, "-")) {
        argvAppend(args, argv);
        return '\0';
    }
    for (; *argv != NULL && wrong == '\0'; argv++) {
        if (rstreq(*argv, "--")) {
            argvAppend(args, argv + 1);
            break;
        }
        if ((*argv)[0] == '-' && (*argv)[1] != '\0') {
            wrong = parseWord(mb, opts, &argv);
        } else if (ordered) {
            argvAppend(args, argv);
            break;
        } else {
            argvAdd(args, *argv);
        }
    }
    return wrong;
}

static void defineJoined(macroBuf mb, const char *name, ARGV_const_t argv)
{
    char *text = argvJoin(argv, " ");

    define(mb, name, text);
    free(text);
}

static void defineNumber(macroBuf mb, const char *name, int value)
{
    char text[12];

    snprintf(text, sizeof(text), "%d", value);
    define(mb, name, text);
}

void macroEnter(macroBuf mb, rpmMacroEntry me, ARGV_const_t argv)
{
    ARGV_t args = NULL;
    char wrong;

    mb->level++;
    define(mb, "0", me->name);
    defineJoined(mb, "**", argv + 1);
    wrong = parseOptions(mb, me->opts, argv + 1, &args);
    if (wrong != '\0') {
        macroErr(mb, true, "Unknown option %c in %s(%s)\n", wrong, me->name, me->opts);
        goto exit;
    }
    defineNumber(mb, "#", argvCount(args));
    for (int i = 0; i < argvCount(args); i++) {
        char name[12];

        snprintf(name, sizeof(name), "%d", i + 1);
        define(mb, name, args[i]);
    }
    defineJoined(mb, "*", args);

exit:
    argvFree(args);
}

/* First of the definitions that the running call has made. */
static size_t firstLocal(macroBuf mb)
{
    size_t n = mb->mc->nlocals;

    while (n > 0 && mb->mc->locals[n - 1]->level >= mb->level)
        n--;
    return n;
}

static void warnUnused(macroBuf mb, rpmMacroEntry me)
{
    bool visible = macroFind(mb->mc, me->name, strlen(me->name)) == me;

    if (visible && !(me->flags & (MACRO_AUTO | MACRO_USED)))
        macroErr(mb, false, "Macro %%%s defined but not used within scope\n", me->name);
}

void macroLeave(macroBuf mb)
{
    rpmMacroContext mc = mb->mc;
    size_t first = firstLocal(mb);

    for (size_t i = first; i < mc->nlocals; i++)
        warnUnused(mb, mc->locals[i]);
    while (mc->nlocals > first) {
        rpmMacroEntry me = mc->locals[--mc->nlocals];

        if (!me->gone)
            macroRemove(mc, me);
        macroUnref(me);
    }
    mb->level--;
}
