/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Triggers: there is nothing here to run them. A package that has some is refused, and so is what
 * would set off those of a package that is installed. */

#include <stdlib.h>
#include <string.h>

#include <rpm/argv.h>
#include <rpm/rpmdb.h>
#include <rpm/rpmds.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmver.h>

#include "rpmscript.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

/* The kinds of triggers, as the bits of each list of triggers tell them. */
static const struct triggerType {
    rpmsenseFlags sense;
    rpmtransFlags without;
    const char *name;
} triggerTypes[] = {
    { RPMSENSE_TRIGGERPREIN, RPMTRANS_FLAG_NOTRIGGERPREIN, "triggerprein" },
    { RPMSENSE_TRIGGERIN, RPMTRANS_FLAG_NOTRIGGERIN, "triggerin" },
    { RPMSENSE_TRIGGERUN, RPMTRANS_FLAG_NOTRIGGERUN, "triggerun" },
    { RPMSENSE_TRIGGERPOSTUN, RPMTRANS_FLAG_NOTRIGGERPOSTUN, "triggerpostun" },
};

/* File triggers name the beginnings of paths. */
static const struct triggerList {
    rpmTagVal name;
    rpmTagVal version;
    rpmTagVal flags;
    const char *prefix;
    int ofFiles;
} triggerLists[] = {
    { RPMTAG_TRIGGERNAME, RPMTAG_TRIGGERVERSION, RPMTAG_TRIGGERFLAGS, "%", 0 },
    { RPMTAG_FILETRIGGERNAME, RPMTAG_FILETRIGGERVERSION, RPMTAG_FILETRIGGERFLAGS, "%file", 1 },
    { RPMTAG_TRANSFILETRIGGERNAME, RPMTAG_TRANSFILETRIGGERVERSION,
      RPMTAG_TRANSFILETRIGGERFLAGS, "%transfile", 1 },
};

#define NLISTS (sizeof(triggerLists) / sizeof(*triggerLists))

static int areWanted(rpmtransFlags flags)
{
    return !(flags & (RPMTRANS_FLAG_NOSCRIPTS | RPMTRANS_FLAG_NOTRIGGERS | RPMTRANS_FLAG_JUSTDB));
}

static void addNames(char **names, const struct triggerList *list, rpmsenseFlags senses,
                     rpmtransFlags flags)
{
    for (size_t i = 0; i < sizeof(triggerTypes) / sizeof(*triggerTypes); i++) {
        const struct triggerType *type = &triggerTypes[i];

        if ((senses & type->sense) && !(flags & type->without))
            rstrscat(names, *names != NULL ? ", " : "", list->prefix, type->name, NULL);
    }
}

static int refuse(Header h, rpmElementType type, char *names, const char *on)
{
    char *nevra;

    if (names == NULL)
        return 0;
    nevra = headerGetAsString(h, RPMTAG_NEVRA);
    rpmlog(RPMLOG_ERR,
           "package %s has triggers%s%s (%s), which this version does not run: --notriggers %s "
           "without\n",
           nevra, on != NULL ? " on " : "", on != NULL ? on : "", names,
           type == TR_ADDED ? "installs" : "erases");
    rfree(nevra);
    rfree(names);
    return -1;
}

/* -- a package's own --------------------------------------------------------------------------- */

int rpmRefuseTriggers(Header h, rpmElementType type, rpmtransFlags flags)
{
    char *names = NULL;

    for (size_t i = 0; i < NLISTS && areWanted(flags); i++) {
        struct rpmtd_s td;
        rpmsenseFlags senses = 0;
        uint32_t *flag;

        if (!headerGet(h, triggerLists[i].flags, &td, HEADERGET_MINMEM))
            continue;
        while ((flag = rpmtdNextUint32(&td)) != NULL)
            senses |= *flag;
        rpmtdFreeData(&td);
        addNames(&names, &triggerLists[i], senses, flags);
    }
    return refuse(h, type, names, NULL);
}

/* -- those of installed packages --------------------------------------------------------------- */

