/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_HEADERFMT_H
#define RPM_HEADERFMT_H

/** @file headerfmt.h
 * Query formats as a tree: headerfmt.c makes it, headerfmt_run.c fills it.
 */

#include <stdbool.h>

#include "header_internal.h"

/** The tag `*`: each tag of the header in turn. */
#define FMT_ANY_TAG (-2)

/** Kinds of nodes. */
enum fmtKind {
    FMT_TEXT,  /**< text */
    FMT_TAG,   /**< %{tag} */
    FMT_ARRAY, /**< [body], once for each element */
    FMT_COND   /**< %|tag?{body}:{otherwise}| */
};

/** A part of a format. */
struct fmtNode {
    enum fmtKind kind;
    struct fmtNode *next;
    char *text;                /**< FMT_TEXT */
    rpmTagVal tag;             /**< FMT_TAG, FMT_COND; RPMTAG_NOT_FOUND is in no header */
    headerFmt how;             /**< FMT_TAG */
    bool xml;                  /**< FMT_TAG: how is XML */
    bool justOne;              /**< FMT_TAG: the first element always */
    int width;                 /**< FMT_TAG: columns, negative for the left; 0 for none */
    struct fmtNode *body;      /**< FMT_ARRAY, FMT_COND */
    struct fmtNode *otherwise; /**< FMT_COND, may be NULL */
};

/** Bytes of an error text. */
#define FMT_ERROR_SIZE 256

/** Parse a format.
 * @param[out] nodes  the tree, for fmtFree(); NULL for an empty format
 * @param[out] err    FMT_ERROR_SIZE bytes for what is wrong
 * @return            false on error
 */
bool fmtParse(const char *fmt, struct fmtNode **nodes, char *err);

/** Free a tree. */
void fmtFree(struct fmtNode *nodes);

#endif /* RPM_HEADERFMT_H */
