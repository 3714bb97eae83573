/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The install machine: what its steps share, and the first of them. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/header.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "fsm_internal.h"
#include "interrupt.h"
#include "rpmfiles_internal.h"

#define PROGRESS_STEP (32 * 1024)

static void onMake(void *data, const char *path)
{
    fsm m = data;

    argvAdd(&m->made, path);
    rpmlog(RPMLOG_DEBUG, "%s directory created with perms 0755\n", path);
}

fsm fsmNew(rpmts ts, rpmte te)
{
    fsm m = rcalloc(1, sizeof(*m));

    m->ts = ts;
    m->te = te;
    m->files = te->files;
    m->fc = (int) rpmfilesFC(m->files);
    m->ug = rpmugNew(rpmtsIsHost(ts) ? NULL : ts->root);
    m->f = rcalloc(m->fc, sizeof(*m->f));
    m->dirs = rcalloc(rpmfilesDC(m->files), sizeof(*m->dirs));
    m->lastDir = m->toldDir = -1;
    m->made = argvNew();
    m->warned = argvNew();
    m->total = headerGetNumber(te->h, RPMTAG_LONGARCHIVESIZE);
    m->uid = geteuid();
    m->gid = getegid();
    m->asRoot = m->uid == 0;
    rpmRootForget(ts->root);
    return m;
}

fsm fsmFree(fsm m)
{
    if (m != NULL) {
        rpmugFree(m->ug);
        argvFree(m->made);
        argvFree(m->warned);
        rfree(m->f);
        rfree(m->dirs);
        rfree(m->failed);
        rfree(m->why);
        rfree(m);
    }
    return NULL;
}

int fsmFail(fsm m, int fx, int rc, const char *more)
{
    char *why;

    if (m->why != NULL)
        return rc;
    why = rpmfileStrerror(rc);
    m->why = rstrscat(NULL, why, more != NULL ? ": " : "", more != NULL ? more : "", NULL);
    m->failed = fx >= 0 ? rpmfilesFN(m->files, fx) : NULL;
    rfree(why);
    return rc;
}

/* The module's sentence begins with the path that it was given, if it is about this file. */
int fsmFailFlush(fsm m, int fx, int rc)
{
    char *text = rpmFlushTakeError(m->ts->flush);
    char *path = fx >= 0 ? rpmfilesFN(m->files, fx) : NULL;
    size_t skip = path != NULL ? strlen(path) : 0;

    if (text == NULL) {
        rfree(path);
        return fsmFail(m, fx, rc, NULL);
    }
    if (m->why == NULL) {
        int ours = skip > 0 && rstreqn(text, path, skip) && rstreqn(text + skip, ": ", 2);

        m->why = rstrdup(ours ? text + skip + 2 : text);
        m->failed = ours ? rstrdup(path) : NULL;
    }
    free(text);
    rfree(path);
    return rc;
}

/* The sentence begins with a path, which may be of a file of another package. */
void fsmFailBarrier(fsm m, const char *text, int error)
{
    const char *colon = text != NULL ? strstr(text, ": ") : NULL;
    char *path = colon != NULL ? rstrndup(text, (size_t) (colon - text)) : NULL;

    errno = error;
    if (text == NULL) {
        fsmFail(m, -1, RPMERR_CLOSE_FAILED, NULL);
    } else if (m->why == NULL && path != NULL && rpmfilesFindFN(m->files, path) >= 0) {
        m->why = rstrdup(colon + 2);
        m->failed = path;
        path = NULL;
    } else if (m->why == NULL) {
        m->why = rstrdup(text);
    }
    rfree(path);
}

int fsmWillRename(fsm m, int fx)
{
    return m->f[fx].stage == FSM_TEMP;
}

int fsmInterrupted(fsm m)
{
    int signum = rpmtsInterrupted(m->ts);

    if (signum != 0 && m->why == NULL)
        rasprintf(&m->why, "stopped by signal %d", signum);
    return signum != 0 ? RPMERR_INTERNAL : 0;
}

char *fsmStrerror(fsm m)
{
    char *path = m->failed != NULL ? rpmfilesEscape(m->failed) : NULL;
    char *text = rstrscat(NULL, "unpacking of archive failed", path != NULL ? " on file " : "",
                          path != NULL ? path : "", ": ", m->why != NULL ? m->why : "", NULL);

    rfree(path);
    return text;
}

rpmFileAction fsmAction(fsm m, int fx)
{
    return rpmfilesFFlags(m->files, fx) & RPMFILE_GHOST ? FA_SKIP : m->te->actions[fx];
}

const char *fsmName(fsm m, int fx)
{
    const char *bn = rpmfilesBN(m->files, fx);

    return *bn != '\0' ? bn : ".";
}

void fsmTempName(fsm m, int fx, char buf[FSM_TEMP_SIZE])
{
    snprintf(buf, FSM_TEMP_SIZE, ".rpmtmp-%08x-%08x", (unsigned) m->ts->tid,
             (unsigned) m->f[fx].temp);
}

