/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMSCRIPT_INTERNAL_H
#define RPM_RPMSCRIPT_INTERNAL_H

/** @file rpmscript_internal.h
 * Scriptlets between the files that implement them. */

#include <sys/resource.h>

#include "rpmscript.h"

struct rpmScript_s {
    const struct scriptInfo *info;
    rpmscriptFlags flags;
    ARGV_t args;  /**< interpreter and its arguments, at least one */
    char *body;   /**< NULL for an interpreter that gets none */
    char *descr;  /**< for messages: "%post(NEVRA)" */
    char *fault;  /**< why there is no body that there should be; NULL if there is none */
    int isVerify; /**< it belongs to no transaction */
};

/** All that a child needs between fork() and execve(), where nothing can be allocated. */
struct scriptChild {
    ARGV_t argv;
    ARGV_t envp;
    int root;             /**< root to change to; -1 to stay */
    int fds[3];           /**< its stdin, stdout and stderr: none of them below 3 */
    int report;           /**< pipe for a struct scriptReport, close-on-exec */
    int inTransaction;    /**< whose interrupts are not for it */
    struct rlimit nofile; /**< its limit of descriptors */
    char *uidMap;         /**< maps of a user namespace; NULL: root needs none */
    char *gidMap;
};

/** What a child says when it does not get to its program. */
struct scriptReport {
    int error;  /**< errno */
    int atRoot; /**< 1: it could not change its root; 0: it could not execute its program */
};

/** Become the scriptlet. To be called in the child, with all signals blocked; calls nothing that
 * is not safe after fork() in a program with threads. */
void rpmScriptExec(const struct scriptChild *child) __attribute__((noreturn));

#endif /* RPM_RPMSCRIPT_INTERNAL_H */
