/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Built-in macros that make a text of a text, or tell about the system. */

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmstring.h>

#include "macro_internal.h"

static void doBasename(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    const char *slash = strrchr(argv[1], '/');

    (void)rest;
    macroAppendStr(mb, slash ? slash + 1 : argv[1]);
}

static void doDirname(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    const char *slash = strrchr(argv[1], '/');

    (void)rest;
    macroAppend(mb, argv[1], slash ? (size_t)(slash - argv[1]) : strlen(argv[1]));
}

static void doSuffix(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    const char *dot = strrchr(argv[1], '.');

    (void)rest;
    macroAppendStr(mb, dot ? dot + 1 : "");
}

/* Runs of white space become one blank, those at the ends go. */
static void doShrink(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    const char *s = argv[1];
    const char *blank = "";

    (void)rest;
    for (;;) {
        const char *start;

        while (risspace(*s))
            s++;
        if (*s == '\0')
            break;
        for (start = s; *s != '\0' && !risspace(*s); s++)
            ;
        macroAppendStr(mb, blank);
        macroAppend(mb, start, (size_t)(s - start));
        blank = " ";
    }
}

static void doQuote(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    static const char quote = MACRO_QUOTE;

    (void)rest;
    for (ARGV_const_t arg = argv + 1; *arg != NULL; arg++) {
        if (arg > argv + 1)
            macroAppend(mb, " ", 1);
        macroAppend(mb, &quote, 1);
        macroAppendStr(mb, *arg);
        macroAppend(mb, &quote, 1);
    }
}

static void doShescape(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    const char *s = argv[1];
    size_t n;

    (void)rest;
    macroAppendStr(mb, "'");
    for (; *(s + (n = strcspn(s, "'"))) != '\0'; s += n + 1) {
        macroAppend(mb, s, n);
        macroAppendStr(mb, "'\\''");
    }
    macroAppend(mb, s, n);
    macroAppendStr(mb, "'");
}

static const char *urlPath(const char *url)
{
    static const char *const schemes[] = { "file://", "ftp://", "hkp://", "http://", "https://" };

    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        size_t n = strlen(schemes[i]);

        if (rstreqn(url, schemes[i], n)) {
            url += n;
            return url + strcspn(url, "/");
        }
    }
    return rstreq(url, "-") ? "" : url;
}

static void doUrlPath(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    const char *path = urlPath(argv[1]);

    (void)rest;
    macroAppendStr(mb, *path ? path : "/");
}

static void doExists(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    (void)rest;
    macroAppendStr(mb, access(argv[1], F_OK) == 0 ? "1" : "0");
}

static void doGetenv(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    const char *value = getenv(argv[1]);

    (void)rest;
    macroAppendStr(mb, value ? value : "");
}

static void doGetconfdir(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    (void)argv;
    (void)rest;
    macroAppendStr(mb, rpmConfigDir());
}

/* The processors that this process may run on. */
static void doGetncpus(macroBuf mb, ARGV_const_t argv, struct macroRest *rest)
{
    cpu_set_t set;
    long n = 0;
    char text[24];

    (void)argv;
    (void)rest;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        n = CPU_COUNT(&set);
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(text, sizeof(text), "%ld", n < 1 ? 1 : n);
    macroAppendStr(mb, text);
}

const struct macroBuiltin macroStringBuiltins[] = {
    { "basename", doBasename, true, 0 },
    { "dirname", doDirname, true, 0 },
    { "exists", doExists, true, 0 },
    { "getconfdir", doGetconfdir, false, 0 },
    { "getenv", doGetenv, true, 0 },
    { "getncpus", doGetncpus, false, 0 },
    { "quote", doQuote, true, 0 },
    { "shescape", doShescape, true, 0 },
    { "shrink", doShrink, true, 0 },
    { "suffix", doSuffix, true, 0 },
    { "u2p", doUrlPath, true, 0 },
    { "url2path", doUrlPath, true, 0 },
    { NULL, NULL, false, 0 },
};
