/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mode strings: "w9.gzdio" and the like. */

#include <errno.h>
#include <fcntl.h>
#include <zlib.h>

#include <rpm/rpmstring.h>

#include "rpmio_internal.h"

static FDIO_t findIO(const char *name)
{
    static const FDIO_t kinds[] = { &fdIO, &ufdIO, &gzIO, &xzIO, &lzIO, &bzIO, &zstdIO };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (rstreq(name, kinds[i]->ioname) ||
            (kinds[i]->name != NULL && rstreq(name, kinds[i]->name)))
            return kinds[i];
    }
    return NULL;
}

static int baseFlags(char c)
{
    switch (c) {
    case 'r':
        return O_RDONLY;
    case 'w':
        return O_WRONLY | O_CREAT | O_TRUNC;
    case 'a':
        return O_WRONLY | O_CREAT | O_APPEND;
    default:
        return -1;
    }
}

static int parseLetter(char c, struct fdMode *mode)
{
    switch (c) {
    case '+':
        mode->flags = (mode->flags & ~O_ACCMODE) | O_RDWR;
        return 0;
    case 'x':
        mode->flags |= O_EXCL;
        return 0;
    case 'f':
        mode->strategy = Z_FILTERED;
        return 0;
    case 'h':
        mode->strategy = Z_HUFFMAN_ONLY;
        return 0;
    case '?':
        mode->debug = 1;
        return 0;
    case 'b': /* binary, as all is */
    case 's': /* bzip2's small mode, and */
    case 'T': /* threads: for writing what is only read here */
        return 0;
    default:
        return -1;
    }
}

/* A run of digits is one number: the level, or after a T the number of threads. */
static void parseNumber(const char **sp, struct fdMode *mode)
{
    const char *s = *sp;
    int threads = s[-1] == 'T', number = 0;

    for (; risdigit(*s); s++)
        number = number < 1000 ? number * 10 + (*s - '0') : number;
    if (!threads)
        mode->level = number;
    *sp = s;
}

/* Compression goes one way, and most kinds of it only that of reading. */
static int checkDirection(const struct fdMode *mode)
{
    int access = mode->flags & O_ACCMODE;

    if (mode->io == NULL || mode->io->open == NULL || access == O_RDONLY)
        return 0;
    errno = mode->io->write == NULL ? ENOTSUP : EINVAL;
    return access == O_WRONLY && mode->io->write != NULL ? 0 : -1;
}

int fdParseMode(const char *fmode, struct fdMode *mode)
{
    const char *s = fmode;

    *mode = (struct fdMode){ .flags = -1, .level = -1, .strategy = Z_DEFAULT_STRATEGY };
    if (s != NULL && *s != '\0')
        mode->flags = baseFlags(*s++);
    if (mode->flags < 0)
        goto bad;
    while (*s != '\0' && *s != '.') {
        if (risdigit(*s))
            parseNumber(&s, mode);
        else if (parseLetter(*s++, mode))
            goto bad;
    }
    if (*s == '.' && s[1] != '\0') {
        mode->io = findIO(s + 1);
        if (mode->io == NULL)
            goto bad;
    } else if (mode->level >= 0 || mode->strategy != Z_DEFAULT_STRATEGY) {
        mode->io = &gzIO;
    }
    return checkDirection(mode);
bad:
    errno = EINVAL;
    return -1;
}
