/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rpm/rpmcrypto.h>

#include "fakepayload.h"

static void countProgress(void *data, rpm_loff_t done)
{
    rpm_loff_t *last = data;

    assert_true(done > *last);
    *last = done;
}

static void test_reads_a_package(void **state)
{
    static const int order[] = { BIN, DIR_, LINK_, HARD1, EMPTY, HARD2 };
    struct rpmop_s uncompress = { .count = 0 }, digest = { .count = 0 };
    rpm_loff_t last = 0;
    rpmPayload p;

    (void)state;
    addAllBut(-1);
    archiveEnd(&archive);
    p = start();
    rpmPayloadSetProgress(p, countProgress, &last);
    assert_string_equal(rpmPayloadEntry(p), "");
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        int has = order[i] == BIN || order[i] == EMPTY || order[i] == HARD2;

        assert_int_equal(rpmPayloadNext(p), order[i]);
        assert_int_equal(rpmPayloadHasContent(p), has);
        if (has)
            assert_int_equal(rpmPayloadReadToFile(p, SINK, 0), 0);
    }
    assert_string_equal(rpmPayloadEntry(p), "/usr/hard2");
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    assert_int_equal(sink.size, 10);
    assert_memory_equal(sink.data, "hellohello", 10);
    assert_int_equal(rpmPayloadTell(p), archive.size);
    assert_true(last > 0);
    rpmPayloadAddOp(p, RPMPAYLOAD_OP_UNCOMPRESS, &uncompress);
    rpmPayloadAddOp(p, RPMPAYLOAD_OP_DIGEST, &digest);
    assert_int_equal(uncompress.bytes, archive.size);
    assert_int_equal(digest.bytes, 10);
    finish(p);
}

static void test_names_with_every_prefix(void **state)
{
    static const char *const prefixes[] = { "./", "/", "" };

    (void)state;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        rpmPayload p;

        for (int fx = 0; fx < NFILES; fx++) {
            if (fx != GHOST)
                addFile(fx, prefixes[i]);
        }
        archiveEnd(&archive);
        p = start();
        assert_int_equal(readAll(p), RPMERR_ITER_END);
        finish(p);
    }
}

static void test_unread_content_is_skipped(void **state)
{
    rpmPayload p;
    int n = 0;

    (void)state;
    addAllBut(-1);
    archiveEnd(&archive);
    p = start();
    while (rpmPayloadNext(p) >= 0)
        n++;
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    assert_int_equal(n, 6);
    assert_int_equal(sinkBytes, 0);
    finish(p);
}

static void test_small_pieces_and_small_reads(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 12; piece++) {
        char *emsg = NULL;
        Header h = fileHeader(files, NFILES, 0);
        rpmfiles fi = rpmfilesLoad(h, 0, &emsg);
        rpmPayload p;

        addAllBut(-1);
        archiveEnd(&archive);
        fakeReset(archive.data, archive.size);
        fake.piece = piece;
        sinkBytes = 0;
        p = rpmPayloadNew(PACKAGE, h, fi, &emsg);
        assert_int_equal(readAll(p), RPMERR_ITER_END);
        assert_memory_equal(sink.data, "hellohello", 10);
        rpmfilesFree(fi);
        headerFree(h);
        finish(p);
    }
}

static void test_missing_files_are_named(void **state)
{
    (void)state;
    for (int fx = 0; fx < NFILES; fx++) {
        char *name = rstrscat(NULL, files[fx].dn, files[fx].bn, NULL);
        rpmPayload p;

        if (fx != GHOST) {
            addAllBut(fx);
            archiveEnd(&archive);
            p = start();
            expectFailure(p, RPMERR_MISSING_FILE, name, "cpio: Missing file(s)");
        }
        rfree(name);
    }
}

static void test_entries_that_are_not_in_the_header(void **state)
{
    static const char *const names[][2] = {
        { "./etc/extra", "./etc/extra" }, { "/etc/passwd", "/etc/passwd" },
        { "../../etc/passwd", "../../etc/passwd" },
        { "./usr/bin/../bin/tool", "./usr/bin/../bin/tool" },
        { "a\nb\x1b", "a\\x0ab\\x1b" }, { "", "" }, { "./usr/bin/tool/", "./usr/bin/tool/" }
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        addFile(BIN, "./");
        archiveEntry(&archive, names[i][0], "", 0);
        archiveEnd(&archive);
        expectFailure(start(), RPMERR_UNMAPPED_FILE, names[i][1],
                      "cpio: Archive file not in header");
    }
}

