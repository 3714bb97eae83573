/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Query formats. The texts were checked against stock rpm 4.18.0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/header.h>
#include <rpm/rpmds.h>
#include <rpm/rpmlog.h>

static Header h;

static int setup(void **state)
{
    static const char *bases[] = { "bin", "tool", "link" }, *dirs[] = { "/usr/", "/usr/bin/" };
    static const char *links[] = { "", "", "tool" }, *classes[] = { "", "ELF 64-bit" };
    static const char *needs[] = { "a", "b" }, *versions[] = { "", "1:2-3" };
    static const char *conds[] = { "x", "y", "z" }, *condVersions[] = { "", "2", "" };
    static const char *scripts[] = { "echo 1", "echo 2" };
    uint32_t indexes[] = { 0, 1, 1 }, sizes[] = { 4096, 1536, 4 }, flags[] = { 0, 1 | 16, 64 };
    uint32_t mtimes[] = { 0, 86400, 1500000000 }, color[] = { 0, 2, 0 }, classIx[] = { 0, 1, 0 };
    uint32_t sense[] = { 0, RPMSENSE_GREATER | RPMSENSE_EQUAL }, inodes[] = { 1, 2, 3 };
    uint32_t condFlags[] = { RPMSENSE_TRIGGERIN, RPMSENSE_TRIGGERIN | RPMSENSE_LESS,
        RPMSENSE_TRIGGERPOSTUN };
    uint32_t condIx[] = { 0, 0, 1 }, epoch = 3, size = 5636, zero = 0;
    uint16_t modes[] = { 040755, 0104755, 0120777 };
    uint32_t depFirst[] = { 0, 0, 2 }, depCount[] = { 0, 2, 0 };
    uint32_t dict[] = { (uint32_t)'R' << 24 | 1, (uint32_t)'P' << 24 | 0 };
    static const char *owners[] = { "root", "root", "root" };
    uint8_t bytes[] = { 0xde, 0xad, 0xbe };

    (void)state;
    setenv("LC_ALL", "C", 1);
    setenv("TZ", "UTC", 1);
    h = headerNew();
    headerPutString(h, RPMTAG_NAME, "tool");
    headerPutString(h, RPMTAG_VERSION, "1.0");
    headerPutString(h, RPMTAG_RELEASE, "2");
    headerPutString(h, RPMTAG_ARCH, "x86_64");
    headerPutString(h, RPMTAG_SOURCERPM, "tool.src.rpm");
    headerPutString(h, RPMTAG_LICENSE, "it's <&>");
    headerPutString(h, RPMTAG_URL, "%{?nothing}x");
    headerPutUint32(h, RPMTAG_EPOCH, &epoch, 1);
    headerPutUint32(h, RPMTAG_SIZE, &size, 1);
    headerPutUint32(h, RPMTAG_BUILDTIME, &zero, 1);
    headerPutBin(h, RPMTAG_SIGMD5, bytes, sizeof(bytes));
    headerPutStringArray(h, RPMTAG_BASENAMES, bases, 3);
    headerPutStringArray(h, RPMTAG_DIRNAMES, dirs, 2);
    headerPutUint32(h, RPMTAG_DIRINDEXES, indexes, 3);
    headerPutUint32(h, RPMTAG_FILESIZES, sizes, 3);
    headerPutUint32(h, RPMTAG_FILEFLAGS, flags, 3);
    headerPutUint32(h, RPMTAG_FILEMTIMES, mtimes, 3);
    headerPutUint32(h, RPMTAG_FILECOLORS, color, 3);
    headerPutUint32(h, RPMTAG_FILECLASS, classIx, 3);
    headerPutUint32(h, RPMTAG_FILEINODES, inodes, 3);
    headerPutStringArray(h, RPMTAG_CLASSDICT, classes, 2);
    headerPutStringArray(h, RPMTAG_FILELINKTOS, links, 3);
    headerPutUint16(h, RPMTAG_FILEMODES, modes, 3);
    headerPutStringArray(h, RPMTAG_FILEUSERNAME, owners, 3);
    headerPutStringArray(h, RPMTAG_FILEGROUPNAME, owners, 3);
    headerPutChar(h, RPMTAG_FILESTATES, "\0\2\0", 3);
    headerPutUint32(h, RPMTAG_FILEDEPENDSX, depFirst, 3);
    headerPutUint32(h, RPMTAG_FILEDEPENDSN, depCount, 3);
    headerPutUint32(h, RPMTAG_DEPENDSDICT, dict, 2);
    headerPutStringArray(h, RPMTAG_REQUIRENAME, needs, 2);
    headerPutStringArray(h, RPMTAG_REQUIREVERSION, versions, 2);
    headerPutUint32(h, RPMTAG_REQUIREFLAGS, sense, 2);
    headerPutStringArray(h, RPMTAG_TRIGGERNAME, conds, 3);
    headerPutStringArray(h, RPMTAG_TRIGGERVERSION, condVersions, 3);
    headerPutUint32(h, RPMTAG_TRIGGERFLAGS, condFlags, 3);
    headerPutUint32(h, RPMTAG_TRIGGERINDEX, condIx, 3);
    headerPutStringArray(h, RPMTAG_TRIGGERSCRIPTS, scripts, 2);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    headerFree(h);
    return 0;
}

