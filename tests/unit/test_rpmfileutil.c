/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/rpmfileutil.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

static const struct {
    const char *path, *clean;
} paths[] = {
    { "", "" },
    { "/", "/" },
    { "///", "/" },
    { ".", "." },
    { "..", ".." },
    { "./a", "a" },
    { "a/", "a" },
    { "a//b/./c/", "a/b/c" },
    { "/a/b/..", "/a" },
    { "/a/..", "/" },
    { "a/..", "." },
    { "a/../b", "b" },
    { "a/../../b", "../b" },
    { "../../a", "../../a" },
    { "../a/../..", "../.." },
    { "/..", "/" },
    { "/../../x", "/x" },
    { "//usr/../etc", "/etc" },
    { "/..a/.b/...", "/..a/.b/..." },
    { "/usr//lib/rpm/./macros", "/usr/lib/rpm/macros" },
};

static void test_clean_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        char *path = rstrdup(paths[i].path);

        assert_ptr_equal(rpmCleanPath(path), path);
        assert_string_equal(path, paths[i].clean);
        rfree(path);
    }
    assert_null(rpmCleanPath(NULL));
}

static void expectPath(char *path, const char *expected)
{
    assert_string_equal(path, expected);
    rfree(path);
}

static void test_get_and_gen_path(void **state)
{
    (void)state;
    rpmPushMacro(NULL, "_test_dir", NULL, "/var//lib", 0);
    rpmPushMacro(NULL, "_test_percent", NULL, "/100%%{_test_dir}", 0);
    expectPath(rpmGetPath("%{_test_dir}", "/./rpm", NULL), "/var/lib/rpm");
    expectPath(rpmGetPath(NULL, NULL), "");
    expectPath(rpmGenPath("/root", "%{_test_dir}", "f"), "/root/var/lib/f");
    expectPath(rpmGenPath(NULL, "/etc/", NULL), "/etc");
    expectPath(rpmGenPath(NULL, NULL, NULL), "/");
    expectPath(rpmGenPath(NULL, "%{_test_percent}", "f"), "/100%{_test_dir}/f");
    rpmPopMacro(NULL, "_test_dir");
    rpmPopMacro(NULL, "_test_percent");
}

/* A file of `size` bytes 'a'. */
static char *makeFile(size_t size)
{
    char *path = rstrdup("/tmp/test_rpmfileutil.XXXXXX");
    int fdno = mkstemp(path);
    char *data = rmalloc(size);

    assert_true(fdno >= 0);
    memset(data, 'a', size);
    assert_int_equal(write(fdno, data, size), (long)size);
    close(fdno);
    rfree(data);
    return path;
}

static const struct {
    size_t size;
    const char *sha1;
} files[] = {
    { 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709" },
    { 1, "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8" },
    { 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f" }, /* FIPS 180: a million a */
    { 5000000, "d841752c53531553b4d0acb2321458c866b981d5" }, /* as sha1sum(1) has it */
};

static void test_do_digest(void **state)
{
    char hex[41] = "";
    unsigned char binary[20];

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char *path = makeFile(files[i].size), *text;

        assert_int_equal(rpmDoDigest(RPM_HASH_SHA1, path, 1, (unsigned char *)hex), 0);
        assert_string_equal(hex, files[i].sha1);
        assert_int_equal(rpmDoDigest(RPM_HASH_SHA1, path, 0, binary), 0);
        text = rpmhex(binary, sizeof(binary));
        assert_string_equal(text, files[i].sha1);
        rfree(text);
        unlink(path);
        rfree(path);
    }
}

static void test_do_digest_errors(void **state)
{
    char *path = makeFile(10);
    unsigned char out[64] = "untouched";

    (void)state;
    assert_int_equal(rpmDoDigest(RPM_HASH_MD2, path, 0, out), 1);
    assert_int_equal(errno, EINVAL);
    rpmPushMacro(NULL, "_digest_mmap_threshold", NULL, "some", 0);
    assert_int_equal(rpmDoDigest(RPM_HASH_SHA1, path, 0, out), 1);
    assert_int_equal(errno, EINVAL);
    rpmPopMacro(NULL, "_digest_mmap_threshold");
    unlink(path);
    assert_int_equal(rpmDoDigest(RPM_HASH_SHA1, path, 0, out), 1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(rpmDoDigest(RPM_HASH_SHA1, "/", 0, out), 1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(rpmDoDigest(RPM_HASH_SHA1, "http://localhost/", 0, out), 1);
    assert_int_equal(errno, EPROTONOSUPPORT);
    assert_string_equal((char *)out, "untouched");
    rfree(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean_path),
        cmocka_unit_test(test_get_and_gen_path),
        cmocka_unit_test(test_do_digest),
        cmocka_unit_test(test_do_digest_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
