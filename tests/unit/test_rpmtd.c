/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Containers for the data of one tag, and the names and types of tags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/argv.h>
#include <rpm/rpmtd.h>
#include <rpm/rpmutil.h>

static void test_numbers_are_walked_to_their_end(void **state)
{
    uint32_t values[] = { 7, 8, 9 };
    struct rpmtd_s td;

    (void)state;
    assert_int_equal(rpmtdFromUint32(&td, RPMTAG_FILESIZES, values, 3), 1);
    assert_int_equal(rpmtdCount(&td), 3);
    assert_int_equal(rpmtdGetIndex(&td), -1);
    assert_int_equal(*rpmtdGetUint32(&td), 7);
    for (int i = 0; i < 3; i++)
        assert_int_equal(*rpmtdNextUint32(&td), values[i]);
    assert_null(rpmtdNextUint32(&td));
    assert_int_equal(*rpmtdNextUint32(&td), 7);
    assert_int_equal(rpmtdSetIndex(&td, 2), 2);
    assert_int_equal(rpmtdGetNumber(&td), 9);
    assert_int_equal(rpmtdSetIndex(&td, 3), -1);
    assert_int_equal(rpmtdSetIndex(&td, -1), -1);
    assert_int_equal(rpmtdGetIndex(&td), 2);
    assert_int_equal(rpmtdInit(&td), 0);
    assert_int_equal(rpmtdGetIndex(&td), -1);
    assert_null(rpmtdGetUint64(&td));
    assert_null(rpmtdGetUint16(&td));
    assert_null(rpmtdGetChar(&td));
    assert_null(rpmtdGetString(&td));
}

static void test_an_index_past_the_end_reads_nothing(void **state)
{
    uint16_t modes[] = { 0100644 };
    const char *names[] = { "one" };
    struct rpmtd_s td;

    (void)state;
    assert_int_equal(rpmtdFromUint16(&td, RPMTAG_FILEMODES, modes, 1), 1);
    td.ix = 1;
    assert_null(rpmtdGetUint16(&td));
    assert_int_equal(rpmtdGetNumber(&td), 0);
    assert_int_equal(rpmtdFromStringArray(&td, RPMTAG_BASENAMES, names, 1), 1);
    td.ix = 1;
    assert_null(rpmtdGetString(&td));
}

static void test_each_width_is_a_number(void **state)
{
    uint64_t wide = 1ULL << 40;
    uint16_t mode = 0100755;
    uint8_t states[] = { 'a', 200 };
    struct rpmtd_s td;

    (void)state;
    assert_int_equal(rpmtdFromUint64(&td, RPMTAG_LONGSIZE, &wide, 1), 1);
    assert_int_equal(rpmtdGetNumber(&td), wide);
    assert_int_equal(*rpmtdNextUint64(&td), wide);
    assert_int_equal(rpmtdFromUint16(&td, RPMTAG_FILEMODES, &mode, 1), 1);
    assert_int_equal(rpmtdGetNumber(&td), 0100755);
    assert_int_equal(rpmtdFromUint8(&td, RPMTAG_FILESTATES, states, 2), 1);
    assert_int_equal(rpmtdNext(&td), 0);
    assert_int_equal(rpmtdNext(&td), 1);
    assert_int_equal(rpmtdGetNumber(&td), 200);
    assert_int_equal((unsigned char)*rpmtdGetChar(&td), 200);
}

static void test_bytes_are_one_value(void **state)
{
    uint8_t md5[16] = { 1 };
    struct rpmtd_s td;

    (void)state;
    assert_int_equal(rpmtdFromUint8(&td, RPMTAG_SIGMD5, md5, 16), 1);
    assert_int_equal(td.count, 16);
    assert_int_equal(rpmtdCount(&td), 1);
    assert_int_equal(rpmtdClass(&td), RPM_BINARY_CLASS);
    assert_int_equal(rpmtdGetNumber(&td), 0);
}

