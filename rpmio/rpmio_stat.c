/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of a handle, and the debugging output that prints them. */

#include "rpmio_internal.h"

#define USECS_PER_SEC 1000000

int _rpmio_debug = 0;

rpmop fdOp(FD_t fd, fdOpX opx)
{
    if (fd == NULL || (int)opx < 0 || opx >= FDSTAT_MAX)
        return NULL;
    return &fd->fps->ops[opx];
}

static int isDebug(FD_t fd)
{
    return _rpmio_debug != 0 || fd->debug;
}

void fdTrace(FD_t fd, const char *what)
{
    if (fd != NULL && isDebug(fd))
        fprintf(stderr, "==> %s %s fd %d\n", what, Fdescr(fd), Fileno(fd));
}

static void printOp(const char *label, const char *what, const struct rpmop_s *op)
{
    if (op->count > 0)
        fprintf(stderr, "%s:%8d %s, %8zu total bytes in %lu.%06lu secs\n", label, op->count,
                what, op->bytes, op->usecs / USECS_PER_SEC, op->usecs % USECS_PER_SEC);
}

void fdPrintStats(FD_t fd)
{
    if (!isDebug(fd))
        return;
    for (FDSTACK_t fps = fd->fps; fps != NULL; fps = fps->below) {
        printOp(fps->io->label, "reads", &fps->ops[FDSTAT_READ]);
        printOp(fps->io->label, "writes", &fps->ops[FDSTAT_WRITE]);
    }
}
