/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Macro files: finding them, and reading the definitions in them. */

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>

#include "macro_internal.h"

const char *macrofiles = NULL;

/* The text of one definition, which may take several lines. */
struct reader {
    FILE *fp;
    const char *name;
    char *text;
    size_t len;
    size_t size;
    int line; /* lines read so far */
};

static const char *configDir;
static pthread_once_t configDirOnce = PTHREAD_ONCE_INIT;

static void initConfigDir(void)
{
    const char *dir = getenv("RPM_CONFIGDIR");

    configDir = rstrdup(dir ? dir : "/usr/lib/rpm");
}

const char *rpmConfigDir(void)
{
    pthread_once(&configDirOnce, initConfigDir);
    return configDir;
}

static void addByte(struct reader *r, char c)
{
    if (r->len + 1 >= r->size) {
        r->size = r->size ? r->size * 2 : BUFSIZ;
        r->text = rrealloc(r->text, r->size);
    }
    r->text[r->len++] = c;
    r->text[r->len] = '\0';
}

static bool atEol(const struct reader *r, size_t from)
{
    return r->len > from && (r->text[r->len - 1] == '\n' || r->text[r->len - 1] == '\r');
}

/* Append the rest of a line with its newline. Returns what is wrong with it, NULL if nothing. */
static const char *addLine(struct reader *r)
{
    int c;

    while ((c = getc_unlocked(r->fp)) != EOF) {
        if (c == '\0')
            return "NUL byte";
        if (r->len >= MACRO_MAX_DEFINITION)
            return "definition is longer than 1 MiB";
        addByte(r, (char)c);
        if (c == '\n')
            break;
    }
    /* A directory among the files just holds no macros. */
    return (ferror(r->fp) && errno != EISDIR) ? strerror(errno) : NULL;
}

/* Append a line without its end. Returns 1, 0 at the end of the file, -1 (logged) for what
 * cannot be read as a macro file. */
static int readLine(struct reader *r, macroBuf mb)
{
    size_t from = r->len;
    const char *wrong = addLine(r);

    if (wrong != NULL) {
        macroErr(mb, true, "line %d: %s\n", r->line + 1, wrong);
        return -1;
    }
    if (r->len == from)
        return 0;
    while (atEol(r, from))
        r->text[--r->len] = '\0';
    r->line++;
    return 1;
}

/* Read up to the end of a definition: a line that leaves no bracket open and does not end with
 * a backslash. A line that is none comes back as it is. As readLine(). */
static int readDefinition(struct reader *r, macroBuf mb)
{
    struct macroNesting nest = { 0 };
    size_t at = 0;
    int rc;

    r->len = 0;
    rc = readLine(r, mb);
    if (rc <= 0 || r->text[strspn(r->text, " \t")] != '%')
        return rc;
    for (;;) {
        while (at < r->len)
            at += macroNest(&nest, r->text + at, r->text + r->len);
        if (!nest.brace && !nest.paren && !nest.square
            && (r->len == 0 || r->text[r->len - 1] != '\\'))
            return 1;
        addByte(r, '\n');
        rc = readLine(r, mb);
        if (rc <= 0)
            return rc < 0 ? -1 : 1;
    }
}

/* Make the definition in the reader, unless it is a comment or other text. */
static int defineFromFile(macroBuf mb, const struct reader *r)
{
    const char *s = r->text + strspn(r->text, " \t");
    char line[12];
    const char *next;

    if (*s != '%')
        return 0;
    mb->error = 0;
    snprintf(line, sizeof(line), "%d", r->line);
    macroPush(mb->mc, "__file_lineno", NULL, line, RMIL_MACROFILES, MACRO_LITERAL);
    macroDefine(mb, s + 1, r->text + r->len, RMIL_MACROFILES, false, &next);
    macroPop(mb->mc, "__file_lineno");
    return mb->error;
}

static int readDefinitions(rpmMacroContext mc, struct reader *r)
{
    size_t work;
    struct macroBuf_s mb = { .mc = mc, .work = &work };
    int failed = 0;
    int rc;

    for (;;) {
        work = MACRO_MAX_WORK + 1;
        mc->line = r->line + 1;
        rc = readDefinition(r, &mb);
        if (rc <= 0)
            break;
        failed += defineFromFile(&mb, r);
    }
    return failed > 0 || rc < 0;
}

int macroLoadFile(rpmMacroContext mc, const char *fn)
{
    struct reader r = { .fp = fopen(fn, "re"), .name = fn };
    const char *outerFile = mc->file;
    int outerLine = mc->line;
    int rc;

    if (r.fp == NULL)
        return -1;
    mc->file = fn;
    macroPush(mc, "__file_name", NULL, fn, RMIL_MACROFILES, MACRO_LITERAL);
    rc = readDefinitions(mc, &r);
    macroPop(mc, "__file_name");
    mc->file = outerFile;
    mc->line = outerLine;
    fclose(r.fp);
    free(r.text);
    return rc;
}

int rpmLoadMacroFile(rpmMacroContext mc, const char *fn)
{
    int rc;

    mc = macroAcquire(mc);
    rc = macroLoadFile(mc, fn);
    macroRelease(mc);
    return rc;
}

static bool hasSuffix(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);

    return n >= m && rstreq(s + n - m, suffix);
}

/* Left over by package upgrades. */
static bool isLeftover(const char *fn)
{
    return hasSuffix(fn, ".rpmnew") || hasSuffix(fn, ".rpmsave") || hasSuffix(fn, ".rpmorig");
}

/* Load what a pattern matches, in the same order in every locale. */
static void loadPattern(rpmMacroContext mc, const char *pattern)
{
    glob_t found;

    if (glob(pattern, GLOB_TILDE | GLOB_BRACE | GLOB_NOSORT, NULL, &found) != 0)
        return;
    argvSort(found.gl_pathv, NULL);
    for (char **fn = found.gl_pathv; *fn != NULL; fn++) {
        if (!isLeftover(*fn))
            macroLoadFile(mc, *fn);
    }
    globfree(&found);
}

void rpmInitMacros(rpmMacroContext mc, const char *macrofiles)
{
    ARGV_t patterns = NULL;

    mc = macroAcquire(mc);
    macroInitBuiltins(mc);
    argvSplit(&patterns, macrofiles ? macrofiles : "", ":");
    for (ARGV_t p = patterns; p != NULL && *p != NULL; p++)
        loadPattern(mc, *p);
    argvFree(patterns);
    macroCopy(rpmCLIMacroContext, mc, RMIL_CMDLINE);
    macroRelease(mc);
}
