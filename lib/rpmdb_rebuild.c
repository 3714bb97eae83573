/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making a database anew, and checking one.
 *
 * The new file is built in a directory inside that of the database: on the same filesystem,
 * whatever is mounted there, and only the file is replaced. Before that, the old one's WAL is
 * moved into it and removed: the name must at no time stand beside a WAL of another file. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmfileutil.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmdb_sql.h"

#define SIDE_DIR ".rebuild"

static int fail(rpmdb db, const char *what)
{
    rpmlog(RPMLOG_ERR, "%s: %s: %s\n", db->file, what, strerror(errno));
    return -1;
}

static bool isSane(rpmdbMatchIterator mi, Header h)
{
    if (headerIsEntry(h, RPMTAG_NAME) && headerIsEntry(h, RPMTAG_VERSION) &&
        headerIsEntry(h, RPMTAG_RELEASE) && headerIsEntry(h, RPMTAG_BUILDTIME))
        return true;
    rpmlog(RPMLOG_ERR, "header #%u in the database is bad -- skipping.\n",
        rpmdbGetIteratorOffset(mi));
    return false;
}

static int copyHeader(rpmdb new, Header h)
{
    Header copy;
    int rc;

    if (!headerIsEntry(h, RPMTAG_HEADERIMAGE))
        return rpmdbAdd(new, h);
    /* The region of a very old header may hold what was deleted. */
    copy = headerReload(headerCopy(h), RPMTAG_HEADERIMAGE);
    rc = copy != NULL ? rpmdbAdd(new, copy) : -1;
    headerFree(copy);
    return rc;
}

static int copyHeaders(rpmdb old, rpmdb new, rpmts ts,
    rpmRC (*hdrchk)(rpmts ts, const void *uh, size_t uc, char **msg))
{
    rpmdbMatchIterator mi = rpmdbInitIterator(old, RPMDBI_PACKAGES, NULL, 0);
    int rc = mi != NULL ? 0 : -1;
    Header h;

    rpmdbSetHdrChk(mi, ts, hdrchk);
    while (rc == 0 && (h = rpmdbNextIterator(mi)) != NULL) {
        if (!isSane(mi, h))
            continue;
        rc = copyHeader(new, h);
        if (rc != 0)
            rpmlog(RPMLOG_ERR, "cannot add record originally at %u\n",
                rpmdbGetIteratorOffset(mi));
    }
    if (rpmdbIteratorFailed(mi))
        rc = -1;
    rpmdbFreeIterator(mi);
    return rc;
}

/* A database without a name yet: nothing is synced before it is whole. */
static int fillSide(rpmdb old, rpmdb new, rpmts ts,
    rpmRC (*hdrchk)(rpmts ts, const void *uh, size_t uc, char **msg))
{
    int rc = -1;

    if (rpmdbConnect(new, true) == 0 && rpmdbBegin(new) == 0) {
        new->failed = rpmdbMakeTables(new, false) || copyHeaders(old, new, ts, hdrchk) ||
            rpmdbMakeIndexes(new);
        if (rpmdbCommit(new) == 0)
            rc = rpmdbCheckpoint(new);
    }
    rpmdbDropConnection(new);
    return rc;
}

