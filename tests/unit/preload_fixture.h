/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PRELOAD_FIXTURE_H
#define PRELOAD_FIXTURE_H

/* A process with the shim in it, and a librpm that is a few lines of the test: what the shim asks
 * of the C library is logged, one word a call, and fails on demand. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload_internal.h"
#include "preload_real.h"

int rpmtsRun(void *ts, void *okProbs, unsigned ignoreSet);
int rpmPackageFilesInstall(void *ts, void *te, void *files, void *psm, char **failedFile);
int rpmPackageFilesRemove(void *ts, void *te, void *files, void *psm, char **failedFile);
uint64_t rpmfiFSize(void *fi);
int cap_set_fd(int fd, void *caps);

/* What the process sees by the C library's names; the plain names lead below the shim here, as
 * they do in the shim's own code. */
#define X(name, params, args) int __real_##name params;
SHIM_OPENS(X)
#undef X
#define X(type, name, params, args) type __real_##name params;
SHIM_EARLY(X)
SHIM_LATE(X)
#undef X

static const struct shimReal sys = {
#define X(name, params, args) .name = __real_##name,
    SHIM_OPENS(X)
#undef X
#define X(type, name, params, args) .name = __real_##name,
    SHIM_EARLY(X)
    SHIM_LATE(X)
#undef X
};

/* ---- The process's librpm ---- */

static const char *macros[8][2];     /* name, value; the rest undefined */
static int (*transaction)(void);     /* what rpmtsRun() does */
static int (*package)(void);         /* what rpmPackageFilesInstall() and ...Remove() do */
static uint64_t fileSize;
static char said[1024];              /* by rpmlog() */
static int capsSet;

static char *stockExpand(const char *arg, ...)
{
    char name[64] = "";

    sscanf(arg, "%%{?%63[a-z_]}", name);
    for (int i = 0; i < 8 && macros[i][0] != NULL; i++) {
        if (strcmp(macros[i][0], name) == 0)
            return strdup(macros[i][1]);
    }
    return strdup("");
}

static void stockLog(int code, const char *fmt, ...)
{
    size_t used = strlen(said);
    va_list ap;

    (void)code;
    va_start(ap, fmt);
    vsnprintf(said + used, sizeof(said) - used, fmt, ap);
    va_end(ap);
}

static int stockRun(void *ts, void *okProbs, unsigned ignoreSet)
{
    (void)ts, (void)okProbs, (void)ignoreSet;
    return transaction();
}

static int stockFiles(void *ts, void *te, void *files, void *psm, char **failedFile)
{
    (void)ts, (void)te, (void)files, (void)psm, (void)failedFile;
    return package();
}

static uint64_t stockSize(void *fi)
{
    (void)fi;
    return fileSize;
}

static int stockCaps(int fd, void *caps)
{
    (void)fd, (void)caps;
    capsSet++;
    return 0;
}

void *__wrap_shimStock(const char *name, void *caller);
bool __wrap_shimStockHere(void);

void *__wrap_shimStock(const char *name, void *caller)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } stock[] = {
        { "rpmExpand", (void (*)(void))stockExpand },
        { "rpmlog", (void (*)(void))stockLog },
        { "rpmtsRun", (void (*)(void))stockRun },
        { "rpmPackageFilesInstall", (void (*)(void))stockFiles },
        { "rpmPackageFilesRemove", (void (*)(void))stockFiles },
        { "rpmfiFSize", (void (*)(void))stockSize },
        { "cap_set_fd", (void (*)(void))stockCaps },
    };

    (void)caller;
    for (size_t i = 0; i < sizeof(stock) / sizeof(stock[0]); i++) {
        if (strcmp(stock[i].name, name) == 0)
            return (void *)stock[i].function;
    }
    return NULL;
}

bool __wrap_shimStockHere(void)
{
    return true;
}

/* ---- The C library below ---- */

static struct shimReal real;
static pthread_mutex_t logLock = PTHREAD_MUTEX_INITIALIZER;
static char calls[4096];
static const char *failing; /* the call that fails with EIO */
static int openedWith;      /* flags of the last file that was made */

static int called(const char *name)
{
    pthread_mutex_lock(&logLock);
    if (strlen(calls) + strlen(name) + 2 < sizeof(calls))
        strcat(strcat(calls, *calls ? " " : ""), name);
    pthread_mutex_unlock(&logLock);
    if (failing == NULL || strcmp(failing, name) != 0)
        return 0;
    errno = EIO;
    return -1;
}

