/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMSCRIPT_H
#define RPM_RPMSCRIPT_H

/** @file rpmscript.h
 * Scriptlets: the programs of a package that run when it is installed or erased.
 *
 * A scriptlet runs in a child process below the transaction's root, by its own interpreter. The
 * process of the library stays where it is: it changes neither its root nor its directory. */

#include <rpm/argv.h>
#include <rpm/header.h>
#include <rpm/rpmio.h>
#include <rpm/rpmts.h>

/** How a scriptlet runs. Bits of RPMTAG_PREINFLAGS and kin, and ours. */
enum rpmscriptFlags_e {
    RPMSCRIPT_FLAG_NONE = 0,
    RPMSCRIPT_FLAG_EXPAND = (1 << 0),   /**< macros in its text are expanded */
    RPMSCRIPT_FLAG_QFORMAT = (1 << 1),  /**< its text is a query format */
    RPMSCRIPT_FLAG_CRITICAL = (1 << 2), /**< its failure stops the package */
};

typedef rpmFlags rpmscriptFlags;

typedef struct rpmScript_s *rpmScript;

/** Take a scriptlet out of a header.
 * @param h          header
 * @param scriptTag  RPMTAG_PREIN, _POSTIN, _PREUN, _POSTUN, _PRETRANS, _POSTTRANS, _VERIFYSCRIPT
 * @return           scriptlet, the caller's to rpmScriptFree(); NULL if the package has none
 */
rpmScript rpmScriptFromTag(Header h, rpmTagVal scriptTag);

/** @return NULL always */
rpmScript rpmScriptFree(rpmScript script);

/** @return 1 if the flags of a transaction let scriptlets of a kind run, else 0 */
int rpmScriptIsWanted(rpmTagVal scriptTag, rpmtransFlags flags);

/** @return 1 if a package has a scriptlet of a kind, and the flags let it run, else 0 */
int rpmScriptWillRun(Header h, rpmTagVal scriptTag, rpmtransFlags flags);

/** @return 1 if the scriptlet is for the interpreter inside rpm, which this one does not have */
int rpmScriptIsLua(Header h, rpmTagVal scriptTag);

/** Run a scriptlet and wait for its end.
 * @param script    scriptlet; NULL is one that succeeds
 * @param ts        transaction set: its root, and the limits its scriptlets get
 * @param arg1      first argument, -1 for none
 * @param arg2      second argument, -1 for none
 * @param scriptFd  where its output goes (stdout's only if information is logged); NULL: ours
 * @param prefixes  values of RPM_INSTALL_PREFIX0 and on, NULL for none
 * @return          RPMRC_OK, or RPMRC_FAIL: the log has said why, as an error if the scriptlet is
 *                  critical, else as a warning
 */
rpmRC rpmScriptRun(rpmScript script, rpmts ts, int arg1, int arg2, FD_t scriptFd,
                   ARGV_const_t prefixes);

/** The step of a package that is a scriptlet: run it if there is one and the transaction's flags
 * do not leave it out; calls back with RPMCALLBACK_SCRIPT_START, _STOP and _ERROR, and counts in
 * RPMTS_OP_SCRIPTLETS.
 * @param ts         transaction set, in rpmtsRun()
 * @param te         element
 * @param scriptTag  as above
 * @param arg        its argument: the packages of the name that there will be after this step,
 *                   -1 for none
 * @return           RPMRC_OK also where a scriptlet failed that is not critical;
 *                   RPMRC_FAIL: the package must not go on (the log has said why)
 */
rpmRC rpmtsRunScript(rpmts ts, rpmte te, rpmTagVal scriptTag, int arg);

/** Refuse a package with scriptlets or triggers that would have to run and cannot.
 * @param h      header
 * @param type   what happens to the package
 * @param flags  RPMTRANS_FLAG_*: what the caller does without
 * @return       0 if there are none, else -1: the log names the package, what it has, and the
 *               switch that leaves it out
 */
int rpmRefuseScripts(Header h, rpmElementType type, rpmtransFlags flags);

/** The same for triggers only. */
int rpmRefuseTriggers(Header h, rpmElementType type, rpmtransFlags flags);

/** Refuse what would set off triggers of packages in the database.
 * @param ts  transaction set, its database open (without one there are none)
 * @return    0 if there are none, else -1: the log names the first package that has some, and the
 *            element that would set them off
 */
int rpmRefuseRecordedTriggers(rpmts ts);

#endif /* RPM_RPMSCRIPT_H */
