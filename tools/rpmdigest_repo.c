/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checking the packages of a repository against its own repodata. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmdigest.h"

/* Where the uncompressed size is not declared: the limit of what one would wait for. */
#define REPOMD_MAX (UINT64_C(64) << 20)
#define PRIMARY_MAX (UINT64_C(16) << 30)

/* What can come of a package, in the order of the summary. */
enum verdict { RIGHT, WRONG, SHORT, LONG, MISSING, UNREADABLE, REFUSED, EXTRA, VERDICTS };

static const struct {
    const char *json, *text, *summary;
    enum digestStatus status;
} verdicts[VERDICTS] = {
    [RIGHT] = { "ok", "OK", "right", STATUS_RIGHT },
    [WRONG] = { "failed", "FAILED", "wrong", STATUS_WRONG },
    [SHORT] = { "short", "FAILED: short", "short", STATUS_WRONG },
    [LONG] = { "long", "FAILED: long", "long", STATUS_WRONG },
    [MISSING] = { "missing", "MISSING", "missing", STATUS_WRONG },
    [UNREADABLE] = { "unreadable", "FAILED open or read", "unreadable", STATUS_TROUBLE },
    [REFUSED] = { "refused", "REFUSED", "refused", STATUS_TROUBLE },
    [EXTRA] = { "extra", "EXTRA", "extra", STATUS_WRONG },
};

struct nameList {
    char **names;
    size_t count;
    size_t room;
};

struct repo {
    const char *dir;
    const char *file;      /* the one that is being read, for messages */
    char *primary;         /* path of primary.xml */
    uint64_t primarySize;  /* uncompressed */
    bool primaryRight;
    struct nameList names; /* locations */
    unsigned long counts[VERDICTS];
};

static void say(const char *path, enum verdict verdict, const char *detail)
{
    char *text = NULL;

    raiseStatus(verdicts[verdict].status);
    if (opts.status || (opts.quiet && verdict == RIGHT))
        return;
    rasprintf(&text, "%s%s%s", verdicts[verdict].text, detail[0] ? ": " : "", detail);
    putVerdict(path, verdicts[verdict].json, text);
    free(text);
}

static void saySize(const struct digestJob *job)
{
    char *text = NULL;

    rasprintf(&text, "%" PRIu64 " of %" PRIu64 " bytes", job->size, job->wantSize);
    say(job->path, job->size < job->wantSize ? SHORT : LONG, text);
    free(text);
}

/* Say what has come of a job; VERDICTS for what is to be ignored. */
static enum verdict judge(const struct digestJob *job, const rpmFileDigestResult *res)
{
    bool missing = job->fault == FAULT_NONE && (res->err == ENOENT || res->err == ENOTDIR);
    enum verdict verdict = RIGHT;

    if (missing && opts.ignoreMissing)
        return VERDICTS;
    if (job->fault == FAULT_SIZE) {
        saySize(job);
        return job->size < job->wantSize ? SHORT : LONG;
    }
    if (missing) {
        verdict = MISSING;
    } else if (res->err != 0) {
        complainOfJob(job, res);
        verdict = UNREADABLE;
    } else if (rstrcasecmp(res->hex[0], job->wantHex) != 0) {
        verdict = WRONG;
    }
    say(job->path, verdict, "");
    return verdict;
}

/* ---- Entries ---- */

static void refuse(struct repo *repo, const struct repoEntry *entry, const char *reason)
{
    if (entry->href != NULL) {
        repo->counts[REFUSED]++;
        say(entry->href, REFUSED, reason);
    } else {
        trouble(repo->file, "entry %lu has no location", entry->number);
    }
}

/* A job for what an entry says, or NULL if that cannot be believed. */
static struct digestJob *entryJob(struct repo *repo, const struct repoEntry *entry, jobDone done)
{
    const char *fault = entry->href != NULL ? hrefFault(entry->href) : "";
    char *path, *decoded;
    struct digestJob *job;

    if (fault == NULL && entry->base != NULL)
        fault = "location has an xml:base";
    if (fault != NULL) {
        refuse(repo, entry, fault);
        return NULL;
    }
    path = joinPath(repo->dir, entry->href);
    job = newJob(path, done, repo);
    free(path);
    fault = entryToJob(entry, job);
    if (fault != NULL) {
        refuse(repo, entry, fault);
        freeJob(job);
        return NULL;
    }
    decoded = decodeHref(entry->href);
    if (decoded != NULL && hrefFault(decoded) == NULL)
        job->otherPath = joinPath(repo->dir, decoded);
    free(decoded);
    return job;
}

/* ---- repomd.xml ---- */

static void metadataDone(struct digestJob *job, const rpmFileDigestResult *res)
{
    struct repo *repo = job->data;

    if (judge(job, res) == RIGHT && repo->primary != NULL && rstreq(job->path, repo->primary))
        repo->primaryRight = true;
}

