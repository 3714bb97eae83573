/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of each file, as it shows in the tree, and whether there is room for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <rpm/rpmmacro.h>

#include "testinst.h"

/* What every filesystem claims to have free; -1: the truth. */
static long blocksFree = -1, inodesFree = -1;
static int readOnly;

int __real_fstatvfs(int fd, struct statvfs *sv);
int __wrap_fstatvfs(int fd, struct statvfs *sv);
int __wrap_fstatvfs64(int fd, struct statvfs *sv);

int __wrap_fstatvfs(int fd, struct statvfs *sv)
{
    int rc = __real_fstatvfs(fd, sv);

    sv->f_frsize = sv->f_bsize = 4096;
    sv->f_flag = readOnly ? ST_RDONLY : 0;
    if (blocksFree >= 0)
        sv->f_bavail = (fsblkcnt_t) blocksFree;
    if (inodesFree >= 0) {
        sv->f_files = 1000;
        sv->f_ffree = (fsfilcnt_t) inodesFree;
    }
    return rc;
}

int __wrap_fstatvfs64(int fd, struct statvfs *sv)
{
    return __wrap_fstatvfs(fd, sv);
}

static int setup(void **state)
{
    blocksFree = inodesFree = -1;
    readOnly = 0;
    return instSetup(state);
}

