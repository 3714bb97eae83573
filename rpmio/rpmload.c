/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dlfcn.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmload.h"

/* The path of a library beside the one that an address is in. */
static char *pathBeside(void *address, const char *library)
{
    Dl_info info = { .dli_fname = "" };
    const char *slash = dladdr(address, &info) != 0 ? strrchr(info.dli_fname, '/') : NULL;
    char *path = NULL;

    rasprintf(&path, "%.*s%s", slash != NULL ? (int)(slash + 1 - info.dli_fname) : 0,
              info.dli_fname, library);
    return path;
}

void *rpmLoadBeside(void (*neighbour)(void), const char *library, const char *function)
{
    char *path = pathBeside((void *)neighbour, library);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = handle != NULL ? dlsym(handle, function) : NULL;

    if (found == NULL)
        rpmlog(RPMLOG_ERR, "cannot load a library: %s\n", dlerror());
    rfree(path);
    return found;
}
