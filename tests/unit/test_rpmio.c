/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles on plain files and gzip, with the system as it is; test_rpmio_fault.c makes it fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include <rpm/rpmio.h>
#include <rpm/rpmstring.h>

static char *dir;  /* of one test */
static char *file; /* a name in it that no file has yet */

static int setup(void **state)
{
    (void)state;
    dir = rstrdup("/tmp/test_rpmio.XXXXXX");
    assert_non_null(mkdtemp(dir));
    rasprintf(&file, "%s/file", dir);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(file);
    assert_int_equal(rmdir(dir), 0);
    file = rfree(file);
    dir = rfree(dir);
    return 0;
}

static void put(const char *mode, const char *data)
{
    FD_t fd = Fopen(file, mode);

    assert_non_null(fd);
    assert_int_equal(Fwrite(data, 1, strlen(data), fd), strlen(data));
    assert_int_equal(Fclose(fd), 0);
}

static void expect(const char *mode, const char *data)
{
    char buf[256] = "";
    FD_t fd = Fopen(file, mode);

    assert_non_null(fd);
    assert_int_equal(Fread(buf, 1, sizeof(buf) - 1, fd), strlen(data));
    assert_string_equal(buf, data);
    assert_int_equal(Fread(buf, 1, sizeof(buf), fd), 0);
    assert_int_equal(Fclose(fd), 0);
}

static void test_modes(void **state)
{
    static const char *const types[] = { "", ".fdio", ".ufdio", ".gzdio", ".gzip" };
    char mode[16];

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        snprintf(mode, sizeof(mode), "w%s", types[i]);
        put(mode, "to be overwritten");
        put(mode, "first ");
        snprintf(mode, sizeof(mode), "a%s", types[i]);
        put(mode, "second");
        snprintf(mode, sizeof(mode), "r%s", types[i]);
        expect(mode, "first second");
    }
}

static void test_both_ways(void **state)
{
    char buf[8] = "";
    FD_t fd;

    (void)state;
    put("w", "abcdef");
    fd = Fopen(file, "r+");
    assert_int_equal(Fread(buf, 1, 2, fd), 2);
    assert_int_equal(Fwrite("XY", 1, 2, fd), 2);
    assert_int_equal(Fread(buf, 1, 8, fd), 2);
    assert_string_equal(buf, "ef");
    assert_int_equal(Fclose(fd), 0);
    expect("r", "abXYef");
}

static void test_exclusive(void **state)
{
    (void)state;
    put("wx", "one");
    assert_null(Fopen(file, "wx"));
    assert_int_equal(errno, EEXIST);
    expect("r", "one");
}

static void test_bad_modes(void **state)
{
    static const char *const bad[] = { "", "q", "rw", "r,", "r.nodio", "w+.gzdio", "r+9" };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        errno = 0;
        assert_null(Fopen(file, bad[i]));
        assert_int_equal(errno, EINVAL);
        assert_int_equal(access(file, F_OK), -1);
    }
    assert_null(Fopen(file, NULL));
    assert_null(Fopen(NULL, "r"));
}

static void test_urls_are_refused(void **state)
{
    (void)state;
    assert_null(Fopen("https://example.org/a.rpm", "r.ufdio"));
    assert_int_equal(errno, EPROTONOSUPPORT);
    assert_string_equal(Fstrerror(NULL), strerror(EPROTONOSUPPORT));
    assert_null(Fopen("https://example.org/a.rpm", "r.fdio"));
    assert_int_equal(errno, ENOENT);
}

static void test_close_on_exec(void **state)
{
    FD_t fd, dup;

    (void)state;
    put("w", "x");
    fd = Fopen(file, "r.ufdio");
    dup = fdDup(Fileno(fd));
    assert_int_equal(Fcntl(fd, F_GETFD, NULL), FD_CLOEXEC);
    assert_int_equal(Fcntl(dup, F_GETFD, NULL), FD_CLOEXEC);
    assert_int_not_equal(Fileno(fd), Fileno(dup));
    Fclose(fd);
    Fclose(dup);
    assert_null(fdDup(-1));
    assert_int_equal(errno, EBADF);
}

