/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_HEADER_H
#define RPM_HEADER_H

/** @file rpm/header.h
 * Headers: sets of tags, in memory and as the blobs that packages and databases hold. Names and
 * signatures as in upstream's rpm/header.h.
 *
 * A blob from outside is checked as a whole when it comes in; what the calls below return from an
 * imported header is within bounds, terminated and of the type that its container says. Counts
 * of tags that belong together (BASENAMES, DIRINDEXES) are for the reader of them to compare.
 *
 * A header may be read by several threads at once, and its references counted by all of them.
 * While one thread changes it, no other may use it.
 */

#include <rpm/rpmio.h>
#include <rpm/rpmtd.h>
#include <rpm/rpmtypes.h>
#include <rpm/rpmutil.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What each header begins with in a package. */
extern const unsigned char rpm_header_magic[8];

/** Whether rpm_header_magic is written, read or counted. */
enum hMagic {
    HEADER_MAGIC_NO = 0,
    HEADER_MAGIC_YES = 1
};

/** Make an empty header.
 * @return  header with one reference, the caller's to headerFree()
 */
Header headerNew(void);

/** Take a reference.
 * @param h  header or NULL
 * @return   h
 */
Header headerLink(Header h);

/** Give up a reference; the last one frees the header.
 * @param h  header or NULL
 * @return   NULL always
 */
Header headerFree(Header h);

/** Size of what headerExport() makes.
 * @param h       header or NULL
 * @param magicp  HEADER_MAGIC_YES to count the 8 bytes of magic too
 * @return        bytes; 0 for NULL and where the header is too large for a blob
 */
unsigned int headerSizeof(Header h, int magicp);

/** Make a blob. The region that the header came with is in it bit for bit, deleted and replaced
 * tags included; tags that were added follow it.
 * @param h           header or NULL
 * @param[out] bsize  bytes of the blob; may be NULL
 * @return            blob, the caller's to free(); NULL for NULL and where the header is too large
 */
void *headerExport(Header h, unsigned int *bsize);

/** Make all tags of a header its region.
 * @param h    header: its reference is consumed
 * @param tag  RPMTAG_HEADERIMMUTABLE or RPMTAG_HEADERSIGNATURES
 * @return     new header, the caller's to headerFree(); NULL on failure
 */
Header headerReload(Header h, rpmTagVal tag);

/** Copy the tags of a header into a new one without a region.
 * @param h  header
 * @return   copy, the caller's to headerFree()
 */
Header headerCopy(Header h);

/** How a blob is imported. */
enum headerImportFlags_e {
    HEADERIMPORT_COPY = (1 << 0),  /**< the blob stays the caller's */
    HEADERIMPORT_FAST = (1 << 1)   /**< accepted; all checks are made anyway */
};

typedef rpmFlags headerImportFlags;

/** Make a header of a blob.
 * @param blob   blob, malloc()ed unless HEADERIMPORT_COPY is given: then it is the header's from
 *               now on if that succeeds
 * @param bsize  bytes of it; 0 if unknown: then the blob says itself how long it is, and must be
 *               from a source that is trusted not to lie
 * @param flags  enum headerImportFlags_e
 * @return       header, the caller's to headerFree(); NULL if the blob is bad
 */
Header headerImport(void *blob, unsigned int bsize, headerImportFlags flags);

/** Read a header from a descriptor.
 * @param fd      descriptor, left behind the header
 * @param magicp  HEADER_MAGIC_YES if the magic is there
 * @return        header, the caller's to headerFree(); NULL if it is bad or cannot be read
 */
Header headerRead(FD_t fd, int magicp);

/** Write a header to a descriptor.
 * @param fd      descriptor
 * @param h       header
 * @param magicp  HEADER_MAGIC_YES to write the magic before it
 * @return        0, or 1 on error
 */
int headerWrite(FD_t fd, Header h, int magicp);

/** Ask for a tag. Computed tags are not counted.
 * @param h    header or NULL
 * @param tag  number
 * @return     1 if the header has it, else 0
 */
int headerIsEntry(Header h, rpmTagVal tag);

/** How headerGet() hands out data. */
enum headerGetFlags_e {
    HEADERGET_DEFAULT = 0,
    HEADERGET_MINMEM = (1 << 0),  /**< point into the header where that can be: do not outlive it */
    HEADERGET_EXT = (1 << 1),     /**< compute tags too; these do not honour the other flags */
    HEADERGET_RAW = (1 << 2),     /**< all languages, not the user's */
    HEADERGET_ALLOC = (1 << 3),   /**< copy always */
    HEADERGET_ARGV = (1 << 4)     /**< end string arrays with NULL */
};

typedef rpmFlags headerGetFlags;

/** Get the data of a tag.
 * @param h        header or NULL
 * @param tag      number
 * @param[out] td  data, for rpmtdFreeData(); emptied where there is none
 * @param flags    enum headerGetFlags_e
 * @return         1, or 0 if the header does not have it
 */
int headerGet(Header h, rpmTagVal tag, rpmtd td, headerGetFlags flags);

