/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_DEPENDS_FIXTURE_H
#define TESTS_DEPENDS_FIXTURE_H

/* What the tests of dependencies share: headers that have some, and a record of messages. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rpm/header.h>
#include <rpm/rpmds.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmutil.h>

#define EQ RPMSENSE_EQUAL
#define GE (RPMSENSE_GREATER | RPMSENSE_EQUAL)

/* All messages since keepMessages(), one after the other; NULL for none. */
static char *logged;

static int keep(rpmlogRec rec, rpmlogCallbackData data)
{
    (void)data;
    rstrcat(&logged, rpmlogRecMessage(rec));
    return 0;
}

static void keepMessages(void)
{
    rpmlogSetCallback(keep, NULL);
}

static void dropMessages(void)
{
    logged = rfree(logged);
    rpmlogClose();
}

static Header package(const char *name, const char *version)
{
    Header h = headerNew();

    headerPutString(h, RPMTAG_NAME, name);
    headerPutString(h, RPMTAG_VERSION, version);
    headerPutString(h, RPMTAG_RELEASE, "1");
    headerPutString(h, RPMTAG_ARCH, "noarch");
    headerPutString(h, RPMTAG_OS, "linux");
    headerPutString(h, RPMTAG_SOURCERPM, "some.src.rpm");
    return h;
}

static void add(Header h, rpmTagVal nameTag, rpmTagVal versionTag, rpmTagVal flagTag,
                const char *name, uint32_t flags, const char *version)
{
    headerPutString(h, nameTag, name);
    headerPutString(h, versionTag, version);
    headerPutUint32(h, flagTag, &flags, 1);
}

#define TAGS(kind) RPMTAG_##kind##NAME, RPMTAG_##kind##VERSION, RPMTAG_##kind##FLAGS
#define ADD(h, kind, name, flags, version) add(h, TAGS(kind), name, flags, version)

#endif /* TESTS_DEPENDS_FIXTURE_H */
