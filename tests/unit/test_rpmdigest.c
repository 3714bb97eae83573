/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests against the vectors of RFC 1321 and of NIST's FIPS 180 examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <string.h>

#include <cmocka.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmutil.h>

#define ABC56 "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
#define ABC112 \
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr" \
    "lmnopqrsmnopqrstnopqrstu"

static const struct vector {
    int algo;
    const char *data;
    const char *hex;
} vectors[] = {
    { RPM_HASH_MD5, "", "d41d8cd98f00b204e9800998ecf8427e" },
    { RPM_HASH_MD5, "abc", "900150983cd24fb0d6963f7d28e17f72" },
    { RPM_HASH_MD5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0" },
    { RPM_HASH_SHA1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d" },
    { RPM_HASH_SHA1, ABC56, "84983e441c3bd26ebaae4aa1f95129e5e54670f1" },
    { RPM_HASH_SHA224, "abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7" },
    { RPM_HASH_SHA224, ABC56, "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525" },
    { RPM_HASH_SHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { RPM_HASH_SHA256, ABC56,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { RPM_HASH_SHA384, "abc",
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
      "8086072ba1e7cc2358baeca134c825a7" },
    { RPM_HASH_SHA384, ABC112,
      "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712"
      "fcc7c71a557e2db966c3e9fa91746039" },
    { RPM_HASH_SHA512, "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f" },
    { RPM_HASH_SHA512, ABC112,
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
      "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909" },
};

#define N_VECTORS (sizeof(vectors) / sizeof(vectors[0]))

static void expectHex(DIGEST_CTX ctx, const char *hex)
{
    size_t len = 0;
    char *got = NULL;

    assert_non_null(ctx);
    assert_int_equal(rpmDigestFinal(ctx, (void **)&got, &len, 1), 0);
    assert_string_equal(got, hex);
    assert_int_equal(len, strlen(hex) + 1);
    rfree(got);
}

static void test_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_VECTORS; i++) {
        DIGEST_CTX ctx = rpmDigestInit(vectors[i].algo, RPMDIGEST_NONE);

        assert_int_equal(rpmDigestLength(vectors[i].algo) * 2, strlen(vectors[i].hex));
        assert_int_equal(rpmDigestUpdate(ctx, vectors[i].data, strlen(vectors[i].data)), 0);
        expectHex(ctx, vectors[i].hex);
    }
}

static void test_binary_in_pieces(void **state)
{
    static const unsigned char md5[] = { 0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0,
                                         0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72 };
    DIGEST_CTX ctx = rpmDigestInit(RPM_HASH_MD5, RPMDIGEST_NONE);
    unsigned char *got = NULL;
    size_t len = 0;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(rpmDigestUpdate(ctx, &"abc"[i], 1), 0);
    assert_int_equal(rpmDigestFinal(ctx, (void **)&got, &len, 0), 0);
    assert_int_equal(len, sizeof(md5));
    assert_memory_equal(got, md5, sizeof(md5));
    rfree(got);
}

static void test_unknown_algorithms(void **state)
{
    static const int unknown[] = { -1, 0, RPM_HASH_RIPEMD160, 4, RPM_HASH_MD2, RPM_HASH_TIGER192,
                                   RPM_HASH_HAVAL_5_160, 12, 1000000 };

    (void)state;
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        assert_null(rpmDigestInit(unknown[i], RPMDIGEST_NONE));
        assert_int_equal(rpmDigestLength(unknown[i]), 0);
    }
}

static void test_null(void **state)
{
    void *data = &data;

    (void)state;
    assert_int_equal(rpmDigestUpdate(NULL, "a", 1), -1);
    assert_int_equal(rpmDigestFinal(NULL, &data, NULL, 0), -1);
    assert_ptr_equal(data, &data);
    assert_null(rpmDigestDup(NULL));
    assert_int_equal(rpmDigestFinal(rpmDigestInit(RPM_HASH_SHA1, 0), NULL, NULL, 0), 0);
}

static void test_dup(void **state)
{
    DIGEST_CTX ctx = rpmDigestInit(RPM_HASH_SHA1, RPMDIGEST_NONE), dup;

    (void)state;
    rpmDigestUpdate(ctx, "ab", 2);
    dup = rpmDigestDup(ctx);
    rpmDigestUpdate(ctx, "x", 1);
    rpmDigestUpdate(dup, "c", 1);
    expectHex(dup, vectors[3].hex);
    rpmDigestFinal(ctx, NULL, NULL, 0);
}

static void expectMember(rpmDigestBundle bundle, int id, const char *hex)
{
    char *got = NULL;
    size_t len = 0;

    assert_int_equal(rpmDigestBundleFinal(bundle, id, (void **)&got, &len, 1), 0);
    assert_string_equal(got, hex);
    rfree(got);
}

static void test_bundle(void **state)
{
    rpmDigestBundle bundle = rpmDigestBundleNew();
    DIGEST_CTX dup;
    void *data = &data;
    size_t len = 1;

    (void)state;
    assert_int_equal(rpmDigestBundleAdd(bundle, RPM_HASH_MD5, 0), 0);
    assert_int_equal(rpmDigestBundleAdd(bundle, RPM_HASH_MD5, 0), -1);
    assert_int_equal(rpmDigestBundleAdd(bundle, RPM_HASH_MD2, 0), -1);
    assert_int_equal(rpmDigestBundleAddID(bundle, RPM_HASH_SHA1, 0, 0), -1);
    assert_int_equal(rpmDigestBundleUpdate(bundle, "a", 1), 0);
    assert_int_equal(rpmDigestBundleAddID(bundle, RPM_HASH_SHA1, 77, 0), 0);
    assert_int_equal(rpmDigestBundleUpdate(bundle, "bc", 2), 0);
    dup = rpmDigestBundleDupCtx(bundle, RPM_HASH_MD5);
    expectHex(dup, vectors[1].hex);
    expectMember(bundle, RPM_HASH_MD5, vectors[1].hex);
    expectMember(bundle, 77, "5b2505039ac5af9e197f5dad04113906a9cf9a2a");
    assert_int_equal(rpmDigestBundleFinal(bundle, 77, &data, &len, 1), -1);
    assert_null(data);
    assert_int_equal(len, 0);
    assert_null(rpmDigestBundleDupCtx(bundle, 77));
    assert_int_equal(rpmDigestBundleAddID(bundle, RPM_HASH_SHA1, 77, 0), 0);
    assert_null(rpmDigestBundleFree(bundle));
}

static void test_null_bundle(void **state)
{
    (void)state;
    assert_int_equal(rpmDigestBundleAdd(NULL, RPM_HASH_MD5, 0), -1);
    assert_int_equal(rpmDigestBundleUpdate(NULL, "a", 1), -1);
    assert_int_equal(rpmDigestBundleFinal(NULL, 1, NULL, NULL, 0), -1);
    assert_null(rpmDigestBundleDupCtx(NULL, 1));
    assert_null(rpmDigestBundleFree(NULL));
}

/* Every digest in this thread comes out right. */
static void *digestMany(void *ok)
{
    for (int round = 0; round < 200; round++) {
        const struct vector *v = &vectors[(size_t)round % N_VECTORS];
        DIGEST_CTX ctx = rpmDigestInit(v->algo, RPMDIGEST_NONE);
        char *got = NULL;

        rpmDigestUpdate(ctx, v->data, strlen(v->data));
        rpmDigestFinal(ctx, (void **)&got, NULL, 1);
        if (got == NULL || strcmp(got, v->hex) != 0)
            *(int *)ok = 0;
        rfree(got);
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    int ok[4] = { 1, 1, 1, 1 };

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, digestMany, &ok[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(ok[i], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads), /* first: sets up from several threads at once */
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_binary_in_pieces),
        cmocka_unit_test(test_unknown_algorithms),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_dup),
        cmocka_unit_test(test_bundle),
        cmocka_unit_test(test_null_bundle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
