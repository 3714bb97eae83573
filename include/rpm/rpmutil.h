/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMUTIL_H
#define RPM_RPMUTIL_H

/** @file rpm/rpmutil.h
 * Attributes for public declarations, and memory that never comes back NULL.
 *
 * The names and signatures are those of upstream's rpm/rpmutil.h. A request that the
 * system cannot meet ends the process with a line on stderr and exit status 1, as
 * upstream's do: no caller of rpm's libraries checks for NULL here.
 */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RPM_GNUC_EXTENSION __extension__
#define RPM_GNUC_PURE __attribute__((__pure__))
#define RPM_GNUC_CONST __attribute__((__const__))
#define RPM_GNUC_MALLOC __attribute__((__malloc__))
#define RPM_GNUC_NORETURN __attribute__((__noreturn__))
#define RPM_GNUC_UNUSED __attribute__((__unused__))
#define RPM_GNUC_NULL_TERMINATED __attribute__((__sentinel__))
#define RPM_GNUC_PRINTF(fmt_ix, arg_ix) __attribute__((__format__(__printf__, fmt_ix, arg_ix)))
#else
#define RPM_GNUC_EXTENSION
#define RPM_GNUC_PURE
#define RPM_GNUC_CONST
#define RPM_GNUC_MALLOC
#define RPM_GNUC_NORETURN
#define RPM_GNUC_UNUSED
#define RPM_GNUC_NULL_TERMINATED
#define RPM_GNUC_PRINTF(fmt_ix, arg_ix)
#endif

/** Allocate memory.
 * @param size  bytes; 0 is taken as 1, so that the result is never NULL
 * @return      uninitialized memory, the caller's to rfree()
 */
void *rmalloc(size_t size) RPM_GNUC_MALLOC;

/** Allocate zeroed memory for an array.
 * @param nmemb  elements; the product with size is checked for overflow
 * @param size   bytes of one element
 * @return       zeroed memory, the caller's to rfree()
 */
void *rcalloc(size_t nmemb, size_t size) RPM_GNUC_MALLOC;

/** Change the size of a block.
 * @param ptr   block of rmalloc() and kin, or NULL
 * @param size  bytes; 0 is taken as 1
 * @return      the block, perhaps moved; the old pointer is dead
 */
void *rrealloc(void *ptr, size_t size);

/** Change the size of an array.
 * @param ptr    block of rmalloc() and kin, or NULL
 * @param nmemb  elements; the product with size is checked for overflow
 * @param size   bytes of one element
 * @return       the block, perhaps moved; the old pointer is dead
 */
void *rreallocn(void *ptr, size_t nmemb, size_t size);

/** Copy a string.
 * @param str  NUL-terminated string, not NULL
 * @return     copy, the caller's to rfree()
 */
char *rstrdup(const char *str) RPM_GNUC_MALLOC;

/** Copy at most the first bytes of a string.
 * @param str  string, not NULL; need not be terminated within n bytes
 * @param n    most bytes to copy
 * @return     terminated copy, the caller's to rfree()
 */
char *rstrndup(const char *str, size_t n) RPM_GNUC_MALLOC;

/** Free a block.
 * @param ptr  block of rmalloc() and kin, or NULL
 * @return     NULL always, for `p = rfree(p)`
 */
void *rfree(void *ptr);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMUTIL_H */
