/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Query formats filled from headers. */

#include <stdio.h>
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmstring.h>

#include "headerfmt.h"
#include "textbuf.h"

/* A filling: the header, what was fetched of it, and the text so far. */
struct filling {
    Header h;
    headerGetFlags how;
    struct rpmtd_s *fetched; /* each tag is computed once; an empty container is none */
    size_t count;
    struct textBuf out;
    const char *err;
};

/* The data of a tag, NULL if there is none. Dead once another tag is fetched. */
static rpmtd fetch(struct filling *f, rpmTagVal tag)
{
    rpmtd td = NULL;

    for (size_t i = 0; i < f->count && td == NULL; i++) {
        if (f->fetched[i].tag == tag)
            td = &f->fetched[i];
    }
    if (td == NULL) {
        f->fetched = rrealloc(f->fetched, (f->count + 1) * sizeof(*f->fetched));
        td = &f->fetched[f->count++];
        if (!headerGet(f->h, tag, td, f->how)) {
            rpmtdFreeData(td);
            td->tag = tag;
        }
    }
    return td->data != NULL ? td : NULL;
}

static void forget(struct filling *f)
{
    for (size_t i = 0; i < f->count; i++)
        rpmtdFreeData(&f->fetched[i]);
    f->count = 0;
}

/* Add a value, padded with spaces to the width. */
static void addPadded(struct textBuf *out, const char *val, int width)
{
    size_t length = strlen(val);
    size_t columns = (size_t)(width < 0 ? -width : width);

    if (width < 0)
        textBufAddN(out, val, length);
    for (size_t i = length; i < columns; i++)
        textBufAddN(out, " ", 1);
    if (width >= 0)
        textBufAddN(out, val, length);
}

static void fillTag(struct filling *f, const struct fmtNode *node, rpm_count_t element)
{
    rpmtd td = fetch(f, node->tag);
    char *val;

    if (node->justOne)
        element = 0;
    if (td == NULL || td->count <= element) {
        addPadded(&f->out, "(none)", node->width);
        return;
    }
    td->ix = (int)element;
    val = rpmHeaderFormatCall(node->how, td);
    addPadded(&f->out, val, node->width);
    free(val);
}

static bool fillNodes(struct filling *f, const struct fmtNode *nodes, rpm_count_t element);

/* How often to go round: as many elements as the tags have, which must be equally many. */
static bool countElements(struct filling *f, const struct fmtNode *nodes, rpm_count_t *count)
{
    *count = 0;
    for (; nodes != NULL; nodes = nodes->next) {
        rpmtd td = NULL;

        if (nodes->kind == FMT_TAG && !nodes->justOne)
            td = fetch(f, nodes->tag);
        if (td == NULL)
            continue;
        if (*count > 0 && rpmtdCount(td) != *count) {
            f->err = "array iterator used with different sized arrays";
            return false;
        }
        *count = rpmtdCount(td);
    }
    return true;
}

static bool fillArray(struct filling *f, const struct fmtNode *node)
{
    bool xml = node->body != NULL && node->body->kind == FMT_TAG && node->body->xml;
    rpm_count_t count;

    if (!countElements(f, node->body, &count))
        return false;
    if (count == 0)
        return true;
    if (xml) {
        textBufAdd(&f->out, "  <rpmTag name=\"");
        textBufAdd(&f->out, rpmTagGetName(node->body->tag));
        textBufAdd(&f->out, "\">\n");
    }
    for (rpm_count_t i = 0; i < count; i++) {
        if (!fillNodes(f, node->body, i))
            return false;
    }
    if (xml)
        textBufAdd(&f->out, "  </rpmTag>\n");
    return true;
}

static bool fillNode(struct filling *f, const struct fmtNode *node, rpm_count_t element)
{
    switch (node->kind) {
    case FMT_TEXT:
        textBufAdd(&f->out, node->text);
        return true;
    case FMT_TAG:
        fillTag(f, node, element);
        return true;
    case FMT_ARRAY:
        return fillArray(f, node);
    default:
        if (fetch(f, node->tag) != NULL || headerIsEntry(f->h, node->tag))
            return fillNodes(f, node->body, element);
        return fillNodes(f, node->otherwise, element);
    }
}

static bool fillNodes(struct filling *f, const struct fmtNode *nodes, rpm_count_t element)
{
    for (; nodes != NULL; nodes = nodes->next) {
        if (!fillNode(f, nodes, element))
            return false;
    }
    return true;
}

/* The * that a format begins with, in an array or not; NULL if it does not. */
static struct fmtNode *anyTag(struct fmtNode *nodes)
{
    struct fmtNode *first = nodes;

    if (first != NULL && first->kind == FMT_ARRAY)
        first = first->body;
    return first != NULL && first->kind == FMT_TAG && first->tag == FMT_ANY_TAG ? first : NULL;
}

/* Fill the first node once for each tag of the header, all languages of it. */
static bool fillAnyTag(struct filling *f, const struct fmtNode *nodes, struct fmtNode *any)
{
    HeaderIterator hi = headerInitIterator(f->h);
    bool ok = true;

    f->how = HEADERGET_RAW;
    if (any->xml)
        textBufAdd(&f->out, "<rpmHeader>\n");
    while (ok && (any->tag = headerNextTag(hi)) != RPMTAG_NOT_FOUND) {
        ok = fillNode(f, nodes, 0);
        forget(f);
    }
    if (any->xml)
        textBufAdd(&f->out, "</rpmHeader>\n");
    headerFreeIterator(hi);
    return ok;
}

char *headerFormat(Header h, const char *fmt, errmsg_t *errmsg)
{
    static _Thread_local char err[FMT_ERROR_SIZE];
    struct filling f = { .h = h, .how = HEADERGET_EXT };
    struct fmtNode *nodes = NULL, *any;
    char *text = NULL;
    bool ok;

    if (fmtParse(fmt, &nodes, err)) {
        any = anyTag(nodes);
        ok = any != NULL ? fillAnyTag(&f, nodes, any) : fillNodes(&f, nodes, 0);
        text = textBufTake(&f.out);
        if (!ok)
            text = rfree(text);
        forget(&f);
        free(f.fetched);
        fmtFree(nodes);
    } else {
        f.err = err;
    }
    if (errmsg != NULL)
        *errmsg = f.err;
    return text;
}
