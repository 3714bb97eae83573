/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpmdigest: repodata of strangers. */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>

#include "rpmdigest.h"

#define MD5 "d41d8cd98f00b204e9800998ecf8427e"
#define ROOT "<metadata xmlns=\"urn:c\" xmlns:rpm=\"urn:r\">"
#define PACKAGE(href) "<package type=\"rpm\"><checksum type=\"md5\">" MD5 "</checksum>" \
    "<size package=\"7\" installed=\"9\"/><location href=\"" href "\"/></package>"

/* What was found, one line an entry. */
static char found[8192];

static void take(void *data, const struct repoEntry *entry)
{
    size_t len = strlen(found);

    (void)data;
    snprintf(found + len, sizeof(found) - len, "%lu %s %s %s %s %s %s %s\n", entry->number,
             entry->type ? entry->type : "-", entry->href ? entry->href : "-",
             entry->base ? entry->base : "-", entry->sumType ? entry->sumType : "-",
             entry->sum ? entry->sum : "-", entry->size ? entry->size : "-",
             entry->openSize ? entry->openSize : "-");
}

static int fdOf(const void *bytes, size_t size)
{
    int fdno = memfd_create("repodata", MFD_CLOEXEC);

    assert_true(fdno >= 0);
    assert_int_equal(write(fdno, bytes, size), size);
    lseek(fdno, 0, SEEK_SET);
    return fdno;
}

static int readBytes(const void *bytes, size_t size, enum repoKind kind, uint64_t max, char **emsg)
{
    int fdno = fdOf(bytes, size), rc;

    found[0] = '\0';
    rc = readRepodata(fdno, kind, max, take, NULL, emsg);
    close(fdno);
    assert_int_equal(rc != 0, *emsg != NULL);
    return rc;
}

static void assertFound(const char *xml, enum repoKind kind, const char *want)
{
    char *emsg = NULL;

    if (readBytes(xml, strlen(xml), kind, 1 << 20, &emsg) != 0)
        fail_msg("refused: %s", emsg);
    assert_string_equal(found, want);
}

static void assertRefused(const char *xml, const char *part)
{
    char *emsg = NULL;

    if (readBytes(xml, strlen(xml), REPO_PRIMARY, 1 << 20, &emsg) == 0)
        fail_msg("taken: %.200s", xml);
    if (strstr(emsg, part) == NULL)
        fail_msg("'%s' is not about '%s'", emsg, part);
    assert_null(strchr(emsg, '\n'));
    free(emsg);
}

static void test_primary(void **state)
{
    (void)state;
    assertFound(ROOT PACKAGE("a.rpm") "\n<!-- c -->" PACKAGE("b&amp;&#10;c.rpm") "</metadata>",
                REPO_PRIMARY,
                "1 rpm a.rpm - md5 " MD5 " 7 -\n2 rpm b&\nc.rpm - md5 " MD5 " 7 -\n");
    assertFound(ROOT "<package/><package><location/></package></metadata>", REPO_PRIMARY,
                "1 - - - - - - -\n2 - - - - - - -\n");
    /* The first counts; deeper ones, of other namespaces and of other elements do not. */
    assertFound(ROOT "<other><location href=\"o\"/></other><package><format><location href=\"f\"/>"
                "<checksum type=\"x\">00</checksum></format><rpm:location href=\"r\"/>"
                "<location href=\"a\" xml:base=\"http://b/\"/><location href=\"b\"/></package>"
                "</metadata>", REPO_PRIMARY, "1 - a http://b/ - - - -\n");
    assertFound("<metadata packages=\"0\"/>", REPO_PRIMARY, "");
}

static void test_repomd(void **state)
{
    (void)state;
    assertFound("<repomd xmlns=\"urn:r\"><revision>1</revision><data type=\"primary\">"
                "<checksum type=\"md5\">" MD5 "</checksum><open-checksum type=\"sha\">00"
                "</open-checksum><location href=\"repodata/p\"/><size> 12 </size><open-size>34"
                "</open-size></data></repomd>", REPO_REPOMD,
                "1 primary repodata/p - md5 " MD5 "  12  34\n");
}

