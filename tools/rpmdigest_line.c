/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of check files. The forms, and what is let pass, are those of coreutils 9.1: found by
 * trying sha256sum with each. */

#include <string.h>

#include <rpm/rpmstring.h>

#include "rpmdigest.h"

void putDigestLine(FILE *fp, const struct digestAlgo *algo, const char *hex, const char *name)
{
    bool escape = !opts.zero && needsEscape(name);

    if (escape)
        putc('\\', fp);
    if (opts.tag)
        fprintf(fp, "%s (", algo->tag);
    else
        fprintf(fp, "%s %c", hex, opts.binary ? '*' : ' ');
    if (escape)
        putEscaped(fp, name);
    else
        fputs(name, fp);
    if (opts.tag)
        fprintf(fp, ") = %s", hex);
    putc(opts.zero ? '\0' : '\n', fp);
}

static bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t hexDigits(const char *s)
{
    return strspn(s, "0123456789abcdefABCDEF");
}

/* `(NAME) = HEX`, blanks and the one before the parenthesis optional. The name ends at the last
 * parenthesis. */
static bool parseTagged(char *s, bool escaped, struct checkLine *result)
{
    char *end;

    s += *s == ' ';
    if (*s != '(' || (end = strrchr(s, ')')) == NULL)
        return false;
    result->name = s + 1;
    *end++ = '\0';
    end += strspn(end, " \t");
    if (*end++ != '=')
        return false;
    result->hex = end + strspn(end, " \t");
    return hexDigits(result->hex) == result->algo->hexLength &&
           result->hex[result->algo->hexLength] == '\0' && (!escaped || unescape(result->name));
}

/* `HEX  NAME`, `HEX *NAME`, or all over a file `HEX NAME`, as some BSD tools write it. */
static bool parseUntagged(struct lineParser *parser, char *s, bool escaped,
                          struct checkLine *result)
{
    size_t len = hexDigits(s);
    char *name = s + len;

    result->algo = algoByLength(parser->algos, len);
    if (result->algo == NULL || !isBlank(*name) || name[1] == '\0')
        return false;
    *name++ = '\0';
    if (name[1] == '\0' || (*name != ' ' && *name != '*')) {
        if (parser->reversed == 0)
            return false;
        parser->reversed = 1;
    } else if (parser->reversed != 1) {
        parser->reversed = 0;
        name++;
    }
    result->hex = s;
    result->name = name;
    return !escaped || unescape(name);
}

bool parseCheckLine(struct lineParser *parser, char *line, size_t len, struct checkLine *result)
{
    char *s = line + strspn(line, " \t");
    bool escaped = *s == '\\';

    if (memchr(line, '\0', len) != NULL)
        return false;
    s += escaped;
    result->algo = algoByTag(parser->algos, s);
    if (result->algo != NULL)
        return parseTagged(s + strlen(result->algo->tag), escaped, result);
    return parseUntagged(parser, s, escaped, result);
}

bool readCheckLine(FILE *fp, char *line, size_t *len)
{
    size_t n = 0;
    int c;

    flockfile(fp);
    while ((c = getc_unlocked(fp)) != EOF && c != '\n') {
        if (n < LINE_MAX_BYTES)
            line[n++] = (char)c;
    }
    funlockfile(fp);
    if (ferror(fp) || (c == EOF && n == 0))
        return false;
    *len = n;
    if (n < LINE_MAX_BYTES) {
        if (n > 0 && line[n - 1] == '\r')
            *len = --n;
        line[n] = '\0';
    }
    return true;
}
