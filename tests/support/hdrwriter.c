/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "hdrwriter.h"

struct entry {
    uint32_t tag, type, count;
    struct bytes data;
};

struct patch {
    uint32_t tag, value;
    enum hdrField field;
};

struct hdr {
    uint32_t region;
    struct entry *entries;
    size_t numEntries;
    struct patch *patches;
    size_t numPatches;
};

enum { INTRO_SIZE = 16, ENTRY_SIZE = 16 };

static const unsigned char magic[] = { 0x8e, 0xad, 0xe8, 0x01 };

struct hdr *hdrNew(uint32_t region)
{
    struct hdr *h = xcalloc(1, sizeof(*h));

    h->region = region;
    return h;
}

void hdrSetRegion(struct hdr *h, uint32_t region)
{
    h->region = region;
}

void hdrFree(struct hdr *h)
{
    if (h == NULL)
        return;
    for (size_t i = 0; i < h->numEntries; i++)
        bytesFree(&h->entries[i].data);
    free(h->entries);
    free(h->patches);
    free(h);
}

static struct entry *findEntry(const struct hdr *h, uint32_t tag)
{
    for (size_t i = 0; i < h->numEntries; i++) {
        if (h->entries[i].tag == tag)
            return &h->entries[i];
    }
    return NULL;
}

void hdrDrop(struct hdr *h, uint32_t tag)
{
    struct entry *e = findEntry(h, tag);

    if (e == NULL)
        return;
    bytesFree(&e->data);
    *e = h->entries[--h->numEntries];
}

void hdrAdd(struct hdr *h, uint32_t tag, uint32_t type, uint32_t count, const void *data,
            size_t len)
{
    struct entry *e;

    hdrDrop(h, tag);
    h->entries = xgrow(h->entries, h->numEntries, sizeof(*h->entries));
    e = &h->entries[h->numEntries++];
    memset(e, 0, sizeof(*e));
    e->tag = tag;
    e->type = type;
    e->count = count;
    bytesAdd(&e->data, data, len);
}

void hdrAddString(struct hdr *h, uint32_t tag, const char *s)
{
    hdrAdd(h, tag, HDR_STRING, 1, s, strlen(s) + 1);
}

void hdrAddI18n(struct hdr *h, uint32_t tag, const char *s)
{
    hdrAdd(h, tag, HDR_I18N, 1, s, strlen(s) + 1);
}

void hdrAddBin(struct hdr *h, uint32_t tag, const void *data, size_t len)
{
    hdrAdd(h, tag, HDR_BIN, (uint32_t)len, data, len);
}

void hdrAddNumber(struct hdr *h, uint32_t tag, uint32_t type, uint64_t value)
{
    hdrAddNumbers(h, tag, type, &value, 1);
}

static size_t widthOf(uint32_t type)
{
    switch (type) {
    case HDR_INT16: return 2;
    case HDR_INT32: return 4;
    case HDR_INT64: return 8;
    default: return 1;
    }
}

void hdrAddNumbers(struct hdr *h, uint32_t tag, uint32_t type, const uint64_t *values, size_t num)
{
    size_t width = widthOf(type);
    struct bytes b = { NULL, 0, 0 };

    for (size_t i = 0; i < num; i++) {
        unsigned char whole[8];

        putBE64(whole, values[i]);
        bytesAdd(&b, whole + 8 - width, width);
    }
    if (num > 0)
        hdrAdd(h, tag, type, (uint32_t)num, b.data, b.len);
    bytesFree(&b);
}

void hdrAddStrings(struct hdr *h, uint32_t tag, char *const *strings, size_t num)
{
    struct bytes b = { NULL, 0, 0 };

    for (size_t i = 0; i < num; i++)
        bytesAdd(&b, strings[i], strlen(strings[i]) + 1);
    if (num > 0)
        hdrAdd(h, tag, HDR_STRINGS, (uint32_t)num, b.data, b.len);
    bytesFree(&b);
}

void hdrPatch(struct hdr *h, uint32_t tag, enum hdrField field, uint32_t value)
{
    h->patches = xgrow(h->patches, h->numPatches, sizeof(*h->patches));
    h->patches[h->numPatches++] = (struct patch){ tag, value, field };
}

static int byTag(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return (x->tag > y->tag) - (x->tag < y->tag);
}

static void putEntry(unsigned char *p, uint32_t tag, uint32_t type, uint32_t offset, uint32_t count)
{
    putBE32(p, tag);
    putBE32(p + 4, type);
    putBE32(p + 8, offset);
    putBE32(p + 12, count);
}

/* The patches come last, over a blob that is right; the trailer is the data's last 16 bytes. */
static void applyPatches(const struct hdr *h, unsigned char *blob, size_t len, size_t numIndex)
{
    for (size_t i = 0; i < h->numPatches; i++) {
        const struct patch *p = &h->patches[i];

        if (p->field >= PATCH_MAGIC) {
            static const size_t at[] = { 0, 8, 12 };

            putBE32(blob + at[p->field - PATCH_MAGIC], p->value);
        } else if (p->field >= PATCH_TRAILER_TAG) {
            putBE32(blob + len - ENTRY_SIZE + 4 * (p->field - PATCH_TRAILER_TAG), p->value);
        } else {
            unsigned char wanted[4];
            size_t found = 0;

            putBE32(wanted, p->tag);
            for (size_t j = 0; j < numIndex; j++) {
                unsigned char *entry = blob + INTRO_SIZE + j * ENTRY_SIZE;

                if (memcmp(entry, wanted, 4) == 0 && found++ == 0)
                    putBE32(entry + 4 * p->field, p->value);
            }
            if (found == 0)
                die("no tag %u to patch", p->tag);
        }
    }
}

void hdrWrite(const struct hdr *h, struct bytes *out)
{
    struct bytes index = { NULL, 0, 0 }, data = { NULL, 0, 0 };
    size_t start = out->len, numIndex = h->numEntries + (h->region != 0);
    unsigned char row[ENTRY_SIZE] = { 0 };

    qsort(h->entries, h->numEntries, sizeof(*h->entries), byTag);
    for (size_t i = 0; i < h->numEntries; i++) {
        const struct entry *e = &h->entries[i];

        bytesAlign(&data, widthOf(e->type));
        putEntry(row, e->tag, e->type, (uint32_t)data.len, e->count);
        bytesAdd(&index, row, sizeof(row));
        bytesAdd(&data, e->data.data, e->data.len);
    }

    memset(row, 0, sizeof(row));
    memcpy(row, magic, sizeof(magic));
    putBE32(row + 8, (uint32_t)numIndex);
    putBE32(row + 12, (uint32_t)(data.len + (h->region != 0 ? ENTRY_SIZE : 0)));
    bytesAdd(out, row, sizeof(row));
    if (h->region != 0) {
        putEntry(row, h->region, HDR_BIN, (uint32_t)data.len, ENTRY_SIZE);
        bytesAdd(out, row, sizeof(row));
        putEntry(row, h->region, HDR_BIN, (uint32_t)(0 - numIndex * ENTRY_SIZE), ENTRY_SIZE);
        bytesAdd(&data, row, sizeof(row));
    }
    bytesAdd(out, index.data, index.len);
    bytesAdd(out, data.data, data.len);
    applyPatches(h, out->data + start, out->len - start, numIndex);
    bytesFree(&index);
    bytesFree(&data);
}
