/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barrier [-D 'MACRO VALUE']... [-d DIRS] [-n MIB] [-m CONTROL] [-c] DIR FILES SIZE: one group of
 * the method batch. Writes FILES of SIZE bytes to DIRS new directories below DIR, has the barrier,
 * renames them and has the second one. Prints one line of names and values:
 *     write, barrier, names  seconds until all is written, of each barrier
 *     syncs, fssyncs, ranges system calls
 *     flushes                of the emulated disk, with -m and the control file of its server
 *     dirty                  most bytes of the files that were dirty or under writeback at a time,
 *                            with -c; needs cachestat(2), else exit status 77
 *     by                     the first barrier, as rpmFlushReport() has it
 * -n: a neighbour has that much dirty data in DIR when it begins. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <rpm/rpmflush.h>
#include <rpm/rpmstring.h>

#define CHUNK (128 * 1024)
#define CACHESTAT 451 /* its number on every architecture */

static struct {
    const char *dir, *control;
    int files, dirs, neighbour, watch;
    size_t size;
} options = { .dirs = 1 };

static char chunk[CHUNK];
static uint64_t mostDirty;

static void die(const char *what)
{
    fprintf(stderr, "barrier: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

static void set(rpmFlushPolicy *policy, char *define)
{
    char *value = strchr(define, ' ');
    char *emsg = NULL;

    if (value != NULL)
        *value++ = '\0';
    if (rpmFlushPolicyParse(policy, define, value != NULL ? value : "", &emsg)) {
        fprintf(stderr, "barrier: %s\n", emsg);
        exit(2);
    }
}

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* ---- Names ---- */

static char *dirName(int i)
{
    char *name = NULL;

    rasprintf(&name, "%s/%d", options.dir, i % options.dirs);
    return name;
}

static char *fileName(int i, const char *prefix)
{
    char *name = NULL;

    rasprintf(&name, "%s/%d/%s%d", options.dir, i % options.dirs, prefix, i);
    return name;
}

/* ---- Memory ---- */

static uint64_t uncleanOf(int i)
{
    struct {
        uint64_t cache, dirty, writeback, evicted, recentlyEvicted;
    } cs = { 0, 0, 0, 0, 0 };
    uint64_t all[2] = { 0, 0 };
    char *name = fileName(i, ".new-");
    int fd = open(name, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || syscall(CACHESTAT, fd, all, &cs, 0)) {
        if (errno == ENOSYS)
            exit(77);
        die(name);
    }
    close(fd);
    free(name);
    return (cs.dirty + cs.writeback) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Nobody writes while this looks: the sum is of one moment, or less. */
static void watch(int n)
{
    uint64_t sum = 0;

    if (!options.watch)
        return;
    for (int i = 0; i < n; i++)
        sum += uncleanOf(i);
    if (sum > mostDirty)
        mostDirty = sum;
}

/* ---- The work ---- */

static void failed(rpmFlush flush, const char *what)
{
    char *text = rpmFlushTakeError(flush);

    fprintf(stderr, "barrier: %s\n", text != NULL ? text : what);
    free(text);
    exit(EXIT_FAILURE);
}

static void writeOne(rpmFlush flush, int i)
{
    char *name = fileName(i, ".new-");
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    rpmFlushFile file;

    if (fd < 0 || rpmFlushFileNew(flush, fd, (int64_t)options.size, name, &file))
        die(name);
    for (size_t at = 0; at < options.size; at += CHUNK) {
        size_t n = options.size - at < CHUNK ? options.size - at : CHUNK;

        memcpy(chunk, &i, sizeof(i));
        if (rpmFlushFileWrite(file, chunk, n) < 0)
            failed(flush, name);
        watch(i + 1);
    }
    if (rpmFlushFileClose(file))
        failed(flush, name);
    rpmFlushFileFree(file);
    free(name);
}

static void renameOne(rpmFlush flush, int i)
{
    char *from = fileName(i, ".new-"), *to = fileName(i, ""), *dir = dirName(i);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || rename(from, to) || rpmFlushTouch(flush, fd, dir, RPMFLUSH_TOUCH_NAMES))
        die(to);
    close(fd);
    free(from);
    free(to);
    free(dir);
}

/* The directories, and what a neighbour has just written. */
static void prepare(void)
{
    int fd = open(options.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char *name = NULL;

    if (fd < 0)
        die(options.dir);
    for (int i = 0; i < options.dirs; i++) {
        name = dirName(i);
        if (mkdir(name, 0755))
            die(name);
        free(name);
    }
    syncfs(fd);
    close(fd);
    name = NULL;
    rasprintf(&name, "%s/neighbour", options.dir);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    for (int i = 0; i < options.neighbour * (1048576 / CHUNK); i++) {
        if (write(fd, chunk, CHUNK) != CHUNK)
            die(name);
    }
    close(fd);
    free(name);
}

static void tellDisk(const char *command)
{
    int fd;

    if (options.control == NULL)
        return;
    fd = open(options.control, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, command, strlen(command)) < 0)
        die(options.control);
    close(fd);
}

/* "writes N written N flushes N" */
static long diskFlushes(void)
{
    char text[256] = "";
    const char *at;
    int fd;

    if (options.control == NULL)
        return 0;
    fd = open(options.control, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
        die(options.control);
    close(fd);
    at = strstr(text, "flushes ");
    return at != NULL ? strtol(at + 8, NULL, 10) : 0;
}

static int countOf(rpmFlush flush, rpmFlushKind kind)
{
    struct rpmop_s op;

    rpmFlushGetOp(flush, kind, &op);
    return op.count;
}

static void print(rpmFlush flush, const double times[4])
{
    char *report = rpmFlushReport(flush);
    char *by = strstr(report, "): ");

    printf("write %.4f barrier %.4f names %.4f syncs %d fssyncs %d ranges %d flushes %ld "
           "dirty %ju by %s\n", times[1] - times[0], times[2] - times[1], times[3] - times[2],
           countOf(flush, RPMFLUSH_KIND_SYNC), countOf(flush, RPMFLUSH_KIND_FSSYNC),
           countOf(flush, RPMFLUSH_KIND_RANGE), diskFlushes(), (uintmax_t)mostDirty,
           by != NULL ? strtok(by + 3, "\n") : "nothing");
    free(report);
}

static void group(const rpmFlushPolicy *policy)
{
    rpmFlush flush = rpmFlushNew(policy);
    int fd = open(options.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    double times[4];

    times[0] = now();
    if (fd < 0 || rpmFlushWillWrite(flush, fd, options.dir))
        die(options.dir);
    for (int i = 0; i < options.files; i++)
        writeOne(flush, i);
    times[1] = now();
    if (rpmFlushBarrier(flush))
        failed(flush, options.dir);
    times[2] = now();
    for (int i = 0; i < options.files; i++)
        renameOne(flush, i);
    if (rpmFlushTouchedBarrier(flush))
        failed(flush, options.dir);
    times[3] = now();
    print(flush, times);
    close(fd);
    rpmFlushFree(flush);
}

static int usage(void)
{
    fprintf(stderr, "usage: barrier [-D 'MACRO VALUE']... [-d DIRS] [-n MIB] [-m CONTROL] [-c] "
            "DIR FILES SIZE\n");
    return 2;
}

int main(int argc, char **argv)
{
    rpmFlushPolicy policy;
    int c;

    rpmFlushPolicyInit(&policy);
    policy.whether = RPMFLUSH_ON;
    policy.method = RPMFLUSH_BATCH;
    while ((c = getopt(argc, argv, "D:d:n:m:c")) != -1) {
        switch (c) {
        case 'D': set(&policy, optarg); break;
        case 'd': options.dirs = atoi(optarg); break;
        case 'n': options.neighbour = atoi(optarg); break;
        case 'm': options.control = optarg; break;
        case 'c': options.watch = 1; break;
        default: return usage();
        }
    }
    if (argc - optind != 3 || options.dirs < 1)
        return usage();
    options.dir = argv[optind];
    options.files = atoi(argv[optind + 1]);
    options.size = strtoul(argv[optind + 2], NULL, 10);
    prepare();
    tellDisk("reset");
    group(&policy);
    return 0;
}
