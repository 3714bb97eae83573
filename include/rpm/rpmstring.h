/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMSTRING_H
#define RPM_RPMSTRING_H

/** @file rpm/rpmstring.h
 * Strings and characters, the same in every locale. Names as in upstream's rpm/rpmstring.h.
 */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rpm/rpmutil.h>

#ifdef __cplusplus
extern "C" {
#endif

/** ASCII lower case letter? */
RPM_GNUC_CONST static inline int rislower(int c)
{
    return c >= 'a' && c <= 'z';
}

/** ASCII upper case letter? */
RPM_GNUC_CONST static inline int risupper(int c)
{
    return c >= 'A' && c <= 'Z';
}

/** ASCII letter? */
RPM_GNUC_CONST static inline int risalpha(int c)
{
    return rislower(c) || risupper(c);
}

/** ASCII digit? */
RPM_GNUC_CONST static inline int risdigit(int c)
{
    return c >= '0' && c <= '9';
}

/** ASCII letter or digit? */
RPM_GNUC_CONST static inline int risalnum(int c)
{
    return risalpha(c) || risdigit(c);
}

/** Space or tab? */
RPM_GNUC_CONST static inline int risblank(int c)
{
    return c == ' ' || c == '\t';
}

/** ASCII white space? */
RPM_GNUC_CONST static inline int risspace(int c)
{
    return risblank(c) || (c >= '\n' && c <= '\r');
}

/** Lower case of an ASCII letter, anything else as it is. */
RPM_GNUC_CONST static inline int rtolower(int c)
{
    return risupper(c) ? c - 'A' + 'a' : c;
}

/** Upper case of an ASCII letter, anything else as it is. */
RPM_GNUC_CONST static inline int rtoupper(int c)
{
    return rislower(c) ? c - 'a' + 'A' : c;
}

/** Value of a hexadecimal digit, 0 for anything else. */
RPM_GNUC_CONST static inline unsigned char rnibble(char c)
{
    if (risdigit(c))
        return (unsigned char)(c - '0');
    c = (char)rtolower(c);
    return (unsigned char)((c >= 'a' && c <= 'f') ? c - 'a' + 10 : 0);
}

/** Are two strings equal?
 * @return  1 or 0
 */
static inline int rstreq(const char *s1, const char *s2)
{
    return strcmp(s1, s2) == 0;
}

/** Are the first n bytes of two strings equal?
 * @return  1 or 0
 */
static inline int rstreqn(const char *s1, const char *s2, size_t n)
{
    return strncmp(s1, s2, n) == 0;
}

/** strcasecmp(3) for ASCII. */
int rstrcasecmp(const char *s1, const char *s2) RPM_GNUC_PURE;

/** strncasecmp(3) for ASCII. */
int rstrncasecmp(const char *s1, const char *s2, size_t n) RPM_GNUC_PURE;

/** asprintf(3) that never runs out of memory.
 * @param strp  result, the caller's to rfree(); NULL on a format error
 * @param fmt   as printf(3)
 * @return      length, -1 on a format error
 */
int rasprintf(char **strp, const char *fmt, ...) RPM_GNUC_PRINTF(2, 3);

/** As rasprintf(), with a va_list. */
int rvasprintf(char **strp, const char *fmt, va_list ap) RPM_GNUC_PRINTF(2, 0);

/** Append a string to an allocated one.
 * @param dest  string of rmalloc() and kin, or NULL inside; updated
 * @param src   string; NULL adds nothing
 * @return      *dest
 */
char *rstrcat(char **dest, const char *src);

/** Append several strings to an allocated one.
 * @param dest  string of rmalloc() and kin, or NULL inside, updated; NULL for a new string
 * @param arg   first string of a list that ends in NULL
 * @return      the new string: *dest, or for dest NULL the caller's to rfree()
 */
char *rstrscat(char **dest, const char *arg, ...) RPM_GNUC_NULL_TERMINATED;

/** Copy a string into a buffer, cut if need be and always terminated (unless n is 0).
 * @param dest  buffer
 * @param src   string
 * @param n     bytes of the buffer
 * @return      length of src: n or more means that it was cut
 */
size_t rstrlcpy(char *dest, const char *src, size_t n);

/** Lower case hexadecimal form of bytes.
 * @param p     bytes
 * @param plen  how many
 * @return      string, the caller's to rfree(); NULL if p is NULL
 */
char *rpmhex(const uint8_t *p, size_t plen);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMSTRING_H */
