/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpmio-policy COMMAND [ARG...]: runs a command with the shim before its libraries. */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SHIM "librpmio-policy-preload.so"

/* ---- Whether the shim fits: only said, and only on demand ---- */

static void doesNotFit(const char *path, const char *why)
{
    fprintf(stderr, "rpmio-policy: %s: %s: it runs as if without\n", path, why);
}

/* Where the loader works for a privileged program, it takes nothing from the environment. */
static bool isPrivileged(const char *path, const struct stat *sb)
{
    if ((sb->st_mode & S_ISUID) && sb->st_uid != getuid())
        return true;
    if ((sb->st_mode & S_ISGID) && sb->st_gid != getgid())
        return true;
    return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

static bool readAt(int fdno, void *buf, size_t n, off_t at)
{
    return pread(fdno, buf, n, at) == (ssize_t)n;
}

/* NULL if the loader will take the shim along. */
static const char *whyNotElf(int fdno)
{
    ElfW(Ehdr) own, head;
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool known = self >= 0 && readAt(self, &own, sizeof(own), 0);

    if (self >= 0)
        close(self);
    if (!known || !readAt(fdno, &head, sizeof(head), 0))
        return NULL;
    if (head.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || head.e_machine != own.e_machine)
        return "it is for another machine";
    for (unsigned i = 0; i < head.e_phnum; i++) {
        ElfW(Phdr) part;
        off_t at = (off_t)(head.e_phoff + (size_t)i * head.e_phentsize);

        if (!readAt(fdno, &part, sizeof(part), at) || part.p_type == PT_INTERP)
            return NULL;
    }
    return "it is linked statically";
}

/* NULL if nothing is in the way. The first line of a script goes to LINE. */
static const char *whyNot(const char *path, char *line, size_t n)
{
    int fdno = open(path, O_RDONLY | O_CLOEXEC);
    const char *why = NULL;
    struct stat sb;

    memset(line, 0, n);
    if (fdno < 0)
        return NULL;
    if (fstat(fdno, &sb) == 0 && isPrivileged(path, &sb))
        why = "it has privileges of its own";
    else if (pread(fdno, line, n - 1, 0) > SELFMAG && memcmp(line, ELFMAG, SELFMAG) == 0)
        why = whyNotElf(fdno);
    close(fdno);
    return why;
}

/* A script is its interpreter. */
static void inspect(const char *path)
{
    char line[PATH_MAX], interpreter[PATH_MAX];
    const char *why = whyNot(path, line, sizeof(line));

    if (why == NULL && sscanf(line, "#! %4095s", interpreter) == 1) {
        path = interpreter;
        why = whyNot(path, line, sizeof(line));
    }
    if (why != NULL)
        doesNotFit(path, why);
}

/* The file that execvp() will take. */
static bool findCommand(const char *name, char *path, size_t n)
{
    const char *dirs = getenv("PATH");
    size_t len;

    if (strchr(name, '/') != NULL)
        return (size_t)snprintf(path, n, "%s", name) < n;
    for (; dirs != NULL && *dirs != '\0'; dirs += len + (dirs[len] == ':')) {
        len = strcspn(dirs, ":");
        if ((size_t)snprintf(path, n, "%.*s/%s", (int)len, len ? dirs : ".", name) < n &&
            access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* ---- The shim ---- */

/* Beside this program, as it is where both were built, or where it is installed. */
static const char *findShim(char *path, size_t n)
{
    ssize_t len = readlink("/proc/self/exe", path, n);
    char *slash;

    if (len > 0 && (size_t)len < n) {
        path[len] = '\0';
        slash = strrchr(path, '/');
        if (slash != NULL && (size_t)(slash + 1 - path) + sizeof(SHIM) <= n) {
            strcpy(slash + 1, SHIM);
            if (access(path, R_OK) == 0)
                return path;
        }
    }
    return PRELOAD_PATH;
}

/* Before what is there already. */
static int preload(const char *shim)
{
    const char *old = getenv("LD_PRELOAD");
    char *value;
    int rc;

    if (access(shim, R_OK)) {
        fprintf(stderr, "rpmio-policy: %s: %s\n", shim, strerror(errno));
        return -1;
    }
    if (strpbrk(shim, ": ") != NULL) {
        fprintf(stderr, "rpmio-policy: %s: LD_PRELOAD takes no blank and no colon\n", shim);
        return -1;
    }
    if (old == NULL || *old == '\0')
        return setenv("LD_PRELOAD", shim, 1);
    if (asprintf(&value, "%s:%s", shim, old) < 0)
        return -1;
    rc = setenv("LD_PRELOAD", value, 1);
    free(value);
    return rc;
}

static const char usage[] =
    "usage: rpmio-policy COMMAND [ARGUMENT...]\n"
    "Run rpm, dnf, createrepo_c or another program that uses librpm, so that files are written\n"
    "and read as %_flush_io and its companions say. With RPMIO_POLICY_DEBUG set in the\n"
    "environment, say what was done, or why nothing can be.\n";

int main(int argc, char **argv)
{
    char path[PATH_MAX];

    if (argc < 2) {
        fputs(usage, stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("rpmio-policy %s\n", PRELOAD_VERSION);
        return 0;
    }
    if (preload(findShim(path, sizeof(path))))
        return 125;
    if (getenv("RPMIO_POLICY_DEBUG") != NULL && findCommand(argv[1], path, sizeof(path)))
        inspect(path);
    execvp(argv[1], argv + 1);
    fprintf(stderr, "rpmio-policy: %s: %s\n", argv[1], strerror(errno));
    return errno == ENOENT ? 127 : 126;
}
