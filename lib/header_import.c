/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers out of blobs. The blob stays as it is, so that its region can be exported and digested
 * bit for bit; strings and bytes are used in place, numbers are copied in host order. */

#include <stdlib.h>
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"

/* Bytes of numbers, each tag's rounded up so that all are aligned. */
static size_t numbersSize(rpm_tagtype_t type, rpm_count_t count)
{
    size_t size = headerTypeSize(type);

    return size > 1 ? (size * count + 7) & ~(size_t)7 : 0;
}

static size_t allNumbersSize(const struct hdrblob_s *blob)
{
    size_t size = 0;

    for (uint32_t i = 0; i < blob->il; i++) {
        struct entryInfo_s info = hdrblobEntry(blob, i);
        size += numbersSize(info.type, info.count);
    }
    return size;
}

static uint32_t stringsSize(const uint8_t *data, rpm_count_t count)
{
    const uint8_t *p = data;

    for (; count > 0; count--)
        p += strlen((const char *)p) + 1;
    return (uint32_t)(p - data);
}

/* Take entry ix of the blob up; *numbers moves behind what it used of the copies. */
static void importEntry(Header h, uint32_t ix, uint8_t **numbers)
{
    const struct hdrblob_s *blob = &h->blob;
    struct entryInfo_s info = hdrblobEntry(blob, ix);
    struct headerEntry_s *entry = &h->index[h->used++];
    uint32_t size = headerTypeSize(info.type);

    *entry = (struct headerEntry_s){
        .tag = info.tag,
        .type = info.type,
        .count = info.count,
        .data = blob->dataStart + info.offset,
        .inRegion = ix < blob->ril,
    };
    entry->length = size > 0 ? size * info.count : stringsSize(entry->data, info.count);
    if (size > 1) {
        headerSwapCopy(info.type, *numbers, entry->data, info.count);
        entry->data = *numbers;
        *numbers += numbersSize(info.type, info.count);
    }
}

/* Whether the data of all entries fills the blob without gaps, alignment excepted: bytes that
 * belong to no tag would be digested and signed, and nobody would see them. */
static bool isGapless(const struct hdrblob_s *blob)
{
    uint64_t end = 0;

    for (uint32_t i = blob->regionTag != 0 ? 1 : 0; i < blob->il; i++) {
        struct entryInfo_s info = hdrblobEntry(blob, i);
        uint32_t size = headerTypeSize(info.type);
        uint64_t align = size > 1 ? size : 1;

        if (blob->regionTag != 0 && i == blob->ril) {
            if (end + HEADER_REGION_TRAILER_SIZE != blob->rdl)
                return false;
            end = blob->rdl;
        }
        if ((uint64_t)info.offset != (end + align - 1) / align * align)
            return false;
        end = (uint64_t)info.offset +
            (size > 0 ? (uint64_t)size * info.count :
                stringsSize(blob->dataStart + info.offset, info.count));
    }
    if (blob->regionTag != 0 && blob->ril == blob->il)
        end += HEADER_REGION_TRAILER_SIZE;
    return end == blob->dl;
}

/* By tag; the region's first, then in the order of their data. */
static int compareEntries(const void *a, const void *b)
{
    const struct headerEntry_s *ea = a, *eb = b;

    if (ea->tag != eb->tag)
        return ea->tag < eb->tag ? -1 : 1;
    if (ea->inRegion != eb->inRegion)
        return ea->inRegion ? -1 : 1;
    return (uintptr_t)ea->data < (uintptr_t)eb->data ? -1 : 1;
}

/* Later additions stand in for the region's own tags. The entries are sorted. */
static void dropReplaced(Header h)
{
    uint32_t kept = 0;

    for (uint32_t i = 0, end; i < h->used; i = end) {
        uint32_t from = i;

        for (end = i; end < h->used && h->index[end].tag == h->index[i].tag; end++) {
            if (h->index[end].inRegion && end + 1 < h->used &&
                    h->index[end + 1].tag == h->index[end].tag && !h->index[end + 1].inRegion)
                from = end + 1;
        }
        for (uint32_t j = from; j < end; j++)
            h->index[kept++] = h->index[j];
    }
    h->used = kept;
}

Header hdrblobImport(struct hdrblob_s *blob, char **emsg)
{
    uint32_t first = blob->regionTag != 0 ? 1 : 0;
    uint8_t *numbers;
    Header h;

    if (!isGapless(blob)) {
        rasprintf(emsg, "hdr load: BAD");
        return NULL;
    }
    h = headerNew();
    h->blob = *blob;
    memset(blob, 0, sizeof(*blob));
    h->alloced = h->blob.il;
    h->index = rcalloc(h->alloced, sizeof(*h->index));
    h->numbers = numbers = rmalloc(allNumbersSize(&h->blob));
    for (uint32_t i = first; i < h->blob.il; i++)
        importEntry(h, i, &numbers);
    qsort(h->index, h->used, sizeof(*h->index), compareEntries);
    dropReplaced(h);
    return h;
}

Header headerImport(void *blob, unsigned int bsize, headerImportFlags flags)
{
    struct hdrblob_s hblob;
    char *msg = NULL;
    Header h = NULL;

    if (hdrblobInit(blob, bsize, 0, 0, &hblob, &msg) == RPMRC_OK) {
        uint8_t *copy = NULL;

        if (flags & HEADERIMPORT_COPY) {
            copy = memcpy(rmalloc(hblob.pvlen), hblob.ei, hblob.pvlen);
            hblob.pe = copy + (hblob.pe - hblob.ei);
            hblob.dataStart = copy + (hblob.dataStart - hblob.ei);
            hblob.ei = copy;
        }
        h = hdrblobImport(&hblob, &msg);
        if (h == NULL)
            free(copy);
    }
    free(msg);
    return h;
}

Header headerRead(FD_t fd, int magicp)
{
    struct hdrblob_s blob;
    char *msg = NULL;
    Header h = NULL;

    if (hdrblobRead(fd, magicp, 0, 0, &blob, &msg) == RPMRC_OK) {
        h = hdrblobImport(&blob, &msg);
        hdrblobFini(&blob);
    }
    free(msg);
    return h;
}
