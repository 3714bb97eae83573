/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_ARGV_H
#define RPM_ARGV_H

/** @file rpm/argv.h
 * Arrays of strings that end in NULL. Names as in upstream's rpm/argv.h.
 *
 * An ARGV_t of NULL is an empty array, for every call.
 */

#include <stdio.h>

#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An array of strings; array and strings are the owner's to argvFree(). */
typedef char **ARGV_t;
/** The same, to look at. */
typedef char *const *ARGV_const_t;

/** Flags of argvSplitString(). */
enum argvFlags_e {
    ARGV_NONE = 0,
    ARGV_SKIPEMPTY = (1 << 0) /**< leave out empty strings */
};

/** Some of enum argvFlags_e. */
typedef rpmFlags argvFlags;

/** Make an empty array that is not NULL. */
ARGV_t argvNew(void);

/** Free an array with its strings.
 * @return  NULL
 */
ARGV_t argvFree(ARGV_t argv);

/** Number of strings. */
int argvCount(ARGV_const_t argv);

/** The array itself. */
ARGV_t argvData(ARGV_t argv);

/** Print strings, one a line.
 * @param msg   first line (with a colon after it), or NULL
 * @param argv  array
 * @param fp    stream; NULL for stderr
 */
void argvPrint(const char *msg, ARGV_const_t argv, FILE *fp);

/** Compare two elements by strcmp(3), for qsort(3) and bsearch(3). */
int argvCmp(const void *a, const void *b);

/** Sort an array.
 * @param argv    array
 * @param compar  comparison of elements, NULL for argvCmp()
 * @return        0
 */
int argvSort(ARGV_t argv, int (*compar)(const void *, const void *));

/** Find a string in a sorted array.
 * @param argv    array, sorted by the same comparison
 * @param val     string
 * @param compar  comparison of elements, NULL for argvCmp()
 * @return        element, NULL if there is none
 */
ARGV_t argvSearch(ARGV_const_t argv, const char *val, int (*compar)(const void *, const void *));

/** Append a copy of a string.
 * @return  0
 */
int argvAdd(ARGV_t *argvp, const char *val);

/** Append a copy of at most the first len bytes of a string.
 * @return  0
 */
int argvAddN(ARGV_t *argvp, const char *val, size_t len);

/** Append a number as a string.
 * @return  0
 */
int argvAddNum(ARGV_t *argvp, int val);

/** Append copies of all strings of another array.
 * @return  0
 */
int argvAppend(ARGV_t *argvp, ARGV_const_t av);

/** Split a string.
 * @param str    string; NULL gives NULL
 * @param seps   separators, each a single byte; one at the end of str begins no further field
 * @param flags  ARGV_SKIPEMPTY to leave out empty fields
 * @return       new array, the caller's to argvFree()
 */
ARGV_t argvSplitString(const char *str, const char *seps, argvFlags flags);

/** Split a string, leaving out empty fields.
 * @param argvp  result: a new array, the caller's to argvFree(); what it held before is not freed
 * @param str    string
 * @param seps   separators, each a single byte
 * @return       0
 */
int argvSplit(ARGV_t *argvp, const char *str, const char *seps);

/** Join strings.
 * @param argv  array
 * @param sep   what to put between
 * @return      string, the caller's to rfree(); NULL for an empty array
 */
char *argvJoin(ARGV_const_t argv, const char *sep);

#ifdef __cplusplus
}
#endif

#endif /* RPM_ARGV_H */
