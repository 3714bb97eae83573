/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of files, which may hold any byte but NUL, in the three forms that rpmdigest prints. */

#include <string.h>

#include "rpmdigest.h"

bool needsEscape(const char *name)
{
    return name[strcspn(name, "\\\n\r")] != '\0';
}

void putEscaped(FILE *fp, const char *name)
{
    for (; *name != '\0'; name++) {
        switch (*name) {
        case '\\':
            fputs("\\\\", fp);
            break;
        case '\n':
            fputs("\\n", fp);
            break;
        case '\r':
            fputs("\\r", fp);
            break;
        default:
            putc(*name, fp);
        }
    }
}

bool unescape(char *name)
{
    char *to = name;

    for (; *name != '\0'; name++) {
        if (*name == '\\') {
            switch (*++name) {
            case '\\':
                break;
            case 'n':
                *name = '\n';
                break;
            case 'r':
                *name = '\r';
                break;
            default:
                return false;
            }
        }
        *to++ = *name;
    }
    *to = '\0';
    return true;
}

/* Length of the UTF-8 sequence that a text begins with; 0 if it is not one. Too long forms,
 * surrogates and numbers above U+10FFFF are none. */
static int sequenceLength(const unsigned char *s)
{
    int len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
              s[0] < 0xf5 ? 4 : 0;

    for (int i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))
        return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

static void putJsonAscii(FILE *fp, unsigned char c)
{
    if (c == '"' || c == '\\')
        fprintf(fp, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
        fprintf(fp, "\\u%04x", c);
    else
        putc(c, fp);
}

bool putJsonString(FILE *fp, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    bool good = true;

    putc('"', fp);
    while (*s != '\0') {
        int len = sequenceLength(s);

        if (len == 0) {
            fputs("\\ufffd", fp);
            good = false;
            len = 1;
        } else if (len == 1) {
            putJsonAscii(fp, *s);
        } else {
            fwrite(s, 1, (size_t)len, fp);
        }
        s += len;
    }
    putc('"', fp);
    return good;
}

void putJsonPath(FILE *fp, const char *path)
{
    fputs("\"path\":", fp);
    if (!putJsonString(fp, path)) {
        fputs(",\"path_hex\":\"", fp);
        for (; *path != '\0'; path++)
            fprintf(fp, "%02x", (unsigned char)*path);
        putc('"', fp);
    }
}

void putPrintable(FILE *fp, const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0'; s++) {
        if (*s < 0x20 || *s == 0x7f)
            fprintf(fp, "\\%03o", *s);
        else
            putc(*s, fp);
    }
}
