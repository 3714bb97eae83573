/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of macros: sizes, white space, and how to refuse them. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "rpmpolicytext.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

char *policyTrimmed(const char *value)
{
    size_t n;
    char *copy;

    while (isspace((unsigned char)*value))
        value++;
    copy = rstrdup(value);
    n = strlen(copy);
    while (n > 0 && isspace((unsigned char)copy[n - 1]))
        copy[--n] = '\0';
    return copy;
}

char *policyMacro(const char *name)
{
    char *reference = NULL, *value, *trimmed;

    rasprintf(&reference, "%%{?%s}", name);
    value = rpmExpand(reference, NULL);
    trimmed = policyTrimmed(value != NULL ? value : "");
    free(value);
    free(reference);
    return trimmed;
}

static unsigned unitShift(char c)
{
    switch (c) {
    case 'K': case 'k': return 10;
    case 'M': case 'm': return 20;
    case 'G': case 'g': return 30;
    }
    return 0;
}

/* What strtoull() cannot hold comes back as its largest number, which is above the limit. */
int policySize(const char *value, uint64_t *size)
{
    unsigned long long number;
    unsigned shift;
    char *end;

    if (!isdigit((unsigned char)*value))
        return -1;
    number = strtoull(value, &end, 10);
    shift = unitShift(*end);
    if (shift > 0)
        end++;
    if (*end != '\0' || number > ((uint64_t)INT64_MAX >> shift))
        return -1;
    *size = (uint64_t)number << shift;
    return 0;
}

/* A value may hold anything that a macro expands to; the message stays one line. */
int policyRefuse(char **emsg, const char *name, const char *value, const char *accepted)
{
    char *shown;

    if (emsg == NULL)
        return -1;
    shown = rstrdup(value);
    for (char *c = shown; *c != '\0'; c++) {
        if (iscntrl((unsigned char)*c))
            *c = '?';
    }
    rasprintf(emsg, "macro %%%s: unknown value '%s', accepted are: %s", name, shown, accepted);
    free(shown);
    return -1;
}
