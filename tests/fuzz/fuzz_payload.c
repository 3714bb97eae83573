/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An archive, plain or gzip, against a fixed file list. Whatever it is, reading ends, with no more
 * content than the list declares. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/fileheader.h"
#include "payload.h"
#include "rpmfiles_internal.h"

#define MD5_HELLO "5d41402abc4b2a76b9719d911017c592"
#define DECLARED (5 + 5 + 70000)

static const struct testfile files[] = {
    { "/usr/bin/", "tool", S_IFREG | 0755, 5, MD5_HELLO, NULL, 0, 1 },
    { "/usr/", "share", S_IFDIR | 0755, 4096, NULL, NULL, 0, 2 },
    { "/usr/share/", "link", S_IFLNK | 0777, 6, NULL, "target", 0, 3 },
    { "/var/", "ghost", S_IFREG | 0644, 3, NULL, NULL, RPMFILE_GHOST, 4 },
    { "/usr/", "hard1", S_IFREG | 0644, 5, MD5_HELLO, NULL, 0, 5 },
    { "/usr/", "hard2", S_IFREG | 0644, 5, MD5_HELLO, NULL, 0, 5 },
    { "/", "big", S_IFREG | 0644, 70000, NULL, NULL, 0, 6 },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FD_t open_(const uint8_t *data, size_t size)
{
    int fdno = memfd_create("fuzz", MFD_CLOEXEC);
    FD_t fd;

    if (fdno < 0 || pwrite(fdno, data, size, 0) != (ssize_t)size)
        abort();
    fd = fdDup(fdno);
    close(fdno);
    return fd;
}

static void readAll(rpmPayload p, FD_t out)
{
    int fx, rc = 0, entries = 0;

    while (rc == 0 && (fx = rpmPayloadNext(p)) >= 0) {
        entries++;
        if (rpmPayloadHasContent(p))
            rc = rpmPayloadReadToFile(p, out, fx == 6);
    }
    if (entries > 7 || fdOp(out, FDSTAT_WRITE)->bytes > DECLARED)
        abort();
    rfree(rpmPayloadStrerror(p, rpmPayloadNext(p)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Header h;
    static rpmfiles fi;
    char *emsg = NULL;
    FD_t fd = open_(data, size), out = Fopen("/dev/null", "w.ufdio");
    rpmPayload p;

    if (h == NULL) {
        h = fileHeader(files, 7, 0);
        fi = rpmfilesLoad(h, 0, &emsg);
    }
    p = rpmPayloadNew(fd, h, fi, &emsg);
    if (p == NULL)
        abort();
    readAll(p, out);
    rpmPayloadFree(p);
    Fclose(out);
    Fclose(fd);
    return 0;
}
