/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PRELOAD_INTERNAL_H
#define PRELOAD_INTERNAL_H

/* What the files of the shim share. Nothing of it is visible outside.
 *
 * preload_real.c    the C library's functions below the shim
 * preload_stock.c   the functions of the process's own librpm, librpmio, libcreaterepo_c, librepo
 * preload_module.c  what the module needs of them
 * preload_env.c     LD_PRELOAD and what is said under RPMIO_POLICY_DEBUG
 * preload_name.c    names: temporary ones, and which directory and path they are in
 * preload_file.c    the files being written: one object of the module each
 * preload_run.c     a transaction of a thread: its packages, their barriers, its end
 * preload_step.c    what each call of it means
 * preload_libc.c    the C library's names, defined: they tell preload_step.c and go on
 * preload_rpm.c     librpm's names, defined: where transactions and packages begin and end
 * preload_digest.c  names that make digests of files, defined
 *
 * State belongs to the thread that runs a transaction: no lock is needed, and a child of fork() has
 * none of it. Where no transaction runs, a defined name costs the look at one variable.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <rpm/rpmflush.h>

#pragma GCC visibility push(hidden)

/* ---- preload_stock.c ---- */

/* The function that NAME would be without the shim. CALLER is an address in the code that calls
 * it: a library that was opened for one other alone is found through that. NULL if there is none.
 * What is found stays loaded. */
void *shimStock(const char *name, void *caller);

/* Whether the process has a librpmio, by which macros are read and messages said. */
bool shimStockHere(void);

