/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hammer MODE PACKAGE WORKDIR [COUNT]: installs thousands of damaged copies of a package through
 * librpm, in a process that is replaced when it dies, and judges each:
 *   truncate   cut at every byte
 *   flip       one bit turned over, each bit of each byte (COUNT 1: one bit of each byte)
 *   random     COUNT copies with some bytes or blocks changed
 *   unchecked  the same with no digest checked, and half of them in the headers' counts, offsets
 *              and sizes
 *   control    the faults that are to be found, one a copy, COUNT copies: a wrong tree, something
 *              left, no message, a process that dies
 * In the first three an error must be one line, and leave nothing below the root; a success must
 * give the tree of the whole package. In the last, a success may give any tree. */

#include <err.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/evp.h>

#include <rpm/header.h>
#include <rpm/rpmio.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmps.h>
#include <rpm/rpmts.h>

enum { SECONDS = 20, MAX_COMPLAINTS = 10, SUM_SIZE = 32 };

/* What the dying process leaves to its parent. */
struct shared {
    size_t current, refused, same, other;
    unsigned bad;
};

struct job {
    const char *mode;
    unsigned char *data;
    size_t size, count;
    bool unchecked, control;
    char package[PATH_MAX + 16], root[PATH_MAX + 16], work[PATH_MAX];
    unsigned char wanted[SUM_SIZE];
    struct shared *shared;
};

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=0:max_allocation_size_mb=256:hard_rss_limit_mb=1024:"
           "detect_leaks=1";
}

/* -- messages ------------------------------------------------------------------------------- */

static char message[2048];
static unsigned numMessages, numLines;

static void addMessage(const char *text)
{
    numMessages++;
    for (const char *s = text; *s != '\0'; s++)
        numLines += *s == '\n';
    snprintf(message, sizeof(message), "%s", text);
}

static int onLog(rpmlogRec rec, rpmlogCallbackData data)
{
    (void)data;
    if (rpmlogRecPriority(rec) <= RPMLOG_ERR)
        addMessage(rpmlogRecMessage(rec));
    return 0;
}

static void addProblems(rpmts ts)
{
    rpmps ps = rpmtsProblems(ts);
    rpmpsi psi = rpmpsInitIterator(ps);
    rpmProblem problem;

    while ((problem = rpmpsiNext(psi)) != NULL) {
        char *text = rpmProblemString(problem);

        addMessage(text);
        numLines++;
        free(text);
    }
    rpmpsFreeIterator(psi);
    rpmpsFree(ps);
}

/* -- one installation ------------------------------------------------------------------------- */

static void *onNotify(const void *h, const rpmCallbackType what, const rpm_loff_t amount,
                      const rpm_loff_t total, fnpyKey key, rpmCallbackData data)
{
    static FD_t fd;

    (void)h, (void)amount, (void)total, (void)data;
    if (what == RPMCALLBACK_INST_OPEN_FILE)
        return fd = Fopen(key, "r.ufdio");
    if (what == RPMCALLBACK_INST_CLOSE_FILE && fd != NULL) {
        Fclose(fd);
        fd = NULL;
    }
    return NULL;
}

static rpmts newTransaction(const struct job *job)
{
    rpmts ts = rpmtsCreate();

    /* Anything else would install thousands of broken packages on this very machine. */
    if (rpmtsSetRootDir(ts, job->root) != 0 || strncmp(rpmtsRootDir(ts), job->root,
                                                       strlen(job->root)) != 0)
        errx(2, "cannot set the root to %s", job->root);
    rpmtsSetNotifyCallback(ts, onNotify, NULL);
    rpmtsSetFlags(ts, RPMTRANS_FLAG_NODB); /* a database would stay behind */
    if (job->unchecked) {
        rpmtsSetVSFlags(ts, RPMVSF_MASK_NODIGESTS | RPMVSF_MASK_NOSIGNATURES);
        rpmtsSetVfyFlags(ts, RPMVSF_MASK_NODIGESTS | RPMVSF_MASK_NOSIGNATURES);
        rpmtsSetVfyLevel(ts, 0);
    }
    return ts;
}

