/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMARCHIVE_H
#define RPM_RPMARCHIVE_H

/** @file rpm/rpmarchive.h
 * What can go wrong with a payload and with the files that come out of it.
 *
 * Names and numbers are those of upstream's rpm/rpmarchive.h.
 */

#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** At or below this, a code names a system call that failed and errno says how. */
#define RPMERR_CHECK_ERRNO (-32768)

/** Codes of archive and file handling. All are negative, so that they share a return value
 * with file indexes. */
enum rpmfilesErrorCodes {
    RPMERR_ITER_END = -1,           /**< no more entries: not an error */
    RPMERR_BAD_MAGIC = -2,          /**< an archive entry does not begin as one */
    RPMERR_BAD_HEADER = -3,         /**< an archive entry is malformed or not as in the header */
    RPMERR_HDR_SIZE = -4,           /**< an archive entry's header is too big */
    RPMERR_UNKNOWN_FILETYPE = -5,   /**< a mode that names no file type */
    RPMERR_MISSING_FILE = -6,       /**< the archive ended before every file was seen */
    RPMERR_DIGEST_MISMATCH = -7,    /**< the content is not what the header's digest says */
    RPMERR_INTERNAL = -8,           /**< a call out of order, or a resource that ran out */
    RPMERR_UNMAPPED_FILE = -9,      /**< an archive entry that the header does not list */
    RPMERR_ENOENT = -10,            /**< no such file or directory */
    RPMERR_ENOTEMPTY = -11,         /**< directory not empty */
    RPMERR_FILE_SIZE = -12,         /**< a file too large for the archive format */
    RPMERR_ITER_SKIP = -13,         /**< an entry that is not to be looked at */
    RPMERR_EXIST_AS_DIR = -14,      /**< a directory stands where a file is to go */
    RPMERR_INVALID_SYMLINK = -15,   /**< a symlink that may not be followed */
    RPMERR_ENOTDIR = -16,           /**< not a directory */

    RPMERR_OPEN_FAILED = -32768,
    RPMERR_CHMOD_FAILED = -32769,
    RPMERR_CHOWN_FAILED = -32770,
    RPMERR_WRITE_FAILED = -32771,
    RPMERR_UTIME_FAILED = -32772,
    RPMERR_UNLINK_FAILED = -32773,
    RPMERR_RENAME_FAILED = -32774,
    RPMERR_SYMLINK_FAILED = -32775,
    RPMERR_STAT_FAILED = -32776,
    RPMERR_LSTAT_FAILED = -32777,
    RPMERR_MKDIR_FAILED = -32778,
    RPMERR_RMDIR_FAILED = -32779,
    RPMERR_MKNOD_FAILED = -32780,
    RPMERR_MKFIFO_FAILED = -32781,
    RPMERR_LINK_FAILED = -32782,
    RPMERR_READLINK_FAILED = -32783,
    RPMERR_READ_FAILED = -32784,
    RPMERR_COPY_FAILED = -32785,
    RPMERR_LSETFCON_FAILED = -32786,
    RPMERR_SETCAP_FAILED = -32787,
    RPMERR_CLOSE_FAILED = -32788
};

/** Say a code in words, as rpm says it: `cpio: Digest mismatch`.
 * For codes up to #RPMERR_CHECK_ERRNO the text of errno is added when errno is set:
 * `cpio: open failed - Permission denied`. Call it before anything can change errno.
 *
 * @param rc  code of enum rpmfilesErrorCodes; others are printed as numbers
 * @return    one line without a newline, the caller's to rfree()
 */
char *rpmfileStrerror(int rc);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMARCHIVE_H */