/* Owner, permissions, and the disk. */
static int finishSide(rpmdb old, rpmdb new)
{
    int fd = openat(new->dirfd, RPMDB_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat sb;
    int rc = -1;

    if (fd < 0 || rpmdbFStat(old, &sb))
        goto exit;
    if (fchown(fd, sb.st_uid, sb.st_gid) && geteuid() == 0)
        goto exit;
    if (fchmod(fd, sb.st_mode & 07777) || (old->policy.sync && fsync(fd)))
        goto exit;
    rc = 0;

exit:
    if (fd >= 0 && close(fd))
        rc = -1;
    return rc == 0 ? 0 : fail(old, "failed to rebuild");
}

/* After this all of the old database is in its main file, and nobody's name but that is there. */
static int settleOld(rpmdb old)
{
    int zero = 0;

    if (rpmdbCheckpoint(old))
        return -1;
    sqlite3_file_control(old->sql, NULL, SQLITE_FCNTL_PERSIST_WAL, &zero);
    rpmdbDropConnection(old);
    if ((unlinkat(old->dirfd, RPMDB_FILE "-wal", 0) && errno != ENOENT) ||
        (unlinkat(old->dirfd, RPMDB_FILE "-shm", 0) && errno != ENOENT))
        return fail(old, "failed to rebuild");
    return 0;
}

/* 1: the new one is in place, but something failed after that. */
static int swapFiles(rpmdb old, rpmdb new)
{
    if (settleOld(old))
        return -1;
    if (renameat(new->dirfd, RPMDB_FILE, old->dirfd, RPMDB_FILE))
        return fail(old, "failed to replace old database with new database");
    if (old->policy.sync && fsync(old->dirfd)) {
        fail(old, "new database is in place, but a power cut may bring the original back");
        return 1;
    }
    /* Ordinary users cannot read without a -wal and a -shm, which this leaves. */
    return rpmdbConnect(old, false) == 0 ? 0 : 1;
}

static void removeSide(rpmdb old, int sidefd)
{
    static const char *const names[] = { RPMDB_FILE, RPMDB_FILE "-wal", RPMDB_FILE "-shm",
        RPMDB_FILE "-journal" };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unlinkat(sidefd, names[i], 0);
    unlinkat(old->dirfd, SIDE_DIR, AT_REMOVEDIR);
}

/* One that a killed rebuild left is used again. */
static int makeSide(rpmdb old)
{
    int fd;

    if (mkdirat(old->dirfd, SIDE_DIR, 0700) && errno != EEXIST)
        return -1;
    fd = openat(old->dirfd, SIDE_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        removeSide(old, fd);
        if (mkdirat(old->dirfd, SIDE_DIR, 0700) == 0) {
            close(fd);
            fd = openat(old->dirfd, SIDE_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
    }
    return fd;
}

static int rebuild(rpmdb old, rpmts ts,
    rpmRC (*hdrchk)(rpmts ts, const void *uh, size_t uc, char **msg))
{
    struct rpmdb_s new = { .mode = O_RDWR };
    int rc = -1;

    new.dirfd = makeSide(old);
    new.file = rstrscat(NULL, old->home, "/" SIDE_DIR "/" RPMDB_FILE, NULL);
    if (new.dirfd < 0)
        fail(old, "failed to create directory " SIDE_DIR);
    else if (fillSide(old, &new, ts, hdrchk) == 0 && finishSide(old, &new) == 0)
        rc = swapFiles(old, &new);
    if (rc < 0)
        rpmlog(RPMLOG_WARNING,
            "failed to rebuild database: original database remains in place\n");
    if (new.dirfd >= 0) {
        removeSide(old, new.dirfd);
        close(new.dirfd);
    }
    rfree(new.file);
    return rc == 0 ? 0 : -1;
}

/* Upstream can be told to build elsewhere, and then leaves the result there. */
static int refuseElsewhere(void)
{
    char *usual = rpmGetPath("%{?_dbpath}", NULL);
    char *path = rpmGetPath("%{?_dbpath_rebuild}", NULL);
    bool elsewhere = *path != '\0' && !rstreq(path, usual);

    if (elsewhere)
        rpmlog(RPMLOG_ERR, "%%_dbpath_rebuild is not supported: %s\n", path);
    rfree(usual);
    rfree(path);
    return elsewhere ? -1 : 0;
}

int rpmdbRebuild(const char *prefix, const char *dbpath, rpmts ts,
    rpmRC (*hdrchk)(rpmts ts, const void *uh, size_t uc, char **msg),
    const struct rpmdbPolicy_s *policy)
{
    rpmdb db;
    int rc;

    if (rpmdbOpen(prefix, dbpath, &db, O_RDWR | O_CREAT, policy))
        return -1;
    rc = refuseElsewhere();
    /* What was made just now is as new as can be. */
    if (rc == 0 && !db->made)
        rc = rebuild(db, ts, hdrchk);
    if (rpmdbClose(db))
        rc = -1;
    return rc;
}

static void noErrors(void *data)
{
    *(int *)data = 0;
}

static void reportRow(void *data, sqlite3_stmt *stmt)
{
    int *errors = data;
    const char *text = (const char *)sqlite3_column_text(stmt, 0);

    if (text != NULL && rstreq(text, "ok"))
        return;
    ++*errors;
    if (sqlite3_column_count(stmt) > 1)
        rpmlog(RPMLOG_ERR, "verify key: %s[%lld]\n", text != NULL ? text : "",
            (long long)sqlite3_column_int64(stmt, 1));
    else
        rpmlog(RPMLOG_ERR, "verify: %s\n", text != NULL ? text : "");
}

static int check(rpmdb db, const char *sql)
{
    int errors = 0;
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db->sql, sql, -1, &stmt, NULL);

    if (rc != SQLITE_OK)
        rpmdbError(db, rc);
    else
        rc = rpmdbQuery(db, stmt, reportRow, noErrors, &errors);
    sqlite3_finalize(stmt);
    return rc == 0 && errors == 0 ? 0 : -1;
}

int rpmdbVerify(const char *prefix, const char *dbpath)
{
    rpmdb db;
    int rc = 0;

    if (rpmdbOpen(prefix, dbpath, &db, O_RDONLY, NULL))
        return -1;
    if (db->sql != NULL)
        rc = check(db, "PRAGMA integrity_check") || check(db, "PRAGMA foreign_key_check") ? -1 : 0;
    rpmdbClose(db);
    return rc;
}