static bool install(const struct job *job)
{
    rpmts ts = newTransaction(job);
    FD_t fd = Fopen(job->package, "r.ufdio");
    Header h = NULL;
    rpmRC rc = rpmReadPackageFile(ts, fd, job->package, &h);
    bool done = false;

    Fclose(fd);
    if (rc == RPMRC_NOTFOUND)
        addMessage("damaged.rpm: not a package\n");
    if (h != NULL && rpmtsAddInstallElement(ts, h, job->package, 0, NULL) == 0) {
        int failed = rpmtsRun(ts, NULL, RPMPROB_FILTER_IGNOREARCH | RPMPROB_FILTER_IGNOREOS);

        done = failed == 0;
        if (failed > 0)
            addProblems(ts);
    }
    headerFree(h);
    rpmtsFree(ts);
    return done;
}

/* -- trees ---------------------------------------------------------------------------------- */

static FTS *openTree(const char *root)
{
    char *roots[] = { (char *)root, NULL };
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

    if (fts == NULL)
        err(2, "%s", root);
    return fts;
}

static unsigned emptyTree(const char *root)
{
    FTS *fts = openTree(root);
    FTSENT *ent;
    unsigned num = 0;

    while ((ent = fts_read(fts)) != NULL) {
        if (ent->fts_level == 0)
            continue;
        if (ent->fts_info == FTS_D) {
            chmod(ent->fts_path, 0700);
            continue;
        }
        num++;
        if (remove(ent->fts_path) != 0)
            err(2, "%s", ent->fts_path);
    }
    fts_close(fts);
    return num;
}

static void addFile(EVP_MD_CTX *ctx, const char *path, const struct stat *sb)
{
    char buf[65536];
    ssize_t got = 0;
    int fd = -1;

    if (S_ISLNK(sb->st_mode)) {
        got = readlink(path, buf, sizeof(buf));
        EVP_DigestUpdate(ctx, buf, got > 0 ? (size_t)got : 0);
    } else if (S_ISREG(sb->st_mode) && (fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
        while ((got = read(fd, buf, sizeof(buf))) > 0)
            EVP_DigestUpdate(ctx, buf, (size_t)got);
        close(fd);
    }
}

static int byName(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void sumTree(const char *root, unsigned char *sum)
{
    char *roots[] = { (char *)root, NULL };
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, byName);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    FTSENT *ent;

    EVP_DigestInit_ex(ctx, EVP_sha256(), NULL);
    while ((ent = fts_read(fts)) != NULL) {
        const struct stat *sb = ent->fts_statp;
        bool isDir = S_ISDIR(sb->st_mode);
        uint64_t facts[] = { sb->st_mode, sb->st_uid, sb->st_gid, sb->st_rdev,
                             isDir ? 0 : sb->st_nlink, isDir ? 0 : (uint64_t)sb->st_size,
                             isDir ? 0 : (uint64_t)sb->st_mtime };

        if (ent->fts_level == 0 || ent->fts_info == FTS_DP)
            continue;
        EVP_DigestUpdate(ctx, ent->fts_path, ent->fts_pathlen);
        EVP_DigestUpdate(ctx, facts, sizeof(facts));
        addFile(ctx, ent->fts_path, sb);
    }
    fts_close(fts);
    EVP_DigestFinal_ex(ctx, sum, NULL);
    EVP_MD_CTX_free(ctx);
}

/* -- damage --------------------------------------------------------------------------------- */

static uint64_t randomState;

static size_t randomBelow(size_t n)
{
    randomState ^= randomState << 13;
    randomState ^= randomState >> 7;
    randomState ^= randomState << 17;
    return n > 0 ? (size_t)((randomState >> 11) % n) : 0;
}

static uint32_t getBE32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void damageBytes(unsigned char *data, size_t size)
{
    static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };

    for (size_t n = 1 + randomBelow(4); n > 0; n--) {
        size_t at = randomBelow(size), len = 1 + randomBelow(8), from = randomBelow(size);

        len = len < size - at ? len : size - at;
        len = len < size - from ? len : size - from;
        switch (randomBelow(4)) {
        case 0: data[at] ^= (unsigned char)(1U << randomBelow(8)); break;
        case 1: data[at] = values[randomBelow(sizeof(values))]; break;
        case 2: data[at] = (unsigned char)randomBelow(256); break;
        default: memmove(data + at, data + from, len); break;
        }
    }
}

