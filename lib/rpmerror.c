/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The codes of payload and file handling in words. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rpm/rpmarchive.h>
#include <rpm/rpmutil.h>

static const struct {
    int code;
    const char *text;
} texts[] = {
    { RPMERR_BAD_MAGIC, "Bad magic" },
    { RPMERR_BAD_HEADER, "Bad/unreadable header" },
    { RPMERR_HDR_SIZE, "Header size too big" },
    { RPMERR_UNKNOWN_FILETYPE, "Unknown file type" },
    { RPMERR_MISSING_FILE, "Missing file(s)" },
    { RPMERR_DIGEST_MISMATCH, "Digest mismatch" },
    { RPMERR_INTERNAL, "Internal error" },
    { RPMERR_UNMAPPED_FILE, "Archive file not in header" },
    { RPMERR_ENOENT, "No such file or directory" },
    { RPMERR_ENOTEMPTY, "Directory not empty" },
    { RPMERR_FILE_SIZE, "File too large for archive" },
    { RPMERR_EXIST_AS_DIR, "File from package already exists as a directory in system" },
    { RPMERR_INVALID_SYMLINK, "Invalid symlink" },
    { RPMERR_ENOTDIR, "Not a directory" },
    { RPMERR_OPEN_FAILED, "open" },
    { RPMERR_CHMOD_FAILED, "chmod" },
    { RPMERR_CHOWN_FAILED, "chown" },
    { RPMERR_WRITE_FAILED, "write" },
    { RPMERR_UTIME_FAILED, "utime" },
    { RPMERR_UNLINK_FAILED, "unlink" },
    { RPMERR_RENAME_FAILED, "rename" },
    { RPMERR_SYMLINK_FAILED, "symlink" },
    { RPMERR_STAT_FAILED, "stat" },
    { RPMERR_LSTAT_FAILED, "lstat" },
    { RPMERR_MKDIR_FAILED, "mkdir" },
    { RPMERR_RMDIR_FAILED, "rmdir" },
    { RPMERR_MKNOD_FAILED, "mknod" },
    { RPMERR_MKFIFO_FAILED, "mkfifo" },
    { RPMERR_LINK_FAILED, "link" },
    { RPMERR_READLINK_FAILED, "readlink" },
    { RPMERR_READ_FAILED, "read" },
    { RPMERR_COPY_FAILED, "copy" },
    { RPMERR_LSETFCON_FAILED, "lsetfilecon" },
    { RPMERR_SETCAP_FAILED, "cap_set_file" },
    { RPMERR_CLOSE_FAILED, "close" },
};

char *rpmfileStrerror(int rc)
{
    int saved = errno;
    const char *text = NULL;
    char buf[256];

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].code == rc)
            text = texts[i].text;
    }
    if (text == NULL)
        snprintf(buf, sizeof(buf), "cpio: (error 0x%x)", (unsigned)rc);
    else if (rc <= RPMERR_CHECK_ERRNO && saved != 0)
        snprintf(buf, sizeof(buf), "cpio: %s failed - %s", text, strerror(saved));
    else
        snprintf(buf, sizeof(buf), "cpio: %s", text);
    return rstrdup(buf);
}
