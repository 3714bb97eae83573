/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the write policy has cost: counts, bytes and time by kind of system call, as text. */

#include "rpmflush_internal.h"

#include <stdlib.h>

#include <rpm/rpmstring.h>

static const struct {
    const char *noun;
    int shown;
} kinds[RPMFLUSH_KIND_MAX] = {
    [RPMFLUSH_KIND_WRITE]  = { "writes", 1 },
    [RPMFLUSH_KIND_ALLOC]  = { "allocs", 1 },
    [RPMFLUSH_KIND_DSYNC]  = { "dsyncs", 1 },
    [RPMFLUSH_KIND_SYNC]   = { "syncs", 1 },
    [RPMFLUSH_KIND_ADVISE] = { "advises", 1 },
    [RPMFLUSH_KIND_FSSYNC] = { "fssyncs", 1 },
    [RPMFLUSH_KIND_CUT]    = { "cuts", 1 },
    [RPMFLUSH_KIND_PROBE]  = { "probes", 1 },
    [RPMFLUSH_KIND_CLOSE]  = { "closes", 0 },
    [RPMFLUSH_KIND_RANGE]  = { "ranges", 1 },
};

static int isKind(rpmFlushKind kind)
{
    return (unsigned)kind < RPMFLUSH_KIND_MAX;
}

const char *rpmFlushKindName(rpmFlushKind kind)
{
    return isKind(kind) ? kinds[kind].noun : NULL;
}

rpmop rpmFlushFileOp(rpmFlushFile file, rpmFlushKind kind)
{
    return isKind(kind) ? &file->ops[kind] : NULL;
}

int rpmFlushGetOp(rpmFlush flush, rpmFlushKind kind, struct rpmop_s *op)
{
    if (!isKind(kind))
        return -1;
    pthread_mutex_lock(&flush->lock);
    *op = flush->ops[kind];
    pthread_mutex_unlock(&flush->lock);
    return 0;
}

char *rpmFlushOpLine(const char *label, const char *noun, const struct rpmop_s *op)
{
    char *line = NULL;

    rasprintf(&line, "%s:%8d %s, %8zu total bytes in %lu.%06lu secs", label, op->count, noun,
              op->bytes, op->usecs / 1000000, op->usecs % 1000000);
    return line;
}

char *rpmFlushStats(rpmFlush flush)
{
    char *text = rstrdup("");

    for (int i = 0; i < RPMFLUSH_KIND_MAX; i++) {
        struct rpmop_s op;
        char *line;

        if (!kinds[i].shown || rpmFlushGetOp(flush, (rpmFlushKind)i, &op) || op.count == 0)
            continue;
        line = rpmFlushOpLine("FDIO", kinds[i].noun, &op);
        rstrscat(&text, line, "\n", NULL);
        free(line);
    }
    return text;
}
