/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers in memory: putting, getting, exporting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/header.h>

static const char *const names[] = { "a", "bb", "" };

static Header sample(void)
{
    uint32_t sizes[] = { 1, 2, 0xfffffffe };
    uint16_t modes[] = { 0100644, 040755, 0xffff };
    uint64_t size = 1ULL << 33;
    uint8_t md5[16] = { 0, 1, 2, 255 };
    Header h = headerNew();

    assert_int_equal(headerPutString(h, RPMTAG_NAME, "sample"), 1);
    assert_int_equal(headerPutStringArray(h, RPMTAG_BASENAMES, (const char **)names, 3), 1);
    assert_int_equal(headerPutUint32(h, RPMTAG_FILESIZES, sizes, 3), 1);
    assert_int_equal(headerPutUint16(h, RPMTAG_FILEMODES, modes, 3), 1);
    assert_int_equal(headerPutUint64(h, RPMTAG_LONGSIZE, &size, 1), 1);
    assert_int_equal(headerPutBin(h, RPMTAG_SIGMD5, md5, sizeof(md5)), 1);
    assert_int_equal(headerPutChar(h, RPMTAG_FILESTATES, "\1\2\3", 3), 1);
    return h;
}

static void assertSample(Header h)
{
    struct rpmtd_s td;

    assert_string_equal(headerGetString(h, RPMTAG_NAME), "sample");
    assert_int_equal(headerGetNumber(h, RPMTAG_LONGSIZE), 1ULL << 33);
    assert_int_equal(headerGet(h, RPMTAG_BASENAMES, &td, HEADERGET_MINMEM), 1);
    assert_int_equal(rpmtdCount(&td), 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(rpmtdNextString(&td), names[i]);
    rpmtdFreeData(&td);
    assert_int_equal(headerGet(h, RPMTAG_FILESIZES, &td, HEADERGET_DEFAULT), 1);
    assert_int_equal(rpmtdSetIndex(&td, 2), 2);
    assert_int_equal(rpmtdGetNumber(&td), 0xfffffffe);
    rpmtdFreeData(&td);
    assert_int_equal(headerGet(h, RPMTAG_FILEMODES, &td, HEADERGET_DEFAULT), 1);
    assert_int_equal(rpmtdSetIndex(&td, 1), 1);
    assert_int_equal(*rpmtdGetUint16(&td), 040755);
    rpmtdFreeData(&td);
    assert_int_equal(headerGet(h, RPMTAG_SIGMD5, &td, HEADERGET_MINMEM), 1);
    assert_int_equal(td.count, 16);
    assert_memory_equal(td.data, "\0\1\2\377", 4);
    rpmtdFreeData(&td);
}

/* Export and import again. */
static Header roundTrip(Header h)
{
    unsigned int size;
    void *blob = headerExport(h, &size);
    Header copy;

    assert_non_null(blob);
    assert_int_equal(size, headerSizeof(h, HEADER_MAGIC_NO));
    assert_int_equal(size + 8, headerSizeof(h, HEADER_MAGIC_YES));
    copy = headerImport(blob, size, 0);
    assert_non_null(copy);
    return copy;
}

static void test_what_was_put_is_there(void **state)
{
    Header h = sample();

    (void)state;
    assertSample(h);
    assert_int_equal(headerIsEntry(h, RPMTAG_NAME), 1);
    assert_int_equal(headerIsEntry(h, RPMTAG_VERSION), 0);
    assert_null(headerGetString(h, RPMTAG_VERSION));
    assert_null(headerGetString(h, RPMTAG_BASENAMES));
    assert_int_equal(headerGetNumber(h, RPMTAG_FILESIZES), 0);
    assert_int_equal(headerIsEntry(NULL, RPMTAG_NAME), 0);
    headerFree(h);
}

static void test_wrong_types_and_counts_are_not_put(void **state)
{
    Header h = headerNew();
    uint32_t two[2] = { 1, 2 };

    (void)state;
    assert_int_equal(headerPutUint32(h, RPMTAG_NAME, two, 1), 0);
    assert_int_equal(headerPutUint32(h, RPMTAG_SIZE, two, 2), 0);
    assert_int_equal(headerPutUint32(h, RPMTAG_FILESIZES, two, 0), 0);
    assert_int_equal(headerPutUint32(h, RPMTAG_SIZE, NULL, 1), 0);
    assert_int_equal(headerPutString(h, RPMTAG_SIZE, "x"), 0);
    assert_int_equal(headerPutString(h, RPMTAG_NAME, NULL), 0);
    assert_int_equal(headerPutBin(h, RPMTAG_NAME, (uint8_t *)"x", 1), 0);
    assert_int_equal(headerPutUint32(h, 4711, two, 1), 0);
    assert_int_equal(headerSizeof(h, HEADER_MAGIC_NO), 8);
    headerFree(h);
}

static void test_arrays_are_appended_to(void **state)
{
    uint32_t size = 3;
    struct rpmtd_s td;
    Header h = headerNew();

    (void)state;
    for (size = 0; size < 100; size++)
        assert_int_equal(headerPutUint32(h, RPMTAG_FILESIZES, &size, 1), 1);
    assert_int_equal(headerPutString(h, RPMTAG_BASENAMES, "x"), 1);
    assert_int_equal(headerPutString(h, RPMTAG_BASENAMES, "yz"), 1);
    assert_int_equal(headerGet(h, RPMTAG_FILESIZES, &td, HEADERGET_MINMEM), 1);
    assert_int_equal(rpmtdCount(&td), 100);
    assert_int_equal(rpmtdSetIndex(&td, 99), 99);
    assert_int_equal(rpmtdGetNumber(&td), 99);
    rpmtdFreeData(&td);
    assert_int_equal(headerGet(h, RPMTAG_BASENAMES, &td, HEADERGET_ARGV), 1);
    assert_string_equal(((char **)td.data)[1], "yz");
    assert_null(((char **)td.data)[2]);
    rpmtdFreeData(&td);
    headerFree(h);
}

static void test_export_and_import_give_the_same(void **state)
{
    Header h = sample(), copy = roundTrip(h);
    unsigned int size, again;
    void *blob, *second;

    (void)state;
    assertSample(copy);
    blob = headerExport(h, &size);
    second = headerExport(copy, &again);
    assert_int_equal(size, again);
    assert_memory_equal(blob, second, size);
    free(blob);
    free(second);
    headerFree(copy);
    headerFree(h);
}

static void test_a_region_stays_as_it_was(void **state)
{
    struct rpmtd_s before, after, td;
    Header h = headerReload(sample(), RPMTAG_HEADERIMMUTABLE), copy;
    uint32_t tid = 77;

    (void)state;
    assert_non_null(h);
    assertSample(h);
    assert_int_equal(headerIsEntry(h, RPMTAG_HEADERIMMUTABLE), 1);
    assert_int_equal(headerGet(h, RPMTAG_HEADERIMMUTABLE, &before, HEADERGET_DEFAULT), 1);
    /* added, replaced and deleted */
    assert_int_equal(headerPutUint32(h, RPMTAG_INSTALLTID, &tid, 1), 1);
    assert_int_equal(rpmtdFromString(&td, RPMTAG_NAME, "other"), 1);
    assert_int_equal(headerMod(h, &td), 1);
    assert_int_equal(headerDel(h, RPMTAG_SIGMD5), 0);
    assert_int_equal(headerIsEntry(h, RPMTAG_SIGMD5), 0);
    copy = roundTrip(h);
    assert_int_equal(headerGetNumber(copy, RPMTAG_INSTALLTID), 77);
    assert_string_equal(headerGetString(copy, RPMTAG_NAME), "other");
    assert_int_equal(headerGet(copy, RPMTAG_HEADERIMMUTABLE, &after, HEADERGET_DEFAULT), 1);
    assert_int_equal(before.count, after.count);
    assert_memory_equal(before.data, after.data, before.count);
    headerFree(h);
    /* the region alone is a header again, with its own tags */
    h = headerImport(after.data, after.count, HEADERIMPORT_COPY);
    assertSample(h);
    assert_int_equal(headerIsEntry(h, RPMTAG_INSTALLTID), 0);
    rpmtdFreeData(&before);
    rpmtdFreeData(&after);
    headerFree(copy);
    headerFree(h);
}

static void test_appending_to_a_region_tag_takes_a_copy(void **state)
{
    Header h = headerReload(sample(), RPMTAG_HEADERIMMUTABLE), copy;
    struct rpmtd_s td;

    (void)state;
    assert_int_equal(headerPutString(h, RPMTAG_BASENAMES, "new"), 1);
    copy = roundTrip(h);
    assert_int_equal(headerGet(copy, RPMTAG_BASENAMES, &td, HEADERGET_MINMEM), 1);
    assert_int_equal(rpmtdCount(&td), 4);
    assert_int_equal(rpmtdSetIndex(&td, 3), 3);
    assert_string_equal(rpmtdGetString(&td), "new");
    rpmtdFreeData(&td);
    headerFree(copy);
    headerFree(h);
}

static void test_reload_takes_region_tags_only(void **state)
{
    (void)state;
    assert_null(headerReload(sample(), RPMTAG_NAME));
    assert_null(headerReload(NULL, RPMTAG_HEADERIMMUTABLE));
}

static void test_mod_and_del(void **state)
{
    Header h = sample();
    struct rpmtd_s td;

    (void)state;
    assert_int_equal(rpmtdFromString(&td, RPMTAG_VERSION, "1"), 1);
    assert_int_equal(headerMod(h, &td), 0);
    assert_int_equal(headerPut(h, &td, HEADERPUT_DEFAULT), 1);
    assert_int_equal(rpmtdFromString(&td, RPMTAG_VERSION, "2"), 1);
    assert_int_equal(headerMod(h, &td), 1);
    assert_string_equal(headerGetString(h, RPMTAG_VERSION), "2");
    /* twice the same tag, and both go */
    assert_int_equal(headerPut(h, &td, HEADERPUT_DEFAULT), 1);
    assert_int_equal(headerDel(h, RPMTAG_VERSION), 0);
    assert_int_equal(headerIsEntry(h, RPMTAG_VERSION), 0);
    assert_int_equal(headerDel(h, RPMTAG_VERSION), 1);
    assertSample(h);
    headerFree(h);
}

static void test_iterators_go_by_number(void **state)
{
    static const rpmTagVal order[] = { RPMTAG_SIGMD5, RPMTAG_NAME, RPMTAG_FILESIZES,
        RPMTAG_FILESTATES, RPMTAG_FILEMODES, RPMTAG_BASENAMES, RPMTAG_LONGSIZE };
    Header h = headerReload(sample(), RPMTAG_HEADERIMMUTABLE);
    HeaderIterator hi = headerInitIterator(h);
    struct rpmtd_s td;

    (void)state;
    /* the iterator holds the header */
    headerFree(h);
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        assert_int_equal(headerNext(hi, &td), 1);
        assert_int_equal(rpmtdTag(&td), order[i]);
        rpmtdFreeData(&td);
    }
    assert_int_equal(headerNext(hi, &td), 0);
    assert_int_equal(headerNextTag(hi), RPMTAG_NOT_FOUND);
    assert_null(headerFreeIterator(hi));
    assert_null(headerFreeIterator(NULL));
}

