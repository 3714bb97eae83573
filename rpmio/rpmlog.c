/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages: filtered by a mask, kept when they matter, written whole. */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

struct rpmlogRec_s {
    int code;
    rpmlogLvl pri;
    char *message; /* with its newline */
};

/* Apart from the rest: it is looked at for every debugging message that is not printed. */
static atomic_int logMask = RPMLOG_UPTO(RPMLOG_NOTICE);

/* The records kept and where messages go, under lock. */
static struct {
    pthread_mutex_t lock;
    size_t nrecs;
    struct rpmlogRec_s *recs;
    rpmlogCallback callback;
    rpmlogCallbackData data;
    FILE *file;
} ctx = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Held while one message is written; not ctx.lock, which the callback may need. */
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

static int matches(const struct rpmlogRec_s *rec, unsigned mask)
{
    return mask == 0 || ((unsigned)RPMLOG_MASK(rec->pri) & mask) != 0;
}

int rpmlogGetNrecsByMask(unsigned mask)
{
    int n = 0;

    pthread_mutex_lock(&ctx.lock);
    for (size_t i = 0; i < ctx.nrecs; i++)
        n += matches(&ctx.recs[i], mask);
    pthread_mutex_unlock(&ctx.lock);
    return n;
}

int rpmlogGetNrecs(void)
{
    return rpmlogGetNrecsByMask(0);
}

int rpmlogCode(void)
{
    int code = -1;

    pthread_mutex_lock(&ctx.lock);
    if (ctx.nrecs > 0)
        code = ctx.recs[ctx.nrecs - 1].code;
    pthread_mutex_unlock(&ctx.lock);
    return code;
}

const char *rpmlogMessage(void)
{
    const char *message = "(no error)";

    pthread_mutex_lock(&ctx.lock);
    if (ctx.nrecs > 0)
        message = ctx.recs[ctx.nrecs - 1].message;
    pthread_mutex_unlock(&ctx.lock);
    return message;
}

const char *rpmlogRecMessage(rpmlogRec rec)
{
    return rec != NULL ? rec->message : NULL;
}

rpmlogLvl rpmlogRecPriority(rpmlogRec rec)
{
    return rec != NULL ? rec->pri : (rpmlogLvl)-1;
}

void rpmlogPrintByMask(FILE *f, unsigned mask)
{
    FILE *out = f != NULL ? f : stderr;

    pthread_mutex_lock(&ctx.lock);
    for (size_t i = 0; i < ctx.nrecs; i++) {
        if (matches(&ctx.recs[i], mask))
            fprintf(out, "    %s", ctx.recs[i].message);
    }
    pthread_mutex_unlock(&ctx.lock);
}

void rpmlogPrint(FILE *f)
{
    rpmlogPrintByMask(f, 0);
}

void rpmlogClose(void)
{
    pthread_mutex_lock(&ctx.lock);
    for (size_t i = 0; i < ctx.nrecs; i++)
        rfree(ctx.recs[i].message);
    ctx.recs = rfree(ctx.recs);
    ctx.nrecs = 0;
    pthread_mutex_unlock(&ctx.lock);
}

int rpmlogSetMask(int mask)
{
    return mask != 0 ? atomic_exchange(&logMask, mask) : atomic_load(&logMask);
}

rpmlogCallback rpmlogSetCallback(rpmlogCallback cb, rpmlogCallbackData data)
{
    rpmlogCallback previous;

    pthread_mutex_lock(&ctx.lock);
    previous = ctx.callback;
    ctx.callback = cb;
    ctx.data = data;
    pthread_mutex_unlock(&ctx.lock);
    return previous;
}

FILE *rpmlogSetFile(FILE *fp)
{
    FILE *previous;

    pthread_mutex_lock(&ctx.lock);
    previous = ctx.file;
    ctx.file = fp;
    pthread_mutex_unlock(&ctx.lock);
    return previous;
}

const char *rpmlogLevelPrefix(rpmlogLvl pri)
{
    switch (pri) {
    case RPMLOG_EMERG:
    case RPMLOG_ALERT:
    case RPMLOG_CRIT:
        return "fatal error: ";
    case RPMLOG_ERR:
        return "error: ";
    case RPMLOG_WARNING:
        return "warning: ";
    case RPMLOG_DEBUG:
        return "D: ";
    default:
        return "";
    }
}

/* Bytes of a control character at s, 0 for none; UTF-8 has some that take two. */
static int controlLength(const char *s)
{
    unsigned char c = (unsigned char)s[0], next = c == 0xc2 ? (unsigned char)s[1] : 0;

    if (next >= 0x80 && next < 0xa0)
        return 2;
    return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

/* Names out of packages must not give orders to a terminal. */
static char *escapeControls(const char *s)
{
    char *text = rmalloc(4 * strlen(s) + 1);
    char *t = text;

    while (*s != '\0') {
        int n = controlLength(s);

        for (int i = 0; i < n; i++)
            t += sprintf(t, "\\x%02x", (unsigned char)*s++);
        if (n == 0)
            *t++ = *s++;
    }
    *t = '\0';
    return text;
}

/* The stream of a message. A full disk below it is said once for each kind of error. */
static void writeMessage(FILE *file, const struct rpmlogRec_s *rec)
{
    static int lastError; /* under output */
    int plain = rec->pri == RPMLOG_NOTICE || rec->pri == RPMLOG_INFO;
    char *text = plain ? NULL : escapeControls(rec->message);
    int rc;

    if (file == NULL)
        file = plain ? stdout : stderr;
    /* One call, so that what a child writes to the same file does not come in between. */
    rc = fprintf(file, "%s%s", rpmlogLevelPrefix(rec->pri), plain ? rec->message : text);
    rfree(text);
    if (rc >= 0 && fflush(file) != EOF)
        return;
    if (errno != EPIPE && errno != lastError) {
        lastError = errno;
        perror("Error writing to log");
    }
}

static void keep(const struct rpmlogRec_s *rec)
{
    ctx.recs = rreallocn(ctx.recs, ctx.nrecs + 1, sizeof(*ctx.recs));
    ctx.recs[ctx.nrecs] = *rec;
    ctx.recs[ctx.nrecs].message = rstrdup(rec->message);
    ctx.nrecs++;
}

static void dispatch(struct rpmlogRec_s *rec)
{
    rpmlogCallback callback;
    rpmlogCallbackData data;
    FILE *file;

    pthread_mutex_lock(&ctx.lock);
    if (rec->pri <= RPMLOG_WARNING)
        keep(rec);
    callback = ctx.callback;
    data = ctx.data;
    file = ctx.file;
    pthread_mutex_unlock(&ctx.lock);

    pthread_mutex_lock(&output);
    if (callback == NULL || (callback(rec, data) & RPMLOG_DEFAULT))
        writeMessage(file, rec);
    pthread_mutex_unlock(&output);
}

void rpmlog(int code, const char *fmt, ...)
{
    struct rpmlogRec_s rec = { .code = code, .pri = (rpmlogLvl)RPMLOG_PRI(code) };
    int savedErrno = errno;
    va_list ap;

    if (RPMLOG_MASK(rec.pri) & atomic_load(&logMask)) {
        va_start(ap, fmt);
        if (rvasprintf(&rec.message, fmt, ap) >= 0)
            dispatch(&rec);
        va_end(ap);
        rfree(rec.message);
    }
    errno = savedErrno;
}
