/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text that grows at its end. */

#include <string.h>

#include <rpm/rpmutil.h>

#include "textbuf.h"

void textBufAddN(struct textBuf *buf, const char *str, size_t length)
{
    if (buf->length + length >= buf->room) {
        buf->room = (buf->length + length + 64) * 2;
        buf->text = rrealloc(buf->text, buf->room);
    }
    memcpy(buf->text + buf->length, str, length);
    buf->length += length;
    buf->text[buf->length] = '\0';
}

void textBufAdd(struct textBuf *buf, const char *str)
{
    textBufAddN(buf, str, strlen(str));
}

char *textBufTake(struct textBuf *buf)
{
    char *text = buf->text != NULL ? buf->text : rstrdup("");

    *buf = (struct textBuf){ 0 };
    return text;
}
