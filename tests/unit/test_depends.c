/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dependency sets, the dependencies of a transaction, and what it refuses to run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmds.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmts.h>
#include <rpm/rpmutil.h>
#include <rpm/rpmverify.h>

#include "depends_fixture.h"

static int setup(void **state)
{
    (void)state;
    keepMessages();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    dropMessages();
    return 0;
}

static void addFile(Header h, const char *dir, const char *base)
{
    uint32_t zero = 0;
    uint16_t mode = 0100644;

    headerPutString(h, RPMTAG_DIRNAMES, dir);
    headerPutString(h, RPMTAG_BASENAMES, base);
    headerPutUint32(h, RPMTAG_DIRINDEXES, &zero, 1);
    headerPutUint32(h, RPMTAG_FILESIZES, &zero, 1);
    headerPutUint16(h, RPMTAG_FILEMODES, &mode, 1);
    headerPutString(h, RPMTAG_FILEUSERNAME, "root");
    headerPutString(h, RPMTAG_FILEGROUPNAME, "root");
    headerPutString(h, RPMTAG_FILELINKTOS, "");
    headerPutUint32(h, RPMTAG_FILEFLAGS, &zero, 1);
    headerPutUint32(h, RPMTAG_FILEMTIMES, &zero, 1);
}

static rpmts newSet(void)
{
    rpmts ts = rpmtsCreate();

    rpmtsSetDBMode(ts, -1);
    return ts;
}

/* The problems of a set, a line each. */
static char *problemsOf(rpmts ts)
{
    char *text = rstrdup("");
    rpmps problems = rpmtsProblems(ts);
    rpmpsi psi = rpmpsInitIterator(problems);
    rpmProblem p;

    while ((p = rpmpsiNext(psi)) != NULL) {
        char *line = rpmProblemString(p);

        rstrscat(&text, line, "\n", NULL);
        free(line);
    }
    rpmpsFreeIterator(psi);
    rpmpsFree(problems);
    return text;
}

/* The problems of packages installed together; the headers are freed. */
static char *check(int *rc, int count, ...)
{
    rpmts ts = newSet();
    char *text;
    va_list ap;

    va_start(ap, count);
    for (int i = 0; i < count; i++) {
        Header h = va_arg(ap, Header);

        assert_int_equal(rpmtsAddInstallElement(ts, h, "key", 0, NULL), 0);
        headerFree(h);
    }
    va_end(ap);
    *rc = rpmtsCheck(ts);
    text = problemsOf(ts);
    rpmtsFree(ts);
    return text;
}

#define assert_problems(wanted, ...) \
    do { \
        int rc_; \
        char *text_ = check(&rc_, __VA_ARGS__); \
        assert_string_equal(text_, wanted); \
        assert_int_equal(rc_, 0); \
        rfree(text_); \
    } while (0)

static void noDependencies(void **state)
{
    (void)state;
    assert_problems("", 1, package("a", "1"));
    assert_problems("", 0, NULL);
}

static void unmetRequires(void **state)
{
    Header h = package("a", "1");

    (void)state;
    ADD(h, REQUIRE, "plain", 0, "");
    ADD(h, REQUIRE, "versioned", GE, "2:3-4");
    ADD(h, REQUIRE, "/a/file", 0, "");
    ADD(h, REQUIRE, "plain", RPMSENSE_SCRIPT_PRE, "");
    ADD(h, REQUIRE, "optional", RPMSENSE_MISSINGOK, "");
    assert_problems("plain is needed by a-1-1.noarch\n"
                    "versioned >= 2:3-4 is needed by a-1-1.noarch\n"
                    "/a/file is needed by a-1-1.noarch\n", 1, h);
}

static void metByProvides(void **state)
{
    Header a = package("a", "1");
    Header b = package("b", "1");

    (void)state;
    ADD(a, REQUIRE, "thing", GE, "2");
    ADD(a, REQUIRE, "other", EQ, "1");
    ADD(b, PROVIDE, "thing", EQ, "3-1");
    ADD(b, PROVIDE, "other", EQ, "2-1");
    ADD(b, PROVIDE, "other", EQ, "1-1");
    assert_problems("", 2, a, b);
}

