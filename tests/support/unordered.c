/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libunordered.so, to be preloaded: makes a package manager leave out a step of its order, which the
 * power-cut tests then have to notice. RPMIO_WITHOUT is
 *   barrier      what is written behind or synced before the first rename is not. On btrfs what was
 *                renamed is committed, as it may be at any time, before the data is synced
 *   directories  what is synced between that and the commit of the database is not
 *   order        neither is, until the commit is on disk
 *   none         all is; btrfs commits as without the barrier
 * The files of the database (*.sqlite*) and names that begin with .rpm. are synced as ever. One
 * group of packages has these steps; after the commit of the first all calls are real. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/btrfs.h>

enum step { UNPACK, RENAMED, COMMITTED };

static _Atomic int step;

static const char *without(void)
{
    const char *word = getenv("RPMIO_WITHOUT");

    return word != NULL ? word : "";
}

static const char *nameOf(int fd, char *path, size_t size)
{
    char link[32], *slash;
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, size - 1);
    path[n > 0 ? n : 0] = '\0';
    slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int ofDatabase(const char *name)
{
    return strstr(name, ".sqlite") != NULL || strncmp(name, ".rpm.", 5) == 0;
}

static int left(void)
{
    int now = atomic_load(&step);

    if (now == COMMITTED)
        return 0;
    return strcmp(without(), "order") == 0 ||
           strcmp(without(), now == UNPACK ? "barrier" : "directories") == 0;
}

/* The commit is what syncs the write-ahead log after the first rename. */
static void committed(const char *name)
{
    int renamed = RENAMED;
    size_t length = strlen(name);

    if (length > 4 && strcmp(name + length - 4, "-wal") == 0 &&
        atomic_compare_exchange_strong(&step, &renamed, COMMITTED) &&
        strcmp(without(), "order") == 0)
        sync();
}

/* By a call that writes no data, as what btrfs itself does every half minute. */
static void commitNames(int fd)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    __u64 id = 0;

    if (atomic_load(&step) == RENAMED &&
        (strcmp(without(), "barrier") == 0 || strcmp(without(), "none") == 0) &&
        !atomic_flag_test_and_set(&done) && ioctl(fd, BTRFS_IOC_START_SYNC, &id) == 0)
        ioctl(fd, BTRFS_IOC_WAIT_SYNC, &id);
}

static int synced(const char *call, int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, call);
    char path[4096];
    const char *name = nameOf(fd, path, sizeof(path));
    int rc;

    if (left() && !ofDatabase(name))
        return 0;
    if (!ofDatabase(name))
        commitNames(fd);
    rc = real(fd);
    committed(name);
    return rc;
}

int fsync(int fd) { return synced("fsync", fd); }

int fdatasync(int fd) { return synced("fdatasync", fd); }

int syncfs(int fd) { return synced("syncfs", fd); }

int sync_file_range(int fd, off64_t offset, off64_t n, unsigned flags)
{
    if (left())
        return 0;
    return ((int (*)(int, off64_t, off64_t, unsigned))dlsym(RTLD_NEXT, "sync_file_range"))(
        fd, offset, n, flags);
}

static void renamed(const char *to)
{
    const char *slash = strrchr(to, '/');
    int unpack = UNPACK;

    if (!ofDatabase(slash != NULL ? slash + 1 : to))
        atomic_compare_exchange_strong(&step, &unpack, RENAMED);
}

int rename(const char *from, const char *to)
{
    renamed(to);
    return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}

int renameat(int fromDir, const char *from, int toDir, const char *to)
{
    renamed(to);
    return ((int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat"))(
        fromDir, from, toDir, to);
}

int renameat2(int fromDir, const char *from, int toDir, const char *to, unsigned flags)
{
    renamed(to);
    return ((int (*)(int, const char *, int, const char *, unsigned))dlsym(
        RTLD_NEXT, "renameat2"))(fromDir, from, toDir, to, flags);
}
