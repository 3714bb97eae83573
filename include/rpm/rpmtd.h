/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMTD_H
#define RPM_RPMTD_H

/** @file rpm/rpmtd.h
 * A container for the data of one tag, with a position in it. Names and layout as in upstream's
 * rpm/rpmtd.h. A container is used by one thread at a time.
 *
 * @code
 * struct rpmtd_s td;
 *
 * if (headerGet(h, RPMTAG_BASENAMES, &td, HEADERGET_MINMEM)) {
 *     const char *name;
 *     while ((name = rpmtdNextString(&td)) != NULL)
 *         puts(name);
 *     rpmtdFreeData(&td);
 * }
 * @endcode
 */

#include <rpm/argv.h>
#include <rpm/rpmtag.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Who owns the data. */
enum rpmtdFlags_e {
    RPMTD_NONE = 0,
    RPMTD_ALLOCED = (1 << 0),      /**< data is the container's to free */
    RPMTD_PTR_ALLOCED = (1 << 1),  /**< so is each string of an array */
    RPMTD_IMMUTABLE = (1 << 2),    /**< data must not be changed */
    RPMTD_ARGV = (1 << 3),         /**< a NULL follows the strings of an array */
    RPMTD_INVALID = (1 << 4)       /**< the header's data makes no sense */
};

typedef rpmFlags rpmtdFlags;

/** Data of one tag. */
struct rpmtd_s {
    rpm_tag_t tag;       /**< number */
    rpm_tagtype_t type;  /**< type of the data */
    rpm_count_t count;   /**< elements; bytes for RPM_BIN_TYPE */
    rpm_data_t data;     /**< char * for one string, char ** for string arrays, else the values */
    rpmtdFlags flags;    /**< who owns data */
    int ix;              /**< index of the current element, -1 before the first */
    rpm_count_t size;    /**< bytes that the data takes in the header, where it came from one */
};

/** Make an empty container.
 * @return  container, the caller's to rpmtdFree()
 */
rpmtd rpmtdNew(void);

/** Free a container of rpmtdNew(). Its data stays: see rpmtdFreeData().
 * @param td  container or NULL
 * @return    NULL always
 */
rpmtd rpmtdFree(rpmtd td);

/** Empty a container without freeing anything.
 * @param td  container or NULL
 */
void rpmtdReset(rpmtd td);

/** Free what the container owns, and empty it. Needed after every successful headerGet().
 * @param td  container or NULL
 */
void rpmtdFreeData(rpmtd td);

/** Number of elements: 1 for RPM_BIN_TYPE, whose bytes are one value.
 * @param td  container or NULL
 * @return    elements; 0 for NULL
 */
rpm_count_t rpmtdCount(rpmtd td);

/** Bytes that the data takes in its header.
 * @param td  container or NULL
 * @return    bytes; 0 where the data is not from a header
 */
rpm_count_t rpmtdSize(rpmtd td);

/** @param td  container or NULL
 * @return     number of the tag */
rpmTagVal rpmtdTag(rpmtd td);

/** @param td  container or NULL
 * @return     type of the data */
rpmTagType rpmtdType(rpmtd td);

/** @param td  container or NULL
 * @return     class of the data */
rpmTagClass rpmtdClass(rpmtd td);

/** @param td  container or NULL
 * @return     enum rpmtdFlags_e */
rpmtdFlags rpmtdGetFlags(rpmtd td);

/** @param td  container or NULL
 * @return     index of the current element, -1 before the first */
int rpmtdGetIndex(rpmtd td);

/** Go to an element.
 * @param td     container or NULL
 * @param index  from 0
 * @return       index, or -1 and no change if it is out of bounds
 */
int rpmtdSetIndex(rpmtd td, int index);

/** Go before the first element.
 * @param td  container or NULL
 * @return    0, or -1 for NULL
 */
int rpmtdInit(rpmtd td);

/** Go to the next element.
 * @param td  container or NULL
 * @return    its index, or -1 after the last, from where the next call starts again
 */
int rpmtdNext(rpmtd td);

/** rpmtdNext() and rpmtdGetUint32().
 * @param td  container or NULL
 * @return    the element, owned by td; NULL after the last and for other types */
uint32_t *rpmtdNextUint32(rpmtd td);

/** rpmtdNext() and rpmtdGetUint64().
 * @param td  container or NULL
 * @return    the element, owned by td; NULL after the last and for other types */
uint64_t *rpmtdNextUint64(rpmtd td);

/** rpmtdNext() and rpmtdGetString().
 * @param td  container or NULL
 * @return    the element, owned by td; NULL after the last and for other types */
const char *rpmtdNextString(rpmtd td);

/** @param td  container or NULL
 * @return     current or first element, owned by td; NULL unless RPM_CHAR_TYPE */
char *rpmtdGetChar(rpmtd td);

/** @param td  container or NULL
 * @return     current or first element, owned by td; NULL unless RPM_INT16_TYPE */
uint16_t *rpmtdGetUint16(rpmtd td);

