/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpkgs <LIST: are downloaded packages what a list says? It has lines as sha256sum prints them.
 *     cc checkpkgs.c $(pkg-config --cflags --libs rpmiopolicy)
 * How files are read is the distribution's to say: %_digest_mmap_threshold. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmfiledigest.h>
#include <rpm/rpmlib.h>

int main(void)
{
    int algo = RPM_HASH_SHA256, bad = 0;
    char sum[65], path[4096], *emsg = NULL;
    rpmFileDigestOptions opts;
    rpmFileDigestResult res;
    void *wanted;

    if (rpmReadConfigFiles(NULL, NULL) || rpmFileDigestOptionsFromMacros(&opts, &emsg)) {
        fprintf(stderr, "checkpkgs: %s\n", emsg ? emsg : "no configuration of rpm");
        return 2;
    }
    rpmFileDigestPool pool = rpmFileDigestPoolNew(&opts);
    while (scanf("%64s %4095[^\n]", sum, path) == 2) {
        rpmFileDigestJob job = { .path = path, .algos = &algo, .nalgos = 1, .data = strdup(sum) };
        rpmFileDigestPoolAdd(pool, &job);
    }
    while (rpmFileDigestPoolNext(pool, &res, &wanted)) {
        if (res.err != 0)
            fprintf(stderr, "checkpkgs: %s\n", res.msg);
        else
            puts(strcmp(res.hex[0], wanted) == 0 ? "good" : "DAMAGED");
        bad += res.err != 0 || strcmp(res.hex[0], wanted) != 0;
        free(wanted);
        rpmFileDigestResultFini(&res);
    }
    rpmFileDigestPoolFree(pool);
    return bad > 0;
}
