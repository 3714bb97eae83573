/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PRELOAD_REAL_H
#define PRELOAD_REAL_H

/* The C library below the shim.
 *
 * The shim defines open(), write() and others for the whole process. What it and the module call
 * by these names is linked with ld's --wrap to the functions __wrap_NAME of preload_real.c, which
 * call what shimReal holds: the C library's functions. Before the shim's constructor has run, when
 * a memory allocator may be what calls, nothing is looked up: looking up may allocate.
 */

#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* X(result, name, parameters, arguments). An allocator that starts may use these: */
#define SHIM_EARLY(X)                                                                            \
    X(ssize_t, write, (int fd, const void *buf, size_t n), (fd, buf, n))                         \
    X(int, close, (int fd), (fd))

/* and nobody uses these before the constructor has run, or at least not an allocator. */
#define SHIM_LATE(X)                                                                             \
    X(ssize_t, pwrite, (int fd, const void *buf, size_t n, off_t at), (fd, buf, n, at))          \
    X(ssize_t, pwrite64, (int fd, const void *buf, size_t n, off64_t at), (fd, buf, n, at))      \
    X(int, dup, (int fd), (fd))                                                                  \
    X(int, fsync, (int fd), (fd))                                                                \
    X(int, fdatasync, (int fd), (fd))                                                            \
    X(int, syncfs, (int fd), (fd))                                                               \
    X(int, futimens, (int fd, const struct timespec times[2]), (fd, times))                      \
    X(int, rename, (const char *from, const char *to), (from, to))                               \
    X(int, renameat, (int fd, const char *from, int tofd, const char *to), (fd, from, tofd, to)) \
    X(int, unlink, (const char *path), (path))                                                   \
    X(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))                   \
    X(int, mkdir, (const char *path, mode_t mode), (path, mode))                                 \
    X(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))                   \
    X(int, symlink, (const char *to, const char *path), (to, path))                              \
    X(int, symlinkat, (const char *to, int fd, const char *path), (to, fd, path))                \
    X(int, link, (const char *from, const char *path), (from, path))                             \
    X(int, linkat, (int ffd, const char *from, int fd, const char *path, int flags),             \
      (ffd, from, fd, path, flags))                                                              \
    X(int, mknodat, (int fd, const char *path, mode_t mode, dev_t dev), (fd, path, mode, dev))   \
    X(int, mkfifoat, (int fd, const char *path, mode_t mode), (fd, path, mode))                  \
    X(int, fchmodat, (int fd, const char *path, mode_t mode, int flags), (fd, path, mode, flags)) \
    X(int, utimensat, (int fd, const char *path, const struct timespec times[2], int flags),     \
      (fd, path, times, flags))                                                                  \
    X(int, chroot, (const char *path), (path))

/* The open family, whose mode is there only for a file that is made. */
#define SHIM_OPENS(X)                          \
    X(open, (const char *path, int flags, ...), (path, flags, mode))                  \
    X(open64, (const char *path, int flags, ...), (path, flags, mode))                \
    X(openat, (int dirfd, const char *path, int flags, ...), (dirfd, path, flags, mode)) \
    X(openat64, (int dirfd, const char *path, int flags, ...), (dirfd, path, flags, mode))

/* Take the mode of an open from its variable arguments. */
#define SHIM_MODE(flags, mode)                                         \
    do {                                                               \
        if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { \
            va_list ap_;                                               \
            va_start(ap_, flags);                                      \
            (mode) = va_arg(ap_, mode_t);                              \
            va_end(ap_);                                               \
        }                                                              \
    } while (0)

struct shimReal {
#define X(name, params, args) int(*name) params;
    SHIM_OPENS(X)
#undef X
#define X(type, name, params, args) type(*name) params;
    SHIM_EARLY(X)
    SHIM_LATE(X)
#undef X
};

/* Never holds a null pointer. */
extern struct shimReal shimReal;

/* Look up the C library's functions: once, by the constructor. */
void shimRealStart(void);

#pragma GCC visibility pop

#endif /* PRELOAD_REAL_H */
