/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMDIGEST_H
#define RPMDIGEST_H

/** @file
 * What the parts of the rpmdigest command share. All of it belongs to the one thread of main(),
 * openJob() aside, which runs in the pool's.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <rpm/rpmfiledigest.h>

/** Exit statuses; the worst of all files is the command's. */
enum digestStatus {
    STATUS_RIGHT = 0,
    STATUS_WRONG = 1,  /**< something is not as it should be */
    STATUS_TROUBLE = 2 /**< something could not be read or made sense of */
};

/* ---- Algorithms ---- */

/** An algorithm, as coreutils names it. */
struct digestAlgo {
    const char *name; /**< as -a takes it, and JSON has it */
    const char *tag;  /**< in a BSD line */
    int number;       /**< RPM_HASH_* */
    size_t hexLength;
};

#define ALGOS_MAX 6
#define HEX_MAX 128

/** Some algorithms, in an order. */
struct algoList {
    int count;
    const struct digestAlgo *at[ALGOS_MAX];
};

/** All algorithms there are. */
void allAlgos(struct algoList *list);

/** Read a list of names, separated by commas; no name counts twice.
 * @retval emsg  what is wrong with it, the caller's to free()
 * @return       0, or -1
 */
int parseAlgos(const char *text, struct algoList *list, char **emsg);

/** The algorithm whose tag a text begins with, or NULL. */
const struct digestAlgo *algoByTag(const struct algoList *list, const char *text);

/** The algorithm whose digests have that many hexadecimal digits, or NULL. */
const struct digestAlgo *algoByLength(const struct algoList *list, size_t hexLength);

/** The algorithm that repodata means by a name, or NULL. */
const struct digestAlgo *algoByRepoName(const char *name);

/* ---- Options ---- */

extern struct digestOptions {
    struct algoList algos;
    int threads;
    int json;
    int check;
    int repo;
    int zero;
    int tag;
    int binary;
    int text;
    int quiet;
    int status;
    int strict;
    int warn;
    int ignoreMissing;
    int ignoreExtra;
    int progress;
    int verbose;
} opts;

/** Set opts, or end with a message.
 * @return  operands, valid until freeOptions(); "-" if there are none
 */
char **parseOptions(int argc, char **argv);
void freeOptions(void);

/* ---- Names, as they are printed and read ---- */

/** Does coreutils escape this name? */
bool needsEscape(const char *name);

/** Print a name with coreutils' escapes. */
void putEscaped(FILE *fp, const char *name);

/** Undo coreutils' escapes in place.
 * @return  false if an escape is not one of them
 */
bool unescape(char *name);

/** Print a string of JSON, quotes included. Each byte that is not UTF-8 becomes U+FFFD.
 * @return  false if there was such a byte
 */
bool putJsonString(FILE *fp, const char *text);

/** Print a member "path", and "path_hex" with all bytes if the path is not UTF-8. */
void putJsonPath(FILE *fp, const char *path);

/** Print a text for a message: one line, nothing that a terminal would obey. */
void putPrintable(FILE *fp, const char *text);

/* ---- Messages and the exit status ---- */

void raiseStatus(enum digestStatus status);
enum digestStatus finalStatus(void);