/* A trigger without a version is for all of them. */
static int isOnVersion(const char *EVR, const char *version, rpmsenseFlags flags)
{
    rpmver have = rpmverParse(EVR);
    rpmver want = rpmverParse(version);
    int on = want == NULL || have == NULL ||
             rpmverOverlap(have, RPMSENSE_EQUAL, want, flags);

    rpmverFree(have);
    rpmverFree(want);
    return on;
}

/* What of a header's list is set off by te; key is te's name, or what its files begin with. */
static rpmsenseFlags setOff(Header h, const struct triggerList *list, rpmte te, const char *key)
{
    rpmsenseFlags mine = te->type == TR_ADDED ? RPMSENSE_TRIGGERPREIN | RPMSENSE_TRIGGERIN
                                              : RPMSENSE_TRIGGERUN | RPMSENSE_TRIGGERPOSTUN;
    rpmsenseFlags senses = 0;
    struct rpmtd_s names, versions, flags;

    headerGet(h, list->name, &names, HEADERGET_MINMEM);
    headerGet(h, list->version, &versions, HEADERGET_MINMEM);
    headerGet(h, list->flags, &flags, HEADERGET_MINMEM);
    for (int i = 0; rpmtdSetIndex(&names, i) == i && rpmtdSetIndex(&flags, i) == i; i++) {
        const char *name = rpmtdGetString(&names);
        uint32_t *flag = rpmtdGetUint32(&flags);
        const char *version = rpmtdSetIndex(&versions, i) == i ? rpmtdGetString(&versions) : NULL;

        if (name != NULL && flag != NULL && rstreq(name, key) &&
            (list->ofFiles || isOnVersion(te->EVR, version, *flag)))
            senses |= *flag & mine;
    }
    rpmtdFreeData(&names);
    rpmtdFreeData(&versions);
    rpmtdFreeData(&flags);
    return senses;
}

static int refuseKey(rpmts ts, const struct triggerList *list, rpmte te, const char *key)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, list->name, key, 0);
    int rc = 0;
    Header h;

    while (rc == 0 && (h = rpmdbNextIterator(mi)) != NULL) {
        char *names = NULL;

        addNames(&names, list, setOff(h, list, te, key), ts->flags);
        rc = refuse(h, te->type, names, te->NEVRA);
    }
    rpmdbFreeIterator(mi);
    return rc;
}

static ARGV_t keysOf(rpmts ts, const struct triggerList *list)
{
    rpmdbIndexIterator ii = rpmdbIndexKeyIteratorInit(rpmtsGetRdb(ts), list->name);
    ARGV_t keys = NULL;
    const void *key;
    size_t length;

    while (rpmdbIndexIteratorNext(ii, &key, &length) == 0)
        argvAddN(&keys, key, length);
    rpmdbIndexIteratorFree(ii);
    return keys;
}

static int hasFileBelow(rpmfiles files, const char *prefix)
{
    int found = 0;

    for (int fx = 0; fx < (int) rpmfilesFC(files) && !found; fx++) {
        char *fn = rpmfilesFN(files, fx);
        found = strncmp(fn, prefix, strlen(prefix)) == 0;
        rfree(fn);
    }
    return found;
}

static int refuseList(rpmts ts, const struct triggerList *list)
{
    ARGV_t keys = keysOf(ts, list);
    int rc = 0;

    for (ARGV_const_t key = keys; key != NULL && *key != NULL && rc == 0; key++) {
        for (int i = 0; i < ts->nelements && rc == 0; i++) {
            rpmte te = ts->elements[i];

            if (list->ofFiles ? hasFileBelow(te->files, *key) : rstreq(te->name, *key))
                rc = refuseKey(ts, list, te, *key);
        }
    }
    argvFree(keys);
    return rc;
}

int rpmRefuseRecordedTriggers(rpmts ts)
{
    int rc = 0;

    for (size_t i = 0; i < NLISTS && rc == 0; i++) {
        if (areWanted(ts->flags) && rpmtsGetRdb(ts) != NULL)
            rc = refuseList(ts, &triggerLists[i]);
    }
    return rc;
}
