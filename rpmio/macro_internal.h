/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMIO_MACRO_INTERNAL_H
#define RPMIO_MACRO_INTERNAL_H

/** @file macro_internal.h
 * What the files of the macro language share. All of it runs under the context's lock.
 *
 *     macro.c              contexts, the table, public calls
 *     macro_expand.c       expansion of a text
 *     macro_args.c         arguments and options of parametric macros
 *     macro_define.c       definitions as text
 *     macro_builtin.c      built-in macros, those for strings in macro_builtin_str.c
 *     macro_file.c         macro files
 *     macro_dump.c         what is shown to people: tables, traces, sources
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <rpm/argv.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmutil.h>

/** Deepest nesting of expansions, as upstream's. */
#define MACRO_MAX_DEPTH 64
/** Bytes that one expansion may read and write in all. */
#define MACRO_MAX_WORK ((size_t)16 << 20)
/** What a macro call costs of that, besides its text. */
#define MACRO_CALL_COST 64
/** What a definition or an argument costs of that: they are kept, and moved about. */
#define MACRO_DEFINE_COST ((size_t)1 << 10)
/** What a shell command or a macro file costs of that. */
#define MACRO_SYSTEM_COST ((size_t)16 << 10)
/** Longest definition in a macro file, in bytes. */
#define MACRO_MAX_DEFINITION ((size_t)1 << 20)

/** Brackets an argument that keeps its blanks, see `%{quote:}`. */
#define MACRO_QUOTE '\x1f'

enum macroEntryFlags {
    MACRO_AUTO = 1 << 0,     /**< argument of a call, not seen in calls below it */
    MACRO_USED = 1 << 1,     /**< was looked up */
    MACRO_LITERAL = 1 << 2,  /**< the body is not expanded */
    MACRO_RAW = 1 << 3,      /**< built-in that takes its argument unexpanded */
    MACRO_OPTIONAL = 1 << 4, /**< built-in that may be called without an argument */
};

typedef struct macroBuf_s *macroBuf;

/** The text after a built-in like `%define` that takes what it likes of it. */
struct macroRest {
    const char *s;   /**< in: behind the name; out: where expansion goes on */
    const char *end; /**< end of the text */
};

/** A built-in.
 * @param mb    expansion, to append to
 * @param argv  the name it was called by, then the arguments
 * @param rest  NULL except for MACRO_RAW built-ins in the form `%name ...`
 */
typedef void (*macroFunc)(macroBuf mb, ARGV_const_t argv, struct macroRest *rest);

/** One definition. The table holds the newest of each name, which holds those it covers. */
struct rpmMacroEntry_s {
    char *name;
    char *opts; /**< option letters, NULL for a macro without arguments */
    char *body;
    char *source;   /**< file:line, NULL if not from a file */
    macroFunc func; /**< of a built-in */
    unsigned flags;
    int level;
    int refs;  /**< the table, the scope, and each running expansion of the body */
    bool gone; /**< no longer in the table */
    rpmMacroEntry below;
};

struct rpmMacroContext_s {
    pthread_mutex_t lock;
    rpmMacroEntry *tab; /**< sorted by name */
    size_t n;
    size_t alloc;
    rpmMacroEntry *locals; /**< definitions of running calls, oldest first */
    size_t nlocals;
    const char *file; /**< macro file being read */
    int line;         /**< first line of the definition being read */
    int trace;        /**< depth at which %trace was met outside of any macro */
};

/** State of one expansion. */
struct macroBuf_s {
    rpmMacroContext mc;
    char *text; /**< result so far, NUL-terminated unless NULL */
    size_t len;
    size_t size;
    size_t *work;         /**< what is left of MACRO_MAX_WORK, plus one; 0 when overdrawn */
    rpmMacroEntry called; /**< last macro looked up in this text, for traces */
    int depth;            /**< nesting of expansions */
    int level;            /**< nesting of calls of parametric macros */
    int traceIn;          /**< show calls before expansion? */
    int traceOut;         /**< show results? */
    int error;
};

/* macro.c */

/** Lock a context, NULL for the global one; initializes the locks at the first call. */
rpmMacroContext macroAcquire(rpmMacroContext mc);
void macroRelease(rpmMacroContext mc);

