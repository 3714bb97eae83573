/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of strings. */

#include <stdlib.h>
#include <string.h>

#include <rpm/argv.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

ARGV_t argvNew(void)
{
    return rcalloc(1, sizeof(char *));
}

ARGV_t argvFree(ARGV_t argv)
{
    for (ARGV_t arg = argv; arg != NULL && *arg != NULL; arg++)
        rfree(*arg);
    return rfree(argv);
}

int argvCount(ARGV_const_t argv)
{
    int n = 0;

    while (argv != NULL && argv[n] != NULL)
        n++;
    return n;
}

ARGV_t argvData(ARGV_t argv)
{
    return argv;
}

void argvPrint(const char *msg, ARGV_const_t argv, FILE *fp)
{
    FILE *out = fp != NULL ? fp : stderr;

    if (msg != NULL)
        fprintf(out, "%s:\n", msg);
    for (ARGV_const_t arg = argv; arg != NULL && *arg != NULL; arg++)
        fprintf(out, "%s\n", *arg);
}

int argvCmp(const void *a, const void *b)
{
    return strcmp(*(ARGV_const_t)a, *(ARGV_const_t)b);
}

int argvSort(ARGV_t argv, int (*compar)(const void *, const void *))
{
    int n = argvCount(argv);

    if (n > 1)
        qsort(argv, (size_t)n, sizeof(*argv), compar != NULL ? compar : argvCmp);
    return 0;
}

ARGV_t argvSearch(ARGV_const_t argv, const char *val, int (*compar)(const void *, const void *))
{
    int n = argvCount(argv);

    if (n == 0)
        return NULL;
    return bsearch(&val, argv, (size_t)n, sizeof(*argv), compar != NULL ? compar : argvCmp);
}

/* Append a string that is already allocated. */
static void append(ARGV_t *argvp, char *val)
{
    size_t n = (size_t)argvCount(*argvp);

    *argvp = rreallocn(*argvp, n + 2, sizeof(**argvp));
    (*argvp)[n] = val;
    (*argvp)[n + 1] = NULL;
}

int argvAdd(ARGV_t *argvp, const char *val)
{
    append(argvp, rstrdup(val));
    return 0;
}

int argvAddN(ARGV_t *argvp, const char *val, size_t len)
{
    append(argvp, rstrndup(val, len));
    return 0;
}

int argvAddNum(ARGV_t *argvp, int val)
{
    char *str;

    rasprintf(&str, "%d", val);
    append(argvp, str);
    return 0;
}

int argvAppend(ARGV_t *argvp, ARGV_const_t av)
{
    size_t n = (size_t)argvCount(*argvp);
    size_t more = (size_t)argvCount(av);

    *argvp = rreallocn(*argvp, n + more + 1, sizeof(**argvp));
    for (size_t i = 0; i < more; i++)
        (*argvp)[n + i] = rstrdup(av[i]);
    (*argvp)[n + more] = NULL;
    return 0;
}

ARGV_t argvSplitString(const char *str, const char *seps, argvFlags flags)
{
    size_t n = 0, fields = 1;
    ARGV_t argv;

    if (str == NULL || seps == NULL)
        return NULL;
    for (const char *s = str; *s != '\0'; s++)
        fields += strchr(seps, *s) != NULL;
    argv = rcalloc(fields + 1, sizeof(*argv));
    while (*str != '\0') {
        size_t len = strcspn(str, seps);

        if (len > 0 || !(flags & ARGV_SKIPEMPTY))
            argv[n++] = rstrndup(str, len);
        str += len + (str[len] != '\0');
    }
    return argv;
}

int argvSplit(ARGV_t *argvp, const char *str, const char *seps)
{
    if (argvp != NULL)
        *argvp = argvSplitString(str, seps, ARGV_SKIPEMPTY);
    return 0;
}

char *argvJoin(ARGV_const_t argv, const char *sep)
{
    size_t seplen = sep != NULL ? strlen(sep) : 0;
    size_t len = 1;
    char *str, *end;
    int n = argvCount(argv);

    if (n == 0)
        return NULL;
    for (int i = 0; i < n; i++)
        len += strlen(argv[i]) + seplen;
    str = end = rmalloc(len);
    for (int i = 0; i < n; i++) {
        if (i > 0 && seplen > 0)
            end = stpcpy(end, sep);
        end = stpcpy(end, argv[i]);
    }
    return str;
}