int fsmIsTemp(const char *name)
{
    static const char form[] = ".rpmtmp-XXXXXXXX-XXXXXXXX";
    size_t i;

    for (i = 0; form[i] != '\0'; i++) {
        if (form[i] == 'X' ? !isxdigit((unsigned char) name[i]) : name[i] != form[i])
            return 0;
    }
    return name[i] == '\0';
}

void fsmSayUser(rpmts ts)
{
    if (geteuid() == 0 || ts->saidUser)
        return;
    ts->saidUser = 1;
    rpmlog(RPMLOG_NOTICE,
           "not root: owners and capabilities of files are not set, devices are left out\n");
}

/* Directories get their modes last, so that one that was made just now is this process's alone. */
static int isOurs(fsm m, int di, const struct stat *sb)
{
    char *path = rstrdup(rpmfilesDN(m->files, di));
    size_t length = strlen(path);
    int fx;

    if (length > 1)
        path[length - 1] = '\0';
    fx = rpmfilesFindFN(m->files, path);
    rfree(path);
    return fx >= 0 && m->f[fx].made && (sb->st_mode & 07777) == 0700 &&
           sb->st_uid == m->uid && sb->st_gid == m->gid;
}

/* That a directory is another one than before can only be somebody else's doing: what was
 * unpacked is in the old one. */
static int sameDir(fsm m, int di, int fd)
{
    struct fsmDir *d = &m->dirs[di];
    struct stat sb;

    if (fstat(fd, &sb))
        return 0;
    if (!d->known) {
        d->known = 1;
        d->dev = sb.st_dev;
        d->ino = sb.st_ino;
        d->ours = isOurs(m, di, &sb);
        rpmtsWillWrite(m->ts, fd, sb.st_dev, rpmfilesDN(m->files, di));
    }
    return d->dev == sb.st_dev && d->ino == sb.st_ino;
}

int fsmDirIsOurs(fsm m, int fx)
{
    return m->dirs[rpmfilesDI(m->files, fx)].ours;
}

int fsmDirOf(fsm m, int fx, int make)
{
    int di = rpmfilesDI(m->files, fx);
    int fd = rpmRootDir(m->ts->root, rpmfilesDN(m->files, di), make);

    if (fd < 0 && rpmRootUntrusted(m->ts->root))
        return fsmFail(m, fx, RPMERR_INVALID_SYMLINK,
                       "neither root nor the owner of the directory behind it made it");
    if (fd < 0)
        return fsmFail(m, fx, RPMERR_OPEN_FAILED, NULL);
    if (di != m->lastDir && !sameDir(m, di, fd)) {
        rpmRootForget(m->ts->root);
        return fsmFail(m, fx, RPMERR_INTERNAL, "its directory was replaced meanwhile");
    }
    m->lastDir = di;
    return fd;
}

static void progress(fsm m, rpm_loff_t done)
{
    if (done > m->done && done <= m->total) {
        m->done = done;
        rpmtsNotify(m->ts, m->te, RPMCALLBACK_INST_PROGRESS, done, m->total);
    }
}

/* What is written at once can be much; bars advance in rpm's own steps. */
static void contentProgress(void *data, rpm_loff_t done)
{
    fsm m = data;

    while (m->nextStep <= done) {
        progress(m, m->nextStep);
        m->nextStep += PROGRESS_STEP;
    }
}

int fsmFailPayload(fsm m, rpmPayload p, int rc)
{
    if (m->why == NULL) {
        const char *entry;
        m->why = rpmPayloadStrerror(p, rc);
        entry = rpmPayloadEntry(p);
        m->failed = *entry != '\0' ? rstrdup(entry) : NULL;
    }
    return rc;
}

static int unpackAll(fsm m, rpmPayload p)
{
    int rc = 0;
    int fx;

    while (rc == 0 && (fx = rpmPayloadNext(p)) >= 0) {
        m->nextStep = rpmPayloadTell(p) + PROGRESS_STEP;
        rc = fsmMake(m, p, fx);
        progress(m, rpmPayloadTell(p));
        if (rc == 0)
            rc = fsmInterrupted(m);
    }
    if (rc == 0 && fx != RPMERR_ITER_END)
        rc = fsmFailPayload(m, p, fx);
    return rc;
}

int fsmUnpack(fsm m, FD_t fd)
{
    char *emsg = NULL;
    rpmPayload p;
    int rc;

    rpmRootOnMake(m->ts->root, onMake, m);
    p = rpmPayloadNew(fd, m->te->h, m->files, &emsg);
    if (p == NULL) {
        m->why = emsg;
        return RPMERR_BAD_MAGIC;
    }
    rpmPayloadSetProgress(p, contentProgress, m);
    rc = unpackAll(m, p);
    rpmPayloadAddOp(p, RPMPAYLOAD_OP_UNCOMPRESS, rpmtsOp(m->ts, RPMTS_OP_UNCOMPRESS));
    rpmPayloadAddOp(p, RPMPAYLOAD_OP_DIGEST, rpmtsOp(m->ts, RPMTS_OP_DIGEST));
    rpmPayloadFree(p);
    rpmRootOnMake(m->ts->root, NULL, NULL);
    return rc;
}
