/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening and closing the package database.
 *
 * Its directory is found below the root by descriptor, so that a symlinked /var leads where it
 * leads inside the root. SQLite, which opens by name, gets the name that the system has for that
 * directory, and it is checked to be that directory. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/argv.h>
#include <rpm/rpmfileutil.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmdb_sql.h"
#include "rpmroot.h"

const struct rpmdbPolicy_s rpmdbPolicyDefault = { .sync = true, .checkpoint = true };

static void collectDir(void *data, const char *path)
{
    argvAdd(data, path);
}

/* A new directory is there after a power cut only if its parent was synced. */
static int syncParents(rpmRoot root, ARGV_t made)
{
    int rc = 0;

    for (; made != NULL && *made != NULL && rc == 0; made++) {
        char *parent = rstrndup(*made, (size_t)(strrchr(*made, '/') - *made));
        int at = rpmRootOpenDir(root, parent, 0);
        int fd = at >= 0 ? openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

        rc = fd >= 0 ? fsync(fd) : -1;
        if (fd >= 0)
            close(fd);
        if (at >= 0)
            close(at);
        rfree(parent);
    }
    return rc;
}

static int findDir(rpmdb db, bool make)
{
    rpmRoot root = rpmRootNew(db->root);
    ARGV_t made = NULL;
    int at = -1;

    if (root == NULL)
        return -1;
    if (!rpmdbWritable(db))
        rpmRootTrustLinks(root);
    rpmRootOnMake(root, collectDir, &made);
    at = rpmRootOpenDir(root, db->path, make);
    if (at >= 0 && db->policy.sync && syncParents(root, made)) {
        close(at);
        at = -1;
    }
    if (at >= 0) {
        db->dirfd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
    }
    argvFree(made);
    rpmRootFree(root);
    return db->dirfd >= 0 ? 0 : -1;
}

/* Without /proc, the plain name will do where it leads to the same place. */
static int nameDir(rpmdb db)
{
    char proc[64], name[PATH_MAX];
    struct stat here, there;
    ssize_t len;

    snprintf(proc, sizeof(proc), "/proc/self/fd/%d", db->dirfd);
    len = readlink(proc, name, sizeof(name) - 1);
    if (len > 0) {
        name[len] = '\0';
        rfree(db->home);
        db->home = rstrdup(name);
    }
    if (fstat(db->dirfd, &here) || stat(db->home, &there))
        return -1;
    if (here.st_dev != there.st_dev || here.st_ino != there.st_ino) {
        errno = EXDEV;
        return -1;
    }
    rfree(db->file);
    db->file = rstrscat(NULL, db->home, "/" RPMDB_FILE, NULL);
    return 0;
}

