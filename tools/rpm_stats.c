/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --stats: what the operations of a transaction cost. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpmtool.h"

static const struct opName {
    rpmtsOpX opx;
    const char *name;
} opNames[] = {
    { RPMTS_OP_TOTAL, "total:" },
    { RPMTS_OP_CHECK, "check:" },
    { RPMTS_OP_ORDER, "order:" },
    { RPMTS_OP_VERIFY, "verify:" },
    { RPMTS_OP_FINGERPRINT, "fingerprint:" },
    { RPMTS_OP_INSTALL, "install:" },
    { RPMTS_OP_ERASE, "erase:" },
    { RPMTS_OP_SCRIPTLETS, "scriptlets:" },
    { RPMTS_OP_COMPRESS, "compress:" },
    { RPMTS_OP_UNCOMPRESS, "uncompress:" },
    { RPMTS_OP_DIGEST, "digest:" },
    { RPMTS_OP_SIGNATURE, "signature:" },
    { RPMTS_OP_DBADD, "dbadd:" },
    { RPMTS_OP_DBREMOVE, "dbremove:" },
    { RPMTS_OP_DBGET, "dbget:" },
    { RPMTS_OP_DBPUT, "dbput:" },
    { RPMTS_OP_DBDEL, "dbdel:" },
};
#define NOPS (sizeof(opNames) / sizeof(*opNames))

/* Name of an operation as a key: without its colon. */
static int keyLength(const struct opName *op)
{
    return (int)strcspn(op->name, ":");
}

static void printOp(const char *name, const struct rpmop_s *op)
{
    const unsigned long scale = 1000 * 1000;

    fprintf(stderr, "   %-13s %6d %6lu.%06lu MB %6lu.%06lu secs\n", name, op->count,
            (unsigned long)op->bytes / scale, (unsigned long)op->bytes % scale,
            op->usecs / scale, op->usecs % scale);
}

static void printPolicy(rpmFlush flush)
{
    const char *key;

    fprintf(stderr, "   write policy:");
    for (int i = 0; (key = rpmFlushPolicyKey(i)) != NULL; i++) {
        char *value = rpmFlushPolicyValue(rpmFlushGetPolicy(flush), key);

        fprintf(stderr, " %s=%s", key, value);
        free(value);
    }
    fprintf(stderr, "\n");
}

static void printText(rpmts ts)
{
    rpmFlush flush = rpmtsFlush(ts);
    char *text;

    for (size_t i = 0; i < NOPS; i++) {
        const struct rpmop_s *op = rpmtsOp(ts, opNames[i].opx);

        if (op->count > 0)
            printOp(opNames[i].name, op);
    }
    if (flush == NULL)
        return;
    printPolicy(flush);
    text = rpmFlushStats(flush);
    fputs(text, stderr);
    free(text);
    text = rpmFlushReport(flush);
    fputs(text, stderr);
    free(text);
}

static void jsonOp(const char **comma, const char *key, int len, const struct rpmop_s *op)
{
    fprintf(stderr, "%s\"%.*s\":{\"count\":%d,\"bytes\":%zu,\"usecs\":%lu}", *comma, len, key,
            op->count, op->bytes, op->usecs);
    *comma = ",";
}

/* The values are words and numbers: nothing to be escaped. */
static void jsonPolicy(rpmFlush flush)
{
    const char *key;

    for (int i = 0; (key = rpmFlushPolicyKey(i)) != NULL; i++) {
        char *value = rpmFlushPolicyValue(rpmFlushGetPolicy(flush), key);

        fprintf(stderr, "%s\"%s\":\"%s\"", i > 0 ? "," : "", key, value);
        free(value);
    }
}

static void jsonReport(rpmFlush flush)
{
    char *text = rpmFlushReport(flush);
    const char *comma = "";
    char *rest = text;
    char *line;

    while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
        fprintf(stderr, "%s\"%s\"", comma, line);
        comma = ",";
    }
    free(text);
}

static void jsonFlush(rpmFlush flush)
{
    const char *comma = "";

    fprintf(stderr, ",\"write_policy\":{");
    jsonPolicy(flush);
    fprintf(stderr, "},\"fdio\":{");
    for (int kind = 0; kind < RPMFLUSH_KIND_MAX; kind++) {
        const char *name = rpmFlushKindName((rpmFlushKind)kind);
        struct rpmop_s op;

        rpmFlushGetOp(flush, (rpmFlushKind)kind, &op);
        jsonOp(&comma, name, (int)strlen(name), &op);
    }
    fprintf(stderr, "},\"left_out\":[");
    jsonReport(flush);
    fprintf(stderr, "]");
}

static void printJson(rpmts ts)
{
    const char *comma = "";

    fprintf(stderr, "{\"operations\":{");
    for (size_t i = 0; i < NOPS; i++) {
        const struct opName *name = &opNames[i];

        jsonOp(&comma, name->name, keyLength(name), rpmtsOp(ts, name->opx));
    }
    fprintf(stderr, "}");
    if (rpmtsFlush(ts) != NULL)
        jsonFlush(rpmtsFlush(ts));
    fprintf(stderr, "}\n");
}

void printStats(rpmts ts)
{
    rpmswExit(rpmtsOp(ts, RPMTS_OP_TOTAL), 0);
    if (opts.stats == STATS_JSON)
        printJson(ts);
    else
        printText(ts);
}
