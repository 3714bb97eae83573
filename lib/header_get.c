/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data out of headers. */

#include <stdlib.h>
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"

/* Build the table of pointers to count strings that follow each other from t on. */
static const char **stringTable(const char **table, char *t, rpm_count_t count, bool argv)
{
    for (rpm_count_t i = 0; i < count; i++) {
        table[i] = t;
        t += strlen(t) + 1;
    }
    if (argv)
        table[count] = NULL;
    return table;
}

static void getStrings(const struct headerEntry_s *entry, rpmtd td, headerGetFlags flags)
{
    bool argv = (flags & HEADERGET_ARGV) != 0;
    size_t tableSize = ((size_t)entry->count + argv) * sizeof(char *);
    char *strings = entry->data;
    const char **table;

    if ((flags & HEADERGET_MINMEM) && !(flags & HEADERGET_ALLOC)) {
        table = rmalloc(tableSize);
    } else {
        table = rmalloc(tableSize + entry->length);
        strings = memcpy((char *)table + tableSize, entry->data, entry->length);
    }
    td->data = stringTable(table, strings, entry->count, argv);
    td->flags |= RPMTD_ALLOCED | (argv ? RPMTD_ARGV : 0);
}

int headerGetEntry(const struct headerEntry_s *entry, rpmtd td, headerGetFlags flags)
{
    bool alloc = (flags & HEADERGET_ALLOC) != 0;

    td->tag = entry->tag;
    td->type = entry->type;
    td->count = entry->count;
    td->size = entry->length;
    td->flags = RPMTD_IMMUTABLE;
    switch (rpmTagTypeGetClass(entry->type)) {
    case RPM_STRING_CLASS:
        if (entry->type != RPM_STRING_TYPE || (flags & HEADERGET_ARGV)) {
            getStrings(entry, td, flags);
            return 1;
        }
        break;
    case RPM_BINARY_CLASS:
        alloc = alloc || !(flags & HEADERGET_MINMEM);
        break;
    default:
        break;
    }
    td->data = entry->data;
    if (alloc) {
        td->data = memcpy(rmalloc(entry->length), entry->data, entry->length);
        td->flags |= RPMTD_ALLOCED;
    }
    return 1;
}

/* The blob of the region alone, as the package had it. */
static int getRegion(Header h, rpmtd td)
{
    const struct hdrblob_s *blob = &h->blob;
    size_t entries = (size_t)blob->ril * HEADER_ENTRY_SIZE;
    uint32_t intro[2] = { blob->ril, blob->rdl };
    uint8_t *copy = rmalloc(sizeof(intro) + entries + blob->rdl);

    headerSwapCopy(RPM_INT32_TYPE, copy, intro, 2);
    memcpy(copy + sizeof(intro), blob->pe, entries);
    memcpy(copy + sizeof(intro) + entries, blob->dataStart, blob->rdl);
    td->type = RPM_BIN_TYPE;
    td->data = copy;
    td->count = td->size = (rpm_count_t)(sizeof(intro) + entries + blob->rdl);
    td->flags = RPMTD_ALLOCED | RPMTD_IMMUTABLE;
    return 1;
}

/* How well the header's locale fits the user's one of the given length: 2 for the same up to
 * dialect or encoding, 1 for the same language, 0 not at all. */
static int localeFit(const char *locale, const char *wanted, size_t length)
{
    static const char cuts[] = "@._";

    if (strlen(locale) == length && rstreqn(locale, wanted, length))
        return 2;
    for (const char *cut = cuts; *cut != '\0'; cut++) {
        const char *end = memchr(wanted, *cut, length);
        if (end != NULL && rstreqn(locale, wanted, (size_t)(end - wanted)))
            return *cut == '_' ? 1 : 2;
    }
    return 0;
}

/* The string for the best of the header's locales, NULL if none fits. */
static const char *findLocale(const struct headerEntry_s *table, const struct headerEntry_s *entry,
    const char *wanted, size_t length)
{
    const char *locale = table->data, *string = entry->data, *weak = NULL;

    for (rpm_count_t i = 0; i < entry->count && i < table->count; i++) {
        int fit = localeFit(locale, wanted, length);
        if (fit == 2)
            return string;
        if (fit == 1)
            weak = string;
        locale += strlen(locale) + 1;
        string += strlen(string) + 1;
    }
    return weak;
}

static const char *userLocales(void)
{
    static const char *const variables[] = { "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG" };

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *locales = getenv(variables[i]);
        if (locales != NULL)
            return locales;
    }
    return "";
}

static int getLocalized(Header h, const struct headerEntry_s *entry, rpmtd td, headerGetFlags flags)
{
    const struct headerEntry_s *table = headerFindEntry(h, RPMTAG_HEADERI18NTABLE);
    const char *wanted = userLocales(), *found = NULL;

    if (table == NULL || table->type != RPM_STRING_ARRAY_TYPE)
        wanted = "";
    while (found == NULL && *wanted != '\0') {
        size_t length = strcspn(wanted, ":");
        if (length > 0)
            found = findLocale(table, entry, wanted, length);
        wanted += length + (wanted[length] == ':');
    }
    if (found == NULL)
        found = entry->data;
    td->type = RPM_STRING_TYPE;
    td->count = 1;
    td->size = (rpm_count_t)strlen(found) + 1;
    td->data = (void *)found;
    td->flags = RPMTD_IMMUTABLE;
    if (flags & HEADERGET_ALLOC) {
        td->data = rstrdup(found);
        td->flags |= RPMTD_ALLOCED;
    }
    return 1;
}

int headerGet(Header h, rpmTagVal tag, rpmtd td, headerGetFlags flags)
{
    headerTagTagFunction compute = NULL;
    const struct headerEntry_s *entry;

    if (td == NULL)
        return 0;
    rpmtdReset(td);
    td->tag = tag;
    if (h == NULL)
        return 0;
    if (flags & HEADERGET_EXT)
        compute = rpmHeaderTagFunc(tag);
    if (compute != NULL)
        return compute(h, td, flags);
    if (tag != 0 && tag == h->blob.regionTag)
        return getRegion(h, td);
    entry = headerFindEntry(h, tag);
    if (entry == NULL)
        return 0;
    if (entry->type == RPM_I18NSTRING_TYPE && !(flags & HEADERGET_RAW))
        return getLocalized(h, entry, td, flags);
    return headerGetEntry(entry, td, flags);
}

char *headerGetAsString(Header h, rpmTagVal tag)
{
    struct rpmtd_s td;
    char *res = NULL;

    if (headerGet(h, tag, &td, HEADERGET_EXT)) {
        if (rpmtdCount(&td) == 1)
            res = rpmtdFormat(&td, RPMTD_FORMAT_STRING, NULL);
        rpmtdFreeData(&td);
    }
    return res;
}

const char *headerGetString(Header h, rpmTagVal tag)
{
    struct rpmtd_s td;
    const char *res = NULL;

    if (headerGet(h, tag, &td, HEADERGET_MINMEM)) {
        if (rpmtdCount(&td) == 1)
            res = rpmtdGetString(&td);
        rpmtdFreeData(&td);
    }
    return res;
}

uint64_t headerGetNumber(Header h, rpmTagVal tag)
{
    struct rpmtd_s td;
    uint64_t res = 0;

    if (headerGet(h, tag, &td, HEADERGET_EXT)) {
        if (rpmtdCount(&td) == 1)
            res = rpmtdGetNumber(&td);
        rpmtdFreeData(&td);
    }
    return res;
}
