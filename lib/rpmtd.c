/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Containers for the data of one tag. */

#include <string.h>

#include <rpm/argv.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtd.h>

#include "header_internal.h"

rpmtd rpmtdNew(void)
{
    rpmtd td = rmalloc(sizeof(*td));

    rpmtdReset(td);
    return td;
}

rpmtd rpmtdFree(rpmtd td)
{
    free(td);
    return NULL;
}

void rpmtdReset(rpmtd td)
{
    if (td != NULL)
        *td = (struct rpmtd_s){ .ix = -1 };
}

void rpmtdFreeData(rpmtd td)
{
    if (td == NULL)
        return;
    if (td->flags & RPMTD_ALLOCED) {
        if (td->flags & RPMTD_PTR_ALLOCED) {
            for (rpm_count_t i = 0; i < td->count; i++)
                free(((char **)td->data)[i]);
        }
        free(td->data);
    }
    rpmtdReset(td);
}

rpm_count_t rpmtdCount(rpmtd td)
{
    if (td == NULL)
        return 0;
    return td->type == RPM_BIN_TYPE ? 1 : td->count;
}

rpm_count_t rpmtdSize(rpmtd td)
{
    return td != NULL ? td->size : 0;
}

rpmTagVal rpmtdTag(rpmtd td)
{
    return td != NULL ? td->tag : 0;
}

rpmTagType rpmtdType(rpmtd td)
{
    return td != NULL ? (rpmTagType)td->type : RPM_NULL_TYPE;
}

rpmTagClass rpmtdClass(rpmtd td)
{
    return rpmTagTypeGetClass(rpmtdType(td));
}

rpmtdFlags rpmtdGetFlags(rpmtd td)
{
    return td != NULL ? td->flags : 0;
}

int rpmtdGetIndex(rpmtd td)
{
    return td != NULL ? td->ix : -1;
}

int rpmtdSetIndex(rpmtd td, int index)
{
    if (td == NULL || index < 0 || (rpm_count_t)index >= rpmtdCount(td))
        return -1;
    td->ix = index;
    return index;
}

int rpmtdInit(rpmtd td)
{
    if (td == NULL)
        return -1;
    td->ix = -1;
    return 0;
}

int rpmtdNext(rpmtd td)
{
    if (td == NULL)
        return -1;
    td->ix++;
    if (td->ix < 0 || (rpm_count_t)td->ix >= rpmtdCount(td))
        td->ix = -1;
    return td->ix;
}

uint32_t *rpmtdNextUint32(rpmtd td)
{
    return rpmtdNext(td) >= 0 ? rpmtdGetUint32(td) : NULL;
}

uint64_t *rpmtdNextUint64(rpmtd td)
{
    return rpmtdNext(td) >= 0 ? rpmtdGetUint64(td) : NULL;
}

const char *rpmtdNextString(rpmtd td)
{
    return rpmtdNext(td) >= 0 ? rpmtdGetString(td) : NULL;
}

/* The current element of a container of the given type, NULL for other types. */
static void *currentOf(rpmtd td, rpm_tagtype_t type)
{
    rpm_count_t ix;

    if (td == NULL || td->type != type || td->data == NULL || td->count == 0)
        return NULL;
    ix = td->ix >= 0 ? (rpm_count_t)td->ix : 0;
    if (ix >= td->count)
        return NULL;
    return (char *)td->data + (size_t)ix * headerTypeSize(type);
}

char *rpmtdGetChar(rpmtd td)
{
    return currentOf(td, RPM_CHAR_TYPE);
}

uint16_t *rpmtdGetUint16(rpmtd td)
{
    return currentOf(td, RPM_INT16_TYPE);
}

uint32_t *rpmtdGetUint32(rpmtd td)
{
    return currentOf(td, RPM_INT32_TYPE);
}

uint64_t *rpmtdGetUint64(rpmtd td)
{
    return currentOf(td, RPM_INT64_TYPE);
}

const char *rpmtdGetString(rpmtd td)
{
    rpm_count_t ix;

    if (td == NULL || td->data == NULL)
        return NULL;
    if (td->type == RPM_STRING_TYPE)
        return td->data;
    if (rpmtdClass(td) != RPM_STRING_CLASS)
        return NULL;
    ix = td->ix >= 0 ? (rpm_count_t)td->ix : 0;
    return ix < td->count ? ((const char **)td->data)[ix] : NULL;
}

