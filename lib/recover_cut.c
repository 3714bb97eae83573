/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A transaction that was cut short: what its note says is compared with the database, said, and
 * brought to an end. */

#include <stdlib.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "group.h"
#include "interrupt.h"
#include "leftovers.h"
#include "recover.h"
#include "rpmdb_internal.h"
#include "rpmfate.h"
#include "rpmts_internal.h"

enum outcome {
    ERASED,
    DUE,
    STAYS
};

struct cut {
    rpmts ts;
    const struct noteText *note;
    char **recorded; /* for each package added: SHA-1 of the header that is recorded; NULL: none */
    Header *headers; /* for each erasure: what is recorded; NULL: nothing */
    int whole;       /* everything is as the transaction wanted it */
};

/* -- finding what there is --------------------------------------------------------------------- */

static int hasNevra(Header h, const char *nevra)
{
    char *has = headerGetAsString(h, RPMTAG_NEVRA);
    int same = has != NULL && rstreq(has, nevra);

    free(has);
    return same;
}

/* A record that is to go is none that came, though it may say the same transaction, where that is
 * a number given from outside ($SOURCE_DATE_EPOCH). */
static int isOld(struct cut *cut, Header h)
{
    for (int i = 0; i < cut->note->nerased; i++) {
        const struct noteErasure *e = &cut->note->erased[i];

        if (e->num == headerGetInstance(h) && hasNevra(h, e->nevra))
            return 1;
    }
    return 0;
}

static char *sha1Of(Header h)
{
    const char *sha1 = headerGetString(h, RPMTAG_SHA1HEADER);

    return rstrdup(sha1 != NULL ? sha1 : "");
}

static void findAdded(struct cut *cut)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(cut->ts, RPMDBI_INSTALLTID, &cut->note->tid,
                                              sizeof(cut->note->tid));
    Header h;

    while ((h = rpmdbNextIterator(mi)) != NULL) {
        char *nevra = isOld(cut, h) ? NULL : headerGetAsString(h, RPMTAG_NEVRA);

        for (int i = 0; i < cut->note->nadded && nevra != NULL; i++) {
            if (cut->recorded[i] == NULL && rstreq(nevra, cut->note->added[i]))
                cut->recorded[i] = sha1Of(h);
        }
        free(nevra);
    }
    rpmdbFreeIterator(mi);
}

static int isThat(Header h, const struct noteErasure *e)
{
    return hasNevra(h, e->nevra) && headerGetNumber(h, RPMTAG_INSTALLTID) == e->tid;
}

static Header findRecord(rpmdbMatchIterator mi, const struct noteErasure *e)
{
    Header found = NULL;
    Header h;

    while (found == NULL && (h = rpmdbNextIterator(mi)) != NULL) {
        if (isThat(h, e))
            found = headerLink(h);
    }
    rpmdbFreeIterator(mi);
    return found;
}

/* A database that was rebuilt meanwhile may have given it another number. */
static Header findErasure(struct cut *cut, const struct noteErasure *e)
{
    unsigned int num = e->num;
    Header h = findRecord(rpmtsInitIterator(cut->ts, RPMDBI_PACKAGES, &num, sizeof(num)), e);

    if (h == NULL && e->tid != cut->note->tid)
        h = findRecord(rpmtsInitIterator(cut->ts, RPMDBI_LABEL, e->nevra, 0), e);
    return h;
}

static enum outcome outcomeOf(const struct cut *cut, int i)
{
    const struct noteErasure *e = &cut->note->erased[i];

    if (cut->headers[i] == NULL)
        return ERASED;
    return (e->by > 0 ? cut->recorded[e->by - 1] != NULL : e->begun) ? DUE : STAYS;
}

static void look(struct cut *cut)
{
    const struct noteText *note = cut->note;

    cut->recorded = rcalloc((size_t) note->nadded + 1, sizeof(*cut->recorded));
    cut->headers = rcalloc((size_t) note->nerased + 1, sizeof(*cut->headers));
    cut->whole = 1;
    findAdded(cut);
    for (int i = 0; i < note->nadded; i++)
        cut->whole &= cut->recorded[i] != NULL;
    for (int i = 0; i < note->nerased; i++) {
        cut->headers[i] = findErasure(cut, &note->erased[i]);
        cut->whole &= outcomeOf(cut, i) == ERASED;
    }
}

