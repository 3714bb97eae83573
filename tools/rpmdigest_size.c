/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of repodata: what reads it is a library of its own, and needs them too. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>

#include "rpmdigest.h"

uint64_t parseSize(const char *text)
{
    char *end;
    unsigned long long value;

    text += strspn(text, " \t\r\n");
    if (!risdigit(*text))
        return SIZE_UNKNOWN;
    errno = 0;
    value = strtoull(text, &end, 10);
    end += strspn(end, " \t\r\n");
    return errno == 0 && *end == '\0' && value <= INT64_MAX ? value : SIZE_UNKNOWN;
}
