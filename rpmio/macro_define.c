/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Definitions as text: NAME[(OPTIONS)] BODY. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>

#include "macro_internal.h"

static bool isEol(char c)
{
    return c == '\n' || c == '\r';
}

static const char *skipBlanks(const char *s, const char *end)
{
    while (s < end && risblank(*s))
        s++;
    return s;
}

static void adjust(int *count, bool opens)
{
    if (*count > 0)
        *count += opens ? 1 : -1;
}

size_t macroNest(struct macroNesting *n, const char *s, const char *end)
{
    char next = (end - s > 1) ? s[1] : '\0';

    if (*s == '\\')
        return next != '\0' ? 2 : 1;
    if (*s == '%' && next != '\0' && strchr("{([%", next) != NULL) {
        n->brace += next == '{';
        n->paren += next == '(';
        n->square += next == '[';
        return 2;
    }
    if (*s == '{' || *s == '}')
        adjust(&n->brace, *s == '{');
    else if (*s == '(' || *s == ')')
        adjust(&n->paren, *s == '(');
    else if (*s == '[' || *s == ']')
        adjust(&n->square, *s == '[');
    return 1;
}

/* Where a body ends that ends with the line, or later if brackets are open; NULL if they stay
 * open. */
static const char *lineEnd(const char *s, const char *end)
{
    struct macroNesting nest = { 0 };

    while (s < end && (nest.brace || nest.paren || !isEol(*s)))
        s += macroNest(&nest, s, end);
    return (nest.brace || nest.paren || nest.square) ? NULL : s;
}

/* Such a body: without blanks and empty lines at its end, and without the backslashes, each of
 * which keeps the character after it, a newline above all. */
static const char *lineBody(const char *s, const char *end, char **body)
{
    const char *se = lineEnd(s, end);
    size_t len = 0;
    char *b;

    if (se == NULL)
        return NULL;
    b = *body = rmalloc((size_t)(se - s) + 1);
    for (; s < se; s++) {
        if (*s == '\\' && se - s > 1)
            s++;
        b[len++] = *s;
    }
    while (len > 0 && (risblank(b[len - 1]) || isEol(b[len - 1])))
        len--;
    b[len] = '\0';
    return se;
}

/* A body in braces, taken as it stands. */
static const char *braceBody(const char *s, const char *end, char **body)
{
    const char *se = macroMatch(s, end, '}');

    if (se != NULL)
        *body = rstrndup(s + 1, (size_t)(se - s) - 2);
    return se;
}

static bool validName(macroBuf mb, const char *name, const char *action)
{
    rpmMacroEntry me = macroFind(mb->mc, name, strlen(name));

    if (!risalpha(*name) && !(*name == '_' && name[1] != '\0')) {
        macroErr(mb, true, "Macro %%%s has illegal name (%s)\n", name, action);
        return false;
    }
    if (me != NULL && (me->func != NULL || (me->flags & MACRO_AUTO))) {
        macroErr(mb, true, "Macro %%%s is a built-in (%s)\n", name, action);
        return false;
    }
    return true;
}

/* Read name and options. Returns what comes behind them, NULL after an error. */
static const char *parseHead(macroBuf mb, const char *s, const char *end, char **name, char **opts)
{
    const char *start = s = skipBlanks(s, end);
    const char *close;

    while (s < end && (risalnum(*s) || *s == '_'))
        s++;
    *name = rstrndup(start, (size_t)(s - start));
    if (s == end || *s != '(')
        return s;
    close = memchr(s, ')', (size_t)(end - s));
    if (close == NULL) {
        macroErr(mb, true, "Macro %%%s has unterminated opts\n", *name);
        return NULL;
    }
    *opts = rstrndup(s + 1, (size_t)(close - s) - 1);
    return close + 1;
}

/* Read the body. Returns what comes behind it, NULL after an error. */
static const char *parseBody(macroBuf mb, const char *s, const char *end, bool whole,
                             const char *name, char **body)
{
    s = skipBlanks(s, end);
    if (whole) {
        *body = rstrndup(s, (size_t)(end - s));
        s = end;
    } else if (s < end && *s == '{') {
        s = braceBody(s, end, body);
    } else {
        s = lineBody(s, end, body);
    }
    if (s == NULL)
        macroErr(mb, true, "Macro %%%s has unterminated body\n", name);
    return s;
}

static bool separated(const char *s, const char *end)
{
    return s < end && (risblank(*s) || (*s == '\\' && end - s > 1 && isEol(s[1])));
}

static void push(macroBuf mb, const char *name, const char *opts, const char *body, int level,
                 bool expand)
{
    char *expansion = NULL;
    int error = mb->error;

    if (expand) {
        mb->error = 0;
        expansion = macroExpandApart(mb, body, strlen(body));
        if (mb->error) {
            macroErr(mb, true, "Macro %%%s failed to expand\n", name);
            goto exit;
        }
        mb->error = error;
    }
    macroPush(mb->mc, name, opts, expand ? expansion : body, level, 0);

exit:
    free(expansion);
}

void macroDefine(macroBuf mb, const char *s, const char *end, int level, bool expand,
                 const char **next)
{
    char *name = NULL, *opts = NULL, *body = NULL;
    const char *behind;

    if (next != NULL)
        *next = end;
    s = parseHead(mb, s, end, &name, &opts);
    if (s == NULL)
        goto exit;
    behind = parseBody(mb, s, end, next == NULL, name, &body);
    if (behind == NULL || !macroCharge(mb, (size_t)(behind - s) + MACRO_DEFINE_COST))
        goto exit;
    while (behind < end && isEol(*behind))
        behind++;
    if (next != NULL)
        *next = behind;

    if (!validName(mb, name, expand ? "%global" : "%define"))
        goto exit;
    if (*body == '\0') {
        macroErr(mb, true, "Macro %%%s has empty body\n", name);
        goto exit;
    }
    if (!separated(s, end))
        macroErr(mb, false, "Macro %%%s needs whitespace before body\n", name);
    push(mb, name, opts, body, level, expand);

exit:
    free(name);
    free(opts);
    free(body);
}

void macroUndefine(macroBuf mb, const char *name)
{
    if (validName(mb, name, "%undefine"))
        macroPop(mb->mc, name);
}
