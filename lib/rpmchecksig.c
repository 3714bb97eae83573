/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -K: what a package's digests and signatures come to. */

#include <rpm/rpmcli.h>
#include <rpm/rpmio.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmvs.h"

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

static bool checkPackage(rpmts ts, FD_t fd, const char *fn)
{
    struct rpmvs_s *vs = rpmvsCreate(rpmtsVfyLevel(ts), rpmtsVfyFlags(ts));
    struct findings found = { .verbose = rpmIsVerbose() };
    char *msg = NULL;
    bool failed = true;

    rpmlog(RPMLOG_NOTICE, "%s:%s", fn, found.verbose ? "\n" : "");
    if (rpmpkgRead(vs, fd, NULL, NULL, &msg) == RPMRC_OK) {
        failed = rpmvsVerify(vs, RPMSIG_VERIFIABLE_TYPE, noteItem, &found) != 0;
        if (!found.verbose)
            logSummary(&found, failed);
        if (found.size != NULL)
            rpmlog(RPMLOG_ERR, "%s: %s\n", fn, found.size);
    } else {
        /* Stock rpm leaves the line open here, and the next name joins it. */
        rpmlog(RPMLOG_NOTICE, "%s", found.verbose ? "" : "\n");
        rpmlog(RPMLOG_ERR, "%s: %s\n", fn, msg != NULL ? msg : "not an rpm package");
    }
    rpmvsFree(vs);
    free(found.size);
    free(msg);
    return !failed;
}

int rpmcliVerifySignatures(rpmts ts, ARGV_const_t argv)
{
    int failed = 0;

    for (; *argv != NULL; argv++) {
        FD_t fd = Fopen(*argv, "r.ufdio");

        if (fd == NULL || Ferror(fd)) {
            rpmlog(RPMLOG_ERR, "%s: open failed: %s\n", *argv, Fstrerror(fd));
            failed++;
        } else if (!checkPackage(ts, fd, *argv)) {
            failed++;
        }
        if (fd != NULL)
            Fclose(fd);
    }
    return failed;
}
