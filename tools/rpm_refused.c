/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of rpm 4.18 that this version does not have: recognized, so that each is refused by
 * its name and not taken for something else. */

#include "rpm_options.h"
#include "rpmtool.h"

#define HIDDEN(type) ((type) | POPT_ARGFLAG_DOC_HIDDEN)
#define OPTION(n, name, letter) \
    { name, letter, HIDDEN(POPT_ARG_NONE), NULL, OPT_REFUSED + (n), NULL, NULL }
#define OPTION_TEXT(n, name) \
    { name, '\0', HIDDEN(POPT_ARG_STRING), NULL, OPT_REFUSED + (n), NULL, NULL }

/* The values are the indices. */
struct poptOption refusedOptionTable[] = {
    OPTION(0, "all", 'a'),
    OPTION(1, "file", 'f'),
    OPTION(2, "path", '\0'),
    OPTION(3, "group", 'g'),
    OPTION(4, "pkgid", '\0'),
    OPTION(5, "hdrid", '\0'),
    OPTION(6, "querybynumber", '\0'),
    OPTION(7, "tid", '\0'),
    OPTION(8, "triggeredby", '\0'),
    OPTION(9, "whatconflicts", '\0'),
    OPTION(10, "whatrequires", '\0'),
    OPTION(11, "whatobsoletes", '\0'),
    OPTION(12, "whatprovides", '\0'),
    OPTION(13, "whatrecommends", '\0'),
    OPTION(14, "whatsuggests", '\0'),
    OPTION(15, "whatsupplements", '\0'),
    OPTION(16, "whatenhances", '\0'),
    OPTION(17, "erase", 'e'),
    OPTION(18, "allmatches", '\0'),
    OPTION(19, "freshen", 'F'),
    OPTION(20, "upgrade", 'U'),
    OPTION(21, "reinstall", '\0'),
    OPTION(22, "restore", '\0'),
    OPTION(23, "setperms", '\0'),
    OPTION(24, "setugids", '\0'),
    OPTION(25, "setcaps", '\0'),
    OPTION(26, "badreloc", '\0'),
    OPTION(27, "deploops", '\0'),
    OPTION(28, "justdb", '\0'),
    OPTION(29, "nodb", '\0'),
    OPTION(30, "oldpackage", '\0'),
    OPTION_TEXT(31, "excludepath"),
    OPTION_TEXT(32, "prefix"),
    OPTION_TEXT(33, "relocate"),
    OPTION_TEXT(34, "target"),
    OPTION_TEXT(35, "rcfile"),
    OPTION_TEXT(36, "pipe"),
    OPTION(37, "noplugins", '\0'),
    OPTION(38, "nohdrchk", '\0'),
    OPTION(39, "fsmdebug", '\0'),
    OPTION(40, "prtpkts", '\0'),
    OPTION(41, "rpmfcdebug", '\0'),
    OPTION(42, "nouserns", '\0'),
    OPTION(43, "last", '\0'),
    OPTION(44, "dupes", '\0'),
    OPTION(45, "initdb", '\0'),
    OPTION(46, "rebuilddb", '\0'),
    OPTION(47, "verifydb", '\0'),
    OPTION(48, "import", '\0'),
    OPTION(49, "addsign", '\0'),
    OPTION(50, "delsign", '\0'),
    OPTION(51, "resign", '\0'),
    OPTION(52, "specfile", '\0'),
    OPTION_TEXT(53, "httpport"),
    OPTION_TEXT(54, "httpproxy"),
    OPTION_TEXT(55, "i18ndomains"),
    OPTION_TEXT(56, "color"),
    POPT_TABLEEND
};

const struct poptOption *refusedOption(int val)
{
    return &refusedOptionTable[val - OPT_REFUSED];
}
