/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -K: what a package's digests and signatures come to. Several packages are read at once; what
 * is said of them comes in their order, from the caller's thread. */

#include <rpm/rpmcli.h>
#include <rpm/rpmio.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "pkgpool.h"

/* What was seen of one package. */
struct findings {
    int seen, bad; /* RPMSIG_* types */
    bool verbose;
    char *size;    /* what is wrong with its size, or NULL */
};

static int noteItem(struct rpmsinfo_s *sinfo, void *cbdata)
{
    struct findings *found = cbdata;

    found->seen |= sinfo->type;
    if (sinfo->rc != RPMRC_OK)
        found->bad |= sinfo->type;
    if (found->verbose) {
        char *line = rpmsinfoMsg(sinfo);
        rpmlog(RPMLOG_NOTICE, "    %s\n", line);
        free(line);
    } else if (sinfo->type == RPMSIG_OTHER_TYPE) {
        found->size = rstrdup(sinfo->msg);
    }
    return 1;
}

/* The rest of the line that began with the name. */
static void logSummary(const struct findings *found, bool failed)
{
    const char *digests = "", *signatures = "";

    if (found->seen & RPMSIG_DIGEST_TYPE)
        digests = (found->bad & RPMSIG_DIGEST_TYPE) ? " DIGESTS" : " digests";
    if (found->seen & RPMSIG_SIGNATURE_TYPE)
        signatures = (found->bad & RPMSIG_SIGNATURE_TYPE) ? " SIGNATURES" : " signatures";
    rpmlog(RPMLOG_NOTICE, "%s%s %s\n", digests, signatures, failed ? "NOT OK" : "OK");
}

/* A package, in the data of its reading. */
struct check {
    const char *fn;
    char *openError; /* why it cannot be opened, or NULL */
};

static bool judge(const struct check *check, const struct rpmpkgReading_s *reading)
{
    struct findings found = { .verbose = rpmIsVerbose() };
    const char *fn = check->fn;
    bool failed = true;

    if (check->openError != NULL) {
        rpmlog(RPMLOG_ERR, "%s: open failed: %s\n", fn, check->openError);
        return false;
    }
    rpmlog(RPMLOG_NOTICE, "%s:%s", fn, found.verbose ? "\n" : "");
    if (reading->rc == RPMRC_OK) {
        failed = rpmvsVerify(reading->vs, RPMSIG_VERIFIABLE_TYPE, noteItem, &found) != 0;
        if (!found.verbose)
            logSummary(&found, failed);
        if (found.size != NULL)
            rpmlog(RPMLOG_ERR, "%s: %s\n", fn, found.size);
    } else {
        /* Stock rpm leaves the line open here, and the next name joins it. */
        rpmlog(RPMLOG_NOTICE, "%s", found.verbose ? "" : "\n");
        rpmlog(RPMLOG_ERR, "%s: %s\n", fn,
               reading->msg != NULL ? reading->msg : "not an rpm package");
    }
    free(found.size);
    return !failed;
}

static void addCheck(rpmpkgPool pool, const char *fn)
{
    struct check *check = rcalloc(1, sizeof(*check));
    FD_t fd = Fopen(fn, "r.ufdio");

    check->fn = fn;
    if (fd == NULL || Ferror(fd)) {
        check->openError = rstrdup(Fstrerror(fd));
        if (fd != NULL)
            Fclose(fd);
        fd = NULL;
    }
    rpmpkgPoolAdd(pool, fd, check);
}

/* Tell of the next package; false if there is none left. */
static bool endCheck(rpmpkgPool pool, int *failed)
{
    struct rpmpkgReading_s *reading = rpmpkgPoolNext(pool);
    struct check *check;

    if (reading == NULL)
        return false;
    check = reading->data;
    if (!judge(check, reading))
        *failed += 1;
    rpmpkgReadingFree(reading);
    free(check->openError);
    free(check);
    return true;
}

int rpmcliVerifySignatures(rpmts ts, ARGV_const_t argv)
{
    rpmpkgPool pool = rpmpkgPoolNew(ts, (rpm_loff_t)argvCount(argv));
    int failed = 0;

    if (pool == NULL)
        return argvCount(argv);
    for (; *argv != NULL; argv++) {
        if (rpmpkgPoolIsFull(pool))
            endCheck(pool, &failed);
        addCheck(pool, *argv);
    }
    while (endCheck(pool, &failed))
        continue;
    rpmpkgPoolFree(pool);
    return failed;
}
