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
    bool package;            /**< -p: the arguments are package files */
    unsigned int queryFlags; /**< enum queryFlags */
    rpmfileAttrs include;    /**< query and verify only files with one of these, 0 for all */
    rpmfileAttrs exclude;    /**< neither query nor verify files with one of these */
    char *queryFormat;       /**< all --queryformat in a row, malloc'd; NULL for none */
    rpmVerifyAttrs omit;     /**< not to be verified */
    unsigned int skip;       /**< enum verifySkips */
    rpmtransFlags transFlags;
    rpmprobFilterFlags probFilter;
    unsigned int progress;   /**< enum progressFlags */
    int includeDocs;
    rpmVSFlags vsFlags;
    int vfyLevelMask;        /**< RPMSIG_* bits that need not be verified */
    const char *root;
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

/** Call a function for the header of each package named.
 * @return  how many packages could not be read, plus the function's last result that was not 0
 */
int eachPackage(rpmts ts, ARGV_const_t args, int (*show)(rpmts ts, Header h));

/** The modes.
 * @param args  operands, at least one
 * @return      exit status, not yet limited to what an exit status can hold
 */
int runInstall(rpmts ts, ARGV_const_t args);
int runQuery(rpmts ts, ARGV_const_t args);
int runVerify(rpmts ts, ARGV_const_t args);
int runCheckSignatures(rpmts ts, ARGV_const_t args);

/** Notify function that opens package files and draws what rpm draws.
 * @param data  enum progressFlags as a pointer
 */
void *showProgress(const void *h, const rpmCallbackType what, const rpm_loff_t amount,
                   const rpm_loff_t total, fnpyKey key, rpmCallbackData data);

/** --stats: print the counters of a transaction set, and those of its write policy, to stderr; as
 * one JSON object with --stats=json. */
void printStats(rpmts ts);

#endif /* RPMTOOL_H */
