/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <ctype.h>
#include <errno.h>
#include <sys/utsname.h>

#include <rpm/rpmlib.h>

#include "macro_fixture.h"

static const char *machine = "PPC64le";
static const char machineLines[] = "ARCHITECTURE AND OS:\n"
                                   "install arch          : ppc64le\n"
                                   "install os            : linux\n\n";
static bool failUname;

int __wrap_uname(struct utsname *un);
int __wrap_uname(struct utsname *un)
{
    if (failUname) {
        errno = EFAULT;
        return -1;
    }
    strcpy(un->machine, machine);
    strcpy(un->sysname, "Linux");
    return 0;
}

static void targetIs(const char *target, const char *wanted)
{
    macrofiles = "";
    assert_int_equal(rpmReadConfigFiles(NULL, target), 0);
    expands("%{_target}|%{_target_cpu}|%{_target_os}", wanted);
    macrofiles = NULL;
}

static void test_targets(void **state)
{
    (void)state;
    targetIs(NULL, "ppc64le-linux|ppc64le|linux");
    targetIs("i686-linux", "i686-linux|i686|linux");
    targetIs("I686-pc-Linux-GNU", "i686-linux|i686|linux");
    targetIs("i686", "i686-linux|i686|linux");
    targetIs("sparc-sun-solaris", "sparc-solaris|sparc|solaris");
    targetIs(NULL, "ppc64le-linux|ppc64le|linux");
}

static void test_errors(void **state)
{
    (void)state;
    assert_int_equal(rpmReadConfigFiles("/etc/rpmrc", NULL), -1);
    assert_string_equal(messages, "/etc/rpmrc: rpmrc files are not supported\n");
    clearMessages();
    failUname = true;
    assert_int_equal(rpmReadConfigFiles(NULL, NULL), -1);
    failUname = false;
    assert_string_equal(messages, "uname: Bad address\n");
}

static void test_the_path_and_its_order(void **state)
{
    const char *own = makeFile("%own yes\n%_usr /own\n", 21);
    char *text = NULL;
    size_t size = 0;
    char wanted[512];
    FILE *fp;

    (void)state;
    setenv("RPMIO_POLICY_MACROS", own, 1);
    assert_int_equal(rpmReadConfigFiles(NULL, NULL), 0);
    expands("%own", "yes");
    snprintf(wanted, sizeof(wanted),
             "\n\nMacro path: %s:/usr/lib/rpm/macros:/usr/lib/rpm/macros.d/macros.*:"
             "/usr/lib/rpm/platform/%%{_target}/macros:/usr/lib/rpm/fileattrs/*.attr:"
             "/usr/lib/rpm/*/macros:/etc/rpm/macros.*:/etc/rpm/macros:"
             "/etc/rpm/%%{_target}/macros:~/.rpmmacros\n\n"
             "========================\n", own);
    fp = open_memstream(&text, &size);
    rpmShowRC(fp);
    fclose(fp);
    assert_int_equal(strncmp(text, machineLines, strlen(machineLines)), 0);
    assert_non_null(strstr(text, wanted));
    free(text);
    free((char *)macrofiles);
    macrofiles = NULL;
    unlink(own);
}

/* The macros of the tree are enough where no rpm is installed. */
static void test_a_bare_system(void **state)
{
    (void)state;
    macrofiles = TREE_MACROS;
    assert_int_equal(rpmReadConfigFiles(NULL, NULL), 0);
    expands("%{_dbpath} %{_arch} %{_os} %{_build_arch} %{_host_cpu} [%nil]",
            "/var/lib/rpm ppc64le linux ppc64le ppc64le []");
    assert_string_equal(messages, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_targets),
        TEST(test_errors),
        TEST(test_the_path_and_its_order),
        TEST(test_a_bare_system),
    };
    unsetenv("RPM_CONFIGDIR");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
