/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMFILES_INTERNAL_H
#define RPM_RPMFILES_INTERNAL_H

/** @file rpmfiles_internal.h
 * File lists inside the library: what a set holds, and loading one with the reason of a refusal.
 */

#include <rpm/rpmfiles.h>
#include <rpm/rpmtd.h>

/** A file list. Arrays have one entry for each file, or are NULL if absent or left out. */
struct rpmfiles_s {
    rpm_count_t fc;         /**< files */
    rpm_count_t dc;         /**< directories */
    char **bn;              /**< base names; each array of strings is one block with them */
    char **dn;        /**< dc directories, each with its final slash */
    uint32_t *di;           /**< directory of each file, below dc */
    int *sorted;            /**< file indexes in order of (directory, base name) */
    char **flinks;
    char **flangs;
    char **fuser;
    char **fgroup;
    char **fcaps;
    rpm_flag_t *fflags;
    rpm_flag_t *vflags;
    rpm_loff_t *fsizes;     /**< from FILESIZES or LONGFILESIZES; the sum fits an off_t */
    rpm_time_t *fmtimes;
    rpm_mode_t *fmodes;
    rpm_rdev_t *frdevs;
    rpm_ino_t *finodes;
    rpm_color_t *fcolors;
    uint8_t *fstates;
    int digestalgo;         /**< enum rpmHashAlgo */
    size_t diglen;          /**< bytes of one digest */
    uint8_t *digests;       /**< fc * diglen bytes */
    uint32_t *linkset;      /**< for each file 0, or 1 + where in linkruns its set begins; NULL if
                                 there are no hard links */
    int *linkruns;          /**< sets one after the other: the number of members, the members */
    int nrefs;              /**< references (atomic) */
};

/** As rpmfilesNew(), with the reason of a refusal instead of a log line.
 *
 * Refused are, each with a line that names the tag or file: missing modes, sizes, users or groups,
 * parallel lists of different lengths, a directory index past the list, directories that do not
 * begin and end with `/` (source packages, and only they, have the empty directory), components
 * that are empty, `.`, `..` or longer than 255 bytes, base names with a `/`, newlines, paths of
 * 4096 bytes or more, paths that come twice, paths below a file of the list, sizes that add up to
 * more than a file system can hold, unknown digest algorithms and malformed digests, symlinks
 * without a target, hard links that differ in size or digest. The root directory itself may be
 * listed, as directory `/` with an empty base name. So no path of a set names anything outside the
 * root by itself; what symlinks on the disk make of it is for the installer.
 *
 * @param h          header, not NULL
 * @param flags      enum rpmfiFlags_e
 * @param[out] emsg  one line without a newline on refusal, the caller's to rfree(); else NULL
 * @return           as rpmfilesNew()
 */
rpmfiles rpmfilesLoad(Header h, rpmfiFlags flags, char **emsg);

/** Load the paths of a header and check them: fc, dc, bn, dn, di and sorted are set.
 * @param fi         empty list
 * @param h          header, not NULL
 * @param[out] emsg  one line on refusal, the caller's to rfree()
 * @return           0, or -1 if the paths are refused
 */
int rpmfilesLoadPaths(rpmfiles fi, Header h, char **emsg);

/** Copy the strings of a tag.
 * @param td  string array
 * @return    one block with pointers and strings, the caller's to rfree(); strings that equal the
 *            one before share its bytes
 */
char **rpmfilesCopyStrings(rpmtd td);

/** Find the hard link sets of a loaded list.
 * @param fi    list with modes, flags and inodes; linkset and linkruns are set
 * @param devs  device of each file
 * @return      -1, or the index of a file that disagrees with its set in size or digest
 */
int rpmfilesFindHardlinks(rpmfiles fi, const rpm_dev_t *devs);

/** Make untrusted text fit for one line of a message: control bytes become `\xNN`, and text of
 * more than 200 bytes ends in `...`.
 * @param s  text, not NULL
 * @return   printable text, the caller's to rfree()
 */
char *rpmfilesEscape(const char *s);

#endif /* RPM_RPMFILES_INTERNAL_H */