static const struct {
    const char *fmt, *text;
} good[] = {
    { "", "" },
    { "plain", "plain" },
    { "%{NAME}", "tool" },
    { "%{name}-%{RPMTAG_VERSION}", "tool-1.0" },
    { "%{DESCRIPTION}", "(none)" },
    { "%10{NAME}|%-10{NAME}|%2{NAME}|%010{NAME}|", "      tool|tool      |tool|      tool|" },
    { "%%\\{100%%\\}", "%{100%}" },
    { "\\a\\b\\f\\n\\r\\t\\v\\q\\\\\\[\\]\\{\\}", "\a\b\f\n\r\t\vq\\[]{}" },
    { "%{BASENAMES}", "bin" },
    { "[%{BASENAMES} ]", "bin tool link " },
    { "[%{=NAME}:%{BASENAMES}:%{FILESIZES}\n]", "tool:bin:4096\ntool:tool:1536\ntool:link:4\n" },
    { "[%{DESCRIPTION}\n]", "" },
    { "[]", "" },
    { "[text]", "" },
    { "[[%{BASENAMES},]%{REQUIRENAME} ]", "bin,tool,link,a bin,tool,link,b " },
    { "%{#BASENAMES} %{BASENAMES:arraysize} %{#NAME} %{#DESCRIPTION}", "3 3 1 (none)" },
    { "%|EPOCH?{%{EPOCH}:}:{no}|", "3:" },
    { "%|URL2?{yes}:{no}|", "no" },
    { "%|DESCRIPTION?{yes}|.", "." },
    { "%|NAME?{%|DESCRIPTION?{a}:{b}|}:{c}|", "b" },
    { "[%|BASENAMES?{%{BASENAMES}}:{}|,%{FILESIZES} ]", "bin,4096 tool,1536 link,4 " },
    { "%{SIZE:octal} %{SIZE:hex} %{NAME:hex}", "13004 1604 (not a number)" },
    { "%{SIZE:humansi} %{SIZE:humaniec} %{EPOCH:humansi}", "5.6K 5.5K 3.0" },
    { "%{BUILDTIME:date}|%{BUILDTIME:day}", "Thu Jan  1 00:00:00 1970|Thu Jan 01 1970" },
    { "[%{FILEMTIMES:day} ]", "Thu Jan 01 1970 Fri Jan 02 1970 Fri Jul 14 2017 " },
    { "[%{FILEMODES:perms} %{FILEMODES:permissions} ]",
        "drwxr-xr-x drwxr-xr-x -rwsr-xr-x -rwsr-xr-x lrwxrwxrwx lrwxrwxrwx " },
    { "[%{FILEFLAGS:fflags},]", ",cn,g," },
    { "[%{FILESTATES:fstate},]", "normal,not installed,normal," },
    { "%{EPOCH:vflags}|%{EPOCH:fstatus}", "S5|S.5......" },
    { "[%{REQUIREFLAGS:depflags},]", ",>=," },
    { "[%{REQUIREFLAGS:deptype},]", "manual,manual," },
    { "[%{TRIGGERFLAGS:triggertype},]", "in,in,postun," },
    { "%{LICENSE:shescape} %{SIZE:shescape} %{SIGMD5:shescape}",
        "'it'\\''s <&>' 5636 (invalid type)" },
    { "%{LICENSE:xml}%{SIZE:xml}%{SIGMD5:xml}",
        "\t<string>it's &lt;&amp;&gt;</string>\t<integer>5636</integer>"
        "\t<base64>3q2+\n</base64>" },
    { "[%{NAME:xml}\n]", "  <rpmTag name=\"Name\">\n\t<string>tool</string>\n  </rpmTag>\n" },
    { "%{SIGMD5} %{SIGMD5:base64}%{NAME:base64}", "deadbe 3q2+\n(not a blob)" },
    { "%{SIGMD5:armor}", "-----BEGIN PGP SIGNATURE-----\nVersion: rpm-4.18.0\n\n3q2+\n=jQ3M\n"
        "-----END PGP SIGNATURE-----\n" },
    { "%{NAME:armor} %{SIZE:armor}", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n"
        "Version: rpm-4.18.0\n\ntool\n=Ywrs\n-----END PGP PUBLIC KEY BLOCK-----\n (invalid type)" },
    { "%{SIGMD5:pgpsig} %{NAME:pgpsig}", "(not an OpenPGP signature) (not a blob)" },
    { "%{URL:expand} %{SIZE:expand}", "x (not a string)" },
    { "%{NAME:tagname} %{NAME:tagnum} %{PROVIDES:tagname}", "Name 1000 (none)" },
    { "%{NVR} %{NEVR} %{NVRA} %{NEVRA} %{EVR}",
        "tool-1.0-2 tool-3:1.0-2 tool-1.0-2.x86_64 tool-3:1.0-2.x86_64 3:1.0-2" },
    { "%{ARCHSUFFIX} %{EPOCHNUM} %{HEADERCOLOR} %{DBINSTANCE} %{VERBOSE}", ".x86_64 3 2 0 (none)" },
    { "%{LONGSIZE} [%{LONGFILESIZES} ]%{LONGARCHIVESIZE}", "5636 4096 1536 4 (none)" },
    { "[%{FILENAMES} ]", "/usr/bin /usr/bin/tool /usr/bin/link " },
    { "[%{INSTFILENAMES} ][%{ORIGFILENAMES} ]", "/usr/bin /usr/bin/link " },
    { "[%{FILECLASS},]", "directory,ELF 64-bit,symbolic link to `tool'," },
    { "[%{FILENLINKS} ]", "1 1 1 " },
    { "[%{FILEREQUIRE},][%{FILEPROVIDE},]", ",b >= 1:2-3,,,,," },
    { "[%{REQUIRENEVRS},]%{PROVIDENEVRS}", "a,b >= 1:2-3,(none)" },
    { "[%{TRIGGERTYPE}: %{TRIGGERCONDS}; ]", "in: x, y < 2; postun: z; " },
};

