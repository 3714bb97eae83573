/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --querytags and --showrc. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmtag.h>

#include "rpmtool.h"

/* Name of a type with a space before it; nothing for tags that have none. */
static const char *typeName(rpmTagType type)
{
    static const char *const names[] = { "",       " char",   " int8", " int16", " int32",
                                         " int64", " string", " blob", " argv",  " i18nstring" };

    return type < sizeof(names) / sizeof(*names) ? names[type] : "";
}

static void printTag(FILE *fp, const char *name)
{
    rpmTagVal tag = rpmTagGetValue(name);

    if (rpmIsVerbose())
        fprintf(fp, "%-20s %6d%s\n", name, tag, typeName(rpmTagGetTagType(tag)));
    else
        fprintf(fp, "%s\n", name);
}

int printQueryTags(FILE *fp)
{
    rpmtd names = rpmtdNew();
    const char *name;

    rpmTagGetNames(names, 1);
    while ((name = rpmtdNextString(names)) != NULL)
        printTag(fp, name + strlen("RPMTAG_"));
    rpmtdFreeData(names);
    rpmtdFree(names);
    return EXIT_SUCCESS;
}

int printConfiguration(FILE *fp)
{
    rpmShowRC(fp);
    return rpmlogGetNrecsByMask(RPMLOG_UPTO(RPMLOG_ERR)) ? EXIT_FAILURE : EXIT_SUCCESS;
}
