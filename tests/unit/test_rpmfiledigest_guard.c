/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that change while they are mapped, and whose SIGBUS it is. */

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "digest_fixture.h"

#include "rpmfiledigest_internal.h"

/* The windows of a file of 3 * WINDOW bytes are of 1/8, 1/8, 1/4, 1/2, 1 and 1 of this. */
#define WINDOW (2u << 20)

/* ---- What is interposed ---- */

static atomic_int preads, mapped;
static int preadErrno;         /* pread() fails with it */
static int populateErrno;      /* MADV_POPULATE_READ fails with it */
static long fakeType;          /* f_type of every filesystem */
static int lieAboutHandlers;   /* sigaction() only remembers what it is told */
static struct sigaction remembered;

ssize_t __real_pread64(int fdno, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread64(int fdno, void *buf, size_t n, off_t offset);
void *__real_mmap64(void *addr, size_t len, int prot, int flags, int fdno, off_t offset);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fdno, off_t offset);
int __real_madvise(void *addr, size_t len, int advice);
int __wrap_madvise(void *addr, size_t len, int advice);
int __real_fstatfs64(int fdno, struct statfs *sfs);
int __wrap_fstatfs64(int fdno, struct statfs *sfs);
int __real_sigaction(int sig, const struct sigaction *action, struct sigaction *old);
int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old);

ssize_t __wrap_pread64(int fdno, void *buf, size_t n, off_t offset)
{
    atomic_fetch_add(&preads, 1);
    if (preadErrno == 0)
        return __real_pread64(fdno, buf, n, offset);
    errno = preadErrno;
    return -1;
}

void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fdno, off_t offset)
{
    if (fdno >= 0)
        atomic_fetch_add(&mapped, 1);
    return __real_mmap64(addr, len, prot, flags, fdno, offset);
}

int __wrap_madvise(void *addr, size_t len, int advice)
{
    if (populateErrno == 0 || advice != MADV_POPULATE_READ)
        return __real_madvise(addr, len, advice);
    errno = populateErrno;
    return -1;
}

int __wrap_fstatfs64(int fdno, struct statfs *sfs)
{
    int rc = __real_fstatfs64(fdno, sfs);

    if (fakeType != 0)
        sfs->f_type = fakeType;
    return rc;
}

int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
    if (!lieAboutHandlers)
        return __real_sigaction(sig, action, old);
    if (old != NULL)
        *old = remembered;
    if (action != NULL)
        remembered = *action;
    return 0;
}

/* ---- Sinks that do something to the file, or the process, while they have a window ---- */

struct act {
    int fdno;
    size_t seen;           /* bytes so far */
    size_t at;             /* when it is done: in the window that has this byte */
    int done;
    void (*what)(struct act *act, const unsigned char *window, size_t len);
    off_t size;            /* for what() */
    int sum;               /* every byte is read */
};

static int actingSink(void *data, const void *buf, size_t len)
{
    struct act *act = data;
    const unsigned char *bytes = buf;

    if (!act->done && act->what != NULL && act->at < act->seen + len) {
        act->done = 1;
        act->what(act, bytes, len);
    }
    for (size_t i = 0; i < len; i++)
        act->sum += bytes[i];
    act->seen += len;
    return 0;
}

static void setSize(struct act *act, const unsigned char *window, size_t len)
{
    (void)window;
    (void)len;
    assert_int_equal(ftruncate(act->fdno, act->size), 0);
}

/* Feed a file to one acting sink. */
static int feedTo(struct act *act, const rpmFileDigestOptions *opts, rpmFileDigestResult *res)
{
    rpmFileDigestSink sink = { actingSink, act };

    atomic_store(&preads, 0);
    atomic_store(&mapped, 0);
    return rpmFileDigestFeed(act->fdno, "the file", 0, RPMFILEDIGEST_REST, &sink, 1, opts, res);
}

static struct act actOn(const char *name, size_t size, size_t at,
                        void (*what)(struct act *act, const unsigned char *window, size_t len))
{
    struct act act = { .at = at, .what = what };

    act.fdno = open(fileOf(name, size), O_RDWR);
    assert_true(act.fdno >= 0);
    return act;
}