static void test_good_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        errmsg_t err = "not set";
        char *text = headerFormat(h, good[i].fmt, &err);

        if (text == NULL)
            fail_msg("'%s': %s", good[i].fmt, err);
        if (strcmp(text, good[i].text) != 0)
            fail_msg("'%s' is '%s', not '%s'", good[i].fmt, text, good[i].text);
        assert_null(err);
        free(text);
    }
}

static const struct {
    const char *fmt, *error;
} bad[] = {
    { "%", "missing { after %" },
    { "%5", "missing { after %" },
    { "%5%{NAME}", "missing { after %" },
    { "%x{NAME}", "invalid field width" },
    { "%5-{NAME}", "invalid field width" },
    { "%99999999999{NAME}", "invalid field width" },
    { "%{NAME", "missing } after %{" },
    { "%{}", "empty tag name" },
    { "%{:xml}", "empty tag name" },
    { "%{NAME:}", "empty tag format" },
    { "%{NOSUCHTAG}", "unknown tag: \"NOSUCHTAG\"" },
    { "%{NAME:nosuchformat}", "unknown tag: \"NAME\"" },
    { "[%{NAME}", "] expected at end of array" },
    { "]", "unexpected ]" },
    { "}", "unexpected }" },
    { "[}]", "unexpected }" },
    { "%%{NAME}", "unexpected }" },
    { "x\\", "escaped char expected after \\" },
    { "%|NAME", "? expected in expression" },
    { "%|NAME?x|", "{ expected after ? in expression" },
    { "%|NAME?{x|", "} expected in expression" },
    { "%|NAME?{x}", "} expected in expression" },
    { "%|NAME?{x]}|", "unexpected ]" },
    { "%|NAME?{x}y|", ": expected following ? subexpression" },
    { "%|NAME?{x}:y|", "{ expected after : in expression" },
    { "%|NAME?{x}:{y}", "} expected in expression" },
    { "%|NAME?{x}:{y}z", "| expected at end of expression" },
    { "[%{BASENAMES}%{REQUIRENAME}]", "array iterator used with different sized arrays" },
    { "[%{BASENAMES}%{NAME}]", "array iterator used with different sized arrays" },
};

