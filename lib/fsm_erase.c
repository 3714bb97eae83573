/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing the files of one package.
 *
 * What cannot be removed is no reason to keep the package: the log says what it is. Files come
 * before their directories, which stay if there is something else in them. */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "fsm_internal.h"

struct erase {
    rpmts ts;
    rpmte te;
    int strict;  /* a file that cannot be removed stops it */
    int lastDir; /* directory of the file before, -1 for none */
};

static int removeName(rpmts ts, int dirfd, const char *name, mode_t mode)
{
    int fd, rc;

    if (S_ISDIR(mode))
        return unlinkat(dirfd, name, AT_REMOVEDIR);
    fd = fsmOpenPrivileged(dirfd, name);
    rc = unlinkat(dirfd, name, 0);
    if (rc == 0)
        fsmDropPrivileges(ts, fd);
    else if (fd >= 0)
        close(fd);
    return rc;
}

static int isNoMatter(const struct erase *e, int error, int fx)
{
    if (error == ENOENT)
        return e->ts->finishing || (rpmfilesFFlags(e->te->files, fx) &
                                    (RPMFILE_MISSINGOK | RPMFILE_GHOST)) != 0;
    return error == ENOTEMPTY || error == EEXIST;
}

static int eraseName(const struct erase *e, int fx, int dirfd, const char *name)
{
    struct stat sb = { 0 };
    int rc = fstatat(dirfd, name, &sb, AT_SYMLINK_NOFOLLOW);

    if (rc == 0)
        rc = removeName(e->ts, dirfd, name, sb.st_mode);
    if (rc && !isNoMatter(e, errno, fx)) {
        int error = errno;
        char *path = rpmfilesFN(e->te->files, fx);
        rpmlog(e->strict ? RPMLOG_ERR : RPMLOG_WARNING, "%s %s: remove failed: %s\n",
               S_ISDIR(sb.st_mode) ? "directory" : "file", path, strerror(error));
        rfree(path);
        return e->strict ? -1 : 0;
    }
    return 0;
}

/* What the administrator changed stays under another name; a ghost was never the package's. */
static int saveName(const struct erase *e, int fx, int dirfd, const char *name)
{
    const char *dn = rpmfilesDN(e->te->files, rpmfilesDI(e->te->files, fx));
    char *saved;
    int rc;

    if (rpmfilesFFlags(e->te->files, fx) & RPMFILE_GHOST)
        return 0;
    saved = rstrscat(NULL, name, fsmSuffix(FA_SAVE), NULL);
    FSM_RETRY(rc, renameat(dirfd, name, dirfd, saved));
    if (rc == 0)
        rpmlog(RPMLOG_WARNING, "%s%s saved as %s%s\n", dn, name, dn, saved);
    else if (errno != ENOENT)
        rpmlog(RPMLOG_WARNING, "%s%s cannot be saved as %s%s: %s\n", dn, name, dn, saved,
               strerror(errno));
    rfree(saved);
    return 0;
}

/* The first of the files in a directory: the write policy is told before any of them goes. */
static int startDir(const struct erase *e, int dirfd, const char *dn)
{
    rpmtsWillWriteTo(e->ts, dirfd, dn);
    if (rpmFlushTouch(e->ts->flush, dirfd, dn, RPMFLUSH_TOUCH_NAMES) == 0)
        return 0;
    rpmlog(RPMLOG_ERR, "%s: what is removed from %s cannot be made durable: %s\n",
           e->te->NEVRA, dn, strerror(errno));
    return -1;
}

static int eraseFile(struct erase *e, int fx)
{
    rpmFileAction action = e->te->actions[fx];
    const char *name = rpmfilesBN(e->te->files, fx);
    int di = rpmfilesDI(e->te->files, fx);
    const char *dn = rpmfilesDN(e->te->files, di);
    int dirfd;

    /* The root itself is nobody's to remove. */
    if ((action != FA_ERASE && action != FA_SAVE) || *name == '\0')
        return 0;
    dirfd = rpmRootDir(e->ts->root, dn, 0);
    if (dirfd < 0)
        return 0;
    if (e->lastDir != di && startDir(e, dirfd, dn))
        return -1;
    e->lastDir = di;
    return action == FA_SAVE ? saveName(e, fx, dirfd, name) : eraseName(e, fx, dirfd, name);
}

/* The end is the caller's to say. */
static void sayErased(rpmts ts, rpmte te, int fx)
{
    rpm_loff_t fc = rpmfilesFC(te->files);

    if (fx > 0 && !XFA_SKIPPING(te->actions[fx]))
        rpmtsNotify(ts, te, RPMCALLBACK_UNINST_PROGRESS, fc - (rpm_loff_t) fx, fc);
}

void fsmSayErased(rpmts ts, rpmte te)
{
    for (int fx = (int) rpmfilesFC(te->files) - 1; fx >= 0; fx--)
        sayErased(ts, te, fx);
}

int fsmErase(rpmts ts, rpmte te, int say)
{
    struct erase e = {
        .ts = ts, .te = te, .strict = rpmExpandNumeric("%{?_strict_erasures}") > 0,
        .lastDir = -1,
    };
    int fc = (int) rpmfilesFC(te->files);
    int rc = 0;

    rpmRootForget(ts->root);
    for (int fx = fc - 1; fx >= 0 && rc == 0; fx--) {
        rc = eraseFile(&e, fx);
        if (say)
            sayErased(ts, te, fx);
    }
    rpmRootForget(ts->root);
    return rc;
}