static void notMetByOtherVersion(void **state)
{
    Header a = package("a", "1");
    Header b = package("b", "1");

    (void)state;
    ADD(a, REQUIRE, "thing", GE, "4");
    ADD(b, PROVIDE, "thing", EQ, "3-1");
    assert_problems("thing >= 4 is needed by a-1-1.noarch\n", 2, a, b);
}

static void metByItself(void **state)
{
    Header h = package("a", "1");

    (void)state;
    ADD(h, REQUIRE, "thing", 0, "");
    ADD(h, PROVIDE, "thing", 0, "");
    assert_problems("", 1, h);
}

static void metByFile(void **state)
{
    Header a = package("a", "1");
    Header b = package("b", "1");

    (void)state;
    ADD(a, REQUIRE, "/opt/tool", 0, "");
    ADD(a, REQUIRE, "/opt/toolbox", 0, "");
    addFile(b, "/opt/", "tool");
    assert_problems("/opt/toolbox is needed by a-1-1.noarch\n", 2, a, b);
}

static void pretransNotMetByTransaction(void **state)
{
    Header a = package("a", "1");
    Header b = package("b", "1");

    (void)state;
    ADD(a, REQUIRE, "thing", RPMSENSE_PRETRANS, "");
    ADD(b, PROVIDE, "thing", 0, "");
    assert_problems("thing is needed by a-1-1.noarch\n", 2, a, b);
}

static void features(void **state)
{
    Header h = package("a", "1");
    const uint32_t feature = RPMSENSE_RPMLIB | RPMSENSE_LESS | RPMSENSE_EQUAL;

    (void)state;
    ADD(h, REQUIRE, "rpmlib(FileDigests)", feature, "4.6.0-1");
    ADD(h, REQUIRE, "rpmlib(FileDigests)", feature, "4.5.9-1");
    ADD(h, REQUIRE, "rpmlib(BuiltinLuaScripts)", feature, "4.2.2-1");
    ADD(h, REQUIRE, "rpmlib(NoSuchThing)", feature, "9-1");
    ADD(h, PROVIDE, "rpmlib(NoSuchThing)", EQ, "9-1");
    assert_problems("rpmlib(FileDigests) <= 4.5.9-1 is needed by a-1-1.noarch\n"
                    "rpmlib(BuiltinLuaScripts) <= 4.2.2-1 is needed by a-1-1.noarch\n"
                    "rpmlib(NoSuchThing) <= 9-1 is needed by a-1-1.noarch\n", 1, h);
}

static void conflicts(void **state)
{
    Header a = package("a", "1");
    Header b = package("b", "1");

    (void)state;
    ADD(a, CONFLICT, "thing", 0, "");
    ADD(a, PROVIDE, "thing", 0, "");
    ADD(a, CONFLICT, "absent", 0, "");
    ADD(a, CONFLICT, "/opt/file", 0, "");
    addFile(b, "/opt/", "file");
    ADD(b, PROVIDE, "thing", 0, "");
    assert_problems("thing conflicts with a-1-1.noarch\n/opt/file conflicts with a-1-1.noarch\n", 2,
                    a, b);
}

static void noConflictWithItself(void **state)
{
    Header a = package("a", "1");

    (void)state;
    ADD(a, CONFLICT, "thing", 0, "");
    ADD(a, PROVIDE, "thing", 0, "");
    assert_problems("", 1, a);
}

static void obsoletes(void **state)
{
    Header a = package("a", "1");
    Header b = package("b", "1");
    Header c = package("c", "1");

    (void)state;
    ADD(a, OBSOLETE, "b", RPMSENSE_LESS, "2");
    ADD(a, OBSOLETE, "c", RPMSENSE_LESS, "1");
    ADD(a, OBSOLETE, "thing", 0, "");
    ADD(b, PROVIDE, "thing", 0, "");
    assert_problems("b < 2 is obsoleted by a-1-1.noarch\n", 3, a, b, c);
}