static struct sigaction busAction(void)
{
    struct sigaction action;

    assert_int_equal(__real_sigaction(SIGBUS, NULL, &action), 0);
    return action;
}

static int busIs(void (*handler)(int))
{
    return busAction().sa_handler == handler;
}

/* ---- Cut files ---- */

static const struct {
    size_t size, at;
    off_t cut;
} cuts[] = {
    { 100000, 0, 0 },
    { 100000, 0, 1 },
    { 100000, 0, 50000 },
    { 100000, 0, 99999 }, /* within the last page: no fault */
    { 3 * WINDOW, WINDOW, 0 },
    { 3 * WINDOW, 0, WINDOW },
    { 3 * WINDOW, 0, 2 * WINDOW + 1 },
    { 3 * WINDOW + 5, 2 * WINDOW, 3 * WINDOW },
    { 3 * WINDOW, 0, 3 * WINDOW - 1 },
};

static void test_cut(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
            struct act act = actOn("cut", cuts[i].size, cuts[i].at, setSize);
            rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, threads);
            rpmFileDigestResult res;

            act.size = cuts[i].cut;
            assert_int_equal(feedTo(&act, &opts, &res), -1);
            assert_int_equal(errno, ESTALE);
            assert_string_equal(res.msg, "the file: was cut short while it was read");
            isFailure(&res, ESTALE, "");
            assert_true(atomic_load(&mapped) > 0);
            close(act.fdno);
        }
    }
    assert_true(atomic_load(&preads) <= 1);
}

static void change(struct act *act, const unsigned char *window, size_t len)
{
    (void)window;
    (void)len;
    switch (act->size) {
    case 0:
        assert_int_equal(pwrite(act->fdno, "more", 4, lseek(act->fdno, 0, SEEK_END)), 4);
        break;
    case 1:
        assert_int_equal(pwrite(act->fdno, "else", 4, 0), 4);
        break;
    case 2: /* cut, and filled up with zeros */
        assert_int_equal(ftruncate(act->fdno, 10), 0);
        assert_int_equal(ftruncate(act->fdno, 3 * WINDOW), 0);
        break;
    case 3:
        assert_int_equal(fchmod(act->fdno, 0600), 0);
        break;
    }
}

static void test_changes(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct act act = actOn("changes", 3 * WINDOW, WINDOW, change);
        rpmFileDigestOptions opts = optionsOf(i < 4 ? RPMFILEDIGEST_MAP : RPMFILEDIGEST_READ, 2);
        rpmFileDigestResult res;

        usleep(10000); /* times may have the grain of the timer */
        act.size = i % 4;
        assert_int_equal(feedTo(&act, &opts, &res), -1);
        assert_string_equal(res.msg, "the file: was changed while it was read");
        isFailure(&res, ESTALE, "");
        assert_true(i < 4 ? mapped > 0 && preads == 0 : mapped == 0 && preads > 0);
        close(act.fdno);
    }
}

/* Four sinks on one window in four threads; one of them cuts the file, all read to its end. */
static void test_cut_under_several_readers(void **state)
{
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 4);
    int fdno = open(fileOf("readers", 200000), O_RDWR), rounds = 2000;

    (void)state;
    for (int i = 0; i < rounds; i++) {
        struct act acts[4];
        rpmFileDigestSink sinks[4];
        rpmFileDigestResult res;

        assert_int_equal(ftruncate(fdno, 200000), 0);
        for (int k = 0; k < 4; k++) {
            acts[k] = (struct act){ .fdno = fdno };
            sinks[k] = (rpmFileDigestSink){ actingSink, &acts[k] };
        }
        acts[i % 4].what = setSize;
        acts[i % 4].size = (i * 7919) % 190000;
        assert_int_equal(rpmFileDigestFeed(fdno, "readers", 0, RPMFILEDIGEST_REST, sinks, 4, &opts,
                                           &res), -1);
        isFailure(&res, ESTALE, "readers: was cut short");
    }
    close(fdno);
}

