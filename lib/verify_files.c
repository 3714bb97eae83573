/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparing many files, in batches, several of them at once: the caller's thread finds directories,
 * those of a pool look at what is in them. Results come in order. */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rpm/rpmutil.h>

#include "verify_internal.h"

/* A batch is small beside what a package has, and large beside what it costs to hand it over. */
enum { BATCH_FILES = 16, BATCH_BYTES = 256 * 1024, BATCHES = 16 };
/* Descriptors that directories leave to the files in them, and to whatever else. */
enum { SPARE_DESCRIPTORS = 64 };

struct batch {
    struct rpmVerifyFile_s files[BATCH_FILES];
    int n;
    rpm_loff_t bytes;
    const rpmFileDigestOptions *options;
};

/* A ring of batches: `done` is the first that was not told of, `begun` is being filled. */
struct window {
    rpmVerifier verifier;
    rpmFileDigestOptions options; /* for files of which many are read at once */
    struct batch batches[BATCHES];
    unsigned int begun, done;
    rlim_t descriptors; /* those below are for directories */
    rpmVerifierTell tell;
    void *data;
};

static struct batch *batchAt(struct window *w, unsigned int number)
{
    return &w->batches[number % BATCHES];
}

/* In a worker. Files that have to be read from the disk are asked for first, and then waited for:
 * it has many of them to read at a time. */
static int lookAtBatch(void *data)
{
    struct batch *batch = data;

    for (int i = 0; i < batch->n; i++) {
        batch->files[i].mayComeBack = true;
        rpmVerifyFileLook(&batch->files[i], batch->options);
    }
    for (int i = 0; i < batch->n; i++) {
        batch->files[i].mayComeBack = false;
        rpmVerifyFileLook(&batch->files[i], batch->options);
    }
    return 0;
}

static void giveBatch(struct window *w)
{
    rpmVerifier verifier = w->verifier;
    struct batch *batch = batchAt(w, w->begun++);
    rpmFileDigestJob job = { .work = lookAtBatch, .data = batch };

    if (verifier->pool == NULL)
        verifier->pool = rpmFileDigestPoolNew(&verifier->options);
    batch->options = &w->options;
    rpmFileDigestPoolAdd(verifier->pool, &job);
}

/* The directory of neighbours in a batch is one descriptor, the first one's. */
static bool sharesDirectory(const struct batch *batch, int i)
{
    return i > 0 && batch->files[i].dirfd == batch->files[i - 1].dirfd;
}

static void endBatch(struct window *w, struct batch *batch)
{
    for (int i = 0; i < batch->n; i++) {
        struct rpmVerifyFile_s *file = &batch->files[i];

        rpmVerifyFileEnd(file, w->verifier);
        w->tell(w->data, file->ix, file->path, file->bad, file->error);
        rfree(file->path);
    }
    for (int i = 0; i < batch->n; i++) {
        if (batch->files[i].dirfd >= 0 && !sharesDirectory(batch, i))
            close(batch->files[i].dirfd);
    }
    batch->n = 0;
    batch->bytes = 0;
}

/* Tell of batches, until so many that are in the pool are left. */
static void tellUntil(struct window *w, unsigned int left)
{
    rpmFileDigestResult res;

    for (; w->begun - w->done > left; w->done++) {
        rpmFileDigestPoolNext(w->verifier->pool, &res, NULL);
        rpmFileDigestResultFini(&res);
        endBatch(w, batchAt(w, w->done));
    }
}

/* The last batch; what is alone needs no pool, and may have all threads for itself. */
static void finish(struct window *w)
{
    struct batch *batch = batchAt(w, w->begun);

    if (w->begun == w->done) {
        batch->options = &w->verifier->options;
        lookAtBatch(batch);
        endBatch(w, batch);
    } else {
        giveBatch(w);
        tellUntil(w, 0);
    }
}

static bool inSameDirectory(const struct rpmVerifyFile_s *a, const struct rpmVerifyFile_s *b)
{
    size_t length = (size_t)(a->name - a->path);

    return a->dirfd >= 0 && length == (size_t)(b->name - b->path) &&
           memcmp(a->path, b->path, length) == 0;
}

/* Have a directory of one's own, which the root may close: -1 if descriptors are short. */
static int keepDirectory(struct window *w, struct batch *batch)
{
    struct rpmVerifyFile_s *file = &batch->files[batch->n];
    int fd;

    if (file->dirfd < 0)
        return file->error == EMFILE || file->error == ENFILE ? -1 : 0;
    if (batch->n > 0 && inSameDirectory(file - 1, file)) {
        file->dirfd = file[-1].dirfd;
        return 0;
    }
    fd = fcntl(file->dirfd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 && (rlim_t)fd >= w->descriptors) {
        close(fd);
        fd = -1;
    }
    file->dirfd = fd;
    return fd < 0 ? -1 : 0;
}

static void addFile(struct window *w, rpmfiles files, int ix, char *path, rpmVerifyAttrs omit)
{
    struct batch *batch = batchAt(w, w->begun);
    struct rpmVerifyFile_s *file = &batch->files[batch->n];

    rpmVerifyFileBegin(file, w->verifier, files, ix, path, omit);
    if (keepDirectory(w, batch) != 0) {
        path = file->path;
        finish(w);
        batch = batchAt(w, w->begun);
        file = batch->files;
        rpmVerifyFileBegin(file, w->verifier, files, ix, path, omit);
        rpmVerifyFileLook(file, &w->verifier->options);
        rpmVerifyFileEnd(file, w->verifier);
        file->dirfd = -1;
    }
    batch->n++;
    batch->bytes += rpmfilesFSize(files, ix);
}

/* By halves: each wait for the first batch costs a switch. */
static void giveIfFull(struct window *w)
{
    const struct batch *batch = batchAt(w, w->begun);

    if (batch->n < BATCH_FILES && batch->bytes < BATCH_BYTES)
        return;
    giveBatch(w);
    if (w->begun - w->done == BATCHES - 1)
        tellUntil(w, BATCHES / 2);
}

static struct window *newWindow(rpmVerifier verifier, rpmVerifierTell tell, void *data)
{
    struct window *w = rcalloc(1, sizeof(*w));
    struct rlimit limit = { .rlim_cur = SPARE_DESCRIPTORS };

    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur > SPARE_DESCRIPTORS)
        w->descriptors = limit.rlim_cur - SPARE_DESCRIPTORS;
    w->verifier = verifier;
    w->options = verifier->options;
    w->options.threads = 1;
    w->tell = tell;
    w->data = data;
    return w;
}

void rpmVerifierFiles(rpmVerifier verifier, rpmfiles files, rpmVerifierNext next,
                      rpmVerifyAttrs omit, rpmVerifierTell tell, void *data)
{
    struct window *w = newWindow(verifier, tell, data);
    char *path = NULL;
    int ix;

    /* Scriptlets may have changed what there is since the last call. */
    rpmRootForget(verifier->root);
    while ((ix = next(data, &path)) >= 0) {
        addFile(w, files, ix, path, omit);
        path = NULL;
        giveIfFull(w);
    }
    finish(w);
    rfree(w);
}
