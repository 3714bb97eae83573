/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rpmdigest says: verdicts on stdout, messages on stderr, and its exit status. */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmstring.h>

#include "rpmdigest.h"

static enum digestStatus worst;

void raiseStatus(enum digestStatus status)
{
    if (status > worst)
        worst = status;
}

enum digestStatus finalStatus(void)
{
    return worst;
}

static void vcomplain(const char *name, const char *fmt, va_list ap)
{
    char *text = NULL;

    clearProgress();
    rvasprintf(&text, fmt, ap);
    fputs("rpmdigest: ", stderr);
    if (name != NULL) {
        putPrintable(stderr, name);
        fputs(": ", stderr);
    }
    putPrintable(stderr, text);
    putc('\n', stderr);
    free(text);
}

void complain(const char *name, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vcomplain(name, fmt, ap);
    va_end(ap);
}

void trouble(const char *name, const char *fmt, ...)
{
    va_list ap;

    raiseStatus(STATUS_TROUBLE);
    va_start(ap, fmt);
    vcomplain(name, fmt, ap);
    va_end(ap);
}

void requireStdout(void)
{
    /* What failed before is what was printed last: every print is followed by a look. */
    int error = errno;

    if (!ferror(stdout)) {
        if (fflush(stdout) == 0)
            return;
        error = errno;
    }
    clearProgress();
    fprintf(stderr, "rpmdigest: error writing to stdout: %s\n", strerror(error));
    fflush(stderr);
    /* Not exit(): workers may be in the middle of a file. */
    _exit(STATUS_TROUBLE);
}

void putVerdict(const char *name, const char *json, const char *text)
{
    /* sha256sum escapes the names of verdicts less often than those of digests. */
    bool escape = strchr(name, '\n') != NULL;

    clearProgress();
    if (opts.json) {
        putc('{', stdout);
        putJsonPath(stdout, name);
        printf(",\"status\":\"%s\"}\n", json);
    } else {
        if (escape) {
            putc('\\', stdout);
            putEscaped(stdout, name);
        } else {
            fputs(name, stdout);
        }
        printf(": %s\n", text);
    }
    if (ferror(stdout))
        requireStdout();
}
