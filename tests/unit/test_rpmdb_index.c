/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a header is found by: keys of indexes, names in rich dependencies, patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/argv.h>
#include <rpm/rpmds.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmdb_sql.h"

static void assertRich(const char *dep, const char *names)
{
    ARGV_t got = rpmdbRichNames(dep);
    char *joined = got != NULL ? argvJoin(got, " ") : NULL;

    if (names == NULL)
        assert_null(got);
    else if (got == NULL)
        fail_msg("%s cannot be read", dep);
    else
        assert_string_equal(joined != NULL ? joined : "", names);
    rfree(joined);
    argvFree(got);
}

static void testRich(void **state)
{
    (void)state;
    assertRich("(a)", "a");
    assertRich("(b and a and b)", "a b");
    assertRich("(a or b >= 1.0)", "a b");
    assertRich("(a(x) = 1-2 with b(y(z)))", "a(x) b(y(z))");
    assertRich("(a if b)", "a !b");
    assertRich("(a unless b)", "a !b");
    assertRich("(a if b else c)", "a b c !b");
    assertRich("(a or (b if (c and d)) or e)", "a b e !c !d");
    assertRich("(a if (b if c))", "a c !b");
    assertRich("(rpmlib(x) and a)", "a");
    assertRich("(rpmlib(x))", "");
    assertRich("( a  ,  b )", NULL);
    assertRich("(a and b) or c", "a b");
    assertRich("((a or b) with c)", "a b c");
    assertRich("((a and b) with c)", NULL);
    assertRich("(c with (a and b))", NULL);
    assertRich("(c without (a if b))", NULL);
    assertRich("(a and b or c)", NULL);
    assertRich("(a if b if c)", NULL);
    assertRich("(a without b without c)", NULL);
    assertRich("(a xor b)", NULL);
    assertRich("(a >= )", NULL);
    assertRich("(a and )", NULL);
    assertRich("(a and b", NULL);
    assertRich("(a", NULL);
    assertRich("()", NULL);
    assertRich("(", NULL);
    assertRich("a", NULL);
    assertRich("", NULL);
}

static void testDeepRich(void **state)
{
    size_t n = 200000;
    char *dep = rmalloc(2 * n + 2);

    (void)state;
    memset(dep, '(', n);
    dep[n] = 'a';
    memset(dep + n + 1, ')', n);
    dep[2 * n + 1] = '\0';
    assertRich(dep, NULL);
    assertRich(dep + n - 1, "a");
    rfree(dep);
}

static int keepKey(void *data, const void *key, size_t len, uint32_t ix)
{
    char **text = data;
    char *one = NULL;

    rasprintf(&one, "%.*s:%u ", (int)len, (const char *)key, ix);
    rstrcat(text, one);
    rfree(one);
    return 0;
}

static void assertKeys(Header h, rpmDbiTagVal tag, const char *keys)
{
    char *text = rstrdup("");

    assert_int_equal(rpmdbIndexKeys(h, tag, keepKey, &text), 0);
    assert_string_equal(text, keys);
    rfree(text);
}

static void require(Header h, const char *name, rpmsenseFlags flags)
{
    headerPutString(h, RPMTAG_REQUIRENAME, name);
    headerPutUint32(h, RPMTAG_REQUIREFLAGS, &flags, 1);
}

static void testKeys(void **state)
{
    Header h = headerNew();
    const uint8_t bytes[] = { 'x', 0, 'y' };
    uint32_t seven = 7;

    (void)state;
    headerPutString(h, RPMTAG_NAME, "n");
    require(h, "any", 0);
    require(h, "pre", RPMSENSE_SCRIPT_PRE | RPMSENSE_PREREQ);
    require(h, "preun", RPMSENSE_SCRIPT_PREUN);
    require(h, "both", RPMSENSE_SCRIPT_PRE | RPMSENSE_SCRIPT_POSTUN);
    require(h, "meta", RPMSENSE_PRETRANS | RPMSENSE_META);
    require(h, "rpmlib(x)", RPMSENSE_RPMLIB | RPMSENSE_LESS | RPMSENSE_EQUAL);
    require(h, "(a if b)", 0);
    require(h, "(broken", 0);
    headerPutString(h, RPMTAG_PROVIDENAME, "(a if b)");
    headerPutString(h, RPMTAG_TRIGGERNAME, "t");
    headerPutString(h, RPMTAG_TRIGGERNAME, "u");
    headerPutString(h, RPMTAG_TRIGGERNAME, "t");
    headerPutString(h, RPMTAG_FILETRIGGERNAME, "/a");
    headerPutString(h, RPMTAG_FILETRIGGERNAME, "/b");
    headerPutUint32(h, RPMTAG_FILETRIGGERINDEX, &seven, 1);
    headerPutBin(h, RPMTAG_SIGMD5, bytes, sizeof(bytes));
    assertKeys(h, RPMDBI_NAME, "n:0 ");
    assertKeys(h, RPMDBI_REQUIRENAME,
        "any:0 preun:2 both:3 meta:4 (a if b):6 a:6 !b:6 (broken:7 ");
    assertKeys(h, RPMDBI_PROVIDENAME, "(a if b):0 ");
    assertKeys(h, RPMDBI_TRIGGERNAME, "t:0 u:1 ");
    assertKeys(h, RPMDBI_FILETRIGGERNAME, "/a:7 /b:0 ");
    assertKeys(h, RPMDBI_GROUP, "Unknown:0 ");
    assertKeys(h, RPMDBI_BASENAMES, "");
    assertKeys(h, RPMDBI_SIGMD5, "x:0 ");
    headerFree(h);
}

