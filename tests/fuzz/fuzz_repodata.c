/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repomd.xml or primary.xml, compressed or not; the first byte says which of the two. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_common.h"
#include "rpmdigest.h"

#define SIZE_MAX_BYTES (4 << 20)

static void checkHref(const char *href)
{
    const char *fault = hrefFault(href);
    char *plain = plainHref(href), *decoded = decodeHref(href);

    /* What is not refused stays below the directory. */
    if (fault == NULL && (plain[0] == '/' || strcmp(plain, "..") == 0 ||
                          strncmp(plain, "../", 3) == 0 || strstr(plain, "/../") != NULL))
        abort();
    free(decoded);
    free(plain);
}

static void take(void *data, const struct repoEntry *entry)
{
    struct digestJob *job = newJob("path", NULL, NULL);

    (void)data;
    if (entry->href != NULL)
        checkHref(entry->href);
    if (entry->openSize != NULL)
        parseSize(entry->openSize);
    if (entryToJob(entry, job) == NULL && strlen(job->wantHex) != job->algos.at[0]->hexLength)
        abort();
    freeJob(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *emsg = NULL;
    int fdno;

    if (size == 0)
        return -1;
    fdno = fuzzFile(data + 1, size - 1);
    if ((readRepodata(fdno, data[0] & 1 ? REPO_PRIMARY : REPO_REPOMD, SIZE_MAX_BYTES, take, NULL,
                      &emsg) != 0) != (emsg != NULL))
        abort();
    free(emsg);
    close(fdno);
    return 0;
}