static void test_not_primary(void **state)
{
    (void)state;
    assertRefused("", "empty");
    assertRefused("\n", "");
    assertRefused("text", "");
    assertRefused("<repomd/>", "primary.xml");
    assertRefused("<metadata>", "");
    assertRefused("<metadata></metadata>x", "");
    assertRefused(ROOT PACKAGE("a"), "");
    assertRefused("<metadata packages=\"2\">" PACKAGE("a") "</metadata>",
                  "declares 2 packages and lists 1");
    assertRefused("<metadata packages=\"-1\"></metadata>", "declares -1 packages");
    assertRefused(ROOT "\xff\xfe</metadata>", "");
}

/* Document types are refused whatever is in them. */
static void test_hostile(void **state)
{
    (void)state;
    assertRefused("<!DOCTYPE metadata><metadata/>", "refused");
    assertRefused("<!DOCTYPE m SYSTEM \"file:///etc/passwd\"><metadata/>", "refused");
    assertRefused("<!DOCTYPE m SYSTEM \"http://127.0.0.1:1/x\"><metadata/>", "refused");
    assertRefused("<!DOCTYPE m [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>" ROOT "<package>"
                  "<location href=\"a\"/><checksum>&e;</checksum></package></metadata>", "");
    assertRefused("<!DOCTYPE m [<!ENTITY % p SYSTEM \"file:///etc/passwd\">%p;]><metadata/>", "");
    assertRefused("<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;\">"
                  "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;\">]>"
                  "<metadata packages=\"&d;\"/>", "");
    assert_string_equal(found, "");
    assertRefused("<metadata>&e;</metadata>", "");
}

static void test_depth_and_length(void **state)
{
    size_t size = 12 << 20;
    char *text = malloc(size + 100), *emsg = NULL, *to = text;

    (void)state;
    for (int i = 0; i < 1000; i++)
        to = stpcpy(to, "<metadata>");
    assertRefused(text, "epth");
    /* One text of 12 MB: libxml2's limit is 10. */
    to = stpcpy(text, "<metadata>");
    memset(to, 'x', size);
    strcpy(to + size, "</metadata>");
    assert_int_equal(readBytes(text, strlen(text), REPO_PRIMARY, UINT64_MAX, &emsg), -1);
    free(emsg);
    emsg = NULL;
    /* More than is allowed. */
    assert_int_equal(readBytes(text, strlen(text), REPO_PRIMARY, 1 << 20, &emsg), -1);
    assert_non_null(strstr(emsg, "larger"));
    free(emsg);
    free(text);
}

/* Text of xml, compressed by one of libarchive's filters; malloc'ed. */
static char *compress(const char *xml, int filter, size_t *size)
{
    size_t room = 1 << 20;
    char *result = malloc(room);
    struct archive *a = archive_write_new();
    struct archive_entry *entry = archive_entry_new();

    archive_write_add_filter(a, filter);
    archive_write_set_format_raw(a);
    archive_write_set_bytes_in_last_block(a, 1);
    assert_int_equal(archive_write_open_memory(a, result, room, size), ARCHIVE_OK);
    archive_entry_set_filetype(entry, AE_IFREG);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, xml, strlen(xml)), strlen(xml));
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_entry_free(entry);
    archive_write_free(a);
    return result;
}

/* Cut anywhere, a stream is an error: never an end. */
static void test_compressions(void **state)
{
    static const int filters[] = { ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ,
                                   ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_BZIP2 };
    static const char xml[] = ROOT PACKAGE("a.rpm") PACKAGE("b.rpm") "</metadata>";

    (void)state;
    for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
        char *emsg = NULL;
        size_t size = 0;
        char *bytes = compress(xml, filters[i], &size);

        assert_int_equal(readBytes(bytes, size, REPO_PRIMARY, 1 << 20, &emsg), 0);
        assert_string_equal(found, "1 rpm a.rpm - md5 " MD5 " 7 -\n2 rpm b.rpm - md5 " MD5 " 7 -\n");
        for (size_t cut = 1; cut < size; cut += 3) {
            if (readBytes(bytes, size - cut, REPO_PRIMARY, 1 << 20, &emsg) == 0) {
                /* Only what comes behind the data, a check sum or an index, may be missing. */
                assert_string_equal(found,
                                    "1 rpm a.rpm - md5 " MD5 " 7 -\n2 rpm b.rpm - md5 " MD5 " 7 -\n");
            }
            free(emsg);
            emsg = NULL;
        }
        free(bytes);
    }
}

