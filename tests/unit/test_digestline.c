/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpmdigest: lines of check files, names, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rpmdigest.h"

#define MD5 "d41d8cd98f00b204e9800998ecf8427e"
#define SHA1 "da39a3ee5e6b4b0d3255bfef95601890afd80709"

static char buffer[LINE_MAX_BYTES + 1];

/* The name that a line gives, or NULL. */
static const char *nameIn(struct lineParser *parser, const char *line, struct checkLine *result)
{
    strcpy(buffer, line);
    return parseCheckLine(parser, buffer, strlen(buffer), result) ? result->name : NULL;
}

static const char *nameOf(const char *line)
{
    struct algoList list;
    struct lineParser parser = { &list, -1 };
    struct checkLine result;

    allAlgos(&list);
    return nameIn(&parser, line, &result);
}

static void test_lines(void **state)
{
    (void)state;
    assert_string_equal(nameOf(MD5 "  f"), "f");
    assert_string_equal(nameOf(MD5 " *f"), "f");
    assert_string_equal(nameOf(MD5 " f"), "f");
    assert_string_equal(nameOf(" \t" MD5 "\t f "), "f ");
    assert_string_equal(nameOf(MD5 "   f"), " f");
    assert_string_equal(nameOf("\\" MD5 "  a\\nb\\\\c\\rd"), "a\nb\\c\rd");
    assert_string_equal(nameOf(MD5 "  a\\nb"), "a\\nb");
    assert_string_equal(nameOf("MD5 (a) b) = " MD5), "a) b");
    assert_string_equal(nameOf("MD5(a)=" MD5), "a");
    assert_string_equal(nameOf("\\MD5 (a\\nb) = " MD5), "a\nb");
}

static void test_no_lines(void **state)
{
    static const char *const lines[] = {
        "", " ", "\\", "text", MD5, MD5 " ", MD5 "f", MD5 "0  f", "g" MD5 "  f", "\\" MD5 "  a\\",
        "\\" MD5 "  a\\x", "MD5", "MD5 ", "MD5 (", "MD5 ()", "MD5 (f) ", "MD5 (f) =", "MD5  (f) = " MD5,
        "MD5 (f) = " MD5 " ", "MD5 (f) = " MD5 "0", "SHA1 (f) = " MD5, "MD5 (f) " MD5,
        "BLAKE2b (f) = " MD5, "\\MD5 (a\\) = " MD5,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        if (nameOf(lines[i]) != NULL)
            fail_msg("taken: '%s'", lines[i]);
    }
    assert_false(parseCheckLine(&(struct lineParser){ &(struct algoList){ 0 }, -1 },
                                strcpy(buffer, MD5 "  f"), strlen(buffer), &(struct checkLine){ 0 }));
}

/* A NUL hides the rest of a name. */
static void test_nul(void **state)
{
    struct algoList list;
    struct lineParser parser = { &list, -1 };
    struct checkLine result;
    static const char line[] = MD5 "  f\0g";

    (void)state;
    allAlgos(&list);
    memcpy(buffer, line, sizeof(line));
    assert_false(parseCheckLine(&parser, buffer, sizeof(line) - 1, &result));
    assert_true(parseCheckLine(&parser, buffer, strlen(buffer), &result));
}

/* The first line says which form all have. */
static void test_one_blank(void **state)
{
    struct algoList list;
    struct lineParser parser = { &list, -1 };
    struct checkLine line;

    (void)state;
    allAlgos(&list);
    assert_string_equal(nameIn(&parser, MD5 " f", &line), "f");
    assert_string_equal(nameIn(&parser, MD5 "  f", &line), " f");
    parser.reversed = -1;
    assert_string_equal(nameIn(&parser, MD5 "  f", &line), "f");
    assert_null(nameIn(&parser, MD5 " f", &line));
}

static void test_algorithm_of_line(void **state)
{
    struct algoList list;
    struct lineParser parser = { &list, -1 };
    struct checkLine line;
    char *emsg = NULL;

    (void)state;
    allAlgos(&list);
    assert_non_null(nameIn(&parser, SHA1 "  f", &line));
    assert_string_equal(line.algo->name, "sha1");
    assert_string_equal(line.hex, SHA1);
    assert_non_null(nameIn(&parser, "MD5 (f) = " MD5, &line));
    assert_string_equal(line.algo->name, "md5");
    assert_int_equal(parseAlgos("sha256,SHA1,sha1", &list, &emsg), 0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.at[1]->name, "sha1");
    assert_null(nameIn(&parser, MD5 "  f", &line));
    assert_null(nameIn(&parser, "MD5 (f) = " MD5, &line));
    assert_non_null(nameIn(&parser, SHA1 "  f", &line));
}

static void test_algorithm_names(void **state)
{
    static const char *const bad[] = { "", ",", "sha256,", "sha", "sha2566", "md5 ", "crc32" };
    struct algoList list;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char *emsg = NULL;

        assert_int_equal(parseAlgos(bad[i], &list, &emsg), -1);
        assert_non_null(strstr(emsg, "sha512"));
        free(emsg);
    }
    assert_string_equal(algoByRepoName("sha")->name, "sha1");
    assert_null(algoByRepoName("sha3"));
}

