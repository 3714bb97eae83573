/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the install machine puts on the disk, and what it refuses to. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fs.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fsm.h"
#include "testinst.h"

#define ALL \
    "dir /d mode=0750 mtime=1000\n" \
    "file /d/plain content=hello mode=0640 mtime=1234567890\n" \
    "file /d/suid content=x mode=06755\n" \
    "file /d/empty content= mode=0400\n" \
    "file /d/caps content=x mode=0755 caps=cap_net_raw=ep\n" \
    "symlink /d/link /nowhere\n" \
    "fifo /d/fifo mode=0622\n" \
    "socket /d/socket mode=0600\n" \
    "char /d/null 1 3 mode=0666\n" \
    "block /d/loop 7 0 mode=0660\n" \
    "dir /d/empty.d mode=01777 mtime=5000\n"

static int effectiveUser;

uid_t __wrap_geteuid(void);

uid_t __wrap_geteuid(void)
{
    return (uid_t) effectiveUser;
}

static int setup(void **state)
{
    effectiveUser = (int) getuid();
    return instSetup(state);
}

static struct stat statOf(const char *tree, const char *name)
{
    struct stat sb;

    assert_int_equal(lstat(at(tree, name), &sb), 0);
    return sb;
}

static void assertMode(const char *tree, const char *name, mode_t mode)
{
    assert_int_equal(statOf(tree, name).st_mode, mode);
}

static void needRoot(void)
{
    if (getuid() != 0)
        skip();
}

static void test_every_type(void **state)
{
    const char *tree = *state;
    struct stat sb;
    char target[64] = "";
    cap_t caps;
    char *text;

    needRoot();
    assert_int_equal(inst(tree, ALL, NULL), 0);
    assert_string_equal(instLog, "");
    assertMode(tree, "root/d", S_IFDIR | 0750);
    assertMode(tree, "root/d/plain", S_IFREG | 0640);
    assert_int_equal(statOf(tree, "root/d/plain").st_mtime, 1234567890);
    assertContent(tree, "root/d/plain", "hello");
    assertMode(tree, "root/d/suid", S_IFREG | 06755);
    assertMode(tree, "root/d/empty", S_IFREG | 0400);
    assertMode(tree, "root/d/fifo", S_IFIFO | 0622);
    assertMode(tree, "root/d/socket", S_IFSOCK | 0600);
    sb = statOf(tree, "root/d/null");
    assert_int_equal(sb.st_mode, S_IFCHR | 0666);
    assert_int_equal(sb.st_rdev, makedev(1, 3));
    sb = statOf(tree, "root/d/loop");
    assert_int_equal(sb.st_mode, S_IFBLK | 0660);
    assert_int_equal(sb.st_rdev, makedev(7, 0));
    assert_true(readlink(at(tree, "root/d/link"), target, sizeof(target) - 1) > 0);
    assert_string_equal(target, "/nowhere");
    assertMode(tree, "root/d/empty.d", S_IFDIR | 01777);
    assert_int_equal(statOf(tree, "root/d/empty.d").st_mtime, 5000);
    caps = cap_get_file(at(tree, "root/d/caps"));
    assert_non_null(caps);
    text = cap_to_text(caps, NULL);
    assert_string_equal(text, "cap_net_raw=ep");
    cap_free(text);
    cap_free(caps);
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp"), 0);
}

static void test_no_capabilities_on_request(void **state)
{
    const char *tree = *state;

    needRoot();
    instFlags = RPMTRANS_FLAG_NOCAPS;
    assert_int_equal(inst(tree, "file /f content=x caps=cap_net_raw=ep\n", NULL), 0);
    assert_null(cap_get_file(at(tree, "root/f")));
}

static void test_implicit_directories(void **state)
{
    const char *tree = *state;

    assert_int_equal(inst(tree, "file /a/b/c content=x\n", NULL), 0);
    assertMode(tree, "root/a", S_IFDIR | 0755);
    assertMode(tree, "root/a/b", S_IFDIR | 0755);
}

