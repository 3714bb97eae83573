/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_FAULTVFS_H
#define TESTS_FAULTVFS_H

/* SQLite's default VFS for tests: counts what is written and synced (and does not sync), and lets
 * one call fail, or all from that one on. */

#include <string.h>

#include <sqlite3.h>

enum faultOp { FAULT_WRITE, FAULT_SYNC, FAULT_TRUNCATE, FAULT_NOPS };

static struct {
    int calls[FAULT_NOPS];
    int failAt[FAULT_NOPS]; /* call number, from 1; 0: none fails */
    int forEver;            /* and all after it */
    sqlite3_vfs vfs;
    sqlite3_vfs *base;
    sqlite3_io_methods methods[4];      /* SQLite has several: with locks, without */
    const sqlite3_io_methods *real[4];
} fault;

static int faulty(enum faultOp op)
{
    int call = ++fault.calls[op];

    return fault.failAt[op] != 0 &&
        (call == fault.failAt[op] || (fault.forEver && call > fault.failAt[op]));
}

/* The sets differ in their locks only; who else stands before them has a set of his own. */
static const sqlite3_io_methods *real(void)
{
    return fault.real[0];
}

static int faultWrite(sqlite3_file *file, const void *buf, int n, sqlite3_int64 offset)
{
    return faulty(FAULT_WRITE) ? SQLITE_FULL : real()->xWrite(file, buf, n, offset);
}

static int faultSync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return faulty(FAULT_SYNC) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int faultTruncate(sqlite3_file *file, sqlite3_int64 size)
{
    return faulty(FAULT_TRUNCATE) ? SQLITE_IOERR_TRUNCATE : real()->xTruncate(file, size);
}

static void interpose(sqlite3_file *file)
{
    int i = 0;

    while (fault.real[i] != NULL && fault.real[i] != file->pMethods)
        i++;
    fault.real[i] = file->pMethods;
    fault.methods[i] = *file->pMethods;
    fault.methods[i].xWrite = faultWrite;
    fault.methods[i].xSync = faultSync;
    fault.methods[i].xTruncate = faultTruncate;
    file->pMethods = &fault.methods[i];
}

static int faultOpen(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    int rc;

    (void)vfs;
    file->pMethods = NULL;
    rc = fault.base->xOpen(fault.base, name, file, flags, out);
    if (file->pMethods != NULL)
        interpose(file);
    return rc;
}

/* Become the default. Before anything opens a database. */
static void faultRegister(void)
{
    fault.base = sqlite3_vfs_find(NULL);
    fault.vfs = *fault.base;
    fault.vfs.zName = "fault";
    fault.vfs.pNext = NULL;
    fault.vfs.xOpen = faultOpen;
    sqlite3_vfs_register(&fault.vfs, 1);
}

static void faultReset(void)
{
    memset(fault.calls, 0, sizeof(fault.calls));
    memset(fault.failAt, 0, sizeof(fault.failAt));
    fault.forEver = 0;
}

static void faultArm(enum faultOp op, int call, int forEver)
{
    faultReset();
    fault.failAt[op] = call;
    fault.forEver = forEver;
}

#endif /* TESTS_FAULTVFS_H */
