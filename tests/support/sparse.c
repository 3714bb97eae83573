/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sparse.h"

static int copyRange(int from, int to, off_t start, off_t end)
{
    if (lseek(to, start, SEEK_SET) < 0)
        return -1;
    while (start < end) {
        ssize_t rc = sendfile(to, from, &start, (size_t)(end - start));

        if (rc <= 0) {
            errno = rc < 0 ? errno : EIO;
            return -1;
        }
    }
    return 0;
}

int sparseCopy(int from, int to)
{
    struct stat sb;
    off_t start, end = 0;

    if (fstat(from, &sb) || ftruncate(to, sb.st_size))
        return -1;
    while ((start = lseek(from, end, SEEK_DATA)) >= 0) {
        end = lseek(from, start, SEEK_HOLE);
        if (end < 0 || copyRange(from, to, start, end))
            return -1;
    }
    return errno == ENXIO ? 0 : -1;
}
