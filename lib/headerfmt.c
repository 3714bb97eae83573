/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parser of query formats. */

#include <stdio.h>
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmstring.h>

#include "headerfmt.h"
#include "textbuf.h"

/* How deep formats may nest, and how wide a field may be: far beyond use, well below harm. */
#define DEPTH_MAX 50
#define WIDTH_MAX (1 << 20)

struct parser {
    const char *p; /* what is left */
    int depth;
    char *err;
};

static bool parseNodes(struct parser *ps, char end, struct fmtNode **nodes);

static bool failWith(struct parser *ps, const char *why)
{
    snprintf(ps->err, FMT_ERROR_SIZE, "%s", why);
    return false;
}

void fmtFree(struct fmtNode *nodes)
{
    while (nodes != NULL) {
        struct fmtNode *next = nodes->next;

        free(nodes->text);
        fmtFree(nodes->body);
        fmtFree(nodes->otherwise);
        free(nodes);
        nodes = next;
    }
}

static char unescape(char c)
{
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    const char *at = strchr(from, c);

    return at != NULL && c != '\0' ? to[at - from] : c;
}

/* Everything up to what begins or ends something else. */
static bool parseText(struct parser *ps, struct fmtNode *node)
{
    struct textBuf text = { 0 };

    node->kind = FMT_TEXT;
    while (*ps->p != '\0' && strchr("[]}", *ps->p) == NULL) {
        char c = *ps->p;

        if (c == '%') {
            if (ps->p[1] != '%')
                break;
            ps->p++;
        } else if (c == '\\') {
            c = *++ps->p;
            if (c == '\0') {
                free(text.text);
                return failWith(ps, "escaped char expected after \\");
            }
            c = unescape(c);
        }
        textBufAddN(&text, &c, 1);
        ps->p++;
    }
    node->text = textBufTake(&text);
    return true;
}

static rpmTagVal findTag(const char *name)
{
    static const char prefix[] = "RPMTAG_";

    if (rstreq(name, "*"))
        return FMT_ANY_TAG;
    if (rstreqn(name, prefix, sizeof(prefix) - 1))
        name += sizeof(prefix) - 1;
    return rpmTagGetValue(name);
}

/* The width between % and {. */
static bool parseWidth(struct parser *ps, int *width)
{
    size_t length = strcspn(ps->p, "{%");
    size_t dashes = strspn(ps->p, "-");

    if (strspn(ps->p, "-0123456789") < length)
        return failWith(ps, "invalid field width");
    if (ps->p[length] != '{')
        return failWith(ps, "missing { after %");
    *width = 0;
    for (size_t i = dashes; i < length; i++) {
        if (!risdigit(ps->p[i]) || *width > WIDTH_MAX)
            return failWith(ps, "invalid field width");
        *width = *width * 10 + (ps->p[i] - '0');
    }
    if (*width > WIDTH_MAX)
        return failWith(ps, "invalid field width");
    if (dashes > 0)
        *width = -*width;
    ps->p += length + 1;
    return true;
}

/* "NAME" or "NAME:how", which is cut in two. */
static bool setTag(struct parser *ps, struct fmtNode *node, char *name, const char *how)
{
    char *colon = strchr(name, ':');

    if (colon != NULL) {
        *colon = '\0';
        how = colon + 1;
        if (*how == '\0')
            return failWith(ps, "empty tag format");
    }
    if (*name == '\0')
        return failWith(ps, "empty tag name");
    node->tag = findTag(name);
    node->how = rpmHeaderFormatByName(how);
    node->xml = rstreq(how, "xml");
    if (node->tag == RPMTAG_NOT_FOUND || node->how == NULL) {
        snprintf(ps->err, FMT_ERROR_SIZE, "unknown tag: \"%s\"", name);
        return false;
    }
    return true;
}

/* What follows the % of %5{=NAME:how}. */
static bool parseTag(struct parser *ps, struct fmtNode *node)
{
    const char *how = "string", *end;
    char *name;
    bool ok;

    node->kind = FMT_TAG;
    if (!parseWidth(ps, &node->width))
        return false;
    if (*ps->p == '=' || *ps->p == '#') {
        node->justOne = true;
        if (*ps->p++ == '#')
            how = "arraysize";
    }
    end = strchr(ps->p, '}');
    if (end == NULL)
        return failWith(ps, "missing } after %{");
    name = rstrndup(ps->p, (size_t)(end - ps->p));
    ok = setTag(ps, node, name, how);
    free(name);
    ps->p = end + 1;
    return ok;
}

/* A {body}, of which something must follow. */
static bool parseBranch(struct parser *ps, const char *missing, struct fmtNode **nodes)
{
    if (*ps->p != '{')
        return failWith(ps, missing);
    ps->p++;
    if (!parseNodes(ps, '}', nodes))
        return false;
    if (*ps->p != '}' || ps->p[1] == '\0')
        return failWith(ps, "} expected in expression");
    ps->p++;
    return true;
}

/* What follows the %| of %|NAME?{..}:{..}|. */
static bool parseCondition(struct parser *ps, struct fmtNode *node)
{
    const char *question = strchr(ps->p, '?');
    char *name;

    node->kind = FMT_COND;
    if (question == NULL)
        return failWith(ps, "? expected in expression");
    name = rstrndup(ps->p, (size_t)(question - ps->p));
    node->tag = findTag(name);
    free(name);
    ps->p = question + 1;
    if (!parseBranch(ps, "{ expected after ? in expression", &node->body))
        return false;
    if (*ps->p != ':' && *ps->p != '|')
        return failWith(ps, ": expected following ? subexpression");
    if (*ps->p == ':') {
        ps->p++;
        if (!parseBranch(ps, "{ expected after : in expression", &node->otherwise))
            return false;
        if (*ps->p != '|')
            return failWith(ps, "| expected at end of expression");
    }
    ps->p++;
    return true;
}

static bool parseArray(struct parser *ps, struct fmtNode *node)
{
    node->kind = FMT_ARRAY;
    if (!parseNodes(ps, ']', &node->body))
        return false;
    if (*ps->p != ']')
        return failWith(ps, "] expected at end of array");
    ps->p++;
    return true;
}

static bool parseNode(struct parser *ps, struct fmtNode *node)
{
    if (*ps->p == '%' && ps->p[1] == '|') {
        ps->p += 2;
        return parseCondition(ps, node);
    }
    if (*ps->p == '%' && ps->p[1] != '%') {
        ps->p++;
        return parseTag(ps, node);
    }
    if (*ps->p == '[') {
        ps->p++;
        return parseArray(ps, node);
    }
    return parseText(ps, node);
}

/* Nodes up to the end of the format, or to the character that ends them, which is left. */
static bool parseNodes(struct parser *ps, char end, struct fmtNode **nodes)
{
    bool ok = true;

    if (++ps->depth > DEPTH_MAX)
        ok = failWith(ps, "too deeply nested");
    while (ok && *ps->p != '\0' && *ps->p != end) {
        if (*ps->p == ']' || *ps->p == '}') {
            ok = failWith(ps, *ps->p == ']' ? "unexpected ]" : "unexpected }");
            break;
        }
        *nodes = rcalloc(1, sizeof(**nodes));
        ok = parseNode(ps, *nodes);
        nodes = &(*nodes)->next;
    }
    ps->depth--;
    return ok;
}

bool fmtParse(const char *fmt, struct fmtNode **nodes, char *err)
{
    struct parser ps = { .p = fmt, .err = err };

    *nodes = NULL;
    if (parseNodes(&ps, '\0', nodes))
        return true;
    fmtFree(*nodes);
    *nodes = NULL;
    return false;
}
