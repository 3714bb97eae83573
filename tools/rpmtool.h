/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMTOOL_H
#define RPMTOOL_H

/** @file
 * What the parts of the rpm command share. Everything here belongs to the one thread of main().
 */

#include <stdbool.h>

#include <popt.h>

#include <rpm/argv.h>
#include <rpm/header.h>
#include <rpm/rpmcallback.h>
#include <rpm/rpmfiles.h>
#include <rpm/rpmts.h>
#include <rpm/rpmtypes.h>
#include <rpm/rpmutil.h>

/** What the command is to do: one of these at a time. */
enum toolMode {
    MODE_NONE = 0,
    MODE_INSTALL = (1 << 0),
    MODE_QUERY = (1 << 1),
    MODE_VERIFY = (1 << 2),
    MODE_CHECKSIG = (1 << 3),
    MODE_ERASE = (1 << 4),
    MODE_INITDB = (1 << 5),
    MODE_REBUILDDB = (1 << 6),
    MODE_VERIFYDB = (1 << 7),
};
#define MODES_DB (MODE_INITDB | MODE_REBUILDDB | MODE_VERIFYDB)

/** How MODE_INSTALL does it. None of these: beside what there is. */
enum installWay {
    INSTALL_UPGRADE = (1 << 0),   /**< in place of other versions */
    INSTALL_FRESHEN = (1 << 1),   /**< an upgrade of what is there only */
    INSTALL_REINSTALL = (1 << 2), /**< in place of the same version */
};

/** Which packages are queried or verified: what the operands are. */
enum querySource {
    SOURCE_LABEL = 0, /**< names, with or without version, release and architecture */
    SOURCE_ALL,       /**< patterns */
    SOURCE_PACKAGE,   /**< package files */
    SOURCE_FILE,      /**< installed files */
    SOURCE_PATH,      /**< files, installed or not */
    SOURCE_GROUP,
    SOURCE_PKGID,
    SOURCE_HDRID,
    SOURCE_NUMBER,
    SOURCE_TID,
    SOURCE_TRIGGEREDBY,
    SOURCE_WHATCONFLICTS,
    SOURCE_WHATENHANCES,
    SOURCE_WHATOBSOLETES,
    SOURCE_WHATPROVIDES,
    SOURCE_WHATRECOMMENDS,
    SOURCE_WHATREQUIRES,
    SOURCE_WHATSUGGESTS,
    SOURCE_WHATSUPPLEMENTS,
};

enum queryFlags {
    QUERY_LIST = (1 << 0),
    QUERY_STATE = (1 << 1),
    QUERY_DUMP = (1 << 2),
};

enum verifySkips {
    SKIP_FILES = (1 << 0),
    SKIP_DEPS = (1 << 1),
    SKIP_SCRIPT = (1 << 2),
};

enum progressFlags {
    SHOW_PERCENT = (1 << 0),
    SHOW_HASH = (1 << 1),
    SHOW_LABEL = (1 << 2),
};

enum statsForm {
    STATS_NONE = 0,
    STATS_TEXT,
    STATS_JSON,
};

/** The command line, parsed. */
struct toolOptions {
    unsigned int modes;      /**< enum toolMode, all that were asked for */
    unsigned int way;        /**< enum installWay */
    enum querySource source;
    unsigned int queryFlags; /**< enum queryFlags */
    rpmfileAttrs include;    /**< query and verify only files with one of these, 0 for all */
    rpmfileAttrs exclude;    /**< neither query nor verify files with one of these */
    char *queryFormat;       /**< all --queryformat in a row, malloc'd; NULL for none */
    rpmVerifyAttrs omit;     /**< not to be verified */
    unsigned int skip;       /**< enum verifySkips */
    rpmtransFlags transFlags;
    rpmprobFilterFlags probFilter;
    int allMatches;          /**< erase all packages of a name */
    int noOrder;             /**< keep the order of the command line */
    unsigned int progress;   /**< enum progressFlags */
    int includeDocs;
    rpmVSFlags vsFlags;
    int vfyLevelMask;        /**< RPMSIG_* bits that need not be verified */
    const char *root;
    char *pipe;              /**< shell command that reads our output, malloc'd; NULL for none */
    int debug;
    int quiet;
    int stats;               /**< enum statsForm */
};

