/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and verifying packages. They come from a writer of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <rpm/header.h>
#include <rpm/rpmcli.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "pkgwriter.h"
#include "rpmvs.h"
#include "testtree.h"

#define LEAD 96

static const char manifest[] =
    "name hello\n"
    "version 1.0\n"
    "release 1\n"
    "compressor gzip\n"
    "file /usr/bin/hello mode=0755 content=hello\\n\n"
    "dir /usr/share/hello\n";

static const char *tree;
static char *output; /* what was logged since the last use */

/* What the calls of rpmts would say. */
static rpmVSFlags vsflags, vfyflags;
static int vfylevel = RPMSIG_DIGEST_TYPE;

rpmVSFlags __wrap_rpmtsVSFlags(rpmts ts);
rpmVSFlags __wrap_rpmtsVfyFlags(rpmts ts);
int __wrap_rpmtsVfyLevel(rpmts ts);

rpmVSFlags __wrap_rpmtsVSFlags(rpmts ts)
{
    (void)ts;
    return vsflags;
}

rpmVSFlags __wrap_rpmtsVfyFlags(rpmts ts)
{
    (void)ts;
    return vfyflags;
}

int __wrap_rpmtsVfyLevel(rpmts ts)
{
    (void)ts;
    return vfylevel;
}

/* Reads go wrong from here on; 0: they do not. */
static uint64_t failAt, readSoFar;

ssize_t __real_read(int fd, void *buf, size_t count);
ssize_t __wrap_read(int fd, void *buf, size_t count);
ssize_t __real_pread64(int fd, void *buf, size_t count, off64_t offset);
ssize_t __wrap_pread64(int fd, void *buf, size_t count, off64_t offset);

/* How much may be read of so much; -1 with errno for a failure. */
static ssize_t readable(size_t count)
{
    if (failAt != 0 && readSoFar >= failAt) {
        errno = EIO;
        return -1;
    }
    return (ssize_t)(failAt != 0 && count > failAt - readSoFar ? failAt - readSoFar : count);
}

static ssize_t wasRead(ssize_t n)
{
    if (n > 0)
        readSoFar += (uint64_t)n;
    return n;
}

ssize_t __wrap_read(int fd, void *buf, size_t count)
{
    ssize_t n = readable(count);

    return n < 0 ? n : wasRead(__real_read(fd, buf, (size_t)n));
}

ssize_t __wrap_pread64(int fd, void *buf, size_t count, off64_t offset)
{
    ssize_t n = readable(count);

    return n < 0 ? n : wasRead(__real_pread64(fd, buf, (size_t)n, offset));
}

static int keep(rpmlogRec rec, rpmlogCallbackData data)
{
    (void)data;
    rstrscat(&output, rpmlogLevelPrefix(rpmlogRecPriority(rec)), rpmlogRecMessage(rec), NULL);
    return 0;
}

static int setup(void **state)
{
    if (treeSetup(state) != 0)
        return -1;
    tree = *state;
    rpmlogSetCallback(keep, NULL);
    return 0;
}

static int fresh(void **state)
{
    (void)state;
    free(output);
    output = NULL;
    vsflags = vfyflags = 0;
    vfylevel = RPMSIG_DIGEST_TYPE;
    failAt = readSoFar = 0;
    rpmSetVerbosity(RPMLOG_NOTICE);
    return 0;
}

static int freshAndFree(void **state)
{
    fresh(state);
    rpmlogClose();
    return 0;
}

/* Build a package of the manifest and more lines; its path is static. */
static const char *build(const char *more)
{
    const char *path = at(tree, "p.rpm");
    char *all = NULL;

    rstrscat(&all, manifest, more, NULL);
    unlink(path);
    pkgBuild(all, path);
    free(all);
    return path;
}

