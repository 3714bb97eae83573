/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that the caller or the configuration does not want. */

#include <rpm/argv.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "rpmfate.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

struct policy {
    rpm_color_t color; /* 0: files of all colors */
    ARGV_t netshared;
    ARGV_t langs; /* NULL: all */
    rpmfileAttrs unwanted;
};

/* For each directory of the list: files that stay, and whether some do not. */
struct dirCount {
    int files;
    int skipped;
};

/* A colon separated list, NULL where the macro is not set. */
static ARGV_t listOf(const char *macro)
{
    char *text = rpmExpand(macro, NULL);
    ARGV_t list = *text != '\0' ? argvSplitString(text, ":", ARGV_SKIPEMPTY) : NULL;

    rfree(text);
    return list;
}

static void policyInit(struct policy *policy, rpmts ts)
{
    rpmtransFlags flags = rpmtsFlags(ts);

    policy->color = ts->color;
    policy->unwanted = 0;
    if ((flags & RPMTRANS_FLAG_NODOCS) || rpmExpandNumeric("%{?_excludedocs}"))
        policy->unwanted |= RPMFILE_DOC;
    if (flags & RPMTRANS_FLAG_NOCONFIGS)
        policy->unwanted |= RPMFILE_CONFIG;
    if (flags & RPMTRANS_FLAG_NOARTIFACTS)
        policy->unwanted |= RPMFILE_ARTIFACT;
    policy->netshared = listOf("%{?_netsharedpath}");
    policy->langs = listOf("%{?_install_langs}");
    for (ARGV_t l = policy->langs; l != NULL && *l != NULL; l++) {
        if (rstreq(*l, "all")) {
            policy->langs = argvFree(policy->langs);
            break;
        }
    }
}

static void policyFini(struct policy *policy)
{
    argvFree(policy->netshared);
    argvFree(policy->langs);
}

/* Is path the shared one, or below it? */
static int isNetshared(ARGV_const_t shared, const char *path)
{
    for (; shared != NULL && *shared != NULL; shared++) {
        size_t len = strlen(*shared);
        while (len > 1 && (*shared)[len - 1] == '/')
            len--;
        if (rstreqn(path, *shared, len) && (path[len] == '/' || path[len] == '\0'))
            return 1;
    }
    return 0;
}

/* As upstream: a language fits where it is a prefix of one that is wanted. */
static int isWantedLang(ARGV_const_t langs, const char *fileLangs)
{
    ARGV_t list;
    int wanted = 0;

    if (langs == NULL || fileLangs == NULL || *fileLangs == '\0')
        return 1;
    list = argvSplitString(fileLangs, "|", ARGV_SKIPEMPTY);
    for (ARGV_const_t want = langs; *want != NULL && !wanted; want++) {
        for (ARGV_const_t l = list; *l != NULL && !wanted; l++)
            wanted = rstreqn(*want, *l, strlen(*l));
    }
    argvFree(list);
    return wanted;
}

/* FA_UNKNOWN for what stays. Licenses stay, unless they are there by other means. */
static rpmFileAction actionOf(const struct policy *policy, rpmfiles files, int fx)
{
    rpmfileAttrs attrs = rpmfilesFFlags(files, fx);
    rpm_color_t color = rpmfilesFColor(files, fx);
    rpmFileAction action = FA_UNKNOWN;
    char *path = rpmfilesFN(files, fx);

    if (policy->color && color && !(policy->color & color))
        action = FA_SKIPCOLOR;
    else if (isNetshared(policy->netshared, path))
        action = FA_SKIPNETSHARED;
    else if (attrs & RPMFILE_LICENSE)
        action = FA_UNKNOWN;
    else if (!isWantedLang(policy->langs, rpmfilesFLangs(files, fx)) ||
             (attrs & policy->unwanted))
        action = FA_SKIPNSTATE;
    rfree(path);
    return action;
}

static void countFile(struct dirCount *counts, rpmfiles files, int fx, int skipped)
{
    struct dirCount *c = &counts[rpmfilesDI(files, fx)];

    if (skipped)
        c->skipped = 1;
    else
        c->files++;
}

/* The entry of a directory of the list, -1 if the package has none. */
static int dirEntry(rpmfiles files, int di)
{
    char *path = rstrdup(rpmfilesDN(files, di));
    size_t len = strlen(path);
    int fx;

    if (len > 1)
        path[len - 1] = '\0';
    fx = rpmfilesFindFN(files, path);
    rfree(path);
    return fx >= 0 && S_ISDIR(rpmfilesFMode(files, fx)) ? fx : -1;
}

/* A directory that only had files to skip is of no use, either. Those below others come later
 * in the list, so from behind parents are emptied after their children. */
static void skipEmptied(rpmte te, struct dirCount *counts)
{
    for (int di = (int) rpmfilesDC(te->files) - 1; di >= 0; di--) {
        int fx = counts[di].files == 0 && counts[di].skipped ? dirEntry(te->files, di) : -1;
        if (fx < 0 || XFA_SKIPPING(te->actions[fx]))
            continue;
        rpmlog(RPMLOG_DEBUG, "excluding directory %s\n", rpmfilesDN(te->files, di));
        te->actions[fx] = FA_SKIPNSTATE;
        counts[rpmfilesDI(te->files, fx)].files--;
        counts[rpmfilesDI(te->files, fx)].skipped = 1;
    }
}

/* What others share out is not there to be removed, either. */
static void skipErased(const struct policy *policy, rpmte te)
{
    for (int fx = 0; fx < (int) rpmfilesFC(te->files); fx++) {
        char *path = rpmfilesFN(te->files, fx);
        te->actions[fx] = isNetshared(policy->netshared, path) ? FA_SKIPNETSHARED : FA_UNKNOWN;
        rfree(path);
    }
}

static void skipInstalled(const struct policy *policy, rpmte te)
{
    struct dirCount *counts = rcalloc(rpmfilesDC(te->files), sizeof(*counts));

    for (int fx = 0; fx < (int) rpmfilesFC(te->files); fx++) {
        te->actions[fx] = actionOf(policy, te->files, fx);
        countFile(counts, te->files, fx, te->actions[fx] != FA_UNKNOWN);
    }
    skipEmptied(te, counts);
    rfree(counts);
}

void rpmFateSkip(rpmts ts, rpmte te)
{
    struct policy policy;

    policyInit(&policy, ts);
    te->nreplaced = 0;
    if (te->type == TR_ADDED)
        skipInstalled(&policy, te);
    else
        skipErased(&policy, te);
    policyFini(&policy);
}
