/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMFILES_INTERNAL_H
#define RPM_RPMFILES_INTERNAL_H

/** @file rpmfiles_internal.h
 * File lists inside the library: what a set holds, and loading one with the reason of a refusal.
 */

#include <rpm/rpmfiles.h>

/** A file list. Arrays have one entry for each file, or are NULL if absent or left out. */
struct rpmfiles_s {
    rpm_count_t fc;         /**< files */
    rpm_count_t dc;         /**< directories */
    const char **bn;        /**< base names; this and the other string arrays are one block each */
    const char **dn;        /**< dc directories, each with its final slash */
    uint32_t *di;           /**< directory of each file, below dc */
    int *sorted;            /**< file indexes in order of (directory, base name) */
    const char **flinks;
    const char **flangs;
    const char **fuser;
    const char **fgroup;
    const char **fcaps;
    rpm_flag_t *fflags;
    rpm_flag_t *vflags;
    rpm_loff_t *fsizes;     /**< from FILESIZES or LONGFILESIZES */
    int longsizes;          /**< from LONGFILESIZES: the payload is of the stripped form */
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
 * Refused are, each with a line that names the tag or file: parallel lists of different lengths,
 * a directory index past the list, directories that neither begin nor end with `/` (source
 * packages, and only they, have one directory, the empty one), components that are empty, `.`,
 * `..` or longer than 255 bytes, base names with a `/`, newlines, paths of 4096 bytes or more,
 * paths that come twice, unknown digest algorithms and malformed digests, symlinks without a
 * target, hard links that differ in size or digest. So no path of a set can name anything outside
 * the root by itself; what symlinks on the disk do to it is for the installer.
 *
 * @param h          header, not NULL
 * @param flags      enum rpmfiFlags_e
 * @param[out] emsg  one line without a newline on refusal, the caller's to rfree(); else NULL
 * @return           as rpmfilesNew()
 */
rpmfiles rpmfilesLoad(Header h, rpmfiFlags flags, char **emsg);

/** Find the hard link sets of a loaded list.
 * @param fi    list with modes, flags and inodes; linkset and linkruns are set
 * @param devs  device of each file
 * @return      -1, or the index of a file that disagrees with its set in size or digest
 */
int rpmfilesFindHardlinks(rpmfiles fi, const rpm_dev_t *devs);

/** Make untrusted text safe for one line of a message: control bytes become `\xNN`.
 * @param s  text, not NULL
 * @return   printable text, the caller's to rfree()
 */
char *rpmfilesEscape(const char *s);

#endif /* RPM_RPMFILES_INTERNAL_H */
