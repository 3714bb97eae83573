/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <rpm/rpmutil.h>

static void test_zero_size_is_not_null(void **state)
{
    void *a = rmalloc(0);
    void *b = rcalloc(0, 8);
    void *c = rrealloc(NULL, 0);

    (void)state;
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    rfree(a);
    rfree(b);
    assert_null(rfree(c));
}

static void test_rcalloc_overflow_ends_the_process(void **state)
{
    volatile size_t huge = SIZE_MAX / 2;
    int status = 0;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        close(STDERR_FILENO);
        rcalloc(huge, 16);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void test_rstrdup_copies(void **state)
{
    char *s = rstrdup("payload");

    (void)state;
    assert_string_equal(s, "payload");
    rfree(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_size_is_not_null),
        cmocka_unit_test(test_rcalloc_overflow_ends_the_process),
        cmocka_unit_test(test_rstrdup_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
