/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names: which are temporary, and where they are. */

#include "preload_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#define TID_LENGTH 9 /* ";" and the transaction's time in eight digits */

bool shimTempName(const char *path)
{
    size_t n = strlen(path);

    if (n <= TID_LENGTH || path[n - TID_LENGTH] != ';' || path[n - TID_LENGTH - 1] == '/')
        return false;
    return strspn(path + n - TID_LENGTH + 1, "0123456789abcdef") == TID_LENGTH - 1;
}

bool shimMovedAway(const char *path)
{
    static const char ending[] = "-RPMDELETE";
    size_t n = strlen(path);

    return n >= sizeof(ending) && rstreq(path + n - (sizeof(ending) - 1), ending);
}

/* A path with directories in it is rpm 4.16's way: since then there are descriptors. */
void shimPlaceFind(struct shimPlace *place, int dirfd, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory;

    place->base = slash ? slash + 1 : path;
    place->dirfd = dirfd;
    place->own = slash != NULL || dirfd == AT_FDCWD;
    if (!place->own)
        return;
    directory = slash ? rstrndup(path, (size_t)(slash - path) + 1) : rstrdup(".");
    place->dirfd = openat(dirfd, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(directory);
}

void shimPlaceEnd(struct shimPlace *place)
{
    int err = errno;

    if (place->own && place->dirfd >= 0)
        close(place->dirfd);
    errno = err;
}

void shimPathsStart(struct shimPaths *paths)
{
    paths->procfd = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
    paths->path = NULL;
}

void shimPathsEnd(struct shimPaths *paths)
{
    if (paths->procfd >= 0)
        close(paths->procfd);
    paths->path = rfree(paths->path);
}

static char *readPath(int procfd, int dirfd)
{
    char number[16];
    char path[4096];
    ssize_t n = -1;

    snprintf(number, sizeof(number), "%d", dirfd);
    if (procfd >= 0)
        n = readlinkat(procfd, number, path, sizeof(path));
    if (n <= 0 || (size_t)n >= sizeof(path) || path[0] != '/')
        return rstrdup(".");
    if (n == 1)
        n = 0; /* "/" ends every path itself */
    return rstrndup(path, (size_t)n);
}

const char *shimPathsOf(struct shimPaths *paths, int dirfd, bool *news)
{
    struct stat sb;
    bool known = fstat(dirfd, &sb) == 0;

    *news = paths->path == NULL || !known || sb.st_dev != paths->dev || sb.st_ino != paths->ino;
    if (*news) {
        free(paths->path);
        paths->path = readPath(paths->procfd, dirfd);
        paths->dev = known ? sb.st_dev : 0;
        paths->ino = known ? sb.st_ino : 0;
    }
    return paths->path;
}