static void test_allocated_data_outlives_the_header(void **state)
{
    static const rpmTagVal tags[] = { RPMTAG_NAME, RPMTAG_BASENAMES, RPMTAG_SIGMD5,
        RPMTAG_FILESIZES };
    struct rpmtd_s td[4];
    Header h = sample();

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(headerGet(h, tags[i], &td[i], HEADERGET_ALLOC), 1);
    headerFree(h);
    assert_string_equal(rpmtdGetString(&td[0]), "sample");
    assert_int_equal(rpmtdSetIndex(&td[1], 1), 1);
    assert_string_equal(rpmtdGetString(&td[1]), "bb");
    assert_memory_equal(td[2].data, "\0\1\2\377", 4);
    assert_int_equal(rpmtdGetNumber(&td[3]), 1);
    for (int i = 0; i < 4; i++)
        rpmtdFreeData(&td[i]);
}

static Header translated(void)
{
    const char *locales[] = { "C", "de", "pt_BR" };
    const char *summaries[] = { "stone", "Stein", "pedra" };
    struct rpmtd_s td = { .tag = RPMTAG_SUMMARY, .type = RPM_I18NSTRING_TYPE, .count = 3,
        .data = summaries };
    Header h = headerNew();

    assert_int_equal(headerPutStringArray(h, RPMTAG_HEADERI18NTABLE, locales, 3), 1);
    assert_int_equal(headerPut(h, &td, HEADERPUT_DEFAULT), 1);
    return h;
}

