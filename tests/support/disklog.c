/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "disklog.h"

int disklogCreate(struct diskLog *log, const char *path)
{
    log->records = 0;
    log->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return log->fd < 0 ? -1 : 0;
}

int disklogAppend(struct diskLog *log, const struct diskRecord *r, const void *data,
                  uint64_t *number)
{
    struct diskRecord copy = *r;
    struct iovec iov[2] = { { &copy, sizeof(copy) }, { (void *)(uintptr_t)data, r->length } };
    ssize_t rc = writev(log->fd, iov, 2);

    if (rc < 0)
        return -errno;
    if ((size_t)rc != sizeof(copy) + r->length)
        return -EIO;
    if (number != NULL)
        *number = log->records;
    log->records++;
    return 0;
}

int disklogOpen(struct diskLogMap *map, const char *path)
{
    struct stat sb;
    void *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    if (fstat(fd, &sb) == 0 && sb.st_size > 0)
        data = mmap(NULL, (size_t)sb.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == NULL || data == MAP_FAILED)
        return -1;
    map->start = data;
    map->end = map->start + sb.st_size;
    return 0;
}

const unsigned char *disklogNext(const struct diskLogMap *map, const unsigned char **at,
                                 struct diskRecord *r)
{
    const unsigned char *data = *at + sizeof(*r);

    if ((size_t)(map->end - *at) < sizeof(*r))
        return NULL;
    memcpy(r, *at, sizeof(*r));
    if ((size_t)(map->end - data) < r->length)
        return NULL;
    *at = data + r->length;
    return data;
}