static unsigned char *slurp(const char *path, size_t *len)
{
    struct stat sb;
    int fd = open(path, O_RDONLY);
    unsigned char *data;

    assert_true(fd >= 0 && fstat(fd, &sb) == 0);
    *len = (size_t)sb.st_size;
    data = malloc(*len + 1);
    assert_int_equal(__real_read(fd, data, *len), *len);
    close(fd);
    return data;
}

static void spill(const char *path, const unsigned char *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, len), len);
    close(fd);
}

/* Read a package; *where gets the position afterwards. */
static rpmRC readPackage(const char *path, Header *h, off_t *where)
{
    FD_t fd = Fopen(path, "r.ufdio");
    rpmRC rc;

    assert_non_null(fd);
    rc = rpmReadPackageFile(NULL, fd, "pkg", h);
    if (where != NULL)
        *where = Ftell(fd);
    Fclose(fd);
    return rc;
}

static int check(const char *path)
{
    char *argv[] = { (char *)path, NULL };

    return rpmcliVerifySignatures(NULL, argv);
}

/* Compare what was logged with a text in which @ stands for the path. */
static void assertOutput(const char *path, const char *expected)
{
    char *text = NULL;

    for (const char *s = expected; *s != '\0'; s++) {
        char c[2] = { *s, '\0' };
        rstrcat(&text, *s == '@' ? path : c);
    }
    assert_non_null(output);
    assert_string_equal(output, text);
    free(text);
    output = rfree(output);
}

static void test_a_package_is_read_up_to_its_payload(void **state)
{
    const char *path = build("");
    size_t len;
    unsigned char *data = slurp(path, &len);
    struct rpmtd_s td;
    off_t where;
    Header h;

    (void)state;
    assert_int_equal(readPackage(path, &h, &where), RPMRC_OK);
    assert_string_equal(headerGetString(h, RPMTAG_NAME), "hello");
    assert_int_equal(headerIsSource(h), 0);
    /* gzip's magic */
    assert_memory_equal(data + where, "\x1f\x8b", 2);
    /* the signature header's tags have joined, and have not moved into the region */
    assert_int_equal(headerGet(h, RPMTAG_SIGMD5, &td, HEADERGET_MINMEM), 1);
    assert_int_equal(td.count, 16);
    rpmtdFreeData(&td);
    assert_int_equal(strlen(headerGetString(h, RPMTAG_SHA1HEADER)), 40);
    assert_int_equal(strlen(headerGetString(h, RPMTAG_SHA256HEADER)), 64);
    assert_true(headerGetNumber(h, RPMTAG_LONGARCHIVESIZE) > 0);
    assert_true(headerGetNumber(h, RPMTAG_LONGSIGSIZE) > (uint64_t)(len - (size_t)where));
    assert_int_equal(headerIsEntry(h, RPMTAG_HEADERIMMUTABLE), 1);
    assert_null(output);
    headerFree(h);
    free(data);
}

static void test_good_digests(void **state)
{
    const char *path = build("");

    (void)state;
    assert_int_equal(check(path), 0);
    assertOutput(path, "@: digests OK\n");
    rpmSetVerbosity(RPMLOG_INFO);
    assert_int_equal(check(path), 0);
    assertOutput(path, "@:\n"
        "    Header SHA256 digest: OK\n"
        "    Header SHA1 digest: OK\n"
        "    Payload SHA256 digest: OK\n"
        "    MD5 digest: OK\n");
    /* no compression: the payload is what it was before */
    path = build("compressor none\n");
    assert_int_equal(check(path), 0);
    assertOutput(path, "@:\n"
        "    Header SHA256 digest: OK\n"
        "    Header SHA1 digest: OK\n"
        "    Payload SHA256 ALT digest: OK\n"
        "    Payload SHA256 digest: OK\n"
        "    MD5 digest: OK\n");
}