static void test_owners_of_the_root(void **state)
{
    const char *tree = *state;
    struct stat sb;

    needRoot();
    putDir(tree, "root/etc");
    putFile(tree, "root/etc/passwd", "app:x:1001:1::/:\n");
    putFile(tree, "root/etc/group", "grp:x:2002:\n");
    assert_int_equal(inst(tree,
                          "file /known content=x mode=06755 user=app group=grp\n"
                          "symlink /link t user=app group=grp\n"
                          "file /unknown content=x mode=06755 user=who group=what\n"
                          "file /unknown2 content=x mode=0644 user=who group=root\n", NULL), 0);
    sb = statOf(tree, "root/known");
    assert_int_equal(sb.st_uid, 1001);
    assert_int_equal(sb.st_gid, 2002);
    assert_int_equal(sb.st_mode, S_IFREG | 06755);
    assert_int_equal(statOf(tree, "root/link").st_uid, 1001);
    sb = statOf(tree, "root/unknown");
    assert_int_equal(sb.st_uid, 0);
    assert_int_equal(sb.st_gid, 0);
    assert_int_equal(sb.st_mode, S_IFREG | 0755);
    assert_string_equal(instLog, "warning: user who does not exist - using root\n"
                                 "warning: group what does not exist - using root\n");
}

/* A directory that sets the group of what is made in it, other directories too; and one that does
 * not. */
static void test_owners_in_new_directories(void **state)
{
    static const char *const files[] = { "root/z-s/n/f", "root/z-s/first", "root/z/last",
                                         "root/z/f" };
    const char *tree = *state;

    needRoot();
    putDir(tree, "root/z-s");
    assert_int_equal(chown(at(tree, "root/z-s"), 0, 3003), 0);
    assert_int_equal(chmod(at(tree, "root/z-s"), 02755), 0);
    putDir(tree, "root/etc");
    putFile(tree, "root/etc/passwd", "app:x:1001:1::/:\n");
    assert_int_equal(inst(tree,
                          "dir /z\ndir /z-s/n\nfile /z-s/n/f content=x\n"
                          "file /z-s/first link=s content=x\nfile /z/last link=s content=x\n"
                          "file /z/f content=x\nfile /z/app content=x user=app\n", NULL), 0);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        assert_int_equal(statOf(tree, files[i]).st_uid, 0);
        assert_int_equal(statOf(tree, files[i]).st_gid, 0);
    }
    assert_int_equal(statOf(tree, "root/z/last").st_nlink, 2);
    assert_int_equal(statOf(tree, "root/z/app").st_uid, 1001);
}

static void test_hard_links(void **state)
{
    const char *tree = *state;
    struct stat a, b;

    assert_int_equal(inst(tree,
                          "dir /x\ndir /y\n"
                          "file /x/one link=s content=body mode=0644\n"
                          "file /x/two link=s content=body mode=0644\n"
                          "file /y/three link=s content=body mode=0644\n"
                          "file /y/alone content=other\n", NULL), 0);
    a = statOf(tree, "root/x/one");
    b = statOf(tree, "root/y/three");
    assert_int_equal(a.st_ino, b.st_ino);
    assert_int_equal(a.st_nlink, 3);
    assert_int_equal(a.st_mode, S_IFREG | 0644);
    assertContent(tree, "root/x/two", "body");
    assertContent(tree, "root/y/alone", "other");
}

static void test_interleaved_hard_links(void **state)
{
    const char *tree = *state;

    assert_int_equal(inst(tree,
                          "interleaved\n"
                          "file /a link=s content=first\n"
                          "file /b link=t content=second\n"
                          "file /c link=s content=first\n"
                          "file /d link=t content=second\n", NULL), 0);
    assertContent(tree, "root/a", "first");
    assertContent(tree, "root/c", "first");
    assertContent(tree, "root/b", "second");
    assert_int_equal(statOf(tree, "root/b").st_ino, statOf(tree, "root/d").st_ino);
}

static void test_partly_skipped_hard_links(void **state)
{
    static const char *const manifests[] = {
        "file /a link=s content=body flags=doc\nfile /b link=s content=body\n"
        "file /c link=s content=body\n",
        "file /a link=s content=body\nfile /b link=s content=body flags=doc\n"
        "file /c link=s content=body\n",
        "file /a link=s content=body\nfile /b link=s content=body\n"
        "file /c link=s content=body flags=doc\n",
    };
    const char *tree = *state;

    instFlags = RPMTRANS_FLAG_NODOCS;
    for (int i = 0; i < 3; i++) {
        char kept[] = "root/?", left[] = "root/?";
        assert_int_equal(inst(tree, manifests[i], NULL), 0);
        kept[5] = (char) ('a' + (i + 1) % 3);
        left[5] = (char) ('a' + i);
        assertContent(tree, kept, "body");
        assert_int_equal(statOf(tree, kept).st_nlink, 2);
        assert_false(exists(tree, left));
        for (const char *n = "abc"; *n != '\0'; n++) {
            kept[5] = *n;
            unlink(at(tree, kept));
        }
    }
}

