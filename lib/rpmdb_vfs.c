/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a database without writing anything.
 *
 * In WAL mode even a read-only connection of SQLite creates the -wal and -shm files where they are
 * missing, or fails where it cannot. This VFS stands between SQLite and the system's: a -wal that
 * is missing reads as an empty one; for a -shm that is missing it answers as the system's does
 * for one that nobody can vouch for, and SQLite then makes its index of the WAL in memory. */

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "rpmdb_sql.h"

#define VFS_NAME "rpmdb-readonly"
#define WAL_HEADER_SIZE 32

/* What SQLite allocates for a file: this, and the system's file behind it. */
struct roFile {
    sqlite3_file base;
    sqlite3_file *real; /* NULL: a -wal that is not there */
    const char *name;
    int flags;
    bool unguarded;
};

static sqlite3_vfs vfs;

static sqlite3_vfs *realVfs(void)
{
    return vfs.pAppData;
}

static int openReal(struct roFile *ro, int *outFlags)
{
    sqlite3_file *file = (sqlite3_file *)(ro + 1);
    int rc = realVfs()->xOpen(realVfs(), ro->name, file, ro->flags, outFlags);

    ro->real = rc == SQLITE_OK ? file : NULL;
    return rc;
}

static sqlite3_file *real(sqlite3_file *file)
{
    return ((struct roFile *)file)->real;
}

/* As real(), for what shows whether somebody has made a missing file by now. */
static sqlite3_file *realNow(sqlite3_file *file)
{
    if (real(file) == NULL)
        openReal((struct roFile *)file, NULL);
    return real(file);
}

static int roClose(sqlite3_file *file)
{
    return real(file) != NULL ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
}

static int roRead(sqlite3_file *file, void *buf, int n, sqlite3_int64 offset)
{
    if (realNow(file) != NULL)
        return real(file)->pMethods->xRead(real(file), buf, n, offset);
    memset(buf, 0, (size_t)n);
    return SQLITE_IOERR_SHORT_READ;
}

static int roWrite(sqlite3_file *file, const void *buf, int n, sqlite3_int64 offset)
{
    (void)file, (void)buf, (void)n, (void)offset;
    return SQLITE_READONLY;
}

static int roTruncate(sqlite3_file *file, sqlite3_int64 size)
{
    (void)file, (void)size;
    return SQLITE_READONLY;
}

static int roSync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return SQLITE_OK;
}

/* Without its -shm, SQLite does not get over a WAL that is a header and nothing else. */
static int roFileSize(sqlite3_file *file, sqlite3_int64 *size)
{
    int rc = SQLITE_OK;

    *size = 0;
    if (realNow(file) != NULL)
        rc = real(file)->pMethods->xFileSize(real(file), size);
    if ((((struct roFile *)file)->flags & SQLITE_OPEN_WAL) && *size <= WAL_HEADER_SIZE)
        *size = 0;
    return rc;
}

static int roLock(sqlite3_file *file, int level)
{
    return real(file) != NULL ? real(file)->pMethods->xLock(real(file), level) : SQLITE_OK;
}

static int roUnlock(sqlite3_file *file, int level)
{
    return real(file) != NULL ? real(file)->pMethods->xUnlock(real(file), level) : SQLITE_OK;
}

static int roCheckReservedLock(sqlite3_file *file, int *locked)
{
    *locked = 0;
    return real(file) != NULL ? real(file)->pMethods->xCheckReservedLock(real(file), locked)
                              : SQLITE_OK;
}

static int roFileControl(sqlite3_file *file, int op, void *arg)
{
    return real(file) != NULL ? real(file)->pMethods->xFileControl(real(file), op, arg)
                              : SQLITE_NOTFOUND;
}

static int roSectorSize(sqlite3_file *file)
{
    return real(file) != NULL ? real(file)->pMethods->xSectorSize(real(file)) : 4096;
}

static int roDeviceCharacteristics(sqlite3_file *file)
{
    return real(file) != NULL ? real(file)->pMethods->xDeviceCharacteristics(real(file)) : 0;
}

