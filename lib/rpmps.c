/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of problems. */

#include <stdint.h>
#include <stdlib.h>

#include <rpm/argv.h>
#include <rpm/rpmps.h>
#include <rpm/rpmstring.h>

#include "misc.h"

struct rpmps_s {
    rpmProblem *probs;
    int n;
    int nrefs;
};

struct rpmpsi_s {
    rpmps ps;
    int ix;
};

rpmps rpmpsCreate(void)
{
    return rpmpsLink(rcalloc(1, sizeof(struct rpmps_s)));
}

rpmps rpmpsLink(rpmps ps)
{
    if (ps != NULL)
        ps->nrefs++;
    return ps;
}

rpmps rpmpsFree(rpmps ps)
{
    if (ps != NULL && --ps->nrefs == 0) {
        for (int i = 0; i < ps->n; i++)
            rpmProblemFree(ps->probs[i]);
        rfree(ps->probs);
        rfree(ps);
    }
    return NULL;
}

int rpmpsNumProblems(rpmps ps)
{
    return ps != NULL ? ps->n : 0;
}

void rpmpsAppendProblem(rpmps ps, rpmProblem prob)
{
    ps->probs = rreallocn(ps->probs, ps->n + 1, sizeof(*ps->probs));
    ps->probs[ps->n++] = rpmProblemLink(prob);
}

static int has(rpmps ps, rpmProblem prob)
{
    for (int i = 0; i < ps->n; i++) {
        if (rpmProblemCompare(ps->probs[i], prob) == 0)
            return 1;
    }
    return 0;
}

int rpmpsMerge(rpmps dest, rpmps src)
{
    int added = 0;

    if (dest == NULL || dest == src)
        return 0;
    for (int i = 0; i < rpmpsNumProblems(src); i++) {
        if (has(dest, src->probs[i]))
            continue;
        rpmpsAppendProblem(dest, src->probs[i]);
        added++;
    }
    return added;
}

void rpmpsPrint(FILE *fp, rpmps ps)
{
    ARGV_t said = argvNew();

    if (fp == NULL)
        fp = stderr;
    for (int i = 0; i < rpmpsNumProblems(ps); i++) {
        char *line = rpmProblemString(ps->probs[i]);
        if (argvSearch(said, line, NULL) == NULL) {
            char *shown = rpmEscape(line, SIZE_MAX);

            fprintf(fp, "\t%s\n", shown);
            rfree(shown);
            argvAdd(&said, line);
            argvSort(said, NULL);
        }
        rfree(line);
    }
    argvFree(said);
}

rpmpsi rpmpsInitIterator(rpmps ps)
{
    rpmpsi psi = NULL;

    if (ps != NULL) {
        psi = rcalloc(1, sizeof(*psi));
        psi->ps = rpmpsLink(ps);
    }
    return psi;
}

rpmpsi rpmpsFreeIterator(rpmpsi psi)
{
    if (psi != NULL) {
        rpmpsFree(psi->ps);
        rfree(psi);
    }
    return NULL;
}

rpmProblem rpmpsiNext(rpmpsi psi)
{
    if (psi == NULL || psi->ix >= psi->ps->n)
        return NULL;
    return psi->ps->probs[psi->ix++];
}
