/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transaction sets and their run. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmfiles.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmmacro.h>

#include "testinst.h"

static int enforcing;

int __wrap_rpmSelinuxEnforcing(void);

int __wrap_rpmSelinuxEnforcing(void)
{
    return enforcing;
}

static int setup(void **state)
{
    enforcing = 0;
    return instSetup(state);
}

#define P "name p\nversion 1\nrelease 1\narch noarch\n"
#define Q "name q\nversion 2\nrelease 2\narch noarch\n"

static void test_settings(void **state)
{
    rpmts ts = rpmtsCreate();

    (void) state;
    assert_string_equal(rpmtsRootDir(ts), "/");
    assert_int_equal(rpmtsSetRootDir(ts, "relative"), -1);
    assert_string_equal(rpmtsRootDir(ts), "/");
    assert_int_equal(rpmtsSetRootDir(ts, "/a//b/."), 0);
    assert_string_equal(rpmtsRootDir(ts), "/a/b/");
    assert_int_equal(rpmtsSetRootDir(ts, NULL), 0);
    assert_string_equal(rpmtsRootDir(ts), "/");
    assert_int_equal(rpmtsSetFlags(ts, RPMTRANS_FLAG_TEST), 0);
    assert_int_equal(rpmtsSetFlags(ts, 0), RPMTRANS_FLAG_TEST);
    assert_int_equal(rpmtsSetVSFlags(ts, 5), 0);
    assert_int_equal(rpmtsVSFlags(ts), 5);
    rpmtsSetVfyFlags(ts, 6);
    assert_int_equal(rpmtsVfyFlags(ts), 6);
    assert_int_equal(rpmtsSetVfyLevel(ts, 0), RPMSIG_DIGEST_TYPE);
    assert_int_equal(rpmtsVfyLevel(ts), 0);
    assert_int_equal(rpmtsSetTid(ts, 9), 0);
    assert_int_equal(rpmtsGetTid(ts), 9);
    assert_non_null(rpmtsOp(ts, RPMTS_OP_VERIFY));
    assert_null(rpmtsOp(ts, RPMTS_OP_MAX));
    assert_null(rpmtsElement(ts, 0));
    assert_null(rpmtsNotify(ts, NULL, RPMCALLBACK_TRANS_START, 0, 0));
    assert_null(rpmtsProblems(ts));
    assert_int_equal(rpmtsRun(ts, NULL, 0), 0);
    assert_ptr_equal(rpmtsLink(ts), ts);
    rpmtsFree(ts);
    rpmtsFree(ts);
    assert_null(rpmtsFree(NULL));
}

static void test_verify_level_of_the_configuration(void **state)
{
    static const struct {
        const char *value;
        int level;
    } rows[] = {
        { "all", RPMSIG_DIGEST_TYPE | RPMSIG_SIGNATURE_TYPE },
        { "signature", RPMSIG_SIGNATURE_TYPE },
        { "digest", RPMSIG_DIGEST_TYPE },
        { "none", 0 },
        { "nonsense", RPMSIG_DIGEST_TYPE },
    };

    (void) state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        rpmts ts;
        instLog[0] = '\0';
        rpmPushMacro(NULL, "_pkgverify_level", NULL, rows[i].value, RMIL_CMDLINE);
        ts = rpmtsCreate();
        rpmPopMacro(NULL, "_pkgverify_level");
        assert_int_equal(rpmtsVfyLevel(ts), rows[i].level);
        rpmtsFree(ts);
    }
    assert_string_equal(instLog, "warning: invalid package verify level nonsense\n");
}

static Header readHeader(rpmts ts, const char *tree, const char *manifest)
{
    FD_t fd;
    Header h = NULL;

    instBuild(tree, 7, manifest);
    fd = Fopen(at(tree, "pkg7.rpm"), "r.ufdio");
    assert_non_null(fd);
    assert_int_equal(rpmReadPackageFile(ts, fd, "pkg7", &h), RPMRC_OK);
    Fclose(fd);
    return h;
}

