/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the fuzzers share: silence, and data as a file. */
#ifndef FUZZ_COMMON_H
#define FUZZ_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rpm/rpmio.h>
#include <rpm/rpmlog.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static int ignoreMessage(rpmlogRec rec, rpmlogCallbackData data)
{
    (void)rec, (void)data;
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    rpmlogSetCallback(ignoreMessage, NULL);
    return 0;
}

/* An anonymous file that holds the data, at its start. */
static inline int fuzzFile(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
        abort();
    return fd;
}

#endif
