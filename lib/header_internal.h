/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_HEADER_INTERNAL_H
#define RPM_HEADER_INTERNAL_H

/** @file header_internal.h
 * Blobs of headers, and what the files of the header code share.
 *
 * A blob is, in network byte order: the number of its tags (il) and bytes of their data (dl),
 * il entries of 16 bytes, dl bytes of data. The first entry may be a region: it covers ril
 * entries, itself included, and the first rdl bytes of the data, of which the last 16 are a
 * trailer that says so once more. What a package was built with is in the region; later additions
 * ("dribbles") follow it.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <rpm/header.h>

#define HEADER_ENTRY_SIZE 16
#define HEADER_REGION_TRAILER_SIZE HEADER_ENTRY_SIZE

/** An entry of a blob, in host order. */
struct entryInfo_s {
    rpm_tag_t tag;
    rpm_tagtype_t type;
    int32_t offset; /**< of its data from the start of the data */
    rpm_count_t count;
};

/** A blob that has been checked: everything in it is within its bounds. */
typedef struct hdrblob_s *hdrblob;
struct hdrblob_s {
    uint8_t *ei;         /**< all of it */
    size_t pvlen;        /**< bytes of it */
    uint32_t il;         /**< entries */
    uint32_t dl;         /**< bytes of data */
    uint8_t *pe;         /**< the entries */
    uint8_t *dataStart;  /**< their data */
    rpmTagVal regionTag; /**< tag of its region, 0 if it has none */
    uint32_t ril;        /**< entries of the region, 0 if it has none */
    uint32_t rdl;        /**< bytes of data of the region, trailer included */
};

/** Check a blob.
 * @param uh         blob
 * @param uc         bytes of it, 0 if unknown
 * @param regionTag  region that it may have; 0 for any
 * @param exact      refuse dribbles
 * @param[out] blob  views of uh, which stays the caller's
 * @param[out] emsg  what is wrong, the caller's to free()
 * @return           RPMRC_OK or RPMRC_FAIL
 */
rpmRC hdrblobInit(const void *uh, size_t uc, rpmTagVal regionTag, int exact,
    struct hdrblob_s *blob, char **emsg);

/** Read a blob and check it. Memory grows with what is read, not with what the blob claims.
 * @param fd         descriptor, left behind the blob (and the padding of a signature header)
 * @param magic      whether the magic comes first
 * @param exact      refuse dribbles
 * @param regionTag  region that it may have; 0 for any
 * @param[out] blob  the blob, for hdrblobFini(); zeroed on failure
 * @param[out] emsg  what is wrong, the caller's to free()
 * @return           RPMRC_OK or RPMRC_FAIL
 */
rpmRC hdrblobRead(FD_t fd, int magic, int exact, rpmTagVal regionTag, struct hdrblob_s *blob,
    char **emsg);

/** Free the bytes of a blob that hdrblobRead() made. */
void hdrblobFini(struct hdrblob_s *blob);

/** Entry number ix of a blob, in host order. */
struct entryInfo_s hdrblobEntry(const struct hdrblob_s *blob, uint32_t ix);

/** Get strings or bytes of a tag without importing the blob.
 * @param[out] td  data that points into the blob, for rpmtdFreeData()
 * @return         RPMRC_OK, RPMRC_NOTFOUND, or RPMRC_FAIL for a tag of numbers
 */
rpmRC hdrblobGet(const struct hdrblob_s *blob, rpmTagVal tag, rpmtd td);

/** Make a header of a blob that was checked. It takes the bytes over.
 * @return  header; NULL for a blob whose data has gaps
 */
Header hdrblobImport(struct hdrblob_s *blob, char **emsg);

/** Set what headerGetInstance() returns. */
void headerSetInstance(Header h, unsigned int instance);

/** Read exactly size bytes.
 * @return  bytes read: fewer at the end of the file; -1 on error
 */
ssize_t Freadall(FD_t fd, void *buf, ssize_t size);

/** A tag in a header. */
struct headerEntry_s {
    rpm_tag_t tag;
    rpm_tagtype_t type;
    rpm_count_t count;
    uint32_t length; /**< bytes of data */
    void *data;      /**< numbers in host order; strings one after the other */
    bool inRegion;   /**< exported as part of the region */
    bool owned;      /**< data is a block of its own */
};

/** A header. Entries are sorted by tag at all times, so that reading never changes anything. */
struct headerToken_s {
    struct hdrblob_s blob;       /**< where the header came from: kept as it was; may be empty */
    void *numbers;               /**< host order copies of the blob's numbers */
    struct headerEntry_s *index; /**< tags, the region not among them */
    uint32_t used;               /**< number of tags */
    uint32_t alloced;            /**< room for tags */
    unsigned int instance;       /**< record in the database */
    atomic_int nrefs;
};

/** First entry of a tag, or NULL. */
struct headerEntry_s *headerFindEntry(Header h, rpmTagVal tag);

/** Room for one more entry of a tag, behind those that it has.
 * @return  the zeroed entry, in place: pointers to others are dead */
struct headerEntry_s *headerInsertEntry(Header h, rpmTagVal tag);

/** Hand out the data of an entry, as headerGet() does.
 * @return  1 */
int headerGetEntry(const struct headerEntry_s *entry, rpmtd td, headerGetFlags flags);

/** Bytes of one element of a type in a blob, 0 for strings. */
uint32_t headerTypeSize(rpm_tagtype_t type);

/** Copy numbers of a type between network and host order; bytes are copied as they are. */
void headerSwapCopy(rpm_tagtype_t type, void *dest, const void *src, rpm_count_t count);

/** @name Limits of a blob
 * @{ */
#define HEADER_TAGS_MAX 0x0000ffff        /**< tags */
#define HEADER_DATA_MAX 0x0fffffff        /**< bytes of data */
#define HEADER_ARRAY_MAX 0x000fffff       /**< elements of a tag, bytes excepted */
#define HEADER_SIG_TAGS_MAX 32            /**< tags of a signature header */
#define HEADER_SIG_DATA_MAX (64 << 20)    /**< bytes of data of a signature header */
/** @} */

/** Computes a tag into td; 1, or 0 if there is nothing to compute it from. */
typedef int (*headerTagTagFunction)(Header h, rpmtd td, headerGetFlags hgflags);

/** What computes a tag, or NULL. */
headerTagTagFunction rpmHeaderTagFunc(rpmTagVal tag);

/** A way to show elements. */
typedef const struct headerFmt_s *headerFmt;

/** @return  the format, or NULL */
headerFmt rpmHeaderFormatByName(const char *name);

/** @return  the format, or NULL */
headerFmt rpmHeaderFormatByValue(rpmtdFormats fmt);

/** Show the current element: text, the caller's to free(). */
char *rpmHeaderFormatCall(headerFmt fmt, rpmtd td);

#endif /* RPM_HEADER_INTERNAL_H */
