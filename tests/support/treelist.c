/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* treelist ROOT [SINCE [EXCLUDED...]]: describes a tree, one file a line, sorted by name, so that
 * two trees are the same exactly when their descriptions are. Names below ROOT are printed with
 * everything but plain ASCII escaped. An mtime of SINCE (in seconds) or later reads "new". Of a
 * directory that is not empty no mtime is printed: it tells when the last entry came. Names equal
 * to EXCLUDED, and what is below them, are left out. */

#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <openssl/evp.h>

/* Inodes of more than one name, with the first of them that was met. */
struct links {
    dev_t dev;
    ino_t ino;
    char *name;
};

static struct links *links;
static size_t numLinks;

static void *checked(void *ptr)
{
    if (ptr == NULL)
        error(2, ENOMEM, "treelist");
    return ptr;
}

static void printEscaped(const char *s)
{
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;

        if (c <= ' ' || c >= 127 || c == '\\')
            printf("\\%03o", c);
        else
            putchar(c);
    }
}

static void printHex(const unsigned char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        printf("%02x", data[i]);
}

static void printDigest(const char *path)
{
    static unsigned char buf[1 << 18];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int len = 0;
    ssize_t got = 0;
    EVP_MD_CTX *ctx = checked(EVP_MD_CTX_new());
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        error(2, errno, "%s", path);
    EVP_DigestInit_ex(ctx, EVP_sha256(), NULL);
    while ((got = read(fd, buf, sizeof(buf))) > 0)
        EVP_DigestUpdate(ctx, buf, (size_t)got);
    if (got < 0)
        error(2, errno, "%s", path);
    close(fd);
    EVP_DigestFinal_ex(ctx, digest, &len);
    EVP_MD_CTX_free(ctx);
    printf(" sha256=");
    printHex(digest, len);
}

static void printTarget(const char *path)
{
    char target[65536];
    ssize_t len = readlink(path, target, sizeof(target) - 1);

    if (len < 0)
        error(2, errno, "%s", path);
    target[len] = '\0';
    printf(" ->");
    printEscaped(target);
}

static const char *firstName(const struct stat *sb, const char *name)
{
    for (size_t i = 0; i < numLinks; i++) {
        if (links[i].ino == sb->st_ino && links[i].dev == sb->st_dev)
            return links[i].name;
    }
    links = checked(realloc(links, (numLinks + 1) * sizeof(*links)));
    links[numLinks].dev = sb->st_dev;
    links[numLinks].ino = sb->st_ino;
    links[numLinks].name = checked(strdup(name));
    return links[numLinks++].name;
}

static int compareStrings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void printXattrs(const char *path)
{
    char names[65536];
    unsigned char value[65536];
    char *sorted[1024];
    size_t num = 0;
    ssize_t len = llistxattr(path, names, sizeof(names));

    for (char *name = names; name < names + len && num < 1024; name += strlen(name) + 1)
        sorted[num++] = name;
    qsort(sorted, num, sizeof(*sorted), compareStrings);
    for (size_t i = 0; i < num; i++) {
        ssize_t got = lgetxattr(path, sorted[i], value, sizeof(value));

        printf(" %s=", sorted[i]);
        if (got > 0)
            printHex(value, (size_t)got);
    }
}

static char typeOf(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG: return '-';
    case S_IFDIR: return 'd';
    case S_IFLNK: return 'l';
    case S_IFIFO: return 'p';
    case S_IFCHR: return 'c';
    case S_IFBLK: return 'b';
    case S_IFSOCK: return 's';
    default: return '?';
    }
}

static void printFile(FTS *fts, const FTSENT *ent, const char *name, int64_t since)
{
    const struct stat *sb = ent->fts_statp;

    printEscaped(name);
    printf(" %c%04o %u:%u", typeOf(sb->st_mode), (unsigned)sb->st_mode & 07777, sb->st_uid,
           sb->st_gid);
    if (S_ISDIR(sb->st_mode) && fts_children(fts, FTS_NAMEONLY) != NULL)
        printf(" full");
    else if (sb->st_mtim.tv_sec >= since)
        printf(" new");
    else
        printf(" %jd.%09ld", (intmax_t)sb->st_mtim.tv_sec, sb->st_mtim.tv_nsec);
    if (S_ISREG(sb->st_mode)) {
        printf(" size=%jd", (intmax_t)sb->st_size);
        printDigest(ent->fts_accpath);
    } else if (S_ISLNK(sb->st_mode)) {
        printTarget(ent->fts_accpath);
    } else if (S_ISCHR(sb->st_mode) || S_ISBLK(sb->st_mode)) {
        printf(" dev=%u,%u", major(sb->st_rdev), minor(sb->st_rdev));
    }
    if (!S_ISDIR(sb->st_mode) && sb->st_nlink > 1) {
        printf(" links=%ju:", (uintmax_t)sb->st_nlink);
        printEscaped(firstName(sb, name));
    }
    printXattrs(ent->fts_accpath);
    putchar('\n');
}

static int excluded(const char *name, char **list)
{
    for (; *list != NULL; list++) {
        if (strcmp(name, *list) == 0)
            return 1;
    }
    return 0;
}

static int byName(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A pass that has the files' contents read side by side, where each read of a disk waits for the
 * disk's thread. */
static void readAhead(FTS *fts, const FTSENT *ent, const char *name, int64_t since)
{
    int fd = -1;

    (void)fts, (void)name, (void)since;
    if (S_ISREG(ent->fts_statp->st_mode))
        fd = open(ent->fts_accpath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
        close(fd);
    }
}

static void walk(char *root, char **exclude, int64_t since,
                 void (*visit)(FTS *fts, const FTSENT *ent, const char *name, int64_t since))
{
    char *roots[2] = { root, NULL };
    FTS *fts = checked(fts_open(roots, FTS_PHYSICAL, byName));
    FTSENT *ent;

    while ((ent = fts_read(fts)) != NULL) {
        const char *name = ent->fts_path + strlen(root);

        if (ent->fts_level == 0 || ent->fts_info == FTS_DP)
            continue;
        while (*name == '/')
            name++;
        if (ent->fts_info == FTS_DNR || ent->fts_info == FTS_ERR || ent->fts_info == FTS_NS)
            error(2, ent->fts_errno, "%s", ent->fts_path);
        if (excluded(name, exclude))
            fts_set(fts, ent, FTS_SKIP);
        else
            visit(fts, ent, name, since);
    }
    fts_close(fts);
}

int main(int argc, char **argv)
{
    static char *none[] = { NULL };
    char **exclude = argc > 3 ? argv + 3 : none;
    int64_t since = argc > 2 && *argv[2] != '\0' ? strtoll(argv[2], NULL, 10) : INT64_MAX;

    if (argc < 2)
        error(2, 0, "usage: treelist ROOT [SINCE [EXCLUDED...]]");
    walk(argv[1], exclude, since, readAhead);
    walk(argv[1], exclude, since, printFile);
    for (size_t i = 0; i < numLinks; i++)
        free(links[i].name);
    free(links);
    return fflush(stdout) != 0;
}
