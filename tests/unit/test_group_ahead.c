/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Old versions that go ahead of their turn: which may, and what it takes to find out. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <rpm/rpmlib.h>
#include <rpm/rpmstring.h>

#include "testtree.h"

#include "fileheader.h"
#include "group_ahead.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

static long looks; /* at directories of packages */

const char *__real_rpmfilesDN(rpmfiles fi, int jx);
const char *__wrap_rpmfilesDN(rpmfiles fi, int jx);

const char *__wrap_rpmfilesDN(rpmfiles fi, int jx)
{
    looks++;
    return __real_rpmfilesDN(fi, jx);
}

/* A package's directory of its own, one that all have, and something in each. */
static Header makeHeader(const char *name, const char *own, const char *below)
{
    const struct testfile files[] = {
        { "/usr/share/", own, S_IFDIR | 0755, 4096, NULL, NULL, 0, 1 },
        { below, "a", S_IFREG | 0644, 1, NULL, NULL, 0, 2 },
        { "/usr/", "share", S_IFDIR | 0755, 4096, NULL, NULL, 0, 3 },
    };
    Header h = fileHeader(files, 3, 0);

    headerDel(h, RPMTAG_NAME);
    headerPutString(h, RPMTAG_NAME, name);
    headerPutString(h, RPMTAG_VERSION, "1");
    headerPutString(h, RPMTAG_RELEASE, "1");
    headerPutString(h, RPMTAG_ARCH, "noarch");
    headerPutString(h, RPMTAG_OS, "linux");
    return h;
}

static rpmte makeElement(rpmElementType type, int number, int below)
{
    char name[32], dn[64];
    Header h;
    rpmte te;

    snprintf(dn, sizeof(dn), "/usr/share/p%d/sub/", below);
    snprintf(name, sizeof(name), "p%d", number);
    h = makeHeader(name, name, dn);
    te = rpmteNew(h, type, NULL);
    headerFree(h);
    assert_non_null(te);
    return te;
}

/* n upgrades: all new versions, then all old ones. Package p<i> has files below its own directory,
 * but the last new one below that of p0. */
static rpmts makeSet(int n)
{
    rpmts ts = rpmtsCreate();

    ts->elements = rcalloc((size_t) n * 2, sizeof(*ts->elements));
    ts->nelements = 2 * n;
    for (int i = 0; i < n; i++)
        ts->elements[i] = makeElement(TR_ADDED, i, i == n - 1 ? 0 : i);
    for (int i = 0; i < n; i++) {
        ts->elements[n + i] = makeElement(TR_REMOVED, i, i);
        ts->elements[n + i]->dependsOn = ts->elements[i];
    }
    return ts;
}

/* Each new version is a group, with which its old one goes if it may. Returns how many do. */
static int goThrough(rpmts ts, int n)
{
    ahead a = aheadNew(ts);
    int went = 0;

    for (int i = 0; i < n; i++) {
        int may = aheadMay(a, n + i, i);

        ts->elements[n + i]->ahead = may;
        went += may;
    }
    aheadFree(a);
    return went;
}

static void test_which_may(void **state)
{
    rpmts ts = makeSet(4);
    ahead a = aheadNew(ts);

    (void) state;
    /* Others come that have files below /usr/share. */
    assert_false(aheadMay(a, 4, 0));
    assert_false(aheadMay(a, 5, 2));
    /* All are there, and of what goes none is before it; but others are. */
    assert_true(aheadMay(a, 4, 3));
    assert_false(aheadMay(a, 5, 3));
    ts->elements[4]->ahead = 1;
    assert_true(aheadMay(a, 5, 3));
    assert_false(aheadMay(a, 7, 3));
    /* One that failed does not count any more. */
    ts->elements[5]->ahead = 1;
    ts->elements[6]->failed = 1;
    assert_true(aheadMay(a, 7, 3));
    aheadFree(a);
    rpmtsFree(ts);
}

static void test_symlinks_and_what_is_skipped(void **state)
{
    rpmts ts = makeSet(2);
    rpmte old = ts->elements[2];
    ahead a = aheadNew(ts);

    (void) state;
    assert_false(aheadMay(a, 2, 0));
    /* Only its directory that p1 has files below. */
    old->actions[2] = FA_SKIP;
    assert_false(aheadMay(a, 2, 0));
    old->actions[0] = FA_SKIP;
    assert_true(aheadMay(a, 2, 0));
    aheadFree(a);
    rpmtsFree(ts);
}

/* Each directory of each package is looked at once, however many groups there are. */
static void test_work_grows_with_paths(void **state)
{
    (void) state;
    for (int n = 500; n <= 2000; n *= 4) {
        rpmts ts = makeSet(n);

        looks = 0;
        (void) goThrough(ts, n);
        assert_int_equal(looks, 2 * n * 3);
        rpmtsFree(ts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_may),
        cmocka_unit_test(test_symlinks_and_what_is_skipped),
        cmocka_unit_test(test_work_grows_with_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
