/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Expansion: finds the macro calls in a text and puts their values in their place. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "macro_internal.h"

/* A call by name: %name, %{name}, %{name:arg}, %{?name:text} and so on. */
struct call {
    const char *start; /* where to go on if the % turns out to be just a % */
    const char *end;   /* behind the call, words after a bare name not included */
    const char *name;
    size_t namelen;
    const char *arg; /* behind the colon in braces, else NULL */
    size_t arglen;
    bool bare;   /* without braces */
    bool spaced; /* a blank follows the name */
    bool test;   /* has a ? */
    bool negate; /* has a ! */
};

/* === The result === */

bool macroCharge(macroBuf mb, size_t n)
{
    if (n < *mb->work) {
        *mb->work -= n;
        return true;
    }
    if (*mb->work > 0)
        macroErr(mb, true, "Macro expansion takes more than %zu MiB of text\n",
                 MACRO_MAX_WORK >> 20);
    *mb->work = 0;
    mb->error = 1;
    return false;
}

void macroAppend(macroBuf mb, const char *str, size_t len)
{
    if (!macroCharge(mb, len))
        return;
    if (mb->size - mb->len <= len) {
        mb->size = (mb->len + len + 1) * 2;
        mb->text = rrealloc(mb->text, mb->size);
    }
    memcpy(mb->text + mb->len, str, len);
    mb->len += len;
    mb->text[mb->len] = '\0';
}

void macroAppendStr(macroBuf mb, const char *str)
{
    macroAppend(mb, str, strlen(str));
}

char *macroExpandApart(macroBuf mb, const char *s, size_t len)
{
    struct macroBuf_s apart = *mb;

    apart.text = NULL;
    apart.len = apart.size = 0;
    apart.error = 0;
    macroExpand(&apart, s, len);
    if (apart.error)
        mb->error = 1;
    return apart.text ? apart.text : rstrdup("");
}

/* === Shell commands and expressions === */

static void trimEnd(macroBuf mb, size_t from)
{
    while (mb->len > from && (mb->text[mb->len - 1] == '\n' || mb->text[mb->len - 1] == '\r'))
        mb->text[--mb->len] = '\0';
}

/* Append what a command writes, up to an error. */
static void readPipe(macroBuf mb, int fd)
{
    char buf[BUFSIZ];
    ssize_t n;

    while (!mb->error && (n = read(fd, buf, sizeof(buf))) != 0) {
        if (n > 0)
            macroAppend(mb, buf, (size_t)n);
        else if (errno != EINTR)
            macroErr(mb, true, "Failed to read from shell expansion pipe: %m\n");
    }
}

static void expandShell(macroBuf mb, const char *s, size_t len)
{
    char *cmd = macroExpandApart(mb, s, len);
    size_t from = mb->len;
    FILE *pipe;

    if (mb->error || !macroCharge(mb, MACRO_SYSTEM_COST))
        goto exit;
    pipe = popen(cmd, "re");
    if (pipe == NULL) {
        macroErr(mb, true, "Failed to open shell expansion pipe for command: %s: %m\n", cmd);
        goto exit;
    }
    readPipe(mb, fileno(pipe));
    pclose(pipe);
    trimEnd(mb, from);

exit:
    free(cmd);
}

/* === Finding calls === */

const char *macroMatch(const char *s, const char *end, char close)
{
    char open = *s;
    int depth = 0;

    for (; s < end; s++) {
        if (*s == '\\')
            s++;
        else if (*s == open)
            depth++;
        else if (*s == close && --depth == 0)
            return s + 1;
    }
    return NULL;
}

static const char *skipTests(const char *s, const char *end, struct call *c)
{
    for (; s < end && (*s == '?' || *s == '!'); s++) {
        if (*s == '?')
            c->test = true;
        else
            c->negate = !c->negate;
    }
    return s;
}

/* A name without braces: letters, digits and _, -f, and at its end *, ** or #. */
static const char *nameEnd(const char *s, const char *end)
{
    if (s < end && *s == '-')
        s++;
    while (s < end && (risalnum(*s) || *s == '_'))
        s++;
    if (s < end && *s == '#')
        return s + 1;
    if (s < end && *s == '*')
        s += (end - s > 1 && s[1] == '*') ? 2 : 1;
    return s;
}

