/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading cpio archives, newc and stripped. Nothing in an entry is trusted here or resolved: what
 * its name and number mean is for the payload reader. */

#include <string.h>

#include <rpm/rpmarchive.h>
#include <rpm/rpmstring.h>

#include "cpio.h"

enum {
    MAGIC_SIZE = 6,
    FIELD_SIZE = 8,    /* hexadecimal digits */
    NEWC_FIELDS = 13,  /* inode mode uid gid nlink mtime SIZE dev:2 rdev:2 NAMESIZE checksum */
    NEWC_SIZE = 6,
    NEWC_NAMESIZE = 11
};

void rpmcpioInit(rpmcpio_t cpio, rpmRing ring)
{
    cpio->ring = ring;
    cpio->offset = 0;
    cpio->left = 0;
    cpio->stripped = 0;
    cpio->fx = 0;
    cpio->size = 0;
    cpio->name[0] = '\0';
    cpio->why = NULL;
}

static int bad(rpmcpio_t cpio, int rc, const char *why)
{
    cpio->why = why;
    return rc;
}

/* What a short read means: an error of the stream, or a stream that ends too early. */
static int shortRead(rpmcpio_t cpio, ssize_t n)
{
    return bad(cpio, RPMERR_READ_FAILED, n < 0 ? NULL : "unexpected end of archive");
}

static int readBytes(rpmcpio_t cpio, void *buf, size_t n)
{
    ssize_t got = rpmRingRead(cpio->ring, buf, n);

    if (got > 0)
        cpio->offset += (uint64_t)got;
    return (got < 0 || (size_t)got != n) ? shortRead(cpio, got) : 0;
}

static int align(rpmcpio_t cpio)
{
    return readBytes(cpio, NULL, (4 - cpio->offset % 4) % 4);
}

static int parseHex(const char *s, uint32_t *value)
{
    uint32_t v = 0;

    for (int i = 0; i < FIELD_SIZE; i++) {
        char c = s[i];

        if (!risdigit(c) && !(rtolower(c) >= 'a' && rtolower(c) <= 'f'))
            return -1;
        v = v << 4 | rnibble(c);
    }
    *value = v;
    return 0;
}

static int readStripped(rpmcpio_t cpio)
{
    char field[FIELD_SIZE];
    int rc = readBytes(cpio, field, sizeof(field));

    cpio->name[0] = '\0';
    cpio->size = 0;
    if (rc == 0 && parseHex(field, &cpio->fx) != 0)
        rc = bad(cpio, RPMERR_BAD_HEADER, "not a hexadecimal number");
    return rc != 0 ? rc : align(cpio);
}

static int readName(rpmcpio_t cpio, uint32_t size)
{
    int rc;

    if (size < 1 || size > sizeof(cpio->name))
        return bad(cpio, RPMERR_BAD_HEADER, "length of the name");
    rc = readBytes(cpio, cpio->name, size);
    if (rc == 0 && memchr(cpio->name, '\0', size) != cpio->name + size - 1)
        rc = bad(cpio, RPMERR_BAD_HEADER, "name does not end where it should");
    if (rc != 0)
        cpio->name[0] = '\0';
    return rc;
}

static int readNewc(rpmcpio_t cpio)
{
    char fields[NEWC_FIELDS * FIELD_SIZE];
    uint32_t size = 0, namesize = 0;
    int rc = readBytes(cpio, fields, sizeof(fields));

    if (rc == 0 && (parseHex(fields + NEWC_SIZE * FIELD_SIZE, &size) != 0
                    || parseHex(fields + NEWC_NAMESIZE * FIELD_SIZE, &namesize) != 0))
        rc = bad(cpio, RPMERR_BAD_HEADER, "not a hexadecimal number");
    if (rc == 0)
        rc = readName(cpio, namesize);
    if (rc == 0)
        rc = align(cpio);
    if (rc == 0 && rstreq(cpio->name, "TRAILER!!!"))
        return RPMERR_ITER_END;
    cpio->size = cpio->left = size;
    return rc;
}

static int skipContent(rpmcpio_t cpio)
{
    const unsigned char *data;
    ssize_t n;

    while ((n = rpmcpioPeek(cpio, &data)) > 0)
        rpmcpioSkip(cpio, (size_t)n);
    return (int)n;
}

int rpmcpioNext(rpmcpio_t cpio)
{
    char magic[MAGIC_SIZE];
    int rc;

    cpio->why = NULL;
    rc = skipContent(cpio);
    if (rc == 0)
        rc = align(cpio);
    if (rc == 0)
        rc = readBytes(cpio, magic, sizeof(magic));
    if (rc != 0)
        return rc;
    cpio->left = 0;
    cpio->stripped = memcmp(magic, "07070X", sizeof(magic)) == 0;
    if (cpio->stripped)
        return readStripped(cpio);
    if (memcmp(magic, "070701", sizeof(magic)) != 0 && memcmp(magic, "070702", sizeof(magic)) != 0)
        return RPMERR_BAD_MAGIC;
    return readNewc(cpio);
}

ssize_t rpmcpioPeek(rpmcpio_t cpio, const unsigned char **data)
{
    ssize_t n;

    if (cpio->left == 0)
        return 0;
    n = rpmRingPeek(cpio->ring, data);
    if (n <= 0)
        return shortRead(cpio, n);
    return (uint64_t)n < cpio->left ? n : (ssize_t)cpio->left;
}

void rpmcpioSkip(rpmcpio_t cpio, size_t n)
{
    rpmRingSkip(cpio->ring, n);
    cpio->offset += n;
    cpio->left -= n;
}

int rpmcpioFinish(rpmcpio_t cpio)
{
    const unsigned char *data;
    size_t tail = 0;
    ssize_t n;

    while ((n = rpmRingPeek(cpio->ring, &data)) > 0) {
        tail += (size_t)n;
        for (ssize_t i = 0; i < n; i++) {
            if (data[i] != 0 || tail > RPMCPIO_TAILMAX)
                return bad(cpio, RPMERR_BAD_HEADER, "data after the end of the archive");
        }
        rpmRingSkip(cpio->ring, (size_t)n);
    }
    return n < 0 ? shortRead(cpio, n) : 0;
}
