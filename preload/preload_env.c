/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment: LD_PRELOAD without the shim's own entry while scripts may be run, and what is
 * said under RPMIO_POLICY_DEBUG.
 *
 * Scripts of packages must not have the shim: in a root of their own there is no such file, and the
 * loader would say so at every command. Other programs that rpm starts, such as rpmkeys, must have
 * it: so the entry comes back.
 */

#include "preload_internal.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

/* One thread at a time: librpm has one root and one set of signal handlers for a process. */
static int hidden;     /* how many times it has been hidden */
static char *whole;    /* LD_PRELOAD as it was, while it is hidden */
static char own[4096]; /* the shim's path, as the loader has it */
static bool debug;

void shimEnvStart(void)
{
    Dl_info info;

    if (dladdr(own, &info) && info.dli_fname != NULL)
        rstrlcpy(own, info.dli_fname, sizeof(own));
    debug = getenv("RPMIO_POLICY_DEBUG") != NULL;
}

/* The loader takes blanks and colons between entries. Returns NULL if nothing is left. */
static char *withoutOwn(const char *value)
{
    char *copy = rstrdup(value);
    char *rest = NULL;
    char *state = NULL;

    for (char *entry = strtok_r(copy, ": ", &state); entry; entry = strtok_r(NULL, ": ", &state)) {
        if (!rstreq(entry, own))
            rstrscat(&rest, rest ? ":" : "", entry, NULL);
    }
    free(copy);
    return rest;
}

static void setOrUnset(const char *value)
{
    if (value != NULL)
        setenv("LD_PRELOAD", value, 1);
    else
        unsetenv("LD_PRELOAD");
}

void shimEnvHide(void)
{
    const char *value = getenv("LD_PRELOAD");

    if (hidden++ == 0 && value != NULL) {
        char *rest = withoutOwn(value);

        whole = rstrdup(value);
        setOrUnset(rest);
        free(rest);
    }
}

void shimEnvShow(void)
{
    if (--hidden == 0 && whole != NULL) {
        setOrUnset(whole);
        whole = rfree(whole);
    }
}

bool shimDebug(void)
{
    return debug;
}

void shimSay(const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;

    if (!debug)
        return;
    va_start(ap, fmt);
    rvasprintf(&text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "rpmio-policy: %s\n", text);
    free(text);
}
