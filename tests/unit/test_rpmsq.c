/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals: noted, ignored, given back; and what they do to a transaction at each of its events. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/rpmmacro.h>
#include <rpm/rpmsq.h>

#include "interrupt.h"
#include "rpmts_internal.h"
#include "testinst.h"

static int handled;

static void handler(int signum)
{
    handled = signum;
}

static sighandler_t currentHandler(int signum)
{
    struct sigaction sa;

    assert_int_equal(sigaction(signum, NULL, &sa), 0);
    return sa.sa_handler;
}

static void test_signals_are_noted(void **state)
{
    static const int noted[] = { SIGINT, SIGQUIT, SIGTERM };

    (void) state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rpmsqActivate(1), 0);
        assert_int_equal(rpmsqIsCaught(noted[i]), 0);
        raise(noted[i]);
        raise(SIGHUP);
        raise(SIGPIPE);
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(rpmsqIsCaught(noted[j]), i == j);
        assert_int_equal(rpmsqActivate(0), 0);
        assert_int_equal(rpmsqIsCaught(noted[i]), 1);
        assert_ptr_equal(currentHandler(noted[i]), SIG_DFL);
    }
    assert_ptr_equal(currentHandler(SIGHUP), SIG_DFL);
    assert_ptr_equal(currentHandler(SIGPIPE), SIG_DFL);
    assert_int_equal(rpmsqIsCaught(SIGHUP), -1);
    assert_int_equal(rpmsqIsCaught(SIGUSR1), -1);
    assert_int_equal(rpmsqActivate(0), -1);
}

static void test_calls_nest(void **state)
{
    (void) state;
    signal(SIGTERM, handler);
    rpmsqActivate(1);
    raise(SIGTERM);
    rpmsqActivate(1);
    assert_int_equal(rpmsqIsCaught(SIGTERM), 1);
    rpmsqActivate(0);
    raise(SIGTERM);
    assert_int_equal(handled, 0);
    rpmsqActivate(0);
    raise(SIGTERM);
    assert_int_equal(handled, SIGTERM);
    signal(SIGTERM, SIG_DFL);
}

static void test_ignored_signals_stay_ignored(void **state)
{
    (void) state;
    signal(SIGINT, SIG_IGN);
    rpmsqActivate(1);
    raise(SIGINT);
    assert_int_equal(rpmsqIsCaught(SIGINT), 0);
    rpmsqActivate(0);
    assert_ptr_equal(currentHandler(SIGINT), SIG_IGN);
    signal(SIGINT, SIG_DFL);
}

static void *nest(void *arg)
{
    (void) arg;
    for (int i = 0; i < 2000; i++) {
        rpmsqActivate(1);
        raise(SIGINT);
        rpmsqActivate(0);
    }
    return NULL;
}

/* A signal that finds the default action would end the test. */
static void test_threads(void **state)
{
    pthread_t threads[4];

    (void) state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, nest, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_ptr_equal(currentHandler(SIGINT), SIG_DFL);
}

static void test_no_return(void **state)
{
    struct rpmts_s ts = { .noReturn = 0 };

    (void) state;
    rpmsqActivate(1);
    assert_int_equal(rpmtsInterrupted(&ts), 0);
    raise(SIGTERM);
    assert_int_equal(rpmtsInterrupted(&ts), SIGTERM);
    assert_int_equal(rpmtsNoReturn(&ts), SIGTERM);
    assert_int_equal(rpmtsInterrupted(&ts), SIGTERM);
    rpmsqActivate(0);
    rpmsqActivate(1);
    assert_int_equal(rpmtsNoReturn(&ts), 0);
    raise(SIGINT);
    assert_int_equal(rpmtsInterrupted(&ts), 0);
    assert_int_equal(rpmtsNoReturn(&ts), 0);
    rpmsqActivate(0);
}

/* -- in a transaction -------------------------------------------------------------------------- */

static rpmCallbackType when;
static int signum;

static void onEvent(const char *tree, rpmCallbackType what, rpm_loff_t amount, rpm_loff_t total)
{
    (void) tree;
    (void) amount;
    (void) total;
    if (what == when)
        raise(signum);
}

#define P "name p\nversion 1\nrelease 1\narch noarch\nfile /a content=new\nfile /d/b content=b\n"
#define Q "name q\nversion 1\nrelease 1\narch noarch\nfile /q content=q\n"

static int setup(void **state)
{
    handled = 0;
    if (instSetup(state))
        return -1;
    putFile(*state, "root/a", "old");
    instHook = onEvent;
    instIgnore = RPMPROB_FILTER_REPLACEOLDFILES | RPMPROB_FILTER_REPLACENEWFILES;
    signum = SIGTERM;
    return 0;
}

static void assertNew(const char *tree, const char *name, const char *want)
{
    char *got = getFile(tree, name);

    assert_string_equal(got, want);
    free(got);
}

static void test_before_the_first_change(void **state)
{
    static const rpmCallbackType events[] = {
        RPMCALLBACK_VERIFY_START,   RPMCALLBACK_VERIFY_PROGRESS, RPMCALLBACK_TRANS_START,
        RPMCALLBACK_TRANS_STOP,     RPMCALLBACK_INST_OPEN_FILE,  RPMCALLBACK_INST_START,
        RPMCALLBACK_INST_PROGRESS,
    };
    static const int signals[] = { SIGINT, SIGQUIT, SIGTERM };
    const char *tree = *state;
    char *before = treeList(at(tree, "root"));
    char *after;
    char wanted[80];

    instBuild(tree, 0, P);
    instBuild(tree, 1, Q);
    for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
        when = events[i];
        signum = signals[i % 3];
        assert_int_equal(instBuilt(tree, 2), -1);
        snprintf(wanted, sizeof(wanted), "error: stopped by signal %d: no file was changed\n",
                 signum);
        assert_non_null(strstr(instLog, wanted));
        after = treeList(at(tree, "root"));
        assert_string_equal(after, before);
        free(after);
        assert_int_equal(rpmsqIsCaught(signum), 1);
        assert_ptr_equal(currentHandler(signum), SIG_DFL);
    }
    when = 0;
    assert_int_equal(instBuilt(tree, 2), 0);
    assertNew(tree, "root/q", "q");
    free(before);
}

static void test_after_the_first_change(void **state)
{
    const char *tree = *state;

    when = RPMCALLBACK_INST_STOP;
    assert_int_equal(inst(tree, P, Q, NULL), 0);
    assert_non_null(strstr(instLog, "warning: signal 15 came after the first change: the "
                                    "transaction was completed\n"));
    assertNew(tree, "root/a", "new");
    assertNew(tree, "root/d/b", "b");
    assertNew(tree, "root/q", "q");
    assert_int_equal(rpmsqIsCaught(SIGTERM), 1);
}

static void test_hangup_and_pipe(void **state)
{
    static const int signals[] = { SIGHUP, SIGPIPE };
    const char *tree = *state;

    when = RPMCALLBACK_INST_PROGRESS;
    instBuild(tree, 0, P);
    for (size_t i = 0; i < 2; i++) {
        signum = signals[i];
        assert_int_equal(instBuilt(tree, 1), 0);
        assert_string_equal(instLog, "");
        assertNew(tree, "root/d/b", "b");
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, instTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_signals_are_noted),
        TEST(test_calls_nest),
        TEST(test_ignored_signals_stay_ignored),
        TEST(test_threads),
        TEST(test_no_return),
        TEST(test_before_the_first_change),
        TEST(test_after_the_first_change),
        TEST(test_hangup_and_pipe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
