/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A query format over a small header. */
#include <string.h>

#include <rpm/header.h>

#include "fuzz_common.h"

static Header newHeader(void)
{
    Header h = headerNew();
    const char *names[] = { "a", "b", "c" }, *dirs[] = { "/", "/usr/" };
    uint32_t numbers[] = { 0, 1, 1 };

    headerPutString(h, RPMTAG_NAME, "name");
    headerPutString(h, RPMTAG_VERSION, "1.0");
    headerPutString(h, RPMTAG_RELEASE, "1");
    headerPutStringArray(h, RPMTAG_BASENAMES, names, 3);
    headerPutStringArray(h, RPMTAG_DIRNAMES, dirs, 2);
    headerPutUint32(h, RPMTAG_DIRINDEXES, numbers, 3);
    return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Header h = newHeader();
    char *format = strndup((const char *)data, size);

    if (strstr(format, "expand") == NULL)
        free(headerFormat(h, format, NULL));
    free(format);
    headerFree(h);
    rpmlogClose();
    return 0;
}