static void richIsRefused(void **state)
{
    int rc;
    Header h = package("a", "1");
    char *text;

    (void)state;
    ADD(h, REQUIRE, "(b if c)", 0, "");
    text = check(&rc, 1, h);
    assert_int_equal(rc, -1);
    assert_string_equal(text, "");
    assert_string_equal(logged,
                        "package a-1-1.noarch has the rich dependency (b if c), which this "
                        "version does not evaluate: --nodeps goes without\n");
    rfree(text);
}

static void unequalLists(void **state)
{
    int rc;
    Header h = package("a", "1");
    char *text;

    (void)state;
    headerPutString(h, RPMTAG_REQUIRENAME, "one");
    headerPutString(h, RPMTAG_REQUIRENAME, "two");
    headerPutString(h, RPMTAG_REQUIREVERSION, "1");
    text = check(&rc, 1, h);
    assert_int_equal(rc, -1);
    assert_string_equal(text, "");
    assert_string_equal(logged, "package a-1-1.noarch has dependencies that make no sense\n");
    rfree(text);
}

static void timed(void **state)
{
    rpmts ts = newSet();

    (void)state;
    assert_int_equal(rpmtsCheck(ts), 0);
    assert_int_equal(rpmtsOp(ts, RPMTS_OP_CHECK)->count, 1);
    rpmtsFree(ts);
}

static void ofOneHeader(void **state)
{
    Header h = package("a", "1");
    rpmts ts = newSet();
    rpmps problems = NULL;

    (void)state;
    ADD(h, REQUIRE, "nothing", 0, "");
    assert_int_equal(rpmVerifyDependencies(ts, h, &problems), 0);
    assert_int_equal(rpmpsNumProblems(problems), 1);
    assert_int_equal(rpmtsNElements(ts), 0);
    rpmpsFree(problems);
    headerFree(h);
    rpmtsFree(ts);
}

static void setWalk(void **state)
{
    Header h = package("a", "1");
    rpmds ds;

    (void)state;
    ADD(h, PROVIDE, "one", 0, "");
    ADD(h, PROVIDE, "two", GE, "1:2-3");
    ds = rpmdsNew(h, RPMTAG_PROVIDENAME, 0);
    assert_int_equal(rpmdsCount(ds), 2);
    assert_int_equal(rpmdsTagN(ds), RPMTAG_PROVIDENAME);
    assert_null(rpmdsN(ds));
    assert_null(rpmdsDNEVR(ds));
    assert_int_equal(rpmdsNext(ds), 0);
    assert_string_equal(rpmdsDNEVR(ds), "P one");
    assert_int_equal(rpmdsNext(ds), 1);
    assert_string_equal(rpmdsN(ds), "two");
    assert_string_equal(rpmdsEVR(ds), "1:2-3");
    assert_int_equal(rpmdsFlags(ds), GE);
    assert_string_equal(rpmdsDNEVR(ds), "P two >= 1:2-3");
    assert_int_equal(rpmdsNext(ds), -1);
    assert_int_equal(rpmdsNext(rpmdsInit(ds)), 0);
    assert_null(rpmdsFree(ds));
    assert_null(rpmdsNew(h, RPMTAG_REQUIRENAME, 0));
    assert_null(rpmdsNew(h, RPMTAG_SUMMARY, 0));
    assert_int_equal(rpmdsCount(NULL), 0);
    assert_int_equal(rpmdsNext(NULL), -1);
    headerFree(h);
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(noDependencies),
        test(unmetRequires),
        test(metByProvides),
        test(notMetByOtherVersion),
        test(metByItself),
        test(metByFile),
        test(pretransNotMetByTransaction),
        test(features),
        test(conflicts),
        test(noConflictWithItself),
        test(obsoletes),
        test(richIsRefused),
        test(unequalLists),
        test(timed),
        test(ofOneHeader),
        test(setWalk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