static FILE *fileOf(const char *text, size_t len)
{
    FILE *fp = tmpfile();

    assert_non_null(fp);
    assert_int_equal(fwrite(text, 1, len, fp), len);
    rewind(fp);
    return fp;
}

static void test_reading_lines(void **state)
{
    static const char text[] = "one\ntwo\r\n\n\r\nthr\0ee\nlast";
    FILE *fp = fileOf(text, sizeof(text) - 1);
    size_t len;

    (void)state;
    assert_true(readCheckLine(fp, buffer, &len));
    assert_string_equal(buffer, "one");
    assert_true(readCheckLine(fp, buffer, &len));
    assert_string_equal(buffer, "two");
    assert_true(readCheckLine(fp, buffer, &len) && len == 0);
    assert_true(readCheckLine(fp, buffer, &len) && len == 0);
    assert_true(readCheckLine(fp, buffer, &len) && len == 6);
    assert_true(readCheckLine(fp, buffer, &len) && len == 4);
    assert_string_equal(buffer, "last");
    assert_false(readCheckLine(fp, buffer, &len));
    fclose(fp);
}

static void test_long_line(void **state)
{
    char *text = malloc(3 * LINE_MAX_BYTES);
    size_t len;
    FILE *fp;

    (void)state;
    memset(text, 'x', 3 * LINE_MAX_BYTES);
    memcpy(text + 2 * LINE_MAX_BYTES, "\nshort\n", 7);
    text[2 * LINE_MAX_BYTES + 7 + LINE_MAX_BYTES - 8] = '\n';
    fp = fileOf(text, 3 * LINE_MAX_BYTES);
    assert_true(readCheckLine(fp, buffer, &len));
    assert_int_equal(len, LINE_MAX_BYTES);
    assert_true(readCheckLine(fp, buffer, &len));
    assert_string_equal(buffer, "short");
    assert_true(readCheckLine(fp, buffer, &len));
    assert_int_equal(len, LINE_MAX_BYTES - 8);
    assert_false(readCheckLine(fp, buffer, &len));
    fclose(fp);
    free(text);
}

typedef void (*printer)(FILE *fp, const char *text);

static void assertPrints(printer print, const char *text, const char *want)
{
    char *got = NULL;
    size_t size;
    FILE *fp = open_memstream(&got, &size);

    print(fp, text);
    fclose(fp);
    assert_string_equal(got, want);
    free(got);
}

static void test_names(void **state)
{
    (void)state;
    assertPrints(putEscaped, "a\\b\nc\rd\te", "a\\\\b\\nc\\rd\te");
    assertPrints(putPrintable, "a\nb\033[31m\177\xc3\xa9", "a\\012b\\033[31m\\177\xc3\xa9");
    assertPrints(putJsonPath, "a\"b\\c\nd\x7f", "\"path\":\"a\\\"b\\\\c\\u000ad\\u007f\"");
    assertPrints(putJsonPath, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                 "\"path\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    assertPrints(putJsonPath, "a\xff", "\"path\":\"a\\ufffd\",\"path_hex\":\"61ff\"");
}

/* Cut short, too long, surrogates, above U+10FFFF. */
static void test_bad_utf8(void **state)
{
    static const char *const bad[] = { "\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf",
                                       "\xed\xa0\x80", "\xe2\x82", "\xf0\x8f\xbf\xbf",
                                       "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x9f\x98" };
    FILE *fp = fopen("/dev/null", "w");

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(putJsonString(fp, bad[i]));
    assert_true(putJsonString(fp, "\xf4\x8f\xbf\xbf\xee\x80\x80\xed\x9f\xbf\xe0\xa0\x80"));
    fclose(fp);
}

/* Whatever a name is, the line that is printed for it gives it back. */
static void test_round_trip(void **state)
{
    static const char *const names[] = { "f", " f", "*f", "a\nb", "a\\", "\\", "a) = b", ")", "\r",
                                         "d/f", "\xff" };
    struct algoList list;

    (void)state;
    allAlgos(&list);
    for (size_t i = 0; i < 2 * sizeof(names) / sizeof(*names); i++) {
        struct lineParser parser = { &list, -1 };
        struct checkLine line;
        char *got = NULL;
        size_t size;
        FILE *fp = open_memstream(&got, &size);

        opts.tag = (int)(i & 1);
        putDigestLine(fp, algoByTag(&list, "MD5"), MD5, names[i / 2]);
        fclose(fp);
        assert_int_equal(got[size - 1], '\n');
        assert_null(memchr(got, '\n', size - 1));
        got[size - 1] = '\0';
        assert_true(parseCheckLine(&parser, got, size - 1, &line));
        assert_string_equal(line.name, names[i / 2]);
        free(got);
    }
    opts.tag = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_no_lines),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_one_blank),
        cmocka_unit_test(test_algorithm_of_line),
        cmocka_unit_test(test_algorithm_names),
        cmocka_unit_test(test_reading_lines),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_utf8),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
