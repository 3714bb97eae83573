/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* neighbour FILE SAMPLES [PERIOD-USECS]: what a program sees that has a little to make durable all
 * the time: 8 KiB of FILE, which it makes at first, are overwritten and fdatasync'ed every period
 * (2 ms). Prints "SAMPLES MEDIAN P99 MAX", in milliseconds. */
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 8192, BLOCKS = 128, PERIOD = 2000 };

static char block[BLOCK];

static int64_t now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void sleepUntil(int64_t when)
{
    struct timespec ts = { when / 1000000000, when % 1000000000 };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
        continue;
}

static void put(int fd, long number)
{
    memset(block, 'a' + (int)(number % 26), sizeof(block));
    if (pwrite(fd, block, sizeof(block), number % BLOCKS * BLOCK) != BLOCK || fdatasync(fd))
        error(1, errno, "writing");
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void measure(int fd, double *times, long samples, int64_t period)
{
    int64_t begin = now();

    for (long i = 0; i < samples; i++) {
        int64_t start = now();

        put(fd, i);
        times[i] = (double)(now() - start) / 1e6;
        begin += period;
        if (begin > now())
            sleepUntil(begin);
        else
            begin = now();
    }
}

int main(int argc, char **argv)
{
    long samples = argc > 2 ? atol(argv[2]) : 0;
    int64_t period = (argc > 3 ? atol(argv[3]) : PERIOD) * INT64_C(1000);
    double *times = calloc(samples > 0 ? (size_t)samples : 1, sizeof(*times));
    int fd;

    if (samples <= 0 || times == NULL)
        error(2, 0, "usage: neighbour FILE SAMPLES [PERIOD-USECS]");
    fd = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        error(1, errno, "%s", argv[1]);
    for (long i = 0; i < BLOCKS; i++)
        put(fd, i);
    measure(fd, times, samples, period);
    qsort(times, (size_t)samples, sizeof(*times), compare);
    printf("%ld %.1f %.1f %.1f\n", samples, times[samples / 2], times[samples * 99 / 100],
           times[samples - 1]);
    free(times);
    return close(fd) != 0;
}
