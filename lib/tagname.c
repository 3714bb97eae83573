/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and types of tags. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmtd.h>

static const struct tagInfo {
    const char *name;
    const char *shortName;
    rpmTagVal tag;
    rpmTagType type;
    rpmTagReturnType returnType;
} tagTable[] = {
#include "tagtbl.inc"
};

#define TAG_COUNT (sizeof(tagTable) / sizeof(tagTable[0]))

/* The table by tag; of the names of one tag the longest is the proper one and comes first, the others
 * are short forms. */
static const struct tagInfo *byTag[TAG_COUNT];

static int compareTags(const void *a, const void *b)
{
    const struct tagInfo *x = *(const struct tagInfo *const *)a;
    const struct tagInfo *y = *(const struct tagInfo *const *)b;

    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return (int)strlen(y->name) - (int)strlen(x->name);
}

static void sortTags(void)
{
    for (size_t i = 0; i < TAG_COUNT; i++)
        byTag[i] = &tagTable[i];
    qsort(byTag, TAG_COUNT, sizeof(*byTag), compareTags);
}

static const struct tagInfo *findTag(rpmTagVal tag)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t from = 0, to = TAG_COUNT;

    pthread_once(&once, sortTags);
    while (from < to) {
        size_t mid = (from + to) / 2;

        if (byTag[mid]->tag < tag)
            from = mid + 1;
        else
            to = mid;
    }
    return from < TAG_COUNT && byTag[from]->tag == tag ? byTag[from] : NULL;
}

const char *rpmTagGetName(rpmTagVal tag)
{
    const struct tagInfo *info = findTag(tag);

    if (tag == RPMDBI_PACKAGES)
        return "Packages";
    return info != NULL ? info->shortName : "(unknown)";
}

rpmTagVal rpmTagGetValue(const char *tagstr)
{
    if (rstrcasecmp(tagstr, "Packages") == 0)
        return RPMDBI_PACKAGES;
    for (size_t i = 0; i < TAG_COUNT; i++) {
        if (rstrcasecmp(tagstr, tagTable[i].shortName) == 0)
            return tagTable[i].tag;
    }
    return RPMTAG_NOT_FOUND;
}

rpmTagType rpmTagGetType(rpmTagVal tag)
{
    return (rpmTagType)(rpmTagGetTagType(tag) | rpmTagGetReturnType(tag));
}

rpmTagType rpmTagGetTagType(rpmTagVal tag)
{
    const struct tagInfo *info = findTag(tag);

    return info != NULL ? info->type : RPM_NULL_TYPE;
}

rpmTagReturnType rpmTagGetReturnType(rpmTagVal tag)
{
    const struct tagInfo *info = findTag(tag);

    return info != NULL ? info->returnType : (rpmTagReturnType)RPM_ANY_RETURN_TYPE;
}

rpmTagClass rpmTagTypeGetClass(rpmTagType type)
{
    switch (type & RPM_MASK_TYPE) {
    case RPM_CHAR_TYPE:
    case RPM_INT8_TYPE:
    case RPM_INT16_TYPE:
    case RPM_INT32_TYPE:
    case RPM_INT64_TYPE:
        return RPM_NUMERIC_CLASS;
    case RPM_STRING_TYPE:
    case RPM_STRING_ARRAY_TYPE:
    case RPM_I18NSTRING_TYPE:
        return RPM_STRING_CLASS;
    case RPM_BIN_TYPE:
        return RPM_BINARY_CLASS;
    default:
        return RPM_NULL_CLASS;
    }
}

rpmTagClass rpmTagGetClass(rpmTagVal tag)
{
    return rpmTagTypeGetClass(rpmTagGetTagType(tag));
}

int rpmTagGetNames(rpmtd tagnames, int fullname)
{
    const char **names;

    if (tagnames == NULL)
        return 0;
    rpmtdReset(tagnames);
    names = rmalloc(TAG_COUNT * sizeof(*names));
    for (size_t i = 0; i < TAG_COUNT; i++)
        names[i] = fullname ? tagTable[i].name : tagTable[i].shortName;
    tagnames->type = RPM_STRING_ARRAY_TYPE;
    tagnames->count = TAG_COUNT;
    tagnames->data = names;
    tagnames->flags = RPMTD_ALLOCED | RPMTD_IMMUTABLE;
    return TAG_COUNT;
}
