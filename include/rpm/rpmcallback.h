/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMCALLBACK_H
#define RPM_RPMCALLBACK_H

/** @file rpm/rpmcallback.h
 * What a transaction tells its caller while it runs. Names and numbers as in upstream's
 * rpm/rpmcallback.h.
 */

#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The event a notify function is called for. `amount` and `total` are what it says here. */
typedef enum rpmCallbackType_e {
    RPMCALLBACK_UNKNOWN = 0,
    RPMCALLBACK_INST_PROGRESS = (1 << 0),   /*!< archive bytes unpacked, archive bytes in all */
    RPMCALLBACK_INST_START = (1 << 1),      /*!< 0, archive bytes in all */
    RPMCALLBACK_INST_OPEN_FILE = (1 << 2),  /*!< open the package of key: return its FD_t */
    RPMCALLBACK_INST_CLOSE_FILE = (1 << 3), /*!< that FD_t is not used any more: close it */
    RPMCALLBACK_TRANS_PROGRESS = (1 << 4),  /*!< packages prepared, packages in all */
    RPMCALLBACK_TRANS_START = (1 << 5),     /*!< 6 (upstream's number), packages in all */
    RPMCALLBACK_TRANS_STOP = (1 << 6),      /*!< 6, packages in all */
    RPMCALLBACK_UNINST_PROGRESS = (1 << 7), /*!< files removed, files in all */
    RPMCALLBACK_UNINST_START = (1 << 8),    /*!< 0, files in all */
    RPMCALLBACK_UNINST_STOP = (1 << 9),     /*!< files in all, twice */
    RPMCALLBACK_UNPACK_ERROR = (1 << 13), /*!< the package failed; the log has said why */
    RPMCALLBACK_CPIO_ERROR = (1 << 14),
    RPMCALLBACK_SCRIPT_ERROR = (1 << 15), /*!< tag of the scriptlet, RPMRC_OK if its failure stops
                                               nothing */
    RPMCALLBACK_SCRIPT_START = (1 << 16), /*!< tag of the scriptlet, 0: return an FD_t for its
                                               output, or NULL */
    RPMCALLBACK_SCRIPT_STOP = (1 << 17),  /*!< tag of the scriptlet, RPMRC_OK, _FAIL, or _NOTFOUND
                                               for a failure that stops nothing */
    RPMCALLBACK_INST_STOP = (1 << 18),       /*!< archive bytes in all, twice */
    RPMCALLBACK_ELEM_PROGRESS = (1 << 19),   /*!< index of the package begun, packages in all */
    RPMCALLBACK_VERIFY_PROGRESS = (1 << 20), /*!< packages verified, packages in all */
    RPMCALLBACK_VERIFY_START = (1 << 21),    /*!< 0, packages in all */
    RPMCALLBACK_VERIFY_STOP = (1 << 22),     /*!< packages in all, twice */
} rpmCallbackType;

/** A notify function: called by rpmtsRun() in the thread that called it.
 * @param h       header of the package (a Header), or NULL where the event is of the transaction
 * @param what    event
 * @param amount  see rpmCallbackType
 * @param total   see rpmCallbackType
 * @param key     what rpmtsAddInstallElement() was given for the package
 * @param data    what rpmtsSetNotifyCallback() was given
 * @return        for RPMCALLBACK_INST_OPEN_FILE the package opened for reading at its first
 *                byte, or NULL to fail the package; for RPMCALLBACK_SCRIPT_START the FD_t that
 *                the scriptlet writes to, which stays the caller's, or NULL for rpmtsSetScriptFd()'s;
 *                ignored for every other event
 */
typedef void *(*rpmCallbackFunction)(const void *h, const rpmCallbackType what,
                                     const rpm_loff_t amount, const rpm_loff_t total, fnpyKey key,
                                     rpmCallbackData data);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMCALLBACK_H */
