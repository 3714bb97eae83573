/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Temporary trees for unit tests. */

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testtree.h"

int treeSetup(void **state)
{
    char template[] = "/tmp/rpm-unit-XXXXXX";
    char *dir = mkdtemp(template);

    if (dir == NULL)
        return -1;
    *state = strdup(dir);
    return *state == NULL;
}

static FTS *openTree(const char *tree)
{
    char *const paths[] = { (char *) tree, NULL };

    return fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
}

int treeTeardown(void **state)
{
    FTS *fts = openTree(*state);
    FTSENT *e;

    while (fts != NULL && (e = fts_read(fts)) != NULL) {
        if (e->fts_info == FTS_D)
            chmod(e->fts_path, 0700);
        else if (e->fts_info == FTS_DP)
            rmdir(e->fts_path);
        else
            unlink(e->fts_path);
    }
    if (fts != NULL)
        fts_close(fts);
    free(*state);
    *state = NULL;
    return 0;
}

const char *at(const char *tree, const char *name)
{
    static char bufs[8][4096];
    static unsigned turn;
    char *buf = bufs[turn++ % 8];

    snprintf(buf, sizeof(bufs[0]), "%s/%s", tree, name);
    return buf;
}

void putFile(const char *tree, const char *name, const char *content)
{
    FILE *f = fopen(at(tree, name), "w");

    assert_non_null(f);
    assert_true(fputs(content, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

void putDir(const char *tree, const char *name)
{
    assert_int_equal(mkdir(at(tree, name), 0755), 0);
}

void putLink(const char *tree, const char *name, const char *target)
{
    assert_int_equal(symlink(target, at(tree, name)), 0);
}

char *getFile(const char *tree, const char *name)
{
    FILE *f = fopen(at(tree, name), "r");
    char *content = NULL;
    size_t size = 0;

    assert_non_null(f);
    if (getdelim(&content, &size, EOF, f) < 0) {
        free(content);
        content = strdup("");
    }
    fclose(f);
    return content;
}

int exists(const char *tree, const char *name)
{
    struct stat sb;

    return lstat(at(tree, name), &sb) == 0;
}

void assertContent(const char *tree, const char *name, const char *want)
{
    char *got = getFile(tree, name);

    assert_string_equal(got, want);
    free(got);
}

static int byName(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

char *treeList(const char *tree)
{
    char *const paths[] = { (char *) tree, NULL };
    FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, byName);
    FTSENT *e;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(fts);
    assert_non_null(f);
    while ((e = fts_read(fts)) != NULL) {
        const struct stat *sb = e->fts_statp;
        if (e->fts_info == FTS_DP)
            continue;
        fprintf(f, "%s %ju %o %u:%u %ju", e->fts_path + strlen(tree), (uintmax_t) sb->st_ino,
                sb->st_mode, sb->st_uid, sb->st_gid, (uintmax_t) sb->st_nlink);
        if (!S_ISDIR(sb->st_mode))
            fprintf(f, " %jd %jd.%09ld", (intmax_t) sb->st_size, (intmax_t) sb->st_mtim.tv_sec,
                    sb->st_mtim.tv_nsec);
        fputc('\n', f);
    }
    fts_close(fts);
    fclose(f);
    return text;
}

int treeCount(const char *tree, const char *part)
{
    FTS *fts = openTree(tree);
    FTSENT *e;
    int n = 0;

    assert_non_null(fts);
    while ((e = fts_read(fts)) != NULL)
        n += e->fts_info != FTS_DP && e->fts_level > 0 && strstr(e->fts_name, part) != NULL;
    fts_close(fts);
    return n;
}
