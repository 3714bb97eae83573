/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that never comes back NULL. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmutil.h>

static void *orDie(void *ptr, size_t size)
{
    if (ptr == NULL) {
        fprintf(stderr, "memory alloc (%zu bytes) returned NULL.\n", size);
        exit(EXIT_FAILURE);
    }
    return ptr;
}

void *rmalloc(size_t size)
{
    if (size == 0)
        size = 1;
    return orDie(malloc(size), size);
}

void *rcalloc(size_t nmemb, size_t size)
{
    if (nmemb == 0 || size == 0)
        nmemb = size = 1;
    return orDie(calloc(nmemb, size), nmemb * size);
}

void *rrealloc(void *ptr, size_t size)
{
    if (size == 0)
        size = 1;
    return orDie(realloc(ptr, size), size);
}

void *rreallocn(void *ptr, size_t nmemb, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(nmemb, size, &bytes))
        return orDie(NULL, SIZE_MAX);
    return rrealloc(ptr, bytes);
}

char *rstrdup(const char *str)
{
    size_t size = strlen(str) + 1;

    return memcpy(rmalloc(size), str, size);
}

char *rstrndup(const char *str, size_t n)
{
    size_t len = strnlen(str, n);
    char *copy = rmalloc(len + 1);

    memcpy(copy, str, len);
    copy[len] = '\0';
    return copy;
}

void *rfree(void *ptr)
{
    free(ptr);
    return NULL;
}