/** Print `rpmdigest: NAME: TEXT`; without a name, `rpmdigest: TEXT`. */
void complain(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Complain, and make the exit status that of an error. */
void trouble(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** End at once if something printed to stdout is lost. */
void requireStdout(void);

/** Print the verdict on a file: `NAME: TEXT`, or an object with the status JSON. */
void putVerdict(const char *name, const char *json, const char *text);

/* ---- Lines of check files ---- */

/** Print the line for one digest, in the form that the options ask for. */
void putDigestLine(FILE *fp, const struct digestAlgo *algo, const char *hex, const char *name);

/** What a line says. The strings are parts of the line. */
struct checkLine {
    const struct digestAlgo *algo;
    const char *hex; /**< in either case */
    char *name;
};

/** Begin with { list, -1 }. */
struct lineParser {
    const struct algoList *algos;
    int reversed; /**< one blank only between digest and name? -1 not known yet */
};

/** Parse a line in place.
 * @param len  its length, the line's end left out
 * @return     false if it is none
 */
bool parseCheckLine(struct lineParser *parser, char *line, size_t len, struct checkLine *result);

#define LINE_MAX_BYTES 65536

/** Read a line without its end, be it "\n" or "\r\n".
 * @param line  LINE_MAX_BYTES
 * @retval len  its length; LINE_MAX_BYTES for one that is too long, which is read over
 * @return      false at the end of the file, and on errors
 */
bool readCheckLine(FILE *fp, char *line, size_t *len);

/* ---- Jobs: files in the pool ---- */

/** Why a file is not opened, if it is not for the system to say. */
enum jobFault {
    FAULT_NONE = 0,
    FAULT_TYPE, /**< a FIFO, a socket, a device */
    FAULT_SIZE  /**< not the size it should have: jobs with wantSize only */
};

#define SIZE_UNKNOWN UINT64_MAX

struct digestJob;
typedef void (*jobDone)(struct digestJob *job, const rpmFileDigestResult *res);

struct digestJob {
    char *path;            /**< what is opened, and printed */
    char *otherPath;       /**< what is opened if that is missing, or NULL */
    bool inTree;           /**< found in a directory: links are not followed */
    struct algoList algos;
    uint64_t wantSize;
    char wantHex[HEX_MAX + 1];
    jobDone done;          /**< called in the order of addJob(); frees nothing */
    void *data;
    enum jobFault fault;   /**< results of openJob() */
    mode_t type;
    uint64_t size;
};

/** A job for a file. @param path  copied */
struct digestJob *newJob(const char *path, jobDone done, void *data);
void freeJob(struct digestJob *job);

/** Open the file of a job without waiting for anything: what FIFOs and devices would do. */
int openJob(void *job, const char *path);

/** Open a file of instructions in the same way.
 * @return  descriptor, or -1 after a complaint
 */
int openNamed(const char *path);

/** Noun for a type of file, with its article. */
const char *typeName(mode_t type);

void beginJobs(const rpmFileDigestOptions *options);

/** Have a job done, and freed. Results of others may come before this returns. */
void addJob(struct digestJob *job);

/** Do the job with standard input from where it is, after all others. */
void addStdin(struct digestJob *job);

/** Wait for all jobs. */
void finishJobs(void);

/** End the pool. */
void endJobs(void);

/** Say which file could not be read and why. */
void complainOfJob(const struct digestJob *job, const rpmFileDigestResult *res);

/* ---- Summary and progress ---- */

void startClock(void);

/** Count a file that has been read to its end. */
void countFile(uint64_t bytes);

/** Print files, bytes, seconds and bytes per second since startClock(). */
void printSummary(void);

/** Draw the running count of bytes; the pool's progress callback. */
void drawProgress(void *data, uint64_t bytes);

/** Wipe what drawProgress() has drawn, before anything else is printed. */
void clearProgress(void);

/* ---- Directories ---- */

/** @param type  S_IFMT bits; never a directory's */
typedef void (*walkFile)(void *data, const char *path, mode_t type);

/** Call a function for everything below a directory that is no directory itself, in the order of
 * the bytes of their paths. Symbolic links are not followed. Directories that cannot be read are
 * complained of.
 */
void walkTree(const char *dir, walkFile file, void *data);

/** Join a directory and a name; the caller's to free(). */
char *joinPath(const char *dir, const char *name);

/* ---- Repodata ---- */

/** A package of primary.xml, or a file of repomd.xml. */
struct repoEntry {
    unsigned long number; /**< 1, 2, ... in its file */
    char *type;           /**< attribute of the element */
    char *href;
    char *base;           /**< xml:base of the location */
    char *sumType;
    char *sum;
    char *size;
    char *openSize;
};

/** Which of the two files is read. */
enum repoKind { REPO_REPOMD, REPO_PRIMARY };

typedef void (*repoFound)(void *data, const struct repoEntry *entry);

/** Read repomd.xml or primary.xml, compressed or not, as a stream.
 * @param fdno     where it is read from; stays the caller's
 * @param maxSize  the most bytes that it may have, uncompressed
 * @param found    called for each entry
 * @retval emsg    after an error what is wrong, the caller's to free()
 * @return         0, or -1: entries may be missing
 */
int readRepodata(int fdno, enum repoKind kind, uint64_t maxSize, repoFound found, void *data,
                 char **emsg);

/** Why a location is not one within the repository, or NULL. */
const char *hrefFault(const char *href);

/** Undo the %XX of a location. @return  NULL if there are none, or not all are good */
char *decodeHref(const char *href);

/** A location without what makes no difference: `./`, `//`; the caller's to free(). */
char *plainHref(const char *href);

/** Take digest and sizes of an entry over into a job.
 * @return  what is wrong with them, or NULL; static
 */
const char *entryToJob(const struct repoEntry *entry, struct digestJob *job);

/** Read a number of bytes. @return  SIZE_UNKNOWN if it is none */
uint64_t parseSize(const char *text);

/* ---- The three things it does ---- */

void runSums(char **operands);
void runChecks(char **operands);
void runRepos(char **operands);

#endif /* RPMDIGEST_H */
