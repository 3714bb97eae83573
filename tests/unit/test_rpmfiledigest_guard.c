/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose SIGBUS it is, and the handlers of others. */

#include <setjmp.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "digest_acting.h"

/* ---- Signals of others ---- */

static volatile sig_atomic_t calls, lastCode;
static sigjmp_buf jump;

static void onBusJump(int sig, siginfo_t *info, void *context)
{
    (void)context;
    assert_int_equal(sig, SIGBUS);
    calls++;
    lastCode = info->si_code;
    siglongjmp(jump, 1);
}

static void onBusInfo(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    calls++;
    lastCode = info->si_code;
}

static void onBusPlain(int sig)
{
    (void)sig;
    calls++;
}

static void setBus(void (*plain)(int), void (*info)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_flags = flags;
    if (info != NULL) {
        action.sa_sigaction = info;
        action.sa_flags |= SA_SIGINFO;
    } else {
        action.sa_handler = plain;
    }
    assert_int_equal(__real_sigaction(SIGBUS, &action, NULL), 0);
    calls = 0;
    lastCode = 0;
}

/* A map that is not the module's, of a file that is gone. */
static void faultElsewhere(struct act *act, const unsigned char *window, size_t len)
{
    int fdno = open(fileOf("elsewhere", 10000), O_RDWR);
    volatile unsigned char *map = __real_mmap64(NULL, 10000, PROT_READ, MAP_SHARED, fdno, 0);

    (void)act;
    (void)window;
    (void)len;
    assert_int_equal(ftruncate(fdno, 0), 0);
    if (sigsetjmp(jump, 1) == 0)
        act->sum += map[5000];
    munmap((void *)map, 10000);
    close(fdno);
}

static void test_foreign_fault(void **state)
{
    struct act act = actOn("foreign", 3 * WINDOW, WINDOW, faultElsewhere);
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1);
    rpmFileDigestResult res;

    (void)state;
    setBus(NULL, onBusJump, 0);
    assert_int_equal(feedTo(&act, &opts, &res), 0);
    assert_int_equal(act.seen, 3 * WINDOW);
    assert_int_equal(calls, 1);
    assert_int_equal(lastCode, BUS_ADRERR);
    assert_int_equal(preads, 0);
    assert_ptr_equal(busAction().sa_sigaction, onBusJump);
    rpmFileDigestResultFini(&res);
    close(act.fdno);
}

/* A SIGBUS with a code and an address, as if from the kernel, to this thread. */
static void sendBus(int code, const void *addr)
{
    siginfo_t info;

    memset(&info, 0, sizeof(info));
    info.si_signo = SIGBUS;
    info.si_code = code;
    info.si_addr = (void *)addr;
    assert_int_equal(syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGBUS, &info), 0);
}

static void sendKill(struct act *act, const unsigned char *window, size_t len)
{
    (void)act;
    (void)window;
    (void)len;
    raise(SIGBUS);
}

static void sendBadMemory(struct act *act, const unsigned char *window, size_t len)
{
    (void)act;
    (void)len;
    sendBus(BUS_MCEERR_AR, window + 100);
}

static void sendBadMemoryNote(struct act *act, const unsigned char *window, size_t len)
{
    (void)act;
    (void)len;
    sendBus(BUS_MCEERR_AO, window + 100);
}

/* Signals that were sent, and bad memory, are the application's even if the address is ours. */
static void test_foreign_signals(void **state)
{
    static void (*const what[])(struct act *, const unsigned char *, size_t) = {
        sendKill, sendBadMemory, sendBadMemoryNote
    };
    static const int codes[] = { SI_TKILL, BUS_MCEERR_AR, BUS_MCEERR_AO };
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1);
    rpmFileDigestResult res;

    (void)state;
    for (int i = 0; i < 6; i++) {
        struct act act = actOn("signals", 3 * WINDOW, WINDOW, what[i / 2]);

        if (i % 2)
            setBus(NULL, onBusInfo, SA_RESTART);
        else
            setBus(onBusPlain, NULL, 0);
        assert_int_equal(feedTo(&act, &opts, &res), 0);
        assert_int_equal(calls, 1);
        if (i % 2)
            assert_int_equal(lastCode, codes[i / 2]);
        assert_int_equal(preads, 0);
        rpmFileDigestResultFini(&res);
        close(act.fdno);
    }
    /* To ignore it is to ignore what is no fault. */
    for (int i = 0; i < 2; i++) {
        struct act act = actOn("signals", WINDOW, 0, i ? sendKill : sendBadMemoryNote);

        setBus(SIG_IGN, NULL, 0);
        assert_int_equal(feedTo(&act, &opts, &res), 0);
        assert_true(busIs(SIG_IGN));
        rpmFileDigestResultFini(&res);
        close(act.fdno);
    }
}

/* A handler that was to be called once is, and then there is none: maps are not used any more. */
static void test_handler_for_once(void **state)
{
    struct act act = actOn("once", 3 * WINDOW, WINDOW, sendKill);
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1);
    rpmFileDigestResult res;

    (void)state;
    setBus(NULL, onBusInfo, SA_RESETHAND);
    assert_int_equal(feedTo(&act, &opts, &res), 0);
    assert_int_equal(calls, 1);
    assert_int_equal(mapped, 5);
    assert_true(preads > 0);
    assert_true(busIs(SIG_DFL));
    rpmFileDigestResultFini(&res);
    close(act.fdno);
}

