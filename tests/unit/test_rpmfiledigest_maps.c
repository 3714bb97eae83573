/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which files are mapped, and what becomes of those that cannot be. */

#include "digest_acting.h"

static void test_populate(void **state)
{
    static const int errors[] = { EINVAL, EFAULT, ENOMEM, EHWPOISON };
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 2);
    rpmFileDigestResult res;

    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        atomic_store(&preads, 0);
        populateErrno = errors[i];
        assert_int_equal(rpmFileDigestPath(fileOf("populate", 3 * WINDOW), allAlgos, 2, &opts,
                                           &res), 0);
        populateErrno = 0;
        isDigestOf(&res, content, 3 * WINDOW, allAlgos, 2);
        assert_true(errors[i] == EHWPOISON ? preads > 0 : preads == 0);
    }
}

static void isRead(const char *path, const rpmFileDigestOptions *opts, int maps)
{
    rpmFileDigestResult res;

    atomic_store(&preads, 0);
    atomic_store(&mapped, 0);
    assert_int_equal(rpmFileDigestPath(path, allAlgos, 1, opts, &res), 0);
    isDigestOf(&res, content, 2 * WINDOW, allAlgos, 1);
    assert_int_equal(atomic_load(&mapped) > 0, maps);
    assert_int_equal(atomic_load(&preads) == 0, maps);
}

static void test_choice(void **state)
{
    static const long never[] = { 0x6969, 0x65735546, 0xff534d42, 0x01021997, 0x958458f6 };
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_AUTO, 1);
    const char *path = fileOf("choice", 2 * WINDOW);

    (void)state;
    opts.threshold = 2 * WINDOW;
    isRead(path, &opts, 1);
    opts.threshold++;
    isRead(path, &opts, 0);
    opts.threshold = UINT64_MAX;
    isRead(path, &opts, 0);
    opts.threshold = 0;
    isRead(path, &opts, 1);
    opts.method = RPMFILEDIGEST_READ;
    isRead(path, &opts, 0);
    opts.method = RPMFILEDIGEST_MAP;
    isRead(path, &opts, 1);
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
        fakeType = never[i];
        isRead(path, &opts, 0);
    }
    fakeType = 0;
}

/* When the table of maps is full, files are read. */
static void test_too_many_maps(void **state)
{
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1);
    struct digestGuarded *guarded[1000];
    rpmFileDigestResult res;
    int n = 0;

    (void)state;
    while ((guarded[n] = digestGuardMap((void *)4096, 4096)) != NULL)
        n++;
    assert_true(n > 64 * 2);
    atomic_store(&preads, 0);
    assert_int_equal(rpmFileDigestPath(fileOf("many", WINDOW), allAlgos, 1, &opts, &res), 0);
    isDigestOf(&res, content, WINDOW, allAlgos, 1);
    assert_true(preads > 0);
    while (n-- > 0)
        digestGuardEnd(guarded[n]);
    isRead(fileOf("many", 2 * WINDOW), &opts, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_populate),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_too_many_maps),
    };

    return cmocka_run_group_tests(tests, digestSetup, digestTeardown);
}