static void test_each_wrong_digest_is_found(void **state)
{
    static const struct {
        const char *wrong, *line;
        bool header;
    } rows[] = {
        { "wrong sha1\n", "    Header SHA1 digest: BAD (Expected ", true },
        { "wrong sha256\n", "    Header SHA256 digest: BAD (Expected ", true },
        { "wrong md5\n", "    MD5 digest: BAD (Expected ", false },
        { "wrong payload\n", "    Payload SHA256 digest: BAD (Expected ", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *path = build(rows[i].wrong);
        Header h;

        rpmSetVerbosity(RPMLOG_NOTICE);
        assert_int_equal(check(path), 1);
        assertOutput(path, "@: DIGESTS NOT OK\n");
        rpmSetVerbosity(RPMLOG_INFO);
        assert_int_equal(check(path), 1);
        assert_non_null(strstr(output, rows[i].line));
        output = rfree(output);
        /* what covers the header is checked on reading too */
        assert_int_equal(readPackage(path, &h, NULL), rows[i].header ? RPMRC_FAIL : RPMRC_OK);
        assert_true((h == NULL) == rows[i].header);
        assert_true((output != NULL) == rows[i].header);
        output = rfree(output);
        headerFree(h);
        vsflags = vfyflags = RPMVSF_MASK_NODIGESTS;
        vfylevel = 0;
        assert_int_equal(readPackage(path, &h, NULL), RPMRC_OK);
        assert_int_equal(check(path), 0);
        headerFree(h);
        vsflags = vfyflags = 0;
        vfylevel = RPMSIG_DIGEST_TYPE;
        output = rfree(output);
    }
}

static void test_one_good_payload_digest_is_enough(void **state)
{
    (void)state;
    rpmSetVerbosity(RPMLOG_INFO);
    assert_int_equal(check(build("wrong payloadalt\n")), 0);
    assert_null(strstr(output, "ALT"));
    output = rfree(output);
    assert_int_equal(check(build("compressor none\nwrong payload\n")), 0);
    assert_non_null(strstr(output, "Payload SHA256 ALT digest: OK"));
    assert_null(strstr(output, "Payload SHA256 digest"));
}

static void test_required_digests_must_be_there(void **state)
{
    const char *path = build("drop sig 273\ndrop sig 269\ndrop sig 1004\n"
        "drop main 5092\ndrop main 5097\n");

    (void)state;
    assert_int_equal(check(path), 1);
    assertOutput(path, "@: DIGESTS NOT OK\n");
    rpmSetVerbosity(RPMLOG_INFO);
    assert_int_equal(check(path), 1);
    assert_non_null(strstr(output, "Header SHA256 digest: NOTFOUND\n"));
    output = rfree(output);
    rpmSetVerbosity(RPMLOG_NOTICE);
    vfylevel = 0;
    assert_int_equal(check(path), 0);
    assertOutput(path, "@: OK\n");
}

/* Version 4, RSA and SHA-256, with a time and a key. */
#define SIGNATURE "881a04000108000605" "0258e63c69" "000a0910" "4344591e1964c5fc" "abcd"

static void test_signatures_are_unchecked_not_good(void **state)
{
    const char *path = build("tag sig 268 bin " SIGNATURE "\n");
    Header h;

    (void)state;
    assert_int_equal(check(path), 1);
    assertOutput(path, "@: digests SIGNATURES NOT OK\n");
    rpmSetVerbosity(RPMLOG_INFO);
    assert_int_equal(check(path), 1);
    assert_non_null(strstr(output, "    Header V4 RSA/SHA256 Signature, key ID 1964c5fc: NOKEY\n"));
    output = rfree(output);
    rpmSetVerbosity(RPMLOG_NOTICE);
    vfyflags = RPMVSF_MASK_NOSIGNATURES;
    assert_int_equal(check(path), 0);
    assertOutput(path, "@: digests OK\n");
    /* it does not keep the package from being read; each key is warned of once */
    assert_int_equal(readPackage(path, &h, NULL), RPMRC_NOKEY);
    assert_non_null(h);
    headerFree(h);
    assertOutput("", "warning: pkg: Header V4 RSA/SHA256 Signature, key ID 1964c5fc: NOKEY\n");
    assert_int_equal(readPackage(path, &h, NULL), RPMRC_NOKEY);
    headerFree(h);
    assert_null(output);
    vsflags = RPMVSF_MASK_NOSIGNATURES;
    assert_int_equal(readPackage(path, &h, NULL), RPMRC_OK);
    headerFree(h);
    /* but one that is none does */
    vsflags = vfyflags = 0;
    path = build("tag sig 268 bin 00112233445566778899aabbccddeeff00\n");
    assert_int_equal(readPackage(path, &h, NULL), RPMRC_FAIL);
    assert_null(h);
    assertOutput("", "error: pkg: Header RSA signature: BAD "
        "(package tag 268: invalid OpenPGP signature)\n");
}

static void test_digests_that_are_none(void **state)
{
    static const struct {
        const char *edit, *error;
    } rows[] = {
        { "tag sig 269 string 0123456789012345678901234567890123456789012345\n",
            "Header SHA1 digest: BAD (package tag 269: invalid size 47)" },
        { "tag sig 269 string xx23456789012345678901234567890123456789\n",
            "Header SHA1 digest: BAD (package: tag 269: invalid hex)" },
        { "tag sig 269 int8 1\n", "Header SHA1 digest: BAD (package tag 269: invalid type 2)" },
        { "tag sig 273 strings a b\n",
            "Header SHA256 digest: BAD (package tag 273: invalid type 8)" },
    };

    (void)state;
    rpmSetVerbosity(RPMLOG_INFO);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(check(build(rows[i].edit)), 1);
        if (strstr(output, rows[i].error) == NULL)
            fail_msg("row %zu: %s", i, output);
        output = rfree(output);
    }
}

