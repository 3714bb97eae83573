/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An old note: whether it is one, and what it means for the transaction set in hand. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "flushpolicy.h"
#include "note_file.h"
#include "recover.h"
#include "rpmdb_internal.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

#define NOTE_MAX (256 << 20) /* bytes: what is larger is something else */
#define ALIEN_SUFFIX ".rpmsave"

/* -- what that means for the set in hand ------------------------------------------------------- */

static int isIn(ARGV_const_t list, rpmte te)
{
    const char *sha1 = headerGetString(te->h, RPMTAG_SHA1HEADER);

    for (; list != NULL && *list != NULL && sha1 != NULL; list++) {
        if (rstreq(*list, sha1))
            return 1;
    }
    return 0;
}

/* The package is there as it was to be, by the transaction that was cut; nothing that it would
 * take the place of is left but its own record. */
static int isDone(rpmts ts, rpmte te)
{
    if (te->type != TR_ADDED || te->op == RPMTE_REINSTALL ||
        (ts->ignoreSet & RPMPROB_FILTER_REPLACEPKG) || !isIn(ts->recovered, te))
        return 0;
    for (int i = 0; i < ts->nelements; i++) {
        if (ts->elements[i]->dependsOn == te && !isIn(ts->recovered, ts->elements[i]))
            return 0;
    }
    return 1;
}

static int isGone(rpmts ts, rpmte te)
{
    unsigned int num = te->dbInstance;
    rpmdbMatchIterator mi;
    int gone;

    if (te->type != TR_REMOVED)
        return 0;
    mi = rpmtsInitIterator(ts, RPMDBI_PACKAGES, &num, sizeof(num));
    gone = rpmdbNextIterator(mi) == NULL;
    rpmdbFreeIterator(mi);
    return gone;
}

static void dropIf(rpmts ts, int (*isToGo)(rpmts ts, rpmte te))
{
    int n = 0;

    for (int i = 0; i < ts->nelements; i++) {
        rpmte te = ts->elements[i];

        if (isToGo(ts, te))
            te->failed = -1;
    }
    for (int i = 0; i < ts->nelements; i++) {
        rpmte te = ts->elements[i];

        if (te->failed < 0 || (te->dependsOn != NULL && te->dependsOn->failed < 0))
            te->failed = -1;
    }
    for (int i = 0; i < ts->nelements; i++) {
        if (ts->elements[i]->failed < 0)
            rpmteFree(ts->elements[i]);
        else
            ts->elements[n++] = ts->elements[i];
    }
    ts->nelements = n;
}

/* -- the note ---------------------------------------------------------------------------------- */

/* Whatever it is, nobody's data is lost, and the name is free. */
static int moveAside(rpmNote note)
{
    if (renameat(note->dirfd, NOTE_NAME, note->dirfd, NOTE_NAME ALIEN_SUFFIX))
        rpmlog(RPMLOG_WARNING, "%s: not a note of this rpm, and cannot be moved away: %s\n",
               note->path, strerror(errno));
    else
        rpmlog(RPMLOG_WARNING, "%s: not a note of this rpm, saved as %s" ALIEN_SUFFIX "\n",
               note->path, note->path);
    return 0;
}

static int isAlien(rpmNote note)
{
    struct stat sb;

    if (fstatat(note->dirfd, NOTE_NAME, &sb, AT_SYMLINK_NOFOLLOW))
        return 0;
    return !S_ISREG(sb.st_mode) || sb.st_size > NOTE_MAX;
}

/* The text, terminated; NULL with errno set. */
static char *readText(int fd, size_t *length)
{
    struct stat sb;
    char *text;
    ssize_t n = 1;

    *length = 0;
    if (fstat(fd, &sb))
        return NULL;
    text = rmalloc((size_t) sb.st_size + 1);
    while (n > 0 && *length < (size_t) sb.st_size) {
        n = pread(fd, text + *length, (size_t) sb.st_size - *length, (off_t) *length);
        *length += n > 0 ? (size_t) n : 0;
        if (n < 0 && errno == EINTR)
            n = 1;
    }
    text[*length] = '\0';
    return n < 0 ? rfree(text) : text;
}

static int heed(rpmts ts, rpmNote note)
{
    struct noteText content;
    size_t length;
    char *text = readText(note->fd, &length);
    int rc = 0;

    if (text == NULL)
        return noteFail(note, "read the note of a transaction");
    switch (noteTextRead(text, length, &content)) {
    case NOTE_WHOLE:
        rc = recoverCut(ts, &content);
        if (rc == 0)
            dropIf(ts, isGone);
        noteTextFini(&content);
        break;
    case NOTE_TORN:
        rpmlog(RPMLOG_WARNING, "%s: empty or torn note of a transaction, removed\n", note->path);
        break;
    case NOTE_ALIEN:
        rfree(text);
        return moveAside(note);
    }
    rfree(text);
    return rc == 0 ? noteRemove(note) : -1;
}

static int openNote(rpmNote note)
{
    note->fd = openat(note->dirfd, NOTE_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (note->fd < 0)
        return noteFail(note, "open the note of a transaction");
    if (noteLock(note)) {
        rpmlog(RPMLOG_ERR, "%s: the transaction that it notes is not over yet\n", note->path);
        return -1;
    }
    return 0;
}

static int isThere(rpmNote note)
{
    struct stat sb;

    return fstatat(note->dirfd, NOTE_NAME, &sb, AT_SYMLINK_NOFOLLOW) == 0;
}

static int recover(rpmts ts)
{
    rpmNote note = noteNew(ts, ts->root);
    int rc = 0;

    if (note->dirfd < 0)
        rc = noteFail(note, "look for the note of a transaction");
    else if (isThere(note))
        rc = isAlien(note) ? moveAside(note) : openNote(note) ? -1 : heed(ts, note);
    noteFree(note);
    return rc;
}

int rpmNoteRecover(rpmts ts)
{
    if (ts->rdb == NULL)
        return 0;
    if (recover(ts))
        return -1;
    if (ts->recovered != NULL)
        dropIf(ts, isDone);
    ts->recovered = argvFree(ts->recovered);
    return 0;
}

/* -- before there are elements ----------------------------------------------------------------- */

static int recoverLocked(rpmts ts, void *data)
{
    int mode = ts->dbmode;
    int rc = rpmtsOpenDB(ts, O_RDWR | O_CREAT) ? -1 : recover(ts);

    (void) data;
    if (rpmtsCloseDB(ts))
        rc = -1;
    ts->dbmode = mode;
    return rc;
}

static int recoverBelow(rpmts ts, void *data)
{
    (void) data;
    return rpmtsReadPolicy(ts) ? -1 : rpmtsRunLocked(ts, 1, recoverLocked, NULL);
}

/* Without a word where there is not even a root: that is for others to tell. */
static int hasNote(rpmts ts)
{
    rpmRoot root = rpmRootNew(ts->rootDir);
    rpmNote note = root != NULL ? noteNew(ts, root) : NULL;
    int there = note != NULL && note->dirfd >= 0 && isThere(note);

    noteFree(note);
    rpmRootFree(root);
    return there;
}

int rpmtsRecover(rpmts ts)
{
    if ((ts->flags & (RPMTRANS_FLAG_TEST | RPMTRANS_FLAG_NODB)) || !hasNote(ts))
        return 0;
    return rpmtsRunBelow(ts, recoverBelow, NULL);
}
