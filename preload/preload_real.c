/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C library's functions, as preload_real.h says. */

/* open and open64 are two names here. */
#undef _FILE_OFFSET_BITS

#include "preload_real.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Before the constructor ---- */

static int earlyOpen(const char *path, int flags, ...)
{
    mode_t mode = 0;

    SHIM_MODE(flags, mode);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int earlyOpenat(int dirfd, const char *path, int flags, ...)
{
    mode_t mode = 0;

    SHIM_MODE(flags, mode);
    return (int)syscall(SYS_openat, dirfd, path, flags, mode);
}

static ssize_t earlyWrite(int fd, const void *buf, size_t n)
{
    return syscall(SYS_write, fd, buf, n);
}

static int earlyClose(int fd)
{
    return (int)syscall(SYS_close, fd);
}

#define X(type, name, params, args) \
    static type late_##name params  \
    {                               \
        shimRealStart();            \
        return shimReal.name args;  \
    }
SHIM_LATE(X)
#undef X

struct shimReal shimReal = {
    .open = earlyOpen,
    .open64 = earlyOpen,
    .openat = earlyOpenat,
    .openat64 = earlyOpenat,
    .write = earlyWrite,
    .close = earlyClose,
#define X(type, name, params, args) .name = late_##name,
    SHIM_LATE(X)
#undef X
};

/* ---- Looking up ---- */

/* A C library without one of these is none that this program was made for. */
static void *find(const char *name)
{
    static const char said[] = "rpmio-policy: not in the C library: ";
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol == NULL) {
        (void)!earlyWrite(STDERR_FILENO, said, sizeof(said) - 1);
        (void)!earlyWrite(STDERR_FILENO, name, strlen(name));
        (void)!earlyWrite(STDERR_FILENO, "\n", 1);
        _exit(127);
    }
    return symbol;
}

void shimRealStart(void)
{
#define X(name, params, args) shimReal.name = (int(*) params)find(#name);
    SHIM_OPENS(X)
#undef X
#define X(type, name, params, args) shimReal.name = (type(*) params)find(#name);
    SHIM_EARLY(X)
    SHIM_LATE(X)
#undef X
}

/* ---- What --wrap leads to ---- */

#define X(name, params, args)    \
    int __wrap_##name params;    \
    int __wrap_##name params     \
    {                            \
        mode_t mode = 0;         \
                                 \
        SHIM_MODE(flags, mode);  \
        return shimReal.name args; \
    }
SHIM_OPENS(X)
#undef X

#define X(type, name, params, args) \
    type __wrap_##name params;      \
    type __wrap_##name params       \
    {                               \
        return shimReal.name args;  \
    }
SHIM_EARLY(X)
SHIM_LATE(X)
#undef X