/* Define NAME_ as a pointer to the function that is stock's, looked up once. */
#define SHIM_STOCK(type, name, params)                                          \
    static type(*_Atomic name##Known) params;                                   \
    type(*name##_) params = name##Known;                                        \
                                                                                \
    if (name##_ == NULL)                                                        \
        name##Known = name##_ = (type(*) params)shimStock(#name, __builtin_return_address(0))

/* ---- preload_env.c ---- */

/* Note which entry of LD_PRELOAD is the shim's own: by the constructor. */
void shimEnvStart(void);
/* From hide to show, the environment has no such entry: scripts inherit it. Calls nest. */
void shimEnvHide(void);
void shimEnvShow(void);
/* Say a line on stderr if RPMIO_POLICY_DEBUG is set. */
bool shimDebug(void);
void shimSay(const char *fmt, ...) __attribute__((__format__(__printf__, 1, 2)));

/* ---- preload_name.c ---- */

/* Whether a path ends as rpm's temporary names do: ";" and eight hexadecimal digits. */
bool shimTempName(const char *path);
/* Whether it ends as the names do to which rpm moves what it is about to remove. */
bool shimMovedAway(const char *path);

/* Where a name is. */
struct shimPlace {
    int dirfd;        /* of the directory, perhaps of O_PATH; -1 if it cannot be opened */
    int own;          /* to be closed by shimPlaceEnd() */
    const char *base; /* within path */
};
void shimPlaceFind(struct shimPlace *place, int dirfd, const char *path);
void shimPlaceEnd(struct shimPlace *place);

/* The paths of directories, by their descriptors; the last one is kept. procfd: /proc/self/fd,
 * opened while it could be, or -1. */
struct shimPaths {
    int procfd;
    dev_t dev;
    ino_t ino;
    char *path;
};
void shimPathsStart(struct shimPaths *paths);
void shimPathsEnd(struct shimPaths *paths);
/* Path of a directory as seen from the process's root; "." if it cannot be known. *news is set to
 * whether it is another one than the last time. */
const char *shimPathsOf(struct shimPaths *paths, int dirfd, bool *news);

/* ---- preload_file.c ---- */

struct shimFile {
    struct shimFile *next;
    int fdno;          /* as it was opened */
    int copy;          /* the duplicate that is written through, or -1 */
    int64_t size;      /* as the header has it, or -1 */
    char *label;
    rpmFlushFile file; /* from the first write on */
};
struct shimFile *shimFileAdd(struct shimFile **list, int fdno, char *label);
struct shimFile *shimFileFind(struct shimFile *list, int fdno);
ssize_t shimFileWrite(rpmFlush flush, struct shimFile *file, const void *buf, size_t n);
/* Close what was opened, as the policy says; the file is no more. */
int shimFileClose(rpmFlush flush, struct shimFile **list, struct shimFile *file);
/* Forget it: its number was closed, or given to something else. */
void shimFileDrop(struct shimFile **list, struct shimFile *file);

/* ---- preload_run.c: a transaction ---- */

/* What part of a package's work is under way. */
enum shimStage {
    SHIM_IDLE,      /* nothing since the last package */
    SHIM_UNPACKING, /* something has a temporary name that is not durable yet */
    SHIM_NAMING,    /* what has a temporary name is durable; names are being changed */
    SHIM_FAILED     /* the barrier failed: no name may change any more, but temporary ones go */
};

struct shimRun {
    pid_t pid;    /* of whom it is: a child of vfork() has this memory, not these files */
    rpmFlush flush;
    bool batch;
    bool implied; /* not begun by rpmtsRun(), but by a temporary name */
    bool rooted;  /* in a root of its own, which stock's sync at the end is not of */
    bool scripts; /* some have been run */
    bool wrote;   /* there is something to be synced at the end */
    bool ended;   /* that was done */
    int endError; /* its errno */
    int touchError; /* of what could not be told to the module */
    enum shimStage stage;
    bool inHand;             /* between the beginning and the end of a package's files */
    bool bracketed;          /* these can be seen */
    struct shimFile *files;
    struct shimFile *sizing; /* the file of which the size is asked next */
    struct shimMade *made;   /* directories made for this package */
    struct shimPaths paths;
    dev_t *devs;             /* of the filesystems written to */
    int ndevs;
};

/* The transaction of this thread, if its policy is for anything. */
extern _Thread_local struct shimRun *shimRun;

/* Whether the policy last read is that the caller owns durability: then the process makes no sync
 * call any more, for its databases neither, which it closes after the transaction. */
extern _Atomic bool shimNone;

/* For the constructor. */
void shimRunStart(void);

/* rpmtsRun() begins: 0, or -1 if the policy is wrong, which has been said. */
int shimRunBegin(void);
/* It has come to its end with this result; returns what it should return. */
int shimRunEnd(int rc);

/* A temporary name was met without rpmtsRun(): it begins here. 0, or -1 with errno. */
int shimRunImply(void);

/* What has a temporary name is made durable: 0, or -1 with EIO. */
int shimRunBarrier(struct shimRun *run);

/* A package's files begin, and end with this result of theirs: returns the one to tell. */
void shimRunPackage(void);
int shimRunPackageEnd(int rc);

/* Something is about to be recorded that is no file of a package: what comes before it has to be
 * durable. 0, or -1 with EIO. Where packages have brackets, nothing is left to do. */
int shimRunRecords(void);

/* The sync of a filesystem at the end. True if *rc is its result; otherwise it is still to do. */
bool shimRunEndSync(int fdno, int *rc);

/* ---- preload_step.c: one call ---- */

/* A file is to be opened with these flags. 1 if it is one of a package's, to be opened with *flags
 * instead; 0 if not; -1 with errno if the policy is wrong. May begin a transaction. */
int shimStepOpens(const char *path, int *flags);
void shimStepOpened(int fdno, int dirfd, const char *path);
/* The file of a descriptor, if it is one of a package's. */
struct shimFile *shimStepFile(int fdno);
/* A copy of a descriptor was made, or one is to be closed. */
void shimStepCopied(int fdno, int copy);
int shimStepClose(int fdno);
/* 0, or -1 with EIO: whether a name may be changed now. */
int shimStepMayRename(const char *to);
int shimStepMayRemove(int dirfd, const char *path, int flags);
/* Names changed in the directory of a path. Those that rpm has used since 4.18 only are its own;
 * what is called with a path alone may be anybody's. */
void shimStepNamed(int dirfd, const char *path);
void shimStepMadeDir(int dirfd, const char *path);
void shimStepMadeNode(int dirfd, const char *path);
/* Attributes changed in place. */
void shimStepAttrs(int fdno);
void shimStepAttrsAt(int dirfd, const char *path);
/* Whether a sync is left out: a barrier covers it, or nothing is to be synced. */
bool shimStepCovers(int fdno);
/* Take note of the root's filesystem, before anything is written to it. */
void shimStepRoot(void);
/* The directories made for a package are not needed any more. */
void shimStepForgetMade(struct shimRun *run);

#pragma GCC visibility pop

#endif /* PRELOAD_INTERNAL_H */
