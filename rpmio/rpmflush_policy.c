/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The write policy: words and numbers, from macros and strings, and back to text. */

#include "rpmflush_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmpolicytext.h"

static const char *const methodNames[] = {
    [RPMFLUSH_OSYNC] = "osync",
    [RPMFLUSH_ODSYNC] = "odsync",
    [RPMFLUSH_FSYNC] = "fsync",
    [RPMFLUSH_FDATASYNC] = "fdatasync",
    [RPMFLUSH_BATCH] = "batch",
};
#define METHODS "osync, odsync, fsync, fdatasync, batch"

static const char *const barrierNames[] = {
    [RPMFLUSH_BARRIER_AUTO] = "auto",
    [RPMFLUSH_BARRIER_FSYNC] = "fsync",
    [RPMFLUSH_BARRIER_SYNCFS] = "syncfs",
};

void rpmFlushPolicyInit(rpmFlushPolicy *policy)
{
    memset(policy, 0, sizeof(*policy));
    policy->whether = RPMFLUSH_OFF;
    policy->method = RPMFLUSH_FSYNC;
    policy->dontneed = -1;
    policy->dirty = 64 * 1024 * 1024;
}

uint64_t flushInterval(const rpmFlushPolicy *policy)
{
    if (policy->interval > 0)
        return policy->interval;
    return (policy->method == RPMFLUSH_BATCH ? 1024 : 256) * 1024;
}

int flushDontneed(const rpmFlushPolicy *policy)
{
    if (policy->dontneed >= 0)
        return policy->dontneed;
    return policy->whether == RPMFLUSH_ON && policy->method == RPMFLUSH_FDATASYNC;
}

/* ---- Values ---- */

static int findWord(const char *const words[], size_t n, const char *value)
{
    for (size_t i = 0; i < n; i++) {
        if (rstreq(value, words[i]))
            return (int)i;
    }
    return -1;
}
#define FIND_WORD(words, value) findWord(words, sizeof(words) / sizeof((words)[0]), value)

static int parseMethod(rpmFlushPolicy *policy, const char *value)
{
    int found = FIND_WORD(methodNames, value);

    if (found < 0)
        return -1;
    policy->method = (rpmFlushMethod)found;
    return 0;
}

/* Numbers as rpmExpandNumeric() takes them, and the words that people write for y and n. */
static int parseSwitch(const char *value, int *on)
{
    char *end;
    long number;

    if (strcasecmp(value, "y") == 0 || strcasecmp(value, "yes") == 0) {
        *on = 1;
        return 0;
    }
    if (strcasecmp(value, "n") == 0 || strcasecmp(value, "no") == 0) {
        *on = 0;
        return 0;
    }
    number = strtol(value, &end, 0);
    if (end == value || *end != '\0')
        return -1;
    *on = number > 0;
    return 0;
}

/* ---- One function per macro and direction ---- */

static int setWhether(rpmFlushPolicy *policy, const char *value)
{
    int on;

    if (rstreq(value, "none")) {
        policy->whether = RPMFLUSH_NONE;
        return 0;
    }
    if (parseSwitch(value, &on) == 0) {
        policy->whether = on ? RPMFLUSH_ON : RPMFLUSH_OFF;
        return 0;
    }
    if (parseMethod(policy, value))
        return -1;
    policy->whether = RPMFLUSH_ON;
    return 0;
}

static int setBarrier(rpmFlushPolicy *policy, const char *value)
{
    int found = FIND_WORD(barrierNames, value);

    if (found < 0)
        return -1;
    policy->barrier = (rpmFlushBarrierBy)found;
    return 0;
}

static int parsePositive(const char *value, uint64_t *size)
{
    return policySize(value, size) || *size == 0 ? -1 : 0;
}

static int setInterval(rpmFlushPolicy *policy, const char *value)
{
    return parsePositive(value, &policy->interval);
}

static int setDirty(rpmFlushPolicy *policy, const char *value)
{
    return parsePositive(value, &policy->dirty);
}

static int setPending(rpmFlushPolicy *policy, const char *value)
{
    return policySize(value, &policy->pending);
}

static int setFallocate(rpmFlushPolicy *policy, const char *value)
{
    return policySize(value, &policy->fallocate);
}

static int setDontneed(rpmFlushPolicy *policy, const char *value)
{
    return parseSwitch(value, &policy->dontneed);
}

