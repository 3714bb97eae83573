/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_TESTCPIO_H
#define TESTS_TESTCPIO_H

/* cpio archives in memory, right and wrong, for the tests of what reads them. */

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <rpm/rpmutil.h>

struct testcpio {
    unsigned char *data;
    size_t size;
};

static void archiveAdd(struct testcpio *a, const void *data, size_t n)
{
    a->data = rrealloc(a->data, a->size + n);
    memcpy(a->data + a->size, data, n);
    a->size += n;
}

static void archivePad(struct testcpio *a)
{
    archiveAdd(a, "\0\0\0", (4 - a->size % 4) % 4);
}

/* A newc header with everything free to be wrong; the fields that nobody reads are 0. */
static void archiveHeader(struct testcpio *a, const char *magic, uint32_t size, uint32_t namesize,
                          const void *name, size_t namebytes)
{
    char header[128];

    snprintf(header, sizeof(header), "%s%048x%08x%032x%08x%08x", magic, 0, size, 0, namesize, 0);
    archiveAdd(a, header, strlen(header));
    archiveAdd(a, name, namebytes);
    archivePad(a);
}

static void archiveEntry(struct testcpio *a, const char *name, const void *content, size_t size)
{
    archiveHeader(a, "070701", (uint32_t)size, (uint32_t)strlen(name) + 1, name,
                  strlen(name) + 1);
    archiveAdd(a, content, size);
    archivePad(a);
}

static void archiveStripped(struct testcpio *a, uint32_t fx, const void *content, size_t size)
{
    char header[16];

    snprintf(header, sizeof(header), "07070X%08x", fx);
    archiveAdd(a, header, 14);
    archivePad(a);
    archiveAdd(a, content, size);
    archivePad(a);
}

static void archiveEnd(struct testcpio *a)
{
    archiveEntry(a, "TRAILER!!!", "", 0);
}

static void archiveFree(struct testcpio *a)
{
    a->data = rfree(a->data);
    a->size = 0;
}

#endif /* TESTS_TESTCPIO_H */
