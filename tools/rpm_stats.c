/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --stats: what the operations of a transaction cost. */

#include <stdio.h>

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

static void printOp(const char *name, const struct rpmop_s *op)
{
    const unsigned long scale = 1000 * 1000;

    fprintf(stderr, "   %-13s %6d %6lu.%06lu MB %6lu.%06lu secs\n", name, op->count,
            (unsigned long)op->bytes / scale, (unsigned long)op->bytes % scale,
            op->usecs / scale, op->usecs % scale);
}

void printStats(rpmts ts)
{
    rpmswExit(rpmtsOp(ts, RPMTS_OP_TOTAL), 0);
    for (size_t i = 0; i < sizeof(opNames) / sizeof(*opNames); i++) {
        const struct rpmop_s *op = rpmtsOp(ts, opNames[i].opx);

        if (op->count > 0)
            printOp(opNames[i].name, op);
    }
}
