/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

void die(const char *fmt, ...)
{
    va_list ap;

    fputs("mkpkg: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(2);
}

void *xcalloc(size_t num, size_t size)
{
    void *ptr = calloc(num > 0 ? num : 1, size);

    if (ptr == NULL)
        die("out of memory");
    return ptr;
}

char *xstrdup(const char *s)
{
    return strcpy(xcalloc(strlen(s) + 1, 1), s);
}

/* Room for one more than num elements; doubled at powers of two, so most calls are free. */
void *xgrow(void *array, size_t num, size_t size)
{
    if ((num & (num - 1)) != 0)
        return array;
    array = realloc(array, (num > 0 ? num * 2 : 1) * size);
    if (array == NULL)
        die("out of memory");
    return array;
}

static void bytesReserve(struct bytes *b, size_t len)
{
    if (b->room - b->len >= len)
        return;
    b->room = (b->room + len) * 2;
    b->data = realloc(b->data, b->room);
    if (b->data == NULL)
        die("out of memory");
}

void bytesAdd(struct bytes *b, const void *data, size_t len)
{
    if (len == 0)
        return;
    bytesReserve(b, len);
    memcpy(b->data + b->len, data, len);
    b->len += len;
}

void bytesZero(struct bytes *b, size_t len)
{
    if (len == 0)
        return;
    bytesReserve(b, len);
    memset(b->data + b->len, 0, len);
    b->len += len;
}

void bytesAlign(struct bytes *b, size_t align)
{
    bytesZero(b, (align - b->len % align) % align);
}

void bytesFree(struct bytes *b)
{
    free(b->data);
    memset(b, 0, sizeof(*b));
}

void putBE16(unsigned char *p, uint16_t v)
{
    p[0] = (unsigned char)(v >> 8);
    p[1] = (unsigned char)v;
}

void putBE32(unsigned char *p, uint32_t v)
{
    putBE16(p, (uint16_t)(v >> 16));
    putBE16(p + 2, (uint16_t)v);
}

void putBE64(unsigned char *p, uint64_t v)
{
    putBE32(p, (uint32_t)(v >> 32));
    putBE32(p + 4, (uint32_t)v);
}
