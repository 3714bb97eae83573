/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of the rpm command. */

#include <rpm/rpmio.h>
#include <rpm/rpmmacro.h>

#include "rpm_options.h"
#include "rpmtool.h"

struct toolOptions opts = { .root = "/" };

#define FORCE_BITS \
    (RPMPROB_FILTER_REPLACEPKG | RPMPROB_FILTER_REPLACEOLDFILES | \
     RPMPROB_FILTER_REPLACENEWFILES | RPMPROB_FILTER_OLDPACKAGE)

/* An option that is seen by the loop of parseOptions(), one that sets bits, and each of them
 * without a line in the help. */
#define CALL(name, letter, val, help) { name, letter, POPT_ARG_NONE, NULL, val, help, NULL }
#define CALL_HIDDEN(name, val) \
    { name, '\0', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, NULL, val, NULL, NULL }
#define BITS(name, letter, var, bits, help) \
    { name, letter, POPT_BIT_SET, &opts.var, (int)(bits), help, NULL }
#define BITS_HIDDEN(name, var, bits) \
    { name, '\0', POPT_BIT_SET | POPT_ARGFLAG_DOC_HIDDEN, &opts.var, (int)(bits), NULL, NULL }
#define TEXT(name, letter, val, help, what) \
    { name, letter, POPT_ARG_STRING, NULL, val, help, what }
#define INCLUDE(table, title) { NULL, '\0', POPT_ARG_INCLUDE_TABLE, table, 0, title, NULL }

#define SOURCE(name, letter, source, help, what) \
    { name, letter, POPT_ARG_NONE, NULL, OPT_SOURCE + (source), help, what }
#define SOURCE_HIDDEN(name, source) \
    { name, '\0', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, NULL, OPT_SOURCE + (source), NULL, NULL }

static struct poptOption sourceTable[] = {
    SOURCE("all", 'a', SOURCE_ALL, "query/verify all packages", NULL),
    { "checksig", 'K', POPT_BIT_SET, &opts.modes, MODE_CHECKSIG,
      "verify package digests, and tell of signatures", NULL },
    SOURCE("file", 'f', SOURCE_FILE, "query/verify package(s) owning installed file", "FILE"),
    SOURCE("path", '\0', SOURCE_PATH, "query/verify package(s) owning path, installed or not",
           "PATH"),
    SOURCE("group", 'g', SOURCE_GROUP, "query/verify package(s) in group", "GROUP"),
    SOURCE("package", 'p', SOURCE_PACKAGE, "query/verify a package file", NULL),
    SOURCE("pkgid", '\0', SOURCE_PKGID, "query/verify package(s) with package identifier", "MD5"),
    SOURCE("hdrid", '\0', SOURCE_HDRID, "query/verify package(s) with header identifier", "SHA1"),
    CALL("query", 'q', 'q', "rpm query mode"),
    SOURCE_HIDDEN("querybynumber", SOURCE_NUMBER),
    SOURCE_HIDDEN("tid", SOURCE_TID),
    SOURCE("triggeredby", '\0', SOURCE_TRIGGEREDBY,
           "query the package(s) triggered by the package", "PACKAGE"),
    BITS("verify", 'V', modes, MODE_VERIFY, "rpm verify mode"),
    SOURCE("whatconflicts", '\0', SOURCE_WHATCONFLICTS,
           "query/verify the package(s) which conflict with a dependency", "CAPABILITY"),
    SOURCE("whatrequires", '\0', SOURCE_WHATREQUIRES,
           "query/verify the package(s) which require a dependency", "CAPABILITY"),
    SOURCE("whatobsoletes", '\0', SOURCE_WHATOBSOLETES,
           "query/verify the package(s) which obsolete a dependency", "CAPABILITY"),
    SOURCE("whatprovides", '\0', SOURCE_WHATPROVIDES,
           "query/verify the package(s) which provide a dependency", "CAPABILITY"),
    SOURCE("whatrecommends", '\0', SOURCE_WHATRECOMMENDS,
           "query/verify the package(s) which recommend a dependency", "CAPABILITY"),
    SOURCE("whatsuggests", '\0', SOURCE_WHATSUGGESTS,
           "query/verify the package(s) which suggest a dependency", "CAPABILITY"),
    SOURCE("whatsupplements", '\0', SOURCE_WHATSUPPLEMENTS,
           "query/verify the package(s) which supplement a dependency", "CAPABILITY"),
    SOURCE("whatenhances", '\0', SOURCE_WHATENHANCES,
           "query/verify the package(s) which enhance a dependency", "CAPABILITY"),
    CALL_HIDDEN("noglob", OPT_ACCEPTED),
    CALL_HIDDEN("nomanifest", OPT_ACCEPTED),
    POPT_TABLEEND
};

