/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compressed reading: whole, cut short, damaged, and not compressed at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>

#include <rpm/rpmio.h>
#include <rpm/rpmutil.h>

#define PLAIN_SIZE 300000

struct blob {
    unsigned char *data;
    size_t size;
};

static struct blob plain;

static const struct kind {
    const char *mode;
    int (*add)(struct archive *);
    int checked; /* is there a checksum in what libarchive writes? */
} kinds[] = {
    { "r.gzdio", archive_write_add_filter_gzip, 1 },
    { "r.xzdio", archive_write_add_filter_xz, 1 },
    { "r.lzdio", archive_write_add_filter_lzma, 0 },
    { "r.bzdio", archive_write_add_filter_bzip2, 1 },
    { "r.zstdio", archive_write_add_filter_zstd, 0 },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Data with some structure, so that it shrinks to more than one buffer. */
static int makePlain(void **state)
{
    uint32_t x = 1;

    (void)state;
    plain.size = PLAIN_SIZE;
    plain.data = rmalloc(plain.size);
    for (size_t i = 0; i < plain.size; i++) {
        x = x * 1664525 + 1013904223;
        plain.data[i] = (unsigned char)((x >> 24) & 0x3f);
    }
    return 0;
}

static int freePlain(void **state)
{
    (void)state;
    plain.data = rfree(plain.data);
    return 0;
}

static struct blob pack(const struct kind *kind, const void *data, size_t size)
{
    struct blob out = { rmalloc(size * 2 + 4096), 0 };
    struct archive_entry *entry = archive_entry_new();
    struct archive *a = archive_write_new();

    assert_int_equal(kind->add(a), ARCHIVE_OK);
    assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
    assert_int_equal(archive_write_set_bytes_in_last_block(a, 1), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, out.data, size * 2 + 4096, &out.size),
                     ARCHIVE_OK);
    archive_entry_set_filetype(entry, AE_IFREG);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, data, size), (long)size);
    assert_int_equal(archive_write_free(a), ARCHIVE_OK);
    archive_entry_free(entry);
    return out;
}

static FD_t openBlob(const void *data, size_t size, const char *mode)
{
    char path[] = "/tmp/test_rpmio_filter.XXXXXX";
    int fdno = mkstemp(path);
    FD_t fd;

    assert_true(fdno >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write(fdno, data, size), (long)size);
    assert_int_equal(lseek(fdno, 0, SEEK_SET), 0);
    fd = fdDup(fdno);
    close(fdno);
    assert_ptr_equal(Fdopen(fd, mode), fd);
    return fd;
}

/* Read to the end, compare with the beginning of what is expected, if anything is. Returns the
 * last result. */
static ssize_t readAll(FD_t fd, size_t step, const struct blob *expected, size_t *got)
{
    unsigned char *buf = rmalloc(step);
    ssize_t n;

    *got = 0;
    while ((n = Fread(buf, 1, step, fd)) > 0) {
        if (expected != NULL) {
            assert_true(*got + (size_t)n <= expected->size);
            assert_memory_equal(buf, expected->data + *got, n);
        }
        *got += (size_t)n;
    }
    rfree(buf);
    return n;
}

static void test_whole(void **state)
{
    static const size_t steps[] = { 1000, 32 * 1024, 1024 * 1024 };

    (void)state;
    for (size_t i = 0; i < N_KINDS * 3; i++) {
        const struct kind *kind = &kinds[i / 3];
        struct blob packed = pack(kind, plain.data, plain.size);
        FD_t fd = openBlob(packed.data, packed.size, kind->mode);
        size_t got;

        assert_int_equal(readAll(fd, steps[i % 3], &plain, &got), 0);
        assert_int_equal(got, plain.size);
        assert_int_equal(Ftell(fd), plain.size);
        assert_int_equal(Ferror(fd), 0);
        assert_string_equal(Fstrerror(fd), "");
        assert_int_equal(fdOp(fd, FDSTAT_READ)->bytes, plain.size);
        assert_int_equal(Fclose(fd), 0);
        rfree(packed.data);
    }
}

static void test_empty(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_KINDS; i++) {
        struct blob packed = pack(&kinds[i], "", 0);
        FD_t fd = openBlob(packed.data, packed.size, kinds[i].mode);
        size_t got;

        assert_true(packed.size > 0);
        assert_int_equal(readAll(fd, 4096, &plain, &got), 0);
        assert_int_equal(got, 0);
        assert_int_equal(Fclose(fd), 0);
        rfree(packed.data);
    }
}

/* Packed twice is unpacked once. */
static void test_twice_packed(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_KINDS; i++) {
        struct blob once = pack(&kinds[i], plain.data, plain.size);
        struct blob twice = pack(&kinds[i], once.data, once.size);
        FD_t fd = openBlob(twice.data, twice.size, kinds[i].mode);
        size_t got;

        assert_int_equal(readAll(fd, 65536, &once, &got), 0);
        assert_int_equal(got, once.size);
        assert_int_equal(Fclose(fd), 0);
        rfree(once.data);
        rfree(twice.data);
    }
}