static void test_strings_are_in_the_users_language(void **state)
{
    static const struct {
        const char *language, *lang, *expected;
    } rows[] = {
        { NULL, NULL, "stone" },
        { NULL, "C", "stone" },
        { NULL, "de", "Stein" },
        { NULL, "de_AT.UTF-8", "Stein" },
        { NULL, "de@euro", "Stein" },
        { "pt_BR", "de", "pedra" },
        { "pt_BR.UTF-8", NULL, "pedra" },
        { "xx:de:pt_BR", NULL, "Stein" },
        { "::xx", "de", "stone" },
        { "", "de", "stone" },
    };
    Header h = translated();
    struct rpmtd_s td;

    (void)state;
    unsetenv("LC_ALL");
    unsetenv("LC_MESSAGES");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        rows[i].language ? setenv("LANGUAGE", rows[i].language, 1) : unsetenv("LANGUAGE");
        rows[i].lang ? setenv("LANG", rows[i].lang, 1) : unsetenv("LANG");
        assert_string_equal(headerGetString(h, RPMTAG_SUMMARY), rows[i].expected);
    }
    assert_int_equal(headerGet(h, RPMTAG_SUMMARY, &td, HEADERGET_RAW), 1);
    assert_int_equal(rpmtdCount(&td), 3);
    assert_int_equal(rpmtdSetIndex(&td, 2), 2);
    assert_string_equal(rpmtdGetString(&td), "pedra");
    rpmtdFreeData(&td);
    headerFree(h);
}