static void test_other_formats_are_refused_by_name(void **state)
{
    static const struct {
        const char *edit, *error;
    } rows[] = {
        { "no-region\n", "RPM v3 packages are not supported" },
        { "tag main 1027 strings /a /b\n", "RPM v3 packages are not supported" },
        { "tag main 5114 int32 6\n", "RPM v6 packages are not supported" },
        { "lead 4 02\n", "unsupported RPM package version" },
        { "lead 4 05\n", "unsupported RPM package version" },
        { "lead 78 0001\n", "illegal signature type" },
    };
    Header h;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *expected = NULL;

        rasprintf(&expected, "error: pkg: %s\n", rows[i].error);
        assert_int_equal(readPackage(build(rows[i].edit), &h, NULL), RPMRC_FAIL);
        assert_null(h);
        assertOutput("", expected);
        free(expected);
    }
    /* both numbers are in use for packages of this format */
    assert_int_equal(readPackage(build("lead 4 03\n"), &h, NULL), RPMRC_OK);
    headerFree(h);
    assert_int_equal(readPackage(build("lead 4 04\n"), &h, NULL), RPMRC_OK);
    headerFree(h);
}

static void test_what_is_no_package(void **state)
{
    const char *path = build("lead 0 00\n");
    Header h;

    (void)state;
    assert_int_equal(readPackage(path, &h, NULL), RPMRC_NOTFOUND);
    assert_null(h);
    assert_null(output);
    assert_int_equal(check(path), 1);
    assertOutput(path, "@:\nerror: @: not an rpm package\n");
    assert_int_equal(check("/nonexistent"), 1);
    assertOutput("", "error: /nonexistent: open failed: No such file or directory\n");
    assert_int_equal(check(tree), 1);
    assertOutput(tree, "@:\nerror: @: read failed: Is a directory (21)\n");
}

