/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The note of a transaction in flight: its text, and the file's life. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>

#include "note_text.h"
#include "testinst.h"

static int syncError;
static int bootTime;
static int unlinkError; /* of the note */

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_unlinkat(int dirfd, const char *name, int flags);
int __wrap_unlinkat(int dirfd, const char *name, int flags);
int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);

int __wrap_fsync(int fd)
{
    if (syncError != 0) {
        errno = syncError;
        return -1;
    }
    return __real_fsync(fd);
}

int __wrap_unlinkat(int dirfd, const char *name, int flags)
{
    if (unlinkError != 0 && strcmp(name, ".rpm.inflight") == 0) {
        errno = unlinkError;
        return -1;
    }
    return __real_unlinkat(dirfd, name, flags);
}

/* So that what is made now was made before the system was started. */
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
    int rc = __real_clock_gettime(id, ts);

    if (bootTime && id == CLOCK_BOOTTIME)
        ts->tv_sec = -10;
    return rc;
}

static int setup(void **state)
{
    syncError = bootTime = unlinkError = 0;
    rpmPushMacro(NULL, "_flush_io", NULL, "1", RMIL_CMDLINE);
    rpmPushMacro(NULL, "_flush_io_method", NULL, "batch", RMIL_CMDLINE);
    if (instSetupDb(state))
        return -1;
    instDb = 1;
    return 0;
}

static int teardown(void **state)
{
    rpmPopMacro(NULL, "_flush_io");
    rpmPopMacro(NULL, "_flush_io_method");
    return instTeardownDb(state);
}

/* -- the text ---------------------------------------------------------------------------------- */

static void fill(struct noteText *note)
{
    struct noteErasure upgrade = { .nevra = "a-1-1.x86_64", .num = 7, .tid = 4, .by = 2 };
    struct noteErasure plain = { .nevra = "c d-1-1.noarch", .num = 2147483647, .begun = 1 };
    struct noteErasure other = { .nevra = "e-1-1.noarch", .num = 1, .tid = 4294967295u };

    *note = (struct noteText) { .tid = 4294967295u, .flags = 0x80000001 };
    noteTextAddPackage(note, "b-1:2-3.noarch");
    noteTextAddPackage(note, "a\\-2\n-1.x86_64");
    noteTextAddErasure(note, &upgrade);
    noteTextAddErasure(note, &plain);
    noteTextAddErasure(note, &other);
    noteTextAddDir(note, "/");
    noteTextAddDir(note, "/a b\n\t\\\x7f\xff\001/");
}

static void assertSame(const struct noteText *a, const struct noteText *b)
{
    assert_int_equal(a->tid, b->tid);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->nadded, b->nadded);
    for (int i = 0; i < a->nadded; i++)
        assert_string_equal(a->added[i], b->added[i]);
    assert_int_equal(a->nerased, b->nerased);
    for (int i = 0; i < a->nerased; i++) {
        assert_string_equal(a->erased[i].nevra, b->erased[i].nevra);
        assert_int_equal(a->erased[i].num, b->erased[i].num);
        assert_int_equal(a->erased[i].tid, b->erased[i].tid);
        assert_int_equal(a->erased[i].by, b->erased[i].by);
        assert_int_equal(a->erased[i].begun, b->erased[i].begun);
    }
    assert_int_equal(a->ndirs, b->ndirs);
    for (int i = 0; i < a->ndirs; i++)
        assert_string_equal(a->dirs[i], b->dirs[i]);
}

static void test_text_round_trip(void **state)
{
    struct noteText note, again;
    size_t length, begun;
    char *text;

    (void) state;
    fill(&note);
    text = noteTextWrite(&note, &length, &begun);
    assert_int_equal(strlen(text), length);
    assert_non_null(strstr(text, "\nadd a\\134-2\\012-1.x86_64\n"));
    assert_non_null(strstr(text, "\ndir /a\\040b\\012\\011\\134\\177\xff\\001/\n"));
    assert_string_equal(text + begun, "+.\n");
    assert_int_equal(noteTextRead(text, length, &again), NOTE_WHOLE);
    assertSame(&note, &again);
    noteTextFini(&again);
    text[begun + 1] = '+'; /* as rpmNoteErasing() does */
    assert_int_equal(noteTextRead(text, length, &again), NOTE_WHOLE);
    assert_int_equal(again.erased[2].begun, 1);
    noteTextFini(&again);
    noteTextFini(&note);
    free(text);
}

