/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <rpm/rpmlog.h>

#define N_THREADS 4
#define N_LINES 200

static char *text;
static size_t size;
static FILE *stream;

static int capture(void **state)
{
    (void)state;
    stream = open_memstream(&text, &size);
    rpmlogSetFile(stream);
    rpmlogSetMask(RPMLOG_UPTO(RPMLOG_NOTICE));
    return 0;
}

static int release(void **state)
{
    (void)state;
    assert_ptr_equal(rpmlogSetFile(NULL), stream);
    rpmlogSetCallback(NULL, NULL);
    rpmlogClose();
    fclose(stream);
    free(text);
    text = NULL;
    return 0;
}

static void logAll(void)
{
    for (int pri = RPMLOG_EMERG; pri <= RPMLOG_DEBUG; pri++)
        rpmlog(pri, "%d\n", pri);
}

static void test_control_characters_are_escaped(void **state)
{
    (void)state;
    rpmlog(RPMLOG_ERR, "a\033[2J\r\177\tb\xc2\x9b\xc3\x9b\xc2\xa0\xc2\n");
    assert_string_equal(text, "error: a\\x1b[2J\\x0d\\x7f\tb\\xc2\\x9b\xc3\x9b\xc2\xa0\xc2\n");
    rpmlog(RPMLOG_NOTICE, "\033[0m\n"); /* what was asked for is printed as it is */
    assert_string_equal(strchr(text, '\n') + 1, "\033[0m\n");
}

static void test_prefixes(void **state)
{
    (void)state;
    rpmSetVerbosity(RPMLOG_DEBUG);
    logAll();
    assert_string_equal(text, "fatal error: 0\nfatal error: 1\nfatal error: 2\nerror: 3\n"
                              "warning: 4\n5\n6\nD: 7\n");
    assert_string_equal(rpmlogLevelPrefix((rpmlogLvl)99), "");
}

static void test_mask(void **state)
{
    (void)state;
    logAll();
    assert_null(strstr(text, "6\n"));
    assert_non_null(strstr(text, "5\n"));
    assert_true(rpmIsNormal());
    assert_false(rpmIsVerbose());
    rpmIncreaseVerbosity();
    assert_true(rpmIsVerbose());
    assert_false(rpmIsDebug());
    rpmIncreaseVerbosity();
    assert_true(rpmIsDebug());
    rpmDecreaseVerbosity();
    rpmDecreaseVerbosity();
    rpmDecreaseVerbosity();
    assert_false(rpmIsNormal());
    assert_int_equal(rpmlogSetMask(0), RPMLOG_UPTO(RPMLOG_WARNING));
    assert_int_equal(rpmlogSetMask(RPMLOG_MASK(RPMLOG_INFO)), RPMLOG_UPTO(RPMLOG_WARNING));
    rpmlog(RPMLOG_ERR, "dropped\n");
    assert_null(strstr(text, "dropped"));
}

static void test_records(void **state)
{
    char *kept = NULL;
    size_t keptSize;
    FILE *f = open_memstream(&kept, &keptSize);

    (void)state;
    assert_int_equal(rpmlogGetNrecs(), 0);
    assert_string_equal(rpmlogMessage(), "(no error)");
    assert_int_equal(rpmlogCode(), -1);
    logAll();
    assert_int_equal(rpmlogGetNrecs(), 5);
    assert_int_equal(rpmlogGetNrecsByMask(RPMLOG_MASK(RPMLOG_ERR)), 1);
    assert_int_equal(rpmlogGetNrecsByMask(RPMLOG_MASK(RPMLOG_NOTICE)), 0);
    assert_string_equal(rpmlogMessage(), "4\n");
    assert_int_equal(rpmlogCode(), RPMLOG_WARNING);
    rpmlogPrintByMask(f, RPMLOG_MASK(RPMLOG_ERR) | RPMLOG_MASK(RPMLOG_WARNING));
    fclose(f);
    assert_string_equal(kept, "    3\n    4\n");
    free(kept);
    rpmlogClose();
    assert_int_equal(rpmlogGetNrecs(), 0);
}

static char seen[32];

static int callback(rpmlogRec rec, rpmlogCallbackData data)
{
    snprintf(seen, sizeof(seen), "%d %s", (int)rpmlogRecPriority(rec), rpmlogRecMessage(rec));
    return *(int *)data;
}