static void test_elements(void **state)
{
    rpmts ts = rpmtsCreate();
    Header h = readHeader(ts, *state, Q "tag main 1003 int32 3\nfile /a content=x\n");
    rpmtsi tsi;
    rpmfiles files;
    rpmte te;

    /* There is no database to look for older versions in. */
    assert_int_equal(rpmtsAddInstallElement(ts, h, "key", 1, NULL), 1);
    assert_int_equal(rpmtsNElements(ts), 0);
    assert_int_equal(rpmtsAddInstallElement(ts, h, "key", 0, NULL), 0);
    te = rpmtsElement(ts, 0);
    assert_string_equal(rpmteN(te), "q");
    assert_string_equal(rpmteE(te), "3");
    assert_string_equal(rpmteV(te), "2");
    assert_string_equal(rpmteR(te), "2");
    assert_string_equal(rpmteA(te), "noarch");
    assert_string_equal(rpmteO(te), "linux");
    assert_string_equal(rpmteEVR(te), "3:2-2");
    assert_string_equal(rpmteNEVR(te), "q-3:2-2");
    assert_string_equal(rpmteNEVRA(te), "q-3:2-2.noarch");
    assert_string_equal(rpmteKey(te), "key");
    assert_int_equal(rpmteType(te), TR_ADDED);
    assert_int_equal(rpmteIsSource(te), 0);
    assert_null(rpmteProblems(te));
    files = rpmteFiles(te);
    assert_int_equal(rpmfilesFC(files), 1);
    rpmfilesFree(files);
    headerFree(h);

    tsi = rpmtsiInit(ts);
    assert_ptr_equal(rpmtsiNext(tsi, TR_ADDED), te);
    assert_null(rpmtsiNext(tsi, TR_ADDED));
    tsi = rpmtsiFree(tsi);
    tsi = rpmtsiInit(ts);
    assert_null(rpmtsiNext(tsi, 1 << 7));
    rpmtsiFree(tsi);
    rpmtsEmpty(ts);
    assert_int_equal(rpmtsNElements(ts), 0);
    rpmtsFree(ts);
}

static void test_source_package_is_refused(void **state)
{
    rpmts ts = rpmtsCreate();
    Header h = readHeader(ts, *state, Q "source\nfile a.spec content=x\n");

    assert_int_equal(rpmtsAddInstallElement(ts, h, "key", 0, NULL), 2);
    assert_non_null(strstr(instLog, "source packages are not supported"));
    headerFree(h);
    rpmtsFree(ts);
}

static void test_packages_in_order(void **state)
{
    const char *tree = *state;

    instIgnore = RPMPROB_FILTER_REPLACENEWFILES;
    assert_int_equal(inst(tree, P "file /a content=first\n", Q "file /a content=second\n", NULL),
                     0);
    assertContent(tree, "root/a", "second");
    assert_int_equal(inst(tree, P "file /a content=first\n", Q "file /a content=second\n", NULL),
                     0);
}

static void test_failure_of_one_package_is_not_the_others(void **state)
{
    const char *tree = *state;

    putDir(tree, "root/d");
    assert_int_equal(inst(tree, P "file /a content=x\nfile /d content=x\n",
                          Q "file /b content=x\n", NULL), -1);
    assert_int_equal(instFailed, 1);
    assert_int_equal(treeCount(at(tree, "root"), ""), 2);
    assertContent(tree, "root/b", "x");
}

static void test_every_package_is_verified_before_the_first_write(void **state)
{
    const char *tree = *state;

    assert_int_equal(inst(tree, P "file /a content=x\n", Q "wrong payload\nfile /b content=x\n",
                          NULL), 2);
    assert_non_null(strstr(instProblems, "\tpackage q-2-2.noarch does not verify: Payload SHA256 "));
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
    instIgnore = RPMPROB_FILTER_VERIFY;
    assert_int_equal(instBuilt(tree, 2), 0);
    assertContent(tree, "root/b", "x");
}

static void test_signature_level_refuses_all(void **state)
{
    const char *tree = *state;

    rpmPushMacro(NULL, "_pkgverify_level", NULL, "signature", RMIL_CMDLINE);
    assert_int_equal(inst(tree, P "file /a content=x\n", NULL), 1);
    rpmPopMacro(NULL, "_pkgverify_level");
    assert_non_null(strstr(instProblems, "does not verify: no signature"));
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
}

static void test_test_writes_nothing(void **state)
{
    const char *tree = *state;

    instFlags = RPMTRANS_FLAG_TEST;
    assert_int_equal(inst(tree, P "file /a content=x\n", NULL), 0);
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
    assert_int_equal(inst(tree, P "file /a content=x\n", Q "file /a content=y\n", NULL), 2);
}

static void test_roots_that_are_none(void **state)
{
    const char *tree = *state;

    putFile(tree, "file", "x");
    instRoot = at(tree, "file");
    assert_int_equal(inst(tree, P "file /a content=x\n", NULL), -1);
    assert_non_null(strstr(instLog, "/file/ cannot be used: Not a directory\n"));
    instRoot = at(tree, "none");
    assert_int_equal(instBuilt(tree, 1), -1);
    assert_non_null(strstr(instLog, "/none/ cannot be used: No such file or directory\n"));
}

static void test_selinux(void **state)
{
    const char *tree = *state;

    enforcing = 1;
    instRoot = "/";
    instFlags = RPMTRANS_FLAG_TEST;
    assert_int_equal(inst(tree, P "file /a content=x\n", NULL), -1);
    assert_non_null(strstr(instLog, "error: SELinux is enforcing"));
    instFlags |= RPMTRANS_FLAG_NOCONTEXTS;
    assert_int_equal(instBuilt(tree, 1), 0);
    instRoot = NULL;
    instFlags = 0;
    assert_int_equal(instBuilt(tree, 1), 0);
}

