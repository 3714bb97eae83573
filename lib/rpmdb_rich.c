/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names in a rich dependency, like "(a or (b >= 1 if c))": a package must be found by each of
 * them when its dependencies may have changed. */

#include <string.h>

#include <rpm/argv.h>
#include <rpm/rpmstring.h>

#include "rpmdb_sql.h"

#define DEPTH_MAX 100

enum op { OP_NONE, OP_AND, OP_OR, OP_IF, OP_UNLESS, OP_ELSE, OP_WITH, OP_WITHOUT, OP_BAD };

struct rich {
    const char *p;
    ARGV_t names; /* each behind a blank, or a ! where its absence matters */
    bool negated;
    int depth;
};

static bool isBlank(char c)
{
    return risspace(c) || c == ',';
}

static void skipBlanks(struct rich *r)
{
    while (isBlank(*r->p))
        r->p++;
}

/* A word ends at a blank, or at a parenthesis that is not its own. */
static size_t skipWord(struct rich *r)
{
    const char *start = r->p;
    int open = 0;

    for (; *r->p != '\0' && !isBlank(*r->p); r->p++) {
        if (*r->p == ')' && open-- <= 0)
            break;
        if (*r->p == '(')
            open++;
    }
    return (size_t)(r->p - start);
}

static bool isComparison(const char *p, size_t len)
{
    static const char *const ops[] = { "<", "<=", "=<", "==", "=", ">=", "=>", ">" };

    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
        if (len == strlen(ops[i]) && rstreqn(p, ops[i], len))
            return true;
    }
    return false;
}

static void addName(struct rich *r, const char *name, size_t len)
{
    char *entry;

    if (len > 7 && rstreqn(name, "rpmlib(", 7))
        return;
    entry = rmalloc(len + 2);
    entry[0] = r->negated ? '!' : ' ';
    memcpy(entry + 1, name, len);
    entry[len + 1] = '\0';
    argvAdd(&r->names, entry);
    rfree(entry);
}

/* "else" wants the opposite of what "if" said of the condition, too. */
static void repeatNegated(struct rich *r, int from)
{
    int n = argvCount(r->names);

    for (int i = from; i < n; i++) {
        char *entry = rstrdup(r->names[i]);
        entry[0] = entry[0] == '!' ? ' ' : '!';
        argvAdd(&r->names, entry);
        rfree(entry);
    }
}

static bool parseSimple(struct rich *r)
{
    const char *name = r->p, *word;
    size_t len = skipWord(r), wordlen;

    if (len == 0)
        return false;
    skipBlanks(r);
    word = r->p;
    wordlen = skipWord(r);
    if (isComparison(word, wordlen)) {
        skipBlanks(r);
        if (skipWord(r) == 0)
            return false;
    } else {
        r->p = word;
    }
    addName(r, name, len);
    return true;
}

static enum op parseOp(struct rich *r)
{
    static const char *const words[] = { NULL, "and", "or", "if", "unless", "else", "with",
        "without" };
    size_t len = strcspn(r->p, " \t\n\v\f\r)");

    for (int op = OP_AND; op < OP_BAD; op++) {
        if (len == strlen(words[op]) && rstreqn(r->p, words[op], len)) {
            r->p += len;
            return op;
        }
    }
    return OP_BAD;
}

/* After an operator another must be the same, and one that chains. */
static bool mayFollow(enum op chain, enum op op)
{
    if (op == OP_ELSE && (chain == OP_IF || chain == OP_UNLESS))
        return true;
    return chain == OP_NONE ||
        (op == chain && (op == OP_AND || op == OP_OR || op == OP_WITH));
}

static bool isWith(enum op op)
{
    return op == OP_WITH || op == OP_WITHOUT;
}

static bool turnsAround(enum op op)
{
    return op == OP_IF || op == OP_UNLESS;
}

static void applyOp(struct rich *r, enum op op, int *mark)
{
    if (turnsAround(op)) {
        *mark = argvCount(r->names);
        r->negated = !r->negated;
    } else if (op == OP_ELSE) {
        repeatNegated(r, *mark);
        r->negated = !r->negated;
    }
}

/* *plain: what "with" can be applied to. */
static bool parseRich(struct rich *r, bool *plain)
{
    enum op first = OP_NONE, op = OP_NONE, next;
    int mark = argvCount(r->names);
    bool inner = true;

    if (*r->p++ != '(' || ++r->depth > DEPTH_MAX)
        return false;
    for (;;) {
        skipBlanks(r);
        if (*r->p == ')' || !(*r->p == '(' ? parseRich(r, &inner) : parseSimple(r)))
            return false;
        skipBlanks(r);
        if (*r->p == ')')
            break;
        next = parseOp(r);
        if (next == OP_BAD || !mayFollow(op, next))
            return false;
        if (first == OP_NONE)
            first = next;
        op = next;
        applyOp(r, op, &mark);
    }
    r->p++;
    r->depth--;
    if (isWith(first) && !inner)
        return false;
    if (!inner || (op != OP_NONE && op != OP_OR && !isWith(op)))
        *plain = false;
    if (turnsAround(op))
        r->negated = !r->negated;
    return true;
}

/* Sort, drop what is there twice, and the blanks. */
static void tidy(ARGV_t names)
{
    int n = argvCount(names), kept = 0;

    argvSort(names, NULL);
    for (int i = 0; i < n; i++) {
        if (kept > 0 && rstreq(names[i], names[kept - 1]))
            rfree(names[i]);
        else
            names[kept++] = names[i];
    }
    for (int i = 0; i < kept; i++) {
        if (names[i][0] == ' ')
            memmove(names[i], names[i] + 1, strlen(names[i]));
    }
    if (n > 0)
        names[kept] = NULL;
}

char **rpmdbRichNames(const char *dep)
{
    struct rich r = { .p = dep, .names = argvNew() };
    bool plain = true;

    if (!parseRich(&r, &plain)) {
        argvFree(r.names);
        return NULL;
    }
    tidy(r.names);
    return r.names;
}
