/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dependencies over a database, and the order of a transaction, with headers that no file has. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmds.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>
#include <rpm/rpmts.h>
#include <rpm/rpmutil.h>

#include "depends_fixture.h"
#include "rpmdb_internal.h"
#include "testtree.h"

#define PRE RPMSENSE_SCRIPT_PRE

static const char *root;
static rpmts ts;

static int groupSetup(void **state)
{
    if (treeSetup(state))
        return -1;
    root = *state;
    putDir(root, "db");
    rpmPushMacro(NULL, "_dbpath", NULL, "/db", 0);
    return 0;
}

static int setup(void **state)
{
    (void)state;
    keepMessages();
    ts = rpmtsCreate();
    rpmtsSetRootDir(ts, root);
    return 0;
}

static int teardown(void **state)
{
    char *file = rstrscat(NULL, root, "/db/rpmdb.sqlite", NULL);

    (void)state;
    ts = rpmtsFree(ts);
    remove(file);
    rfree(file);
    dropMessages();
    return 0;
}

/* A package that provides itself. */
static Header providing(const char *name, const char *version)
{
    Header h = package(name, version);
    char *evr = rstrscat(NULL, version, "-1", NULL);

    ADD(h, PROVIDE, name, EQ, evr);
    rfree(evr);
    return h;
}

/* Record a package; the header is freed. */
static void installed(Header h)
{
    struct rpmdbRecord_s record = { .tid = 1, .time = 1 };
    rpmdb db;

    assert_int_equal(rpmdbOpen(root, "/db", &db, O_RDWR | O_CREAT, NULL), 0);
    assert_int_equal(rpmdbRecordTags(h, &record), 0);
    assert_int_equal(rpmdbAdd(db, h), 0);
    assert_int_equal(rpmdbClose(db), 0);
    headerFree(h);
}

static void comes(Header h, int upgrade)
{
    assert_int_equal(rpmtsAddInstallElement(ts, h, "key", upgrade, NULL), 0);
    headerFree(h);
}

static void goes(const char *name)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_NAME, name, 0);
    Header h = rpmdbNextIterator(mi);

    assert_non_null(h);
    assert_int_equal(rpmtsAddEraseElement(ts, h, -1), 0);
    rpmdbFreeIterator(mi);
}

static void assertProblems(const char *wanted)
{
    char *text = rstrdup("");
    rpmProblem p;
    rpmpsi psi;
    rpmps ps;

    assert_int_equal(rpmtsCheck(ts), 0);
    ps = rpmtsProblems(ts);
    psi = rpmpsInitIterator(ps);
    while ((p = rpmpsiNext(psi)) != NULL) {
        char *line = rpmProblemString(p);

        rstrscat(&text, line, "\n", NULL);
        free(line);
    }
    rpmpsFreeIterator(psi);
    rpmpsFree(ps);
    assert_string_equal(text, wanted);
    assert_null(logged);
    rfree(text);
}

static Header needing(const char *name, const char *need, uint32_t flags, const char *version)
{
    Header h = providing(name, "1");

    ADD(h, REQUIRE, need, flags, version);
    return h;
}

static void metByInstalled(void **state)
{
    (void)state;
    installed(providing("lib", "1"));
    comes(needing("user", "lib", EQ, "1"), 0);
    comes(needing("other", "lib", GE, "2"), 0);
    assertProblems("lib >= 2 is needed by other-1-1.noarch\n");
}

static void erasedIsNeeded(void **state)
{
    (void)state;
    installed(providing("lib", "1"));
    installed(needing("user", "lib", 0, ""));
    installed(needing("early", "lib", PRE, ""));
    installed(needing("other", "lib", GE, "2"));
    goes("lib");
    assertProblems("lib is needed by (installed) user-1-1.noarch\n");
}

static void erasedWithItsUser(void **state)
{
    (void)state;
    installed(providing("lib", "1"));
    installed(needing("user", "lib", 0, ""));
    goes("lib");
    goes("user");
    assertProblems("");
}

static void upgradeBreaksOne(void **state)
{
    (void)state;
    installed(providing("lib", "1"));
    installed(needing("user", "lib", 0, ""));
    installed(needing("strict", "lib", EQ, "1"));
    comes(providing("lib", "2"), 1);
    assertProblems("lib = 1 is needed by (installed) strict-1-1.noarch\n");
}

static void twoThatGoAreSaidTwice(void **state)
{
    static const char *const names[] = { "a", "b" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        Header h = providing(names[i], "1");
        ADD(h, PROVIDE, "thing", 0, "");
        installed(h);
    }
    installed(needing("user", "thing", 0, ""));
    goes("a");
    assertProblems("");
    goes("b");
    assertProblems("thing is needed by (installed) user-1-1.noarch\n"
                   "thing is needed by (installed) user-1-1.noarch\n");
}

