/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Macro contexts: locks, the table of definitions, and the public calls. */

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "macro_internal.h"

static struct rpmMacroContext_s globalContext;
static struct rpmMacroContext_s cliContext;

rpmMacroContext rpmGlobalMacroContext = &globalContext;
rpmMacroContext rpmCLIMacroContext = &cliContext;

static pthread_once_t locksOnce = PTHREAD_ONCE_INIT;

/* Recursive: a log callback may expand macros while an expansion reports an error. */
static void initLocks(void)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&globalContext.lock, &attr);
    pthread_mutex_init(&cliContext.lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

rpmMacroContext macroAcquire(rpmMacroContext mc)
{
    if (mc == NULL)
        mc = rpmGlobalMacroContext;
    pthread_once(&locksOnce, initLocks);
    pthread_mutex_lock(&mc->lock);
    return mc;
}

void macroRelease(rpmMacroContext mc)
{
    pthread_mutex_unlock(&mc->lock);
}

/* === The table === */

static int compareName(const char *name, size_t len, const char *entry)
{
    int rc = strncmp(name, entry, len);

    return (rc == 0 && entry[len] != '\0') ? -1 : rc;
}

/* Where a name is in the table, or belongs. */
static size_t position(rpmMacroContext mc, const char *name, size_t len, bool *found)
{
    size_t lo = 0, hi = mc->n;

    *found = false;
    while (lo < hi && !*found) {
        size_t mid = lo + (hi - lo) / 2;
        int rc = compareName(name, len, mc->tab[mid]->name);

        if (rc > 0)
            lo = mid + 1;
        else
            hi = mid;
        if (rc == 0) {
            *found = true;
            lo = mid;
        }
    }
    return lo;
}

rpmMacroEntry macroFind(rpmMacroContext mc, const char *name, size_t len)
{
    bool found;
    size_t at = position(mc, name, len, &found);

    return found ? mc->tab[at] : NULL;
}

void macroUnref(rpmMacroEntry me)
{
    if (--me->refs > 0)
        return;
    free(me->name);
    free(me->opts);
    free(me->body);
    free(me->source);
    free(me);
}

/* Have macroLeave() remove a definition at the end of the call that makes it. */
static void addLocal(rpmMacroContext mc, rpmMacroEntry me)
{
    /* Grows by doubling: the capacity is the next power of two. */
    if ((mc->nlocals & (mc->nlocals - 1)) == 0)
        mc->locals = rreallocn(mc->locals, mc->nlocals ? mc->nlocals * 2 : 1, sizeof(me));
    mc->locals[mc->nlocals++] = me;
    me->refs++;
}

static rpmMacroEntry newEntry(rpmMacroContext mc, const char *name, const char *opts,
                              const char *body, int level, unsigned flags)
{
    rpmMacroEntry me = rcalloc(1, sizeof(*me));

    me->name = rstrdup(name);
    me->opts = opts ? rstrdup(opts) : NULL;
    me->body = rstrdup(body ? body : "");
    me->level = level;
    me->flags = flags;
    me->refs = 1;
    if (mc->file != NULL && !(flags & MACRO_AUTO))
        rasprintf(&me->source, "%s:%d", mc->file, mc->line);
    return me;
}

rpmMacroEntry macroPush(rpmMacroContext mc, const char *name, const char *opts, const char *body,
                        int level, unsigned flags)
{
    rpmMacroEntry me = newEntry(mc, name, opts, body, level, flags);
    bool found;
    size_t at = position(mc, name, strlen(name), &found);

    if (found) {
        me->below = mc->tab[at];
    } else {
        if (mc->n == mc->alloc) {
            mc->alloc = mc->alloc ? mc->alloc * 2 : 256;
            mc->tab = rreallocn(mc->tab, mc->alloc, sizeof(*mc->tab));
        }
        memmove(mc->tab + at + 1, mc->tab + at, (mc->n - at) * sizeof(*mc->tab));
        mc->n++;
    }
    mc->tab[at] = me;
    if (level > 0)
        addLocal(mc, me);
    return me;
}

void macroRemove(rpmMacroContext mc, rpmMacroEntry me)
{
    bool found;
    size_t at = position(mc, me->name, strlen(me->name), &found);
    rpmMacroEntry *link = &mc->tab[at];

    while (*link != me)
        link = &(*link)->below;
    *link = me->below;
    if (mc->tab[at] == NULL) {
        mc->n--;
        memmove(mc->tab + at, mc->tab + at + 1, (mc->n - at) * sizeof(*mc->tab));
    }
    me->gone = true;
    macroUnref(me);
}

void macroPop(rpmMacroContext mc, const char *name)
{
    rpmMacroEntry me = macroFind(mc, name, strlen(name));

    if (me != NULL)
        macroRemove(mc, me);
}

void macroCopy(rpmMacroContext from, rpmMacroContext to, int level)
{
    macroAcquire(from);
    for (size_t i = 0; i < from->n; i++) {
        rpmMacroEntry me = from->tab[i];
        rpmMacroEntry copy = macroPush(to, me->name, me->opts, me->body, level, me->flags);

        copy->func = me->func;
        copy->source = me->source ? rstrdup(me->source) : NULL;
    }
    macroRelease(from);
}

/* === Errors === */

static const char *bodyOf(rpmMacroContext mc, const char *name)
{
    rpmMacroEntry me = macroFind(mc, name, strlen(name));

    return me ? me->body : NULL;
}

void macroErr(macroBuf mb, bool error, const char *fmt, ...)
{
    const char *file = bodyOf(mb->mc, "__file_name");
    const char *line = bodyOf(mb->mc, "__file_lineno");
    char *msg = NULL;
    va_list ap;

    va_start(ap, fmt);
    rvasprintf(&msg, fmt, ap);
    va_end(ap);
    rpmlog(error ? RPMLOG_ERR : RPMLOG_WARNING, "%s%s%s%s%s%s", file ? file : "", file ? ": " : "",
           line ? "line " : "", line ? line : "", line ? ": " : "", msg ? msg : fmt);
    if (error)
        mb->error = 1;
    free(msg);
}

/* === Public calls === */

int rpmPushMacroFlags(rpmMacroContext mc, const char *n, const char *o, const char *b, int level,
                      rpmMacroFlags flags)
{
    mc = macroAcquire(mc);
    macroPush(mc, n, o, b, level, (flags & RPMMACRO_LITERAL) ? MACRO_LITERAL : 0);
    macroRelease(mc);
    return 0;
}

int rpmPushMacro(rpmMacroContext mc, const char *n, const char *o, const char *b, int level)
{
    return rpmPushMacroFlags(mc, n, o, b, level, RPMMACRO_DEFAULT);
}

int rpmPopMacro(rpmMacroContext mc, const char *n)
{
    mc = macroAcquire(mc);
    macroPop(mc, n);
    macroRelease(mc);
    return 0;
}

int rpmDefineMacro(rpmMacroContext mc, const char *macro, int level)
{
    size_t work = MACRO_MAX_WORK + 1;
    struct macroBuf_s mb = { .work = &work };
    const char *next;

    mb.mc = macroAcquire(mc);
    macroDefine(&mb, macro, macro + strlen(macro), level, false, &next);
    macroRelease(mb.mc);
    return mb.error;
}

int rpmMacroIsDefined(rpmMacroContext mc, const char *n)
{
    int rc;

    mc = macroAcquire(mc);
    rc = macroFind(mc, n, strlen(n)) != NULL;
    macroRelease(mc);
    return rc;
}

int rpmMacroIsParametric(rpmMacroContext mc, const char *n)
{
    rpmMacroEntry me;
    int rc;

    mc = macroAcquire(mc);
    me = macroFind(mc, n, strlen(n));
    rc = me != NULL && me->opts != NULL;
    macroRelease(mc);
    return rc;
}

void rpmLoadMacros(rpmMacroContext mc, int level)
{
    rpmMacroContext global;

    if (mc == NULL || mc == rpmGlobalMacroContext)
        return;
    global = macroAcquire(NULL);
    macroCopy(mc, global, level);
    macroRelease(global);
}

void rpmFreeMacros(rpmMacroContext mc)
{
    mc = macroAcquire(mc);
    while (mc->nlocals > 0)
        macroUnref(mc->locals[--mc->nlocals]);
    while (mc->n > 0)
        macroRemove(mc, mc->tab[mc->n - 1]);
    mc->locals = rfree(mc->locals);
    mc->tab = rfree(mc->tab);
    mc->alloc = 0;
    mc->trace = 0;
    macroRelease(mc);
}

static int expand(rpmMacroContext mc, const char *text, char **result)
{
    size_t work = MACRO_MAX_WORK + 1;
    struct macroBuf_s mb = { .work = &work };

    mb.mc = macroAcquire(mc);
    mb.traceIn = mb.traceOut = mb.mc->trace;
    macroExpand(&mb, text, strlen(text));
    macroRelease(mb.mc);
    *result = mb.text ? mb.text : rstrdup("");
    return mb.error;
}

int rpmExpandMacros(rpmMacroContext mc, const char *sbuf, char **obuf, int flags)
{
    char *result;

    (void)flags;
    if (expand(mc, sbuf, &result)) {
        free(result);
        return -1;
    }
    *obuf = result;
    return 1;
}

char *rpmExpand(const char *arg, ...)
{
    char *text = NULL, *result = NULL;
    va_list ap;

    va_start(ap, arg);
    for (const char *s = arg; s != NULL; s = va_arg(ap, const char *))
        rstrcat(&text, s);
    va_end(ap);
    expand(NULL, text ? text : "", &result);
    free(text);
    return result;
}

static int numberOf(const char *s)
{
    char *end;
    long value;

    if (*s == 'Y' || *s == 'y')
        return 1;
    errno = 0;
    value = strtol(s, &end, 0);
    if (end == s || *end != '\0')
        return 0;
    if (value > INT_MAX || value < INT_MIN)
        return value > 0 ? INT_MAX : INT_MIN;
    return (int)value;
}

int rpmExpandNumeric(const char *arg)
{
    char *text;
    int rc;

    if (arg == NULL)
        return 0;
    text = rpmExpand(arg, NULL);
    rc = numberOf(text);
    free(text);
    return rc;
}
