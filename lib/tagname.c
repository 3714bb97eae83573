/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and types of tags. */

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

/* Of the names of one tag the longest is the proper one, the others are short forms. */
static const struct tagInfo *findTag(rpmTagVal tag)
{
    const struct tagInfo *found = NULL;

    for (size_t i = 0; i < TAG_COUNT; i++) {
        const struct tagInfo *info = &tagTable[i];
        if (info->tag == tag && (found == NULL || strlen(info->name) > strlen(found->name)))
            found = info;
    }
    return found;
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
