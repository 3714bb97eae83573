/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scriptlets of a transaction: which are wanted, which it refuses to run, and what a step of
 * it makes of one. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <rpm/rpmdb.h>
#include <rpm/rpmds.h>

#include "rpmdb_internal.h"
#include "rpmte_internal.h"
#include "script_fixture.h"

static void test_wanted(void **state)
{
    static const struct {
        rpmTagVal tag;
        rpmtransFlags without;
    } kinds[] = {
        { RPMTAG_PRETRANS, RPMTRANS_FLAG_NOPRETRANS },
        { RPMTAG_PREIN, RPMTRANS_FLAG_NOPRE },
        { RPMTAG_POSTIN, RPMTRANS_FLAG_NOPOST },
        { RPMTAG_PREUN, RPMTRANS_FLAG_NOPREUN },
        { RPMTAG_POSTUN, RPMTRANS_FLAG_NOPOSTUN },
        { RPMTAG_POSTTRANS, RPMTRANS_FLAG_NOPOSTTRANS },
    };
    const rpmtransFlags never[] = { RPMTRANS_FLAG_NOSCRIPTS, RPMTRANS_FLAG_JUSTDB,
                                    RPMTRANS_FLAG_TEST };

    (void) state;
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++)
            assert_int_equal(rpmScriptIsWanted(kinds[i].tag, kinds[j].without), i != j);
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(rpmScriptIsWanted(kinds[i].tag, never[j]), 0);
    }
    assert_int_equal(rpmScriptIsWanted(RPMTAG_NAME, 0), 0);
}

static void assertRefused(Header h, rpmElementType type, rpmtransFlags flags, const char *wanted)
{
    instLog[0] = '\0';
    assert_int_equal(rpmRefuseScripts(h, type, flags), *wanted ? -1 : 0);
    assert_string_equal(instLog, wanted);
}

#define REFUSED "error: package a-1-1.noarch has "
#define NO_RUN ", which this version does not run: "

static void test_lua(void **state)
{
    Header h = package();

    (void) state;
    assertRefused(h, TR_ADDED, 0, "");
    headerPutString(h, RPMTAG_PREUNPROG, "<lua>");
    headerPutString(h, RPMTAG_POSTIN, "echo");
    headerPutString(h, RPMTAG_POSTINPROG, "/bin/lua");
    assertRefused(h, TR_ADDED, 0, "");
    assertRefused(h, TR_REMOVED, 0,
                  REFUSED "scriptlets in <lua> (%preun)" NO_RUN "--noscripts erases without\n");
    headerPutString(h, RPMTAG_PREIN, "%{echo:expanded}");
    headerPutString(h, RPMTAG_PREINPROG, "<lua>");
    headerPutString(h, RPMTAG_POSTTRANSPROG, "<lua>");
    assertRefused(h, TR_ADDED, 0, REFUSED "scriptlets in <lua> (%pre, %posttrans)" NO_RUN
                                          "--noscripts installs without\n");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_TEST | RPMTRANS_FLAG_NOPRE,
                  REFUSED "scriptlets in <lua> (%posttrans)" NO_RUN
                          "--noscripts installs without\n");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOPRE | RPMTRANS_FLAG_NOPOSTTRANS, "");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOSCRIPTS, "");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_JUSTDB, "");
    assert_int_equal(rpmScriptIsLua(h, RPMTAG_POSTIN), 0);
    assert_int_equal(rpmScriptIsLua(h, RPMTAG_PREIN), 1);
    headerFree(h);
}

static void test_triggers(void **state)
{
    Header h = package();
    uint32_t in = RPMSENSE_TRIGGERIN;
    uint32_t postun = RPMSENSE_TRIGGERPOSTUN;

    (void) state;
    headerPutUint32(h, RPMTAG_TRIGGERFLAGS, &in, 1);
    headerPutUint32(h, RPMTAG_TRIGGERFLAGS, &postun, 1);
    headerPutUint32(h, RPMTAG_TRANSFILETRIGGERFLAGS, &in, 1);
    assertRefused(h, TR_ADDED, 0, REFUSED
                  "triggers (%triggerin, %triggerpostun, %transfiletriggerin)" NO_RUN
                  "--notriggers installs without\n");
    assertRefused(h, TR_REMOVED, RPMTRANS_FLAG_NOTRIGGERIN,
                  REFUSED "triggers (%triggerpostun)" NO_RUN "--notriggers erases without\n");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOTRIGGERIN | RPMTRANS_FLAG_NOTRIGGERPOSTUN, "");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOTRIGGERS, "");
    assertRefused(h, TR_ADDED, RPMTRANS_FLAG_NOSCRIPTS, "");
    headerFree(h);
}

