/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A reader thread and the ring of buffers between it and its consumer. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "ring.h"

struct rpmRing_s {
    FD_t fd;               /* the thread's until it is joined, if there is one */
    struct rpmop_s op;     /* likewise */
    pthread_t thread;
    int alone;             /* there is none: the consumer reads */
    int running;           /* started and not joined; the consumer's */
    size_t pos;            /* consumed bytes of the slot at tail; the consumer's */
    size_t avail;          /* bytes of that slot; 0: not looked at yet; the consumer's */

    pthread_mutex_t lock;  /* guards what follows */
    pthread_cond_t filled;
    pthread_cond_t freed;
    size_t fill[RPMRING_SLOTS];
    unsigned head;         /* slots filled since the start */
    unsigned tail;         /* slots given back since the start */
    int done;              /* the thread will fill no more */
    int stop;              /* the consumer wants no more */
    char *error;

    unsigned char data[RPMRING_SLOTS][RPMRING_SLOTSIZE];
};

/* Wait for a free slot. Returns NULL when the consumer has stopped. */
static unsigned char *waitFree(rpmRing r)
{
    unsigned char *slot = NULL;

    pthread_mutex_lock(&r->lock);
    while (!r->stop && r->head - r->tail == RPMRING_SLOTS)
        pthread_cond_wait(&r->freed, &r->lock);
    if (!r->stop)
        slot = r->data[r->head % RPMRING_SLOTS];
    pthread_mutex_unlock(&r->lock);
    return slot;
}

static void publish(rpmRing r, size_t n)
{
    pthread_mutex_lock(&r->lock);
    r->fill[r->head % RPMRING_SLOTS] = n;
    r->head++;
    pthread_cond_signal(&r->filled);
    pthread_mutex_unlock(&r->lock);
}

static void finish(rpmRing r, char *error)
{
    pthread_mutex_lock(&r->lock);
    r->error = error;
    r->done = 1;
    pthread_cond_signal(&r->filled);
    pthread_mutex_unlock(&r->lock);
}

static char *readError(FD_t fd, int error)
{
    const char *text = Ferror(fd) ? Fstrerror(fd) : "";

    return rstrdup(*text != '\0' ? text : strerror(error));
}

/* Fill one slot. Returns 0 when that was the last, or none. */
static int fillSlot(rpmRing r, unsigned char *slot)
{
    ssize_t n;

    rpmswEnter(&r->op, 0);
    n = Fread(slot, 1, RPMRING_SLOTSIZE, r->fd);
    rpmswExit(&r->op, n);
    if (n > 0)
        publish(r, (size_t)n);
    else
        finish(r, n < 0 ? readError(r->fd, errno) : NULL);
    return n > 0;
}

static void *readAhead(void *arg)
{
    rpmRing r = arg;
    unsigned char *slot;

    while ((slot = waitFree(r)) != NULL && fillSlot(r, slot))
        ;
    return NULL;
}

/* A handler that runs in this thread would run at a place that its program knows nothing of.
 * SIGBUS stays: it is this thread's own, from a file cut short under a map. */
static int startThread(rpmRing r)
{
    sigset_t block, old;
    int rc;

    sigfillset(&block);
    sigdelset(&block, SIGBUS);
    pthread_sigmask(SIG_BLOCK, &block, &old);
    rc = pthread_create(&r->thread, NULL, readAhead, r);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}

rpmRing rpmRingNew(FD_t fd, uint64_t expected, char **emsg)
{
    /* Not rcalloc: the buffers are touched only as they are used. */
    rpmRing r = rmalloc(sizeof(*r));
    int rc = 0;

    memset(r, 0, offsetof(struct rpmRing_s, data));
    r->fd = fd;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->filled, NULL);
    pthread_cond_init(&r->freed, NULL);
    r->alone = expected > 0 && expected <= RPMRING_SLOTSIZE;
    if (!r->alone)
        rc = startThread(r);
    if (rc != 0) {
        rasprintf(emsg, "cannot start the decompression thread: %s", strerror(rc));
        return rpmRingFree(r);
    }
    r->running = !r->alone;
    return r;
}

/* Wait until the slot at the tail is filled. Returns 1, or 0 at the end and -1 on an error. */
static int waitFilled(rpmRing r)
{
    int rc = 1;

    if (r->alone && !r->done)
        fillSlot(r, r->data[r->head % RPMRING_SLOTS]);
    pthread_mutex_lock(&r->lock);
    while (r->head == r->tail && !r->done)
        pthread_cond_wait(&r->filled, &r->lock);
    if (r->head == r->tail)
        rc = (r->error != NULL) ? -1 : 0;
    else
        r->avail = r->fill[r->tail % RPMRING_SLOTS];
    pthread_mutex_unlock(&r->lock);
    return rc;
}

ssize_t rpmRingPeek(rpmRing r, const unsigned char **data)
{
    if (r->avail == 0) {
        int rc = waitFilled(r);

        if (rc <= 0)
            return rc;
    }
    *data = r->data[r->tail % RPMRING_SLOTS] + r->pos;
    return (ssize_t)(r->avail - r->pos);
}

void rpmRingSkip(rpmRing r, size_t n)
{
    r->pos += n;
    if (r->avail == 0 || r->pos < r->avail)
        return;
    r->pos = 0;
    r->avail = 0;
    pthread_mutex_lock(&r->lock);
    r->tail++;
    pthread_cond_signal(&r->freed);
    pthread_mutex_unlock(&r->lock);
}

ssize_t rpmRingRead(rpmRing r, void *buf, size_t n)
{
    const unsigned char *data;
    size_t done = 0;

    while (done < n) {
        ssize_t avail = rpmRingPeek(r, &data);
        size_t take;

        if (avail < 0)
            return -1;
        if (avail == 0)
            break;
        take = (size_t)avail < n - done ? (size_t)avail : n - done;
        if (buf != NULL)
            memcpy((char *)buf + done, data, take);
        rpmRingSkip(r, take);
        done += take;
    }
    return (ssize_t)done;
}

const char *rpmRingError(rpmRing r)
{
    const char *error;

    pthread_mutex_lock(&r->lock);
    error = r->error;
    pthread_mutex_unlock(&r->lock);
    return error != NULL ? error : "";
}

void rpmRingStop(rpmRing r)
{
    if (!r->running)
        return;
    pthread_mutex_lock(&r->lock);
    r->stop = 1;
    pthread_cond_signal(&r->freed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    r->running = 0;
}

rpmop rpmRingOp(rpmRing r)
{
    return &r->op;
}

rpmRing rpmRingFree(rpmRing r)
{
    if (r == NULL)
        return NULL;
    rpmRingStop(r);
    Fclose(r->fd);
    pthread_cond_destroy(&r->freed);
    pthread_cond_destroy(&r->filled);
    pthread_mutex_destroy(&r->lock);
    rfree(r->error);
    return rfree(r);
}
