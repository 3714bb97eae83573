/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far rpmdigest is, and how fast it was. */

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "rpmdigest.h"

static struct timespec started;
static uint64_t filesRead, bytesRead;
static bool drawn;

void startClock(void)
{
    clock_gettime(CLOCK_MONOTONIC, &started);
}

static double secondsSince(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

void countFile(uint64_t bytes)
{
    filesRead++;
    bytesRead += bytes;
}

void drawProgress(void *data, uint64_t bytes)
{
    (void)data;
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%" PRIu64 " files, %" PRIu64 " MiB, %.0f s\033[K", filesRead, bytes >> 20,
            secondsSince(&started));
    fflush(stderr);
    drawn = true;
}

void clearProgress(void)
{
    if (drawn)
        fputs("\r\033[K", stderr);
    drawn = false;
}

void printSummary(void)
{
    double seconds = secondsSince(&started);

    clearProgress();
    fprintf(stderr, "rpmdigest: %" PRIu64 " file%s, %" PRIu64 " bytes in %.3f s, %.0f bytes/s\n",
            filesRead, filesRead == 1 ? "" : "s", bytesRead, seconds,
            seconds > 0 ? (double)bytesRead / seconds : 0.0);
}
