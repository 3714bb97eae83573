/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMTYPES_H
#define RPM_RPMTYPES_H

/** @file rpm/rpmtypes.h
 * Types that several headers share. Names and widths as in upstream's rpm/rpmtypes.h.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Text of an error: constant, never freed by the caller. */
typedef const char *errmsg_t;

/** @name Headers and the data of their tags
 * @{ */
typedef struct headerToken_s *Header;             /**< set of tags, reference counted */
typedef struct headerIterator_s *HeaderIterator;  /**< position in a Header */
typedef struct rpmtd_s *rpmtd;                    /**< data of one tag, see rpm/rpmtd.h */

typedef int32_t rpm_tag_t;         /**< number of a tag */
typedef uint32_t rpm_tagtype_t;    /**< type of a tag's data, enum rpmTagType_e */
typedef uint32_t rpm_count_t;      /**< number of elements */
typedef rpm_tag_t rpmTagVal;       /**< number of a tag, enum rpmTag_e */
typedef rpm_tag_t rpmDbiTagVal;    /**< number of a database index, enum rpmDbiTag_e */
typedef void *rpm_data_t;          /**< data of any type */
typedef const void *rpm_constdata_t;

typedef uint32_t rpm_color_t;      /**< bits of ELF classes */
typedef uint32_t rpm_flag_t;       /**< bits of one file, script or dependency */
typedef uint32_t rpm_tid_t;        /**< number of a transaction */
typedef uint32_t rpmFlags;         /**< any set of bits */
/** @} */

/** @name Widths that header tags give to POSIX types
 * @{ */
typedef uint32_t rpm_off_t;    /**< bytes, of packages below 4 GiB */
typedef uint64_t rpm_loff_t;   /**< bytes */
typedef uint32_t rpm_time_t;   /**< seconds since 1970 */
typedef uint16_t rpm_mode_t;
typedef uint16_t rpm_rdev_t;
typedef uint32_t rpm_dev_t;
typedef uint32_t rpm_ino_t;
/** @} */

/** @name Opaque objects
 * @{ */
typedef struct rpmts_s *rpmts;
typedef struct rpmtsi_s *rpmtsi;
typedef struct rpmte_s *rpmte;
typedef struct rpmds_s *rpmds;
typedef struct rpmfi_s *rpmfi;
typedef struct rpmfiles_s *rpmfiles;
typedef struct rpmdb_s *rpmdb;
typedef struct rpmdbMatchIterator_s *rpmdbMatchIterator;
typedef struct rpmdbIndexIterator_s *rpmdbIndexIterator;
typedef struct rpmps_s *rpmps;
typedef struct rpmtxn_s *rpmtxn;
typedef struct rpmver_s *rpmver;
typedef struct rpmgi_s *rpmgi;
typedef struct rpmSpec_s *rpmSpec;
typedef struct rpmRelocation_s rpmRelocation;
typedef struct rpmPlugin_s *rpmPlugin;
typedef struct rpmPlugins_s *rpmPlugins;
typedef struct rpmPubkey_s *rpmPubkey;
typedef struct rpmKeyring_s *rpmKeyring;
typedef struct rpmstrPool_s *rpmstrPool;
typedef uint32_t rpmsid;               /**< number of a string in a pool */
typedef const void *fnpyKey;           /**< what a caller knows a package by */
typedef void *rpmCallbackData;

/** Descriptor of the FD layer, see rpm/rpmio.h. */
typedef struct _FD_s *FD_t;
/** @} */

/** What became of a package, a header or a check. */
typedef enum rpmRC_e {
    RPMRC_OK = 0,          /**< good */
    RPMRC_NOTFOUND = 1,    /**< nothing there to judge */
    RPMRC_FAIL = 2,        /**< bad */
    RPMRC_NOTTRUSTED = 3,  /**< a signature is right, its key is not trusted */
    RPMRC_NOKEY = 4        /**< a signature whose key is not here: unchecked */
} rpmRC;

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMTYPES_H */
