/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A check file of rpmdigest: each name that a line gives can be printed as a line that gives it. */
#include <stdio.h>
#include <string.h>

#include "fuzz_common.h"
#include "rpmdigest.h"

static char buffer[LINE_MAX_BYTES + 1];

static void printAgain(const struct algoList *list, const struct checkLine *line)
{
    struct lineParser parser = { list, -1 };
    struct checkLine again;
    char *text = NULL;
    size_t size;
    FILE *fp = open_memstream(&text, &size);

    putDigestLine(fp, line->algo, line->hex, line->name);
    fclose(fp);
    text[--size] = '\0';
    /* An empty name is none in the GNU form. */
    if (line->name[0] != '\0' && (!parseCheckLine(&parser, text, size, &again) ||
                                  again.algo != line->algo || strcmp(again.name, line->name) != 0))
        abort();
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct algoList list;
    struct lineParser parser = { &list, -1 };
    struct checkLine line;
    FILE *fp = fdopen(fuzzFile(data, size), "r"), *null = fopen("/dev/null", "w");
    size_t len;

    allAlgos(&list);
    while (readCheckLine(fp, buffer, &len)) {
        if (len == LINE_MAX_BYTES || !parseCheckLine(&parser, buffer, len, &line))
            continue;
        putJsonPath(null, line.name);
        putPrintable(null, line.name);
        opts.tag = !opts.tag;
        printAgain(&list, &line);
    }
    fclose(null);
    fclose(fp);
    return 0;
}
