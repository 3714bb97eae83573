/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_TEXTBUF_H
#define RPM_TEXTBUF_H

/** @file textbuf.h
 * Text that grows at its end, in time proportional to its length.
 */

#include <stddef.h>

/** Text; all zeros is an empty one. */
struct textBuf {
    char *text;    /**< terminated; NULL while nothing was added */
    size_t length; /**< without the terminator */
    size_t room;
};

/** Add length bytes. */
void textBufAddN(struct textBuf *buf, const char *str, size_t length);

/** Add a string. */
void textBufAdd(struct textBuf *buf, const char *str);

/** Take the text out, "" if nothing was added: the caller's to free(). */
char *textBufTake(struct textBuf *buf);

#endif /* RPM_TEXTBUF_H */