static void test_text_of_nothing(void **state)
{
    struct noteText note = { .tid = 1 }, again;
    size_t length, begun;
    char *text = noteTextWrite(&note, &length, &begun);

    (void) state;
    assert_int_equal(noteTextRead(text, length, &again), NOTE_WHOLE);
    assertSame(&note, &again);
    noteTextFini(&again);
    free(text);
}

/* Cut anywhere, or one bit of it changed. */
static void test_torn_text(void **state)
{
    struct noteText note, again;
    size_t length, begun;
    char *text, *copy;

    (void) state;
    fill(&note);
    text = noteTextWrite(&note, &length, &begun);
    copy = calloc(length + 1, 1);
    for (size_t n = 0; n < length; n++) {
        memcpy(copy, text, n);
        copy[n] = '\0';
        assert_int_equal(noteTextRead(copy, n, &again), NOTE_TORN);
        assert_int_equal(again.nadded + again.nerased + again.ndirs, 0);
    }
    for (size_t n = strlen("rpm transaction note 1\n"); n < length; n++) {
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, text, length + 1);
            copy[n] = (char) (copy[n] ^ (1 << bit));
            assert_int_equal(noteTextRead(copy, length, &again), NOTE_TORN);
        }
    }
    memset(copy, 0, length);
    assert_int_equal(noteTextRead(copy, length, &again), NOTE_TORN);
    free(copy);
    free(text);
    noteTextFini(&note);
}

static void test_alien_text(void **state)
{
    static const char *const texts[] = {
        "x", "rpm transaction note 2\ntid 1\n", "rpm transaction note 10\n", "\177ELF", "\n",
    };
    struct noteText note;

    (void) state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(noteTextRead(texts[i], strlen(texts[i]), &note), NOTE_ALIEN);
}

/* -- the file ---------------------------------------------------------------------------------- */

#define P1 "name p\nversion 1\nrelease 1\narch noarch\ndir /d\nfile /d/a content=one\n" \
           "file /d/sub\\sdir/b content=b\nfile /ghost/g flags=ghost\n"
#define NOTE "root/db/.rpm.inflight"

static char *seen;     /* the note, when the first package is opened to be unpacked */
static int seenLocked; /* another could not have its lock */
static int seenTemps;

static void look(const char *tree, rpmCallbackType what, rpm_loff_t amount, rpm_loff_t total)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd;

    (void) amount;
    (void) total;
    if (what != RPMCALLBACK_INST_START || seen != NULL)
        return;
    seen = exists(tree, NOTE) ? getFile(tree, NOTE) : strdup("none");
    seenTemps = treeCount(at(tree, "root"), ".rpmtmp-");
    fd = open(at(tree, NOTE), O_RDWR);
    seenLocked = fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) < 0 && errno == EAGAIN;
    if (fd >= 0)
        close(fd);
}

static int watch(const char *tree, const char *manifest)
{
    free(seen);
    seen = NULL;
    seenLocked = seenTemps = 0;
    instHook = look;
    return inst(tree, manifest, NULL);
}

static void test_life_of_a_note(void **state)
{
    const char *tree = *state;
    struct noteText note;

    assert_int_equal(watch(tree, P1), 0);
    assert_non_null(seen);
    assert_int_equal(noteTextRead(seen, strlen(seen), &note), NOTE_WHOLE);
    assert_int_equal(note.nadded, 1);
    assert_string_equal(note.added[0], "p-1-1.noarch");
    assert_int_equal(note.nerased, 0);
    assert_int_equal(note.ndirs, 3);
    assert_string_equal(note.dirs[0], "/");
    assert_string_equal(note.dirs[1], "/d/");
    assert_string_equal(note.dirs[2], "/d/sub dir/");
    noteTextFini(&note);
    assert_true(seenLocked);
    assert_int_equal(seenTemps, 0);
    assert_false(exists(tree, NOTE));
    assert_string_equal(instLog, "");
}

static void assertNoNote(const char *tree, int rc)
{
    assert_int_equal(watch(tree, P1), rc);
    assert_true(seen == NULL || strcmp(seen, "none") == 0);
    assert_false(exists(tree, NOTE));
}

static void test_no_note_without_batch(void **state)
{
    static const char *const values[] = { "0", "none", "fsync", "osync" };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        rpmPushMacro(NULL, "_flush_io", NULL, values[i], RMIL_CMDLINE);
        instIgnore = RPMPROB_FILTER_REPLACEPKG;
        assertNoNote(*state, 0);
        rpmPopMacro(NULL, "_flush_io");
    }
}