struct cutter {
    int fdno;
    atomic_int end;
    int cuts;
};

static void *cutAndMend(void *data)
{
    struct cutter *cutter = data;
    unsigned x = 1;

    while (!atomic_load(&cutter->end)) {
        x = x * 1103515245 + 12345;
        if (ftruncate(cutter->fdno, x % 300000) ||
            pwrite(cutter->fdno, content, 300000, 0) != 300000)
            return cutter;
        cutter->cuts++;
        usleep(x / 65536 % 500);
    }
    return NULL;
}

/* At any moment, from outside: there is an error, or the digest is right. */
static void test_cut_at_any_time(void **state)
{
    struct cutter cutter = { .fdno = open(fileOf("anytime", 300000), O_RDWR) };
    int good = 0, bad = 0;
    pthread_t thread;
    void *failed;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, cutAndMend, &cutter), 0);
    for (int i = 0; i < 2500; i++) {
        rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 1 + i % 3);
        rpmFileDigestResult res;

        if (rpmFileDigestPath(inTree("anytime"), allAlgos, 2, &opts, &res) == 0) {
            good++;
            if (res.size == 300000) {
                isDigestOf(&res, content, 300000, allAlgos, 2);
                continue;
            }
            /* It was opened while it was cut, and stayed so for as long. */
            isDigestOf(&res, content, res.size, allAlgos, 2);
        } else {
            bad++;
            isFailure(&res, ESTALE, "anytime: was ");
        }
    }
    atomic_store(&cutter.end, 1);
    pthread_join(thread, &failed);
    assert_null(failed);
    assert_true(bad > 0 && good > 0 && cutter.cuts > 0);
    close(cutter.fdno);
}

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

/* ---- Faults that are no cut, and maps that are not to be had ---- */

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

/* Some files are cut, the others next to them in the pool are not concerned. */
static void test_cut_in_a_pool(void **state)
{
    rpmFileDigestOptions opts = optionsOf(RPMFILEDIGEST_MAP, 4);
    rpmFileDigestPool pool = rpmFileDigestPoolNew(&opts);
    struct cutter cutter = { .fdno = open(fileOf("cutone", 300000), O_RDWR) };
    rpmFileDigestResult res;
    pthread_t thread;
    void *data;

    (void)state;
    setBus(SIG_DFL, NULL, 0);
    fileOf("whole", 5000000);
    assert_int_equal(pthread_create(&thread, NULL, cutAndMend, &cutter), 0);
    for (intptr_t i = 0; i < 200; i++) {
        rpmFileDigestJob job = { .path = inTree(i % 2 ? "whole" : "cutone"), .algos = allAlgos,
                                 .nalgos = 1, .data = (void *)i };

        rpmFileDigestPoolAdd(pool, &job);
    }
    while (rpmFileDigestPoolNext(pool, &res, &data)) {
        if ((intptr_t)data % 2)
            isDigestOf(&res, content, 5000000, allAlgos, 1);
        else if (res.err != 0)
            isFailure(&res, ESTALE, "cutone: was ");
        else
            rpmFileDigestResultFini(&res);
    }
    rpmFileDigestPoolFree(pool);
    atomic_store(&cutter.end, 1);
    pthread_join(thread, NULL);
    close(cutter.fdno);
    assert_true(busIs(SIG_DFL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_cut_under_several_readers),
        cmocka_unit_test(test_cut_at_any_time),
        cmocka_unit_test(test_foreign_fault),
        cmocka_unit_test(test_foreign_signals),
        cmocka_unit_test(test_handler_for_once),
        cmocka_unit_test(test_handler_replaced),
        cmocka_unit_test(test_handler_put_back),
        cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_without_guard),
        cmocka_unit_test(test_default_is_deadly),
        cmocka_unit_test(test_disk_error),
        cmocka_unit_test(test_populate),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_too_many_maps),
        cmocka_unit_test(test_cut_in_a_pool),
    };

    return cmocka_run_group_tests(tests, digestSetup, digestTeardown);
}
