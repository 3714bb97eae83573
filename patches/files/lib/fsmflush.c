/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The write policy of a transaction, as the file state machine sees it. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmtypes.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "fsmflush.h"

struct fsmFlush_s {
    rpmFlush flush;
    int active;		/* does the policy ask for more than plain writes? */
    rpmFlushFile file;	/* in hand */
    int fdno;		/* its descriptor */
    char *dn;		/* directory entered last */
    int touchError;	/* errno: a change cannot be made durable */
};

static int isActive(fsmFlush flush)
{
    return flush != NULL && flush->active;
}

static int isBatch(fsmFlush flush)
{
    return isActive(flush) && rpmFlushGetPolicy(flush->flush)->whether == RPMFLUSH_ON &&
	   rpmFlushGetPolicy(flush->flush)->method == RPMFLUSH_BATCH;
}

/* The sentence of the module, or one for errno, which stays. */
static int logFailure(fsmFlush flush, const char *what)
{
    int err = errno;
    char *msg = rpmFlushTakeError(flush->flush);

    if (msg != NULL)
	rpmlog(RPMLOG_ERR, "%s\n", msg);
    else
	rpmlog(RPMLOG_ERR, "%s: %s\n", what, strerror(err));
    free(msg);
    errno = err;
    return -1;
}

static char *pathOf(const char *dn, const char *name)
{
    char *path = rstrdup(dn);

    return rstrcat(&path, name);
}

int fsmFlushBegin(fsmFlush *flushp)
{
    rpmFlushPolicy policy;
    char *emsg = NULL;

    *flushp = fsmFlushFree(*flushp);
    if (rpmFlushPolicyFromMacros(&policy, &emsg)) {
	rpmlog(RPMLOG_ERR, "%s\n", emsg);
	free(emsg);
	return -1;
    }
    *flushp = rcalloc(1, sizeof(**flushp));
    (*flushp)->flush = rpmFlushNew(&policy);
    (*flushp)->active = !rpmFlushPolicyIdle(&policy);
    (*flushp)->fdno = -1;
    return 0;
}

int fsmFlushEnsure(fsmFlush *flushp)
{
    return *flushp != NULL ? 0 : fsmFlushBegin(flushp);
}

static void dropFile(fsmFlush flush)
{
    flush->file = rpmFlushFileFree(flush->file);
    flush->fdno = -1;
}

/* What has not been synced is not going to be. */
static void giveUp(fsmFlush flush)
{
    int err = errno;

    dropFile(flush);
    flush->touchError = 0;
    rpmFlushGiveUp(flush->flush);
    errno = err;
}

fsmFlush fsmFlushFree(fsmFlush flush)
{
    if (flush == NULL)
	return NULL;
    dropFile(flush);
    rpmFlushFree(flush->flush);
    free(flush->dn);
    free(flush);
    return NULL;
}

void fsmFlushFilesystem(fsmFlush flush, const char *path)
{
    int fdno;

    if (flush == NULL || rpmFlushGetPolicy(flush->flush)->whether == RPMFLUSH_NONE)
	return;
    fdno = open(path, O_RDONLY | O_CLOEXEC);
    if (fdno < 0)
	return;
    (void)rpmFlushWillWrite(flush->flush, fdno, path);
    close(fdno);
}

void fsmFlushDirectory(fsmFlush flush, int dirfd, const char *dn)
{
    if (!isActive(flush) || (flush->dn != NULL && rstreq(flush->dn, dn)))
	return;
    (void)rpmFlushWillWrite(flush->flush, dirfd, dn);
    free(flush->dn);
    flush->dn = rstrdup(dn);
}

int fsmFlushEnd(fsmFlush flush)
{
    if (flush == NULL || rpmFlushSyncAll(flush->flush) == 0)
	return 0;
    return logFailure(flush, "syncing the filesystems");
}

int fsmFlushOpenFlags(fsmFlush flush)
{
    return isActive(flush) ? rpmFlushOpenFlags(flush->flush) : 0;
}

int fsmFlushClosed(fsmFlush flush)
{
    return isActive(flush) && rpmFlushGetPolicy(flush->flush)->whether == RPMFLUSH_ON &&
	   rpmFlushGetPolicy(flush->flush)->method == RPMFLUSH_FSYNC;
}

