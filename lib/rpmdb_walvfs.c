/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A WAL that is written with fewer calls.
 *
 * The first commit after the WAL was emptied has one sync less. SQLite syncs the header of a WAL
 * before the frames that follow: where the file still holds frames of before, a new frame that
 * reaches the disk before the header would leave some of those to be taken for valid. A file that
 * holds nothing but the header has none, and the sync of the commit covers the header as well.
 *
 * A frame is written by one call where SQLite has two, one for its header and one for its page: the
 * header of a frame at the end is held back until its page comes, which is the next that is done to
 * the file. */

#include <pthread.h>
#include <string.h>

#include "rpmdb_sql.h"

#define VFS_NAME "rpmdb-wal"
#define WAL_HEADER_SIZE 32
#define FRAME_HEADER_SIZE 24
#define PAGE_MOST 4096 /* larger ones are written as SQLite does */

/* Beside what SQLite keeps of a file. */
struct tail {
    sqlite3_int64 end; /* as far as this connection has written */
    int held;          /* the header of the frame at the end */
    unsigned char header[FRAME_HEADER_SIZE];
};

static sqlite3_vfs vfs, *base;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static const sqlite3_io_methods *walReal; /* of WAL files; SQLite has one set for them */
static sqlite3_io_methods walMethods;

static struct tail *tailOf(sqlite3_file *file)
{
    return (struct tail *)((char *)file + base->szOsFile);
}

static int writeThrough(sqlite3_file *file, const void *buf, int n, sqlite3_int64 offset)
{
    struct tail *tail = tailOf(file);
    int rc = walReal->xWrite(file, buf, n, offset);

    if (offset == 0)
        tail->end = n; /* a new header: what was behind the old one counts no more */
    else if (rc == SQLITE_OK && offset + n > tail->end)
        tail->end = offset + n;
    return rc;
}

static int writeHeld(sqlite3_file *file)
{
    struct tail *tail = tailOf(file);

    if (!tail->held)
        return SQLITE_OK;
    tail->held = 0;
    return writeThrough(file, tail->header, FRAME_HEADER_SIZE, tail->end);
}

static int writeFrame(sqlite3_file *file, const void *page, int n)
{
    unsigned char frame[FRAME_HEADER_SIZE + PAGE_MOST];
    struct tail *tail = tailOf(file);

    memcpy(frame, tail->header, FRAME_HEADER_SIZE);
    memcpy(frame + FRAME_HEADER_SIZE, page, (size_t)n);
    tail->held = 0;
    return writeThrough(file, frame, FRAME_HEADER_SIZE + n, tail->end);
}

/* Headers that SQLite writes again, because checksums have changed, lie before the end. */
static int walWrite(sqlite3_file *file, const void *buf, int n, sqlite3_int64 offset)
{
    struct tail *tail = tailOf(file);
    int rc;

    if (tail->held && n <= PAGE_MOST && offset == tail->end + FRAME_HEADER_SIZE)
        return writeFrame(file, buf, n);
    rc = writeHeld(file);
    if (rc != SQLITE_OK)
        return rc;
    if (n != FRAME_HEADER_SIZE || offset == 0 || offset != tail->end)
        return writeThrough(file, buf, n, offset);
    memcpy(tail->header, buf, FRAME_HEADER_SIZE);
    tail->held = 1;
    return SQLITE_OK;
}

static int walSync(sqlite3_file *file, int flags)
{
    sqlite3_int64 size = 0;
    int rc = writeHeld(file);

    if (rc != SQLITE_OK)
        return rc;
    if (walReal->xFileSize(file, &size) == SQLITE_OK && size <= WAL_HEADER_SIZE)
        return SQLITE_OK;
    return walReal->xSync(file, flags);
}

static void interpose(sqlite3_file *file)
{
    *tailOf(file) = (struct tail){ 0 };
    pthread_mutex_lock(&lock);
    if (walReal == NULL) {
        walMethods = *file->pMethods;
        walMethods.xSync = walSync;
        walMethods.xWrite = walWrite;
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
    vfs.szOsFile += (int)sizeof(struct tail);
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
