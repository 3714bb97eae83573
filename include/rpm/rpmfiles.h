/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMFILES_H
#define RPM_RPMFILES_H

/** @file rpm/rpmfiles.h
 * The files of a package, as its header lists them.
 *
 * Names, numbers and signatures are those of upstream's rpm/rpmfiles.h. A set is made once by
 * rpmfilesNew(), which checks everything that the header says, and is read-only from then on:
 * any number of threads may read it. A file is an index from 0 to rpmfilesFC() - 1, a directory
 * one from 0 to rpmfilesDC() - 1; a NULL set or an index out of range gives the value that each
 * call names. Strings and arrays that come back belong to the set unless said otherwise.
 */

#include <stddef.h>
#include <stdint.h>

#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of files: the type bits of a mode, shifted down. */
typedef enum rpmFileTypes_e {
    PIPE = 1,  /**< FIFO */
    CDEV = 2,  /**< character device */
    XDIR = 4,  /**< directory */
    BDEV = 6,  /**< block device */
    REG = 8,   /**< regular file */
    LINK = 10, /**< symlink */
    SOCK = 12  /**< socket */
} rpmFileTypes;

/** What became of a file when its package was installed (RPMTAG_FILESTATES). */
typedef enum rpmfileState_e {
    RPMFILE_STATE_MISSING = -1, /**< the header does not say */
    RPMFILE_STATE_NORMAL = 0,
    RPMFILE_STATE_REPLACED = 1,
    RPMFILE_STATE_NOTINSTALLED = 2,
    RPMFILE_STATE_NETSHARED = 3,
    RPMFILE_STATE_WRONGCOLOR = 4
} rpmfileState;

/** Whether a file of this state is on the disk. */
#define RPMFILE_IS_INSTALLED(_x) ((_x) == RPMFILE_STATE_NORMAL || (_x) == RPMFILE_STATE_NETSHARED)

/** What a spec file said of a file (RPMTAG_FILEFLAGS). */
enum rpmfileAttrs_e {
    RPMFILE_NONE = 0,
    RPMFILE_CONFIG = (1 << 0),    /**< %config */
    RPMFILE_DOC = (1 << 1),       /**< %doc */
    RPMFILE_ICON = (1 << 2),      /**< unused */
    RPMFILE_MISSINGOK = (1 << 3), /**< %config(missingok) */
    RPMFILE_NOREPLACE = (1 << 4), /**< %config(noreplace) */
    RPMFILE_SPECFILE = (1 << 5),  /**< the spec file of a source package */
    RPMFILE_GHOST = (1 << 6),     /**< %ghost: listed, but not in the payload */
    RPMFILE_LICENSE = (1 << 7),   /**< %license */
    RPMFILE_README = (1 << 8),    /**< %readme */
    RPMFILE_PUBKEY = (1 << 11),   /**< %pubkey */
    RPMFILE_ARTIFACT = (1 << 12)  /**< %artifact */
};
typedef rpmFlags rpmfileAttrs;
#define RPMFILE_ALL (~(RPMFILE_NONE))

/** What of a file is verified (RPMTAG_FILEVERIFYFLAGS), and what of it failed. */
enum rpmVerifyAttrs_e {
    RPMVERIFY_NONE = 0,
    RPMVERIFY_MD5 = (1 << 0), /**< old name of the next */
    RPMVERIFY_FILEDIGEST = (1 << 0),
    RPMVERIFY_FILESIZE = (1 << 1),
    RPMVERIFY_LINKTO = (1 << 2),
    RPMVERIFY_USER = (1 << 3),
    RPMVERIFY_GROUP = (1 << 4),
    RPMVERIFY_MTIME = (1 << 5),
    RPMVERIFY_MODE = (1 << 6),
    RPMVERIFY_RDEV = (1 << 7),
    RPMVERIFY_CAPS = (1 << 8),
    RPMVERIFY_CONTEXTS = (1 << 15),
    RPMVERIFY_READLINKFAIL = (1 << 28),           /**< the symlink could not be read */
    RPMVERIFY_READFAIL = (1 << 29),               /**< the content could not be read */
    RPMVERIFY_LSTATFAIL = (1 << 30),              /**< the file is not there */
    RPMVERIFY_LGETFILECONFAIL = (int)(1u << 31)  /**< the context could not be read */
};
typedef rpmFlags rpmVerifyAttrs;
#define RPMVERIFY_ALL (~(RPMVERIFY_NONE))
#define RPMVERIFY_FAILURES \
    (RPMVERIFY_LSTATFAIL | RPMVERIFY_READFAIL | RPMVERIFY_READLINKFAIL | RPMVERIFY_LGETFILECONFAIL)

