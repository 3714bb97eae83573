/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a transaction. */

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "fsm.h"
#include "rpmte_internal.h"

static char *stringOf(Header h, rpmTagVal tag)
{
    const char *s = headerGetString(h, tag);

    return s != NULL ? rstrdup(s) : NULL;
}

static void setNames(rpmte te, Header h)
{
    te->name = stringOf(h, RPMTAG_NAME);
    te->version = stringOf(h, RPMTAG_VERSION);
    te->release = stringOf(h, RPMTAG_RELEASE);
    te->arch = stringOf(h, RPMTAG_ARCH);
    te->os = stringOf(h, RPMTAG_OS);
    te->epoch = headerIsEntry(h, RPMTAG_EPOCH) ? headerGetAsString(h, RPMTAG_EPOCH) : NULL;
    if (te->name == NULL || te->version == NULL || te->release == NULL)
        return;
    te->EVR = rstrscat(NULL, te->epoch != NULL ? te->epoch : "", te->epoch != NULL ? ":" : "",
                       te->version, "-", te->release, NULL);
    te->NEVR = rstrscat(NULL, te->name, "-", te->EVR, NULL);
    te->NEVRA = rstrscat(NULL, te->NEVR, te->arch != NULL ? "." : "",
                         te->arch != NULL ? te->arch : "", NULL);
}

static const char *tempIn(const char *path)
{
    char *copy = rstrdup(path);
    char *save = NULL;
    const char *found = NULL;

    for (char *n = strtok_r(copy, "/", &save); n != NULL && found == NULL;
         n = strtok_r(NULL, "/", &save)) {
        if (fsmIsTemp(n))
            found = path;
    }
    rfree(copy);
    return found;
}

/* What the next transaction takes for a left-over of this one, no package may own. */
static int checkNames(rpmte te)
{
    const char *bad = NULL;

    for (rpm_count_t i = 0; i < rpmfilesDC(te->files) && bad == NULL; i++)
        bad = tempIn(rpmfilesDN(te->files, (int) i));
    for (rpm_count_t i = 0; i < rpmfilesFC(te->files) && bad == NULL; i++)
        bad = tempIn(rpmfilesBN(te->files, (int) i));
    if (bad != NULL)
        rpmlog(RPMLOG_ERR, "package %s: the name %s is reserved for temporary files\n",
               te->NEVRA, bad);
    return bad != NULL;
}

rpmte rpmteNew(Header h, rpmElementType type, fnpyKey key)
{
    rpmte te = rcalloc(1, sizeof(*te));

    te->type = type;
    te->h = headerLink(h);
    te->dbInstance = headerGetInstance(h);
    te->key = key;
    te->isSource = headerIsSource(h);
    te->color = rpmteFindColor(h);
    te->pkgFileSize = headerGetNumber(h, RPMTAG_LONGSIGSIZE);
    setNames(te, h);
    if (te->NEVRA == NULL) {
        rpmlog(RPMLOG_ERR, "a package without a name, version or release cannot be %s\n",
               type == TR_ADDED ? "installed" : "erased");
        return rpmteFree(te);
    }
    te->files = rpmfilesNew(NULL, h, RPMTAG_BASENAMES,
                            type == TR_ADDED ? RPMFI_FLAGS_INSTALL : RPMFI_FLAGS_ERASE);
    if (te->files == NULL || (type == TR_ADDED && checkNames(te)))
        return rpmteFree(te);
    te->actions = rcalloc(rpmfilesFC(te->files), sizeof(*te->actions));
    te->states = rcalloc(rpmfilesFC(te->files), sizeof(*te->states));
    return te;
}

rpmte rpmteFree(rpmte te)
{
    if (te != NULL) {
        rfree(te->name);
        rfree(te->epoch);
        rfree(te->version);
        rfree(te->release);
        rfree(te->arch);
        rfree(te->os);
        rfree(te->EVR);
        rfree(te->NEVR);
        rfree(te->NEVRA);
        rfree(te->actions);
        rfree(te->states);
        rfree(te->replaced);
        rpmfilesFree(te->files);
        rpmpsFree(te->probs);
        headerFree(te->h);
        rfree(te);
    }
    return NULL;
}

void rpmteAddReplaced(rpmte te, unsigned int num, int fx, char state)
{
    te->replaced = rreallocn(te->replaced, te->nreplaced + 1, sizeof(*te->replaced));
    te->replaced[te->nreplaced++] = (struct rpmteReplaced) {
        .num = num, .fx = fx, .state = state,
    };
}

static int hasProblem(rpmte te, rpmProblem prob)
{
    rpmpsi psi = rpmpsInitIterator(te->probs);
    rpmProblem known;

    while ((known = rpmpsiNext(psi)) != NULL && rpmProblemCompare(known, prob) != 0)
        continue;
    rpmpsFreeIterator(psi);
    return known != NULL;
}

void rpmteAddProblem(rpmte te, rpmProblemType type, const char *altNEVR, const char *str,
                     uint64_t number)
{
    rpmProblem prob = rpmProblemCreate(type, te->NEVRA, te->key, altNEVR, str, number);

    if (te->probs == NULL)
        te->probs = rpmpsCreate();
    if (!hasProblem(te, prob))
        rpmpsAppendProblem(te->probs, prob);
    rpmProblemFree(prob);
}

Header rpmteHeader(rpmte te)
{
    return headerLink(te->h);
}

rpmElementType rpmteType(rpmte te)
{
    return te->type;
}

unsigned int rpmteDBInstance(rpmte te)
{
    return te->dbInstance;
}

int rpmteDBOffset(rpmte te)
{
    return (int) te->dbInstance;
}

rpmte rpmteDependsOn(rpmte te)
{
    return te->dependsOn;
}

rpm_color_t rpmteColor(rpmte te)
{
    return te->color;
}

const char *rpmteN(rpmte te)
{
    return te->name;
}

const char *rpmteE(rpmte te)
{
    return te->epoch;
}

const char *rpmteV(rpmte te)
{
    return te->version;
}

const char *rpmteR(rpmte te)
{
    return te->release;
}

const char *rpmteA(rpmte te)
{
    return te->arch;
}

const char *rpmteO(rpmte te)
{
    return te->os;
}

const char *rpmteEVR(rpmte te)
{
    return te->EVR;
}

const char *rpmteNEVR(rpmte te)
{
    return te->NEVR;
}

const char *rpmteNEVRA(rpmte te)
{
    return te->NEVRA;
}

int rpmteIsSource(rpmte te)
{
    return te->isSource;
}

fnpyKey rpmteKey(rpmte te)
{
    return te->key;
}

rpm_loff_t rpmtePkgFileSize(rpmte te)
{
    return te->pkgFileSize;
}

int rpmteFailed(rpmte te)
{
    return te->failed;
}

int rpmteVerified(rpmte te)
{
    return te->verified;
}

rpmps rpmteProblems(rpmte te)
{
    return rpmpsLink(te->probs);
}

void rpmteCleanProblems(rpmte te)
{
    te->probs = rpmpsFree(te->probs);
}

rpmfiles rpmteFiles(rpmte te)
{
    return rpmfilesLink(te->files);
}