static void pretransIsOfBefore(void **state)
{
    (void)state;
    installed(providing("lib", "1"));
    goes("lib");
    comes(needing("user", "lib", RPMSENSE_PRETRANS, ""), 0);
    assertProblems("");
}

static void conflictsBothWays(void **state)
{
    Header foe = providing("foe", "1");
    Header guest = providing("guest", "1");

    (void)state;
    ADD(foe, CONFLICT, "guest", 0, "");
    ADD(foe, CONFLICT, "foe", 0, "");
    installed(foe);
    ADD(guest, CONFLICT, "foe", RPMSENSE_LESS, "2");
    comes(guest, 0);
    assertProblems("foe < 2 conflicts with guest-1-1.noarch\n"
                   "guest conflicts with (installed) foe-1-1.noarch\n");
}

static void obsoletedByInstalled(void **state)
{
    Header heir = providing("heir", "1");

    (void)state;
    ADD(heir, OBSOLETE, "old", RPMSENSE_LESS, "2");
    installed(heir);
    comes(providing("old", "1"), 0);
    comes(providing("new", "1"), 0);
    assertProblems("old < 2 is obsoleted by (installed) heir-1-1.noarch\n");
}

/* Of two that name it, a self-conflict must not hide the conflict of the other. */
static void selfConflictIsNoAnswer(void **state)
{
    Header a = providing("a", "1");
    Header b = providing("b", "1");

    (void)state;
    ADD(a, CONFLICT, "thing", 0, "");
    ADD(a, PROVIDE, "thing", 0, "");
    installed(a);
    ADD(b, CONFLICT, "thing", 0, "");
    comes(b, 0);
    assertProblems("thing conflicts with b-1-1.noarch\n");
}

static void richOfInstalled(void **state)
{
    (void)state;
    installed(providing("lib", "1"));
    installed(providing("stranger", "1"));
    installed(needing("user", "(lib or other)", 0, ""));
    goes("stranger");
    comes(providing("lib", "2"), 1);
    assertProblems("");
    rpmtsEmpty(ts);
    goes("lib");
    assert_int_equal(rpmtsCheck(ts), -1);
    assert_string_equal(logged, "installed package user-1-1.noarch has the rich dependency "
                                "(lib or other), which this version does not evaluate, and lib "
                                "would go: --nodeps goes without\n");
}

static void assertOrder(const char *wanted)
{
    char *text = rstrdup("");

    assert_int_equal(rpmtsOrder(ts), 0);
    for (int i = 0; i < rpmtsNElements(ts); i++) {
        rpmte te = rpmtsElement(ts, i);

        rstrscat(&text, rpmteType(te) == TR_ADDED ? " +" : " -", rpmteN(te), NULL);
    }
    assert_string_equal(text, wanted);
    rfree(text);
}

static void chainIsReversed(void **state)
{
    (void)state;
    comes(needing("c", "b", 0, ""), 0);
    comes(needing("b", "a", 0, ""), 0);
    comes(providing("a", "1"), 0);
    assertOrder(" +a +b +c");
}

static void erasuresAreReversedAndLast(void **state)
{
    (void)state;
    installed(providing("a", "1"));
    installed(needing("b", "a", 0, ""));
    installed(needing("c", "b", 0, ""));
    goes("a");
    goes("b");
    goes("c");
    comes(providing("new", "1"), 0);
    assertOrder(" +new -c -b -a");
}

/* The loop is cut where no scriptlet misses anything. */
static void loopIsCutAway(void **state)
{
    (void)state;
    comes(needing("a", "b", PRE, ""), 0);
    comes(needing("b", "c", 0, ""), 0);
    comes(needing("c", "a", 0, ""), 0);
    comes(needing("last", "a", 0, ""), 0);
    assertOrder(" +c +b +a +last");
}

static void emptySet(void **state)
{
    (void)state;
    assertProblems("");
    assertOrder("");
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(metByInstalled),
        test(erasedIsNeeded),
        test(erasedWithItsUser),
        test(upgradeBreaksOne),
        test(twoThatGoAreSaidTwice),
        test(pretransIsOfBefore),
        test(conflictsBothWays),
        test(obsoletedByInstalled),
        test(selfConflictIsNoAnswer),
        test(richOfInstalled),
        test(chainIsReversed),
        test(erasuresAreReversedAndLast),
        test(loopIsCutAway),
        test(emptySet),
    };

    return cmocka_run_group_tests(tests, groupSetup, treeTeardown);
}
