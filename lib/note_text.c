/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The note of a transaction in flight: its text. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "note_text.h"
#include "textbuf.h"

#define FIRST_LINE "rpm transaction note 1\n"

/* Room for one more: it doubles at each power of two. */
static void *grow(void *array, int n, size_t size)
{
    if ((n & (n - 1)) != 0)
        return array;
    return rreallocn(array, n > 0 ? 2 * (size_t) n : 1, size);
}

static void addString(char ***array, int *n, char *s)
{
    *array = grow(*array, *n, sizeof(**array));
    (*array)[(*n)++] = s;
}

void noteTextAddPackage(struct noteText *note, const char *nevra)
{
    addString(&note->added, &note->nadded, rstrdup(nevra));
}

void noteTextAddErasure(struct noteText *note, const struct noteErasure *erasure)
{
    note->erased = grow(note->erased, note->nerased, sizeof(*note->erased));
    note->erased[note->nerased] = *erasure;
    note->erased[note->nerased++].nevra = rstrdup(erasure->nevra);
}

void noteTextAddDir(struct noteText *note, const char *dn)
{
    addString(&note->dirs, &note->ndirs, rstrdup(dn));
}

static void freeStrings(char **array, int n)
{
    for (int i = 0; i < n; i++)
        rfree(array[i]);
    rfree(array);
}

void noteTextFini(struct noteText *note)
{
    freeStrings(note->added, note->nadded);
    freeStrings(note->dirs, note->ndirs);
    for (int i = 0; i < note->nerased; i++)
        rfree(note->erased[i].nevra);
    rfree(note->erased);
    *note = (struct noteText) { 0 };
}

/* -- writing ----------------------------------------------------------------------------------- */

static void putName(struct textBuf *buf, const char *name)
{
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char) *name;
        char escaped[5];

        if (c > ' ' && c != '\\' && c != 0x7f) {
            textBufAddN(buf, name, 1);
        } else {
            snprintf(escaped, sizeof(escaped), "\\%03o", c);
            textBufAdd(buf, escaped);
        }
    }
    textBufAdd(buf, "\n");
}

static void putNames(struct textBuf *buf, const char *word, char *const *names, int n)
{
    for (int i = 0; i < n; i++) {
        textBufAdd(buf, word);
        putName(buf, names[i]);
    }
}

static void putErasure(struct textBuf *buf, const struct noteErasure *e)
{
    char line[64];

    snprintf(line, sizeof(line), "erase %u %u %d ", e->num, (unsigned) e->tid, e->by);
    textBufAdd(buf, line);
    putName(buf, e->nevra);
}

static char *sumOf(const char *text, size_t length)
{
    DIGEST_CTX ctx = rpmDigestInit(RPM_HASH_SHA256, RPMDIGEST_NONE);
    void *sum = NULL;

    rpmDigestUpdate(ctx, text, length);
    rpmDigestFinal(ctx, &sum, NULL, 1);
    return sum;
}

static void putSum(struct textBuf *buf)
{
    char *sum = sumOf(buf->text, buf->length);

    textBufAdd(buf, "sum ");
    textBufAdd(buf, sum);
    textBufAdd(buf, "\n");
    free(sum);
}

static void putBegun(struct textBuf *buf, const struct noteText *note)
{
    for (int i = 0; i < note->nerased; i++) {
        if (note->erased[i].by == 0)
            textBufAdd(buf, note->erased[i].begun ? "+" : ".");
    }
    textBufAdd(buf, "\n");
}

char *noteTextWrite(const struct noteText *note, size_t *length, size_t *begun)
{
    struct textBuf buf = { 0 };
    char line[64];

    textBufAdd(&buf, FIRST_LINE);
    snprintf(line, sizeof(line), "tid %u\nflags %u\n", (unsigned) note->tid,
             (unsigned) note->flags);
    textBufAdd(&buf, line);
    putNames(&buf, "add ", note->added, note->nadded);
    for (int i = 0; i < note->nerased; i++)
        putErasure(&buf, &note->erased[i]);
    putNames(&buf, "dir ", note->dirs, note->ndirs);
    putSum(&buf);
    textBufAdd(&buf, "begun ");
    *begun = buf.length;
    putBegun(&buf, note);
    *length = buf.length;
    return textBufTake(&buf);
}

/* -- reading ----------------------------------------------------------------------------------- */

/* What is left to read: whole lines, as the sum says. */
struct reader {
    char *at;
    int bad;
};