static void test_constructors_refuse_what_does_not_fit_the_tag(void **state)
{
    uint32_t numbers[2] = { 0 };
    uint64_t wide = 0;
    const char *names[] = { "a", "b" };
    char *none[] = { NULL };
    struct rpmtd_s td;

    (void)state;
    rpmtdReset(&td);
    assert_int_equal(rpmtdFromUint32(&td, RPMTAG_SIZE, numbers, 2), 0);
    assert_int_equal(rpmtdFromUint32(&td, RPMTAG_FILESIZES, numbers, 0), 0);
    assert_int_equal(rpmtdFromUint32(&td, RPMTAG_NAME, numbers, 1), 0);
    assert_int_equal(rpmtdFromUint64(&td, RPMTAG_SIZE, &wide, 1), 0);
    assert_int_equal(rpmtdFromString(&td, RPMTAG_SIZE, "x"), 0);
    assert_int_equal(rpmtdFromStringArray(&td, RPMTAG_NAME, names, 2), 0);
    assert_int_equal(rpmtdFromArgv(&td, RPMTAG_BASENAMES, none), 0);
    assert_null(td.data);
    assert_int_equal(rpmtdFromString(&td, RPMTAG_NAME, "x"), 1);
    assert_string_equal(rpmtdGetString(&td), "x");
}

static void test_set_tag_keeps_the_type(void **state)
{
    struct rpmtd_s td;

    (void)state;
    rpmtdReset(&td);
    assert_int_equal(rpmtdSetTag(&td, RPMTAG_NAME), 1);
    assert_int_equal(rpmtdType(&td), RPM_STRING_TYPE);
    assert_int_equal(rpmtdFromString(&td, RPMTAG_NAME, "x"), 1);
    assert_int_equal(rpmtdSetTag(&td, RPMTAG_VERSION), 1);
    assert_int_equal(rpmtdTag(&td), RPMTAG_VERSION);
    assert_int_equal(rpmtdSetTag(&td, RPMTAG_SIZE), 0);
    assert_int_equal(rpmtdSetTag(&td, 4711), 0);
    assert_int_equal(rpmtdSetTag(NULL, RPMTAG_NAME), 0);
}

static void test_dup_owns_all_of_its_strings(void **state)
{
    char *names[] = { rstrdup("a"), rstrdup("bc") };
    struct rpmtd_s td;
    rpmtd copy;

    (void)state;
    assert_int_equal(rpmtdFromStringArray(&td, RPMTAG_BASENAMES, (const char **)names, 2), 1);
    copy = rpmtdDup(&td);
    free(names[0]);
    free(names[1]);
    assert_string_equal(rpmtdNextString(copy), "a");
    assert_string_equal(rpmtdNextString(copy), "bc");
    assert_null(rpmtdNextString(copy));
    rpmtdFreeData(copy);
    assert_int_equal(rpmtdCount(copy), 0);
    rpmtdFree(copy);
    assert_int_equal(rpmtdFromString(&td, RPMTAG_NAME, "x"), 1);
    assert_null(rpmtdDup(&td));
}

static void test_null_is_an_empty_container(void **state)
{
    (void)state;
    assert_int_equal(rpmtdCount(NULL), 0);
    assert_int_equal(rpmtdSize(NULL), 0);
    assert_int_equal(rpmtdTag(NULL), 0);
    assert_int_equal(rpmtdType(NULL), RPM_NULL_TYPE);
    assert_int_equal(rpmtdClass(NULL), RPM_NULL_CLASS);
    assert_int_equal(rpmtdGetFlags(NULL), 0);
    assert_int_equal(rpmtdGetIndex(NULL), -1);
    assert_int_equal(rpmtdInit(NULL), -1);
    assert_int_equal(rpmtdNext(NULL), -1);
    assert_null(rpmtdGetString(NULL));
    assert_int_equal(rpmtdGetNumber(NULL), 0);
    assert_null(rpmtdDup(NULL));
    rpmtdFreeData(NULL);
}