static void test_dash_is_a_duplicate(void **state)
{
    FD_t fd = Fopen("-", "r.ufdio");

    (void)state;
    assert_non_null(fd);
    assert_true(Fileno(fd) > STDERR_FILENO);
    assert_int_equal(Fclose(fd), 0);
    assert_null(Fopen("-", "r+.ufdio"));
    assert_int_equal(errno, EINVAL);
    assert_null(Fopen("-", "r"));
    assert_int_equal(errno, ENOENT);
}

static void test_seek_and_tell(void **state)
{
    char c;
    FD_t fd;

    (void)state;
    put("w", "0123456789");
    fd = Fopen(file, "r");
    assert_int_equal(fdSize(fd), 10);
    assert_int_equal(Fseek(fd, 7, SEEK_SET), 0);
    assert_int_equal(Ftell(fd), 7);
    assert_int_equal(Fread(&c, 1, 1, fd), 1);
    assert_int_equal(c, '7');
    assert_int_equal(Ferror(fd), 0);
    assert_int_equal(Fseek(fd, -100, SEEK_SET), -1);
    assert_int_equal(Ferror(fd), EINVAL);
    assert_string_equal(Fstrerror(fd), strerror(EINVAL));
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, EINVAL);
}

static void test_descriptions(void **state)
{
    int fds[2];
    FD_t fd, dup;

    (void)state;
    put("w", "x");
    fd = Fopen(file, "r");
    dup = fdDup(Fileno(fd));
    assert_string_equal(Fdescr(fd), file);
    assert_string_equal(Fdescr(dup), file);
    Fclose(fd);
    Fclose(dup);
    assert_int_equal(pipe(fds), 0);
    fd = fdDup(fds[0]);
    assert_int_equal(strncmp(Fdescr(fd), "[pipe:[", 7), 0);
    Fclose(fd);
    close(fds[0]);
    close(fds[1]);
    assert_string_equal(Fdescr(NULL), "[none]");
}

static void test_null_handles(void **state)
{
    char c;

    (void)state;
    assert_int_equal(Fread(&c, 1, 1, NULL), -1);
    assert_int_equal(Fwrite(&c, 1, 1, NULL), -1);
    assert_int_equal(Fseek(NULL, 0, SEEK_SET), -1);
    assert_int_equal(Ftell(NULL), -1);
    assert_int_equal(Fflush(NULL), -1);
    assert_int_equal(Fclose(NULL), -1);
    assert_int_equal(Ferror(NULL), -1);
    assert_int_equal(Fileno(NULL), -1);
    assert_int_equal(fdSize(NULL), -1);
    assert_null(fdFree(NULL));
    assert_null(fdLink(NULL));
    assert_null(fdOp(NULL, FDSTAT_READ));
    assert_null(Fdopen(NULL, "r.gzdio"));
    errno = 0;
    assert_string_equal(Fstrerror(NULL), "");
}

/* Whoever holds a reference can still ask, but not read. */
static void test_references(void **state)
{
    char c;
    FD_t fd, other;

    (void)state;
    put("w", "x");
    fd = Fopen(file, "r");
    other = fdLink(fd);
    assert_int_equal(Fread(&c, 1, 1, fd), 1);
    assert_int_equal(Fclose(fd), 0);
    assert_int_equal(Fileno(other), -1);
    assert_int_equal(fdOp(other, FDSTAT_READ)->count, 1);
    assert_string_equal(Fdescr(other), file);
    assert_int_equal(Fread(&c, 1, 1, other), -1);
    assert_int_equal(Ferror(other), EBADF);
    assert_null(fdFree(other));
}

/* The last reference closes what nobody closed. */
static void test_free_closes(void **state)
{
    FD_t fd;
    int fdno;

    (void)state;
    put("w", "x");
    fd = Fopen(file, "r");
    fdno = Fileno(fd);
    assert_ptr_equal(fdFree(fdLink(fd)), fd);
    assert_int_equal(fcntl(fdno, F_GETFD), FD_CLOEXEC);
    assert_null(fdFree(fd));
    assert_int_equal(fcntl(fdno, F_GETFD), -1);
}

static void test_overflow_is_refused(void **state)
{
    char c = 0;
    FD_t fd = Fopen(file, "w+");

    (void)state;
    assert_int_equal(Fread(&c, SIZE_MAX, 2, fd), -1);
    assert_int_equal(Fwrite(&c, SIZE_MAX / 2, 3, fd), -1);
    assert_int_equal(Fclose(fd), 0);
}