/* ---- Handlers that come and go ---- */

static void replaceHandler(struct act *act, const unsigned char *window, size_t len)
{
    (void)act;
    (void)window;
    (void)len;
    setBus(onBusPlain, NULL, 0);
}

static void test_handler_replaced(void **state)
{
    struct act act = actOn("replaced", 3 * WINDOW, 0, replaceHandler);
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1);
    rpmFileDigestResult res;

    (void)state;
    setBus(SIG_DFL, NULL, 0);
    assert_int_equal(feedTo(&act, &opts, &res), 0);
    assert_int_equal(act.seen, 3 * WINDOW);
    assert_int_equal(mapped, 1);
    assert_true(preads >= 8);
    assert_true(busIs(onBusPlain));
    rpmFileDigestResultFini(&res);
    close(act.fdno);
}

static struct sigaction oursKept;

static void keepHandler(struct act *act, const unsigned char *window, size_t len)
{
    (void)act;
    (void)window;
    (void)len;
    oursKept = busAction();
}

/* An application that saved our handler and puts it back later: it still passes on, and guards. */
static void test_handler_put_back(void **state)
{
    struct act act = actOn("back", WINDOW, 0, keepHandler);
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1);
    rpmFileDigestResult res;

    (void)state;
    setBus(NULL, onBusInfo, 0);
    assert_int_equal(feedTo(&act, &opts, &res), 0);
    rpmFileDigestResultFini(&res);
    assert_int_equal(__real_sigaction(SIGBUS, &oursKept, NULL), 0);
    raise(SIGBUS);
    assert_int_equal(calls, 1);
    act.what = setSize;
    act.done = 0;
    act.seen = 0;
    act.size = 100;
    assert_int_equal(feedTo(&act, &opts, &res), -1);
    isFailure(&res, ESTALE, "was cut short");
    assert_ptr_equal(busAction().sa_sigaction, onBusInfo);
    close(act.fdno);
}

static void test_blocked(void **state)
{
    sigset_t bus, old, after;

    (void)state;
    setBus(SIG_DFL, NULL, 0);
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    pthread_sigmask(SIG_BLOCK, &bus, &old);
    for (int threads = 1; threads <= 3; threads++) {
        struct act act = actOn("blocked", 3 * WINDOW, WINDOW, setSize);
        rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, threads);
        rpmFileDigestResult res;

        assert_int_equal(feedTo(&act, &opts, &res), -1);
        isFailure(&res, ESTALE, "was cut short");
        pthread_sigmask(SIG_BLOCK, NULL, &after);
        assert_true(sigismember(&after, SIGBUS));
        assert_true(busIs(SIG_DFL));
        close(act.fdno);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- Children that die, or do not ---- */

/* The status of a child that cuts a file under a map. */
static int cutInChild(void (*setUp)(void))
{
    struct rlimit none = { 0, 0 };
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        struct act act = actOn("child", 3 * WINDOW, WINDOW, setSize);
        rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1);
        rpmFileDigestResult res;

        setrlimit(RLIMIT_CORE, &none);
        setBus(SIG_DFL, NULL, 0);
        setUp();
        feedTo(&act, &opts, &res);
        _exit(res.err == ESTALE ? 42 : 1);
    }
    waitpid(pid, &status, 0);
    return status;
}

static void nothing(void)
{
}

static void lie(void)
{
    lieAboutHandlers = 1;
}

/* The control: what keeps the process alive is the handler. */
static void test_without_guard(void **state)
{
    int status = cutInChild(nothing);

    (void)state;
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    status = cutInChild(lie);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

/* With the default action before us, what is not ours kills as ever. */
static void test_default_is_deadly(void **state)
{
    static void (*const what[])(struct act *, const unsigned char *, size_t) = {
        sendKill, sendBadMemoryNote, faultElsewhere, faultElsewhere
    };

    (void)state;
    for (int i = 0; i < 4; i++) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            struct rlimit none = { 0, 0 };
            struct act act = actOn("deadly", 3 * WINDOW, WINDOW, what[i]);
            rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1);
            rpmFileDigestResult res;

            setrlimit(RLIMIT_CORE, &none);
            setBus(i == 3 ? SIG_IGN : SIG_DFL, NULL, 0);
            feedTo(&act, &opts, &res);
            _exit(0);
        }
        waitpid(pid, &status, 0);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    }
}

/* ---- A fault that is no cut ---- */

static void faultHere(struct act *act, const unsigned char *window, size_t len)
{
    (void)act;
    (void)len;
    sendBus(BUS_ADRERR, window + 8192);
}

static void test_disk_error(void **state)
{
    struct act act = actOn("disk", 3 * WINDOW, WINDOW, faultHere);
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1);
    rpmFileDigestResult res;

    (void)state;
    preadErrno = EIO;
    assert_int_equal(feedTo(&act, &opts, &res), -1);
    preadErrno = 0;
    isFailure(&res, EIO, "the file: read: ");
    assert_int_equal(preads, 1);
    close(act.fdno);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign_fault),
        cmocka_unit_test(test_foreign_signals),
        cmocka_unit_test(test_handler_for_once),
        cmocka_unit_test(test_handler_replaced),
        cmocka_unit_test(test_handler_put_back),
        cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_without_guard),
        cmocka_unit_test(test_default_is_deadly),
        cmocka_unit_test(test_disk_error),
    };

    return cmocka_run_group_tests(tests, digestSetup, digestTeardown);
}
