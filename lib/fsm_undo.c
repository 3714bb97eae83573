/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The install machine: taking back what is not in its place yet. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmlog.h>

#include "fsm_internal.h"

/* The directory is looked for by its path: if that leads elsewhere now, there is nothing of ours
 * to be removed there, and temporary names are of no other transaction. */
static void undoFile(fsm m, int fx)
{
    char temp[FSM_TEMP_SIZE];
    int di = rpmfilesDI(m->files, fx);
    int isDir = S_ISDIR(rpmfilesFMode(m->files, fx));
    int dirfd = rpmRootDir(m->ts->root, rpmfilesDN(m->files, di), 0);

    if (dirfd < 0)
        return;
    fsmTempName(m, fx, temp);
    (void) unlinkat(dirfd, temp, isDir ? AT_REMOVEDIR : 0);
    if (isDir) {
        (void) rpmRootAlias(m->ts->root, dirfd, fsmName(m, fx), NULL);
        rpmRootForget(m->ts->root);
    }
}

static void undoDir(fsm m, const char *path)
{
    char *dn = strdup(path);
    char *slash = dn != NULL ? strrchr(dn, '/') : NULL;
    int dirfd = -1;

    if (slash != NULL) {
        *slash = '\0';
        dirfd = rpmRootOpenDir(m->ts->root, dn, 0);
    }
    if (dirfd >= 0) {
        (void) unlinkat(dirfd, slash + 1, AT_REMOVEDIR);
        close(dirfd);
    }
    free(dn);
}

void fsmSayDone(fsm m)
{
    for (int fx = 0; fx < m->fc; fx++) {
        char *path = m->f[fx].stage == FSM_DONE ? rpmfilesFN(m->files, fx) : NULL;
        if (path != NULL)
            rpmlog(RPMLOG_WARNING, "%s: %s is in its place already\n", m->te->NEVRA, path);
        rfree(path);
    }
}

void fsmUndo(fsm m)
{
    rpmRootForget(m->ts->root);
    /* Backwards: what is in a directory goes before it. */
    for (int fx = m->fc - 1; fx >= 0; fx--) {
        if (m->f[fx].stage == FSM_TEMP && !S_ISDIR(rpmfilesFMode(m->files, fx)))
            undoFile(m, fx);
    }
    for (int i = argvCount(m->made) - 1; i >= 0; i--)
        undoDir(m, m->made[i]);
    for (int fx = m->fc - 1; fx >= 0; fx--) {
        if (m->f[fx].stage == FSM_TEMP && S_ISDIR(rpmfilesFMode(m->files, fx)))
            undoFile(m, fx);
    }
    rpmRootForget(m->ts->root);
    fsmSayDone(m);
}
