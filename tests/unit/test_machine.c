/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include <rpm/header.h>
#include <rpm/rpmps.h>

#include "machine.h"
#include "rpmts_internal.h"

static const char *machine; /* NULL: uname() fails */

int __wrap_uname(struct utsname *un);

int __wrap_uname(struct utsname *un)
{
    if (machine == NULL) {
        errno = EFAULT;
        return -1;
    }
    strcpy(un->machine, machine);
    strcpy(un->sysname, "Linux");
    return 0;
}

static void runs(void **state)
{
    static const char *const x86[] = { "x86_64", "amd64", "athlon", "i686", "i386", "noarch" };

    (void)state;
    for (size_t i = 0; i < sizeof(x86) / sizeof(*x86); i++)
        assert_true(rpmMachineRuns("x86_64", x86[i]));
    assert_false(rpmMachineRuns("x86_64", "aarch64"));
    assert_false(rpmMachineRuns("i686", "x86_64"));
    assert_true(rpmMachineRuns("i686", "i586"));
    assert_false(rpmMachineRuns("i586", "i686"));
    assert_true(rpmMachineRuns("armv7l", "armv7hl"));
    assert_true(rpmMachineRuns("armv8l", "armv3l"));
    assert_true(rpmMachineRuns("unheard-of", "unheard-of"));
    assert_true(rpmMachineRuns("unheard-of", "noarch"));
    assert_false(rpmMachineRuns("unheard-of", "x86_64"));
}

static rpmts setOf(const char *arch, const char *os)
{
    rpmts ts = rpmtsCreate();
    Header h = headerNew();

    headerPutString(h, RPMTAG_NAME, "a");
    headerPutString(h, RPMTAG_VERSION, "1");
    headerPutString(h, RPMTAG_RELEASE, "1");
    headerPutString(h, RPMTAG_SOURCERPM, "a.src.rpm");
    if (arch != NULL)
        headerPutString(h, RPMTAG_ARCH, arch);
    if (os != NULL)
        headerPutString(h, RPMTAG_OS, os);
    assert_int_equal(rpmtsAddInstallElement(ts, h, "a.rpm", 0, NULL), 0);
    headerFree(h);
    return ts;
}

static int problemsOf(const char *arch, const char *os, rpmprobFilterFlags ignore)
{
    rpmts ts = setOf(arch, os);
    rpmps ps;
    int n;

    ts->ignoreSet = ignore;
    assert_int_equal(rpmMachineCheck(ts), 0);
    ps = rpmtsProblems(ts);
    n = rpmpsNumProblems(ps);
    rpmpsFree(ps);
    rpmtsFree(ts);
    return n;
}

static void problems(void **state)
{
    (void)state;
    machine = "x86_64";
    assert_int_equal(problemsOf("x86_64", "linux", 0), 0);
    assert_int_equal(problemsOf("noarch", "Linux", 0), 0);
    assert_int_equal(problemsOf(NULL, NULL, 0), 0);
    assert_int_equal(problemsOf("s390x", "linux", 0), 1);
    assert_int_equal(problemsOf("s390x", "linux", RPMPROB_FILTER_IGNOREARCH), 0);
    assert_int_equal(problemsOf("x86_64", "solaris", 0), 1);
    assert_int_equal(problemsOf("x86_64", "solaris", RPMPROB_FILTER_IGNOREOS), 0);
    assert_int_equal(problemsOf("s390x", "solaris", 0), 2);
}

static void noUname(void **state)
{
    rpmts ts = setOf("noarch", "linux");

    (void)state;
    machine = NULL;
    assert_int_equal(rpmMachineCheck(ts), -1);
    assert_int_equal(errno, EFAULT);
    rpmtsFree(ts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),
        cmocka_unit_test(problems),
        cmocka_unit_test(noUname),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
