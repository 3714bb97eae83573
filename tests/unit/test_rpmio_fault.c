/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles over a system that fails, is interrupted, is not ready, and does things by halves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <poll.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/rpmfileutil.h>
#include <rpm/rpmio.h>
#include <rpm/rpmutil.h>

/* What one call does. */
struct step {
    enum { FAIL, SHORT, REAL } what;
    int value; /* FAIL: errno; SHORT: most bytes */
};

/* The next calls on one descriptor; after the last step they are real. */
static struct script {
    int fdno;
    const struct step *steps;
    int n;
    int calls; /* all calls, real ones too */
} reads, writes, closes;

static int polls;
static short polledFor;

ssize_t __real_read(int fdno, void *buf, size_t count);
ssize_t __wrap_read(int fdno, void *buf, size_t count);
ssize_t __real_pread64(int fdno, void *buf, size_t count, off_t offset);
ssize_t __wrap_pread64(int fdno, void *buf, size_t count, off_t offset);
ssize_t __real_write(int fdno, const void *buf, size_t count);
ssize_t __wrap_write(int fdno, const void *buf, size_t count);
int __real_close(int fdno);
int __wrap_close(int fdno);
int __wrap_poll(struct pollfd *fds, nfds_t nfds, int timeout);

static struct step nextStep(struct script *script, int fdno)
{
    static const struct step real = { REAL, 0 };

    if (script->fdno != fdno)
        return real;
    script->calls++;
    if (script->n == 0)
        return real;
    script->n--;
    return *script->steps++;
}

ssize_t __wrap_read(int fdno, void *buf, size_t count)
{
    struct step step = nextStep(&reads, fdno);

    if (step.what == FAIL) {
        errno = step.value;
        return -1;
    }
    if (step.what == SHORT && count > (size_t)step.value)
        count = (size_t)step.value;
    return __real_read(fdno, buf, count);
}

/* How a regular file is digested, with the script of read(). */
ssize_t __wrap_pread64(int fdno, void *buf, size_t count, off_t offset)
{
    struct step step = nextStep(&reads, fdno);

    if (step.what == FAIL) {
        errno = step.value;
        return -1;
    }
    if (step.what == SHORT && count > (size_t)step.value)
        count = (size_t)step.value;
    return __real_pread64(fdno, buf, count, offset);
}

ssize_t __wrap_write(int fdno, const void *buf, size_t count)
{
    struct step step = nextStep(&writes, fdno);

    if (step.what == FAIL) {
        errno = step.value;
        return -1;
    }
    if (step.what == SHORT && count > (size_t)step.value)
        count = (size_t)step.value;
    return __real_write(fdno, buf, count);
}

int __wrap_close(int fdno)
{
    struct step step = nextStep(&closes, fdno);
    int rc = __real_close(fdno);

    if (step.what == FAIL) {
        errno = step.value;
        return -1;
    }
    return rc;
}

int __wrap_poll(struct pollfd *fds, nfds_t nfds, int timeout)
{
    assert_int_equal(nfds, 1);
    assert_int_equal(timeout, -1);
    polledFor = fds->events;
    polls++;
    if (polls == 1) { /* a signal comes in while waiting */
        errno = EINTR;
        return -1;
    }
    return 1;
}

static void play(struct script *script, FD_t fd, const struct step *steps, int n)
{
    *script = (struct script){ .fdno = Fileno(fd), .steps = steps, .n = n };
    polls = 0;
}

static FD_t openTemp(const char *data, const char *mode)
{
    char path[] = "/tmp/test_rpmio_fault.XXXXXX";
    int fdno = mkstemp(path);
    FD_t fd;

    assert_true(fdno >= 0);
    unlink(path);
    assert_int_equal(__real_write(fdno, data, strlen(data)), strlen(data));
    assert_int_equal(lseek(fdno, 0, SEEK_SET), 0);
    fd = fdDup(fdno);
    __real_close(fdno);
    if (strchr(mode, '.') != NULL)
        assert_ptr_equal(Fdopen(fd, mode), fd);
    return fd;
}

static int reset(void **state)
{
    (void)state;
    reads = writes = closes = (struct script){ .fdno = -1 };
    return 0;
}

