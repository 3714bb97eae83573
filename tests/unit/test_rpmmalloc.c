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

static void overflowCalloc(size_t huge)
{
    rcalloc(huge, 16);
}

static void overflowReallocn(size_t huge)
{
    rreallocn(NULL, huge, 16);
}

static void expectEnd(void (*body)(size_t))
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        close(STDERR_FILENO);
        body(SIZE_MAX / 2);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void test_overflow_ends_the_process(void **state)
{
    (void)state;
    expectEnd(overflowCalloc);
    expectEnd(overflowReallocn);
}

static void test_rreallocn_keeps_the_data(void **state)
{
    int *a = rreallocn(NULL, 2, sizeof(*a));

    (void)state;
    a[1] = 42;
    a = rreallocn(a, 1000, sizeof(*a));
    assert_int_equal(a[1], 42);
    rfree(a);
}

static void test_rstrdup_copies(void **state)
{
    char *s = rstrdup("payload");

    (void)state;
    assert_string_equal(s, "payload");
    rfree(s);
}

static void test_rstrndup_cuts(void **state)
{
    static const char open[] = { 'a', 'b', 'c' };
    char *s = rstrndup(open, sizeof(open));

    (void)state;
    assert_string_equal(s, "abc");
    rfree(s);
    s = rstrndup("abc", 10);
    assert_string_equal(s, "abc");
    rfree(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_size_is_not_null),
        cmocka_unit_test(test_overflow_ends_the_process),
        cmocka_unit_test(test_rreallocn_keeps_the_data),
        cmocka_unit_test(test_rstrdup_copies),
        cmocka_unit_test(test_rstrndup_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
