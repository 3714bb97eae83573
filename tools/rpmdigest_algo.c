/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The algorithms of rpmdigest, by the names that people and repodata give them. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmstring.h>

#include "rpmdigest.h"

static const struct digestAlgo algorithms[ALGOS_MAX] = {
    { "md5", "MD5", RPM_HASH_MD5, 32 },
    { "sha1", "SHA1", RPM_HASH_SHA1, 40 },
    { "sha224", "SHA224", RPM_HASH_SHA224, 56 },
    { "sha256", "SHA256", RPM_HASH_SHA256, 64 },
    { "sha384", "SHA384", RPM_HASH_SHA384, 96 },
    { "sha512", "SHA512", RPM_HASH_SHA512, 128 },
};

void allAlgos(struct algoList *list)
{
    for (list->count = 0; list->count < ALGOS_MAX; list->count++)
        list->at[list->count] = &algorithms[list->count];
}

static const struct digestAlgo *algoByName(const char *name, size_t len)
{
    for (size_t i = 0; i < ALGOS_MAX; i++) {
        if (strlen(algorithms[i].name) == len && rstrncasecmp(algorithms[i].name, name, len) == 0)
            return &algorithms[i];
    }
    return NULL;
}

static void addOnce(struct algoList *list, const struct digestAlgo *algo)
{
    for (int i = 0; i < list->count; i++) {
        if (list->at[i] == algo)
            return;
    }
    list->at[list->count++] = algo;
}

int parseAlgos(const char *text, struct algoList *list, char **emsg)
{
    list->count = 0;
    for (;;) {
        size_t len = strcspn(text, ",");
        const struct digestAlgo *algo = algoByName(text, len);

        if (algo == NULL) {
            rasprintf(emsg, "'%.*s' is none of md5, sha1, sha224, sha256, sha384, sha512",
                      (int)(len < 100 ? len : 100), text);
            return -1;
        }
        if (rpmDigestLength(algo->number) == 0) {
            rasprintf(emsg, "the crypto library does not offer %s", algo->name);
            return -1;
        }
        addOnce(list, algo);
        if (text[len] == '\0')
            return 0;
        text += len + 1;
    }
}

const struct digestAlgo *algoByTag(const struct algoList *list, const char *text)
{
    for (int i = 0; i < list->count; i++) {
        if (strncmp(text, list->at[i]->tag, strlen(list->at[i]->tag)) == 0)
            return list->at[i];
    }
    return NULL;
}

const struct digestAlgo *algoByLength(const struct algoList *list, size_t hexLength)
{
    for (int i = 0; i < list->count; i++) {
        if (list->at[i]->hexLength == hexLength)
            return list->at[i];
    }
    return NULL;
}

const struct digestAlgo *algoByRepoName(const char *name)
{
    /* What createrepo wrote in yum's days. */
    if (rstreq(name, "sha"))
        name = "sha1";
    return algoByName(name, strlen(name));
}
