/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two versions, divided by a NUL: the comparison is the same in both directions. */
#include <string.h>

#include <rpm/rpmver.h>

#include "fuzz_common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = memchr(data, '\0', size);
    char *a, *b;

    if (nul == NULL)
        return -1;
    a = strdup((const char *)data);
    b = strndup((const char *)nul + 1, size - (size_t)(nul + 1 - data));
    if (rpmvercmp(a, b) != -rpmvercmp(b, a) || rpmvercmp(a, a) != 0)
        abort();
    free(a);
    free(b);
    return 0;
}