static void parseBare(const char *s, const char *end, struct call *c)
{
    c->bare = true;
    c->name = c->start = skipTests(s, end, c);
    c->end = nameEnd(c->name, end);
    c->namelen = (size_t)(c->end - c->name);
    c->spaced = c->end < end && risblank(*c->end);
}

static void parseBraces(const char *s, const char *se, struct call *c)
{
    const char *last = se - 1; /* the closing brace */
    const char *p;

    c->start = s;
    c->end = se;
    c->name = p = skipTests(s + 1, last, c);
    while (p < last && *p != ' ' && *p != ':' && *p != '}')
        p++;
    c->namelen = (size_t)(p - c->name);
    c->spaced = *p == ' ';
    if (*p == ':') {
        c->arg = p + 1;
        c->arglen = (size_t)(last - c->arg);
    }
}

/* === Calls === */

static void runBuiltin(macroBuf mb, rpmMacroEntry me, ARGV_const_t argv, struct macroRest *rest)
{
    bool have = argv[1] != NULL || rest != NULL;

    if (have == (me->opts != NULL) || (me->flags & MACRO_OPTIONAL))
        me->func(mb, argv, rest);
    else
        macroErr(mb, true, "%%%s: %s\n", me->name,
                 have ? "unexpected argument" : "argument expected");
}

/* Append the value of a macro. Without argv a parametric macro is expanded as a simple one. */
static void runMacro(macroBuf mb, rpmMacroEntry me, ARGV_const_t argv, struct macroRest *rest)
{
    char *const nameOnly[] = { me->name, NULL };

    me->refs++; /* the body may redefine the macro */
    if (me->func != NULL) {
        runBuiltin(mb, me, argv ? argv : nameOnly, rest);
    } else if (me->flags & MACRO_LITERAL) {
        macroAppendStr(mb, me->body);
    } else if (argv != NULL) {
        macroEnter(mb, me, argv);
        macroExpand(mb, me->body, strlen(me->body));
        macroLeave(mb);
    } else {
        macroExpand(mb, me->body, strlen(me->body));
    }
    macroUnref(me);
}

static void addArgs(macroBuf mb, rpmMacroEntry me, ARGV_t *argv, const char *s, size_t len,
                    bool split)
{
    char *text;

    if (me->flags & MACRO_RAW) {
        argvAddN(argv, s, len);
        return;
    }
    text = macroExpandApart(mb, s, len);
    if (split)
        macroSplit(mb, argv, text);
    else
        argvAdd(argv, text);
    free(text);
}

/* The words after a bare name, to the end of the line. Returns where to go on: a newline
 * stays, unless it is escaped. */
static const char *addWords(macroBuf mb, rpmMacroEntry me, ARGV_t *argv, const char *s,
                            const char *end)
{
    const char *eol = memchr(s, '\n', (size_t)(end - s));

    if (eol == NULL)
        eol = end;
    addArgs(mb, me, argv, s, (size_t)(eol - s), true);
    return (eol < end && eol[-1] == '\\') ? eol + 1 : eol;
}

/* Call a macro that takes arguments. */
static const char *callWithArgs(macroBuf mb, rpmMacroEntry me, const struct call *c,
                                const char *end)
{
    const char *words = c->name + c->namelen;
    struct macroRest rest = { .s = c->end, .end = end };
    const char *next = c->end;
    ARGV_t argv = NULL;

    argvAdd(&argv, me->name);
    if (c->bare && (me->flags & MACRO_RAW)) {
        runMacro(mb, me, argv, &rest);
        next = rest.s;
    } else {
        if (c->arg != NULL)
            addArgs(mb, me, &argv, c->arg, c->arglen, false);
        else if (c->spaced && !c->bare)
            addArgs(mb, me, &argv, words, (size_t)(c->end - 1 - words), true);
        else if (c->spaced && me->opts != NULL)
            next = addWords(mb, me, &argv, words, end);
        runMacro(mb, me, argv, NULL);
    }
    argvFree(argv);
    return next;
}

/* Keeps a reference: the macro may be undefined before its name is shown. */
static void setCalled(macroBuf mb, rpmMacroEntry me)
{
    if (mb->called != NULL)
        macroUnref(mb->called);
    if (me != NULL)
        me->refs++;
    mb->called = me;
}

