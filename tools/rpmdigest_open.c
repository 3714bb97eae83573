/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening the file of a job, in a worker. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmdigest.h"

struct digestJob *newJob(const char *path, jobDone done, void *data)
{
    struct digestJob *job = rcalloc(1, sizeof(*job));

    job->path = rstrdup(path);
    job->algos = opts.algos;
    job->wantSize = SIZE_UNKNOWN;
    job->done = done;
    job->data = data;
    return job;
}

void freeJob(struct digestJob *job)
{
    free(job->path);
    free(job->otherPath);
    free(job);
}

const char *typeName(mode_t type)
{
    switch (type & S_IFMT) {
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
        return "a character device";
    case S_IFBLK:
        return "a block device";
    case S_IFDIR:
        return "a directory";
    case S_IFLNK:
        return "a symbolic link";
    default:
        return "no regular file";
    }
}

/* A descriptor of this process by its name, as the shell's <(command) is: whoever opened it has
 * waited already. */
static bool namesDescriptor(const char *path)
{
    static const char *const names[] = { "/dev/fd/", "/dev/stdin", "/proc/self/fd/" };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strncmp(path, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

static bool acceptable(struct digestJob *job, const struct stat *st)
{
    job->type = st->st_mode & S_IFMT;
    if (S_ISDIR(st->st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (!S_ISREG(st->st_mode) && (job->inTree || job->wantSize != SIZE_UNKNOWN ||
                                  (!S_ISBLK(st->st_mode) && !namesDescriptor(job->path)))) {
        job->fault = FAULT_TYPE;
        errno = EINVAL;
        return false;
    }
    if (job->wantSize != SIZE_UNKNOWN && (uint64_t)st->st_size != job->wantSize) {
        job->fault = FAULT_SIZE;
        job->size = (uint64_t)st->st_size;
        errno = EINVAL;
        return false;
    }
    return true;
}

/* What is no regular file is not opened at all, if it can be known before: a device may act on
 * it, and a FIFO's writer would believe that it has a reader. */
static int openPath(struct digestJob *job, const char *path)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (job->inTree ? O_NOFOLLOW : 0);
    struct stat st;
    int fdno, error;

    if (!job->inTree && (stat(path, &st) != 0 || !acceptable(job, &st)))
        return -1;
    fdno = open(path, flags);
    if (fdno < 0)
        return -1;
    if (fstat(fdno, &st) != 0 || !acceptable(job, &st)) {
        error = errno;
        close(fdno);
        errno = error;
        return -1;
    }
    /* A pipe is waited for; the description is this open's own. */
    if (!S_ISREG(st.st_mode))
        fcntl(fdno, F_SETFL, 0);
    return fdno;
}

int openJob(void *data, const char *path)
{
    struct digestJob *job = data;
    int fdno = openPath(job, path);

    if (fdno < 0 && job->otherPath != NULL && (errno == ENOENT || errno == ENOTDIR))
        fdno = openPath(job, job->otherPath);
    return fdno;
}

int openNamed(const char *path)
{
    struct digestJob *job = newJob(path, NULL, NULL);
    int fdno = openJob(job, path);

    if (job->fault == FAULT_TYPE)
        trouble(path, "is %s", typeName(job->type));
    else if (fdno < 0)
        trouble(path, "%s", strerror(errno));
    freeJob(job);
    return fdno;
}
