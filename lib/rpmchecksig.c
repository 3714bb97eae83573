/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -K: what a package's digests and signatures come to. Several packages are read at once; what
 * is said of them comes in their order, from the caller's thread. */

#include <rpm/rpmcli.h>
#include <rpm/rpmfiledigest.h>
#include <rpm/rpmio.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmvs.h"

/* Packages that are read before the first of them must be told of. */
enum { MOST_READ = 64 };

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

/* A package that is being read, or was. */
struct check {
    const char *fn;
    struct rpmvs_s *vs;
    rpmRC rc;
    char *openError; /* why it cannot be opened, or NULL */
    char *msg;       /* why it cannot be read, or NULL */
};

/* In a worker: all but the verdict, which the log is told of. */
static int readPackage(void *data)
{
    struct check *check = data;
    FD_t fd = Fopen(check->fn, "r.ufdio");

    if (fd == NULL || Ferror(fd))
        check->openError = rstrdup(Fstrerror(fd));
    else
        check->rc = rpmpkgRead(check->vs, fd, NULL, NULL, &check->msg);
    if (fd != NULL)
        Fclose(fd);
    return 0;
}

static bool judge(struct check *check)
{
    struct findings found = { .verbose = rpmIsVerbose() };
    const char *fn = check->fn;
    bool failed = true;

    if (check->openError != NULL) {
        rpmlog(RPMLOG_ERR, "%s: open failed: %s\n", fn, check->openError);
        return false;
    }
    rpmlog(RPMLOG_NOTICE, "%s:%s", fn, found.verbose ? "\n" : "");
    if (check->rc == RPMRC_OK) {
        failed = rpmvsVerify(check->vs, RPMSIG_VERIFIABLE_TYPE, noteItem, &found) != 0;
        if (!found.verbose)
            logSummary(&found, failed);
        if (found.size != NULL)
            rpmlog(RPMLOG_ERR, "%s: %s\n", fn, found.size);
    } else {
        /* Stock rpm leaves the line open here, and the next name joins it. */
        rpmlog(RPMLOG_NOTICE, "%s", found.verbose ? "" : "\n");
        rpmlog(RPMLOG_ERR, "%s: %s\n", fn, check->msg != NULL ? check->msg : "not an rpm package");
    }
    free(found.size);
    return !failed;
}

static void addCheck(rpmts ts, const rpmFileDigestOptions *opts, rpmFileDigestPool pool,
                     const char *fn)
{
    struct check *check = rcalloc(1, sizeof(*check));
    rpmFileDigestJob job = { .work = readPackage, .data = check };

    check->fn = fn;
    check->rc = RPMRC_FAIL;
    check->vs = rpmvsCreate(rpmtsVfyLevel(ts), rpmtsVfyFlags(ts));
    rpmvsSetDigestOptions(check->vs, opts);
    rpmFileDigestPoolAdd(pool, &job);
}

/* @return  1 if the next package is not as it should be, else 0 */
static int takeCheck(rpmFileDigestPool pool)
{
    rpmFileDigestResult res;
    void *data = NULL;
    struct check *check;
    int bad;

    rpmFileDigestPoolNext(pool, &res, &data);
    rpmFileDigestResultFini(&res);
    check = data;
    bad = !judge(check);
    rpmvsFree(check->vs);
    free(check->openError);
    free(check->msg);
    free(check);
    return bad;
}

int rpmcliVerifySignatures(rpmts ts, ARGV_const_t argv)
{
    int npackages = argvCount(argv);
    rpmFileDigestOptions opts;
    rpmFileDigestPool pool = rpmpkgPoolNew((rpm_loff_t)npackages, &opts);
    int failed = 0, taken = 0;

    if (pool == NULL)
        return npackages;
    for (int i = 0; i < npackages; i++) {
        if (i - taken == MOST_READ) {
            failed += takeCheck(pool);
            taken++;
        }
        addCheck(ts, &opts, pool, argv[i]);
    }
    for (; taken < npackages; taken++)
        failed += takeCheck(pool);
    rpmFileDigestPoolFree(pool);
    return failed;
}