static int logFsync(int fd)
{
    struct stat sb;
    int directory = fstat(fd, &sb) == 0 && S_ISDIR(sb.st_mode);

    return called(directory ? "fsync-dir" : "fsync") ? -1 : real.fsync(fd);
}

static int logFdatasync(int fd)
{
    return called("fdatasync") ? -1 : real.fdatasync(fd);
}

/* The disk of the machine is left alone. */
static int logSyncfs(int fd)
{
    if (fcntl(fd, F_GETFD) < 0)
        return -1;
    return called("syncfs");
}

static int logRename(const char *from, const char *to)
{
    return called("rename") ? -1 : real.rename(from, to);
}

static int logRenameat(int fd, const char *from, int tofd, const char *to)
{
    return called("rename") ? -1 : real.renameat(fd, from, tofd, to);
}

static ssize_t logPwrite(int fd, const void *buf, size_t n, off64_t at)
{
    return called("pwrite") ? -1 : real.pwrite64(fd, buf, n, at);
}

static int logOpenat(int dirfd, const char *path, int flags, ...)
{
    mode_t mode = 0;

    SHIM_MODE(flags, mode);
    if (flags & O_CREAT)
        openedWith = flags;
    return real.openat(dirfd, path, flags, mode);
}

static char directory[64];
static int dirfd = -1;

static int setup(void **state)
{
    (void)state;
    memset(macros, 0, sizeof(macros));
    calls[0] = said[0] = '\0';
    failing = NULL;
    transaction = package = NULL;
    openedWith = capsSet = 0;
    fileSize = 5;
    real = shimReal;
    shimReal.fsync = logFsync;
    shimReal.fdatasync = logFdatasync;
    shimReal.syncfs = logSyncfs;
    shimReal.rename = logRename;
    shimReal.renameat = logRenameat;
    shimReal.pwrite64 = logPwrite;
    shimReal.openat = logOpenat;
    strcpy(directory, "/tmp/rpmio-preload-XXXXXX");
    if (mkdtemp(directory) == NULL)
        return -1;
    dirfd = real.open(directory, O_RDONLY | O_DIRECTORY);
    return dirfd < 0 || chdir(directory) ? -1 : 0;
}

static int teardown(void **state)
{
    char command[128];

    (void)state;
    (void)shimRunEnd(0);
    shimNone = false;
    shimReal = real;
    sys.close(dirfd);
    snprintf(command, sizeof(command), "rm -rf '%s'", directory);
    return chdir("/") || system(command);
}

static void policy(const char *method)
{
    macros[0][0] = "_flush_io";
    macros[0][1] = "1";
    macros[1][0] = "_flush_io_method";
    macros[1][1] = method;
    /* One fsync a file: not by what else is dirty on the machine. */
    macros[2][0] = "_flush_io_barrier";
    macros[2][1] = "fsync";
}

/* ---- What rpm does with one file ---- */

#define TID ";5f3e1a00"

static void writeTemp418(const char *name)
{
    char temp[64];
    int fd, copy;

    snprintf(temp, sizeof(temp), "%s" TID, name);
    fd = sys.openat(dirfd, temp, O_WRONLY | O_EXCL | O_CREAT, 0200);
    assert_true(fd >= 0);
    copy = sys.dup(fd);
    (void)rpmfiFSize(NULL);
    assert_int_equal(sys.write(copy, "hello", 5), 5);
    sys.close(copy);
    (void)fchmod(fd, 0644);
    (void)sys.futimens(fd, NULL);
    (void)sys.fsync(fd); /* as with %_flush_io 1 */
    sys.close(fd);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static int commit418(const char *name)
{
    char temp[64];

    snprintf(temp, sizeof(temp), "%s" TID, name);
    return sys.renameat(dirfd, temp, dirfd, name);
}

static inline bool exists(const char *name)
{
    return faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A file of somebody's, which is not of interest to the log. */
static int someFile(const char *name, int flags)
{
    int fd = real.openat(dirfd, name, flags, 0644);

    assert_true(fd >= 0);
    return fd;
}

static inline int record(void)
{
    int fd = someFile("db", O_RDWR | O_CREAT);
    int rc = sys.pwrite64(fd, "x", 1, 0) == 1 && sys.fdatasync(fd) == 0 ? 0 : -1;

    sys.close(fd);
    return rc;
}

#endif /* PRELOAD_FIXTURE_H */