static void fini(struct cut *cut)
{
    for (int i = 0; i < cut->note->nadded; i++)
        rfree(cut->recorded[i]);
    for (int i = 0; i < cut->note->nerased; i++)
        headerFree(cut->headers[i]);
    rfree(cut->recorded);
    rfree(cut->headers);
}

static void say(const struct cut *cut)
{
    static const char *const words[] = {
        [ERASED] = "erased",
        [DUE] = "not erased to the end, which is done now",
        [STAYS] = "not erased",
    };

    rpmlog(RPMLOG_WARNING, "transaction %u was cut short; it had in hand:\n",
           (unsigned) cut->note->tid);
    for (int i = 0; i < cut->note->nadded; i++)
        rpmlog(RPMLOG_WARNING, "    %s: %s\n", cut->note->added[i],
               cut->recorded[i] != NULL ? "recorded" : "not recorded");
    for (int i = 0; i < cut->note->nerased; i++)
        rpmlog(RPMLOG_WARNING, "    %s: %s\n", cut->note->erased[i].nevra, words[outcomeOf(cut, i)]);
}

/* -- finishing --------------------------------------------------------------------------------- */

/* What is erased here goes in the safe order, whatever the policy, unless there is none. */
static void setPolicy(rpmts in, rpmts ts)
{
    rpmFlushPolicy policy = *rpmFlushGetPolicy(ts->flush);

    if (policy.whether != RPMFLUSH_NONE) {
        policy.whether = RPMFLUSH_ON;
        policy.method = RPMFLUSH_BATCH;
    }
    in->flush = rpmFlushNew(&policy);
}

/* A set within the set, for the erasures: what the cut transaction went without they go without,
 * and scriptlets that this one does not want. */
static rpmts newSet(struct cut *cut)
{
    rpmts ts = cut->ts;
    rpmts in = rpmtsCreate();

    rpmtsSetRootDir(in, ts->rootDir);
    rpmtsSetVSFlags(in, ts->vsflags);
    rpmtsSetTid(in, ts->tid);
    rpmtsSetScriptFd(in, ts->scriptFd);
    in->flags = cut->note->flags | (ts->flags & (_noTransScripts | RPMTRANS_FLAG_NOSCRIPTS));
    in->color = ts->color;
    in->nofile = ts->nofile;
    in->finishing = 1;
    in->root = ts->root;
    in->rdb = rpmdbLink(ts->rdb);
    in->dbmode = ts->dbmode;
    setPolicy(in, ts);
    return in;
}

static void addDue(struct cut *cut, rpmts in)
{
    for (int i = 0; i < cut->note->nerased; i++) {
        if (outcomeOf(cut, i) == DUE)
            rpmtsAddEraseElement(in, cut->headers[i], -1);
    }
}

/* A scriptlet that fails ends the matter, as in any transaction. */
static int finish(struct cut *cut)
{
    rpmts in = newSet(cut);
    int n = leftoversOf(in, cut->note->tid, cut->note->dirs, cut->note->ndirs);
    int rc = 0;

    if (n > 0)
        rpmlog(RPMLOG_WARNING, "    %d temporary files of it were removed\n", n);
    addDue(cut, in);
    if (rpmtsNElements(in) > 0) {
        rc = rpmFateDecide(in);
        if (rc == 0)
            groupProcess(in);
        if (in->keepNote || rpmtsInterrupted(in))
            rc = -1;
    }
    in->ranScripts = 1; /* whatever was removed is to be durable before the note goes */
    if (rpmtsEndSync(in))
        rc = -1;
    rpmtsFree(in);
    return rc;
}

static void remember(const struct cut *cut)
{
    for (int i = 0; i < cut->note->nadded; i++) {
        if (cut->recorded[i] != NULL && *cut->recorded[i] != '\0')
            argvAdd(&cut->ts->recovered, cut->recorded[i]);
    }
}

int recoverCut(rpmts ts, const struct noteText *note)
{
    struct cut cut = { .ts = ts, .note = note };
    int rc = 0;

    look(&cut);
    if (!cut.whole) {
        say(&cut);
        rc = finish(&cut);
        if (rc == 0)
            remember(&cut);
    }
    fini(&cut);
    return rc;
}
