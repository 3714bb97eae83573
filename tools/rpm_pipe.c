/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --pipe: a shell command that reads what is printed. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rpmtool.h"

static FILE *reader;
static int savedStdout = -1;

void beginPipe(void)
{
    if (opts.pipe == NULL)
        return;
    fflush(stdout);
    savedStdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    reader = popen(opts.pipe, "we");
    if (reader == NULL || dup2(fileno(reader), STDOUT_FILENO) < 0)
        argerror("creating a pipe for --pipe failed: %s", strerror(errno));
}

/* The reader sees the end when the last descriptor of the pipe is closed: stdout gets its own
 * back first. */
int endPipe(void)
{
    if (reader == NULL)
        return 0;
    fflush(stdout);
    if (savedStdout >= 0) {
        dup2(savedStdout, STDOUT_FILENO);
        close(savedStdout);
    } else {
        close(STDOUT_FILENO);
    }
    return pclose(reader) != 0;
}