/** Find a macro.
 * @return  its present definition, NULL if there is none
 */
rpmMacroEntry macroFind(rpmMacroContext mc, const char *name, size_t len);

/** Define a macro and return its entry, the table's. */
rpmMacroEntry macroPush(rpmMacroContext mc, const char *name, const char *opts, const char *body,
                        int level, unsigned flags);

/** Remove the present definition of a macro. */
void macroPop(rpmMacroContext mc, const char *name);

/** Remove one definition, covered or not. */
void macroRemove(rpmMacroContext mc, rpmMacroEntry me);

/** Copy all visible macros of a context, which is locked meanwhile, into another. */
void macroCopy(rpmMacroContext from, rpmMacroContext to, int level);

/** Drop a reference. */
void macroUnref(rpmMacroEntry me);

/** Log an error (or a warning) with the place in the macro file, and note an error in mb. */
void macroErr(macroBuf mb, bool error, const char *fmt, ...) RPM_GNUC_PRINTF(3, 4);

/* macro_expand.c */

/** Take from the allowance.
 * @return  false, with an error noted and logged, if there is not enough left
 */
bool macroCharge(macroBuf mb, size_t n);

void macroAppend(macroBuf mb, const char *str, size_t len);
void macroAppendStr(macroBuf mb, const char *str);

/** Expand a text, appending to the result. Errors are noted in mb. */
void macroExpand(macroBuf mb, const char *s, size_t len);

/** Expand a text on its own.
 * @return  expansion, the caller's to free, also after an error, which is noted in mb
 */
char *macroExpandApart(macroBuf mb, const char *s, size_t len);

/** Find the end of a bracketed text.
 * @param s      the opening bracket
 * @param end    end of the text
 * @param close  closing bracket
 * @return       behind the closing bracket, NULL if there is none
 */
const char *macroMatch(const char *s, const char *end, char close);

/* macro_args.c */

/** Split at blanks and append, quoted parts being kept together. */
void macroSplit(macroBuf mb, ARGV_t *argvp, const char *str);

/** Define the arguments of a call: %0, %*, %1, %-f and so on.
 * @param argv  name and arguments
 */
void macroEnter(macroBuf mb, rpmMacroEntry me, ARGV_const_t argv);

/** Remove the arguments and local definitions of a call. */
void macroLeave(macroBuf mb);

/* macro_define.c */

/** Counts of brackets opened by `%{`, `%(` and `%[` and not yet closed. */
struct macroNesting {
    int brace, paren, square;
};

/** Step over one character of a body.
 * @return  how many bytes belong together: 2 for an escaped character, `%%` and `%{` and kin
 */
size_t macroNest(struct macroNesting *n, const char *s, const char *end);

/** Execute a definition.
 * @param s       `NAME[(OPTIONS)] BODY`
 * @param end     end of the text
 * @param level   level of the new macro
 * @param expand  expand the body first (%global)?
 * @param next    NULL if all of the text is the definition, else where the rest begins
 */
void macroDefine(macroBuf mb, const char *s, const char *end, int level, bool expand,
                 const char **next);

/** Remove a macro by the name that a user gave. */
void macroUndefine(macroBuf mb, const char *name);

/* macro_builtin.c, macro_builtin_str.c */

struct macroBuiltin {
    const char *name;
    macroFunc func;
    bool arg;       /**< does it take an argument? */
    unsigned flags; /**< enum macroEntryFlags */
};
extern const struct macroBuiltin macroStringBuiltins[];

/** Define all built-ins, unless they are. */
void macroInitBuiltins(rpmMacroContext mc);

/* macro_file.c */

/** See rpmLoadMacroFile(). */
int macroLoadFile(rpmMacroContext mc, const char *fn);

/* macro_dump.c */

void macroDump(rpmMacroContext mc, FILE *fp);
/** Show a call that is about to be expanded: s to se, of a text that ends at end. */
void macroTraceCall(macroBuf mb, const char *s, const char *se, const char *end);
/** Show the result of an expansion: what was appended from a length on. */
void macroTraceResult(macroBuf mb, size_t from);

#endif /* RPMIO_MACRO_INTERNAL_H */