static struct poptOption databaseTable[] = {
    BITS("initdb", '\0', modes, MODE_INITDB, "make an empty database where there is none"),
    BITS("rebuilddb", '\0', modes, MODE_REBUILDDB,
         "make the database anew from the package headers in it"),
    BITS_HIDDEN("verifydb", modes, MODE_VERIFYDB),
    POPT_TABLEEND
};

static struct poptOption fileTable[] = {
    BITS("configfiles", 'c', include, RPMFILE_CONFIG, "only include configuration files"),
    BITS("docfiles", 'd', include, RPMFILE_DOC, "only include documentation files"),
    BITS("licensefiles", 'L', include, RPMFILE_LICENSE, "only include license files"),
    BITS("artifactfiles", 'A', include, RPMFILE_ARTIFACT, "only include artifact files"),
    BITS("noghost", '\0', exclude, RPMFILE_GHOST, "exclude %ghost files"),
    BITS("noconfig", '\0', exclude, RPMFILE_CONFIG, "exclude %config files"),
    BITS("noartifact", '\0', exclude, RPMFILE_ARTIFACT, "exclude %artifact files"),
    POPT_TABLEEND
};

static struct poptOption queryTable[] = {
    BITS("dump", '\0', queryFlags, QUERY_LIST | QUERY_DUMP, "dump basic file information"),
    BITS("list", 'l', queryFlags, QUERY_LIST, "list files in package"),
    { "qf", '\0', POPT_ARG_STRING | POPT_ARGFLAG_DOC_HIDDEN, NULL, OPT_QUERYFORMAT, NULL, NULL },
    TEXT("queryformat", '\0', OPT_QUERYFORMAT, "use the following query format", "QUERYFORMAT"),
    BITS("state", 's', queryFlags, QUERY_LIST | QUERY_STATE,
         "display the states of the listed files"),
    POPT_TABLEEND
};

/* popt takes the first option of a name: those that both verify and install have set what both
 * look at. */
static struct poptOption verifyTable[] = {
    BITS("nofiledigest", '\0', omit, RPMVERIFY_FILEDIGEST, "don't verify digest of files"),
    BITS_HIDDEN("nomd5", omit, RPMVERIFY_FILEDIGEST),
    BITS_HIDDEN("nosize", omit, RPMVERIFY_FILESIZE),
    BITS_HIDDEN("nolinkto", omit, RPMVERIFY_LINKTO),
    BITS_HIDDEN("nouser", omit, RPMVERIFY_USER),
    BITS_HIDDEN("nogroup", omit, RPMVERIFY_GROUP),
    BITS_HIDDEN("nomtime", omit, RPMVERIFY_MTIME),
    BITS_HIDDEN("nomode", omit, RPMVERIFY_MODE),
    BITS_HIDDEN("nordev", omit, RPMVERIFY_RDEV),
    BITS_HIDDEN("nocontexts", omit, RPMVERIFY_CONTEXTS),
    BITS_HIDDEN("nocaps", omit, RPMVERIFY_CAPS),
    BITS("nofiles", '\0', skip, SKIP_FILES, "don't verify files in package"),
    BITS("nodeps", '\0', skip, SKIP_DEPS, "don't verify package dependencies"),
    CALL("noscript", '\0', OPT_NOSCRIPTS, "don't execute verify script(s)"),
    CALL_HIDDEN("noscripts", OPT_NOSCRIPTS),
    POPT_TABLEEND
};

