/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMIO_INTERNAL_H
#define RPMIO_INTERNAL_H

/* How an FD_t is made: a stack of layers over one descriptor.
 *
 * Fread() and its kin call the top layer through layerRead() and its kin; a layer calls the one
 * below in the same way. So each layer counts its own operations, and a failure is noted by the
 * layer where it happened. */

#include <rpm/rpmio.h>

typedef struct FDSTACK_s *FDSTACK_t;

/* A parsed mode string. */
struct fdMode {
    int flags;    /* for open(2) */
    int level;    /* compression level, -1 for the default */
    int strategy; /* zlib's */
    int debug;    /* '?' was given */
    FDIO_t io;    /* kind of layer; NULL if none was named */
};

/* One kind of layer. Each function returns -1 with errno set on failure; those that are NULL are
 * operations which the layer does not have. */
struct FDIO_s {
    const char *ioname; /* in mode strings */
    const char *name;   /* short form of it; NULL for none */
    const char *label;  /* for statistics */
    /* Set up a layer that stands on another one; NULL for a plain descriptor. */
    int (*open)(FDSTACK_t fps, const struct fdMode *mode);
    ssize_t (*read)(FDSTACK_t fps, void *buf, size_t count); /* 0: end of data */
    ssize_t (*write)(FDSTACK_t fps, const void *buf, size_t count); /* all of it, or fails */
    int (*seek)(FDSTACK_t fps, off_t pos, int whence);
    off_t (*tell)(FDSTACK_t fps);
    int (*flush)(FDSTACK_t fps);
    int (*close)(FDSTACK_t fps); /* frees what the layer holds, also when it fails */
};

/* One layer of a handle. */
struct FDSTACK_s {
    FDIO_t io;
    void *state; /* the layer's own (a plain one's write policy); NULL once closed */
    int fdno;    /* descriptor of a plain layer, -1 once closed and in other layers */
    int closed;
    int syserrno;  /* errno of the first failure, 0 for none */
    char *errtext; /* the layer's own words for it; NULL for those of errno */
    struct rpmop_s ops[FDSTAT_MAX];
    FDSTACK_t below;
};

struct _FD_s {
    int nrefs;
    int debug;
    FDSTACK_t fps; /* top layer, never NULL */
    char *descr;
    rpmDigestBundle digests;
};

/* Kinds of layers. */
extern const struct FDIO_s fdIO;
extern const struct FDIO_s ufdIO;
extern const struct FDIO_s gzIO;
extern const struct FDIO_s xzIO;
extern const struct FDIO_s lzIO;
extern const struct FDIO_s bzIO;
extern const struct FDIO_s zstdIO;

/* rpmio_mode.c: parse a mode string. -1 with errno EINVAL if it is not understood, ENOTSUP for
 * writing with a layer that only reads. */
int fdParseMode(const char *fmode, struct fdMode *mode);

/* rpmio_fd.c: a handle of one plain layer, which takes the descriptor over. */
FD_t fdNew(int fdno, const char *descr);

/* rpmio_flush.c: close a plain layer that is under a write policy, and keep what it counted. */
int fdCloseFlushed(FDSTACK_t fps);
/* rpmio_flush.c: statistics of the write policy, of the plain layer. */
rpmop fdFlushOp(FD_t fd, fdOpX opx);

/* rpmio_stack.c: calls on a layer, with statistics and error keeping. -2 for what it lacks. */
ssize_t layerRead(FDSTACK_t fps, void *buf, size_t count);
ssize_t layerWrite(FDSTACK_t fps, const void *buf, size_t count);
int layerSeek(FDSTACK_t fps, off_t pos, int whence);
off_t layerTell(FDSTACK_t fps);
int layerFlush(FDSTACK_t fps);
int layerClose(FDSTACK_t fps);

/* rpmio_stack.c: note a failure that is the layer's own, in its own words (copied). Sets errno.
 * Returns -1. */
int layerFail(FDSTACK_t fps, int err, const char *text);

/* rpmio_stack.c: put a layer on top; -1 and errno set if it cannot be set up. */
int fdPush(FD_t fd, FDIO_t io, const struct fdMode *mode);

/* rpmio_stack.c: free all layers; those still open are closed and their errors lost. */
void fdFreeStack(FD_t fd);

/* rpmio_stat.c: if debugging output is asked for, print what happens to a handle, or its statistics. */
void fdTrace(FD_t fd, const char *what);
void fdPrintStats(FD_t fd);

/* rpmio_digest.c: add data to the handle's digests, if there are any. */
void fdUpdateDigests(FD_t fd, const void *buf, size_t len);

#endif /* RPMIO_INTERNAL_H */