static void addTrigger(Header h, const char *name, uint32_t sense, const char *version)
{
    headerPutString(h, RPMTAG_TRIGGERNAME, name);
    headerPutString(h, RPMTAG_TRIGGERVERSION, version);
    headerPutUint32(h, RPMTAG_TRIGGERFLAGS, &sense, 1);
}

static void assertSetOff(rpmts ts, rpmElementType type, rpmtransFlags flags, const char *wanted)
{
    instLog[0] = '\0';
    ts->elements[0]->type = type;
    ts->flags = flags;
    assert_int_equal(rpmRefuseRecordedTriggers(ts), *wanted ? -1 : 0);
    assert_string_equal(instLog, wanted);
}

static Header named(const char *name, const char *version)
{
    Header h = package();

    headerDel(h, RPMTAG_NAME);
    headerDel(h, RPMTAG_VERSION);
    headerPutString(h, RPMTAG_NAME, name);
    headerPutString(h, RPMTAG_VERSION, version);
    return h;
}

/* A set with an element of name and version that has the file /opt/file, and a database of its
 * own. */
static rpmts newTarget(const char *tree, const char *name, const char *version)
{
    rpmts ts = newSet(at(tree, "root"));
    Header h = named(name, version);
    uint32_t zero = 0;
    uint16_t mode = 0100644;
    uint32_t mtime = 1;

    headerPutString(h, RPMTAG_DIRNAMES, "/opt/");
    headerPutString(h, RPMTAG_BASENAMES, "file");
    headerPutUint32(h, RPMTAG_DIRINDEXES, &zero, 1);
    headerPutUint16(h, RPMTAG_FILEMODES, &mode, 1);
    headerPutUint32(h, RPMTAG_FILEMTIMES, &mtime, 1);
    headerPutUint32(h, RPMTAG_FILESIZES, &zero, 1);
    headerPutUint32(h, RPMTAG_FILEFLAGS, &zero, 1);
    headerPutString(h, RPMTAG_FILEUSERNAME, "root");
    headerPutString(h, RPMTAG_FILEGROUPNAME, "root");
    headerPutString(h, RPMTAG_FILELINKTOS, "");
    headerPutString(h, RPMTAG_FILEDIGESTS, "");
    rpmPushMacro(NULL, "_dbpath", NULL, "/db", RMIL_CMDLINE);
    assert_int_equal(rpmtsOpenDB(ts, O_RDWR | O_CREAT), 0);
    rpmPopMacro(NULL, "_dbpath");
    rpmtsSetVSFlags(ts, RPMVSF_NOHDRCHK);
    ts->elements = rcalloc(1, sizeof(*ts->elements));
    ts->elements[0] = rpmteNew(h, TR_ADDED, NULL);
    assert_non_null(ts->elements[0]);
    ts->nelements = 1;
    headerFree(h);
    return ts;
}

static void record(rpmts ts, Header h)
{
    assert_int_equal(rpmdbAdd(rpmtsGetRdb(ts), h), 0);
    headerFree(h);
}