/** How headerPut() adds. */
enum headerPutFlags_e {
    HEADERPUT_DEFAULT = 0,
    HEADERPUT_APPEND = (1 << 0)  /**< to the array that is there already */
};

typedef rpmFlags headerPutFlags;

/** Add a tag. The data is copied.
 * @param h      header
 * @param td     tag, type, count and data
 * @param flags  enum headerPutFlags_e
 * @return       1, or 0 if the container is empty or its data too large
 */
int headerPut(Header h, rpmtd td, headerPutFlags flags);

/** @name Add a tag whose type is checked
 * The function must fit the tag's type, and size be 1 for a tag of one value; arrays are appended
 * to. headerPutString() also appends one string to an array.
 * @return  1, or 0 on failure
 * @{ */
int headerPutBin(Header h, rpmTagVal tag, const uint8_t *val, rpm_count_t size);
int headerPutString(Header h, rpmTagVal tag, const char *val);
int headerPutStringArray(Header h, rpmTagVal tag, const char **val, rpm_count_t size);
int headerPutChar(Header h, rpmTagVal tag, const char *val, rpm_count_t size);
int headerPutUint8(Header h, rpmTagVal tag, const uint8_t *val, rpm_count_t size);
int headerPutUint16(Header h, rpmTagVal tag, const uint16_t *val, rpm_count_t size);
int headerPutUint32(Header h, rpmTagVal tag, const uint32_t *val, rpm_count_t size);
int headerPutUint64(Header h, rpmTagVal tag, const uint64_t *val, rpm_count_t size);
/** @} */

/** Replace the data of a tag.
 * @param h   header
 * @param td  tag, type, count and data
 * @return    1, or 0 if the header does not have the tag with that type
 */
int headerMod(Header h, rpmtd td);

/** Delete a tag.
 * @param h    header
 * @param tag  number
 * @return     0, or 1 if the header does not have it
 */
int headerDel(Header h, rpmTagVal tag);

/** Copy tags that the destination does not have.
 * @param headerFrom  source
 * @param headerTo    destination
 * @param tagstocopy  numbers, ending with 0
 */
void headerCopyTags(Header headerFrom, Header headerTo, const rpmTagVal *tagstocopy);

/** Fill a query format.
 *
 * | in the format        | becomes                                                            |
 * | -------------------- | ------------------------------------------------------------------ |
 * | `%{TAG}`             | the tag, `(none)` where there is none                              |
 * | `%-30{TAG:how}`      | the same, padded to a width, shown as rpmtdFormat() does           |
 * | `%{#TAG}`            | the number of elements                                             |
 * | `[%{A} %{=B}\n]`     | once for each element of A; `=` keeps to the first                 |
 * | `%|TAG?{..}:{..}|`   | the first if the header has the tag, else the second               |
 * | `%{*}`, `[%{*:xml}]` | once for each tag of the header                                    |
 * | `%%`, `\n`, `\[`     | `%`, newline, `[`                                                  |
 *
 * @param h            header
 * @param fmt          format
 * @param[out] errmsg  what is wrong with the format, valid until the thread's next call; may be
 *                     NULL
 * @return             text, the caller's to free(); NULL on error
 */
char *headerFormat(Header h, const char *fmt, errmsg_t *errmsg);

/** Go through the tags of a header in the order of their numbers, regions excepted.
 * @param h  header; not to be changed meanwhile
 * @return   iterator with a reference to h, the caller's to headerFreeIterator()
 */
HeaderIterator headerInitIterator(Header h);

/** @param hi  iterator or NULL
 * @return     NULL always */
HeaderIterator headerFreeIterator(HeaderIterator hi);

/** @param hi      iterator
 * @param[out] td  data of the next tag, for rpmtdFreeData()
 * @return         1, or 0 after the last */
int headerNext(HeaderIterator hi, rpmtd td);

/** @param hi  iterator
 * @return     number of the next tag, RPMTAG_NOT_FOUND after the last */
rpmTagVal headerNextTag(HeaderIterator hi);

/** One value of any type, computed ones included, as text.
 * @param h    header
 * @param tag  number
 * @return     text, the caller's to free(); NULL where there is not exactly one
 */
char *headerGetAsString(Header h, rpmTagVal tag);

/** One string.
 * @param h    header
 * @param tag  number
 * @return     string of the header, living as long as that is unchanged; NULL if there is none
 */
const char *headerGetString(Header h, rpmTagVal tag);

/** One number, computed ones included.
 * @param h    header
 * @param tag  number
 * @return     number, 0 where there is not exactly one
 */
uint64_t headerGetNumber(Header h, rpmTagVal tag);

/** @param h  header
 * @return    1 for a source package, 0 for a binary one */
int headerIsSource(Header h);

/** @param h  header or NULL
 * @return    number of its record in the database, 0 if it is not from there */
unsigned int headerGetInstance(Header h);

#ifdef __cplusplus
}
#endif

#endif /* RPM_HEADER_H */