extern struct toolOptions opts;

/** The option tables of the command. */
extern struct poptOption toolOptionTable[];

/** Parse the command line into opts. Options that print something and end the program do so
 * here, as do errors.
 * @return  the context, the caller's to poptFreeContext(); its remaining arguments are the
 *          operands
 */
poptContext parseOptions(int argc, char **argv);

/** Options of rpm that this version does not have: all are recognized, and refused. */
extern struct poptOption refusedOptionTable[];

/** Refuse an option.
 * @param val  value of an option of refusedOptionTable
 * @return     the table's option; NULL for a value that is not of the table
 */
const struct poptOption *refusedOption(int val);

/** Add the options that stand for a query format: --provides, --info and so on. */
void addAliases(poptContext con);

/** Decide on the mode, and refuse options that the mode does not have.
 * @return  the mode; MODE_NONE if none was asked for
 */
enum toolMode decideMode(void);

/** Say an error of the command line and exit with status 1. */
void argerror(const char *fmt, ...) RPM_GNUC_NORETURN RPM_GNUC_PRINTF(1, 2);

/** Read the configuration unless that is done already. Exits with status 1 if it fails. */
void configure(void);

/** Print version, licence and usage. */
void printUsage(poptContext con, FILE *fp);
void printVersion(FILE *fp);

/** --querytags and --showrc.
 * @return  exit status
 */
int printQueryTags(FILE *fp);
int printConfiguration(FILE *fp);

/** Read the header of a package file. What is wrong with it is logged.
 * @param ts   transaction set whose RPMVSF_* flags say what is checked
 * @param fn   path
 * @return     header, the caller's to headerFree(); NULL on failure
 */
Header readPackage(rpmts ts, const char *fn);

/** What is done for a package.
 * @return  0, or what becomes the exit status
 */
typedef int (*packageFunction)(rpmts ts, Header h);

/** Call a function for the header of each package file named.
 * @return  how many packages could not be read, plus the function's last result that was not 0
 */
int eachPackageFile(rpmts ts, ARGV_const_t args, packageFunction show);

/** Call a function for each package that the command line selects (see enum querySource). What is
 * not found is logged in rpm's words.
 * @return  for each operand without a package 1, with packages the function's last result that was
 *          not 0: the sum
 */
int eachPackage(rpmts ts, ARGV_const_t args, packageFunction show);

/** @return the format that packages are named by, `%{_query_all_fmt}`, and a newline; the caller's
 *          to rfree() */
char *queryFormat(void);

/** Check, order and run the elements of a transaction set, and print its problems.
 * @param what  for the log: "erasing packages"
 * @return      0; number of elements of a set that was not begun; < 0 if some elements failed
 */
int runTransaction(rpmts ts, const char *what);

/** Set up what installing and erasing have in common.
 * @param vsflags  macro with the RPMVSF_* flags
 */
void setUpTransaction(rpmts ts, const char *vsflags);

/** The modes.
 * @param args  operands, at least one; none for modes that have none
 * @return      exit status, not yet limited to what an exit status can hold
 */
int runInstall(rpmts ts, ARGV_const_t args);
int runErase(rpmts ts, ARGV_const_t args);
int runQuery(rpmts ts, ARGV_const_t args);
int runVerify(rpmts ts, ARGV_const_t args);
int runCheckSignatures(rpmts ts, ARGV_const_t args);
int runDatabase(rpmts ts, enum toolMode mode);

/** Send stdout to the shell command of --pipe from now on; no command, no change. Exits with
 * status 1 if that fails. */
void beginPipe(void);

/** Wait for that command.
 * @return  0, 1 if it failed
 */
int endPipe(void);

/** Notify function that opens package files and draws what rpm draws.
 * @param data  enum progressFlags as a pointer
 */
void *showProgress(const void *h, const rpmCallbackType what, const rpm_loff_t amount,
                   const rpm_loff_t total, fnpyKey key, rpmCallbackData data);

/** --stats: print the counters of a transaction set, and those of its write policy, to stderr; as
 * one JSON object with --stats=json. */
void printStats(rpmts ts);

#endif /* RPMTOOL_H */
