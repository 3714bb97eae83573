/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options that stand for a query format. They are aliases of popt's, so that they combine with
 * each other and with --queryformat, and that --help lists them as rpm does. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>

#include "rpmtool.h"

/* help NULL: not listed. popt copies what it is given, and takes over the words. */
static void addWords(poptContext con, const char *name, char letter, const char *help,
                     const char *const words[])
{
    int count = 0;
    struct poptItem_s item = {
        .option = { .longName = name, .shortName = letter, .descrip = help,
                    .argInfo = help ? POPT_ARG_NONE : POPT_ARGFLAG_DOC_HIDDEN },
    };

    while (words[count] != NULL)
        count++;
    poptDupArgv(count, (const char **)words, &item.argc, &item.argv);
    poptAddItem(con, &item, 0);
}

static void addAlias(poptContext con, const char *name, char letter, const char *help,
                     const char *option, const char *argument)
{
    const char *const words[] = { option, argument, NULL };

    addWords(con, name, letter, help, words);
}

/* Provides, requires and kin: one line for each, with -v behind its kind. */
static const struct dependencyAlias {
    const char *name;
    char letter;
    const char *tag;
    const char *help;
} dependencyAliases[] = {
    { "conflicts", '\0', "CONFLICT", "list capabilities this package conflicts with" },
    { "obsoletes", '\0', "OBSOLETE", "list other packages removed by installing this package" },
    { "provides", 'P', "PROVIDE", "list capabilities that this package provides" },
    { "requires", 'R', "REQUIRE", "list capabilities required by package(s)" },
    { "recommends", '\0', "RECOMMEND", "list capabilities recommended by package(s)" },
    { "suggests", '\0', "SUGGEST", "list capabilities suggested by package(s)" },
    { "supplements", '\0', "SUPPLEMENT", "list capabilities supplemented by package(s)" },
    { "enhances", '\0', "ENHANCE", "list capabilities enhanced by package(s)" },
};

static void addDependencyAlias(poptContext con, const struct dependencyAlias *alias)
{
    char *format = NULL;

    rasprintf(&format, "[%%|VERBOSE?{%%{%sFLAGS:deptype}: }:{}|%%{%sNEVRS}\n]", alias->tag,
              alias->tag);
    addAlias(con, alias->name, alias->letter, alias->help, "--qf", format);
    rfree(format);
}

static const struct script {
    const char *name;
    const char *tag;
} scripts[] = {
    { "pretrans", "PRETRANS" },       { "preinstall", "PREIN" },
    { "postinstall", "POSTIN" },      { "preuninstall", "PREUN" },
    { "postuninstall", "POSTUN" },    { "posttrans", "POSTTRANS" },
    { "verify", "VERIFYSCRIPT" },
};

/* A script with its interpreter, or the interpreter where it is all there is. */
static char *scriptFormat(const struct script *script)
{
    char *format = NULL;

    rasprintf(&format,
              "%%|%s?{%s scriptlet%%|%sPROG?{ (using[ %%{%sPROG}])}|:\n%%{%s}\n}:"
              "{%%|%sPROG?{%s program:[ %%{%sPROG}]\n}|}|",
              script->tag, script->name, script->tag, script->tag, script->tag, script->tag,
              script->name, script->tag);
    return format;
}

static void addScriptsAlias(poptContext con)
{
    char *format = NULL;

    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
        char *one = scriptFormat(&scripts[i]);

        rstrcat(&format, one);
        rfree(one);
    }
    addAlias(con, "scripts", '\0', "list install/erase scriptlets from package(s)", "--qf", format);
    rfree(format);
}

/* One field of --info: the label, and the tag that must be there for it, if one must. */
static const struct infoField {
    const char *label;
    const char *value;
    const char *needs;
} infoFields[] = {
    { "Name", "%{NAME}", NULL },
    { "Epoch", "%{EPOCH}", "EPOCH" },
    { "Version", "%{VERSION}", NULL },
    { "Release", "%{RELEASE}", NULL },
    { "DistTag", "%{DISTTAG}", "DISTTAG" },
    { "Architecture", "%{ARCH}", NULL },
    { "Install Date", "%|INSTALLTIME?{%{INSTALLTIME:date}}:{(not installed)}|", NULL },
    { "Group", "%{GROUP}", NULL },
    { "Size", "%{LONGSIZE}", NULL },
    { "License", "%{LICENSE}", "LICENSE" },
    { "Signature", "%|DSAHEADER?{%{DSAHEADER:pgpsig}}:{%|RSAHEADER?{%{RSAHEADER:pgpsig}}:"
                   "{%|SIGGPG?{%{SIGGPG:pgpsig}}:{%|SIGPGP?{%{SIGPGP:pgpsig}}:{(none)}|}|}|}|",
      NULL },
    { "Source RPM", "%{SOURCERPM}", NULL },
    { "Build Date", "%{BUILDTIME:date}", NULL },
    { "Build Host", "%{BUILDHOST}", NULL },
    { "Relocations", "[%{PREFIXES} ]", "PREFIXES" },
    { "Packager", "%{PACKAGER}", "PACKAGER" },
    { "Vendor", "%{VENDOR}", "VENDOR" },
    { "URL", "%{URL}", "URL" },
    { "Bug URL", "%{BUGURL}", "BUGURL" },
    { "Summary", "%{SUMMARY}", NULL },
};