static void test_copy(void **state)
{
    char *other = NULL;
    char buf[1000];
    FD_t from, to;
    int rounds = 300;

    (void)state;
    rasprintf(&other, "%s.copy", file);
    from = Fopen(file, "w");
    for (int i = 0; i < rounds; i++) {
        memset(buf, i, sizeof(buf));
        assert_int_equal(Fwrite(buf, 1, sizeof(buf), from), sizeof(buf));
    }
    assert_int_equal(Fclose(from), 0);
    from = Fopen(file, "r");
    to = Fopen(other, "w+");
    assert_int_equal(ufdCopy(from, to), rounds * (int)sizeof(buf));
    assert_int_equal(Fseek(to, -1, SEEK_END), 0);
    assert_int_equal(Fread(buf, 1, 2, to), 1);
    assert_int_equal((unsigned char)buf[0], (rounds - 1) & 0xff);
    assert_int_equal(Fclose(to), 0);
    to = Fopen("/dev/full", "w");
    assert_int_equal(Fseek(from, 0, SEEK_SET), 0);
    assert_int_equal(ufdCopy(from, to), -1);
    assert_int_equal(Ferror(to), ENOSPC);
    assert_int_equal(Ferror(from), 0);
    assert_int_equal(Fclose(to), -1);
    assert_int_equal(Fclose(from), 0);
    unlink(other);
    rfree(other);
}

static void test_digests(void **state)
{
    char *sha1 = NULL, *other = NULL;
    size_t len = 0;
    DIGEST_CTX dup;
    FD_t fd;
    char buf[3];

    (void)state;
    fd = Fopen(file, "w.gzdio");
    fdInitDigest(fd, RPM_HASH_SHA1, RPMDIGEST_NONE);
    assert_int_equal(Fwrite("abc", 1, 3, fd), 3);
    fdFiniDigest(fd, RPM_HASH_SHA1, (void **)&sha1, &len, 1);
    assert_string_equal(sha1, "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_int_equal(Fclose(fd), 0);

    fd = Fopen(file, "r.gzdio");
    assert_int_equal(Fread(buf, 1, 0, fd), 0);
    fdInitDigestID(fd, RPM_HASH_SHA1, 1000, RPMDIGEST_NONE);
    assert_int_equal(Fread(buf, 1, 3, fd), 3);
    dup = fdDupDigest(fd, 1000);
    assert_int_equal(rpmDigestFinal(dup, (void **)&other, NULL, 1), 0);
    assert_string_equal(other, sha1);
    other = rfree(other);
    fdFiniDigest(fd, 1000, (void **)&other, &len, 1);
    assert_string_equal(other, sha1);
    assert_int_equal(fdOp(fd, FDSTAT_DIGEST)->bytes, 3);
    other = rfree(other);
    other = sha1;
    fdFiniDigest(fd, 1000, (void **)&other, &len, 1);
    assert_null(other);
    assert_null(fdDupDigest(fd, 1000));
    assert_int_equal(Fclose(fd), 0);
    rfree(sha1);
}

static void test_bundles(void **state)
{
    rpmDigestBundle bundle = rpmDigestBundleNew();
    FD_t fd = Fopen(file, "w");

    (void)state;
    assert_null(fdGetBundle(fd, 0));
    fdSetBundle(fd, bundle);
    assert_ptr_equal(fdGetBundle(fd, 1), bundle);
    rpmDigestBundleAdd(bundle, RPM_HASH_MD5, 0);
    assert_null(fdGetBundle(NULL, 1));
    assert_int_equal(Fclose(fd), 0);
}

static void test_gzip_is_gzip(void **state)
{
    unsigned char head[3];
    FD_t fd;

    (void)state;
    put("w9.gzdio", "some text");
    fd = Fopen(file, "r");
    assert_int_equal(Fread(head, 1, 3, fd), 3);
    assert_memory_equal(head, "\x1f\x8b\x08", 3);
    Fclose(fd);
    put("w1", "a level alone means gzip");
    expect("r.gzdio", "a level alone means gzip");
    put("w", "plain text passes");
    expect("r.gzdio", "plain text passes");
    put("w", "");
    expect("r.gzdio", "");
    put("w", "\x1f");
    expect("r.gzdio", "\x1f");
}

static void test_gzip_level_counts(void **state)
{
    char text[65536];
    off_t sizes[2];

    (void)state;
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)('a' + i * i % 97 % 26);
    for (int i = 0; i < 2; i++) {
        FD_t fd = Fopen(file, i == 0 ? "w0.gzdio" : "w9.gzdio");

        assert_int_equal(Fwrite(text, 1, sizeof(text), fd), sizeof(text));
        assert_int_equal(Ftell(fd), sizeof(text));
        assert_int_equal(Fflush(fd), 0);
        sizes[i] = fdSize(fd);
        assert_int_equal(Fclose(fd), 0);
    }
    assert_true(sizes[0] > (off_t)sizeof(text));
    assert_true(sizes[1] < (off_t)sizeof(text) / 10);
}

