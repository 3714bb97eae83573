/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMMACRO_H
#define RPM_RPMMACRO_H

/** @file rpm/rpmmacro.h
 * The macro language: tables of macros, macro files, and expansion.
 *
 * Names and signatures are those of upstream's rpm/rpmmacro.h, but for rpmMacroSource(). Every
 * call takes a context, where NULL means the global one, and holds its (recursive) lock: all
 * are safe to use from several threads. Errors and warnings go through rpmlog(), after the
 * file and line where a macro file is at fault.
 *
 * `%{lua:...}`, `%{expr:...}` and `%[...]` are known, so that files that use them load; they
 * are an error where they are expanded. Expansion nests 64 levels at most, as upstream's does.
 * Beyond that, one call may read and write 16 MiB of text in all, so that a chain of macros
 * that each double the last ends in an error and not in a full memory.
 */

#include <stdio.h>
#include <stddef.h>

#include <rpm/argv.h>
#include <rpm/rpmfileutil.h>
#include <rpm/rpmutil.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rpmMacroEntry_s *rpmMacroEntry;
typedef struct rpmMacroContext_s *rpmMacroContext;

/** The context that expansion uses. */
extern rpmMacroContext rpmGlobalMacroContext;

/** Macros of the command line: rpmInitMacros() copies them over those of the files. */
extern rpmMacroContext rpmCLIMacroContext;

/** Colon separated glob patterns of the macro files that rpmReadConfigFiles() reads, in their
 * order. NULL until then, unless the caller sets it: then it replaces the usual path. The
 * string stays its setter's. */
extern const char *macrofiles;

/** @name Levels: who defined a macro
 * A level above 0 is a call depth: such a macro is gone when the call returns.
 * @{
 */
#define RMIL_BUILTIN -20
#define RMIL_DEFAULT -15
#define RMIL_MACROFILES -13
#define RMIL_RPMRC -11
#define RMIL_CMDLINE -7
#define RMIL_TARBALL -5
#define RMIL_SPEC -3
#define RMIL_OLDSPEC -1
#define RMIL_GLOBAL 0
/** @} */

/** Deprecated names. */
#define addMacro(_mc, _n, _o, _b, _l) rpmPushMacro(_mc, _n, _o, _b, _l)
#define delMacro(_mc, _n) rpmPopMacro(_mc, _n)

typedef enum rpmMacroFlags_e {
    RPMMACRO_DEFAULT = 0,
    RPMMACRO_LITERAL = (1 << 0), /*!< the body is text, not to be expanded */
} rpmMacroFlags;

/** Print all visible macros, one a line: level, name, options, body.
 * @param mc  context
 * @param fp  stream; NULL is stderr
 */
void rpmDumpMacroTable(rpmMacroContext mc, FILE *fp);

/** Expand the macros in a text.
 * @param mc     context
 * @param sbuf   text
 * @param obuf   the expansion, the caller's to free; untouched on failure
 * @param flags  none are defined: 0
 * @return       1, or -1 after an error was logged
 */
int rpmExpandMacros(rpmMacroContext mc, const char *sbuf, char **obuf, int flags);

/** Define a macro over its present definition, if any.
 * @param mc     context
 * @param n      name, not checked
 * @param o      option letters as of getopt(3) for a parametric macro, NULL for a simple one
 * @param b      body; NULL is empty
 * @param level  RMIL_* or call depth
 * @return       0
 */
int rpmPushMacro(rpmMacroContext mc, const char *n, const char *o, const char *b, int level);

/** As rpmPushMacro(), with flags. */
int rpmPushMacroFlags(rpmMacroContext mc, const char *n, const char *o, const char *b, int level,
                      rpmMacroFlags flags);

/** Remove the present definition of a macro; what it covered is visible again.
 * @param mc  context
 * @param n   name; one that is not defined is no error
 * @return    0
 */
int rpmPopMacro(rpmMacroContext mc, const char *n);

/** Define a macro from text.
 * @param mc     context
 * @param macro  `NAME[(OPTIONS)] BODY`, without a leading %
 * @param level  RMIL_* or call depth
 * @return       0, or 1 after an error was logged
 */
int rpmDefineMacro(rpmMacroContext mc, const char *macro, int level);

/** Whether a macro is defined.
 * @return  1 or 0
 */
int rpmMacroIsDefined(rpmMacroContext mc, const char *n);

/** Whether a macro is defined and takes arguments.
 * @return  1 or 0
 */
int rpmMacroIsParametric(rpmMacroContext mc, const char *n);

/** Where the present definition of a macro came from. Not a call of upstream's.
 * @param mc     context
 * @param n      name
 * @param level  its level (RMIL_*) if not NULL and the macro is defined
 * @return       for people to read, as `/etc/rpm/macros:12` (the definition's first line),
 *               `command line`, `built-in` or `run time`; the caller's to free. NULL if the
 *               macro is not defined.
 */
char *rpmMacroSource(rpmMacroContext mc, const char *n, int *level);

/** Copy all visible macros of a context into the global one.
 * @param mc     context; NULL and the global one do nothing
 * @param level  level of the copies
 */
void rpmLoadMacros(rpmMacroContext mc, int level);

/** Read a macro file.
 * @param mc  context
 * @param fn  path
 * @return    0; -1 if it cannot be opened; 1 if one of its definitions is faulty (logged; the
 *            others are in force)
 */
int rpmLoadMacroFile(rpmMacroContext mc, const char *fn);

/** Set up a context: the built-ins, then macro files, then rpmCLIMacroContext.
 * @param mc          context
 * @param macrofiles  colon separated glob patterns (`~` is the home directory; names in
 *                    .rpmnew, .rpmsave and .rpmorig are passed over, missing ones are no
 *                    error); NULL for no files
 */
void rpmInitMacros(rpmMacroContext mc, const char *macrofiles);

/** Remove all macros of a context. It may be used again. */
void rpmFreeMacros(rpmMacroContext mc);

/** Expand the concatenation of strings in the global context.
 * @param arg  first string; a NULL ends the list
 * @return     expansion, the caller's to free; after an error (logged) as far as it came
 */
char *rpmExpand(const char *arg, ...) RPM_GNUC_NULL_TERMINATED;

/** Expand a string in the global context to a number.
 * @param arg  text, commonly `%{?name}`
 * @return     1 for a result that begins with Y or y; an integer in C's notation (saturated);
 *             0 for everything else, an undefined macro included
 */
int rpmExpandNumeric(const char *arg);

/** The directory of the distribution's rpm configuration.
 * @return  $RPM_CONFIGDIR as of the first call, else /usr/lib/rpm; never freed
 */
const char *rpmConfigDir(void);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMMACRO_H */
