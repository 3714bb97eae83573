/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Versions of packages and dependencies: their parts, and ranges of them. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>
#include <rpm/rpmver.h>

struct rpmver_s {
    const char *epoch;   /* NULL for none */
    const char *version;
    const char *release; /* NULL for none */
    char text[];         /* all of them */
};

/* An epoch is digits and a colon in front, the release what follows the last dash. */
rpmver rpmverParse(const char *evr)
{
    size_t digits;
    size_t size;
    char *dash;
    rpmver rv;

    if (evr == NULL || *evr == '\0')
        return NULL;
    size = strlen(evr) + 1;
    rv = rcalloc(1, sizeof(*rv) + size);
    memcpy(rv->text, evr, size);
    rv->version = rv->text;
    digits = strspn(rv->text, "0123456789");
    dash = strrchr(rv->text + digits, '-');
    if (rv->text[digits] == ':') {
        rv->text[digits] = '\0';
        rv->epoch = digits > 0 ? rv->text : "0";
        rv->version = rv->text + digits + 1;
    }
    if (dash != NULL) {
        *dash = '\0';
        rv->release = dash + 1;
    }
    return rv;
}

rpmver rpmverFree(rpmver rv)
{
    rfree(rv);
    return NULL;
}

static bool present(const char *part)
{
    return part != NULL && *part != '\0';
}

/* An epoch that is not there is 0. */
static int compareEpochs(rpmver v1, rpmver v2)
{
    if (present(v1->epoch) && present(v2->epoch))
        return rpmvercmp(v1->epoch, v2->epoch);
    if (present(v1->epoch) && strtoul(v1->epoch, NULL, 10) > 0)
        return 1;
    if (present(v2->epoch) && strtoul(v2->epoch, NULL, 10) > 0)
        return -1;
    return 0;
}

int rpmverOverlap(rpmver v1, rpmsenseFlags f1, rpmver v2, rpmsenseFlags f2)
{
    const rpmsenseFlags both = f1 & f2 & (RPMSENSE_LESS | RPMSENSE_EQUAL | RPMSENSE_GREATER);
    int order = compareEpochs(v1, v2);

    if (order == 0)
        order = rpmvercmp(v1->version, v2->version);
    if (order == 0 && present(v1->release) && present(v2->release)) {
        order = rpmvercmp(v1->release, v2->release);
    } else if (order == 0) {
        /* "= 1" is every release of 1, so it meets any range that begins at one of them. */
        if ((present(v1->release) && (f2 & RPMSENSE_EQUAL)) ||
            (present(v2->release) && (f1 & RPMSENSE_EQUAL)))
            return 1;
    }
    if (order < 0)
        return (f1 & RPMSENSE_GREATER) || (f2 & RPMSENSE_LESS);
    if (order > 0)
        return (f1 & RPMSENSE_LESS) || (f2 & RPMSENSE_GREATER);
    return both != 0;
}
