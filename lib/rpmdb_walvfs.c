/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first commit after the WAL was emptied, with one sync less.
 *
 * SQLite syncs the header of a WAL before the frames that follow: where the file still holds frames
 * of before, a new frame that reaches the disk before the header would leave some of those to be
 * taken for valid. A file that holds nothing but the header has none, and the sync of the commit
 * covers the header as well. */

#include <pthread.h>

#include "rpmdb_sql.h"

#define VFS_NAME "rpmdb-wal"
#define WAL_HEADER_SIZE 32

static sqlite3_vfs vfs, *base;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static const sqlite3_io_methods *walReal; /* of WAL files; SQLite has one set for them */
static sqlite3_io_methods walMethods;

static int walSync(sqlite3_file *file, int flags)
{
    sqlite3_int64 size = 0;

    if (walReal->xFileSize(file, &size) == SQLITE_OK && size <= WAL_HEADER_SIZE)
        return SQLITE_OK;
    return walReal->xSync(file, flags);
}

static void interpose(sqlite3_file *file)
{
    pthread_mutex_lock(&lock);
    if (walReal == NULL) {
        walMethods = *file->pMethods;
        walMethods.xSync = walSync;
        walReal = file->pMethods;
    }
    if (file->pMethods == walReal)
        file->pMethods = &walMethods;
    pthread_mutex_unlock(&lock);
}

static int walOpen(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags,
    int *outFlags)
{
    int rc = base->xOpen(base, name, file, flags, outFlags);

    (void)self;
    if (rc == SQLITE_OK && (flags & SQLITE_OPEN_WAL))
        interpose(file);
    return rc;
}

static void registerVfs(void)
{
    base = sqlite3_vfs_find(NULL);
    if (base == NULL)
        return;
    vfs = *base;
    vfs.zName = VFS_NAME;
    vfs.pNext = NULL;
    vfs.xOpen = walOpen;
    if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK)
        vfs.zName = NULL;
}

const char *rpmdbWalVfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, registerVfs);
    return vfs.zName;
}