static rpmMacroEntry lookup(macroBuf mb, const struct call *c)
{
    rpmMacroEntry me = macroFind(mb->mc, c->name, c->namelen);

    if (me != NULL && (me->flags & MACRO_AUTO) && mb->level > me->level)
        me = NULL;
    setCalled(mb, me);
    if (me != NULL)
        me->flags |= MACRO_USED;
    return me;
}

/* %{?name}, %{!?name:text}, %{-f:text} and kin. */
static void expandTest(macroBuf mb, rpmMacroEntry me, const struct call *c)
{
    if ((me == NULL) != c->negate)
        return;
    if (c->arglen > 0)
        macroExpand(mb, c->arg, c->arglen);
    else if (me != NULL)
        runMacro(mb, me, NULL, NULL);
}

/* Expand a call by name. Returns where to go on. */
static const char *expandCall(macroBuf mb, const struct call *c, const char *end)
{
    rpmMacroEntry me = lookup(mb, c);

    if (*c->name == '-' || c->test) {
        expandTest(mb, me, c);
        return c->end;
    }
    if (me == NULL) { /* what is not a macro stays as it is */
        macroAppend(mb, "%", 1);
        return c->start;
    }
    if (me->opts != NULL || me->func != NULL)
        return callWithArgs(mb, me, c, end);
    runMacro(mb, me, NULL, NULL);
    return c->end;
}

static const char *expandBracketed(macroBuf mb, const char *s, const char *se)
{
    const char *eol = memchr(s, '\n', (size_t)(se - s));

    if (*s == '(')
        expandShell(mb, s + 1, (size_t)(se - s - 2));
    else
        macroErr(mb, true, "Expressions are not supported: %%%.*s%s\n",
                 (int)((eol ? eol : se) - s), s, eol ? "..." : "");
    return se;
}

/* Expand what follows a %. Returns where to go on. */
static const char *expandPercent(macroBuf mb, const char *s, const char *end)
{
    struct call c = { 0 };
    const char *se = s;

    if (*s == '{' || *s == '(' || *s == '[') {
        se = macroMatch(s, end, *s == '{' ? '}' : *s == '(' ? ')' : ']');
        if (se == NULL) {
            macroErr(mb, true, "Unterminated %c: %.*s\n", *s, (int)(end - s), s);
            return end;
        }
    }
    if (!macroCharge(mb, (size_t)(se - s) + MACRO_CALL_COST))
        return end;
    if (*s == '{')
        parseBraces(s, se, &c);
    else if (se == s)
        parseBare(s, end, &c);
    if (c.name != NULL && c.namelen == 0) {
        macroAppend(mb, "%", 1);
        return c.start;
    }
    if (mb->traceIn)
        macroTraceCall(mb, c.name ? c.start : s, c.name ? c.end : se, end);
    return c.name ? expandCall(mb, &c, end) : expandBracketed(mb, s, se);
}

/* Expand the next piece of a text: what comes before a %, or the call behind one. */
static const char *expandNext(macroBuf mb, const char *s, const char *end)
{
    const char *percent = memchr(s, '%', (size_t)(end - s));

    if (percent == NULL)
        percent = end;
    if (percent > s) {
        macroAppend(mb, s, (size_t)(percent - s));
        return percent;
    }
    if (end - s == 1 || s[1] == '%') { /* a last % stands for itself, %% for % */
        macroAppend(mb, "%", 1);
        return end - s == 1 ? end : s + 2;
    }
    return expandPercent(mb, s + 1, end);
}

void macroExpand(macroBuf mb, const char *s, size_t len)
{
    const char *end = s + len;
    size_t from = mb->len;
    int traceIn = mb->traceIn, traceOut = mb->traceOut;
    rpmMacroEntry called = mb->called;

    if (mb->depth >= MACRO_MAX_DEPTH) {
        macroErr(mb, true, "Too many levels of recursion in macro expansion. "
                           "It is likely caused by recursive macro declaration.\n");
        return;
    }
    mb->depth++;
    mb->called = NULL;
    while (s < end && !mb->error) {
        if (*s == '%' && mb->depth > 1)
            from = mb->len; /* below the outermost level, trace the last call only */
        s = expandNext(mb, s, end);
    }
    mb->depth--;
    if (mb->traceOut || (mb->error && rpmIsVerbose()))
        macroTraceResult(mb, from);
    setCalled(mb, NULL);
    mb->called = called;
    mb->traceIn = traceIn;
    mb->traceOut = traceOut;
}
