/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMSW_H
#define RPM_RPMSW_H

/** @file rpm/rpmsw.h
 * A stopwatch and counters for repeated operations. Names and structures as in upstream's
 * rpm/rpmsw.h.
 *
 * Times come from the monotonic clock, so changing the system's time does not disturb them; a
 * time stamp means nothing except against another one of the same run. Counters are plain
 * memory: one thread at a time.
 */

#include <sys/time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Microseconds. */
typedef unsigned long int rpmtime_t;

/** A time stamp. */
typedef struct rpmsw_s *rpmsw;

/** Counters of one kind of operation. */
typedef struct rpmop_s *rpmop;

/** A time stamp, only `tv` is used. */
struct rpmsw_s {
    union {
        struct timeval tv;
        unsigned long long int ticks;
        unsigned long int tocks[2];
    } u;
};

/** Counters of one kind of operation. */
struct rpmop_s {
    struct rpmsw_s begin; /**< when the running operation began */
    int count;            /**< operations begun */
    size_t bytes;         /**< bytes transferred */
    rpmtime_t usecs;      /**< time spent, microseconds */
};

/** Take the time.
 * @param sw  where to, or NULL
 * @return    sw
 */
rpmsw rpmswNow(rpmsw sw);

/** Time between two stamps.
 * @return  microseconds; 0 if either is NULL or end lies before begin
 */
rpmtime_t rpmswDiff(rpmsw end, rpmsw begin);

/** Set up the stopwatch. Nothing to do; upstream measures the clock's overhead here.
 * @return  overhead in microseconds: 0
 */
rpmtime_t rpmswInit(void);

/** Begin an operation.
 * @param op  counters or NULL
 * @param rc  0; below 0 to clear bytes and time first
 * @return    0
 */
int rpmswEnter(rpmop op, ssize_t rc);

/** End an operation.
 * @param op  counters or NULL
 * @param rc  bytes transferred; 0 and below add none
 * @return    time spent so far, microseconds; 0 for NULL
 */
rpmtime_t rpmswExit(rpmop op, ssize_t rc);

/** Add the counters of `from` to `to`.
 * @return  the sum's time, microseconds; 0 if either is NULL
 */
rpmtime_t rpmswAdd(rpmop to, rpmop from);

/** Take the counters of `from` off `to`.
 * @return  the difference's time, microseconds; 0 if either is NULL
 */
rpmtime_t rpmswSub(rpmop to, rpmop from);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMSW_H */
