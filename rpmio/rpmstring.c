/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* String helpers. */

#include <stdio.h>

#include <rpm/rpmstring.h>

int rstrcasecmp(const char *s1, const char *s2)
{
    return rstrncasecmp(s1, s2, SIZE_MAX);
}

int rstrncasecmp(const char *s1, const char *s2, size_t n)
{
    for (; n > 0; n--, s1++, s2++) {
        int c1 = rtolower((unsigned char)*s1);
        int c2 = rtolower((unsigned char)*s2);

        if (c1 != c2 || c1 == '\0')
            return c1 - c2;
    }
    return 0;
}

int rvasprintf(char **strp, const char *fmt, va_list ap)
{
    va_list again;
    char *str = NULL;
    int len;

    va_copy(again, ap);
    len = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (len >= 0) {
        str = rmalloc((size_t)len + 1);
        len = vsnprintf(str, (size_t)len + 1, fmt, ap);
    }
    *strp = str;
    return len;
}

int rasprintf(char **strp, const char *fmt, ...)
{
    va_list ap;
    int len;

    va_start(ap, fmt);
    len = rvasprintf(strp, fmt, ap);
    va_end(ap);
    return len;
}

char *rstrcat(char **dest, const char *src)
{
    return src != NULL ? rstrscat(dest, src, NULL) : *dest;
}

/* Total length of arg and the strings of the list after it. */
static size_t listLength(const char *arg, va_list ap)
{
    va_list list;
    size_t len = 0;

    va_copy(list, ap);
    for (const char *s = arg; s != NULL; s = va_arg(list, const char *))
        len += strlen(s);
    va_end(list);
    return len;
}

char *rstrscat(char **dest, const char *arg, ...)
{
    char *old = dest != NULL ? *dest : NULL;
    size_t len = old != NULL ? strlen(old) : 0;
    char *str, *end;
    va_list ap;

    if (arg == NULL)
        return old;
    va_start(ap, arg);
    str = rrealloc(old, len + listLength(arg, ap) + 1);
    end = str + len;
    for (const char *s = arg; s != NULL; s = va_arg(ap, const char *))
        end = stpcpy(end, s);
    va_end(ap);
    if (dest != NULL)
        *dest = str;
    return str;
}

size_t rstrlcpy(char *dest, const char *src, size_t n)
{
    size_t len = strlen(src);

    if (n > 0) {
        size_t fit = len < n ? len : n - 1;

        memcpy(dest, src, fit);
        dest[fit] = '\0';
    }
    return len;
}

char *rpmhex(const uint8_t *p, size_t plen)
{
    static const char digits[] = "0123456789abcdef";
    char *str, *t;

    if (p == NULL)
        return NULL;
    t = str = rmalloc(plen * 2 + 1);
    for (size_t i = 0; i < plen; i++) {
        *t++ = digits[p[i] >> 4];
        *t++ = digits[p[i] & 0xf];
    }
    *t = '\0';
    return str;
}