static void test_tags_in_both_headers_are_refused(void **state)
{
    Header h;

    (void)state;
    assert_int_equal(readPackage(build("tag main 261 bin 00112233445566778899aabbccddeeff\n"),
        &h, NULL), RPMRC_FAIL);
    assertOutput("", "error: pkg: invalid signature tag Sigmd5 (261)\n");
    assert_int_equal(readPackage(build("tag sig 1007 int32 1 2\n"), &h, NULL), RPMRC_FAIL);
    assertOutput("", "error: pkg: invalid signature tag Archivesize (1046)\n");
}

static void test_sourceness(void **state)
{
    Header h;

    (void)state;
    assert_int_equal(readPackage(build("drop main 1044\n"), &h, NULL), RPMRC_OK);
    assert_int_equal(headerIsSource(h), 0);
    assert_string_equal(headerGetString(h, RPMTAG_SOURCERPM), "(none)");
    headerFree(h);
}

static void test_truncated_and_lengthened_files(void **state)
{
    const char *path = at(tree, "cut.rpm");
    size_t len;
    unsigned char *data = slurp(build(""), &len);
    char expected[256];
    off_t payload;
    Header h;

    (void)state;
    data[len] = 'x';
    assert_int_equal(readPackage(at(tree, "p.rpm"), &h, &payload), RPMRC_OK);
    headerFree(h);
    for (size_t n = 0; n <= len + 1; n++) {
        spill(path, data, n);
        assert_int_equal(check(path), n == len ? 0 : 1);
        if (n < LEAD) {
            snprintf(expected, sizeof(expected), "@:\nerror: @: not an rpm package\n");
        } else if (n < (size_t)payload) {
            assert_non_null(strstr(output, "BAD, read "));
            output = rfree(output);
            continue;
        } else if (n == len) {
            snprintf(expected, sizeof(expected), "@: digests OK\n");
        } else {
            snprintf(expected, sizeof(expected), "@: DIGESTS NOT OK\n"
                "error: @: file is %s than the header says: %zu of %zu bytes\n",
                n < len ? "shorter" : "longer", n, len);
        }
        assertOutput(path, expected);
    }
    free(data);
}

/* Every bit of a package: it is found to be wrong, or nothing hangs on it. */
static void test_flipped_bits_are_found(void **state)
{
    const char *path = at(tree, "flip.rpm");
    size_t len, missed = 0;
    unsigned char *data = slurp(build(""), &len);
    off_t payload;
    Header h;

    (void)state;
    assert_int_equal(readPackage(at(tree, "p.rpm"), &h, &payload), RPMRC_OK);
    headerFree(h);
    for (size_t i = 0; i < len; i++) {
        unsigned char old = data[i];

        data[i] ^= (unsigned char)(1 << i % 8);
        spill(path, data, len);
        if (check(path) == 0) {
            /* the lead, and tags of the signature header that nothing covers */
            missed++;
            assert_true(i < (size_t)payload);
            assert_int_equal(readPackage(path, &h, NULL), RPMRC_OK);
            assert_string_equal(headerGetString(h, RPMTAG_NAME), "hello");
            headerFree(h);
        }
        output = rfree(output);
        data[i] = old;
    }
    assert_true(missed < 300);
    free(data);
}

static void test_read_errors_are_told(void **state)
{
    const char *path = build("file /big size=600000 fill=random\n");
    size_t len;
    unsigned char *data = slurp(path, &len);
    Header h;
    off_t payload;

    (void)state;
    free(data);
    assert_int_equal(readPackage(path, &h, &payload), RPMRC_OK);
    headerFree(h);
    for (uint64_t where = 1; where < len; where += where < (uint64_t)payload ? 97 : 65536) {
        failAt = where;
        readSoFar = 0;
        assert_int_equal(check(path), 1);
        assert_non_null(strstr(output, "error: "));
        if (where < LEAD)
            assert_non_null(strstr(output, "read failed: Input/output error (5)"));
        else if (where < (uint64_t)payload)
            assert_non_null(strstr(output, "BAD, read "));
        else
            assert_non_null(strstr(output, "Fread failed: Input/output error"));
        output = rfree(output);
    }
    failAt = 0;
    assert_int_equal(check(path), 0);
}