static void test_entries_that_come_twice(void **state)
{
    (void)state;
    addAllBut(-1);
    addFile(DIR_, "./");
    archiveEnd(&archive);
    expectFailure(start(), RPMERR_BAD_HEADER, "/usr/share",
                  "cpio: Bad/unreadable header: file is in the archive twice");
    addFile(BIN, "./");
    archiveStripped(&archive, BIN, "hello", 5);
    expectFailure(start(), RPMERR_BAD_HEADER, "/usr/bin/tool",
                  "cpio: Bad/unreadable header: file is in the archive twice");
}

static void expectSize(const char *name, const char *content, size_t size, const char *entry,
                       const char *sizes)
{
    char *text = rstrscat(NULL, "cpio: Bad/unreadable header: ", sizes, NULL);

    archiveEntry(&archive, name, content, size);
    archiveEnd(&archive);
    expectFailure(start(), RPMERR_BAD_HEADER, entry, text);
    rfree(text);
}

static void test_sizes_are_the_headers(void **state)
{
    (void)state;
    expectSize("./usr/bin/tool", "hell", 4, "/usr/bin/tool",
               "size 4 in the archive, 5 in the header");
    expectSize("./usr/bin/tool", "hello!", 6, "/usr/bin/tool",
               "size 6 in the archive, 5 in the header");
    expectSize("./usr/hard1", "hello", 5, "/usr/hard1",
               "size 5 in the archive, 0 in the header");
    expectSize("./usr/hard2", "", 0, "/usr/hard2", "size 0 in the archive, 5 in the header");
    expectSize("./usr/share", "x", 1, "/usr/share", "size 1 in the archive, 0 in the header");
    expectSize("./usr/share/link", "targe", 5, "/usr/share/link",
               "size 5 in the archive, 6 in the header");
    expectSize("./var/ghost", "xy", 2, "/var/ghost", "size 2 in the archive, 3 in the header");
}

static void test_symlinks_lead_where_the_header_says(void **state)
{
    struct testfile link = files[LINK_];

    (void)state;
    archiveEntry(&archive, "./usr/share/link", "tarGet", 6);
    expectFailure(start(), RPMERR_BAD_HEADER, "/usr/share/link",
                  "cpio: Bad/unreadable header: target of the symlink is not the header's");
    link.link = "targets";
    archiveEntry(&archive, "./usr/share/link", "target", 6);
    expectFailure(startWith(fileHeader(&link, 1, 0)), RPMERR_BAD_HEADER, "/usr/share/link",
                  "cpio: Bad/unreadable header: "
                  "length of the symlink's target is not the header's");
    archiveStripped(&archive, 0, "tarGet", 6);
    expectFailure(startWith(fileHeader(&files[LINK_], 1, 1)), RPMERR_BAD_HEADER, "/usr/share/link",
                  "cpio: Bad/unreadable header: target of the symlink is not the header's");
}

static void test_ghosts_in_the_archive_are_skipped(void **state)
{
    rpmPayload p;

    (void)state;
    archiveEntry(&archive, "./var/ghost", "old", 3);
    addAllBut(-1);
    archiveEnd(&archive);
    p = start();
    assert_int_equal(rpmPayloadNext(p), BIN);
    assert_int_equal(readAll(p), RPMERR_ITER_END);
    finish(p);
    archiveEntry(&archive, "./var/ghost", "", 0);
    addFile(BIN, "./");
    p = start();
    assert_int_equal(rpmPayloadNext(p), BIN);
    finish(p);
}