/** What a transaction does with a file. */
typedef enum rpmFileAction_e {
    FA_UNKNOWN = 0,        /**< not decided */
    FA_CREATE = 1,         /**< create it from the payload */
    FA_COPYIN = 2,         /**< unused */
    FA_COPYOUT = 3,        /**< unused */
    FA_BACKUP = 4,         /**< keep the old one as .rpmorig */
    FA_SAVE = 5,           /**< keep the old one as .rpmsave */
    FA_SKIP = 6,           /**< leave it alone */
    FA_ALTNAME = 7,        /**< create it as .rpmnew */
    FA_ERASE = 8,          /**< remove it */
    FA_SKIPNSTATE = 9,     /**< not installed, state "not installed" */
    FA_SKIPNETSHARED = 10, /**< not installed, state "netshared" */
    FA_SKIPCOLOR = 11,     /**< not installed, state "wrong color" */
    FA_TOUCH = 12          /**< change its attributes only */
} rpmFileAction;

#define XFA_SKIPPING(_a) \
    ((_a) == FA_SKIP || (_a) == FA_SKIPNSTATE || (_a) == FA_SKIPNETSHARED || (_a) == FA_SKIPCOLOR)
#define XFA_CREATING(_a) \
    ((_a) == FA_CREATE || (_a) == FA_BACKUP || (_a) == FA_SAVE || (_a) == FA_ALTNAME)

/** What rpmfilesNew() leaves out: calls that ask for it answer as for a header without it. */
enum rpmfiFlags_e {
    RPMFI_NOHEADER = 0,
    RPMFI_KEEPHEADER = (1 << 0), /**< accepted; a set never needs its header again */
    RPMFI_NOFILECLASS = (1 << 1),
    RPMFI_NOFILEDEPS = (1 << 2),
    RPMFI_NOFILELANGS = (1 << 3),
    RPMFI_NOFILEUSER = (1 << 4),
    RPMFI_NOFILEGROUP = (1 << 5),
    RPMFI_NOFILEMODES = (1 << 6),
    RPMFI_NOFILESIZES = (1 << 7),
    RPMFI_NOFILECAPS = (1 << 8),
    RPMFI_NOFILELINKTOS = (1 << 9),
    RPMFI_NOFILEDIGESTS = (1 << 10),
    RPMFI_NOFILEMTIMES = (1 << 11),
    RPMFI_NOFILERDEVS = (1 << 12),
    RPMFI_NOFILEINODES = (1 << 13), /**< hard link sets too */
    RPMFI_NOFILESTATES = (1 << 14),
    RPMFI_NOFILECOLORS = (1 << 15),
    RPMFI_NOFILEVERIFYFLAGS = (1 << 16),
    RPMFI_NOFILEFLAGS = (1 << 17),
    RPMFI_NOFILESIGNATURES = (1 << 18),
    RPMFI_NOVERITYSIGNATURES = (1 << 19)
};
typedef rpmFlags rpmfiFlags;

#define RPMFI_FLAGS_ERASE \
    (RPMFI_NOFILECLASS | RPMFI_NOFILELANGS | RPMFI_NOFILEMTIMES | RPMFI_NOFILERDEVS | \
     RPMFI_NOFILEVERIFYFLAGS)
#define RPMFI_FLAGS_INSTALL (RPMFI_NOFILECLASS | RPMFI_NOFILEVERIFYFLAGS)
#define RPMFI_FLAGS_VERIFY \
    (RPMFI_NOFILECLASS | RPMFI_NOFILEDEPS | RPMFI_NOFILELANGS | RPMFI_NOFILECOLORS)
#define RPMFI_FLAGS_QUERY (RPMFI_FLAGS_VERIFY | RPMFI_NOFILEVERIFYFLAGS)

/** Load and check the file list of a header.
 * A header without files gives an empty set. The lists of a header come from outside: all must
 * have one entry for each file, and every path is made of plain components, once each, within
 * the system's length limits (rpmfilesLoad() in lib/rpmfiles_internal.h has the rules). A header
 * that fails is refused whole, with one line through rpmlog() at RPMLOG_ERR that names the fault.
 *
 * @param pool   unused, may be NULL
 * @param h      header, not NULL; nothing of it is needed after the call
 * @param tagN   unused
 * @param flags  enum rpmfiFlags_e
 * @return       new set, the caller's to rpmfilesFree(); NULL if the header is refused
 */
rpmfiles rpmfilesNew(rpmstrPool pool, Header h, rpmTagVal tagN, rpmfiFlags flags);

/** Take one more reference.
 * @param fi  set or NULL
 * @return    the same set
 */
rpmfiles rpmfilesLink(rpmfiles fi);

/** Drop a reference, and the set with the last one.
 * @param fi  set or NULL
 * @return    NULL always
 */
