/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading packages, several at once. */

#include <rpm/rpmfiledigest.h>
#include <rpm/rpmstring.h>

#include "digestoptions.h"
#include "pkgpool.h"

/* Packages that are open at once. */
enum { MOST_OPEN = 32 };

struct rpmpkgPool_s {
    rpmts ts;
    rpmFileDigestPool pool;
    rpmFileDigestOptions options; /* of each package */
    int open;
};

rpmpkgPool rpmpkgPoolNew(rpmts ts, rpm_loff_t npackages)
{
    rpmFileDigestOptions options;
    rpmpkgPool pool;

    if (rpmDigestOptions(&options))
        return NULL;
    pool = rcalloc(1, sizeof(*pool));
    pool->ts = ts;
    pool->options = options;
    if (npackages == 1)
        options.threads = 1;
    else
        pool->options.threads = 1;
    pool->pool = rpmFileDigestPoolNew(&options);
    return pool;
}

int rpmpkgPoolIsFull(rpmpkgPool pool)
{
    return pool->open >= MOST_OPEN;
}

/* In a worker. */
static int readPackage(void *data)
{
    struct rpmpkgReading_s *reading = data;

    if (reading->fd != NULL)
        reading->rc = rpmpkgRead(reading->vs, reading->fd, NULL, NULL, &reading->msg);
    return 0;
}

void rpmpkgPoolAdd(rpmpkgPool pool, FD_t fd, void *data)
{
    struct rpmpkgReading_s *reading = rcalloc(1, sizeof(*reading));
    rpmFileDigestJob job = { .work = readPackage, .data = reading };

    reading->fd = fd;
    reading->data = data;
    reading->rc = RPMRC_FAIL;
    reading->vs = rpmvsCreate(rpmtsVfyLevel(pool->ts), rpmtsVfyFlags(pool->ts));
    rpmvsSetDigestOptions(reading->vs, &pool->options);
    pool->open++;
    rpmFileDigestPoolAdd(pool->pool, &job);
}

struct rpmpkgReading_s *rpmpkgPoolNext(rpmpkgPool pool)
{
    rpmFileDigestResult res;
    void *data = NULL;

    if (!rpmFileDigestPoolNext(pool->pool, &res, &data))
        return NULL;
    rpmFileDigestResultFini(&res);
    pool->open--;
    return data;
}

void rpmpkgReadingFree(struct rpmpkgReading_s *reading)
{
    if (reading->fd != NULL)
        Fclose(reading->fd);
    rpmvsFree(reading->vs);
    rfree(reading->msg);
    rfree(reading);
}

rpmpkgPool rpmpkgPoolFree(rpmpkgPool pool)
{
    struct rpmpkgReading_s *reading;

    rpmFileDigestPoolCancel(pool->pool);
    while ((reading = rpmpkgPoolNext(pool)) != NULL)
        rpmpkgReadingFree(reading);
    rpmFileDigestPoolFree(pool->pool);
    return rfree(pool);
}