static void metadataFound(void *data, const struct repoEntry *entry)
{
    struct repo *repo = data;
    struct digestJob *job = entryJob(repo, entry, metadataDone);

    if (job == NULL)
        return;
    if (repo->primary == NULL && entry->type != NULL && rstreq(entry->type, "primary")) {
        repo->primary = rstrdup(job->path);
        repo->primarySize = entry->openSize != NULL ? parseSize(entry->openSize) : PRIMARY_MAX;
    }
    addJob(job);
}

/* Read one of the two files. */
static int readFile(struct repo *repo, const char *path, enum repoKind kind, uint64_t maxSize,
                    repoFound found)
{
    int fdno = openNamed(path), rc;
    char *emsg = NULL;

    if (fdno < 0)
        return -1;
    repo->file = path;
    rc = readRepodata(fdno, kind, maxSize, found, repo, &emsg);
    finishJobs();
    if (rc != 0)
        trouble(path, "%s", emsg != NULL ? emsg : "not readable");
    free(emsg);
    close(fdno);
    return rc;
}

static int readMetadata(struct repo *repo)
{
    char *path = joinPath(repo->dir, "repodata/repomd.xml");
    int rc = readFile(repo, path, REPO_REPOMD, REPOMD_MAX, metadataFound);

    if (rc == 0 && repo->primary == NULL) {
        trouble(path, "lists no primary metadata");
        rc = -1;
    } else if (rc == 0 && !repo->primaryRight) {
        complain(repo->dir, "no package checked: the primary metadata are not right");
        raiseStatus(STATUS_WRONG);
        rc = -1;
    }
    free(path);
    return rc;
}

/* ---- primary.xml ---- */

static void addName(struct nameList *list, const char *href)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->names = rrealloc(list->names, list->room * sizeof(*list->names));
    }
    list->names[list->count++] = plainHref(href);
}

static void packageDone(struct digestJob *job, const rpmFileDigestResult *res)
{
    struct repo *repo = job->data;
    enum verdict verdict = judge(job, res);

    if (verdict != VERDICTS)
        repo->counts[verdict]++;
}

static void packageFound(void *data, const struct repoEntry *entry)
{
    struct repo *repo = data;
    struct digestJob *job = entryJob(repo, entry, packageDone);

    if (job == NULL)
        return;
    addName(&repo->names, entry->href);
    if (job->otherPath != NULL)
        addName(&repo->names, job->otherPath + strlen(job->path) - strlen(entry->href));
    addJob(job);
}

/* ---- What is not listed ---- */

static int compareNames(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void maybeExtra(void *data, const char *path, mode_t type)
{
    struct repo *repo = data;
    size_t dirLength = strlen(repo->dir), length = strlen(path);
    const char *name = path + dirLength;

    name += strspn(name, "/");
    if ((!S_ISREG(type) && !S_ISLNK(type)) || length < 4 || !rstreq(path + length - 4, ".rpm"))
        return;
    if (repo->names.count > 0 && bsearch(&name, repo->names.names, repo->names.count,
                                         sizeof(*repo->names.names), compareNames) != NULL)
        return;
    repo->counts[EXTRA]++;
    say(path, EXTRA, "");
}

static void findExtra(struct repo *repo)
{
    if (repo->names.count > 0)
        qsort(repo->names.names, repo->names.count, sizeof(*repo->names.names), compareNames);
    walkTree(repo->dir, maybeExtra, repo);
}

/* ---- The whole ---- */

static void summarize(const struct repo *repo)
{
    unsigned long listed = 0;
    char *text = NULL;

    if (opts.status)
        return;
    for (int i = 0; i < VERDICTS; i++) {
        char *part = NULL;

        listed += i != EXTRA ? repo->counts[i] : 0;
        if (i == RIGHT || repo->counts[i] > 0) {
            rasprintf(&part, "%s%lu %s", i == RIGHT ? "" : ", ", repo->counts[i],
                      verdicts[i].summary);
            rstrcat(&text, part);
        }
        free(part);
    }
    complain(repo->dir, "%lu package%s: %s", listed, listed == 1 ? "" : "s", text);
    free(text);
}

static void runRepo(const char *dir)
{
    struct repo repo = { .dir = dir };

    if (readMetadata(&repo) == 0) {
        memset(repo.counts, 0, sizeof(repo.counts));
        if (readFile(&repo, repo.primary, REPO_PRIMARY, repo.primarySize, packageFound) == 0 &&
            !opts.ignoreExtra)
            findExtra(&repo);
        summarize(&repo);
    }
    free(repo.primary);
    for (size_t i = 0; i < repo.names.count; i++)
        free(repo.names.names[i]);
    free(repo.names.names);
}

void runRepos(char **operands)
{
    for (; *operands != NULL; operands++)
        runRepo(*operands);
}