static int stopAtOnce(void *data, const void *key, size_t len, uint32_t ix)
{
    (void)key, (void)len, (void)ix;
    ++*(int *)data;
    return 5;
}

static void testKeysStop(void **state)
{
    Header h = headerNew();
    int calls = 0;

    (void)state;
    require(h, "(a and b)", 0);
    require(h, "c", 0);
    assert_int_equal(rpmdbIndexKeys(h, RPMDBI_REQUIRENAME, stopAtOnce, &calls), 5);
    assert_int_equal(calls, 1);
    headerFree(h);
}

/* Patterns of one tag of a header with two names (and no epoch): letters of the modes. */
static int matches(rpmTagVal tag, rpmMireMode mode, const char *pattern)
{
    Header h = headerNew();
    struct rpmdbPattern_s *pat = rpmdbPatternNew(tag, mode, pattern);
    int match = -1;

    headerPutString(h, RPMTAG_NAME, "a.b+c");
    headerPutString(h, RPMTAG_BASENAMES, "one");
    headerPutString(h, RPMTAG_BASENAMES, ".two");
    if (pat != NULL) {
        match = rpmdbPatternsMatch(&pat, 1, h);
        rpmdbPatternFree(pat);
    }
    headerFree(h);
    return match;
}

static void testPatterns(void **state)
{
    (void)state;
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "a.b+c"), 1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "axb+c"), 0);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "a.b"), 0);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "a*"), 1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "a.[a-c]+c"), 1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "a[.*^]b*"), 1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "!a*"), 0);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "!b*"), 1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "a\\.b*$"), 1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "a*\\"), 0);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, "["), -1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_DEFAULT, ""), 1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_REGEX, "b"), 1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_REGEX, "^b"), 0);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_STRCMP, "a.b+c"), 1);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_STRCMP, "a*"), 0);
    assert_int_equal(matches(RPMTAG_NAME, RPMMIRE_GLOB, "a.?+c"), 1);
    assert_int_equal(matches(RPMTAG_BASENAMES, RPMMIRE_DEFAULT, "o?e"), 1);
    assert_int_equal(matches(RPMTAG_BASENAMES, RPMMIRE_DEFAULT, "*two"), 0);
    assert_int_equal(matches(RPMTAG_BASENAMES, RPMMIRE_DEFAULT, ".two"), 1);
    assert_int_equal(matches(RPMTAG_EPOCH, RPMMIRE_DEFAULT, "0"), 1);
    assert_int_equal(matches(RPMTAG_EPOCH, RPMMIRE_DEFAULT, "1"), 0);
    assert_int_equal(matches(RPMTAG_VERSION, RPMMIRE_DEFAULT, "*"), 0);
}

static void testSeveralPatterns(void **state)
{
    Header h = headerNew();
    struct rpmdbPattern_s *pats[3];

    (void)state;
    headerPutString(h, RPMTAG_NAME, "a");
    headerPutString(h, RPMTAG_VERSION, "1");
    pats[0] = rpmdbPatternNew(RPMTAG_NAME, RPMMIRE_DEFAULT, "x");
    pats[1] = rpmdbPatternNew(RPMTAG_VERSION, RPMMIRE_DEFAULT, "1");
    pats[2] = rpmdbPatternNew(RPMTAG_NAME, RPMMIRE_DEFAULT, "a");
    assert_true(rpmdbPatternsMatch(pats, 0, h));
    assert_false(rpmdbPatternsMatch(pats, 2, h));
    assert_true(rpmdbPatternsMatch(pats, 3, h));
    assert_true(rpmdbPatternsMatch(pats + 1, 2, h));
    for (int i = 0; i < 3; i++)
        rpmdbPatternFree(pats[i]);
    headerFree(h);
}

static void testRecordTags(void **state)
{
    Header h = headerNew();
    struct rpmdbRecord_s record = { .tid = 5, .time = 6, .color = 3, .states = "\0\2",
        .nstates = 2 };

    (void)state;
    headerPutString(h, RPMTAG_PREFIXES, "/usr");
    for (int i = 0; i < 2; i++) {
        struct rpmtd_s td;

        assert_int_equal(rpmdbRecordTags(h, &record), 0);
        assert_int_equal(headerGetNumber(h, RPMTAG_INSTALLTID), 5);
        assert_int_equal(headerGetNumber(h, RPMTAG_INSTALLTIME), 6);
        assert_int_equal(headerGetNumber(h, RPMTAG_INSTALLCOLOR), 3);
        assert_int_equal(headerGet(h, RPMTAG_FILESTATES, &td, HEADERGET_MINMEM), 1);
        assert_int_equal(td.count, 2);
        assert_memory_equal(td.data, "\0\2", 2);
        rpmtdFreeData(&td);
        assert_int_equal(headerGet(h, RPMTAG_INSTPREFIXES, &td, HEADERGET_MINMEM), 1);
        assert_int_equal(td.count, 1);
        rpmtdFreeData(&td);
    }
    headerFree(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRich),
        cmocka_unit_test(testDeepRich),
        cmocka_unit_test(testKeys),
        cmocka_unit_test(testKeysStop),
        cmocka_unit_test(testPatterns),
        cmocka_unit_test(testSeveralPatterns),
        cmocka_unit_test(testRecordTags),
    };

    rpmlogSetMask(RPMLOG_UPTO(RPMLOG_CRIT));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