static void test_locations(void **state)
{
    char longName[PATH_MAX + 1];

    (void)state;
    memset(longName, 'x', PATH_MAX);
    longName[PATH_MAX] = '\0';
    assert_null(hrefFault("a.rpm"));
    assert_null(hrefFault("Packages/a/..a..rpm"));
    assert_null(hrefFault("./.../a"));
    assert_null(hrefFault("foo-1:2.rpm"));
    assert_null(hrefFault("a//b"));
    assert_string_equal(hrefFault(""), "location is empty");
    assert_string_equal(hrefFault("/a"), "location is absolute");
    assert_string_equal(hrefFault("//host/a"), "location is absolute");
    assert_string_equal(hrefFault("http://host/a"), "location is a URL");
    assert_string_equal(hrefFault("file:///a"), "location is a URL");
    assert_string_equal(hrefFault(".."), "location leads out of the repository");
    assert_string_equal(hrefFault("../a"), "location leads out of the repository");
    assert_string_equal(hrefFault("a/../b"), "location leads out of the repository");
    assert_string_equal(hrefFault("a/.."), "location leads out of the repository");
    assert_string_equal(hrefFault("a/b/../"), "location leads out of the repository");
    assert_string_equal(hrefFault(longName), "location is too long");
}

static void assertText(char *got, const char *want)
{
    assert_string_equal(got, want);
    free(got);
}

static void test_decoding(void **state)
{
    (void)state;
    assertText(decodeHref("a%20b%2Bc%c3%A9"), "a b+c\xc3\xa9");
    assertText(decodeHref("%2e%2E/a"), "../a");
    assert_null(decodeHref("plain"));
    assert_null(decodeHref("a%"));
    assert_null(decodeHref("a%2"));
    assert_null(decodeHref("a%2x%20"));
    assert_null(decodeHref("a%00b"));
    assertText(plainHref("./a//b/./c/"), "a/b/c");
    assertText(plainHref("a/..b"), "a/..b");
    assertText(plainHref("./"), "");
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(parseSize("0"), 0);
    assert_int_equal(parseSize(" 12\n"), 12);
    assert_int_equal(parseSize("9223372036854775807"), INT64_MAX);
    assert_int_equal(parseSize("9223372036854775808"), SIZE_UNKNOWN);
    assert_int_equal(parseSize("99999999999999999999999"), SIZE_UNKNOWN);
    assert_int_equal(parseSize("-1"), SIZE_UNKNOWN);
    assert_int_equal(parseSize("+1"), SIZE_UNKNOWN);
    assert_int_equal(parseSize("1 2"), SIZE_UNKNOWN);
    assert_int_equal(parseSize("0x10"), SIZE_UNKNOWN);
    assert_int_equal(parseSize(""), SIZE_UNKNOWN);
}

static const char *jobFaultOf(char *type, char *sum, char *size)
{
    struct repoEntry entry = { .sumType = type, .sum = sum, .size = size };
    struct digestJob job = { .wantSize = SIZE_UNKNOWN };
    const char *fault = entryToJob(&entry, &job);

    if (fault == NULL) {
        assert_int_equal(job.algos.count, 1);
        assert_string_equal(job.wantHex, MD5);
    }
    return fault;
}

static void test_entries(void **state)
{
    (void)state;
    assert_null(jobFaultOf("md5", MD5, "1"));
    assert_null(jobFaultOf("md5", "\n  " MD5 " ", NULL));
    assert_string_equal(jobFaultOf(NULL, MD5, "1"), "has no checksum");
    assert_string_equal(jobFaultOf("md5", NULL, "1"), "has no checksum");
    assert_string_equal(jobFaultOf("crc", MD5, "1"), "checksum is of an unknown type");
    assert_string_equal(jobFaultOf("sha256", MD5, "1"), "checksum is malformed");
    assert_string_equal(jobFaultOf("md5", MD5 "0", "1"), "checksum is malformed");
    assert_string_equal(jobFaultOf("md5", MD5 " 0", "1"), "checksum is malformed");
    assert_string_equal(jobFaultOf("md5", "", "1"), "checksum is malformed");
    assert_string_equal(jobFaultOf("md5", MD5, "x"), "size is malformed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_primary),
        cmocka_unit_test(test_repomd),
        cmocka_unit_test(test_not_primary),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_depth_and_length),
        cmocka_unit_test(test_compressions),
        cmocka_unit_test(test_locations),
        cmocka_unit_test(test_decoding),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
