/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Version comparison: rpm's order over segments, with tilde and caret. */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <rpm/rpmver.h>

/* Versions are ASCII by definition: the locale must not decide what a letter is. */
static bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

static bool isAlpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *skipSeparators(const char *s)
{
    while (*s != '\0' && !isDigit(*s) && !isAlpha(*s) && *s != '~' && *s != '^')
        s++;
    return s;
}

/* Length of the run at s that is all digits, or all letters. */
static size_t segmentLength(const char *s, bool digits)
{
    size_t n = 0;

    while (digits ? isDigit(s[n]) : isAlpha(s[n]))
        n++;
    return n;
}

static int compareNumbers(const char *a, size_t alen, const char *b, size_t blen)
{
    while (alen > 0 && *a == '0') {
        a++;
        alen--;
    }
    while (blen > 0 && *b == '0') {
        b++;
        blen--;
    }
    if (alen != blen)
        return alen > blen ? 1 : -1;
    return memcmp(a, b, alen);
}

static int compareLetters(const char *a, size_t alen, const char *b, size_t blen)
{
    int rc = memcmp(a, b, alen < blen ? alen : blen);

    if (rc == 0 && alen != blen)
        rc = alen > blen ? 1 : -1;
    return rc;
}

/* Compare the segments at *a and *b and step over them. */
static int compareSegments(const char **a, const char **b)
{
    bool digits = isDigit(**a);
    size_t alen = segmentLength(*a, digits);
    size_t blen = segmentLength(*b, digits);
    int rc;

    if (blen == 0)
        return digits ? 1 : -1;
    rc = digits ? compareNumbers(*a, alen, *b, blen) : compareLetters(*a, alen, *b, blen);
    *a += alen;
    *b += blen;
    return rc;
}

int rpmvercmp(const char *a, const char *b)
{
    for (;;) {
        int rc;

        a = skipSeparators(a);
        b = skipSeparators(b);
        if (*a == '~' || *b == '~') {
            if (*a != *b)
                return *a == '~' ? -1 : 1;
        } else if (*a == '^' || *b == '^') {
            if (*a == '\0' || *b == '\0')
                return *a == '\0' ? -1 : 1;
            if (*a != *b)
                return *a == '^' ? -1 : 1;
        } else {
            if (*a == '\0' || *b == '\0')
                return (*a != '\0') - (*b != '\0');
            rc = compareSegments(&a, &b);
            if (rc != 0)
                return rc > 0 ? 1 : -1;
            continue;
        }
        a++;
        b++;
    }
}
