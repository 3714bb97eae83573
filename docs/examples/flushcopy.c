/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flushcopy FILE [CHUNK]: copies stdin to FILE under the write policy of rpm's macros, CHUNK bytes
 * at a time, and prints what that took. Build it with
 *     cc flushcopy.c $(pkg-config --cflags --libs rpmiopolicy)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmflush.h>
#include <rpm/rpmlib.h>

static char buffer[1 << 20];

static int copy(rpmFlush flush, const char *path, size_t chunk)
{
    struct stat sb;
    int64_t size = fstat(STDIN_FILENO, &sb) == 0 && S_ISREG(sb.st_mode) ? sb.st_size : -1;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | rpmFlushOpenFlags(flush), 0644);
    rpmFlushFile file;
    ssize_t n;
    int rc;

    if (fd < 0 || rpmFlushFileNew(flush, fd, size, path, &file))
        return -1;
    while ((n = read(STDIN_FILENO, buffer, chunk)) > 0) {
        if (rpmFlushFileWrite(file, buffer, (size_t)n) < 0)
            break;
    }
    rc = rpmFlushFileClose(file);
    rpmFlushFileFree(file);
    return n < 0 ? -1 : rc;
}

int main(int argc, char **argv)
{
    size_t chunk = argc > 2 ? strtoul(argv[2], NULL, 10) : 131072;
    rpmFlushPolicy policy;
    rpmFlush flush;
    char *text = NULL;

    if (argc < 2 || chunk == 0 || chunk > sizeof(buffer) || rpmReadConfigFiles(NULL, NULL))
        return 2;
    if (rpmFlushPolicyFromMacros(&policy, &text)) {
        fprintf(stderr, "%s\n", text);
        return 2;
    }
    flush = rpmFlushNew(&policy);
    if (copy(flush, argv[1], chunk)) {
        text = rpmFlushTakeError(flush);
        fprintf(stderr, "%s\n", text ? text : strerror(errno));
        return 1;
    }
    text = rpmFlushStats(flush);
    fputs(text, stdout);
    free(text);
    text = rpmFlushReport(flush);
    fputs(text, stdout);
    free(text);
    rpmFlushFree(flush);
    return 0;
}