static void test_lua_is_refused(void **state)
{
    const char *tree = *state;

    assert_int_equal(inst(tree, P "script postin <lua> print(1)\nfile /a content=x\n", NULL), -1);
    assert_non_null(strstr(instLog, "p-1-1.noarch"));
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
    instFlags = RPMTRANS_FLAG_NOSCRIPTS;
    assert_int_equal(instBuilt(tree, 1), 0);
}

static void swapPackage(const char *tree, rpmCallbackType what, rpm_loff_t amount,
                        rpm_loff_t total)
{
    (void) amount;
    (void) total;
    if (what == RPMCALLBACK_TRANS_STOP)
        instBuild(tree, 0, P "file /a content=evil\nfile /b content=evil\n");
}

static void test_package_is_replaced_after_its_verification(void **state)
{
    const char *tree = *state;

    instHook = swapPackage;
    assert_int_equal(inst(tree, P "file /a content=good\n", NULL), -1);
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
}

static void removePackage(const char *tree, rpmCallbackType what, rpm_loff_t amount,
                          rpm_loff_t total)
{
    (void) amount;
    (void) total;
    if (what == RPMCALLBACK_TRANS_STOP)
        assert_int_equal(unlink(at(tree, "pkg0.rpm")), 0);
}

static void test_package_is_gone_after_its_verification(void **state)
{
    const char *tree = *state;

    instHook = removePackage;
    assert_int_equal(inst(tree, P "file /a content=good\n", NULL), -1);
    assert_non_null(strstr(instLog, "error: p-1-1.noarch: the package cannot be read again\n"));
}

static char events[4096];
static rpm_loff_t lastDone;

static void noteEvent(const char *tree, rpmCallbackType what, rpm_loff_t amount,
                      rpm_loff_t total)
{
    static const struct {
        rpmCallbackType what;
        const char *name;
    } names[] = {
        { RPMCALLBACK_VERIFY_START, "verify(" }, { RPMCALLBACK_VERIFY_PROGRESS, "v" },
        { RPMCALLBACK_VERIFY_STOP, ")" }, { RPMCALLBACK_TRANS_START, "trans(" },
        { RPMCALLBACK_TRANS_STOP, ")" }, { RPMCALLBACK_ELEM_PROGRESS, " elem" },
        { RPMCALLBACK_INST_OPEN_FILE, "<" }, { RPMCALLBACK_INST_CLOSE_FILE, ">" },
        { RPMCALLBACK_INST_START, "inst(" }, { RPMCALLBACK_INST_STOP, ")" },
        { RPMCALLBACK_UNPACK_ERROR, "!" },
    };

    (void) tree;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].what == what)
            strcat(events, names[i].name);
    }
    if (what == RPMCALLBACK_INST_START)
        lastDone = 0;
    if (what != RPMCALLBACK_INST_PROGRESS)
        return;
    assert_true(amount >= lastDone);
    assert_true(amount <= total);
    lastDone = amount;
}

static void test_events(void **state)
{
    events[0] = '\0';
    instHook = noteEvent;
    assert_int_equal(inst(*state, P "file /a size=500000 fill=random\n", Q "file /b content=x\n",
                          NULL), 0);
    assert_string_equal(events, "verify(v<>v<>)trans() elem<inst()> elem<inst()>");
    events[0] = '\0';
    putDir(*state, "root/c");
    assert_int_equal(inst(*state, P "file /c content=x\n", NULL), -1);
    assert_string_equal(events, "verify(v<>)trans() elem<inst(!)>");
    events[0] = '\0';
    assert_int_equal(inst(*state, P "wrong payload\nfile /c content=x\n", NULL), 1);
    assert_string_equal(events, "verify(v<>)trans()");
}

static void test_package_without_files(void **state)
{
    assert_int_equal(inst(*state, P, NULL), 0);
    assert_int_equal(treeCount(at(*state, "root"), ""), 0);
}

static void test_umask_of_the_caller_does_not_matter(void **state)
{
    mode_t mask = umask(077);
    struct stat sb;

    assert_int_equal(inst(*state, P "file /a/f content=x mode=0666\n", NULL), 0);
    assert_int_equal(umask(mask), 077);
    assert_int_equal(stat(at(*state, "root/a"), &sb), 0);
    assert_int_equal(sb.st_mode & 07777, 0755);
    assert_int_equal(stat(at(*state, "root/a/f"), &sb), 0);
    assert_int_equal(sb.st_mode & 07777, 0666);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, instTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_settings),
        TEST(test_verify_level_of_the_configuration),
        TEST(test_elements),
        TEST(test_source_package_is_refused),
        TEST(test_packages_in_order),
        TEST(test_failure_of_one_package_is_not_the_others),
        TEST(test_every_package_is_verified_before_the_first_write),
        TEST(test_signature_level_refuses_all),
        TEST(test_test_writes_nothing),
        TEST(test_roots_that_are_none),
        TEST(test_selinux),
        TEST(test_lua_is_refused),
        TEST(test_package_is_replaced_after_its_verification),
        TEST(test_package_is_gone_after_its_verification),
        TEST(test_events),
        TEST(test_package_without_files),
        TEST(test_umask_of_the_caller_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
