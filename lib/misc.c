/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts for the flags of files, and for what packages say of themselves. */

#include <string.h>
#include <sys/stat.h>

#include <rpm/rpmfiles.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "misc.h"

char *rpmEscape(const char *s, size_t max)
{
    static const char hex[] = "0123456789abcdef";
    size_t len = strnlen(s, max);
    char *text = rmalloc(4 * len + sizeof("..."));
    char *t = text;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c >= 0x20 && c != 0x7f) {
            *t++ = (char)c;
        } else {
            *t++ = '\\';
            *t++ = 'x';
            *t++ = hex[c >> 4];
            *t++ = hex[c & 15];
        }
    }
    strcpy(t, s[len] != '\0' ? "..." : "");
    return text;
}

static char typeLetter(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return '-';
    case S_IFDIR:
        return 'd';
    case S_IFLNK:
        return 'l';
    case S_IFIFO:
        return 'p';
    case S_IFSOCK:
        return 's';
    case S_IFCHR:
        return 'c';
    case S_IFBLK:
        return 'b';
    default:
        return '?';
    }
}

char *rpmPermsString(int mode)
{
    static const char letters[] = "rwxrwxrwx";
    static const struct {
        int bit, at;
        char set, unset; /* with and without the x bit whose place it takes */
    } special[] = { { S_ISUID, 3, 's', 'S' }, { S_ISGID, 6, 's', 'S' }, { S_ISVTX, 9, 't', 'T' } };
    char *perms = rstrdup("----------");

    perms[0] = typeLetter((mode_t)mode);
    for (int i = 0; i < 9; i++) {
        if (mode & (0400 >> i))
            perms[i + 1] = letters[i];
    }
    for (int i = 0; i < 3; i++) {
        if (mode & special[i].bit)
            perms[special[i].at] = perms[special[i].at] == 'x' ? special[i].set : special[i].unset;
    }
    return perms;
}

char *rpmFFlagsString(uint32_t fflags)
{
    static const struct {
        uint32_t flag;
        char letter;
    } table[] = {
        { RPMFILE_DOC, 'd' },
        { RPMFILE_CONFIG, 'c' },
        { RPMFILE_SPECFILE, 's' },
        { RPMFILE_MISSINGOK, 'm' },
        { RPMFILE_NOREPLACE, 'n' },
        { RPMFILE_GHOST, 'g' },
        { RPMFILE_LICENSE, 'l' },
        { RPMFILE_README, 'r' },
        { RPMFILE_ARTIFACT, 'a' },
    };
    char *text = rcalloc(sizeof(table) / sizeof(table[0]) + 1, 1);
    char *t = text;

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (fflags & table[i].flag)
            *t++ = table[i].letter;
    }
    return text;
}

char *rpmVerifyString(uint32_t verifyResult, const char *pad)
{
    static const struct {
        uint32_t flag, unread;
        const char *letter;
    } table[] = {
        { RPMVERIFY_FILESIZE, 0, "S" },
        { RPMVERIFY_MODE, 0, "M" },
        { RPMVERIFY_FILEDIGEST, RPMVERIFY_READFAIL, "5" },
        { RPMVERIFY_RDEV, 0, "D" },
        { RPMVERIFY_LINKTO, RPMVERIFY_READLINKFAIL, "L" },
        { RPMVERIFY_USER, 0, "U" },
        { RPMVERIFY_GROUP, 0, "G" },
        { RPMVERIFY_MTIME, 0, "T" },
        { RPMVERIFY_CAPS, 0, "P" },
    };
    char *text = rstrdup("");

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (verifyResult & table[i].unread)
            rstrcat(&text, "?");
        else
            rstrcat(&text, (verifyResult & table[i].flag) ? table[i].letter : pad);
    }
    return text;
}

bool rpmHexIsDigest(const char *hex, const unsigned char *digest, size_t length)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < length; i++) {
        if (hex[2 * i] != digits[digest[i] >> 4] || hex[2 * i + 1] != digits[digest[i] & 15])
            return false;
    }
    return hex[2 * length] == '\0';
}
