/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stopwatch and operation counters. */

#include <stddef.h>
#include <time.h>

#include <rpm/rpmsw.h>

rpmsw rpmswNow(rpmsw sw)
{
    struct timespec ts;

    if (sw != NULL) {
        clock_gettime(CLOCK_MONOTONIC, &ts);
        sw->u.tv.tv_sec = ts.tv_sec;
        sw->u.tv.tv_usec = ts.tv_nsec / 1000;
    }
    return sw;
}

rpmtime_t rpmswDiff(rpmsw end, rpmsw begin)
{
    long long usecs;

    if (end == NULL || begin == NULL)
        return 0;
    usecs = ((long long)end->u.tv.tv_sec - begin->u.tv.tv_sec) * 1000000;
    usecs += (long long)end->u.tv.tv_usec - begin->u.tv.tv_usec;
    return usecs > 0 ? (rpmtime_t)usecs : 0;
}

rpmtime_t rpmswInit(void)
{
    return 0;
}

int rpmswEnter(rpmop op, ssize_t rc)
{
    if (op == NULL)
        return 0;
    op->count++;
    if (rc < 0) {
        op->bytes = 0;
        op->usecs = 0;
    }
    rpmswNow(&op->begin);
    return 0;
}

rpmtime_t rpmswExit(rpmop op, ssize_t rc)
{
    struct rpmsw_s end;

    if (op == NULL)
        return 0;
    op->usecs += rpmswDiff(rpmswNow(&end), &op->begin);
    if (rc > 0)
        op->bytes += (size_t)rc;
    return op->usecs;
}

rpmtime_t rpmswAdd(rpmop to, rpmop from)
{
    if (to == NULL || from == NULL)
        return 0;
    to->count += from->count;
    to->bytes += from->bytes;
    to->usecs += from->usecs;
    return to->usecs;
}

rpmtime_t rpmswSub(rpmop to, rpmop from)
{
    if (to == NULL || from == NULL)
        return 0;
    to->count -= from->count;
    to->bytes -= from->bytes;
    to->usecs -= from->usecs;
    return to->usecs;
}
