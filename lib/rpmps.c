/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of problems. */

#include <stdint.h>
#include <stdlib.h>

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
    /* Doubled each time there is a power of two of them. */
    if ((ps->n & (ps->n - 1)) == 0)
        ps->probs = rreallocn(ps->probs, 2 * (size_t)ps->n + 1, sizeof(*ps->probs));
    ps->probs[ps->n++] = rpmProblemLink(prob);
}

int rpmpsMerge(rpmps dest, rpmps src)
{
    const int n = dest != NULL ? rpmpsNumProblems(src) : 0;

    for (int i = 0; i < n; i++)
        rpmpsAppendProblem(dest, src->probs[i]);
    return n;
}

void rpmpsPrint(FILE *fp, rpmps ps)
{
    if (fp == NULL)
        fp = stderr;
    for (int i = 0; i < rpmpsNumProblems(ps); i++) {
        char *line = rpmProblemString(ps->probs[i]);
        char *shown = rpmEscape(line, SIZE_MAX);

        fprintf(fp, "\t%s\n", shown);
        rfree(shown);
        rfree(line);
    }
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