static void addInfoAlias(poptContext con)
{
    char *format = NULL;

    for (size_t i = 0; i < sizeof(infoFields) / sizeof(*infoFields); i++) {
        const struct infoField *field = &infoFields[i];
        char *line = NULL;

        if (field->needs != NULL)
            rasprintf(&line, "%%|%s?{%-12s: %s\n}|", field->needs, field->label, field->value);
        else
            rasprintf(&line, "%-12s: %s\n", field->label, field->value);
        rstrcat(&format, line);
        rfree(line);
    }
    rstrcat(&format, "Description :\n%{DESCRIPTION}\n");
    addAlias(con, "info", '\0', "list descriptive information from package(s)", "--qf", format);
    rfree(format);
}

/* The newest first, without the number that they are sorted by. */
static void addLastAlias(poptContext con)
{
    static const char *const words[] = {
        "--qf",
        "%|INSTALLTIME?{%{INSTALLTIME}}:{000000000}| %-45{NVRA} "
        "%|INSTALLTIME?{%{INSTALLTIME:date}}:{(not installed)}|\n",
        "--pipe", "LC_NUMERIC=C sort -r -n | cut -d' ' -f2-", NULL
    };

    addWords(con, "last", '\0', "list package(s) by install time, most recent first", words);
}

static void addDupesAlias(poptContext con)
{
    static const char *const words[] = {
        "--qf",
        "%|SOURCERPM?{%{NAME}.%{ARCH}}:{%|ARCH?{%{NAME}}:{%{NAME}-%{VERSION}}|}|\n",
        "--pipe", "sort | uniq -d", NULL
    };

    addWords(con, "dupes", '\0', "list duplicated packages", words);
}

#define TRIGGERS(title, tag) \
    "[" title "%{" tag "TYPE} scriptlet (using %{" tag "SCRIPTPROG}) -- %{" tag "CONDS}\n" \
    "%{" tag "SCRIPTS}\n]"
#define CHANGES(format) "[* %{CHANGELOGTIME:" format "} %{CHANGELOGNAME}\n%{CHANGELOGTEXT}\n\n]"

static const struct formatAlias {
    const char *name;
    const char *help;
    const char *format;
} formatAliases[] = {
    { "changelog", "list change logs for this package", CHANGES("day") },
    { "changes", "list changes for this package with full time stamps", CHANGES("date") },
    { "xml", "list metadata in xml", "[%{*:xml}\n]" },
    { "triggerscripts", NULL, TRIGGERS("trigger", "TRIGGER") },
    { "triggers", "list trigger scriptlets from package(s)", TRIGGERS("trigger", "TRIGGER") },
    { "filetriggerscripts", NULL,
      TRIGGERS("filetrigger", "FILETRIGGER") TRIGGERS("transfiletrigger", "TRANSFILETRIGGER") },
    { "filetriggers", "list filetrigger scriptlets from package(s)",
      TRIGGERS("filetrigger", "FILETRIGGER") TRIGGERS("transfiletrigger", "TRANSFILETRIGGER") },
    { "filesbypkg", "list all files from each package", "[%-25{=NAME} %{FILENAMES}\n]" },
    { "fileclass", "list file names with their classes", "[%{FILENAMES}\t%{FILECLASS}\n]" },
    { "filecolor", "list file names with their colors", "[%{FILENAMES}\t%{FILECOLORS}\n]" },
    { "fileprovide", "list file names with their provides", "[%{FILENAMES}\t%{FILEPROVIDE}\n]" },
    { "filerequire", "list file names with requires", "[%{FILENAMES}\t%{FILEREQUIRE}\n]" },
    { "filecaps", "list file names with their POSIX1.e capabilities",
      "[%{FILENAMES}\t%|FILECAPS?{%{FILECAPS}}|\n]" },
};

void addAliases(poptContext con)
{
    addScriptsAlias(con);
    for (size_t i = 0; i < sizeof(dependencyAliases) / sizeof(*dependencyAliases); i++)
        addDependencyAlias(con, &dependencyAliases[i]);
    addInfoAlias(con);
    addLastAlias(con);
    addDupesAlias(con);
    for (size_t i = 0; i < sizeof(formatAliases) / sizeof(*formatAliases); i++)
        addAlias(con, formatAliases[i].name, '\0', formatAliases[i].help, "--qf",
                 formatAliases[i].format);
    addAlias(con, "trace", '\0', NULL, "--eval", "%trace");
}
