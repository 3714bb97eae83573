/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scriptlets in Lua, and triggers: there is nothing here to run them, so a package that needs one
 * is refused unless the caller does without. */

#include <stdlib.h>

#include <rpm/rpmds.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>

#include "rpmscript.h"

/* The scriptlets that run when a package comes, and when it goes. */
static const struct script {
    rpmTagVal tag;
    rpmElementType type;
    const char *name;
} scripts[] = {
    { RPMTAG_PRETRANS, TR_ADDED, "%pretrans" },
    { RPMTAG_PREIN, TR_ADDED, "%pre" },
    { RPMTAG_POSTIN, TR_ADDED, "%post" },
    { RPMTAG_PREUN, TR_REMOVED, "%preun" },
    { RPMTAG_POSTUN, TR_REMOVED, "%postun" },
    { RPMTAG_POSTTRANS, TR_ADDED, "%posttrans" },
};

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

static const struct triggerList {
    rpmTagVal flags;
    const char *prefix;
} triggerLists[] = {
    { RPMTAG_TRIGGERFLAGS, "%" },
    { RPMTAG_FILETRIGGERFLAGS, "%file" },
    { RPMTAG_TRANSFILETRIGGERFLAGS, "%transfile" },
};

static void addName(char **names, const char *prefix, const char *name)
{
    rstrscat(names, *names != NULL ? ", " : "", prefix, name, NULL);
}

static int isLua(Header h, rpmTagVal tag)
{
    rpmScript script = rpmScriptFromTag(h, tag);
    int lua = script != NULL && rpmScriptIsLua(script);

    rpmScriptFree(script);
    return lua;
}

static char *luaNames(Header h, rpmElementType type, rpmtransFlags flags)
{
    char *names = NULL;

    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
        const struct script *script = &scripts[i];

        if (script->type == type && rpmScriptIsWanted(script->tag, flags) && isLua(h, script->tag))
            addName(&names, "", script->name);
    }
    return names;
}

/* All bits of a list of triggers. */
static rpmsenseFlags triggerSenses(Header h, rpmTagVal tag)
{
    struct rpmtd_s td;
    rpmsenseFlags senses = 0;
    uint32_t *flag;

    if (!headerGet(h, tag, &td, HEADERGET_MINMEM))
        return 0;
    while ((flag = rpmtdNextUint32(&td)) != NULL)
        senses |= *flag;
    rpmtdFreeData(&td);
    return senses;
}

static char *triggerNames(Header h, rpmtransFlags flags)
{
    char *names = NULL;

    if (flags & (RPMTRANS_FLAG_NOSCRIPTS | RPMTRANS_FLAG_NOTRIGGERS | RPMTRANS_FLAG_JUSTDB))
        return NULL;
    for (size_t i = 0; i < sizeof(triggerLists) / sizeof(*triggerLists); i++) {
        rpmsenseFlags senses = triggerSenses(h, triggerLists[i].flags);

        for (size_t j = 0; j < sizeof(triggerTypes) / sizeof(*triggerTypes); j++) {
            if ((senses & triggerTypes[j].sense) && !(flags & triggerTypes[j].without))
                addName(&names, triggerLists[i].prefix, triggerTypes[j].name);
        }
    }
    return names;
}

static int refuse(Header h, rpmElementType type, char *names, const char *what,
                  const char *option)
{
    char *nevra;

    if (names == NULL)
        return 0;
    nevra = headerGetAsString(h, RPMTAG_NEVRA);
    rpmlog(RPMLOG_ERR, "package %s has %s (%s), which this version does not run: %s %s without\n",
           nevra, what, names, option, type == TR_ADDED ? "installs" : "erases");
    rfree(nevra);
    rfree(names);
    return -1;
}

int rpmRefuseScripts(Header h, rpmElementType type, rpmtransFlags flags)
{
    /* A test is to tell beforehand, though it would run nothing. */
    char *lua = luaNames(h, type, flags & ~RPMTRANS_FLAG_TEST);
    int rc = refuse(h, type, lua, "scriptlets in <lua>", "--noscripts");

    return refuse(h, type, triggerNames(h, flags), "triggers", "--notriggers") != 0 ? -1 : rc;
}