/* The next line, if it begins with a word: what comes after that, terminated. */
static char *takeLine(struct reader *r, const char *word)
{
    char *line = r->at;
    size_t skip = strlen(word);
    char *end;

    if (!rstreqn(line, word, skip) || (end = strchr(line, '\n')) == NULL)
        return NULL;
    *end = '\0';
    r->at = end + 1;
    return line + skip;
}

static unsigned long takeNumber(struct reader *r, char **s, unsigned long max)
{
    char *end = *s;
    unsigned long n = 0;

    if (**s >= '0' && **s <= '9')
        n = strtoul(*s, &end, 10);
    if (end == *s || n > max || (*end != '\0' && *end != ' '))
        r->bad = 1;
    *s = *end == ' ' ? end + 1 : end;
    return n;
}

static int octal(const char *s)
{
    int n = 0;

    for (int i = 0; i < 3; i++) {
        if (s[i] < '0' || s[i] > '7')
            return 0;
        n = 8 * n + (s[i] - '0');
    }
    return n <= 0xff ? n : 0;
}

/* In place; the name that is left, which is not empty. */
static char *unescape(struct reader *r, char *name)
{
    char *to = name;

    for (const char *from = name; *from != '\0' && !r->bad; from++) {
        int c = (unsigned char) *from;

        if (c == '\\') {
            c = octal(from + 1);
            from += c != 0 ? 3 : 0;
        }
        r->bad = c == 0;
        *to++ = (char) c;
    }
    *to = '\0';
    if (to == name)
        r->bad = 1;
    return name;
}

static void readErasures(struct reader *r, struct noteText *note)
{
    char *s;

    while (!r->bad && (s = takeLine(r, "erase ")) != NULL) {
        struct noteErasure e = { 0 };

        e.num = (unsigned) takeNumber(r, &s, INT32_MAX);
        e.tid = (rpm_tid_t) takeNumber(r, &s, UINT32_MAX);
        e.by = (int) takeNumber(r, &s, (unsigned long) note->nadded);
        e.nevra = unescape(r, s);
        noteTextAddErasure(note, &e);
    }
}

static void readLines(struct reader *r, struct noteText *note)
{
    char *s = takeLine(r, "tid ");

    if (s != NULL)
        note->tid = (rpm_tid_t) takeNumber(r, &s, UINT32_MAX);
    r->bad |= s == NULL;
    s = takeLine(r, "flags ");
    if (s != NULL)
        note->flags = (rpmtransFlags) takeNumber(r, &s, UINT32_MAX);
    r->bad |= s == NULL;
    while (!r->bad && (s = takeLine(r, "add ")) != NULL)
        noteTextAddPackage(note, unescape(r, s));
    readErasures(r, note);
    while (!r->bad && (s = takeLine(r, "dir ")) != NULL)
        noteTextAddDir(note, unescape(r, s));
}

static void readBegun(struct reader *r, struct noteText *note)
{
    const char *s = takeLine(r, "begun ");

    for (int i = 0; i < note->nerased && s != NULL; i++) {
        if (note->erased[i].by != 0)
            continue;
        if (*s != '.' && *s != '+')
            r->bad = 1;
        else
            note->erased[i].begun = *s++ == '+';
    }
    if (s == NULL || *s != '\0' || *r->at != '\0')
        r->bad = 1;
}

/* The copy is taken to pieces, the text is what the sum is of. */
static void readAll(struct reader *r, struct noteText *note, const char *copy, const char *text)
{
    char *sum, *said;

    readLines(r, note);
    sum = sumOf(text, (size_t) (r->at - copy));
    said = r->bad ? NULL : takeLine(r, "sum ");
    r->bad |= said == NULL || !rstreq(said, sum);
    free(sum);
    if (!r->bad)
        readBegun(r, note);
}

/* A disk that lost power may have given the file its length, and nothing else. */
static int isBeginning(const char *text, size_t length)
{
    size_t n = length < strlen(FIRST_LINE) ? length : strlen(FIRST_LINE);

    return memcmp(text, FIRST_LINE, n) == 0 || text[0] == '\0';
}

enum noteKind noteTextRead(const char *text, size_t length, struct noteText *note)
{
    struct reader r = { .bad = memchr(text, '\0', length) != NULL };
    char *copy;

    *note = (struct noteText) { 0 };
    if (!isBeginning(text, length))
        return NOTE_ALIEN;
    if (r.bad || length <= strlen(FIRST_LINE))
        return NOTE_TORN;
    copy = rstrdup(text);
    r.at = copy + strlen(FIRST_LINE);
    readAll(&r, note, copy, text);
    rfree(copy);
    if (!r.bad)
        return NOTE_WHOLE;
    noteTextFini(note);
    return NOTE_TORN;
}