static void test_gzip_one_way(void **state)
{
    char c = 'c';
    FD_t fd = Fopen(file, "w.gzdio");

    (void)state;
    assert_int_equal(Fread(&c, 1, 1, fd), -1);
    assert_int_equal(Ferror(fd), -1);
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, EBADF);
    put("w.gzdio", "x");
    fd = Fopen(file, "r.gzdio");
    assert_int_equal(Fwrite(&c, 1, 1, fd), -1);
    assert_int_equal(Fclose(fd), -1);
}

/* A layer on a handle that has been read already, as on a package's payload. */
static void test_layer_at_an_offset(void **state)
{
    char buf[8] = "";
    FD_t fd;

    (void)state;
    put("w", "head");
    put("a.gzdio", "payload");
    fd = Fopen(file, "r.ufdio");
    assert_int_equal(Fread(buf, 1, 4, fd), 4);
    assert_ptr_equal(Fdopen(fd, "r.gzdio"), fd);
    assert_int_equal(Fread(buf, 1, 8, fd), 7);
    assert_string_equal(buf, "payload");
    assert_int_equal(fdOp(fd, FDSTAT_READ)->bytes, 7);
    assert_int_equal(Fclose(fd), 0);
}

static void test_dev_full(void **state)
{
    static const char *const modes[] = { "w", "w.gzdio" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        FD_t fd = Fopen("/dev/full", modes[i]);

        assert_int_equal(Fwrite("x", 1, 1, fd), i == 0 ? -1 : 1);
        assert_int_equal(Fclose(fd), -1);
        assert_int_equal(errno, ENOSPC);
    }
}

/* Debugging output of a child that copies three bytes. */
static void test_debug_output(void **state)
{
    char got[1024] = "", *expected = NULL;
    unsigned us;
    int fds[2], n = 0;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    if (fork() == 0) {
        FD_t fd = Fopen(file, "w?.gzdio");

        dup2(fds[1], STDERR_FILENO);
        Fwrite("abc", 1, 3, fd);
        Fclose(fd);
        _exit(0);
    }
    wait(NULL);
    close(fds[1]);
    assert_true(read(fds[0], got, sizeof(got) - 1) > 0);
    close(fds[0]);
    rasprintf(&expected, "==> Fclose %s fd ", file);
    assert_int_equal(strncmp(got, expected, strlen(expected)), 0);
    rfree(expected);
    assert_int_equal(sscanf(strstr(got, "GZDIO"),
                            "GZDIO:       1 writes,        3 total bytes in 0.%6u secs\n"
                            "FDIO:       1 writes,       23 total bytes in 0.%6u secs%n",
                            &us, &us, &n), 2);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_modes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_both_ways, setup, teardown),
        cmocka_unit_test_setup_teardown(test_exclusive, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_modes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_urls_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_close_on_exec, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dash_is_a_duplicate, setup, teardown),
        cmocka_unit_test_setup_teardown(test_seek_and_tell, setup, teardown),
        cmocka_unit_test_setup_teardown(test_descriptions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_null_handles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_references, setup, teardown),
        cmocka_unit_test_setup_teardown(test_free_closes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overflow_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(test_digests, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bundles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gzip_is_gzip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gzip_level_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gzip_one_way, setup, teardown),
        cmocka_unit_test_setup_teardown(test_layer_at_an_offset, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dev_full, setup, teardown),
        cmocka_unit_test_setup_teardown(test_debug_output, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