static void test_ghosts_are_not_created(void **state)
{
    const char *tree = *state;

    putFile(tree, "root/there", "old");
    assert_int_equal(inst(tree, "file /ghost content=x flags=ghost\n"
                                "file /there content=x flags=ghost\n", NULL), 0);
    assert_false(exists(tree, "root/ghost"));
    assertContent(tree, "root/there", "old");
}

static void test_old_files_are_replaced_and_lose_their_privileges(void **state)
{
    const char *tree = *state;
    cap_t caps;

    needRoot();
    putFile(tree, "root/prog", "old");
    assert_int_equal(chmod(at(tree, "root/prog"), 04755), 0);
    assert_int_equal(link(at(tree, "root/prog"), at(tree, "root/kept")), 0);
    putFile(tree, "root/capable", "old");
    assert_int_equal(chmod(at(tree, "root/capable"), 0755), 0);
    caps = cap_from_text("cap_net_raw=ep");
    assert_int_equal(cap_set_file(at(tree, "root/capable"), caps), 0);
    cap_free(caps);
    assert_int_equal(link(at(tree, "root/capable"), at(tree, "root/kept2")), 0);
    putLink(tree, "root/l", "old");
    assert_int_equal(inst(tree, "file /prog content=new mode=04755\nsymlink /l new\n"
                                "file /capable content=new\n", NULL), 0);
    assert_null(cap_get_file(at(tree, "root/kept2")));
    assertContent(tree, "root/prog", "new");
    assertMode(tree, "root/prog", S_IFREG | 04755);
    assertContent(tree, "root/kept", "old");
    assertMode(tree, "root/kept", S_IFREG | 0755);
}

static void test_directory_in_the_way_of_a_file(void **state)
{
    const char *tree = *state;
    char *before, *after;

    putFile(tree, "root/a", "old");
    putDir(tree, "root/b");
    putFile(tree, "root/b/in", "old");
    before = treeList(at(tree, "root"));
    assert_int_equal(inst(tree, "name p\nfile /a content=new\nfile /b content=new\n"
                                "file /c/new content=new\n", NULL), -1);
    after = treeList(at(tree, "root"));
    assert_string_equal(before, after);
    assert_non_null(strstr(instLog, "unpacking of archive failed on file /b: cpio: File from "
                                    "package already exists as a directory in system\n"));
    assert_non_null(strstr(instLog, "error: p-"));
    free(before);
    free(after);
}

static void test_file_or_symlink_in_the_way_of_a_directory(void **state)
{
    const char *tree = *state;

    putFile(tree, "root/a", "old");
    putLink(tree, "root/b", "dangling");
    assert_int_equal(inst(tree,
                          "dir /a mode=0711\nfile /a/f content=in\nfile /a/sub/g content=in\n"
                          "dir /b\nfile /b/f content=in\n", NULL), 0);
    assertMode(tree, "root/a", S_IFDIR | 0711);
    assertContent(tree, "root/a/f", "in");
    assertContent(tree, "root/a/sub/g", "in");
    assertMode(tree, "root/b", S_IFDIR | 0755);
    assertContent(tree, "root/b/f", "in");
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp"), 0);
}