/** @param td  container or NULL
 * @return     current or first element, owned by td; NULL unless RPM_INT32_TYPE */
uint32_t *rpmtdGetUint32(rpmtd td);

/** @param td  container or NULL
 * @return     current or first element, owned by td; NULL unless RPM_INT64_TYPE */
uint64_t *rpmtdGetUint64(rpmtd td);

/** @param td  container or NULL
 * @return     current or first string, owned by td; NULL unless a string type */
const char *rpmtdGetString(rpmtd td);

/** @param td  container or NULL
 * @return     current or first number, whatever its width; 0 for types that are none */
uint64_t rpmtdGetNumber(rpmtd td);

/** Ways to show an element. */
typedef enum rpmtdFormats_e {
    RPMTD_FORMAT_STRING = 0,        /**< as is (any type) */
    RPMTD_FORMAT_ARMOR = 1,         /**< ASCII armor (bytes) */
    RPMTD_FORMAT_BASE64 = 2,        /**< base64 (bytes) */
    RPMTD_FORMAT_PGPSIG = 3,        /**< what an OpenPGP signature says of itself (bytes) */
    RPMTD_FORMAT_DEPFLAGS = 4,      /**< comparison operator (numbers) */
    RPMTD_FORMAT_FFLAGS = 5,        /**< letters of file flags (numbers) */
    RPMTD_FORMAT_PERMS = 6,         /**< mode as ls shows it (numbers) */
    RPMTD_FORMAT_TRIGGERTYPE = 7,   /**< kind of trigger (numbers) */
    RPMTD_FORMAT_XML = 8,           /**< XML element (any type) */
    RPMTD_FORMAT_OCTAL = 9,         /**< octal (numbers) */
    RPMTD_FORMAT_HEX = 10,          /**< hexadecimal (numbers) */
    RPMTD_FORMAT_DATE = 11,         /**< date and time, local (numbers) */
    RPMTD_FORMAT_DAY = 12,          /**< date, local (numbers) */
    RPMTD_FORMAT_SHESCAPE = 13,     /**< quoted for a shell (any type) */
    RPMTD_FORMAT_ARRAYSIZE = 14,    /**< number of elements (any type) */
    RPMTD_FORMAT_DEPTYPE = 15,      /**< kind of dependency (numbers) */
    RPMTD_FORMAT_FSTATE = 16,       /**< state of a file (numbers) */
    RPMTD_FORMAT_VFLAGS = 17,       /**< what verification checks (numbers) */
    RPMTD_FORMAT_EXPAND = 18,       /**< macros expanded (strings) */
    RPMTD_FORMAT_FSTATUS = 19,      /**< what verification found (numbers) */
    RPMTD_FORMAT_HUMANSI = 20,      /**< with a unit, K = 1000 (numbers) */
    RPMTD_FORMAT_HUMANIEC = 21,     /**< with a unit, K = 1024 (numbers) */
    RPMTD_FORMAT_TAGNAME = 22,      /**< name of the tag (any type) */
    RPMTD_FORMAT_TAGNUM = 23        /**< number of the tag (any type) */
} rpmtdFormats;

/** Show the current element.
 * @param td      container
 * @param fmt     how; a type that the format is not for gives a text in parentheses that says so
 * @param errmsg  not used: the string that it names could not be changed from here
 * @return        text, the caller's to free(); NULL for an unknown format
 */
char *rpmtdFormat(rpmtd td, rpmtdFormats fmt, const char *errmsg);

/** Set tag and type of an empty container, or change the tag to another of the same type.
 * @param td   container or NULL
 * @param tag  number of a tag that has a type
 * @return     1, or 0 if that cannot be
 */
int rpmtdSetTag(rpmtd td, rpmTagVal tag);

/** @name Containers around data of the caller
 * The data is borrowed: it must outlive the container, and rpmtdFreeData() leaves it alone. The
 * type must be the tag's, and count 1 for a tag of one value.
 * @return  1, or 0 and an untouched container
 * @{ */
int rpmtdFromUint8(rpmtd td, rpmTagVal tag, uint8_t *data, rpm_count_t count);
int rpmtdFromUint16(rpmtd td, rpmTagVal tag, uint16_t *data, rpm_count_t count);
int rpmtdFromUint32(rpmtd td, rpmTagVal tag, uint32_t *data, rpm_count_t count);
int rpmtdFromUint64(rpmtd td, rpmTagVal tag, uint64_t *data, rpm_count_t count);
int rpmtdFromString(rpmtd td, rpmTagVal tag, const char *data);
int rpmtdFromStringArray(rpmtd td, rpmTagVal tag, const char **data, rpm_count_t count);
int rpmtdFromArgv(rpmtd td, rpmTagVal tag, ARGV_t argv);
/** @} */

/** Copy a string array, strings and all.
 * @param td  container of a string array
 * @return    copy, the caller's to rpmtdFreeData() and rpmtdFree(); NULL for other types
 */
rpmtd rpmtdDup(rpmtd td);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMTD_H */
