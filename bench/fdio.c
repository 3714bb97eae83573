/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fdio [-r RUNS] DIR: what the write policies cost, as measured when they were first proposed for
 * rpm in 2017: one file of 3,763,601 bytes is written to DIR through the FD layer, 128 KiB at a
 * time, by each method. Printed are the FDIO lines of the median run (its time from open to close)
 * and its ratio to the plain write. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rpm/rpmio.h>
#include <rpm/rpmstring.h>

#define FILE_SIZE 3763601
#define CHUNK (128 * 1024)
#define RUNS_MAX 99

static const struct method {
    const char *name;
    const char *flushIo, *fallocateAt, *dontneed, *interval; /* macros; "" for unset */
    double original; /* ratio of the original measurements, 0 where it is not known */
} methods[] = {
    { "BASE", "0", "", "0", "", 1 },
    { "BASE+O_SYNC", "osync", "", "0", "", 0 },
    { "BASE+O_DSYNC", "odsync", "", "0", "", 0 },
    { "BASE+fdatasync+fadvise+fsync", "fdatasync", "", "1", "", 0 },
    { "BASE+fallocate+fdatasync+fadvise+fsync", "fdatasync", "1", "1", "", 180 },
    { "BASE+fsync", "fsync", "", "0", "", 0 },
    { "BASE+fsync, dontneed", "fsync", "", "1", "", 0 },
    { "BASE+fallocate+fsync", "fsync", "1", "0", "", 0 },
    { "BASE+fdatasync+fsync", "fdatasync", "", "0", "", 0 },
    { "BASE+fdatasync+fadvise+fsync, 1M", "fdatasync", "", "1", "1M", 0 },
};
#define NMETHODS (sizeof(methods) / sizeof(methods[0]))

struct run {
    double secs;
    char *lines;
};

static void die(const char *what)
{
    fprintf(stderr, "fdio: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

/* Lines like those of a kernel's System.map. */
static char *makeText(void)
{
    char *text = malloc(FILE_SIZE + 64);
    size_t used = 0;

    if (text == NULL)
        die("memory");
    for (unsigned long i = 0; used < FILE_SIZE; i++)
        used += (size_t)sprintf(text + used, "ffffffff8%07lx %c symbol_%lu\n", i * 48 % 0xfffffff,
                                "TtDdBbRr"[i % 8], i * 7919 % 100003);
    return text;
}

static void set(rpmFlushPolicy *policy, const char *key, const char *value)
{
    char *emsg = NULL;

    if (rpmFlushPolicyParse(policy, key, value, &emsg)) {
        fprintf(stderr, "fdio: %s\n", emsg);
        exit(EXIT_FAILURE);
    }
}

static rpmFlush flushOf(const struct method *m)
{
    rpmFlushPolicy policy;

    rpmFlushPolicyInit(&policy);
    set(&policy, "_flush_io", m->flushIo);
    set(&policy, "_flush_io_fallocate", m->fallocateAt);
    set(&policy, "_flush_io_dontneed", m->dontneed);
    set(&policy, "_flush_io_interval", m->interval);
    return rpmFlushNew(&policy);
}

static FD_t openFile(rpmFlush flush, const char *path)
{
    int fdno = open(path, O_WRONLY | O_CREAT | O_EXCL | rpmFlushOpenFlags(flush), 0644);
    FD_t fd = fdno >= 0 ? fdDup(fdno) : NULL;

    if (fd == NULL || fdSetFlush(fd, flush, FILE_SIZE, path))
        die(path);
    close(fdno);
    return fd;
}

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static struct run once(const struct method *m, const char *path, const char *text)
{
    rpmFlush flush = flushOf(m);
    struct run run = { now(), NULL };
    FD_t fd = openFile(flush, path);

    for (size_t at = 0; at < FILE_SIZE; at += CHUNK) {
        size_t n = FILE_SIZE - at < CHUNK ? FILE_SIZE - at : CHUNK;

        if (Fwrite(text + at, 1, n, fd) != (ssize_t)n)
            die(path);
    }
    if (Fclose(fd))
        die(path);
    run.secs = now() - run.secs;
    run.lines = rpmFlushStats(flush);
    rpmFlushFree(flush);
    unlink(path);
    return run;
}

static int byTime(const void *a, const void *b)
{
    double x = ((const struct run *)a)->secs, y = ((const struct run *)b)->secs;

    return (x > y) - (x < y);
}

/* The median of several runs, each after a pause in which the last one's file is forgotten. */
static struct run median(const struct method *m, const char *path, const char *text, int runs)
{
    struct run all[RUNS_MAX], middle;

    for (int i = 0; i < runs; i++) {
        sync();
        all[i] = once(m, path, text);
    }
    qsort(all, (size_t)runs, sizeof(all[0]), byTime);
    middle = all[runs / 2];
    for (int i = 0; i < runs; i++) {
        if (i != runs / 2)
            free(all[i].lines);
    }
    return middle;
}

static void print(const struct method *m, const struct run *run, double base)
{
    char *rest = run->lines;
    char *line;

    printf("%s\n", m->name);
    while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
        if (strstr(line, " probes,") == NULL)
            printf("     %s\n", line);
    }
    printf("     %.6f secs, %.1f times BASE", run->secs, run->secs / base);
    if (m->original > 0)
        printf("; originally %.0f times", m->original);
    printf("\n");
}

int main(int argc, char **argv)
{
    char *text = makeText();
    char *path = NULL;
    double base = 0;
    int runs = 5;

    if (argc == 4 && rstreq(argv[1], "-r")) {
        runs = atoi(argv[2]);
        argv += 2;
        argc -= 2;
    }
    if (argc != 2 || runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: fdio [-r RUNS] DIR\n");
        return 2;
    }
    rasprintf(&path, "%s/fdio.%d", argv[1], (int)getpid());
    for (size_t i = 0; i < NMETHODS; i++) {
        struct run run = median(&methods[i], path, text, runs);

        if (i == 0)
            base = run.secs;
        print(&methods[i], &run, base);
        free(run.lines);
    }
    rfree(path);
    free(text);
    return 0;
}
