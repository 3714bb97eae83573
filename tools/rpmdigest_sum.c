/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Printing digests of files and of what is in directories. */

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include <rpm/rpmstring.h>

#include "rpmdigest.h"

static void putJsonSums(const struct digestJob *job, const rpmFileDigestResult *res)
{
    putc('{', stdout);
    putJsonPath(stdout, job->path);
    printf(",\"size\":%" PRIu64, res->size);
    for (int i = 0; i < job->algos.count; i++)
        printf(",\"%s\":\"%s\"", job->algos.at[i]->name, res->hex[i]);
    puts("}");
}

static void sumDone(struct digestJob *job, const rpmFileDigestResult *res)
{
    if (res->err != 0) {
        complainOfJob(job, res);
        if (opts.json)
            putVerdict(job->path, "unreadable", "");
        return;
    }
    clearProgress();
    if (opts.json) {
        putJsonSums(job, res);
    } else {
        for (int i = 0; i < job->algos.count; i++)
            putDigestLine(stdout, job->algos.at[i], res->hex[i], job->path);
    }
    if (ferror(stdout))
        requireStdout();
}

static void addFound(void *data, const char *path, mode_t type)
{
    struct digestJob *job;

    (void)data;
    if (S_ISREG(type)) {
        job = newJob(path, sumDone, NULL);
        job->inTree = true;
        addJob(job);
    } else if (!S_ISLNK(type)) {
        complain(path, "is %s: skipped", typeName(type));
    }
}

static void addOperand(const char *path)
{
    struct stat st;

    if (rstreq(path, "-"))
        addStdin(newJob(path, sumDone, NULL));
    else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        walkTree(path, addFound, NULL);
    else
        addJob(newJob(path, sumDone, NULL));
}

void runSums(char **operands)
{
    for (; *operands != NULL; operands++)
        addOperand(*operands);
    finishJobs();
}
