/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of rpm 4.18 that this version does not have: recognized, so that each is refused by
 * its name and not taken for something else. */

#include "rpm_options.h"
#include "rpmtool.h"

#define HIDDEN(type) ((type) | POPT_ARGFLAG_DOC_HIDDEN)
#define OPTION(n, name) \
    { name, '\0', HIDDEN(POPT_ARG_NONE), NULL, OPT_REFUSED + (n), NULL, NULL }
#define OPTION_TEXT(n, name) \
    { name, '\0', HIDDEN(POPT_ARG_STRING), NULL, OPT_REFUSED + (n), NULL, NULL }

/* The values are the indices. */
struct poptOption refusedOptionTable[] = {
    OPTION(0, "restore"),
    OPTION(1, "setperms"),
    OPTION(2, "setugids"),
    OPTION(3, "setcaps"),
    OPTION(4, "badreloc"),
    OPTION_TEXT(5, "excludepath"),
    OPTION_TEXT(6, "prefix"),
    OPTION_TEXT(7, "relocate"),
    OPTION_TEXT(8, "target"),
    OPTION_TEXT(9, "rcfile"),
    OPTION(10, "fsmdebug"),
    OPTION(11, "prtpkts"),
    OPTION(12, "rpmfcdebug"),
    OPTION(13, "nouserns"),
    OPTION(14, "import"),
    OPTION(15, "addsign"),
    OPTION(16, "delsign"),
    OPTION(17, "resign"),
    OPTION(18, "specfile"),
    OPTION_TEXT(19, "httpport"),
    OPTION_TEXT(20, "httpproxy"),
    OPTION_TEXT(21, "i18ndomains"),
    OPTION_TEXT(22, "color"),
    POPT_TABLEEND
};

const struct poptOption *refusedOption(int val)
{
    return &refusedOptionTable[val - OPT_REFUSED];
}
