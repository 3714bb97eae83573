/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rpmselinux.h"

/* What the two files hold; NULL where there is none. */
static const char *files[2];

FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

FILE *__wrap_fopen(const char *path, const char *mode)
{
    const char *content = files[strcmp(path, "/sys/fs/selinux/enforce") == 0 ? 0 : 1];

    assert_string_equal(mode, "re");
    return content != NULL ? fmemopen((void *) content, strlen(content), "r") : NULL;
}

/* What glibc makes of fopen() where file offsets have 64 bits. */
FILE *__wrap_fopen64(const char *path, const char *mode)
{
    return __wrap_fopen(path, mode);
}

static int enforcing(const char *sys, const char *old)
{
    files[0] = sys;
    files[1] = old;
    return rpmSelinuxEnforcing();
}

static void test_enforce_files(void **state)
{
    (void) state;
    assert_int_equal(enforcing(NULL, NULL), 0);
    assert_int_equal(enforcing("0", NULL), 0);
    assert_int_equal(enforcing("1", NULL), 1);
    assert_int_equal(enforcing("1\n", NULL), 1);
    assert_int_equal(enforcing(NULL, "1"), 1);
    assert_int_equal(enforcing("0", "0"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enforce_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
