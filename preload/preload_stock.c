/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process's own libraries, in front of which the shim stands.
 *
 * A program may have opened librpm for itself alone (dlopen() with RTLD_LOCAL, as interpreters do
 * for their modules). Then RTLD_NEXT does not find it, but the library that calls does: it lies in
 * its dependencies, where the shim does not.
 */

#include "preload_internal.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* Of each library the one that is loaded is meant, whatever its version. */
static const char *const libraries[] = {
    "librpmio.so.9", "librpmio.so.10", "librpm.so.9", "librpm.so.10",
    "libcreaterepo_c.so.0", "libcreaterepo_c.so.1", "librepo.so.0",
};

static void *inLibrary(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    void *symbol;

    if (handle == NULL)
        return NULL;
    symbol = dlsym(handle, name);
    if (symbol == NULL)
        dlclose(handle);
    return symbol;
}

/* The program itself has no name by which it could be opened. */
static void *behindCaller(const char *name, void *caller)
{
    Dl_info info;

    if (caller == NULL || !dladdr(caller, &info) || info.dli_fname == NULL ||
        strchr(info.dli_fname, '/') == NULL)
        return NULL;
    return inLibrary(info.dli_fname, name);
}

void *shimStock(const char *name, void *caller)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol == NULL)
        symbol = behindCaller(name, caller);
    for (size_t i = 0; symbol == NULL && i < sizeof(libraries) / sizeof(libraries[0]); i++)
        symbol = inLibrary(libraries[i], name);
    return symbol;
}

bool shimStockHere(void)
{
    static _Atomic bool here;

    if (!here)
        here = shimStock("rpmExpand", NULL) != NULL;
    return here;
}
