/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data into headers. */

#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"

/* Bytes that a container's data takes in a header; 0 if there is none, or too much. */
static uint32_t dataSize(rpmtd td)
{
    uint32_t size = headerTypeSize(td->type);
    uint64_t length = 0;

    if (td->data == NULL || td->count < 1 || td->count > HEADER_DATA_MAX ||
            (td->type != RPM_BIN_TYPE && td->count > HEADER_ARRAY_MAX))
        return 0;
    if (td->type == RPM_STRING_TYPE) {
        length = td->count == 1 ? strlen(td->data) + 1 : 0;
    } else if (size > 0) {
        length = (uint64_t)size * td->count;
    } else if (rpmtdClass(td) == RPM_STRING_CLASS) {
        for (rpm_count_t i = 0; i < td->count; i++)
            length += strlen(((const char **)td->data)[i]) + 1;
    }
    return length <= HEADER_DATA_MAX ? (uint32_t)length : 0;
}

static void copyData(uint8_t *dest, rpmtd td, uint32_t length)
{
    if (td->type == RPM_STRING_TYPE || headerTypeSize(td->type) > 0) {
        memcpy(dest, td->data, length);
        return;
    }
    for (rpm_count_t i = 0; i < td->count; i++)
        dest = (uint8_t *)stpcpy((char *)dest, ((const char **)td->data)[i]) + 1;
}

/* Give an entry data of its own; that of its region, if it was in one, stays there. */
static void setData(struct headerEntry_s *entry, rpmtd td, uint8_t *data, uint32_t length)
{
    if (entry->owned)
        free(entry->data);
    entry->type = td->type;
    entry->data = data;
    entry->length = length;
    entry->owned = true;
    entry->inRegion = false;
}

static struct headerEntry_s *findTyped(Header h, rpmTagVal tag, rpm_tagtype_t type)
{
    struct headerEntry_s *entry = headerFindEntry(h, tag);

    for (; entry != NULL && entry < h->index + h->used && entry->tag == tag; entry++) {
        if (entry->type == type)
            return entry;
    }
    return NULL;
}

static int appendEntry(struct headerEntry_s *entry, rpmtd td, uint32_t length)
{
    uint64_t count = (uint64_t)entry->count + td->count;
    uint64_t total = (uint64_t)entry->length + length;
    uint8_t *data;

    if (td->type == RPM_STRING_TYPE || td->type == RPM_I18NSTRING_TYPE)
        return 0;
    if (total > HEADER_DATA_MAX || (td->type != RPM_BIN_TYPE && count > HEADER_ARRAY_MAX))
        return 0;
    if (entry->owned) {
        data = rrealloc(entry->data, total);
        entry->owned = false;
    } else {
        data = memcpy(rmalloc(total), entry->data, entry->length);
    }
    copyData(data + entry->length, td, length);
    entry->count = (rpm_count_t)count;
    setData(entry, td, data, (uint32_t)total);
    return 1;
}

int headerPut(Header h, rpmtd td, headerPutFlags flags)
{
    struct headerEntry_s *entry;
    uint32_t length;
    uint8_t *data;

    if (h == NULL || td == NULL || td->tag < HEADER_I18NTABLE)
        return 0;
    length = dataSize(td);
    if (length == 0)
        return 0;
    entry = (flags & HEADERPUT_APPEND) ? findTyped(h, td->tag, td->type) : NULL;
    if (entry != NULL)
        return appendEntry(entry, td, length);
    data = rmalloc(length);
    copyData(data, td, length);
    entry = headerInsertEntry(h, td->tag);
    entry->count = td->count;
    setData(entry, td, data, length);
    return 1;
}

int headerMod(Header h, rpmtd td)
{
    struct headerEntry_s *entry;
    uint32_t length;
    uint8_t *data;

    if (h == NULL || td == NULL)
        return 0;
    entry = findTyped(h, td->tag, td->type);
    length = dataSize(td);
    if (entry == NULL || length == 0)
        return 0;
    /* The new data may be the old one's. */
    data = rmalloc(length);
    copyData(data, td, length);
    entry->count = td->count;
    setData(entry, td, data, length);
    return 1;
}

static int putTyped(Header h, rpmTagVal tag, rpmTagType type, const void *data, rpm_count_t size)
{
    bool array = rpmTagGetReturnType(tag) == RPM_ARRAY_RETURN_TYPE;
    struct rpmtd_s td = { .tag = tag, .type = type, .count = size, .data = (void *)data };

    if (rpmTagGetTagType(tag) != type || (!array && type != RPM_BIN_TYPE && size != 1))
        return 0;
    return headerPut(h, &td, array ? HEADERPUT_APPEND : HEADERPUT_DEFAULT);
}

int headerPutString(Header h, rpmTagVal tag, const char *val)
{
    rpmTagType type = rpmTagGetTagType(tag);

    if (val == NULL)
        return 0;
    if (type == RPM_STRING_ARRAY_TYPE || type == RPM_I18NSTRING_TYPE)
        return putTyped(h, tag, type, &val, 1);
    return putTyped(h, tag, RPM_STRING_TYPE, val, 1);
}

int headerPutStringArray(Header h, rpmTagVal tag, const char **val, rpm_count_t size)
{
    return putTyped(h, tag, RPM_STRING_ARRAY_TYPE, val, size);
}

int headerPutBin(Header h, rpmTagVal tag, const uint8_t *val, rpm_count_t size)
{
    return putTyped(h, tag, RPM_BIN_TYPE, val, size);
}

int headerPutChar(Header h, rpmTagVal tag, const char *val, rpm_count_t size)
{
    return putTyped(h, tag, RPM_CHAR_TYPE, val, size);
}

int headerPutUint8(Header h, rpmTagVal tag, const uint8_t *val, rpm_count_t size)
{
    return putTyped(h, tag, RPM_INT8_TYPE, val, size);
}

int headerPutUint16(Header h, rpmTagVal tag, const uint16_t *val, rpm_count_t size)
{
    return putTyped(h, tag, RPM_INT16_TYPE, val, size);
}

int headerPutUint32(Header h, rpmTagVal tag, const uint32_t *val, rpm_count_t size)
{
    return putTyped(h, tag, RPM_INT32_TYPE, val, size);
}

int headerPutUint64(Header h, rpmTagVal tag, const uint64_t *val, rpm_count_t size)
{
    return putTyped(h, tag, RPM_INT64_TYPE, val, size);
}

void headerCopyTags(Header headerFrom, Header headerTo, const rpmTagVal *tagstocopy)
{
    struct rpmtd_s td;

    for (; headerFrom != headerTo && *tagstocopy != 0; tagstocopy++) {
        if (headerIsEntry(headerTo, *tagstocopy))
            continue;
        if (headerGet(headerFrom, *tagstocopy, &td, HEADERGET_MINMEM | HEADERGET_RAW)) {
            headerPut(headerTo, &td, HEADERPUT_DEFAULT);
            rpmtdFreeData(&td);
        }
    }
}

Header headerCopy(Header h)
{
    HeaderIterator hi = headerInitIterator(h);
    Header copy = headerNew();
    struct rpmtd_s td;

    while (headerNext(hi, &td)) {
        headerPut(copy, &td, HEADERPUT_DEFAULT);
        rpmtdFreeData(&td);
    }
    headerFreeIterator(hi);
    return copy;
}