static void test_no_note_of_a_test_or_without_database(void **state)
{
    instFlags = RPMTRANS_FLAG_TEST;
    assertNoNote(*state, 0);
    instFlags = 0;
    instDb = 0;
    assertNoNote(*state, 0);
}

/* It cannot be written: nothing is begun, nothing is left. */
static void test_note_cannot_be_made_durable(void **state)
{
    const char *tree = *state;

    assert_int_equal(watch(tree, P1), 0);
    instIgnore = RPMPROB_FILTER_REPLACEPKG;
    syncError = EIO;
    assert_int_equal(watch(tree, P1), -1);
    assert_null(seen);
    assert_non_null(strstr(instLog, "/root/db/.rpm.inflight: cannot note the transaction: "
                                    "Input/output error\n"));
    assert_false(exists(tree, NOTE));
}

/* All is done, and the next command sees that: only the file has to go. */
static void test_note_cannot_be_removed(void **state)
{
    const char *tree = *state;

    unlinkError = EROFS;
    assert_int_equal(watch(tree, P1), 0);
    assert_non_null(strstr(instLog, "warning: "));
    assert_non_null(strstr(instLog, "/root/db/.rpm.inflight: cannot be removed, which is left to "
                                    "the next command: Read-only file system\n"));
    assert_true(exists(tree, NOTE));
    instIgnore = RPMPROB_FILTER_REPLACEPKG;
    assert_int_equal(watch(tree, P1), -1);
    assert_non_null(strstr(instLog, ": cannot remove it: Read-only file system\n"));
    assert_null(seen);
    unlinkError = 0;
    assert_int_equal(watch(tree, P1), 0);
    assert_string_equal(instLog, "");
    assert_false(exists(tree, NOTE));
}

static void test_the_name_is_taken(void **state)
{
    const char *tree = *state;

    assert_int_equal(watch(tree, P1), 0);
    instIgnore = RPMPROB_FILTER_REPLACEPKG;
    putDir(tree, NOTE);
    putDir(tree, NOTE ".rpmsave");
    putFile(tree, NOTE ".rpmsave/x", "");
    assert_int_equal(watch(tree, P1), -1);
    assert_null(seen);
    assert_non_null(strstr(instLog, "not a note of this rpm, and cannot be moved away"));
    assert_non_null(strstr(instLog, "cannot note the transaction: File exists\n"));
}

/* Names of dead transactions go, where this one makes some; of others, who knows. */
static void test_leftovers_of_the_dead(void **state)
{
    const char *tree = *state;

    putDir(tree, "root/d");
    putDir(tree, "root/e");
    putFile(tree, "root/d/.rpmtmp-00000001-00000001", "left");
    putFile(tree, "root/d/.rpmtmp-00000001-0000000x", "no such name");
    putDir(tree, "root/d/.rpmtmp-00000001-00000002");
    putDir(tree, "root/d/.rpmtmp-00000001-00000002/sub");
    putFile(tree, "root/d/.rpmtmp-00000001-00000002/sub/.rpmtmp-00000001-00000003", "");
    putLink(tree, "root/d/.rpmtmp-00000001-00000004", "/root/e");
    putFile(tree, "root/e/.rpmtmp-00000001-00000005", "not touched");
    assert_int_equal(watch(tree, P1), 0);
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp-"), 6);
    instIgnore = RPMPROB_FILTER_REPLACEPKG;
    bootTime = 1;
    assert_int_equal(watch(tree, P1), 0);
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp-"), 2);
    assert_true(exists(tree, "root/d/.rpmtmp-00000001-0000000x"));
    assert_true(exists(tree, "root/e/.rpmtmp-00000001-00000005"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_round_trip),
        cmocka_unit_test(test_text_of_nothing),
        cmocka_unit_test(test_torn_text),
        cmocka_unit_test(test_alien_text),
        cmocka_unit_test_setup_teardown(test_life_of_a_note, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_note_without_batch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_note_of_a_test_or_without_database, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_note_cannot_be_made_durable, setup, teardown),
        cmocka_unit_test_setup_teardown(test_note_cannot_be_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_name_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(test_leftovers_of_the_dead, setup, teardown),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);

    free(seen);
    return rc;
}