int fsmFlushFileNew(fsmFlush flush, int fdno, rpm_loff_t size, const char *dn, const char *name)
{
    char *path;
    int rc;

    if (!isActive(flush))
	return 0;
    dropFile(flush);
    path = pathOf(dn, name);
    rc = rpmFlushFileNew(flush->flush, fdno, (int64_t)size, path, &flush->file);
    if (rc)
	logFailure(flush, path);
    else
	flush->fdno = fdno;
    free(path);
    return rc;
}

rpmFlushFile fsmFlushFile(fsmFlush flush)
{
    return flush != NULL ? flush->file : NULL;
}

static void touch(fsmFlush flush, int fdno, const char *label, rpmFlushTouched what)
{
    if (rpmFlushTouch(flush->flush, fdno, label, what))
	flush->touchError = errno;
}

void fsmFlushNode(fsmFlush flush, int dirfd, const char *dn)
{
    if (isBatch(flush))
	touch(flush, dirfd, dn, RPMFLUSH_TOUCH_NODE);
}

void fsmFlushMadeDir(fsmFlush flush, int dirfd, int fdno, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dn;

    if (!isBatch(flush) || slash == NULL)
	return;
    dn = rstrdup(path);
    dn[slash - path + 1] = '\0';
    touch(flush, dirfd, dn, RPMFLUSH_TOUCH_NODE);
    touch(flush, fdno, path, RPMFLUSH_TOUCH_ATTRS);
    free(dn);
}

/* Attributes of something that was there before were changed. */
static void touchAttributes(fsmFlush flush, int fdno, int dirfd, const char *dn, const char *name,
			    mode_t mode)
{
    char *path = pathOf(dn, name);
    int own = -1;

    /* What is neither a file nor a directory must not be opened: its directory has to do. */
    if (fdno < 0 && (S_ISREG(mode) || S_ISDIR(mode)))
	fdno = own = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fdno >= 0)
	touch(flush, fdno, path, RPMFLUSH_TOUCH_ATTRS);
    else
	touch(flush, dirfd, dn, RPMFLUSH_TOUCH_NODE);
    if (own >= 0)
	close(own);
    free(path);
}

/* The file in hand: its descriptor is gone afterwards, but where it failed. */
static int closeFile(fsmFlush flush, int *fdp, const char *dn, const char *name, int failed)
{
    int rc = 0;

    if (!failed) {
	rc = rpmFlushFileClose(flush->file);
	*fdp = -1;
    }
    if (rc) {
	char *path = pathOf(dn, name);

	logFailure(flush, path);
	free(path);
    }
    dropFile(flush);
    return rc;
}

int fsmFlushDone(fsmFlush flush, int *fdp, int dirfd, const char *dn, const char *name,
		 mode_t mode, int isnew, int failed)
{
    if (!isActive(flush))
	return 0;
    if (flush->file != NULL && flush->fdno == *fdp)
	return closeFile(flush, fdp, dn, name, failed);
    if (failed || !isBatch(flush) || dirfd < 0)
	return 0;
    if (!isnew)
	touchAttributes(flush, *fdp, dirfd, dn, name, mode);
    else if (!S_ISREG(mode))
	touch(flush, dirfd, dn, RPMFLUSH_TOUCH_NODE);
    return 0;
}

static int takeTouchError(fsmFlush flush)
{
    int err = flush->touchError;

    flush->touchError = 0;
    errno = err;
    return err != 0;
}

int fsmFlushUnpacked(fsmFlush flush, int failed)
{
    int rc = 0;

    if (!isActive(flush))
	return 0;
    free(flush->dn);
    flush->dn = NULL;
    if (!failed && (takeTouchError(flush) || rpmFlushBarrier(flush->flush)))
	rc = logFailure(flush, "making files durable");
    if (failed || rc)
	giveUp(flush);
    return rc;
}

void fsmFlushRenamed(fsmFlush flush, int dirfd, const char *dn)
{
    if (isBatch(flush))
	touch(flush, dirfd, dn, RPMFLUSH_TOUCH_NAMES);
}

int fsmFlushCommitted(fsmFlush flush, int failed)
{
    int rc = 0;

    if (!isBatch(flush))
	return 0;
    if (!failed && (takeTouchError(flush) || rpmFlushTouchedBarrier(flush->flush)))
	rc = logFailure(flush, "making names durable");
    if (failed || rc)
	giveUp(flush);
    return rc;
}

void fsmFlushPrintStats(fsmFlush flush)
{
    char *stats, *report;

    if (!isActive(flush))
	return;
    stats = rpmFlushStats(flush->flush);
    report = rpmFlushReport(flush->flush);
    fprintf(stderr, "%s%s", stats, report);
    free(stats);
    free(report);
}