static void expectContent(FD_t fd, const char *data)
{
    char buf[64] = "";

    assert_int_equal(Fseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(Fread(buf, 1, sizeof(buf) - 1, fd), strlen(data));
    assert_string_equal(buf, data);
}

static void test_write_goes_on(void **state)
{
    static const struct step steps[] = { { SHORT, 1 },      { FAIL, EINTR }, { SHORT, 3 },
                                         { FAIL, EAGAIN },  { FAIL, EAGAIN }, { SHORT, 2 } };
    FD_t fd = openTemp("", "w");

    (void)state;
    play(&writes, fd, steps, 6);
    assert_int_equal(Fwrite("0123456789", 1, 10, fd), 10);
    assert_int_equal(writes.calls, 7);
    assert_int_equal(polls, 2);
    assert_int_equal(polledFor, POLLOUT);
    assert_int_equal(fdOp(fd, FDSTAT_WRITE)->count, 1);
    assert_int_equal(fdOp(fd, FDSTAT_WRITE)->bytes, 10);
    expectContent(fd, "0123456789");
    assert_int_equal(Fclose(fd), 0);
}

static void test_write_without_progress_fails(void **state)
{
    static const struct step steps[] = { { SHORT, 0 } };
    FD_t fd = openTemp("", "w");

    (void)state;
    play(&writes, fd, steps, 1);
    assert_int_equal(Fwrite("a", 1, 1, fd), -1);
    assert_int_equal(Ferror(fd), EIO);
    assert_int_equal(Fclose(fd), -1);
}

static void test_read_goes_on(void **state)
{
    static const struct step steps[] = { { FAIL, EINTR }, { FAIL, EAGAIN }, { FAIL, EWOULDBLOCK },
                                         { SHORT, 4 } };
    char buf[16];
    FD_t fd = openTemp("0123456789", "r");

    (void)state;
    play(&reads, fd, steps, 4);
    assert_int_equal(Fread(buf, 1, 10, fd), 4);
    assert_int_equal(reads.calls, 4);
    assert_int_equal(polls, 2);
    assert_int_equal(polledFor, POLLIN);
    assert_int_equal(Fread(buf, 1, 10, fd), 6);
    assert_int_equal(Ferror(fd), 0);
    assert_int_equal(Fclose(fd), 0);
}

/* An error is kept, the first one, and Fclose() says so even when everything after it works. */
static void test_errors_are_kept(void **state)
{
    static const struct step steps[] = { { SHORT, 2 }, { FAIL, ENOSPC }, { FAIL, EIO } };
    FD_t fd = openTemp("", "w");

    (void)state;
    play(&writes, fd, steps, 3);
    assert_int_equal(Fwrite("0123456789", 1, 10, fd), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(Fwrite("a", 1, 1, fd), -1);
    assert_int_equal(Fwrite("b", 1, 1, fd), 1);
    assert_int_equal(Ferror(fd), ENOSPC);
    assert_string_equal(Fstrerror(fd), strerror(ENOSPC));
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, ENOSPC);
}

static void test_failed_read(void **state)
{
    static const struct step steps[] = { { FAIL, EIO } };
    char c;
    FD_t fd = openTemp("abc", "r");

    (void)state;
    play(&reads, fd, steps, 1);
    assert_int_equal(Fread(&c, 1, 1, fd), -1);
    assert_int_equal(Ferror(fd), EIO);
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, EIO);
}

/* Once, whatever it says. */
static void test_failed_close(void **state)
{
    static const int errs[] = { EIO, ENOSPC, EDQUOT, EINTR };

    (void)state;
    for (size_t i = 0; i < sizeof(errs) / sizeof(errs[0]); i++) {
        const struct step steps[] = { { FAIL, errs[i] } };
        FD_t fd = openTemp("", "w"), other = fdLink(fd);

        assert_int_equal(Fwrite("a", 1, 1, fd), 1);
        play(&closes, fd, steps, 1);
        assert_int_equal(Fclose(fd), -1);
        assert_int_equal(errno, errs[i]);
        assert_int_equal(closes.calls, 1);
        assert_int_equal(Ferror(other), errs[i]);
        fdFree(other);
        assert_int_equal(closes.calls, 1);
    }
}

