/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small things that the test programs share. They end the program when something fails: a test
 * that cannot be set up has nothing to say. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdnoreturn.h>

/** A growing run of bytes; data is NULL as long as it is empty. */
struct bytes {
    unsigned char *data;
    size_t len;
    size_t room;
};

/** Prints "mkpkg: " and the message, and exits with status 2. */
noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void *xcalloc(size_t num, size_t size);
char *xstrdup(const char *s);
void *xgrow(void *array, size_t num, size_t size);

void bytesAdd(struct bytes *b, const void *data, size_t len);
void bytesZero(struct bytes *b, size_t len);
/** Adds zeros up to a multiple of align. */
void bytesAlign(struct bytes *b, size_t align);
void bytesFree(struct bytes *b);

/** Big-endian numbers, as rpm's headers have them. */
void putBE16(unsigned char *p, uint16_t v);
void putBE32(unsigned char *p, uint32_t v);
void putBE64(unsigned char *p, uint64_t v);

#endif
