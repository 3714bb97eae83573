/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pagecache resident FILE...     prints how many pages of the files are in the page cache
 * pagecache dirty FILE           prints how many of them are dirty or being written
 * pagecache peak DIR COMMAND...  runs COMMAND and prints the most bytes of one file below DIR that
 *                                were dirty or being written while it had the file open
 * Exit status 77 where the kernel has no cachestat(2) (Linux 6.5), else that of COMMAND. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#define CACHESTAT 451 /* its number on every architecture */

struct range {
    uint64_t offset, length;
};

struct cacheStat {
    uint64_t cache, dirty, writeback, evicted, recentlyEvicted;
};

static size_t page;

static size_t residentPages(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char *map;
    struct stat sb;
    size_t pages, n = 0;
    void *at;

    if (fd < 0 || fstat(fd, &sb))
        die("cannot open %s: %s", path, strerror(errno));
    pages = ((size_t)sb.st_size + page - 1) / page;
    if (pages > 0) {
        at = mmap(NULL, (size_t)sb.st_size, PROT_READ, MAP_SHARED, fd, 0);
        map = malloc(pages);
        if (at == MAP_FAILED || map == NULL || mincore(at, (size_t)sb.st_size, map))
            die("cannot look at %s: %s", path, strerror(errno));
        for (size_t i = 0; i < pages; i++)
            n += map[i] & 1;
        free(map);
        munmap(at, (size_t)sb.st_size);
    }
    close(fd);
    return n;
}

static int cacheStatOf(int fd, struct cacheStat *cs)
{
    struct range all = { 0, 0 };

    return (int)syscall(CACHESTAT, fd, &all, cs, 0);
}

/* Bytes of one descriptor of the process that are not clean; 0 where it is no file below dir. */
static uint64_t unclean(const char *link, const char *dir)
{
    char path[PATH_MAX];
    ssize_t len = readlink(link, path, sizeof(path) - 1);
    struct cacheStat cs = { 0, 0, 0, 0, 0 };
    int fd;

    if (len <= 0)
        return 0;
    path[len] = '\0';
    if (strncmp(path, dir, strlen(dir)) != 0)
        return 0;
    fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (cacheStatOf(fd, &cs))
        memset(&cs, 0, sizeof(cs));
    close(fd);
    return (cs.dirty + cs.writeback) * page;
}

static uint64_t sample(pid_t pid, const char *dir)
{
    char name[64], link[PATH_MAX];
    struct dirent *de;
    uint64_t most = 0;
    DIR *fds;

    snprintf(name, sizeof(name), "/proc/%d/fd", (int)pid);
    fds = opendir(name);
    while (fds != NULL && (de = readdir(fds)) != NULL) {
        uint64_t now;

        snprintf(link, sizeof(link), "%s/%s", name, de->d_name);
        now = unclean(link, dir);
        if (now > most)
            most = now;
    }
    if (fds != NULL)
        closedir(fds);
    return most;
}

static int dirtyPages(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct cacheStat cs;

    if (fd < 0)
        die("cannot open %s: %s", path, strerror(errno));
    if (cacheStatOf(fd, &cs))
        return 77;
    printf("%ju\n", (uintmax_t)(cs.dirty + cs.writeback));
    return close(fd) != 0;
}

static int peak(const char *dir, char **command)
{
    uint64_t most = 0, samples = 0;
    struct cacheStat cs;
    int status = 0;
    pid_t pid;

    if (cacheStatOf(STDERR_FILENO, &cs) && errno == ENOSYS)
        return 77;
    pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        uint64_t now = sample(pid, dir);

        if (now > most)
            most = now;
        samples++;
        usleep(300);
    }
    printf("%ju %ju\n", (uintmax_t)most, (uintmax_t)samples);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(int argc, char **argv)
{
    size_t pages = 0;

    page = (size_t)sysconf(_SC_PAGESIZE);
    if (argc > 3 && strcmp(argv[1], "peak") == 0)
        return peak(argv[2], argv + 3);
    if (argc == 3 && strcmp(argv[1], "dirty") == 0)
        return dirtyPages(argv[2]);
    if (argc < 3 || strcmp(argv[1], "resident") != 0)
        return 2;
    for (int i = 2; i < argc; i++)
        pages += residentPages(argv[i]);
    printf("%zu\n", pages);
    return 0;
}