static void test_config_is_backed_up(void **state)
{
    const char *tree = *state;
    struct stat before, after;

    putDir(tree, "root/etc");
    putFile(tree, "root/etc/c", "mine");
    putFile(tree, "root/etc/c.rpmorig", "older");
    assert_int_equal(stat(at(tree, "root/etc/c"), &before), 0);
    assert_int_equal(inst(tree, "file /etc/c content=new flags=config\n", NULL), 0);
    assertContent(tree, "root/etc/c", "new");
    assertContent(tree, "root/etc/c.rpmorig", "mine");
    assert_int_equal(stat(at(tree, "root/etc/c.rpmorig"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(after.st_nlink, 1);
    assert_string_equal(instLog, "warning: /etc/c saved as /etc/c.rpmorig\n");
    assert_int_equal(treeCount(at(tree, "root"), ".rpmtmp"), 0);
}

static void test_backup_that_is_the_file_itself(void **state)
{
    const char *tree = *state;

    putFile(tree, "root/c", "mine");
    assert_int_equal(link(at(tree, "root/c"), at(tree, "root/c.rpmorig")), 0);
    assert_int_equal(inst(tree, "file /c content=new flags=config\n", NULL), 0);
    assertContent(tree, "root/c", "new");
    assertContent(tree, "root/c.rpmorig", "mine");
    assert_int_equal(treeCount(at(tree, "root"), ""), 2);
}

static void test_noreplace_config_stays(void **state)
{
    const char *tree = *state;

    putFile(tree, "root/c", "mine");
    assert_int_equal(inst(tree, "file /c content=new flags=config,noreplace\n", NULL), 0);
    assertContent(tree, "root/c", "mine");
    assertContent(tree, "root/c.rpmnew", "new");
    assert_string_equal(instLog, "warning: /c created as /c.rpmnew\n");
}

static void test_identical_config_needs_neither(void **state)
{
    const char *tree = *state;

    putFile(tree, "root/c", "same");
    putFile(tree, "root/n", "same");
    putLink(tree, "root/l", "same");
    assert_int_equal(inst(tree, "file /c content=same flags=config mtime=77\n"
                                "file /n content=same flags=config,noreplace\n"
                                "symlink /l same flags=config\n", NULL), 0);
    assert_string_equal(instLog, "");
    assert_int_equal(treeCount(at(tree, "root"), ""), 3);
}

static void test_config_of_other_type_or_size(void **state)
{
    const char *tree = *state;

    putLink(tree, "root/c", "somewhere");
    putLink(tree, "root/l", "old");
    putFile(tree, "root/s", "longer");
    assert_int_equal(mkfifo(at(tree, "root/f"), 0600), 0);
    assert_int_equal(inst(tree, "file /c content=new flags=config\n"
                                "symlink /l new flags=config\n"
                                "file /s content=short flags=config\n"
                                "file /f content= flags=config\n", NULL), 0);
    assert_true(exists(tree, "root/f.rpmorig"));
    assertContent(tree, "root/c", "new");
    assert_true(exists(tree, "root/c.rpmorig"));
    assert_true(exists(tree, "root/l.rpmorig"));
    assertContent(tree, "root/s.rpmorig", "longer");
}

static void test_backup_name_is_a_directory(void **state)
{
    const char *tree = *state;
    char *before, *after;

    putFile(tree, "root/c", "mine");
    putDir(tree, "root/c.rpmorig");
    before = treeList(at(tree, "root"));
    assert_int_equal(inst(tree, "file /a content=x\nfile /c content=new flags=config\n", NULL),
                     -1);
    after = treeList(at(tree, "root"));
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void test_directory_in_the_place_of_a_config_file(void **state)
{
    const char *tree = *state;
    char *before, *after;

    putDir(tree, "root/c");
    putFile(tree, "root/c/in", "mine");
    putFile(tree, "root/c.rpmorig", "older");
    before = treeList(at(tree, "root"));
    assert_int_equal(inst(tree, "file /a content=x\nfile /c content=new flags=config\n", NULL),
                     -1);
    after = treeList(at(tree, "root"));
    assert_string_equal(before, after);
    free(before);
    free(after);

    assert_int_equal(unlink(at(tree, "root/c.rpmorig")), 0);
    assert_int_equal(instBuilt(tree, 1), 0);
    assertContent(tree, "root/c", "new");
    assertContent(tree, "root/c.rpmorig/in", "mine");
}

static void test_excluded_documents(void **state)
{
    const char *tree = *state;

    instFlags = RPMTRANS_FLAG_NODOCS;
    assert_int_equal(inst(tree,
                          "dir /doc\ndir /doc/sub\nfile /doc/sub/a content=x flags=doc\n"
                          "file /doc/l content=x flags=doc,license\nfile /b content=x\n"
                          "dir /empty\ndir /full\nfile /full/d content=x flags=doc\n", NULL), 0);
    assert_false(exists(tree, "root/doc/sub"));
    assert_false(exists(tree, "root/full"));
    assert_true(exists(tree, "root/doc/l"));
    assert_true(exists(tree, "root/empty"));
    assert_true(exists(tree, "root/b"));
}

static void test_excluded_by_flag(void **state)
{
    const char *tree = *state;

    instFlags = RPMTRANS_FLAG_NOCONFIGS | RPMTRANS_FLAG_NOARTIFACTS;
    assert_int_equal(inst(tree, "file /c content=x flags=config\nfile /a content=x "
                                "flags=artifact\nfile /f content=x\n", NULL), 0);
    assert_int_equal(treeCount(at(tree, "root"), ""), 1);
}

static void test_excluded_by_macro(void **state)
{
    const char *tree = *state;

    rpmPushMacro(NULL, "_install_langs", NULL, "de:en_US", RMIL_CMDLINE);
    rpmPushMacro(NULL, "_netsharedpath", NULL, "/net:/shared/file", RMIL_CMDLINE);
    rpmPushMacro(NULL, "_excludedocs", NULL, "1", RMIL_CMDLINE);
    assert_int_equal(inst(tree,
                          "file /de content=x lang=de\nfile /en content=x lang=en\n"
                          "file /fr content=x lang=fr\nfile /any content=x\n"
                          "file /net/f content=x flags=license\nfile /network content=x\n"
                          "file /shared/file content=x\nfile /shared/files content=x\n"
                          "file /doc content=x flags=doc\n", NULL), 0);
    rpmPopMacro(NULL, "_install_langs");
    rpmPopMacro(NULL, "_netsharedpath");
    rpmPopMacro(NULL, "_excludedocs");
    assert_true(exists(tree, "root/de"));
    assert_true(exists(tree, "root/en"));
    assert_false(exists(tree, "root/fr"));
    assert_true(exists(tree, "root/any"));
    assert_false(exists(tree, "root/net"));
    assert_true(exists(tree, "root/network"));
    assert_false(exists(tree, "root/shared/file"));
    assert_true(exists(tree, "root/shared/files"));
    assert_false(exists(tree, "root/doc"));
}

static void test_all_langs(void **state)
{
    const char *tree = *state;

    rpmPushMacro(NULL, "_install_langs", NULL, "all", RMIL_CMDLINE);
    assert_int_equal(inst(tree, "file /fr content=x lang=fr\n", NULL), 0);
    rpmPopMacro(NULL, "_install_langs");
    assert_true(exists(tree, "root/fr"));
}

static void test_conflict_between_packages(void **state)
{
    const char *tree = *state;

    assert_int_equal(inst(tree, "name p\nversion 1\nrelease 1\narch noarch\nfile /a content=one\n",
                          "name q\nversion 2\nrelease 2\narch noarch\nfile /a content=two\n",
                          NULL), 2);
    assert_string_equal(instProblems, "\tfile /a conflicts between attempted installs of "
                                      "q-2-2.noarch and p-1-1.noarch\n");
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
    instIgnore = RPMPROB_FILTER_REPLACENEWFILES;
    assert_int_equal(instBuilt(tree, 2), 0);
    assertContent(tree, "root/a", "two");
}

static void test_conflict_by_way_of_a_symlink(void **state)
{
    const char *tree = *state;

    putDir(tree, "root/usr");
    putDir(tree, "root/usr/bin");
    putLink(tree, "root/bin", "usr/bin");
    assert_int_equal(inst(tree, "name p\nfile /bin/x content=one\n",
                          "name q\nfile /usr/bin/x content=two\n", NULL), 2);
    assert_non_null(strstr(instProblems, "file /usr/bin/x conflicts between attempted installs"));
    /* In one package, too. */
    assert_int_equal(inst(tree, "file /bin/x content=one\nfile /usr/bin/x content=two\n", NULL),
                     1);
    assert_int_equal(treeCount(at(tree, "root/usr/bin"), ""), 0);
    assert_int_equal(inst(tree, "file /bin/x content=one\nfile /usr/bin/x content=one\n", NULL),
                     0);
    assertContent(tree, "root/usr/bin/x", "one");
}

static int started;

static void removeShared(const char *tree, rpmCallbackType what, rpm_loff_t amount,
                         rpm_loff_t total)
{
    (void) amount;
    (void) total;
    if (what == RPMCALLBACK_INST_START && ++started == 3)
        assert_int_equal(unlink(at(tree, "root/d/a")), 0);
}

static void test_shared_files_are_no_conflict(void **state)
{
    const char *tree = *state;

    assert_int_equal(inst(tree, "name p\ndir /d\nfile /d/a content=one\nsymlink /d/l x\n",
                          "name q\ndir /d\nfile /d/a content=one\nsymlink /d/l x\n",
                          "name r\ndir /d\nfile /d/a content=one\nsymlink /d/l x\n", NULL), 0);
    assertContent(tree, "root/d/a", "one");

    /* Only the first package brings it. */
    started = 0;
    instHook = removeShared;
    assert_int_equal(instBuilt(tree, 3), 0);
    assert_int_equal(started, 3);
    assert_false(exists(tree, "root/d/a"));
}

static void test_kinds_of_conflicts(void **state)
{
    static const char *const others[] = {
        "file /a content=one mode=0755\n", "symlink /a one\n", "file /a content=one user=bin\n",
        "file /a content=one group=bin\n", "file /a content=onetwo\n", "dir /a\n",
    };
    const char *tree = *state;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_int_equal(inst(tree, "name p\nfile /a content=one mode=0644\n", others[i], NULL), 2);
    assert_int_equal(inst(tree, "symlink /l one\n", "name q\nsymlink /l two\n", NULL), 2);
    assert_int_equal(inst(tree, "char /c 1 3\n", "name q\nchar /c 1 4\n", NULL), 2);
    assert_int_equal(inst(tree, "file /g content=x flags=ghost\n", "name q\nfile /g content=y\n",
                          NULL), 0);
    assertContent(tree, "root/g", "y");
}

static void test_disk_space(void **state)
{
    const char *tree = *state;

    blocksFree = 100;
    assert_int_equal(inst(tree, "name p\nversion 1\nrelease 1\narch noarch\n"
                                "file /a size=409600 fill=zero\n", NULL), 1);
    assert_string_equal(instProblems, "\tinstalling package p-1-1.noarch needs 20KB more space on "
                                      "the / filesystem\n");
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
    instIgnore = RPMPROB_FILTER_DISKSPACE;
    assert_int_equal(instBuilt(tree, 1), 0);
    instIgnore = 0;
    blocksFree = 105;
    assert_int_equal(instBuilt(tree, 1), 0);
}

static void test_hard_links_and_skipped_files_take_no_space(void **state)
{
    const char *tree = *state;

    blocksFree = 105;
    instFlags = RPMTRANS_FLAG_NODOCS;
    assert_int_equal(inst(tree, "file /a link=s size=409600 fill=zero\n"
                                "file /b link=s size=409600 fill=zero\n"
                                "file /c size=409600 fill=zero flags=doc\n", NULL), 0);
    assert_int_equal(inst(tree, "file /e size=204800 fill=zero\n",
                          "name q\nfile /f size=208896 fill=zero\n", NULL), 2);
}

static void test_filesystems_are_named_by_their_mount_points(void **state)
{
    const char *tree = *state;
    int rc;

    putDir(tree, "root/a");
    putDir(tree, "root/a/mnt");
    if (mount("none", at(tree, "root/a/mnt"), "tmpfs", 0, "size=1m"))
        skip();
    blocksFree = 0;
    rc = inst(tree, "name p\nversion 1\nrelease 1\narch noarch\n"
                    "file /a/mnt/new/f content=x\nfile /a/g size=4097 fill=zero\n", NULL);
    umount(at(tree, "root/a/mnt"));
    assert_int_equal(rc, 1);
    assert_non_null(strstr(instProblems, "\tinstalling package p-1-1.noarch needs 4KB more space "
                                         "on the /a/mnt filesystem\n"));
    assert_non_null(strstr(instProblems, "\tinstalling package p-1-1.noarch needs 8KB more space "
                                         "on the / filesystem\n"));
}

static void test_inodes(void **state)
{
    const char *tree = *state;

    inodesFree = 2;
    assert_int_equal(inst(tree, "name p\nversion 1\nrelease 1\narch noarch\n"
                                "file /a content=\nfile /b content=\nfile /c content=\n", NULL),
                     1);
    assert_string_equal(instProblems, "\tinstalling package p-1-1.noarch needs 1 more inodes on "
                                      "the / filesystem\n");
    instIgnore = RPMPROB_FILTER_DISKNODES;
    assert_int_equal(instBuilt(tree, 1), 0);
}

static void test_read_only(void **state)
{
    const char *tree = *state;

    readOnly = 1;
    assert_int_equal(inst(tree, "name p\nversion 1\nrelease 1\narch noarch\nfile /a content=x\n",
                          NULL), -1);
    assert_string_equal(instLog, "error: package p-1-1.noarch cannot be installed: the / "
                                 "filesystem is read-only\n");
    assert_int_equal(treeCount(at(tree, "root"), ""), 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, instTeardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_config_is_backed_up),
        TEST(test_backup_that_is_the_file_itself),
        TEST(test_noreplace_config_stays),
        TEST(test_identical_config_needs_neither),
        TEST(test_config_of_other_type_or_size),
        TEST(test_backup_name_is_a_directory),
        TEST(test_directory_in_the_place_of_a_config_file),
        TEST(test_excluded_documents),
        TEST(test_excluded_by_flag),
        TEST(test_excluded_by_macro),
        TEST(test_all_langs),
        TEST(test_conflict_between_packages),
        TEST(test_conflict_by_way_of_a_symlink),
        TEST(test_shared_files_are_no_conflict),
        TEST(test_kinds_of_conflicts),
        TEST(test_disk_space),
        TEST(test_hard_links_and_skipped_files_take_no_space),
        TEST(test_filesystems_are_named_by_their_mount_points),
        TEST(test_inodes),
        TEST(test_read_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
