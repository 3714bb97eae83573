/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* digest [-3] [-c] [-n RUNS] [-p MSECS] [-r REPEAT] [-t THREADS] FILE PEER...
 *
 * How long one SHA-256 of a file takes, by each peer in turn, RUNS times over; a line for each:
 *     PEER SECONDS BYTES-PER-SECOND CPU-SECONDS
 * with the medians, and one with the peak of resident memory in KiB. -3: ours take MD5 and
 * SHA-1, too; -c: from a cold cache; -p: a pause before each run (a real-time process that runs for
 * 0.95 s is stopped for the rest of the second); -r: a run is that many digests (for small
 * files); -t: threads of ours.
 *
 *     memory     OpenSSL on bytes that are in memory: what cannot be beaten
 *     read2k     the loop of librepo: read() of 2,048 bytes
 *     fread2k    the loop of createrepo_c: fread() of 2,048 bytes
 *     read map auto   ours
 *     populate   the preparing alone of ours: maps made ready and unmapped, nothing hashed
 *     disk       large reads, nothing hashed
 *     sha256sum openssl rpm   those commands; rpm is `rpm -K --nosignature`
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmfiledigest.h>

#define MEMORY (16u << 20)
#define TOUCH_MIN ((size_t)1 << 30)
#define RUNS_MAX 101

static int cold, runs = 5, repeat = 1, threads, nalgos = 1, pauseMsecs;
static const char *path;
static off_t fileSize;

static void die(const char *what)
{
    fprintf(stderr, "digest: %s: %s: %s\n", path ? path : "", what, strerror(errno));
    exit(1);
}

static int openFile(void)
{
    int fdno = open(path, O_RDONLY | O_CLOEXEC);

    if (fdno < 0)
        die("open");
    return fdno;
}

static void update(DIGEST_CTX ctx, const void *buf, size_t n)
{
    if (rpmDigestUpdate(ctx, buf, n))
        die("digest");
}

static void finish(DIGEST_CTX ctx)
{
    void *hex = NULL;

    if (rpmDigestFinal(ctx, &hex, NULL, 1))
        die("digest");
    free(hex);
}

/* ---- Peers ---- */

static void runMemory(void)
{
    static unsigned char *memory;
    DIGEST_CTX ctx = rpmDigestInit(RPM_HASH_SHA256, 0);

    if (memory == NULL) {
        memory = malloc(MEMORY);
        for (size_t i = 0; i < MEMORY; i++)
            memory[i] = (unsigned char)(i * 31 + i / 4093);
    }
    for (off_t left = fileSize; left > 0; left -= MEMORY)
        update(ctx, memory, left < MEMORY ? (size_t)left : MEMORY);
    finish(ctx);
}

static void readAll(size_t size, int hashed)
{
    DIGEST_CTX ctx = rpmDigestInit(RPM_HASH_SHA256, 0);
    unsigned char *buf = malloc(size);
    int fdno = openFile();
    ssize_t n;

    while ((n = read(fdno, buf, size)) > 0) {
        if (hashed)
            update(ctx, buf, (size_t)n);
    }
    if (n < 0)
        die("read");
    finish(ctx);
    close(fdno);
    free(buf);
}

static void runRead2k(void)
{
    readAll(2048, 1);
}

static void runDisk(void)
{
    readAll(1 << 20, 0);
}

static void runFread2k(void)
{
    DIGEST_CTX ctx = rpmDigestInit(RPM_HASH_SHA256, 0);
    unsigned char buf[2048];
    FILE *fp = fopen(path, "rb");
    size_t n;

    if (fp == NULL)
        die("fopen");
    while ((n = fread(buf, 1, sizeof(buf), fp)) > 0)
        update(ctx, buf, n);
    finish(ctx);
    fclose(fp);
}

static void runOurs(rpmFileDigestMethod method)
{
    static const int algos[] = { RPM_HASH_SHA256, RPM_HASH_MD5, RPM_HASH_SHA1 };
    rpmFileDigestOptions opts;
    rpmFileDigestResult res;

    rpmFileDigestOptionsInit(&opts);
    opts.method = method;
    opts.threads = threads;
    if (rpmFileDigestPath(path, algos, nalgos, &opts, &res)) {
        fprintf(stderr, "digest: %s\n", res.msg);
        exit(1);
    }
    rpmFileDigestResultFini(&res);
}

static void runOurRead(void)
{
    runOurs(RPMFILEDIGEST_READ);
}

static void runOurMap(void)
{
    runOurs(RPMFILEDIGEST_MAP);
}

static void runOurAuto(void)
{
    runOurs(RPMFILEDIGEST_AUTO);
}

static int noHash(void *data, const void *buf, size_t len)
{
    (void)data;
    (void)buf;
    (void)len;
    return 0;
}

static void runPopulate(void)
{
    rpmFileDigestSink sink = { noHash, NULL };
    rpmFileDigestOptions opts;
    rpmFileDigestResult res;
    int fdno = openFile();

    rpmFileDigestOptionsInit(&opts);
    opts.method = RPMFILEDIGEST_MAP;
    opts.threads = 1;
    if (rpmFileDigestFeed(fdno, path, 0, RPMFILEDIGEST_REST, &sink, 1, &opts, &res))
        exit(1);
    close(fdno);
}