rpmfiles rpmfilesFree(rpmfiles fi);

/** @return number of files, 0 for NULL */
rpm_count_t rpmfilesFC(rpmfiles fi);

/** @return number of directories that the header lists, 0 for NULL */
rpm_count_t rpmfilesDC(rpmfiles fi);

/** Find a file by its path: binary search.
 * One leading `./` or `/` is optional, so that names of archive entries can be looked up as they
 * are, with and without rpm's payload prefix.
 *
 * @param files  set
 * @param fn     path
 * @return       file index, -1 if there is none
 */
int rpmfilesFindFN(rpmfiles files, const char *fn);

/** @return algorithm of the file digests (enum rpmHashAlgo), 0 for NULL */
int rpmfilesDigestAlgo(rpmfiles fi);

/** @return union of the color bits of all files, 0 for NULL */
rpm_color_t rpmfilesColor(rpmfiles files);

/** @return last component of the path of file ix, NULL if out of range */
const char *rpmfilesBN(rpmfiles fi, int ix);

/** @return directory jx with its final slash ("" in source packages), NULL if out of range */
const char *rpmfilesDN(rpmfiles fi, int jx);

/** @return directory index of file ix, -1 if out of range */
int rpmfilesDI(rpmfiles fi, int ix);

/** @return whole path of file ix, the caller's to rfree(); NULL if out of range */
char *rpmfilesFN(rpmfiles fi, int ix);

/** @return verify flags (enum rpmVerifyAttrs_e) of file ix, 0 if out of range or not loaded */
rpmVerifyAttrs rpmfilesVFlags(rpmfiles fi, int ix);

/** @return state of file ix, RPMFILE_STATE_MISSING if out of range or not in the header */
rpmfileState rpmfilesFState(rpmfiles fi, int ix);

/** @return target of symlink ix, "" for other files; NULL if out of range or not loaded */
const char *rpmfilesFLink(rpmfiles fi, int ix);

/** @return size of file ix in bytes, 0 if out of range or not loaded */
rpm_loff_t rpmfilesFSize(rpmfiles fi, int ix);

/** @return color bits of file ix, 0 if out of range or not loaded */
rpm_color_t rpmfilesFColor(rpmfiles fi, int ix);

/** @return number of files in the hard link set of file ix, 1 if it is alone, 0 if out of range */
uint32_t rpmfilesFNlink(rpmfiles fi, int ix);

/** The hard link set of a file: regular files of the package with one device and inode.
 * The payload has their content once, with the last of them.
 *
 * @param fi          set
 * @param ix          file index
 * @param[out] files  indexes of the set in ascending order, ix among them; NULL if ix is alone.
 *                    May be NULL
 * @return            as rpmfilesFNlink()
 */
uint32_t rpmfilesFLinks(rpmfiles fi, int ix, const int **files);

/** @return languages of file ix joined by `|`, "" for all; NULL if out of range or not loaded */
const char *rpmfilesFLangs(rpmfiles fi, int ix);

/** @return attributes (enum rpmfileAttrs_e) of file ix, 0 if out of range or not loaded */
rpmfileAttrs rpmfilesFFlags(rpmfiles fi, int ix);

/** @return mode of file ix with its type bits, 0 if out of range or not loaded */
rpm_mode_t rpmfilesFMode(rpmfiles fi, int ix);

/** The digest of a file, in binary; zeros where the header has none for it.
 * @param fi         set
 * @param ix         file index
 * @param[out] algo  enum rpmHashAlgo; may be NULL
 * @param[out] len   bytes; may be NULL
 * @return           digest, NULL if out of range, not loaded or not in the header
 */
const unsigned char *rpmfilesFDigest(rpmfiles fi, int ix, int *algo, size_t *len);

/** @return device number of device ix, 0 if out of range or not loaded */
rpm_rdev_t rpmfilesFRdev(rpmfiles fi, int ix);

/** @return inode number of file ix when it was packaged, 0 if out of range or not loaded */
rpm_ino_t rpmfilesFInode(rpmfiles fi, int ix);

/** @return modification time of file ix in seconds, 0 if out of range or not loaded */
rpm_time_t rpmfilesFMtime(rpmfiles fi, int ix);

/** @return owner's name of file ix, NULL if out of range or not loaded */
const char *rpmfilesFUser(rpmfiles fi, int ix);

/** @return group's name of file ix, NULL if out of range or not loaded */
const char *rpmfilesFGroup(rpmfiles fi, int ix);

/** @return capabilities of file ix as cap_from_text(3) reads them, "" for none; NULL if out of
 *          range */
const char *rpmfilesFCaps(rpmfiles fi, int ix);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMFILES_H */
