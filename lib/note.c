/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The note of the transaction in flight: its file. */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <rpm/rpmfileutil.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "flushpolicy.h"
#include "leftovers.h"
#include "note_file.h"
#include "note_text.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* -- the file ---------------------------------------------------------------------------------- */

int noteFail(rpmNote note, const char *what)
{
    rpmlog(RPMLOG_ERR, "%s: cannot %s: %s\n", note->path, what, strerror(errno));
    return -1;
}

rpmNote noteNew(rpmts ts, rpmRoot root)
{
    rpmNote note = rcalloc(1, sizeof(*note));
    char *dbpath = rpmGetPath("%{?_dbpath}", NULL);

    note->path = rpmGenPath(ts->rootDir, dbpath, NOTE_NAME);
    note->fd = -1;
    note->dirfd = rpmRootOpenDir(root, dbpath, 0);
    rfree(dbpath);
    return note;
}

rpmNote noteFree(rpmNote note)
{
    if (note != NULL) {
        if (note->fd >= 0)
            close(note->fd);
        if (note->dirfd >= 0)
            close(note->dirfd);
        rfree(note->path);
        rfree(note->marks);
        rfree(note);
    }
    return NULL;
}

int noteLock(rpmNote note)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    if (fcntl(note->fd, F_OFD_SETLK, &all) && (errno == EAGAIN || errno == EACCES))
        return -1;
    return 0;
}

static int unlinkName(rpmNote note)
{
    return unlinkat(note->dirfd, NOTE_NAME, 0) && errno != ENOENT ? -1 : 0;
}

int noteRemove(rpmNote note)
{
    return unlinkName(note) ? noteFail(note, "remove it") : 0;
}

/* -- what is in it ----------------------------------------------------------------------------- */

/* Its old record is what it is about, and no new one. */
static int isErasedAsSuch(rpmte te)
{
    return te->type == TR_REMOVED && te->dependsOn == NULL;
}

/* The packages added have numbers from 1. */
static int numberOf(rpmts ts, rpmte te)
{
    int n = 0;

    for (int i = 0; i < ts->nelements; i++) {
        n += ts->elements[i]->type == TR_ADDED;
        if (ts->elements[i] == te)
            return n;
    }
    return 0;
}

static void addElement(rpmts ts, struct noteText *text, int i, int erasing)
{
    rpmte te = ts->elements[i];
    struct noteErasure erasure = {
        .nevra = te->NEVRA,
        .num = te->dbInstance,
        .tid = (rpm_tid_t) headerGetNumber(te->h, RPMTAG_INSTALLTID),
        .begun = i < erasing,
    };

    if (te->type == TR_ADDED) {
        noteTextAddPackage(text, te->NEVRA);
    } else {
        erasure.by = te->dependsOn != NULL ? numberOf(ts, te->dependsOn) : 0;
        noteTextAddErasure(text, &erasure);
    }
}

static int makesName(rpmte te, int fx)
{
    return !XFA_SKIPPING(te->actions[fx]) && !(rpmfilesFFlags(te->files, fx) & RPMFILE_GHOST);
}

/* Files of one directory mostly follow each other; what is met again is sorted out later. */
static int findDirs(rpmte te, const char **dirs)
{
    int n = 0, last = -1;

    for (int fx = 0; fx < (int) rpmfilesFC(te->files); fx++) {
        int di = rpmfilesDI(te->files, fx);

        if (di != last && makesName(te, fx)) {
            dirs[n++] = rpmfilesDN(te->files, di);
            last = di;
        }
    }
    return n;
}

static int cmpString(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static void addDirs(rpmts ts, struct noteText *text)
{
    const char **dirs;
    size_t n = 0, room = 0;

    for (int i = 0; i < ts->nelements; i++)
        room += rpmfilesFC(ts->elements[i]->files);
    dirs = rcalloc(room, sizeof(*dirs));
    for (int i = 0; i < ts->nelements; i++) {
        if (ts->elements[i]->type == TR_ADDED)
            n += (size_t) findDirs(ts->elements[i], dirs + n);
    }
    qsort(dirs, n, sizeof(*dirs), cmpString);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !rstreq(dirs[i], dirs[i - 1]))
            noteTextAddDir(text, dirs[i]);
    }
    rfree(dirs);
}

