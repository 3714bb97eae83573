/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMLOG_H
#define RPM_RPMLOG_H

/** @file rpm/rpmlog.h
 * Messages of the libraries. Names and numbers as in upstream's rpm/rpmlog.h, which took them
 * from syslog(3).
 *
 * Safe to call from several threads: messages come out whole and one after another.
 */

#include <stdarg.h>
#include <stdio.h>

#include <rpm/rpmutil.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Priorities, the most important first. */
typedef enum rpmlogLvl_e {
    RPMLOG_EMERG = 0,   /**< "fatal error: " */
    RPMLOG_ALERT = 1,   /**< "fatal error: " */
    RPMLOG_CRIT = 2,    /**< "fatal error: " */
    RPMLOG_ERR = 3,     /**< "error: " */
    RPMLOG_WARNING = 4, /**< "warning: " */
    RPMLOG_NOTICE = 5,  /**< no prefix; the default limit */
    RPMLOG_INFO = 6,    /**< no prefix; shown with -v */
    RPMLOG_DEBUG = 7    /**< "D: "; shown with -vv */
} rpmlogLvl;

/** Bits of a code that hold the priority. */
#define RPMLOG_PRIMASK 0x07
/** Priority of a code. */
#define RPMLOG_PRI(p) ((p) & RPMLOG_PRIMASK)
/** Number of priorities. */
#define RPMLOG_NPRIS (RPMLOG_DEBUG + 1)

/** Mask of one priority. */
#define RPMLOG_MASK(pri) (1 << ((unsigned)(pri)))
/** Mask of a priority and all more important ones. */
#define RPMLOG_UPTO(pri) ((1 << (((unsigned)(pri)) + 1)) - 1)

/** Result of a callback: log as usual, too. */
#define RPMLOG_DEFAULT 0x01
/** Result of a callback in upstream: end the process. A library here never does: ignored. */
#define RPMLOG_EXIT 0x02

/** One message. */
typedef struct rpmlogRec_s *rpmlogRec;

/** What a callback is called with, too. */
typedef void *rpmlogCallbackData;

/** A program's own handling of messages. Called for one message at a time; it must not log.
 * @param rec   message, valid during the call
 * @param data  what rpmlogSetCallback() was given
 * @return      RPMLOG_DEFAULT to log as usual, too; 0 for nothing more
 */
typedef int (*rpmlogCallback)(rpmlogRec rec, rpmlogCallbackData data);

/** Text of a message, with its newline.
 * @return  text, the record's; NULL for NULL
 */
const char *rpmlogRecMessage(rpmlogRec rec);

/** Priority of a message.
 * @return  priority; (rpmlogLvl)-1 for NULL
 */
rpmlogLvl rpmlogRecPriority(rpmlogRec rec);

/** Log a message.
 * Notices and information go to stdout, the rest to stderr. Warnings and worse are kept, see
 * rpmlogGetNrecs(). errno is left as it was.
 * @param code  a priority; what the mask leaves out is dropped
 * @param fmt   as printf(3), ending in a newline
 */
void rpmlog(int code, const char *fmt, ...) RPM_GNUC_PRINTF(2, 3);

/** Set which priorities are logged.
 * @param mask  RPMLOG_MASK() and kin; 0 to ask only
 * @return      previous mask
 */
int rpmlogSetMask(int mask);

/** Send messages to a stream.
 * @param fp  stream, stays the caller's; NULL for stdout and stderr
 * @return    previous stream
 */
FILE *rpmlogSetFile(FILE *fp);

/** Have a function called for each message.
 * @param cb    function, NULL for none
 * @param data  what to call it with, too
 * @return      previous function
 */
rpmlogCallback rpmlogSetCallback(rpmlogCallback cb, rpmlogCallbackData data);

/** Number of messages kept: warnings and worse. */
int rpmlogGetNrecs(void);

/** Number of messages kept, of some priorities.
 * @param mask  RPMLOG_MASK() and kin; 0 for all
 */
int rpmlogGetNrecsByMask(unsigned mask);

/** Print the messages kept, indented.
 * @param f  stream; NULL for stderr
 */
void rpmlogPrint(FILE *f);

/** Print the messages kept, of some priorities.
 * @param f     stream; NULL for stderr
 * @param mask  RPMLOG_MASK() and kin; 0 for all
 */
void rpmlogPrintByMask(FILE *f, unsigned mask);

/** Forget the messages kept. */
void rpmlogClose(void);

/** Text of the last message kept.
 * @return  text, valid until rpmlogClose(); "(no error)" if there is none
 */
const char *rpmlogMessage(void);

/** Code of the last message kept, -1 if there is none. */
int rpmlogCode(void);

/** Prefix of a priority.
 * @return  text, "" for none
 */
const char *rpmlogLevelPrefix(rpmlogLvl pri);

/** Log a priority and all more important ones. */
#define rpmSetVerbosity(_lvl) ((void)rpmlogSetMask(RPMLOG_UPTO(RPMLOG_PRI(_lvl))))
/** Log one more priority. */
#define rpmIncreaseVerbosity() \
    ((void)rpmlogSetMask((int)((((unsigned)rpmlogSetMask(0) & 0xffU) << 1) | 1U)))
/** Log one priority less. */
#define rpmDecreaseVerbosity() ((void)rpmlogSetMask((rpmlogSetMask(0) & 0xff) >> 1))
/** Are notices logged? */
#define rpmIsNormal() (rpmlogSetMask(0) >= RPMLOG_MASK(RPMLOG_NOTICE))
/** Is information logged? */
#define rpmIsVerbose() (rpmlogSetMask(0) >= RPMLOG_MASK(RPMLOG_INFO))
/** Are debugging messages logged? */
#define rpmIsDebug() (rpmlogSetMask(0) >= RPMLOG_MASK(RPMLOG_DEBUG))

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMLOG_H */
