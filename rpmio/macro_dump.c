/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is shown to people: the table, traces of an expansion, where a macro came from. */

#include <string.h>

#include <rpm/rpmstring.h>

#include "macro_internal.h"

static void dumpEntry(const struct rpmMacroEntry_s *me, FILE *fp)
{
    fprintf(fp, "%3d%c %s", me->level, (me->flags & MACRO_USED) ? '=' : ':', me->name);
    if (me->opts != NULL && *me->opts != '\0')
        fprintf(fp, "(%s)", me->opts);
    if (*me->body != '\0')
        fprintf(fp, "\t%s", me->body);
    fprintf(fp, "\n");
}

void macroDump(rpmMacroContext mc, FILE *fp)
{
    fprintf(fp, "========================\n");
    for (size_t i = 0; i < mc->n; i++)
        dumpEntry(mc->tab[i], fp);
    fprintf(fp, "======================== active %zu empty 0\n", mc->n);
}

void rpmDumpMacroTable(rpmMacroContext mc, FILE *fp)
{
    mc = macroAcquire(mc);
    macroDump(mc, fp ? fp : stderr);
    macroRelease(mc);
}

static const char *sourceOf(const struct rpmMacroEntry_s *me)
{
    if (me->source != NULL)
        return me->source;
    switch (me->level) {
    case RMIL_BUILTIN:
        return "built-in";
    case RMIL_DEFAULT:
    case RMIL_RPMRC:
        return "default";
    case RMIL_CMDLINE:
        return "command line";
    default:
        return "run time";
    }
}

char *rpmMacroSource(rpmMacroContext mc, const char *n, int *level)
{
    rpmMacroEntry me;
    char *source = NULL;

    mc = macroAcquire(mc);
    me = macroFind(mc, n, strlen(n));
    if (me != NULL) {
        source = rstrdup(sourceOf(me));
        if (level != NULL)
            *level = me->level;
    }
    macroRelease(mc);
    return source;
}

static int indent(macroBuf mb)
{
    return 2 * mb->depth + 1;
}

void macroTraceCall(macroBuf mb, const char *s, const char *se, const char *end)
{
    size_t rest = (size_t)(end - se);
    const char *eol = memchr(se, '\n', rest);

    if (eol != NULL)
        rest = (size_t)(eol - se);
    if (!macroCharge(mb, rest))
        return;
    /* The caret stands for the first character behind the call. */
    fprintf(stderr, "%3d>%*s%%%.*s^", mb->depth, indent(mb), "", (int)(se - s), s);
    if (rest > 1)
        fprintf(stderr, "%.*s", (int)(rest - 1), se + 1);
    fprintf(stderr, "\n");
}

void macroTraceResult(macroBuf mb, size_t from)
{
    const char *start = mb->text ? mb->text + from : "";
    size_t len = mb->len - from;
    const char *eol;

    while (len > 0 && (start[len - 1] == '\n' || start[len - 1] == '\r'))
        len--;
    /* The last line is enough, but for the whole text. */
    eol = (len > 0 && mb->depth > 0) ? memrchr(start, '\n', len) : NULL;
    if (eol != NULL) {
        len -= (size_t)(eol + 1 - start);
        start = eol + 1;
    }
    fprintf(stderr, "%3d<%*s (%%%s)\n", mb->depth, indent(mb), "",
            mb->called ? mb->called->name : "");
    if (mb->len > from)
        fprintf(stderr, "%.*s\n", (int)len, start);
}