/* A number of a header: one of its two counts, of a field of its index, or of its data. */
static void damageHeader(unsigned char *data, size_t size)
{
    static const uint32_t values[] = { 0, 1, 2, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe,
                                       0xffffffff, 0x10000000, 0x0fffffff, 1000000 };
    size_t sig = 96, main = sig + 16 + getBE32(data + sig + 8) * 16 + getBE32(data + sig + 12);
    size_t start = randomBelow(4) == 0 ? sig : (main + 7) / 8 * 8;
    size_t numIndex = getBE32(data + start + 8), len = getBE32(data + start + 12), at;

    switch (randomBelow(8)) {
    case 0: at = start + 8 + 4 * randomBelow(2); break;
    case 1: case 2: case 3: case 4: at = start + 16 + 4 * randomBelow(numIndex * 4); break;
    default: at = start + 16 + numIndex * 16 + randomBelow(len); break;
    }
    if (at + 4 > size)
        at = size - 4;
    if (randomBelow(2)) {
        uint32_t value = values[randomBelow(sizeof(values) / sizeof(values[0]))];

        for (int i = 0; i < 4; i++)
            data[at + (size_t)i] = (unsigned char)(value >> (24 - 8 * i));
    } else {
        data[at + randomBelow(4)] += (unsigned char)(1 + randomBelow(3));
    }
}

/* Damage number i. @return the size that is left */
static size_t damage(const struct job *job, size_t i, unsigned char *data)
{
    size_t bits = job->count / job->size;

    memcpy(data, job->data, job->size);
    randomState = (i + 1) * 0x9e3779b97f4a7c15U;
    if (strcmp(job->mode, "truncate") == 0)
        return i;
    if (strcmp(job->mode, "flip") == 0)
        data[i / bits] ^= (unsigned char)(1U << (bits == 8 ? i % 8 : i * 5 % 8));
    else if (job->unchecked && i % 2 == 0)
        damageHeader(data, job->size);
    else
        damageBytes(data, job->size);
    return job->size;
}

static void writePackage(const struct job *job, const unsigned char *data, size_t size)
{
    int fd = open(job->package, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0)
        err(2, "%s", job->package);
}

/* -- judgement ------------------------------------------------------------------------------ */

static void complain(const struct job *job, size_t i, const char *what)
{
    if (job->shared->bad++ < MAX_COMPLAINTS)
        printf("%s %zu: %s: %s\n", job->mode, i, what, message);
    fflush(stdout);
}

static void judge(const struct job *job, size_t i, bool done)
{
    unsigned char sum[SUM_SIZE];

    if (!done) {
        job->shared->refused++;
        if (numMessages != 1 || numLines != 1)
            complain(job, i, numMessages == 0 ? "no message" : "more than one line");
        else if (strstr(message, "damaged.rpm") == NULL && strstr(message, "1.0-1") == NULL &&
                 !job->unchecked)
            complain(job, i, "does not name the package");
        if (emptyTree(job->root) != 0)
            complain(job, i, "left something");
        return;
    }
    sumTree(job->root, sum);
    if (memcmp(sum, job->wanted, sizeof(sum)) == 0)
        job->shared->same++;
    else if (job->unchecked)
        job->shared->other++;
    else
        complain(job, i, "installed another tree");
    emptyTree(job->root);
}