static char *textOf(uint64_t number)
{
    char *text = NULL;

    rasprintf(&text, "%llu", (unsigned long long)number);
    return text;
}

static char *showWhether(const rpmFlushPolicy *policy)
{
    return policy->whether == RPMFLUSH_NONE ? rstrdup("none") : textOf(policy->whether);
}

static char *showMethod(const rpmFlushPolicy *policy)
{
    return rstrdup(methodNames[policy->method]);
}

static char *showInterval(const rpmFlushPolicy *policy)
{
    return textOf(flushInterval(policy));
}

static char *showBarrier(const rpmFlushPolicy *policy)
{
    return rstrdup(barrierNames[policy->barrier]);
}

static char *showDirty(const rpmFlushPolicy *policy)
{
    return textOf(policy->dirty);
}

static char *showPending(const rpmFlushPolicy *policy)
{
    return textOf(policy->pending);
}

static char *showFallocate(const rpmFlushPolicy *policy)
{
    return textOf(policy->fallocate);
}

static char *showDontneed(const rpmFlushPolicy *policy)
{
    return textOf((uint64_t)flushDontneed(policy));
}

#define SIZES "bytes, with K, M or G for 1024 and its powers"

/* In the order in which they are read: the shorthand in _flush_io wins over the method. */
static const struct flushKey {
    const char *name;
    int (*set)(rpmFlushPolicy *policy, const char *value);
    char *(*show)(const rpmFlushPolicy *policy);
    const char *accepted;
} keys[] = {
    { "_flush_io_method", parseMethod, showMethod, METHODS },
    { "_flush_io", setWhether, showWhether, "a number, y, n, none, " METHODS },
    { "_flush_io_barrier", setBarrier, showBarrier, "auto, fsync, syncfs" },
    { "_flush_io_interval", setInterval, showInterval, "a number above 0 of " SIZES },
    { "_flush_io_dirty", setDirty, showDirty, "a number above 0 of " SIZES },
    { "_flush_io_pending", setPending, showPending,
      "0 or a number, with K, M or G for 1024 and its powers" },
    { "_flush_io_fallocate", setFallocate, showFallocate, "0 or a number of " SIZES },
    { "_flush_io_dontneed", setDontneed, showDontneed, "a number, y, n" },
};
#define NKEYS (sizeof(keys) / sizeof(keys[0]))

static const struct flushKey *findKey(const char *name)
{
    for (size_t i = 0; i < NKEYS; i++) {
        if (rstreq(keys[i].name, name))
            return &keys[i];
    }
    return NULL;
}

const char *rpmFlushPolicyKey(int ix)
{
    return ix >= 0 && (size_t)ix < NKEYS ? keys[ix].name : NULL;
}

char *rpmFlushPolicyValue(const rpmFlushPolicy *policy, const char *key)
{
    const struct flushKey *found = findKey(key);

    return found ? found->show(policy) : NULL;
}

int rpmFlushPolicyIdle(const rpmFlushPolicy *policy)
{
    return policy->whether != RPMFLUSH_ON && policy->fallocate == 0 && !flushDontneed(policy);
}

/* ---- Reading ---- */

static int refuseKey(char **emsg, const char *name)
{
    char *names = rstrdup(keys[0].name);

    for (size_t i = 1; i < NKEYS; i++)
        rstrscat(&names, ", ", keys[i].name, NULL);
    if (emsg != NULL)
        rasprintf(emsg, "macro %%%s is not part of the write policy, which has: %s", name, names);
    free(names);
    return -1;
}

int rpmFlushPolicyParse(rpmFlushPolicy *policy, const char *key, const char *value, char **emsg)
{
    const struct flushKey *found = findKey(key);
    rpmFlushPolicy changed = *policy;
    char *word;
    int rc = 0;

    if (found == NULL)
        return refuseKey(emsg, key);
    word = policyTrimmed(value);
    if (*word != '\0' && found->set(&changed, word))
        rc = policyRefuse(emsg, key, word, found->accepted);
    else
        *policy = changed;
    free(word);
    return rc;
}

int rpmFlushPolicyFromMacros(rpmFlushPolicy *policy, char **emsg)
{
    int rc = 0;

    rpmFlushPolicyInit(policy);
    for (size_t i = 0; i < NKEYS && rc == 0; i++) {
        char *value = policyMacro(keys[i].name);

        rc = rpmFlushPolicyParse(policy, keys[i].name, value, emsg);
        free(value);
    }
    return rc;
}
