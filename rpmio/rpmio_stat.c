/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of a handle, and the debugging output that prints them. */

#include "rpmio_internal.h"

int _rpmio_debug = 0;

rpmop fdOp(FD_t fd, fdOpX opx)
{
    if (fd == NULL || (int)opx < 0 || opx >= FDSTAT_MAX)
        return NULL;
    return opx >= FDSTAT_ALLOC ? fdFlushOp(fd, opx) : &fd->fps->ops[opx];
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
    char *line;

    if (op->count == 0)
        return;
    line = rpmFlushOpLine(label, what, op);
    fprintf(stderr, "%s\n", line);
    free(line);
}

void fdPrintStats(FD_t fd)
{
    if (!isDebug(fd))
        return;
    for (FDSTACK_t fps = fd->fps; fps != NULL; fps = fps->below) {
        printOp(fps->io->label, "reads", &fps->ops[FDSTAT_READ]);
        printOp(fps->io->label, "writes", &fps->ops[FDSTAT_WRITE]);
        printOp(fps->io->label, "allocs", &fps->ops[FDSTAT_ALLOC]);
        printOp(fps->io->label, "dsyncs", &fps->ops[FDSTAT_DSYNC]);
        printOp(fps->io->label, "syncs", &fps->ops[FDSTAT_SYNC]);
        printOp(fps->io->label, "advises", &fps->ops[FDSTAT_ADVISE]);
    }
}
