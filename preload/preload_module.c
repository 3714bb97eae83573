/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the module calls of a librpmio: macros, messages and digests are those of the process's
 * own. */

#include "preload_internal.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

/* The module expands one macro at a time. */
char *rpmExpand(const char *arg, ...)
{
    SHIM_STOCK(char *, rpmExpand, (const char *, ...));

    return rpmExpand_ ? rpmExpand_(arg, NULL) : NULL;
}

void rpmlog(int code, const char *fmt, ...)
{
    SHIM_STOCK(void, rpmlog, (int, const char *, ...));
    char *text = NULL;
    va_list ap;

    if (rpmlog_ == NULL)
        return;
    va_start(ap, fmt);
    rvasprintf(&text, fmt, ap);
    va_end(ap);
    rpmlog_(code, "%s", text);
    rfree(text);
}

DIGEST_CTX rpmDigestInit(int algo, rpmDigestFlags flags)
{
    SHIM_STOCK(DIGEST_CTX, rpmDigestInit, (int, rpmDigestFlags));

    return rpmDigestInit_ ? rpmDigestInit_(algo, flags) : NULL;
}

int rpmDigestUpdate(DIGEST_CTX ctx, const void *data, size_t len)
{
    SHIM_STOCK(int, rpmDigestUpdate, (DIGEST_CTX, const void *, size_t));

    return rpmDigestUpdate_ ? rpmDigestUpdate_(ctx, data, len) : -1;
}

int rpmDigestFinal(DIGEST_CTX ctx, void **datap, size_t *lenp, int asAscii)
{
    SHIM_STOCK(int, rpmDigestFinal, (DIGEST_CTX, void **, size_t *, int));

    return rpmDigestFinal_ ? rpmDigestFinal_(ctx, datap, lenp, asAscii) : -1;
}