static void fillText(rpmts ts, struct noteText *text, int erasing)
{
    *text = (struct noteText) { .tid = ts->tid, .flags = ts->flags };
    for (int i = 0; i < ts->nelements; i++)
        addElement(ts, text, i, erasing);
    if (!(ts->flags & RPMTRANS_FLAG_JUSTDB))
        addDirs(ts, text);
}

static char *marksOf(rpmts ts, int erasing)
{
    char *marks = rcalloc((size_t) ts->nelements + 1, 1);
    int n = 0;

    for (int i = 0; i < ts->nelements; i++) {
        if (isErasedAsSuch(ts->elements[i]))
            marks[n++] = i < erasing ? '+' : '.';
    }
    return marks;
}

/* -- the life of a note ------------------------------------------------------------------------ */

static int writeAt(int fd, const char *text, size_t length, off_t offset)
{
    while (length > 0) {
        ssize_t n = pwrite(fd, text, length, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        text += n;
        length -= (size_t) n;
        offset += n;
    }
    return 0;
}

/* The name is durable, too. The fsync of a new file is enough for that on btrfs, where one of the
 * directory costs as much again; elsewhere the second call finds nothing left to do. */
static int syncNew(rpmNote note)
{
    struct statfs fs;
    int fd, rc;

    if (fsync(note->fd) || fstatfs(note->fd, &fs))
        return -1;
    if (fs.f_type == BTRFS_SUPER_MAGIC)
        return 0;
    fd = openat(note->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    rc = fsync(fd);
    close(fd);
    return rc;
}

static int writeNew(rpmts ts, rpmNote note, const struct noteText *text)
{
    size_t length, begun;
    char *s = noteTextWrite(text, &length, &begun);
    int rc = 0;

    note->begun = (off_t) begun;
    note->fd = openat(note->dirfd, NOTE_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                      0644);
    if (note->fd < 0) {
        rc = noteFail(note, "note the transaction");
    } else {
        (void) noteLock(note);
        rpmtsWillWriteTo(ts, note->dirfd, note->path);
        if (writeAt(note->fd, s, length, 0) || syncNew(note)) {
            rc = noteFail(note, "note the transaction");
            noteRemove(note);
        }
    }
    rfree(s);
    return rc;
}

int rpmNoteBegin(rpmts ts, int erasing)
{
    struct noteText text;
    rpmNote note;
    int rc;

    if (ts->rdb == NULL || !rpmtsIsBatch(ts))
        return 0;
    note = noteNew(ts, ts->root);
    fillText(ts, &text, erasing);
    leftoversOfDead(ts, text.dirs, text.ndirs);
    note->marks = marksOf(ts, erasing);
    rc = writeNew(ts, note, &text);
    noteTextFini(&text);
    if (rc == 0)
        ts->note = note;
    else
        noteFree(note);
    return rc;
}

static int writeMarks(rpmNote note, int from, int to)
{
    return writeAt(note->fd, note->marks + from, (size_t) (to - from), note->begun + from) ||
           fdatasync(note->fd) ? -1 : 0;
}

int rpmNoteErasing(rpmts ts, int first, int n)
{
    rpmNote note = ts->note;
    int from = -1, to = -1, ix = 0;

    for (int i = 0; i < first + n && note != NULL; i++) {
        if (!isErasedAsSuch(ts->elements[i]))
            continue;
        if (i >= first && note->marks[ix] != '+') {
            note->marks[ix] = '+';
            from = from < 0 ? ix : from;
            to = ix + 1;
        }
        ix++;
    }
    if (from >= 0 && note->error == 0 && writeMarks(note, from, to))
        note->error = errno;
    if (note == NULL || note->error == 0)
        return 0;
    errno = note->error;
    return noteFail(note, "note what is going to be erased");
}

void rpmNoteEnd(rpmts ts, int keep)
{
    if (ts->note != NULL && !keep && unlinkName(ts->note))
        rpmlog(RPMLOG_WARNING, "%s: cannot be removed, which is left to the next command: %s\n",
               ts->note->path, strerror(errno));
    ts->note = noteFree(ts->note);
}