static void test_callback(void **state)
{
    int result = 0;

    (void)state;
    assert_null(rpmlogSetCallback(callback, &result));
    rpmlog(RPMLOG_ERR, "taken\n");
    assert_string_equal(seen, "3 taken\n");
    fflush(stream);
    assert_string_equal(text, "");
    result = RPMLOG_DEFAULT | RPMLOG_EXIT; /* a library does not end the process */
    rpmlog(RPMLOG_EMERG, "both\n");
    assert_string_equal(seen, "0 both\n");
    assert_string_equal(text, "fatal error: both\n");
    assert_ptr_equal(rpmlogSetCallback(NULL, NULL), callback);
    assert_null(rpmlogRecMessage(NULL));
    assert_int_equal(rpmlogRecPriority(NULL), (rpmlogLvl)-1);
}

static void test_errno_is_kept(void **state)
{
    (void)state;
    errno = ENOTTY;
    rpmlog(RPMLOG_ERR, "some: %m\n");
    assert_int_equal(errno, ENOTTY);
    assert_string_equal(rpmlogMessage(), "some: Inappropriate ioctl for device\n");
}

static void *logMany(void *name)
{
    for (int i = 0; i < N_LINES; i++)
        rpmlog(RPMLOG_WARNING, "%s%s%s%s\n", (char *)name, (char *)name, (char *)name,
               (char *)name);
    return NULL;
}

/* Lines of several threads do not mix. */
static void test_threads(void **state)
{
    static char names[N_THREADS][2] = { "a", "b", "c", "d" };
    pthread_t threads[N_THREADS];
    int lines = 0;

    (void)state;
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, logMany, names[i]), 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(rpmlogGetNrecs(), N_THREADS * N_LINES);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
        char expected[] = "warning: xxxx";

        memset(expected + 9, line[9], 4);
        assert_string_equal(line, expected);
    }
    assert_int_equal(lines, N_THREADS * N_LINES);
}

/* Runs `body` in a child with stdout and stderr at the write ends of these; its output. */
static void inChild(void (*body)(void), const char *out, const char *err)
{
    char got[2][128] = { "", "" };
    int pipes[2][2];
    pid_t pid;

    assert_int_equal(pipe(pipes[0]) | pipe(pipes[1]), 0);
    pid = fork();
    if (pid == 0) {
        dup2(pipes[0][1], STDOUT_FILENO);
        dup2(pipes[1][1], STDERR_FILENO);
        rpmlogSetFile(NULL);
        body();
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    for (int i = 0; i < 2; i++) {
        close(pipes[i][1]);
        assert_true(read(pipes[i][0], got[i], sizeof(got[i]) - 1) >= 0);
        close(pipes[i][0]);
    }
    assert_string_equal(got[0], out);
    assert_string_equal(got[1], err);
}

static void logThree(void)
{
    rpmlog(RPMLOG_NOTICE, "note\n");
    rpmlog(RPMLOG_WARNING, "care\n");
    rpmlog(RPMLOG_ERR, "bad\n");
}

static void logToFull(void)
{
    rpmlogSetFile(fopen("/dev/full", "w"));
    rpmlog(RPMLOG_ERR, "lost\n");
    rpmlog(RPMLOG_ERR, "lost, too\n");
}

static void test_streams(void **state)
{
    (void)state;
    inChild(logThree, "note\n", "warning: care\nerror: bad\n");
}

static void test_full_device(void **state)
{
    (void)state;
    inChild(logToFull, "", "Error writing to log: No space left on device\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_prefixes, capture, release),
        cmocka_unit_test_setup_teardown(test_control_characters_are_escaped, capture, release),
        cmocka_unit_test_setup_teardown(test_mask, capture, release),
        cmocka_unit_test_setup_teardown(test_records, capture, release),
        cmocka_unit_test_setup_teardown(test_callback, capture, release),
        cmocka_unit_test_setup_teardown(test_errno_is_kept, capture, release),
        cmocka_unit_test_setup_teardown(test_threads, capture, release),
        cmocka_unit_test_setup_teardown(test_streams, capture, release),
        cmocka_unit_test_setup_teardown(test_full_device, capture, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