static void test_several_packages_are_counted(void **state)
{
    char *good = rstrdup(build("")), *bad = rstrdup(at(tree, "bad.rpm"));
    char *argv[] = { good, bad, (char *)"/nonexistent", good, NULL };
    size_t len;
    unsigned char *data = slurp(good, &len);

    (void)state;
    data[len - 1] ^= 1;
    spill(bad, data, len);
    assert_int_equal(rpmcliVerifySignatures(NULL, argv), 2);
    assert_non_null(strstr(output, "bad.rpm: DIGESTS NOT OK\n"));
    free(good);
    free(bad);
    free(data);
}

static void test_versions_are_compared(void **state)
{
    Header a = headerNew(), b = headerNew();
    uint32_t epoch = 1;

    (void)state;
    headerPutString(a, RPMTAG_VERSION, "1.0");
    headerPutString(b, RPMTAG_VERSION, "1.0");
    headerPutString(a, RPMTAG_RELEASE, "2");
    headerPutString(b, RPMTAG_RELEASE, "10");
    assert_int_equal(rpmVersionCompare(a, a), 0);
    assert_int_equal(rpmVersionCompare(a, b), -1);
    headerPutUint32(a, RPMTAG_EPOCH, &epoch, 1);
    assert_int_equal(rpmVersionCompare(a, b), 1);
    assert_int_equal(rpmVersionCompare(b, a), -1);
    headerFree(a);
    headerFree(b);
}

/* Real packages, where there are any: each digest of each is right but for the one that says so. */
static void test_real_packages(void **state)
{
    const char *dir = getenv("RPMIO_TEST_RPMS");
    struct dirent *entry;
    int count = 0;
    DIR *d;

    (void)state;
    d = opendir(dir != NULL ? dir : SHARED_RPMS);
    if (d == NULL)
        skip();
    vfyflags = RPMVSF_MASK_NOSIGNATURES;
    while ((entry = readdir(d)) != NULL) {
        char *path = NULL;

        if (strstr(entry->d_name, ".rpm") == NULL)
            continue;
        rasprintf(&path, "%s/%s", dir != NULL ? dir : SHARED_RPMS, entry->d_name);
        assert_int_equal(check(path), strstr(entry->d_name, "corrupted") != NULL ? 1 : 0);
        free(path);
        count++;
    }
    closedir(d);
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_package_is_read_up_to_its_payload, fresh),
        cmocka_unit_test_setup(test_good_digests, fresh),
        cmocka_unit_test_setup(test_each_wrong_digest_is_found, fresh),
        cmocka_unit_test_setup(test_one_good_payload_digest_is_enough, fresh),
        cmocka_unit_test_setup(test_required_digests_must_be_there, fresh),
        cmocka_unit_test_setup(test_signatures_are_unchecked_not_good, fresh),
        cmocka_unit_test_setup(test_digests_that_are_none, fresh),
        cmocka_unit_test_setup(test_other_formats_are_refused_by_name, fresh),
        cmocka_unit_test_setup(test_what_is_no_package, fresh),
        cmocka_unit_test_setup(test_tags_in_both_headers_are_refused, fresh),
        cmocka_unit_test_setup(test_sourceness, fresh),
        cmocka_unit_test_setup(test_truncated_and_lengthened_files, fresh),
        cmocka_unit_test_setup(test_flipped_bits_are_found, fresh),
        cmocka_unit_test_setup(test_read_errors_are_told, fresh),
        cmocka_unit_test_setup(test_several_packages_are_counted, fresh),
        cmocka_unit_test_setup(test_versions_are_compared, fresh),
        cmocka_unit_test_setup_teardown(test_real_packages, fresh, freshAndFree),
    };
    return cmocka_run_group_tests(tests, setup, treeTeardown);
}