/* zlib holds small data back, so that only closing meets the error. */
static void test_gzip_meets_the_error_at_close(void **state)
{
    static const struct step steps[] = { { FAIL, ENOSPC } };
    FD_t fd = openTemp("", "w.gzdio"), other = fdLink(fd);

    (void)state;
    play(&writes, fd, steps, 1);
    assert_int_equal(Fwrite("small", 1, 5, fd), 5);
    assert_int_equal(Ferror(fd), 0);
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(writes.calls, 1);
    assert_string_equal(Fstrerror(other), strerror(ENOSPC));
    fdFree(other);
}

/* After a failed flush the stream's end is not written. */
static void test_gzip_stops_after_an_error(void **state)
{
    static const struct step steps[] = { { FAIL, EIO } };
    FD_t fd = openTemp("", "w.gzdio");

    (void)state;
    play(&writes, fd, steps, 1);
    assert_int_equal(Fwrite("small", 1, 5, fd), 5);
    assert_int_equal(Fflush(fd), -1);
    assert_int_equal(Ferror(fd), EIO);
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(writes.calls, 1);
}

static void test_gzip_reads_in_pieces(void **state)
{
    static const struct step steps[] = { { SHORT, 1 }, { FAIL, EINTR }, { SHORT, 1 }, { SHORT, 7 },
                                         { FAIL, EAGAIN }, { SHORT, 1 } };
    char buf[8] = "";
    FD_t fd = openTemp("", "w");

    (void)state;
    assert_int_equal(dup2(Fileno(fd), 700), 700);
    Fdopen(fd, "w.gzdio");
    assert_int_equal(Fwrite("pieces", 1, 6, fd), 6);
    assert_int_equal(Fclose(fd), 0);
    assert_int_equal(lseek(700, 0, SEEK_SET), 0);
    fd = Fdopen(fdDup(700), "r.gzdio");
    __real_close(700);
    play(&reads, fd, steps, 6);
    assert_int_equal(Fread(buf, 1, 8, fd), 6);
    assert_string_equal(buf, "pieces");
    assert_int_equal(Fclose(fd), 0);
}

static void test_filter_says_what_failed_below(void **state)
{
    static const struct step steps[] = { { SHORT, 3 }, { FAIL, EIO } };
    char c;
    FD_t fd = openTemp("\xfd" "7zXZ and what not", "r.xzdio");

    (void)state;
    play(&reads, fd, steps, 2);
    assert_int_equal(Fread(&c, 1, 1, fd), -1);
    assert_int_equal(Ferror(fd), EIO);
    assert_string_equal(Fstrerror(fd), strerror(EIO));
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, EIO);
}

static void test_digest_of_a_bad_file(void **state)
{
    static const struct step steps[] = { { SHORT, 1 }, { FAIL, EIO } };
    unsigned char out[64];
    int next = dup(0); /* the number that the file will get */

    (void)state;
    __real_close(next);
    reads = (struct script){ .fdno = next, .steps = steps, .n = 2 };
    assert_int_equal(rpmDoDigest(RPM_HASH_SHA256, "/proc/self/exe", 0, out), 1);
    assert_int_equal(errno, EIO);
    assert_int_equal(reads.calls, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_write_goes_on, reset),
        cmocka_unit_test_setup(test_write_without_progress_fails, reset),
        cmocka_unit_test_setup(test_read_goes_on, reset),
        cmocka_unit_test_setup(test_errors_are_kept, reset),
        cmocka_unit_test_setup(test_failed_read, reset),
        cmocka_unit_test_setup(test_failed_close, reset),
        cmocka_unit_test_setup(test_gzip_meets_the_error_at_close, reset),
        cmocka_unit_test_setup(test_gzip_stops_after_an_error, reset),
        cmocka_unit_test_setup(test_gzip_reads_in_pieces, reset),
        cmocka_unit_test_setup(test_filter_says_what_failed_below, reset),
        cmocka_unit_test_setup(test_digest_of_a_bad_file, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