/* SQLITE_READONLY_CANTINIT: the -shm cannot be relied on, and never will by this connection. */
static int roShmMap(sqlite3_file *file, int page, int size, int extend, void volatile **map)
{
    struct roFile *ro = (struct roFile *)file;
    int rc = ro->real->pMethods->xShmMap(ro->real, page, size, extend, map);

    if ((rc & 0xff) == SQLITE_CANTOPEN) {
        *map = NULL;
        rc = SQLITE_READONLY_CANTINIT;
    }
    ro->unguarded = rc == SQLITE_READONLY_CANTINIT;
    /* Another connection of this process may have a -shm that it writes to. */
    return rc == SQLITE_OK ? SQLITE_READONLY : rc;
}

static int roShmLock(sqlite3_file *file, int offset, int n, int flags)
{
    struct roFile *ro = (struct roFile *)file;

    return ro->unguarded ? SQLITE_OK : ro->real->pMethods->xShmLock(ro->real, offset, n, flags);
}

static void roShmBarrier(sqlite3_file *file)
{
    real(file)->pMethods->xShmBarrier(real(file));
}

static int roShmUnmap(sqlite3_file *file, int delete)
{
    (void)delete;
    return real(file)->pMethods->xShmUnmap(real(file), 0);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = roClose,
    .xRead = roRead,
    .xWrite = roWrite,
    .xTruncate = roTruncate,
    .xSync = roSync,
    .xFileSize = roFileSize,
    .xLock = roLock,
    .xUnlock = roUnlock,
    .xCheckReservedLock = roCheckReservedLock,
    .xFileControl = roFileControl,
    .xSectorSize = roSectorSize,
    .xDeviceCharacteristics = roDeviceCharacteristics,
    .xShmMap = roShmMap,
    .xShmLock = roShmLock,
    .xShmBarrier = roShmBarrier,
    .xShmUnmap = roShmUnmap,
};

static int roOpen(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *outFlags)
{
    struct roFile *ro = (struct roFile *)file;
    int rc;

    (void)self;
    flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    *ro = (struct roFile){ .name = name, .flags = flags | SQLITE_OPEN_READONLY };
    rc = openReal(ro, outFlags);
    if (rc == SQLITE_CANTOPEN && (flags & SQLITE_OPEN_WAL) && access(name, F_OK) != 0 &&
        errno == ENOENT) {
        if (outFlags != NULL)
            *outFlags = ro->flags;
        rc = SQLITE_OK;
    }
    ro->base.pMethods = rc == SQLITE_OK ? &methods : NULL;
    return rc;
}

static int roDelete(sqlite3_vfs *self, const char *name, int syncDir)
{
    (void)self, (void)name, (void)syncDir;
    return SQLITE_READONLY;
}

static int roAccess(sqlite3_vfs *self, const char *name, int flags, int *result)
{
    (void)self;
    return realVfs()->xAccess(realVfs(), name, flags, result);
}

static int roFullPathname(sqlite3_vfs *self, const char *name, int size, char *out)
{
    (void)self;
    return realVfs()->xFullPathname(realVfs(), name, size, out);
}

static int roRandomness(sqlite3_vfs *self, int size, char *out)
{
    (void)self;
    return realVfs()->xRandomness(realVfs(), size, out);
}

static int roSleep(sqlite3_vfs *self, int microseconds)
{
    (void)self;
    return realVfs()->xSleep(realVfs(), microseconds);
}

static int roCurrentTime(sqlite3_vfs *self, double *now)
{
    (void)self;
    return realVfs()->xCurrentTime(realVfs(), now);
}

static int roGetLastError(sqlite3_vfs *self, int size, char *out)
{
    (void)self;
    return realVfs()->xGetLastError(realVfs(), size, out);
}

static void registerVfs(void)
{
    sqlite3_vfs *base = sqlite3_vfs_find(NULL);

    if (base == NULL)
        return;
    vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = base->szOsFile + (int)sizeof(struct roFile),
        .mxPathname = base->mxPathname,
        .zName = VFS_NAME,
        .pAppData = base,
        .xOpen = roOpen,
        .xDelete = roDelete,
        .xAccess = roAccess,
        .xFullPathname = roFullPathname,
        .xRandomness = roRandomness,
        .xSleep = roSleep,
        .xCurrentTime = roCurrentTime,
        .xGetLastError = roGetLastError,
    };
    if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK)
        vfs.zName = NULL;
}

const char *rpmdbVfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, registerVfs);
    return vfs.zName;
}

bool rpmdbVfsUnguarded(sqlite3 *sql)
{
    sqlite3_file *file = NULL;

    sqlite3_file_control(sql, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file != NULL && file->pMethods == &methods && ((struct roFile *)file)->unguarded;
}