static struct poptOption installTable[] = {
    BITS("allfiles", '\0', transFlags, RPMTRANS_FLAG_ALLFILES,
         "install all files, even configurations which might otherwise be skipped"),
    { "allmatches", '\0', POPT_ARG_NONE, &opts.allMatches, 0,
      "remove all packages which match <package>", NULL },
    BITS_HIDDEN("deploops", transFlags, RPMTRANS_FLAG_DEPLOOPS),
    BITS("erase", 'e', modes, MODE_ERASE, "erase (uninstall) package"),
    BITS_HIDDEN("excludeartifacts", transFlags, RPMTRANS_FLAG_NOARTIFACTS),
    BITS_HIDDEN("excludeconfigs", transFlags, RPMTRANS_FLAG_NOCONFIGS),
    BITS("excludedocs", '\0', transFlags, RPMTRANS_FLAG_NODOCS, "do not install documentation"),
    BITS("force", '\0', probFilter, FORCE_BITS, "short hand for --replacepkgs --replacefiles"),
    CALL("freshen", 'F', 'F', "upgrade package(s) if already installed"),
    BITS("hash", 'h', progress, SHOW_HASH,
         "print hash marks as package installs (good with -v)"),
    BITS("ignorearch", '\0', probFilter, RPMPROB_FILTER_IGNOREARCH,
         "don't verify package architecture"),
    BITS("ignoreos", '\0', probFilter, RPMPROB_FILTER_IGNOREOS,
         "don't verify package operating system"),
    BITS("ignoresize", '\0', probFilter, RPMPROB_FILTER_DISKSPACE | RPMPROB_FILTER_DISKNODES,
         "don't check disk space before installing"),
    BITS("noverify", '\0', probFilter, RPMPROB_FILTER_VERIFY,
         "short hand for --ignorepayload --ignoresignature"),
    { "includedocs", '\0', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, &opts.includeDocs, 0, NULL,
      NULL },
    CALL("install", 'i', 'i', "install package(s)"),
    BITS("justdb", '\0', transFlags, RPMTRANS_FLAG_JUSTDB,
         "update the database, but do not modify the filesystem"),
    BITS_HIDDEN("noconfigs", transFlags, RPMTRANS_FLAG_NOCONFIGS),
    BITS("nodb", '\0', transFlags, RPMTRANS_FLAG_NODB,
         "unpack only: neither read nor write the database"),
    BITS("nodeps", '\0', skip, SKIP_DEPS, "do not verify package dependencies"),
    BITS_HIDDEN("nodocs", transFlags, RPMTRANS_FLAG_NODOCS),
    BITS("nofiledigest", '\0', omit, RPMVERIFY_FILEDIGEST, "don't verify digest of files"),
    BITS("nocontexts", '\0', omit, RPMVERIFY_CONTEXTS, "don't install file security contexts"),
    BITS("nocaps", '\0', omit, RPMVERIFY_CAPS, "don't install file capabilities"),
    { "noorder", '\0', POPT_ARG_NONE, &opts.noOrder, 0,
      "do not reorder package installation to satisfy dependencies", NULL },
    CALL("noscripts", '\0', OPT_NOSCRIPTS, "do not execute package scriptlet(s)"),
    BITS_HIDDEN("nopre", transFlags, RPMTRANS_FLAG_NOPRE),
    BITS_HIDDEN("nopost", transFlags, RPMTRANS_FLAG_NOPOST),
    BITS_HIDDEN("nopreun", transFlags, RPMTRANS_FLAG_NOPREUN),
    BITS_HIDDEN("nopostun", transFlags, RPMTRANS_FLAG_NOPOSTUN),
    BITS_HIDDEN("nopretrans", transFlags, RPMTRANS_FLAG_NOPRETRANS),
    BITS_HIDDEN("noposttrans", transFlags, RPMTRANS_FLAG_NOPOSTTRANS),
    BITS("notriggers", '\0', transFlags, _noTransTriggers,
         "do not execute any scriptlet(s) triggered by this package"),
    BITS_HIDDEN("notriggerprein", transFlags, RPMTRANS_FLAG_NOTRIGGERPREIN),
    BITS_HIDDEN("notriggerin", transFlags, RPMTRANS_FLAG_NOTRIGGERIN),
    BITS_HIDDEN("notriggerun", transFlags, RPMTRANS_FLAG_NOTRIGGERUN),
    BITS_HIDDEN("notriggerpostun", transFlags, RPMTRANS_FLAG_NOTRIGGERPOSTUN),
    BITS("oldpackage", '\0', probFilter, RPMPROB_FILTER_OLDPACKAGE,
         "upgrade to an old version of the package (--force on upgrades does this automatically)"),
    BITS("percent", '\0', progress, SHOW_PERCENT, "print percentages as package installs"),
    CALL("reinstall", '\0', OPT_REINSTALL, "reinstall package(s)"),
    BITS("replacefiles", '\0', probFilter,
         RPMPROB_FILTER_REPLACEOLDFILES | RPMPROB_FILTER_REPLACENEWFILES,
         "ignore file conflicts between packages"),
    BITS("replacepkgs", '\0', probFilter, RPMPROB_FILTER_REPLACEPKG,
         "reinstall if the package is already present"),
    BITS("test", '\0', transFlags, RPMTRANS_FLAG_TEST,
         "don't install, but tell if it would work or not"),
    CALL("upgrade", 'U', 'U', "upgrade package(s)"),
    POPT_TABLEEND
};