static void runCommand(const char *const *argv)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);

        dup2(null, 1);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
        die(argv[0]);
}

static void runSha256sum(void)
{
    runCommand((const char *const[]){ "sha256sum", path, NULL });
}

static void runOpenssl(void)
{
    runCommand((const char *const[]){ "openssl", "dgst", "-sha256", path, NULL });
}

static void runRpm(void)
{
    runCommand((const char *const[]){ "rpm", "-K", "--nosignature", path, NULL });
}

static const struct peer {
    const char *name;
    void (*run)(void);
} peers[] = {
    { "memory", runMemory },       { "read2k", runRead2k },   { "fread2k", runFread2k },
    { "read", runOurRead },        { "map", runOurMap },      { "auto", runOurAuto },
    { "populate", runPopulate },   { "disk", runDisk },       { "sha256sum", runSha256sum },
    { "openssl", runOpenssl },     { "rpm", runRpm },
};
#define NPEERS (sizeof(peers) / sizeof(peers[0]))

/* ---- Measuring ---- */

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double cpuOf(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double cpu(void)
{
    return cpuOf(RUSAGE_SELF) + cpuOf(RUSAGE_CHILDREN);
}

/* Memory that is free for two seconds may go back to the hypervisor (free page reporting of
 * virtio_balloon). To get it again costs 2.4 s for a GiB here, four times what the disk takes to fill
 * it: who reads first would pay for all. So as much as the page cache will take is touched before,
 * in large pages. */
static void touchFree(void)
{
    size_t len = 2 * (size_t)fileSize + TOUCH_MIN;
    unsigned char *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED)
        die("mmap");
    madvise(map, len, MADV_HUGEPAGE);
    for (size_t i = 0; i < len; i += 4096)
        map[i] = 1;
    munmap(map, len);
}

static void emptyCache(void)
{
    int fdno = openFile();

    if (fsync(fdno) || posix_fadvise(fdno, 0, 0, POSIX_FADV_DONTNEED))
        die("fadvise");
    close(fdno);
    touchFree();
}

static void measure(const struct peer *peer, double *seconds, double *cpuSeconds)
{
    double start, startCpu;

    usleep((useconds_t)pauseMsecs * 1000);
    if (cold)
        emptyCache();
    start = now();
    startCpu = cpu();
    for (int i = 0; i < repeat; i++)
        peer->run();
    *seconds = (now() - start) / repeat;
    *cpuSeconds = (cpu() - startCpu) / repeat;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, (size_t)runs, sizeof(*values), compare);
    return runs % 2 ? values[runs / 2] : (values[runs / 2 - 1] + values[runs / 2]) / 2;
}

static const struct peer *findPeer(const char *name)
{
    for (size_t i = 0; i < NPEERS; i++) {
        if (strcmp(peers[i].name, name) == 0)
            return &peers[i];
    }
    fprintf(stderr, "digest: unknown peer %s\n", name);
    exit(2);
}

static void measureAll(int n, char **names)
{
    const struct peer *chosen[NPEERS];
    static double seconds[NPEERS][RUNS_MAX], cpus[NPEERS][RUNS_MAX];
    struct rusage peak;

    for (int i = 0; i < n; i++) {
        chosen[i] = findPeer(names[i]);
        if (!cold)
            chosen[i]->run(); /* to warm up */
    }
    for (int r = 0; r < runs; r++) {
        for (int i = 0; i < n; i++)
            measure(chosen[i], &seconds[i][r], &cpus[i][r]);
    }
    for (int i = 0; i < n; i++) {
        double s = median(seconds[i]);

        printf("%s %.9f %.0f %.9f\n", names[i], s, (double)fileSize / s, median(cpus[i]));
    }
    getrusage(RUSAGE_SELF, &peak);
    printf("peak %ld\n", peak.ru_maxrss);
}

static int usage(void)
{
    fprintf(stderr, "usage: digest [-3] [-c] [-n RUNS] [-p MSECS] [-r REPEAT] [-t THREADS] FILE PEER...\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct stat sb;
    int option;

    while ((option = getopt(argc, argv, "3cn:p:r:t:")) != -1) {
        switch (option) {
        case '3': nalgos = 3; break;
        case 'c': cold = 1; break;
        case 'n': runs = atoi(optarg); break;
        case 'p': pauseMsecs = atoi(optarg); break;
        case 'r': repeat = atoi(optarg); break;
        case 't': threads = atoi(optarg); break;
        default: return usage();
        }
    }
    if (argc - optind < 2 || argc - optind > (int)NPEERS + 1 || runs < 1 || runs > RUNS_MAX ||
        repeat < 1)
        return usage();
    path = argv[optind];
    if (stat(path, &sb))
        die("stat");
    fileSize = sb.st_size;
    measureAll(argc - optind - 1, argv + optind + 1);
    return 0;
}
