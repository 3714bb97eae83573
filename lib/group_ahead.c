/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Old versions that go together with the new one, ahead of their turn.
 *
 * In order all packages come before the first goes. Most files do not care, since it was decided
 * beforehand who owns them. But a directory goes only when it is empty, and a path through a symlink
 * ends where the symlink points, as long as it is there. */

#include <string.h>

#include <rpm/rpmstring.h>

#include "group.h"
#include "psm.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

static int hasFilesBelow(rpmte te, const char *path)
{
    size_t length = strlen(path);

    for (rpm_count_t di = 0; di < rpmfilesDC(te->files); di++) {
        const char *dn = rpmfilesDN(te->files, (int) di);

        if (rstreqn(dn, path, length) && dn[length] == '/')
            return 1;
    }
    return 0;
}

/* Those that are still to come, and those that are to go before it. */
static int isNeeded(rpmts ts, const char *path, int ix, int done)
{
    for (int i = 0; i < ix; i++) {
        rpmte te = ts->elements[i];
        int due = te->type == TR_ADDED ? i > done : te->ahead == 0;

        if (due && !te->failed && hasFilesBelow(te, path))
            return 1;
    }
    return 0;
}

int groupMayGoAhead(rpmts ts, int ix, int done)
{
    rpmte te = ts->elements[ix];
    int may = !psmEraseHasScripts(ts, te);

    for (int fx = 0; may && fx < (int) rpmfilesFC(te->files); fx++) {
        mode_t mode = rpmfilesFMode(te->files, fx);
        char *path;

        if (XFA_SKIPPING(te->actions[fx]) || !(S_ISDIR(mode) || S_ISLNK(mode)))
            continue;
        path = rpmfilesFN(te->files, fx);
        may = !isNeeded(ts, path, ix, done);
        rfree(path);
    }
    return may;
}