static void test_copies_and_copied_tags(void **state)
{
    static const rpmTagVal some[] = { RPMTAG_NAME, RPMTAG_BASENAMES, RPMTAG_VERSION, 0 };
    Header h = headerReload(sample(), RPMTAG_HEADERIMMUTABLE);
    Header copy = headerCopy(h), part = headerNew();

    (void)state;
    assertSample(copy);
    assert_int_equal(headerIsEntry(copy, RPMTAG_HEADERIMMUTABLE), 0);
    assert_int_equal(headerPutString(part, RPMTAG_NAME, "mine"), 1);
    headerCopyTags(h, part, some);
    assert_string_equal(headerGetString(part, RPMTAG_NAME), "mine");
    assert_int_equal(headerIsEntry(part, RPMTAG_BASENAMES), 1);
    assert_int_equal(headerIsEntry(part, RPMTAG_VERSION), 0);
    assert_int_equal(headerIsEntry(part, RPMTAG_FILESIZES), 0);
    headerFree(part);
    headerFree(copy);
    headerFree(h);
}

static void test_values_as_text(void **state)
{
    uint32_t epoch = 4;
    Header h = sample();
    char *text;

    (void)state;
    assert_int_equal(headerPutUint32(h, RPMTAG_EPOCH, &epoch, 1), 1);
    assert_int_equal(headerPutString(h, RPMTAG_VERSION, "1.2"), 1);
    assert_int_equal(headerPutString(h, RPMTAG_RELEASE, "3"), 1);
    assert_int_equal(headerPutString(h, RPMTAG_ARCH, "noarch"), 1);
    text = headerGetAsString(h, RPMTAG_EPOCH);
    assert_string_equal(text, "4");
    free(text);
    text = headerGetAsString(h, RPMTAG_NEVRA);
    assert_string_equal(text, "sample-4:1.2-3.noarch");
    free(text);
    assert_null(headerGetAsString(h, RPMTAG_BASENAMES));
    assert_null(headerGetAsString(h, RPMTAG_URL));
    assert_int_equal(headerGetNumber(h, RPMTAG_EPOCHNUM), 4);
    headerFree(h);
}

static void test_an_empty_header(void **state)
{
    Header h = headerNew();
    unsigned int size;
    void *blob = headerExport(h, &size);

    (void)state;
    assert_int_equal(size, 8);
    assert_memory_equal(blob, "\0\0\0\0\0\0\0\0", 8);
    /* there is nothing that a header without tags could be good for */
    assert_null(headerImport(blob, size, HEADERIMPORT_COPY));
    free(blob);
    assert_null(headerExport(NULL, &size));
    assert_int_equal(headerGetInstance(h), 0);
    assert_int_equal(headerIsSource(h), 1);
    assert_ptr_equal(headerLink(h), h);
    headerFree(h);
    headerFree(h);
    assert_null(headerFree(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_put_is_there),
        cmocka_unit_test(test_wrong_types_and_counts_are_not_put),
        cmocka_unit_test(test_arrays_are_appended_to),
        cmocka_unit_test(test_export_and_import_give_the_same),
        cmocka_unit_test(test_a_region_stays_as_it_was),
        cmocka_unit_test(test_appending_to_a_region_tag_takes_a_copy),
        cmocka_unit_test(test_reload_takes_region_tags_only),
        cmocka_unit_test(test_mod_and_del),
        cmocka_unit_test(test_iterators_go_by_number),
        cmocka_unit_test(test_allocated_data_outlives_the_header),
        cmocka_unit_test(test_strings_are_in_the_users_language),
        cmocka_unit_test(test_copies_and_copied_tags),
        cmocka_unit_test(test_values_as_text),
        cmocka_unit_test(test_an_empty_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
