/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a header is found by in each index. */

#include <string.h>

#include <rpm/argv.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtd.h>

#include "rpmdb_sql.h"
#include "rpmds_internal.h"

static const void *currentKey(rpmtd td, size_t *len)
{
    static const size_t sizes[] = {
        [RPM_CHAR_TYPE] = 1, [RPM_INT8_TYPE] = 1, [RPM_INT16_TYPE] = 2, [RPM_INT32_TYPE] = 4,
        [RPM_INT64_TYPE] = 8,
    };
    rpmTagType type = rpmtdType(td);
    const char *str;

    switch (rpmtdClass(td)) {
    case RPM_NUMERIC_CLASS:
        *len = sizes[type];
        return (const uint8_t *)td->data + *len * (size_t)td->ix;
    case RPM_BINARY_CLASS:
        *len = td->count;
        return td->data;
    case RPM_STRING_CLASS:
        str = rpmtdGetString(td);
        *len = str != NULL ? strlen(str) : 0;
        return str;
    default:
        return NULL;
    }
}

static bool seenBefore(rpmtd td)
{
    const char *const *names = td->data;
    const char *name = rpmtdGetString(td);

    for (int i = 0; i < td->ix; i++) {
        if (rstreq(names[i], name))
            return true;
    }
    return false;
}

static bool hasRich(rpmDbiTagVal tag)
{
    return tag == RPMDBI_REQUIRENAME || tag == RPMDBI_CONFLICTNAME || tag == RPMDBI_SUGGESTNAME ||
        tag == RPMDBI_SUPPLEMENTNAME || tag == RPMDBI_RECOMMENDNAME || tag == RPMDBI_ENHANCENAME;
}

static int richKeys(const char *dep, rpmdbKeyFn keyFn, void *data, uint32_t ix)
{
    ARGV_t names = rpmdbRichNames(dep);
    int rc = 0;

    for (ARGV_t n = names; n != NULL && *n != NULL && rc == 0; n++)
        rc = keyFn(data, *n, strlen(*n), ix);
    argvFree(names);
    return rc;
}

/* What goes with a name: the flags of a requirement, the script of a file trigger. */
static rpmTagVal companion(rpmDbiTagVal tag)
{
    switch (tag) {
    case RPMDBI_REQUIRENAME:
        return RPMTAG_REQUIREFLAGS;
    case RPMDBI_FILETRIGGERNAME:
        return RPMTAG_FILETRIGGERINDEX;
    case RPMDBI_TRANSFILETRIGGERNAME:
        return RPMTAG_TRANSFILETRIGGERINDEX;
    default:
        return 0;
    }
}

static int oneKey(rpmDbiTagVal tag, rpmtd td, const uint32_t *with, rpmdbKeyFn keyFn, void *data)
{
    size_t len = 0;
    const char *key = currentKey(td, &len);
    uint32_t ix = (uint32_t)td->ix;
    int rc;

    if (key == NULL || (tag == RPMDBI_TRIGGERNAME && seenBefore(td)))
        return 0;
    if (tag == RPMDBI_REQUIRENAME && with != NULL && rpmdsIsTransient(*with))
        return 0;
    if (tag == RPMDBI_FILETRIGGERNAME || tag == RPMDBI_TRANSFILETRIGGERNAME)
        ix = with != NULL ? *with : 0;
    rc = keyFn(data, key, len, ix);
    if (rc == 0 && len > 0 && *key == '(' && hasRich(tag))
        rc = richKeys(key, keyFn, data, ix);
    return rc;
}

int rpmdbIndexKeys(Header h, rpmDbiTagVal tag, rpmdbKeyFn keyFn, void *data)
{
    struct rpmtd_s td, with;
    int rc = 0;

    rpmtdReset(&with);
    if (companion(tag) != 0)
        headerGet(h, companion(tag), &with, HEADERGET_MINMEM);
    headerGet(h, tag, &td, HEADERGET_MINMEM);
    if (rpmtdCount(&td) == 0 && tag == RPMDBI_GROUP)
        td = (struct rpmtd_s){ .tag = tag, .type = RPM_STRING_TYPE, .count = 1,
            .data = (char *)"Unknown", .ix = -1 };
    while (rc == 0 && rpmtdNext(&td) >= 0)
        rc = oneKey(tag, &td, rpmtdNextUint32(&with), keyFn, data);
    rpmtdFreeData(&td);
    rpmtdFreeData(&with);
    return rc;
}