static void test_stripped_entries(void **state)
{
    rpmPayload p;

    (void)state;
    archiveStripped(&archive, BIN, "hello", 5);
    archiveStripped(&archive, DIR_, "", 0);
    archiveStripped(&archive, LINK_, "target", 6);
    archiveStripped(&archive, EMPTY, "", 0);
    archiveStripped(&archive, HARD1, "", 0);
    archiveStripped(&archive, HARD2, "hello", 5);
    archiveEnd(&archive);
    p = startWith(fileHeader(files, NFILES, 1));
    assert_int_equal(readAll(p), RPMERR_ITER_END);
    assert_memory_equal(sink.data, "hellohello", 10);
    finish(p);
    archiveStripped(&archive, NFILES, "", 0);
    expectFailure(start(), RPMERR_UNMAPPED_FILE, "entry 7", "cpio: Archive file not in header");
    archiveStripped(&archive, 0xffffffff, "", 0);
    expectFailure(start(), RPMERR_UNMAPPED_FILE, "entry 4294967295",
                  "cpio: Archive file not in header");
}

static void test_digests_are_checked(void **state)
{
    struct testfile f = files[BIN];
    rpmPayload p;
    Header h;

    (void)state;
    f.digest = MD5_EMPTY;
    archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
    expectFailure(startWith(fileHeader(&f, 1, 0)), RPMERR_DIGEST_MISMATCH, "/usr/bin/tool",
                  "cpio: Digest mismatch");
    f.digest = "";
    archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
    expectFailure(startWith(fileHeader(&f, 1, 0)), RPMERR_DIGEST_MISMATCH, "/usr/bin/tool",
                  "cpio: Digest mismatch");
    archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
    h = fileHeader(&f, 1, 0);
    headerDel(h, RPMTAG_FILEDIGESTS);
    expectFailure(startWith(h), RPMERR_DIGEST_MISMATCH, "/usr/bin/tool", "cpio: Digest mismatch");

    archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
    archiveEnd(&archive);
    p = startWith(fileHeader(&f, 1, 0));
    assert_int_equal(rpmPayloadNext(p), 0);
    assert_int_equal(rpmPayloadReadToFile(p, SINK, 1), 0);
    assert_int_equal(rpmPayloadNext(p), RPMERR_ITER_END);
    finish(p);
}

static void test_sha256_digests(void **state)
{
    struct testfile f = files[BIN];
    uint32_t algo = RPM_HASH_SHA256;
    Header h;

    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        f.digest = wrong ? "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9825"
                         : "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        archiveEntry(&archive, "./usr/bin/tool", "hello", 5);
        archiveEnd(&archive);
        h = fileHeader(&f, 1, 0);
        headerPutUint32(h, RPMTAG_FILEDIGESTALGO, &algo, 1);
        if (wrong) {
            expectFailure(startWith(h), RPMERR_DIGEST_MISMATCH, "/usr/bin/tool",
                          "cpio: Digest mismatch");
        } else {
            rpmPayload p = startWith(h);

            assert_int_equal(readAll(p), RPMERR_ITER_END);
            finish(p);
        }
    }
}

static void test_old_packages_have_no_digest_of_empty_files(void **state)
{
    struct testfile f = files[EMPTY];
    rpmPayload p;

    (void)state;
    f.digest = "";
    archiveEntry(&archive, "./usr/empty", "", 0);
    archiveEnd(&archive);
    p = startWith(fileHeader(&f, 1, 0));
    assert_int_equal(readAll(p), RPMERR_ITER_END);
    finish(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_a_package),
        cmocka_unit_test(test_names_with_every_prefix),
        cmocka_unit_test(test_unread_content_is_skipped),
        cmocka_unit_test(test_small_pieces_and_small_reads),
        cmocka_unit_test(test_missing_files_are_named),
        cmocka_unit_test(test_entries_that_are_not_in_the_header),
        cmocka_unit_test(test_entries_that_come_twice),
        cmocka_unit_test(test_sizes_are_the_headers),
        cmocka_unit_test(test_symlinks_lead_where_the_header_says),
        cmocka_unit_test(test_ghosts_in_the_archive_are_skipped),
        cmocka_unit_test(test_stripped_entries),
        cmocka_unit_test(test_digests_are_checked),
        cmocka_unit_test(test_sha256_digests),
        cmocka_unit_test(test_old_packages_have_no_digest_of_empty_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
