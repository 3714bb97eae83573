/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dlfcn.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmload.h"

/* The path of a library beside the one that an address is in; NULL if that was found by a relative
 * path, which may name another directory by now. */
static char *pathBeside(void *address, const char *library)
{
    Dl_info info = { .dli_fname = "" };
    char *path = NULL;

    if (dladdr(address, &info) != 0 && *info.dli_fname == '/')
        rasprintf(&path, "%.*s%s", (int)(strrchr(info.dli_fname, '/') + 1 - info.dli_fname),
                  info.dli_fname, library);
    return path;
}

void *rpmLoadBeside(void (*neighbour)(void), const char *library, const char *function)
{
    char *path = pathBeside((void *)neighbour, library);
    void *handle = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *found = handle != NULL ? dlsym(handle, function) : NULL;

    if (path == NULL)
        rpmlog(RPMLOG_ERR, "cannot load %s: librpmio itself has no absolute path\n", library);
    else if (found == NULL)
        rpmlog(RPMLOG_ERR, "cannot load a library: %s\n", dlerror());
    rfree(path);
    return found;
}
