/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flushdisk SIZE-IN-MIB|IMAGE DIR [LOG]: mounts a filesystem on DIR with two files, until it is
 * unmounted:
 *   disk     for a loop device; see disk.h
 *   control  takes one of disk.h's commands a write; reads as its counts
 * Prints "ready" when it is mounted. The disk is in memory: IMAGE tells what is on it at first.
 * Requests are taken by several threads as they come: a flush does not wait for the writes that
 * are still under way, and does not cover them. Use losetup --direct-io=on, or the loop device
 * makes it wait.
 */
#define FUSE_USE_VERSION 312
#include <fuse3/fuse_lowlevel.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "disk.h"

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif

enum { THREADS = 64 };
enum { ROOT = FUSE_ROOT_ID, DISK, CONTROL };

static const char *const names[] = { [ROOT] = ".", [DISK] = "disk", [CONTROL] = "control" };
static const double forever = 86400;

static struct disk disk;

static int statOf(fuse_ino_t ino, struct stat *sb)
{
    memset(sb, 0, sizeof(*sb));
    sb->st_ino = ino;
    sb->st_nlink = 1;
    sb->st_uid = getuid();
    sb->st_gid = getgid();
    sb->st_mode = ino == ROOT ? S_IFDIR | 0700 : S_IFREG | 0600;
    sb->st_size = ino == DISK ? (off_t)disk.size : 0;
    sb->st_blocks = sb->st_size / 512;
    return ino >= ROOT && ino <= CONTROL ? 0 : ENOENT;
}

static void onInit(void *data, struct fuse_conn_info *conn)
{
    (void)data;
    conn->max_write = 1 << 20;
    conn->max_background = THREADS;
    conn->want &= ~(unsigned)FUSE_CAP_WRITEBACK_CACHE;
}

static void onLookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct fuse_entry_param e = { .attr_timeout = forever, .entry_timeout = forever };

    for (e.ino = DISK; e.ino <= CONTROL; e.ino++) {
        if (parent == ROOT && strcmp(name, names[e.ino]) == 0) {
            statOf(e.ino, &e.attr);
            fuse_reply_entry(req, &e);
            return;
        }
    }
    fuse_reply_err(req, ENOENT);
}

static void onGetattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct stat sb;
    int err = statOf(ino, &sb);

    (void)fi;
    if (err)
        fuse_reply_err(req, err);
    else
        fuse_reply_attr(req, &sb, forever);
}

/* A shell's `>` truncates: of no effect. */
static void onSetattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int which,
                      struct fuse_file_info *fi)
{
    (void)attr;
    (void)which;
    onGetattr(req, ino, fi);
}

/* Nothing is cached on the way: each request of the loop device arrives as it is. */
static void onOpen(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    if (ino != DISK && ino != CONTROL) {
        fuse_reply_err(req, EISDIR);
        return;
    }
    fi->direct_io = 1;
    fuse_reply_open(req, fi);
}

static ssize_t readControl(char *buffer, size_t size, off_t offset)
{
    char text[128];
    size_t length;

    diskCounts(&disk, text, sizeof(text));
    length = strlen(text);
    if ((size_t)offset >= length)
        return 0;
    length -= (size_t)offset;
    if (length > size)
        length = size;
    memcpy(buffer, text + offset, length);
    return (ssize_t)length;
}

static void onRead(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                   struct fuse_file_info *fi)
{
    char *buffer = malloc(size);
    ssize_t rc = -ENOMEM;

    (void)fi;
    if (buffer != NULL)
        rc = ino == DISK ? diskRead(&disk, buffer, size, (uint64_t)offset)
                         : readControl(buffer, size, offset);
    if (rc < 0)
        fuse_reply_err(req, (int)-rc);
    else
        fuse_reply_buf(req, buffer, (size_t)rc);
    free(buffer);
}

static ssize_t writeControl(const char *text, size_t size)
{
    char command[64];
    int rc;

    if (size >= sizeof(command))
        return -EINVAL;
    memcpy(command, text, size);
    command[size] = '\0';
    rc = diskControl(&disk, command);
    return rc < 0 ? rc : (ssize_t)size;
}

static void onWrite(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t offset,
                    struct fuse_file_info *fi)
{
    ssize_t rc = ino == DISK ? diskWrite(&disk, data, size, (uint64_t)offset)
                             : writeControl(data, size);

    (void)fi;
    if (rc < 0)
        fuse_reply_err(req, (int)-rc);
    else
        fuse_reply_write(req, (size_t)rc);
}

static void onFsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
    (void)datasync;
    (void)fi;
    fuse_reply_err(req, ino == DISK ? -diskFlush(&disk) : 0);
}

static const struct fuse_lowlevel_ops ops = {
    .init = onInit,
    .lookup = onLookup,
    .getattr = onGetattr,
    .setattr = onSetattr,
    .open = onOpen,
    .read = onRead,
    .write = onWrite,
    .fsync = onFsync,
};

static int loop(struct fuse_session *se)
{
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    int rc;

    fuse_loop_cfg_set_max_threads(config, THREADS);
    fuse_loop_cfg_set_idle_threads(config, THREADS);
    rc = fuse_session_loop_mt(se, config);
    fuse_loop_cfg_destroy(config);
    return rc;
}

static int serve(struct fuse_session *se, const char *dir)
{
    int rc;

    if (fuse_set_signal_handlers(se) || fuse_session_mount(se, dir))
        return 1;
    /* Memory that this process asks for must not wait for writes to its own disk. Threads inherit
     * it. */
    prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
    puts("ready");
    fflush(stdout);
    rc = loop(se);
    fuse_session_unmount(se);
    return rc;
}

static int openDisk(const char *what, const char *log)
{
    char *end;
    uint64_t mib = strtoull(what, &end, 10);

    return *end == '\0' && mib > 0 ? diskOpen(&disk, mib << 20, log)
                                   : diskOpenImage(&disk, what, log);
}

int main(int argc, char **argv)
{
    char name[] = "flushdisk";
    char *words[] = { name, NULL };
    struct fuse_args args = FUSE_ARGS_INIT(1, words);
    struct fuse_session *se;
    int rc;

    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: flushdisk SIZE-IN-MIB|IMAGE DIR [LOG]\n");
        return 2;
    }
    if (openDisk(argv[1], argc == 4 ? argv[3] : NULL)) {
        perror("flushdisk");
        return 1;
    }
    se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
    if (se == NULL)
        return 1;
    rc = serve(se, argv[2]);
    fuse_session_destroy(se);
    close(disk.fd);
    return rc != 0;
}
