/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checking files against the lines of check files, with the words of sha256sum. */

#include <errno.h>
#include <string.h>

#include <rpm/rpmstring.h>

#include "rpmdigest.h"

/* What came of one check file. */
struct checkCounts {
    unsigned long proper;
    unsigned long misformatted;
    unsigned long unreadable;
    unsigned long wrong;
    unsigned long right;
};

static void checkDone(struct digestJob *job, const rpmFileDigestResult *res)
{
    struct checkCounts *counts = job->data;

    if (res->err == ENOENT && opts.ignoreMissing)
        return;
    if (res->err != 0) {
        counts->unreadable++;
        complainOfJob(job, res);
        if (!opts.status)
            putVerdict(job->path, "unreadable", "FAILED open or read");
    } else if (rstrcasecmp(job->wantHex, res->hex[0]) != 0) {
        counts->wrong++;
        raiseStatus(STATUS_WRONG);
        if (!opts.status)
            putVerdict(job->path, "failed", "FAILED");
    } else {
        counts->right++;
        if (!opts.status && !opts.quiet)
            putVerdict(job->path, "ok", "OK");
    }
}

static void addCheck(const struct checkLine *line, struct checkCounts *counts)
{
    struct digestJob *job = newJob(line->name, checkDone, counts);

    counts->proper++;
    job->algos.count = 1;
    job->algos.at[0] = line->algo;
    rstrlcpy(job->wantHex, line->hex, line->algo->hexLength + 1);
    if (rstreq(line->name, "-"))
        addStdin(job);
    else
        addJob(job);
}

static void misformatted(const char *file, unsigned long number, struct checkCounts *counts)
{
    counts->misformatted++;
    if (!opts.warn)
        return;
    complain(file, "%lu: improperly formatted %s%schecksum line", number,
             opts.algos.count == 1 ? opts.algos.at[0]->tag : "", opts.algos.count == 1 ? " " : "");
}

/* Returns 0, or the errno of a failed read. */
static int readLines(FILE *fp, const char *file, struct checkCounts *counts)
{
    static char buffer[LINE_MAX_BYTES + 1];
    struct lineParser parser = { &opts.algos, -1 };
    struct checkLine line;
    size_t len;

    for (unsigned long number = 1; readCheckLine(fp, buffer, &len); number++) {
        if (len == 0 || buffer[0] == '#')
            continue;
        if (len == LINE_MAX_BYTES || !parseCheckLine(&parser, buffer, len, &line) ||
            (fp == stdin && rstreq(line.name, "-")))
            misformatted(file, number, counts);
        else
            addCheck(&line, counts);
        errno = 0;
    }
    return ferror(fp) ? errno : 0;
}

static void warnOf(unsigned long count, const char *one, const char *many)
{
    if (count > 0)
        complain(NULL, "WARNING: %lu %s", count, count == 1 ? one : many);
}

static void concludeCheck(const char *file, const struct checkCounts *counts)
{
    if (counts->proper == 0) {
        trouble(file, "no properly formatted checksum lines found");
        return;
    }
    if (counts->misformatted > 0 && opts.strict)
        raiseStatus(STATUS_TROUBLE);
    if (!opts.status) {
        warnOf(counts->misformatted, "line is improperly formatted",
               "lines are improperly formatted");
        warnOf(counts->unreadable, "listed file could not be read",
               "listed files could not be read");
        warnOf(counts->wrong, "computed checksum did NOT match",
               "computed checksums did NOT match");
    }
    if (opts.ignoreMissing && counts->right == 0) {
        raiseStatus(counts->wrong > 0 ? STATUS_WRONG : STATUS_TROUBLE);
        if (!opts.status)
            complain(file, "no file was verified");
    }
}

static FILE *openCheckFile(const char *file)
{
    int fdno = openNamed(file);

    return fdno >= 0 ? fdopen(fdno, "r") : NULL;
}

static void runCheck(const char *file)
{
    struct checkCounts counts = { 0 };
    FILE *fp = rstreq(file, "-") ? stdin : openCheckFile(file);
    const char *name = fp == stdin ? "standard input" : file;
    int error;

    if (fp == NULL)
        return;
    error = readLines(fp, name, &counts);
    finishJobs();
    if (error != 0)
        trouble(name, "read error: %s", strerror(error));
    else
        concludeCheck(name, &counts);
    if (fp != stdin)
        fclose(fp);
}

void runChecks(char **operands)
{
    for (; *operands != NULL; operands++)
        runCheck(*operands);
}
