/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mkpkg -o PACKAGE.rpm [MANIFEST]: writes a package from a manifest (standard input). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pkgwriter.h"

static char *readAll(FILE *f)
{
    struct bytes b = { NULL, 0, 0 };
    char block[4096];
    size_t got;

    while ((got = fread(block, 1, sizeof(block), f)) > 0)
        bytesAdd(&b, block, got);
    bytesAdd(&b, "", 1);
    return (char *)b.data;
}

int main(int argc, char **argv)
{
    const char *output = NULL;
    FILE *in = stdin;
    char *manifest;
    int c;

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("mkpkg -o PACKAGE.rpm [MANIFEST]\n%s", pkgManifestHelp);
        return 0;
    }
    while ((c = getopt(argc, argv, "o:")) != -1) {
        if (c != 'o')
            return 2;
        output = optarg;
    }
    if (output == NULL)
        die("no -o PACKAGE.rpm");
    if (optind < argc && (in = fopen(argv[optind], "re")) == NULL)
        die("cannot open %s", argv[optind]);
    manifest = readAll(in);
    pkgBuild(manifest, output);
    free(manifest);
    if (in != stdin)
        fclose(in);
    return 0;
}
