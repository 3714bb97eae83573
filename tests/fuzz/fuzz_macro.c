/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A macro file, or text to expand: the first byte says which. No shell is run, and what
 * tables and traces would print is formatted only. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rpm/rpmmacro.h>

#include "fuzz_common.h"

FILE *__wrap_popen(const char *command, const char *type);
int __wrap_fprintf(FILE *fp, const char *fmt, ...);

int __wrap_fprintf(FILE *fp, const char *fmt, ...)
{
    va_list ap;
    int n;

    (void)fp;
    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    return n;
}

FILE *__wrap_popen(const char *command, const char *type)
{
    (void)command, (void)type;
    return fopen("/dev/null", "re");
}

static void loadFile(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = fuzzFile(data, size);

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    rpmLoadMacroFile(NULL, path);
    close(fd);
}

static void expandText(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), *result = NULL;

    rpmExpandMacros(NULL, text, &result, 0);
    free(result);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Names of files that the built-in would open. */
    if (size == 0 || memmem(data, size, "load", 4) != NULL)
        return -1;
    rpmInitMacros(NULL, NULL);
    rpmDefineMacro(NULL, "simple value", 0);
    rpmDefineMacro(NULL, "many(ab:c) %0 %1 %# %{-a} %{-b*}", 0);
    if (data[0] & 1)
        loadFile(data + 1, size - 1);
    else
        expandText(data + 1, size - 1);
    rpmlogClose();
    rpmFreeMacros(NULL);
    return 0;
}
