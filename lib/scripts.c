/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scriptlets in Lua: there is nothing here to run them, so a package that needs one is refused
 * unless the caller does without. */

#include <stdlib.h>

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

static char *luaNames(Header h, rpmElementType type, rpmtransFlags flags)
{
    char *names = NULL;

    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
        const struct script *script = &scripts[i];

        if (script->type == type && rpmScriptIsWanted(script->tag, flags) && rpmScriptIsLua(h, script->tag))
            rstrscat(&names, names != NULL ? ", " : "", script->name, NULL);
    }
    return names;
}

int rpmRefuseScripts(Header h, rpmElementType type, rpmtransFlags flags)
{
    /* A test is to tell beforehand, though it would run nothing. */
    char *names = luaNames(h, type, flags & ~RPMTRANS_FLAG_TEST);
    char *nevra;

    if (names == NULL)
        return rpmRefuseTriggers(h, type, flags);
    nevra = headerGetAsString(h, RPMTAG_NEVRA);
    rpmlog(RPMLOG_ERR,
           "package %s has scriptlets in <lua> (%s), which this version does not run: "
           "--noscripts %s without\n",
           nevra, names, type == TR_ADDED ? "installs" : "erases");
    rfree(nevra);
    rfree(names);
    rpmRefuseTriggers(h, type, flags);
    return -1;
}
