/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_RPMDB_FIXTURE_H
#define TESTS_RPMDB_FIXTURE_H

/* What the tests of the package database share: a root, packages, what is in the database, and a
 * count of what is synced. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <rpm/header.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "faultvfs.h"
#include "rpmdb_internal.h"
#include "testtree.h"

#define DBPATH "/var/lib/rpm"

static const char *tree;
static char *output; /* what was logged since the last use */
static int nlines;
static int fsyncs, failFsync;
static const struct rpmdbPolicy_s keepWal = { .sync = true };
static const struct rpmdbPolicy_s noSync = { .sync = false, .checkpoint = true };

int __wrap_fsync(int fd);

/* Those of the library: SQLite's are counted by the VFS. None is done. */
int __wrap_fsync(int fd)
{
    (void)fd;
    if (++fsyncs == failFsync) {
        errno = EIO;
        return -1;
    }
    return 0;
}

static int keep(rpmlogRec rec, rpmlogCallbackData data)
{
    (void)data;
    if (rpmlogRecPriority(rec) <= RPMLOG_WARNING) {
        rstrscat(&output, rpmlogLevelPrefix(rpmlogRecPriority(rec)), rpmlogRecMessage(rec), NULL);
        nlines++;
    }
    return 0;
}

static void forget(void)
{
    output = rfree(output);
    nlines = 0;
}

static void assertLogged(const char *part)
{
    assert_non_null(output);
    if (strstr(output, part) == NULL)
        print_error("not logged: %s, but: %s", part, output);
    assert_non_null(strstr(output, part));
    forget();
}

static int setup(void **state)
{
    if (treeSetup(state) != 0)
        return -1;
    tree = *state;
    rpmlogSetCallback(keep, NULL);
    return 0;
}

static int removeName(const char *path, const struct stat *sb, int type, struct FTW *ftw)
{
    (void)sb, (void)type, (void)ftw;
    return remove(path);
}

static void removeDb(void)
{
    nftw(at(tree, "root"), removeName, 10, FTW_DEPTH | FTW_PHYS);
    putDir(tree, "root");
}

static int fresh(void **state)
{
    (void)state;
    forget();
    faultReset();
    fsyncs = failFsync = 0;
    removeDb();
    return 0;
}

static int quiet(void **state)
{
    (void)state;
    assert_null(output);
    return 0;
}

static rpmdb openDb(int mode, const struct rpmdbPolicy_s *policy)
{
    rpmdb db = NULL;

    if (rpmdbOpen(at(tree, "root"), DBPATH, &db, mode, policy))
        fail_msg("cannot open: %s", output);
    assert_non_null(db);
    return db;
}

static void closeDb(rpmdb db)
{
    assert_int_equal(rpmdbClose(db), 0);
}

static Header package(const char *name, int nfiles)
{
    Header h = headerNew();
    uint32_t zero = 0;

    headerPutString(h, RPMTAG_NAME, name);
    headerPutString(h, RPMTAG_VERSION, "1.0");
    headerPutString(h, RPMTAG_RELEASE, "1");
    headerPutString(h, RPMTAG_ARCH, "noarch");
    headerPutUint32(h, RPMTAG_BUILDTIME, &zero, 1);
    for (int i = 0; i < nfiles; i++) {
        char base[32];
        snprintf(base, sizeof(base), "file%d", i);
        headerPutString(h, RPMTAG_BASENAMES, base);
        headerPutUint32(h, RPMTAG_DIRINDEXES, &zero, 1);
    }
    if (nfiles > 0)
        headerPutString(h, RPMTAG_DIRNAMES, "/opt/");
    return h;
}

static int tryAdd(rpmdb db, const char *name, int nfiles)
{
    Header h = package(name, nfiles);
    int rc = rpmdbAdd(db, h);

    headerFree(h);
    return rc;
}

static unsigned int recordOf(rpmdb db, const char *name)
{
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_NAME, name, 0);
    unsigned int hdrNum = rpmdbNextIterator(mi) != NULL ? rpmdbGetIteratorOffset(mi) : 0;

    rpmdbFreeIterator(mi);
    return hdrNum;
}

/* Names of all packages, each with a blank behind it, and everything in its indexes is right. */
static void assertPackages(const char *names)
{
    rpmdb db = openDb(O_RDONLY, NULL);
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_PACKAGES, NULL, 0);
    char *got = rstrdup("");
    Header h;

    while ((h = rpmdbNextIterator(mi)) != NULL) {
        const char *name = headerGetString(h, RPMTAG_NAME);
        assert_int_equal(rpmdbCountPackages(db, name), 1);
        assert_int_equal(recordOf(db, name), headerGetInstance(h));
        rstrscat(&got, name, " ", NULL);
    }
    assert_string_equal(got, names);
    rfree(got);
    rpmdbFreeIterator(mi);
    closeDb(db);
    assert_int_equal(rpmdbVerify(at(tree, "root"), DBPATH), 0);
}

static void runSql(const char *sql)
{
    sqlite3 *sql3;

    assert_int_equal(sqlite3_open(at(tree, "root" DBPATH "/rpmdb.sqlite"), &sql3), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql3, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(sql3);
}

#endif /* TESTS_RPMDB_FIXTURE_H */