static void test_recorded_triggers(void **state)
{
    rpmts ts = newTarget(*state, "other", "2");
    Header h = named("t", "1");
    uint32_t sense = RPMSENSE_TRIGGERPOSTUN | RPMSENSE_TRIGGERIN;

    assertSetOff(ts, TR_ADDED, 0, "");
    addTrigger(h, "stranger", RPMSENSE_TRIGGERPREIN, "");
    addTrigger(h, "other", RPMSENSE_TRIGGERIN | RPMSENSE_LESS, "2");
    addTrigger(h, "other", RPMSENSE_TRIGGERUN | RPMSENSE_LESS | RPMSENSE_EQUAL, "2");
    record(ts, h);
    assertSetOff(ts, TR_ADDED, 0, "");
    assertSetOff(ts, TR_REMOVED, 0,
                 "error: package t-1-1.noarch has triggers on other-2-1.noarch (%triggerun)" NO_RUN
                 "--notriggers erases without\n");
    assertSetOff(ts, TR_REMOVED, RPMTRANS_FLAG_NOTRIGGERUN, "");
    assertSetOff(ts, TR_REMOVED, RPMTRANS_FLAG_NOTRIGGERS, "");
    assertSetOff(ts, TR_REMOVED, RPMTRANS_FLAG_NOSCRIPTS, "");
    assertSetOff(ts, TR_REMOVED, RPMTRANS_FLAG_JUSTDB, "");

    h = named("f", "1");
    headerPutString(h, RPMTAG_TRANSFILETRIGGERNAME, "/usr");
    headerPutUint32(h, RPMTAG_TRANSFILETRIGGERFLAGS, &sense, 1);
    headerPutString(h, RPMTAG_TRANSFILETRIGGERNAME, "/opt/fi");
    headerPutUint32(h, RPMTAG_TRANSFILETRIGGERFLAGS, &sense, 1);
    record(ts, h);
    assertSetOff(ts, TR_ADDED, 0,
                 "error: package f-1-1.noarch has triggers on other-2-1.noarch "
                 "(%transfiletriggerin)" NO_RUN "--notriggers installs without\n");
    assertSetOff(ts, TR_ADDED, RPMTRANS_FLAG_NOTRIGGERIN, "");
    endSet(ts);
}

/* -- as a step of a transaction ---------------------------------------------------------------- */

static char events[1000];

static void *note(const void *h, const rpmCallbackType what, const rpm_loff_t amount,
                  const rpm_loff_t total, fnpyKey key, rpmCallbackData data)
{
    size_t used = strlen(events);

    (void) h;
    (void) key;
    snprintf(events + used, sizeof(events) - used, "%s %d %d\n",
             what == RPMCALLBACK_SCRIPT_START ? "start" : what == RPMCALLBACK_SCRIPT_STOP
                                                             ? "stop"
                                                             : "error",
             (int) amount, (int) total);
    return what == RPMCALLBACK_SCRIPT_START ? data : NULL;
}

static void test_step(void **state)
{
    const char *tree = *state;
    rpmts ts = newSet("/");
    Header h = package();
    rpmte te;
    FD_t fd;

    headerPutString(h, RPMTAG_PREFIXES, "/opt");
    headerPutString(h, RPMTAG_PREIN, "echo $1 $RPM_INSTALL_PREFIX0; exit 1");
    headerPutString(h, RPMTAG_POSTIN, "exit 1");
    headerPutString(h, RPMTAG_POSTUN, "exit 0");
    te = rpmteNew(h, TR_ADDED, NULL);
    fd = Fopen(at(tree, "out"), "w.ufdio");
    events[0] = '\0';
    rpmtsSetNotifyCallback(ts, note, fd);
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_PREUN, 1), 0);
    assert_int_equal(rpmtsOp(ts, RPMTS_OP_SCRIPTLETS)->count, 0);
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_PREIN, 7), RPMRC_FAIL);
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_POSTIN, 1), 0);
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_POSTUN, 1), 0);
    assert_string_equal(events, "start 1023 0\nstop 1023 2\nerror 1023 2\n"
                                "start 1024 0\nstop 1024 1\nerror 1024 0\n"
                                "start 1026 0\nstop 1026 0\n");
    assert_int_equal(rpmtsOp(ts, RPMTS_OP_SCRIPTLETS)->count, 3);
    ts->flags = RPMTRANS_FLAG_NOPRE;
    assert_int_equal(rpmtsRunScript(ts, te, RPMTAG_PREIN, 7), 0);
    assert_int_equal(rpmtsOp(ts, RPMTS_OP_SCRIPTLETS)->count, 3);
    Fclose(fd);
    readOutput(tree);
    assert_string_equal(output, "7 /opt\n");
    rpmteFree(te);
    headerFree(h);
    endSet(ts);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scriptSetup, scriptTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_wanted),
        TEST(test_lua),
        TEST(test_triggers),
        TEST(test_recorded_triggers),
        TEST(test_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