static void test_tags_have_names_and_types(void **state)
{
    static const struct {
        const char *name;
        rpmTagVal tag;
        int type, returnType;
    } rows[] = {
        { "Name", 1000, RPM_STRING_TYPE, RPM_SCALAR_RETURN_TYPE },
        { "Summary", 1004, RPM_I18NSTRING_TYPE, RPM_SCALAR_RETURN_TYPE },
        { "Size", 1009, RPM_INT32_TYPE, RPM_SCALAR_RETURN_TYPE },
        { "Filestates", 1029, RPM_CHAR_TYPE, RPM_ARRAY_RETURN_TYPE },
        { "Filemodes", 1030, RPM_INT16_TYPE, RPM_ARRAY_RETURN_TYPE },
        { "Filedigests", 1035, RPM_STRING_ARRAY_TYPE, RPM_ARRAY_RETURN_TYPE },
        { "Providename", 1047, RPM_STRING_ARRAY_TYPE, RPM_ARRAY_RETURN_TYPE },
        { "Longfilesizes", 5008, RPM_INT64_TYPE, RPM_ARRAY_RETURN_TYPE },
        { "Longsize", 5009, RPM_INT64_TYPE, RPM_SCALAR_RETURN_TYPE },
        { "Sigmd5", 261, RPM_BIN_TYPE, RPM_SCALAR_RETURN_TYPE },
        { "Sha256header", 273, RPM_STRING_TYPE, RPM_SCALAR_RETURN_TYPE },
        { "Payloaddigestalt", 5097, RPM_STRING_ARRAY_TYPE, RPM_ARRAY_RETURN_TYPE },
        { "Upstreamreleases", 5101, RPM_STRING_TYPE, RPM_SCALAR_RETURN_TYPE },
        { "Headerimmutable", 63, RPM_NULL_TYPE, RPM_ANY_RETURN_TYPE },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_string_equal(rpmTagGetName(rows[i].tag), rows[i].name);
        assert_int_equal(rpmTagGetValue(rows[i].name), rows[i].tag);
        assert_int_equal(rpmTagGetTagType(rows[i].tag), rows[i].type);
        assert_int_equal(rpmTagGetReturnType(rows[i].tag), rows[i].returnType);
        assert_int_equal(rpmTagGetType(rows[i].tag), rows[i].type | rows[i].returnType);
    }
}

static void test_short_and_unknown_names(void **state)
{
    (void)state;
    assert_int_equal(rpmTagGetValue("n"), RPMTAG_NAME);
    assert_int_equal(rpmTagGetValue("PROVIDES"), RPMTAG_PROVIDENAME);
    assert_int_equal(rpmTagGetValue("filemd5s"), RPMTAG_FILEDIGESTS);
    assert_int_equal(rpmTagGetValue("hdrid"), RPMTAG_SHA1HEADER);
    assert_int_equal(rpmTagGetValue("Packages"), RPMDBI_PACKAGES);
    assert_string_equal(rpmTagGetName(RPMDBI_PACKAGES), "Packages");
    assert_int_equal(rpmTagGetValue("nosuchtag"), RPMTAG_NOT_FOUND);
    assert_int_equal(rpmTagGetValue(""), RPMTAG_NOT_FOUND);
    /* internal and reserved ones have no name */
    assert_int_equal(rpmTagGetValue("changelog"), RPMTAG_NOT_FOUND);
    assert_int_equal(rpmTagGetValue("fsnames"), RPMTAG_NOT_FOUND);
    assert_string_equal(rpmTagGetName(4711), "(unknown)");
    assert_int_equal(rpmTagGetTagType(4711), RPM_NULL_TYPE);
    assert_int_equal(rpmTagGetClass(RPMTAG_NAME), RPM_STRING_CLASS);
    assert_int_equal(rpmTagGetClass(RPMTAG_SIZE), RPM_NUMERIC_CLASS);
    assert_int_equal(rpmTagGetClass(4711), RPM_NULL_CLASS);
}

static void test_all_names_are_listed_in_order(void **state)
{
    struct rpmtd_s names;
    const char *name, *last = "";
    int count = 0;

    (void)state;
    /* as many as stock rpm 4.18.0 --querytags lists */
    assert_int_equal(rpmTagGetNames(&names, 1), 250);
    while ((name = rpmtdNextString(&names)) != NULL) {
        assert_memory_equal(name, "RPMTAG_", 7);
        assert_true(strcmp(last, name) < 0);
        assert_int_not_equal(rpmTagGetValue(name + 7), RPMTAG_NOT_FOUND);
        last = name;
        count++;
    }
    assert_int_equal(count, 250);
    rpmtdFreeData(&names);
    assert_int_equal(rpmTagGetNames(&names, 0), 250);
    assert_string_equal(rpmtdNextString(&names), "Arch");
    rpmtdFreeData(&names);
    assert_int_equal(rpmTagGetNames(NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_walked_to_their_end),
        cmocka_unit_test(test_an_index_past_the_end_reads_nothing),
        cmocka_unit_test(test_each_width_is_a_number),
        cmocka_unit_test(test_bytes_are_one_value),
        cmocka_unit_test(test_constructors_refuse_what_does_not_fit_the_tag),
        cmocka_unit_test(test_set_tag_keeps_the_type),
        cmocka_unit_test(test_dup_owns_all_of_its_strings),
        cmocka_unit_test(test_null_is_an_empty_container),
        cmocka_unit_test(test_tags_have_names_and_types),
        cmocka_unit_test(test_short_and_unknown_names),
        cmocka_unit_test(test_all_names_are_listed_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