static void expectFault(const struct kind *kind, const void *data, size_t size)
{
    FD_t fd = openBlob(data, size, kind->mode);
    size_t got;
    ssize_t n = readAll(fd, 65536, &plain, &got);

    if (n != -1)
        fail_msg("%s: %zu bytes give no error", kind->mode, size);
    assert_int_equal(Ferror(fd), -1);
    assert_true(Fstrerror(fd)[0] != '\0');
    assert_int_equal(Fread(&n, 1, 1, fd), -1);
    errno = 0;
    assert_int_equal(Fclose(fd), -1);
    assert_int_equal(errno, EBADMSG);
}

static void test_truncated(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_KINDS; i++) {
        struct blob packed = pack(&kinds[i], plain.data, 3000);
        size_t shortest = i == 0 ? 2 : 0; /* gzip passes what does not begin as gzip */

        for (size_t size = shortest; size < packed.size; size += size < 64 ? 1 : 13)
            expectFault(&kinds[i], packed.data, size);
        expectFault(&kinds[i], packed.data, packed.size - 1);
        rfree(packed.data);
    }
}

static void test_not_of_that_kind(void **state)
{
    static const char text[] = "This is no compressed data, whatever the mode says of it.\n";

    (void)state;
    for (size_t i = 1; i < N_KINDS; i++) {
        struct blob other = pack(&kinds[i == 1 ? 4 : 1], plain.data, 3000);

        expectFault(&kinds[i], text, sizeof(text) - 1);
        expectFault(&kinds[i], other.data, other.size);
        expectFault(&kinds[i], plain.data, plain.size);
        rfree(other.data);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_KINDS; i++) {
        struct blob packed = pack(&kinds[i], plain.data, plain.size);
        FD_t fd;
        size_t got;

        memset(packed.data + packed.size / 2, 0x5a, 64);
        fd = openBlob(packed.data, packed.size, kinds[i].mode);
        if (readAll(fd, 65536, NULL, &got) != -1 && kinds[i].checked)
            fail_msg("%s: damage gives no error", kinds[i].mode);
        Fclose(fd);
        rfree(packed.data);
    }
}

static void test_bzip2_garbage_after_the_end(void **state)
{
    const struct kind *kind = &kinds[3];
    struct blob packed = pack(kind, plain.data, 3000);

    (void)state;
    memcpy(packed.data + packed.size, "BZh9 and no more", 16);
    expectFault(kind, packed.data, packed.size + 16);
    rfree(packed.data);
}

static void test_concatenated(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_KINDS; i++) {
        struct blob one = pack(&kinds[i], plain.data, 1000);
        struct blob two = pack(&kinds[i], plain.data + 1000, 2000);
        FD_t fd;
        size_t got;

        if (strcmp(kinds[i].mode, "r.lzdio") != 0) { /* which has no such thing */
            memcpy(one.data + one.size, two.data, two.size);
            fd = openBlob(one.data, one.size + two.size, kinds[i].mode);
            assert_int_equal(readAll(fd, 512, &plain, &got), 0);
            assert_int_equal(got, 3000);
            assert_int_equal(Fclose(fd), 0);
        }
        rfree(one.data);
        rfree(two.data);
    }
}

static void test_writing_is_refused(void **state)
{
    (void)state;
    for (size_t i = 1; i < N_KINDS; i++) {
        char mode[] = "w.zstdio-";
        FD_t fd = fdDup(STDIN_FILENO);

        snprintf(mode, sizeof(mode), "w%s", kinds[i].mode + 1);
        assert_null(Fopen("/tmp/test_rpmio_filter.not-made", mode));
        assert_int_equal(errno, ENOTSUP);
        assert_string_equal(Fstrerror(NULL), strerror(ENOTSUP));
        assert_int_equal(access("/tmp/test_rpmio_filter.not-made", F_OK), -1);
        assert_null(Fdopen(fd, mode));
        assert_int_equal(errno, ENOTSUP);
        assert_int_equal(Ferror(fd), 0);
        assert_int_equal(Fclose(fd), 0);
    }
}

static void test_seeking_is_refused(void **state)
{
    struct blob packed = pack(&kinds[1], plain.data, 3000);
    FD_t fd = openBlob(packed.data, packed.size, kinds[1].mode);
    char c;

    (void)state;
    assert_int_equal(Fseek(fd, 0, SEEK_SET), -2);
    assert_int_equal(Fwrite("", 1, 1, fd), -2);
    assert_int_equal(Fread(&c, 1, 1, fd), 1);
    assert_int_equal(Fclose(fd), 0);
    rfree(packed.data);
}

/* What fails below is said in its words. */
static void test_error_from_below(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_KINDS; i++) {
        FD_t fd = Fopen("/", kinds[i].mode);
        char c;

        assert_non_null(fd);
        assert_int_equal(Fread(&c, 1, 1, fd), -1);
        assert_int_equal(Ferror(fd), EISDIR);
        assert_string_equal(Fstrerror(fd), strerror(EISDIR));
        assert_int_equal(Fclose(fd), -1);
        assert_int_equal(errno, EISDIR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_twice_packed),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_not_of_that_kind),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_bzip2_garbage_after_the_end),
        cmocka_unit_test(test_concatenated),
        cmocka_unit_test(test_writing_is_refused),
        cmocka_unit_test(test_seeking_is_refused),
        cmocka_unit_test(test_error_from_below),
    };
    return cmocka_run_group_tests(tests, makePlain, freePlain);
}