/* What install() must never do. */
static bool misbehave(const struct job *job, size_t i)
{
    char path[PATH_MAX + 32];
    int fd;

    if (i % 4 == 3)
        abort();
    if (i % 4 != 2)
        addMessage("damaged.rpm: not a package\n");
    snprintf(path, sizeof(path), "%s/stray", job->root);
    if (i % 4 < 2 && (fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) >= 0)
        close(fd);
    return i % 4 == 0;
}

static void runOne(const struct job *job, size_t i, unsigned char *data)
{
    size_t size = damage(job, i, data);

    job->shared->current = i;
    message[0] = '\0';
    numMessages = numLines = 0;
    writePackage(job, data, size);
    alarm(SECONDS);
    judge(job, i, job->control ? misbehave(job, i) : install(job));
    alarm(0);
}

/* Runs from first on. @return the number of the run that killed the process, or count */
static size_t runSome(const struct job *job, size_t first)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        unsigned char *data = malloc(job->size);
        /* Address space says nothing under ASan, which has its own limits. */
        struct rlimit core = { 0, 0 }, files = { 1U << 28, 1U << 28 };

        setrlimit(RLIMIT_CORE, &core);
        setrlimit(RLIMIT_FSIZE, &files);
        for (size_t i = first; i < job->count; i++)
            runOne(job, i, data);
        free(data);
        job->shared->current = job->count;
        exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        err(2, "fork");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return job->count;
    complain(job, job->shared->current,
             WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "took too long" :
             job->shared->current == job->count ? "leaked" : "died");
    return job->shared->current;
}

static void readPackage(struct job *job, const char *path)
{
    FILE *f = fopen(path, "re");
    long size;

    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) <= 0)
        err(2, "%s", path);
    rewind(f);
    job->size = (size_t)size;
    job->data = malloc(job->size);
    if (job->data == NULL || fread(job->data, 1, job->size, f) != job->size)
        err(2, "%s", path);
    fclose(f);
}

static void prepare(struct job *job, char **argv, size_t count)
{
    job->mode = argv[1];
    readPackage(job, argv[2]);
    if (realpath(argv[3], job->work) == NULL)
        err(2, "%s", argv[3]);
    snprintf(job->root, sizeof(job->root), "%s/root", job->work);
    snprintf(job->package, sizeof(job->package), "%s/damaged.rpm", job->work);
    mkdir(job->root, 0755);
    job->shared = mmap(NULL, sizeof(*job->shared), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (job->shared == MAP_FAILED)
        err(2, "mmap");
    job->unchecked = strcmp(job->mode, "unchecked") == 0;
    job->control = strcmp(job->mode, "control") == 0;
    job->count = strcmp(job->mode, "truncate") == 0 ? job->size :
                 strcmp(job->mode, "flip") == 0 ? job->size * (count == 1 ? 1 : 8) : count;
}

int main(int argc, char **argv)
{
    struct job job = { 0 };

    if (argc < 4)
        errx(2, "usage: hammer truncate|flip|random|unchecked|control PACKAGE WORKDIR [COUNT]");
    prepare(&job, argv, argc > 4 ? strtoul(argv[4], NULL, 10) : 1000);
    rpmlogSetCallback(onLog, NULL);
    if (rpmReadConfigFiles(NULL, NULL) != 0)
        errx(2, "no configuration");
    writePackage(&job, job.data, job.size);
    if (!install(&job))
        errx(2, "the whole package does not install: %s", message);
    sumTree(job.root, job.wanted);
    if (emptyTree(job.root) == 0)
        errx(2, "the whole package installs nothing");

    for (size_t i = 0; i < job.count && job.shared->bad < MAX_COMPLAINTS;)
        i = runSome(&job, i) + 1;
    printf("%s: %zu refused, %zu the same, %zu other trees, %u bad\n", job.mode,
           job.shared->refused, job.shared->same, job.shared->other, job.shared->bad);
    free(job.data);
    return job.shared->bad != 0;
}