uint64_t rpmtdGetNumber(rpmtd td)
{
    const void *current = td != NULL ? currentOf(td, td->type) : NULL;

    if (current == NULL || rpmtdClass(td) != RPM_NUMERIC_CLASS)
        return 0;
    switch (headerTypeSize(td->type)) {
    case 8:
        return *(const uint64_t *)current;
    case 4:
        return *(const uint32_t *)current;
    case 2:
        return *(const uint16_t *)current;
    default:
        return *(const uint8_t *)current;
    }
}

char *rpmtdFormat(rpmtd td, rpmtdFormats fmt, const char *errmsg)
{
    headerFmt format = rpmHeaderFormatByValue(fmt);

    (void)errmsg;
    return format != NULL ? rpmHeaderFormatCall(format, td) : NULL;
}

int rpmtdSetTag(rpmtd td, rpmTagVal tag)
{
    rpmTagType type = rpmTagGetTagType(tag);

    if (td == NULL || type == RPM_NULL_TYPE)
        return 0;
    if ((td->data != NULL || td->count > 0) && rpmTagGetTagType(td->tag) != type)
        return 0;
    td->tag = tag;
    td->type = type;
    return 1;
}

/* A container around borrowed data, if the tag is of one of two types and takes that many. */
static int setBorrowed(rpmtd td, rpmTagVal tag, rpmTagType type, rpmTagType other,
    const void *data, rpm_count_t count)
{
    rpmTagType tagType = rpmTagGetTagType(tag);

    if (td == NULL || count < 1 || (tagType != type && tagType != other))
        return 0;
    if (count > 1 && rpmTagGetReturnType(tag) != RPM_ARRAY_RETURN_TYPE && tagType != RPM_BIN_TYPE)
        return 0;
    rpmtdReset(td);
    td->tag = tag;
    td->type = tagType;
    td->count = count;
    /* Without RPMTD_ALLOCED nobody frees or changes it. */
    td->data = (void *)data;
    return 1;
}

int rpmtdFromUint8(rpmtd td, rpmTagVal tag, uint8_t *data, rpm_count_t count)
{
    if (rpmTagGetTagType(tag) == RPM_BIN_TYPE)
        return setBorrowed(td, tag, RPM_BIN_TYPE, RPM_BIN_TYPE, data, count);
    return setBorrowed(td, tag, RPM_CHAR_TYPE, RPM_INT8_TYPE, data, count);
}

int rpmtdFromUint16(rpmtd td, rpmTagVal tag, uint16_t *data, rpm_count_t count)
{
    return setBorrowed(td, tag, RPM_INT16_TYPE, RPM_INT16_TYPE, data, count);
}

int rpmtdFromUint32(rpmtd td, rpmTagVal tag, uint32_t *data, rpm_count_t count)
{
    return setBorrowed(td, tag, RPM_INT32_TYPE, RPM_INT32_TYPE, data, count);
}

int rpmtdFromUint64(rpmtd td, rpmTagVal tag, uint64_t *data, rpm_count_t count)
{
    return setBorrowed(td, tag, RPM_INT64_TYPE, RPM_INT64_TYPE, data, count);
}

int rpmtdFromString(rpmtd td, rpmTagVal tag, const char *data)
{
    return setBorrowed(td, tag, RPM_STRING_TYPE, RPM_STRING_TYPE, data, 1);
}

int rpmtdFromStringArray(rpmtd td, rpmTagVal tag, const char **data, rpm_count_t count)
{
    return setBorrowed(td, tag, RPM_STRING_ARRAY_TYPE, RPM_STRING_ARRAY_TYPE, data, count);
}

int rpmtdFromArgv(rpmtd td, rpmTagVal tag, ARGV_t argv)
{
    return rpmtdFromStringArray(td, tag, (const char **)argv, (rpm_count_t)argvCount(argv));
}

rpmtd rpmtdDup(rpmtd td)
{
    rpmtd copy;
    char **strings;

    if (td == NULL || (td->type != RPM_STRING_ARRAY_TYPE && td->type != RPM_I18NSTRING_TYPE))
        return NULL;
    copy = rpmtdNew();
    copy->tag = td->tag;
    copy->type = td->type;
    copy->count = td->count;
    copy->flags = RPMTD_ALLOCED | RPMTD_PTR_ALLOCED;
    copy->data = strings = rcalloc(td->count, sizeof(*strings));
    for (rpm_count_t i = 0; i < td->count; i++)
        strings[i] = rstrdup(((const char **)td->data)[i]);
    return copy;
}
