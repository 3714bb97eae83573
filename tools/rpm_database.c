/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --initdb, --rebuilddb, --verifydb: the database as a whole. */

#include <stdlib.h>

#include <rpm/rpmmacro.h>

#include "rpmtool.h"

int runDatabase(rpmts ts, enum toolMode mode)
{
    int rc;

    switch (mode) {
    case MODE_INITDB:
        rc = rpmtsInitDB(ts, 0644);
        break;
    case MODE_REBUILDDB:
        rpmtsSetVSFlags(ts, rpmExpandNumeric("%{?_vsflags_rebuilddb}") | opts.vsFlags);
        rc = rpmtsRebuildDB(ts);
        break;
    default:
        rc = rpmtsVerifyDB(ts);
    }
    return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
