/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What OpenPGP signatures say of themselves, and the texts for flags of files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/rpmfiles.h>

#include "misc.h"
#include "pgpsig.h"

/* Version 4, RSA, SHA-256, hashed area with the time, unhashed one with the key. */
static const uint8_t v4[] = { 0x88, 26, 4, 0, 1, 8, 0, 6, 5, 2, 0x58, 0xe6, 0x3c, 0x69, 0, 10, 9,
    16, 0x43, 0x44, 0x59, 0x1e, 0x19, 0x64, 0xc5, 0xfc, 0xab, 0xcd };

/* Version 3, DSA, SHA-1, in the newer kind of packet. */
static const uint8_t v3[] = { 0xc2, 19, 3, 5, 0, 0x12, 0x34, 0x56, 0x78, 1, 2, 3, 4, 5, 6, 7, 8,
    17, 2, 0xab, 0xcd };

static void test_both_versions(void **state)
{
    struct pgpSig_s sig;

    (void)state;
    assert_true(pgpSigParse(v4, sizeof(v4), &sig));
    assert_int_equal(sig.version, 4);
    assert_int_equal(sig.type, 0);
    assert_string_equal(pgpPubkeyAlgoName(sig.pubkeyAlgo), "RSA");
    assert_string_equal(pgpHashAlgoName(sig.hashAlgo), "SHA256");
    assert_int_equal(sig.time, 0x58e63c69);
    assert_memory_equal(sig.keyid, "\x43\x44\x59\x1e\x19\x64\xc5\xfc", 8);
    assert_true(pgpSigParse(v3, sizeof(v3), &sig));
    assert_int_equal(sig.version, 3);
    assert_string_equal(pgpPubkeyAlgoName(sig.pubkeyAlgo), "DSA");
    assert_string_equal(pgpHashAlgoName(sig.hashAlgo), "SHA1");
    assert_int_equal(sig.time, 0x12345678);
    assert_memory_equal(sig.keyid, "\1\2\3\4\5\6\7\10", 8);
    assert_string_equal(pgpPubkeyAlgoName(99), "Unknown public key algorithm");
    assert_string_equal(pgpHashAlgoName(99), "Unknown hash algorithm");
}

/* In a block of exactly that size, so that a byte read too far is found. */
static bool parseExactly(const uint8_t *pkt, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    struct pgpSig_s sig;
    bool ok;

    memcpy(copy, pkt, len);
    ok = pgpSigParse(copy, len, &sig);
    free(copy);
    return ok;
}

static void test_cut_and_flipped_packets(void **state)
{
    uint8_t copy[sizeof(v4)];

    (void)state;
    for (size_t len = 0; len < sizeof(v4); len++)
        assert_false(parseExactly(v4, len));
    for (size_t len = 0; len < sizeof(v3); len++)
        assert_false(parseExactly(v3, len));
    for (size_t bit = 0; bit < sizeof(v4) * 8; bit++) {
        memcpy(copy, v4, sizeof(v4));
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        parseExactly(copy, sizeof(copy));
    }
    memcpy(copy, v4, sizeof(v4));
    copy[2] = 5;
    assert_false(parseExactly(copy, sizeof(copy)));
}

static void test_base64_both_ways(void **state)
{
    uint8_t bytes[200], *back;
    size_t len;

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 7);
    for (size_t n = 0; n <= sizeof(bytes); n++) {
        char *text = rpmBase64Encode(bytes, n);

        assert_true(n == 0 || text[strlen(text) - 1] == '\n');
        assert_int_equal(strcspn(text, "\n"), n >= 48 ? 64 : (n + 2) / 3 * 4);
        assert_true(rpmBase64Decode(text, &back, &len));
        assert_int_equal(len, n);
        assert_memory_equal(back, bytes, n);
        free(back);
        free(text);
    }
    assert_false(rpmBase64Decode("abc", &back, &len));
    assert_false(rpmBase64Decode("a===", &back, &len));
    assert_false(rpmBase64Decode("ab!d", &back, &len));
    assert_null(back);
}

static void assertText(char *text, const char *expected)
{
    assert_string_equal(text, expected);
    free(text);
}

static void test_texts_of_file_flags(void **state)
{
    (void)state;
    assertText(rpmPermsString(0100644), "-rw-r--r--");
    assertText(rpmPermsString(0041777), "drwxrwxrwt");
    assertText(rpmPermsString(0106644), "-rwSr-Sr--");
    assertText(rpmPermsString(0106755), "-rwsr-sr-x");
    assertText(rpmPermsString(0041000), "d--------T");
    assertText(rpmPermsString(0120777), "lrwxrwxrwx");
    assertText(rpmPermsString(0010600), "prw-------");
    assertText(rpmPermsString(0140600), "srw-------");
    assertText(rpmPermsString(0020600), "crw-------");
    assertText(rpmPermsString(0060600), "brw-------");
    assertText(rpmPermsString(0600), "?rw-------");
    assertText(rpmFFlagsString(0), "");
    assertText(rpmFFlagsString(0xffffffff), "dcsmnglra");
    assertText(rpmFFlagsString(RPMFILE_CONFIG | RPMFILE_NOREPLACE), "cn");
    assertText(rpmVerifyString(0, "."), ".........");
    assertText(rpmVerifyString(0x1ff, "."), "SM5DLUGTP");
    assertText(rpmVerifyString(RPMVERIFY_MODE, ""), "M");
    assertText(rpmVerifyString(RPMVERIFY_READFAIL | RPMVERIFY_READLINKFAIL, "."), "..?.?....");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_versions),
        cmocka_unit_test(test_cut_and_flipped_packets),
        cmocka_unit_test(test_base64_both_ways),
        cmocka_unit_test(test_texts_of_file_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
