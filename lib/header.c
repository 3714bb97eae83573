/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers in memory: life, search and iteration. */

#include <endian.h>
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"

const unsigned char rpm_header_magic[8] = { 0x8e, 0xad, 0xe8, 0x01, 0, 0, 0, 0 };

uint32_t headerTypeSize(rpm_tagtype_t type)
{
    switch (type) {
    case RPM_CHAR_TYPE:
    case RPM_INT8_TYPE:
    case RPM_BIN_TYPE:
        return 1;
    case RPM_INT16_TYPE:
        return 2;
    case RPM_INT32_TYPE:
        return 4;
    case RPM_INT64_TYPE:
        return 8;
    default:
        return 0;
    }
}

static void swapCopy16(uint8_t *dest, const uint8_t *src, rpm_count_t count)
{
    for (; count > 0; count--, dest += 2, src += 2) {
        uint16_t value;
        memcpy(&value, src, 2);
        value = htobe16(value);
        memcpy(dest, &value, 2);
    }
}

static void swapCopy32(uint8_t *dest, const uint8_t *src, rpm_count_t count)
{
    for (; count > 0; count--, dest += 4, src += 4) {
        uint32_t value;
        memcpy(&value, src, 4);
        value = htobe32(value);
        memcpy(dest, &value, 4);
    }
}

static void swapCopy64(uint8_t *dest, const uint8_t *src, rpm_count_t count)
{
    for (; count > 0; count--, dest += 8, src += 8) {
        uint64_t value;
        memcpy(&value, src, 8);
        value = htobe64(value);
        memcpy(dest, &value, 8);
    }
}

void headerSwapCopy(rpm_tagtype_t type, void *dest, const void *src, rpm_count_t count)
{
    switch (headerTypeSize(type)) {
    case 1:
        memcpy(dest, src, count);
        break;
    case 2:
        swapCopy16(dest, src, count);
        break;
    case 4:
        swapCopy32(dest, src, count);
        break;
    case 8:
        swapCopy64(dest, src, count);
        break;
    default:
        break;
    }
}

Header headerNew(void)
{
    Header h = rcalloc(1, sizeof(*h));

    atomic_init(&h->nrefs, 1);
    return h;
}

Header headerLink(Header h)
{
    if (h != NULL)
        atomic_fetch_add(&h->nrefs, 1);
    return h;
}

Header headerFree(Header h)
{
    if (h == NULL || atomic_fetch_sub(&h->nrefs, 1) > 1)
        return NULL;
    for (uint32_t i = 0; i < h->used; i++) {
        if (h->index[i].owned)
            free(h->index[i].data);
    }
    free(h->index);
    free(h->numbers);
    hdrblobFini(&h->blob);
    free(h);
    return NULL;
}

/* Number of entries whose tag is below the given one. */
static uint32_t lowerBound(Header h, rpmTagVal tag)
{
    uint32_t low = 0, high = h->used;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (h->index[mid].tag < tag)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct headerEntry_s *headerFindEntry(Header h, rpmTagVal tag)
{
    uint32_t ix;

    if (h == NULL)
        return NULL;
    ix = lowerBound(h, tag);
    return ix < h->used && h->index[ix].tag == tag ? &h->index[ix] : NULL;
}

struct headerEntry_s *headerInsertEntry(Header h, rpmTagVal tag)
{
    uint32_t ix = lowerBound(h, tag);
    struct headerEntry_s *entry;

    while (ix < h->used && h->index[ix].tag == tag)
        ix++;
    if (h->used == h->alloced) {
        h->alloced += h->alloced / 2 + 16;
        h->index = rrealloc(h->index, h->alloced * sizeof(*h->index));
    }
    entry = &h->index[ix];
    memmove(entry + 1, entry, (h->used - ix) * sizeof(*entry));
    h->used++;
    *entry = (struct headerEntry_s){ .tag = tag };
    return entry;
}

int headerIsEntry(Header h, rpmTagVal tag)
{
    if (h != NULL && tag != 0 && h->blob.regionTag == tag)
        return 1;
    return headerFindEntry(h, tag) != NULL;
}

int headerDel(Header h, rpmTagVal tag)
{
    uint32_t first = lowerBound(h, tag), end = first;

    while (end < h->used && h->index[end].tag == tag) {
        if (h->index[end].owned)
            free(h->index[end].data);
        end++;
    }
    if (end == first)
        return 1;
    memmove(&h->index[first], &h->index[end], (h->used - end) * sizeof(*h->index));
    h->used -= end - first;
    return 0;
}

unsigned int headerGetInstance(Header h)
{
    return h != NULL ? h->instance : 0;
}

void headerSetInstance(Header h, unsigned int instance)
{
    h->instance = instance;
}

int headerIsSource(Header h)
{
    return !headerIsEntry(h, RPMTAG_SOURCERPM);
}

struct headerIterator_s {
    Header h;
    uint32_t next;
};

HeaderIterator headerInitIterator(Header h)
{
    HeaderIterator hi = rcalloc(1, sizeof(*hi));

    hi->h = headerLink(h);
    return hi;
}

HeaderIterator headerFreeIterator(HeaderIterator hi)
{
    if (hi != NULL) {
        headerFree(hi->h);
        free(hi);
    }
    return NULL;
}

rpmTagVal headerNextTag(HeaderIterator hi)
{
    if (hi == NULL || hi->h == NULL || hi->next >= hi->h->used)
        return RPMTAG_NOT_FOUND;
    return hi->h->index[hi->next++].tag;
}

int headerNext(HeaderIterator hi, rpmtd td)
{
    rpmtdReset(td);
    if (hi == NULL || hi->h == NULL || hi->next >= hi->h->used)
        return 0;
    return headerGetEntry(&hi->h->index[hi->next++], td, HEADERGET_DEFAULT);
}