static void test_bad_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        errmsg_t err = NULL;
        char *text = headerFormat(h, bad[i].fmt, &err);

        if (text != NULL)
            fail_msg("'%s' is '%s'", bad[i].fmt, text);
        if (strcmp(err, bad[i].error) != 0)
            fail_msg("'%s': '%s', not '%s'", bad[i].fmt, err, bad[i].error);
        assert_null(headerFormat(h, bad[i].fmt, NULL));
    }
}

static void test_nesting_has_an_end(void **state)
{
    char deep[2001];
    errmsg_t err = NULL;

    (void)state;
    memset(deep, '[', 1000);
    memset(deep + 1000, ']', 1000);
    deep[2000] = '\0';
    assert_null(headerFormat(h, deep, &err));
    assert_string_equal(err, "too deeply nested");
}

static void test_verbose_is_a_tag(void **state)
{
    char *text;

    (void)state;
    rpmSetVerbosity(RPMLOG_INFO);
    text = headerFormat(h, "%|VERBOSE?{v}:{q}|", NULL);
    rpmSetVerbosity(RPMLOG_NOTICE);
    assert_string_equal(text, "v");
    free(text);
}

static void test_all_tags_by_number(void **state)
{
    static const char start[] = "Sigmd5,Name,Version,Release,Epoch,";
    char *text = headerFormat(h, "[%{*:tagname},]the rest of the format is not used", NULL);

    (void)state;
    assert_non_null(text);
    assert_memory_equal(text, start, sizeof(start) - 1);
    assert_null(strstr(text, "rest"));
    free(text);
    /* not at the start it is a tag that no header has */
    text = headerFormat(h, "a%{*}", NULL);
    assert_string_equal(text, "a(none)");
    free(text);
}

static void test_the_whole_header_as_xml(void **state)
{
    Header small = headerNew();
    uint32_t sizes[] = { 1, 2 };
    char *text;

    (void)state;
    headerPutString(small, RPMTAG_NAME, "x");
    headerPutUint32(small, RPMTAG_FILESIZES, sizes, 2);
    text = headerFormat(small, "[%{*:xml}\n]", NULL);
    assert_string_equal(text, "<rpmHeader>\n"
        "  <rpmTag name=\"Name\">\n\t<string>x</string>\n  </rpmTag>\n"
        "  <rpmTag name=\"Filesizes\">\n\t<integer>1</integer>\n\t<integer>2</integer>\n"
        "  </rpmTag>\n</rpmHeader>\n");
    free(text);
    headerFree(small);
}

/* Counts that do not fit together give no names, and nothing is read past their ends. */
static void test_tags_at_odds(void **state)
{
    static const char *bases[] = { "a", "b" }, *dirs[] = { "/" };
    uint32_t outside[] = { 0, 1 }, triggers[] = { 7, 0 }, flags = 0;
    Header odd = headerNew();
    char *text;

    (void)state;
    headerPutStringArray(odd, RPMTAG_BASENAMES, bases, 2);
    headerPutStringArray(odd, RPMTAG_DIRNAMES, dirs, 1);
    headerPutUint32(odd, RPMTAG_DIRINDEXES, outside, 2);
    headerPutStringArray(odd, RPMTAG_TRIGGERNAME, bases, 2);
    headerPutStringArray(odd, RPMTAG_TRIGGERSCRIPTS, dirs, 1);
    headerPutUint32(odd, RPMTAG_TRIGGERINDEX, triggers, 2);
    headerPutUint32(odd, RPMTAG_TRIGGERFLAGS, &flags, 1);
    text = headerFormat(odd, "%{FILENAMES} %{INSTFILENAMES} %{FILENLINKS} %{TRIGGERCONDS}", NULL);
    assert_string_equal(text, "(none) (none) (none) (none)");
    free(text);
    headerFree(odd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_formats),
        cmocka_unit_test(test_bad_formats),
        cmocka_unit_test(test_nesting_has_an_end),
        cmocka_unit_test(test_verbose_is_a_tag),
        cmocka_unit_test(test_all_tags_by_number),
        cmocka_unit_test(test_the_whole_header_as_xml),
        cmocka_unit_test(test_tags_at_odds),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
