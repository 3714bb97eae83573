/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A header blob: all of its tags, in several shapes, and its file list. */
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmfiles.h>

#include "fuzz_common.h"

static void useFiles(Header h)
{
    rpmfiles files = rpmfilesNew(NULL, h, RPMTAG_BASENAMES, RPMFI_KEEPHEADER);
    int num = files != NULL ? (int)rpmfilesFC(files) : 0;

    for (int i = 0; i < num; i++) {
        char *name = rpmfilesFN(files, i);
        const int *links;

        if (name == NULL || (rpmfilesFindFN(files, name) != i && rpmfilesFindFN(files, name) < 0))
            abort();
        rpmfilesFLinks(files, i, &links);
        rpmfilesFDigest(files, i, NULL, NULL);
        rpmfilesFLink(files, i);
        free(name);
    }
    rpmfilesFree(files);
}

static void useTags(Header h)
{
    HeaderIterator hi = headerInitIterator(h);
    struct rpmtd_s td;

    while (headerNext(hi, &td)) {
        for (rpmtdFormats format = RPMTD_FORMAT_STRING; format <= RPMTD_FORMAT_TAGNUM; format++) {
            rpmtdInit(&td);
            for (int i = 0; i < 3 && rpmtdNext(&td) >= 0; i++) {
                if (format != RPMTD_FORMAT_EXPAND)
                    free(rpmtdFormat(&td, format, NULL));
            }
        }
        rpmtdFreeData(&td);
    }
    headerFreeIterator(hi);
}

/* What is exported again is the same header. */
static void exportAgain(Header h)
{
    unsigned int size = 0;
    void *blob = headerExport(h, &size);
    Header again = headerImport(blob, size, HEADERIMPORT_COPY);

    if (blob == NULL || again == NULL)
        abort();
    headerFree(again);
    free(blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A size of 0 says that the blob is trusted. */
    Header h = size > 0 ? headerImport((void *)data, (unsigned int)size, HEADERIMPORT_COPY) : NULL;

    if (h != NULL) {
        useTags(h);
        useFiles(h);
        exportAgain(h);
        free(headerFormat(h, "[%{*:xml}\n]%{NEVRA}[%{FILENAMES} %{FILEMODES:perms} ]"
                             "[%{REQUIRES} %{TRIGGERCONDS}]%{SIGMD5:pgpsig}%{BUILDTIME:date}", NULL));
        headerFree(h);
    }
    rpmlogClose();
    return 0;
}