static struct poptOption commonTable[] = {
    { "debug", '\0', POPT_ARG_VAL | POPT_ARGFLAG_DOC_HIDDEN, &opts.debug, -1, NULL, NULL },
    { "predefine", '\0', POPT_ARG_STRING | POPT_ARGFLAG_DOC_HIDDEN, NULL, OPT_PREDEFINE, NULL,
      NULL },
    TEXT("define", 'D', 'D', "define MACRO with value EXPR", "'MACRO EXPR'"),
    TEXT("undefine", '\0', OPT_UNDEFINE, "undefine MACRO", "MACRO"),
    TEXT("eval", 'E', 'E', "print macro expansion of EXPR", "'EXPR'"),
    { "macros", '\0', POPT_ARG_STRING, &macrofiles, 0,
      "read <FILE:...> instead of default file(s)", "<FILE:...>" },
    TEXT("load", '\0', OPT_LOAD, "load a single macro file", "<FILE>"),
    CALL("nodigest", '\0', OPT_NODIGEST, "don't verify package digest(s)"),
    CALL_HIDDEN("nohdrchk", OPT_NOHDRCHK),
    CALL_HIDDEN("noplugins", OPT_ACCEPTED),
    CALL("nosignature", '\0', OPT_NOSIGNATURE, "don't verify package signature(s)"),
    { "pipe", '\0', POPT_ARG_STRING | POPT_ARGFLAG_DOC_HIDDEN, NULL, OPT_PIPE, NULL, NULL },
    { "root", 'r', POPT_ARG_STRING | POPT_ARGFLAG_SHOW_DEFAULT, &opts.root, 0,
      "use ROOT as top level directory", "ROOT" },
    TEXT("dbpath", '\0', OPT_DBPATH, "use database in DIRECTORY", "DIRECTORY"),
    CALL("querytags", '\0', OPT_QUERYTAGS, "display known query tags"),
    CALL("showrc", '\0', OPT_SHOWRC, "display final rpmrc and macro configuration"),
    { "quiet", '\0', POPT_ARG_NONE, &opts.quiet, 0, "provide less detailed output", NULL },
    CALL("verbose", 'v', 'v', "provide more detailed output"),
    CALL("version", '\0', OPT_VERSION, "print the version of rpm being used"),
    { "rpmiodebug", '\0', POPT_ARG_VAL | POPT_ARGFLAG_DOC_HIDDEN, &_rpmio_debug, -1, NULL,
      NULL },
    { "stats", '\0', POPT_ARG_VAL, &opts.stats, STATS_TEXT,
      "print operations, bytes and times of the transaction (--stats=json: as JSON)", NULL },
    { STATS_JSON_OPTION, '\0', POPT_ARG_VAL | POPT_ARGFLAG_DOC_HIDDEN, &opts.stats, STATS_JSON,
      NULL, NULL },
    POPT_TABLEEND
};

struct poptOption toolOptionTable[] = {
    INCLUDE(sourceTable, "Query/Verify package selection options:"),
    INCLUDE(fileTable, "Query/Verify file selection options:"),
    INCLUDE(queryTable, "Query options (with -q or --query):"),
    INCLUDE(verifyTable, "Verify options (with -V or --verify):"),
    INCLUDE(installTable, "Install/Upgrade/Erase options:"),
    INCLUDE(databaseTable, "Database options:"),
    INCLUDE(commonTable, "Common options for all rpm modes:"),
    INCLUDE(refusedOptionTable, NULL),
    POPT_AUTOALIAS
    POPT_AUTOHELP
    POPT_TABLEEND
};
