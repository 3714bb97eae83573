/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an entry of repodata says, taken with care: it comes from a stranger. */

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmdigest.h"

static bool leadsOut(const char *href)
{
    while (*href != '\0') {
        size_t len = strcspn(href, "/");

        if (len == 2 && strncmp(href, "..", 2) == 0)
            return true;
        href += len + (href[len] == '/');
    }
    return false;
}

const char *hrefFault(const char *href)
{
    size_t scheme = strcspn(href, ":/");

    if (*href == '\0')
        return "location is empty";
    if (strlen(href) >= PATH_MAX)
        return "location is too long";
    if (*href == '/')
        return "location is absolute";
    if (strncmp(href + scheme, "://", 3) == 0)
        return "location is a URL";
    if (leadsOut(href))
        return "location leads out of the repository";
    return NULL;
}

char *decodeHref(const char *href)
{
    char *result = rmalloc(strlen(href) + 1), *to = result;
    bool found = false;

    for (; *href != '\0'; href++) {
        char c = *href;

        if (c == '%') {
            if (!isxdigit((unsigned char)href[1]) || !isxdigit((unsigned char)href[2]))
                return rfree(result);
            c = (char)(16 * rnibble(href[1]) + rnibble(href[2]));
            if (c == '\0')
                return rfree(result);
            href += 2;
            found = true;
        }
        *to++ = c;
    }
    *to = '\0';
    return found ? result : rfree(result);
}

char *plainHref(const char *href)
{
    char *result = rmalloc(strlen(href) + 1), *to = result;

    while (*href != '\0') {
        size_t len = strcspn(href, "/");

        if (len > 0 && !(len == 1 && *href == '.')) {
            if (to != result)
                *to++ = '/';
            memcpy(to, href, len);
            to += len;
        }
        href += len + (href[len] == '/');
    }
    *to = '\0';
    return result;
}

static bool takeHex(const char *text, size_t length, char *hex)
{
    text += strspn(text, " \t\r\n");
    if (strspn(text, "0123456789abcdefABCDEF") != length)
        return false;
    rstrlcpy(hex, text, length + 1);
    text += length;
    return text[strspn(text, " \t\r\n")] == '\0';
}

const char *entryToJob(const struct repoEntry *entry, struct digestJob *job)
{
    const struct digestAlgo *algo;

    if (entry->sumType == NULL || entry->sum == NULL)
        return "has no checksum";
    algo = algoByRepoName(entry->sumType);
    if (algo == NULL)
        return "checksum is of an unknown type";
    if (!takeHex(entry->sum, algo->hexLength, job->wantHex))
        return "checksum is malformed";
    job->algos.count = 1;
    job->algos.at[0] = algo;
    if (entry->size != NULL && (job->wantSize = parseSize(entry->size)) == SIZE_UNKNOWN)
        return "size is malformed";
    return NULL;
}
