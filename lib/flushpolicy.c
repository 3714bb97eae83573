/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The write policy of a transaction: read from the macros, and said with its sources. */

#include "flushpolicy.h"

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "rpmts_internal.h"

/* Does %_flush_io name a method? Then it is where the method comes from. */
static int isShorthand(void)
{
    char *value = rpmExpand("%{?_flush_io}", NULL);
    rpmFlushPolicy trial;
    int rc;

    rpmFlushPolicyInit(&trial);
    rc = *value != '\0' && rpmFlushPolicyParse(&trial, "_flush_io_method", value, NULL) == 0;
    rfree(value);
    return rc;
}

static char *sourceOf(const char *key)
{
    const char *name = rstreq(key, "_flush_io_method") && isShorthand() ? "_flush_io" : key;
    char *source = rpmMacroSource(NULL, name, NULL);

    return source != NULL ? source : rstrdup("default");
}

void flushPolicySay(const rpmFlushPolicy *policy, void (*say)(void *data, const char *line),
                    void *data)
{
    const char *key;

    for (int i = 0; (key = rpmFlushPolicyKey(i)) != NULL; i++) {
        char *value = rpmFlushPolicyValue(policy, key);
        char *source = sourceOf(key);
        char *line = NULL;

        rasprintf(&line, "%%%-20s %-10s (%s)", key, value, source);
        say(data, line);
        rfree(line);
        rfree(source);
        free(value);
    }
}

static void logLine(void *data, const char *line)
{
    (void) data;
    rpmlog(RPMLOG_DEBUG, "write policy: %s\n", line);
}

void rpmtsSayBarriers(rpmts ts)
{
    char *text = rpmIsDebug() ? rpmFlushReport(ts->flush) : NULL;
    char *save = NULL;

    for (char *line = text != NULL ? strtok_r(text, "\n", &save) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &save))
        logLine(NULL, line);
    free(text);
}

int rpmtsIsBatch(rpmts ts)
{
    const rpmFlushPolicy *policy = rpmFlushGetPolicy(ts->flush);

    return policy->whether == RPMFLUSH_ON && policy->method == RPMFLUSH_BATCH;
}

int rpmtsReadPolicy(rpmts ts)
{
    rpmFlushPolicy policy;
    char *emsg = NULL;

    if (rpmFlushPolicyFromMacros(&policy, &emsg)) {
        rpmlog(RPMLOG_ERR, "%s\n", emsg);
        free(emsg);
        return -1;
    }
    rpmFlushFree(ts->flush);
    ts->flush = rpmFlushNew(&policy);
    if (rpmIsDebug())
        flushPolicySay(&policy, logLine, NULL);
    return 0;
}