static int hasName(rpmdb db, const char *name)
{
    struct stat sb;

    if (fstatat(db->dirfd, name, &sb, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : -1;
    if (S_ISREG(sb.st_mode))
        return 1;
    errno = EINVAL;
    return -1;
}

static int refuseOther(rpmdb db, const char *name, const char *kind)
{
    if (hasName(db, name) != 1)
        return 0;
    rpmlog(RPMLOG_ERR, "%s/%s: %s databases are not supported, only SQLite's\n", db->home, name,
        kind);
    return -1;
}

/* 1: there is a file to connect to. */
static int findFile(rpmdb db)
{
    bool create = rpmdbWritable(db) && (db->mode & O_CREAT);
    int there;

    if (findDir(db, create)) {
        there = errno == ENOENT && !rpmdbWritable(db) ? 0 : -1;
    } else {
        there = nameDir(db) ? -1 : hasName(db, RPMDB_FILE);
        if (there == 0 && rpmdbWritable(db) && !create) {
            errno = ENOENT;
            there = -1;
        }
    }
    if (there < 0)
        rpmlog(RPMLOG_ERR, "Unable to open sqlite database %s: %s\n", db->file, strerror(errno));
    if (there == 0 && db->dirfd >= 0 &&
        (refuseOther(db, "Packages", "Berkeley DB") || refuseOther(db, "Packages.db", "NDB")))
        there = -1;
    return there;
}

/* A file of no bytes is one whose maker did not get further. */
static int openReading(rpmdb db)
{
    struct stat sb;

    if (rpmdbConnect(db, false))
        return -1;
    if (rpmdbHasTable(db, 0))
        return 0;
    rpmdbDropConnection(db);
    if (rpmdbFStat(db, &sb) == 0 && sb.st_size == 0)
        return 0;
    rpmlog(RPMLOG_ERR, "Unable to open sqlite database %s: no package database\n", db->file);
    return -1;
}

static int openDatabase(rpmdb db)
{
    int there = findFile(db);

    if (there < 0)
        return -1;
    if (there == 0 && !rpmdbWritable(db))
        return 0;
    if (there == 0) {
        db->made = true;
        if (rpmdbMakeFile(db))
            return -1;
    }
    if (!rpmdbWritable(db))
        return openReading(db);
    return rpmdbConnect(db, false) || rpmdbRepairTables(db) ? -1 : 0;
}

static rpmdb newDatabase(const char *prefix, const char *dbpath, int mode,
    const struct rpmdbPolicy_s *policy)
{
    rpmdb db = rcalloc(1, sizeof(*db));

    db->root = rstrdup(prefix != NULL && *prefix != '\0' ? prefix : "/");
    db->path = rpmGetPath(dbpath != NULL ? dbpath : "%{?_dbpath}", NULL);
    db->home = rpmGenPath(db->root, db->path, NULL);
    db->file = rstrscat(NULL, db->home, "/" RPMDB_FILE, NULL);
    db->dirfd = -1;
    db->mode = mode;
    db->policy = policy != NULL ? *policy : rpmdbPolicyDefault;
    return rpmdbLink(db);
}

int rpmdbOpen(const char *prefix, const char *dbpath, rpmdb *dbp, int mode,
    const struct rpmdbPolicy_s *policy)
{
    rpmdb db = newDatabase(prefix, dbpath, mode, policy);
    int rc = -1;

    if (db->path[0] != '/')
        rpmlog(RPMLOG_ERR, "no dbpath has been set\n");
    else
        rc = openDatabase(db);
    if (rc != 0) {
        rpmdbDropConnection(db);
        rpmdbClose(db);
        db = NULL;
    }
    *dbp = db;
    return rc;
}

rpmdb rpmdbLink(rpmdb db)
{
    if (db != NULL)
        db->nrefs++;
    return db;
}

int rpmdbClose(rpmdb db)
{
    int rc;

    if (db == NULL || --db->nrefs > 0)
        return 0;
    rc = rpmdbDisconnect(db);
    if (db->dirfd >= 0)
        close(db->dirfd);
    rfree(db->checked);
    rfree(db->root);
    rfree(db->path);
    rfree(db->home);
    rfree(db->file);
    rfree(db);
    return rc;
}

int rpmdbInit(const char *prefix, const char *dbpath, const struct rpmdbPolicy_s *policy)
{
    rpmdb db;

    if (rpmdbOpen(prefix, dbpath, &db, O_RDWR | O_CREAT, policy))
        return -1;
    return rpmdbClose(db);
}

const char *rpmdbHome(rpmdb db)
{
    return db->dirfd >= 0 ? db->home : "";
}

rpmop rpmdbOp(rpmdb db, rpmdbOpX opx)
{
    if (db == NULL || opx < RPMDB_OP_DBGET || opx >= RPMDB_OP_MAX)
        return NULL;
    return &db->ops[opx];
}

int rpmdbOpenAll(rpmdb db)
{
    if (db == NULL)
        return -2;
    for (int t = 0; t < RPMDB_NTABLES && db->sql != NULL; t++) {
        if (!rpmdbHasTable(db, t)) {
            rpmlog(RPMLOG_ERR, "%s: index %s is missing\n", db->file,
                rpmTagGetName(rpmdbTables[t]));
            return -1;
        }
    }
    return 0;
}

int rpmdbFStat(rpmdb db, struct stat *statbuf)
{
    if (db->dirfd < 0) {
        errno = ENOENT;
        return -1;
    }
    return fstatat(db->dirfd, RPMDB_FILE, statbuf, AT_SYMLINK_NOFOLLOW);
}

int rpmdbStat(const char *prefix, struct stat *statbuf)
{
    rpmdb db = newDatabase(prefix, NULL, O_RDONLY, NULL);
    int rc = db->path[0] == '/' ? findDir(db, false) : -1;

    if (rc == 0)
        rc = rpmdbFStat(db, statbuf);
    rpmdbClose(db);
    return rc;
}