static void test_failure_with_a_file_in_the_way_of_a_directory(void **state)
{
    const char *tree = *state;
    char *before, *after;

    putFile(tree, "root/a", "old");
    putDir(tree, "root/z");
    before = treeList(at(tree, "root"));
    assert_int_equal(inst(tree, "dir /a\nfile /a/f content=in\nfile /a/sub/g content=in\n"
                                "file /z content=no\n",
                          "name q\nfile /a/other content=in\n", NULL), -1);
    assert_non_null(strstr(instLog, "on file /a/other: cpio: open failed - Not a directory\n"));
    after = treeList(at(tree, "root"));
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void test_file_in_the_way_of_a_parent(void **state)
{
    const char *tree = *state;
    char *before, *after;

    putFile(tree, "root/a", "old");
    before = treeList(at(tree, "root"));
    assert_int_equal(inst(tree, "file /a/b/c content=x\n", NULL), -1);
    after = treeList(at(tree, "root"));
    assert_string_equal(before, after);
    assert_non_null(strstr(instLog, "on file /a/b/c: cpio: open failed - Not a directory\n"));
    free(before);
    free(after);
}

static int setImmutable(const char *tree, const char *name, int on)
{
    int fd = open(at(tree, name), O_RDONLY);
    int flags = 0;
    int rc = ioctl(fd, FS_IOC_GETFLAGS, &flags);

    if (rc == 0) {
        flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
        rc = ioctl(fd, FS_IOC_SETFLAGS, &flags);
    }
    close(fd);
    return rc;
}

static void test_immutable_file_in_the_way(void **state)
{
    const char *tree = *state;
    char *before, *after;
    int rc;

    putFile(tree, "root/a", "old");
    putFile(tree, "root/b", "old");
    if (setImmutable(tree, "root/b", 1))
        skip();
    before = treeList(at(tree, "root"));
    rc = inst(tree, "file /a content=new\nfile /b content=new\n", NULL);
    after = treeList(at(tree, "root"));
    assert_int_equal(setImmutable(tree, "root/b", 0), 0);
    assert_int_equal(rc, -1);
    assert_string_equal(before, after);
    assert_non_null(strstr(instLog, "/b: cpio: rename failed - Operation not permitted: "
                                    "immutable or append-only\n"));
    free(before);
    free(after);
}

/* As containers have it: a file of the host's over one of the image's. */
static void test_mounted_file_in_the_way(void **state)
{
    const char *tree = *state;
    char *before, *after;
    int rc;

    putFile(tree, "root/a", "old");
    putFile(tree, "root/b", "old");
    putFile(tree, "host", "host");
    if (mount(at(tree, "host"), at(tree, "root/b"), NULL, MS_BIND, NULL))
        skip();
    before = treeList(at(tree, "root"));
    rc = inst(tree, "file /a content=new\nfile /b content=new\n", NULL);
    after = treeList(at(tree, "root"));
    assert_int_equal(umount(at(tree, "root/b")), 0);
    assert_int_equal(rc, -1);
    assert_string_equal(before, after);
    assert_non_null(strstr(instLog, "/b: cpio: rename failed - Device or resource busy: "
                                    "something is mounted on it\n"));
    free(before);
    free(after);
}

static void test_directory_that_cannot_be_changed(void **state)
{
    const char *tree = *state;
    char *before, *after;
    int rc;

    putFile(tree, "root/a", "old");
    putDir(tree, "root/d");
    if (mount("none", at(tree, "root/d"), "tmpfs", MS_RDONLY, "mode=1777"))
        skip();
    before = treeList(at(tree, "root"));
    rc = inst(tree, "file /a content=new\ndir /d mode=755\n", NULL);
    after = treeList(at(tree, "root"));
    assert_int_equal(rc, -1);
    assert_string_equal(before, after);
    assert_non_null(strstr(instLog, "/d: cpio: chmod failed - Read-only file system\n"));
    rc = inst(tree, "file /a content=new\ndir /d mode=1777\n", NULL);
    assert_int_equal(umount(at(tree, "root/d")), 0);
    assert_int_equal(rc, 0);
    free(before);
    free(after);
}

static void test_directory_symlinks_are_kept(void **state)
{
    const char *tree = *state;

    putDir(tree, "root/usr");
    putDir(tree, "root/usr/lib");
    putLink(tree, "root/lib", "usr/lib");
    assert_int_equal(inst(tree, "dir /lib mode=0700\nfile /lib/f content=x\n", NULL), 0);
    assertMode(tree, "root/lib", S_IFLNK | 0777);
    assertMode(tree, "root/usr/lib", S_IFDIR | 0700);
    assertContent(tree, "root/usr/lib/f", "x");
}

static void test_own_symlink_that_would_move_a_directory(void **state)
{
    const char *tree = *state;
    char *before, *after;

    putDir(tree, "root/old");
    putDir(tree, "root/new");
    putLink(tree, "root/way", "old");
    before = treeList(at(tree, "root"));
    assert_int_equal(inst(tree, "file /a content=x\nsymlink /way new\nfile /way/f content=x\n",
                          NULL), -1);
    after = treeList(at(tree, "root"));
    assert_string_equal(before, after);
    assert_non_null(strstr(instLog, "on file /way: cpio: Invalid symlink"));
    free(before);
    free(after);
}

static void test_own_symlink_that_stays(void **state)
{
    const char *tree = *state;

    putDir(tree, "root/old");
    putLink(tree, "root/way", "old");
    assert_int_equal(inst(tree, "symlink /way old\nfile /way/f content=x\n", NULL), 0);
    assertContent(tree, "root/old/f", "x");
}

static void test_bad_digest_leaves_nothing(void **state)
{
    const char *tree = *state;

    assert_int_equal(inst(tree, "name p\nfile /a/b content=x\nfile /a/c content=y "
                                "sum=0123456789012345678901234567890123456789012345678901234567890123"
                                "\n", NULL), -1);
    assert_non_null(strstr(instLog, "/a/c: cpio: Digest mismatch"));
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
    instFlags = RPMTRANS_FLAG_NOFILEDIGEST;
    assert_int_equal(instBuilt(tree, 1), 0);
    assertContent(tree, "root/a/c", "y");
}

static void test_reserved_names_are_refused(void **state)
{
    const char *tree = *state;

    assert_int_equal(inst(tree, "name p\nfile /d/.rpmtmp-0123abcd-00000001 content=x\n", NULL),
                     1002);
    assert_non_null(strstr(instLog, "the name .rpmtmp-0123abcd-00000001 is reserved"));
    assert_int_equal(inst(tree, "file /.rpmtmp-0123abcd-00000001/f content=x\n", NULL), 1002);
    assert_int_equal(inst(tree, "file /.rpmtmp-0123abcd-1 content=x\n", NULL), 0);
}

static void test_form_of_temporary_names(void **state)
{
    (void) state;
    assert_true(fsmIsTemp(".rpmtmp-0123abcd-ffffffff"));
    assert_false(fsmIsTemp(".rpmtmp-0123abcd-fffffff"));
    assert_false(fsmIsTemp(".rpmtmp-0123abcd-fffffffff"));
    assert_false(fsmIsTemp(".rpmtmp-0123abcg-ffffffff"));
    assert_false(fsmIsTemp("rpmtmp-0123abcd-ffffffff"));
    assert_false(fsmIsTemp(""));
}

static void test_ordinary_user(void **state)
{
    const char *tree = *state;

    effectiveUser = 1000;
    assert_int_equal(inst(tree, "file /f content=x mode=0755 user=who caps=cap_net_raw=ep\n"
                                "char /null 1 3 mode=0666\nfifo /fifo mode=0600\n",
                          "name q\nfile /g content=x\n", NULL), 0);
    assertMode(tree, "root/f", S_IFREG | 0755);
    assert_null(cap_get_file(at(tree, "root/f")));
    assert_false(exists(tree, "root/null"));
    assertMode(tree, "root/fifo", S_IFIFO | 0600);
    assert_string_equal(instLog, "not root: owners and capabilities of files are not set, "
                                 "devices are left out\n");
}

static void test_unwritable_directory_of_an_ordinary_user(void **state)
{
    const char *tree = *state;

    effectiveUser = 1000;
    assert_int_equal(inst(tree, "dir /d mode=0555\nfile /d/f content=x\n", NULL), 0);
    assertMode(tree, "root/d", S_IFDIR | 0555);
    assertContent(tree, "root/d/f", "x");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, instTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_type),
        TEST(test_no_capabilities_on_request),
        TEST(test_implicit_directories),
        TEST(test_owners_of_the_root),
        TEST(test_owners_in_new_directories),
        TEST(test_hard_links),
        TEST(test_interleaved_hard_links),
        TEST(test_partly_skipped_hard_links),
        TEST(test_ghosts_are_not_created),
        TEST(test_old_files_are_replaced_and_lose_their_privileges),
        TEST(test_directory_in_the_way_of_a_file),
        TEST(test_file_or_symlink_in_the_way_of_a_directory),
        TEST(test_failure_with_a_file_in_the_way_of_a_directory),
        TEST(test_file_in_the_way_of_a_parent),
        TEST(test_immutable_file_in_the_way),
        TEST(test_mounted_file_in_the_way),
        TEST(test_directory_that_cannot_be_changed),
        TEST(test_directory_symlinks_are_kept),
        TEST(test_own_symlink_that_would_move_a_directory),
        TEST(test_own_symlink_that_stays),
        TEST(test_bad_digest_leaves_nothing),
        TEST(test_reserved_names_are_refused),
        TEST(test_form_of_temporary_names),
        TEST(test_ordinary_user),
        TEST(test_unwritable_directory_of_an_ordinary_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
