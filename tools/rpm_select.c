/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packages that a query or a verification is about. */

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmdb.h>
#include <rpm/rpmfileutil.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmtool.h"

#define PKGID_SIZE 16

/* Operands that are keys of an index, and what is said around one that has no package. */
static const struct keySource {
    rpmDbiTagVal index;
    const char *before;
    const char *after;
} keySources[] = {
    [SOURCE_GROUP] = { RPMDBI_GROUP, "group ", " does not contain any packages" },
    [SOURCE_TRIGGEREDBY] = { RPMDBI_TRIGGERNAME, "no package triggers ", "" },
    [SOURCE_WHATCONFLICTS] = { RPMDBI_CONFLICTNAME, "no package conflicts ", "" },
    [SOURCE_WHATENHANCES] = { RPMDBI_ENHANCENAME, "no package enhances ", "" },
    [SOURCE_WHATOBSOLETES] = { RPMDBI_OBSOLETENAME, "no package obsoletes ", "" },
    [SOURCE_WHATPROVIDES] = { RPMDBI_PROVIDENAME, "no package provides ", "" },
    [SOURCE_WHATRECOMMENDS] = { RPMDBI_RECOMMENDNAME, "no package recommends ", "" },
    [SOURCE_WHATREQUIRES] = { RPMDBI_REQUIRENAME, "no package requires ", "" },
    [SOURCE_WHATSUGGESTS] = { RPMDBI_SUGGESTNAME, "no package suggests ", "" },
    [SOURCE_WHATSUPPLEMENTS] = { RPMDBI_SUPPLEMENTNAME, "no package supplements ", "" },
};

static rpmdbMatchIterator findKey(rpmts ts, const struct keySource *source, const char *arg)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, source->index, arg, 0);

    if (mi == NULL)
        rpmlog(RPMLOG_NOTICE, "%s%s%s\n", source->before, arg, source->after);
    return mi;
}

/* An iterator over records that can all be left out is as good as none. */
static rpmdbMatchIterator findReadable(rpmts ts, rpmDbiTagVal index, const void *key, size_t len)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, index, key, len);
    bool found = rpmdbNextIterator(mi) != NULL;

    rpmdbFreeIterator(mi);
    return found ? rpmtsInitIterator(ts, index, key, len) : NULL;
}

/* Does the argument begin with exactly that many hexadecimal digits? */
static bool isIdentifier(const char *what, const char *arg, size_t digits)
{
    size_t n = 0;

    while (isxdigit((unsigned char)arg[n]))
        n++;
    if (n != digits)
        rpmlog(RPMLOG_ERR, "malformed %s: %s\n", what, arg);
    return n == digits;
}

static rpmdbMatchIterator findIdentifier(rpmts ts, rpmDbiTagVal index, const char *what,
                                         const char *arg, const void *key, size_t len)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, index, key, len);

    if (mi == NULL)
        rpmlog(RPMLOG_NOTICE, "no package matches %s: %s\n", what, arg);
    return mi;
}

static rpmdbMatchIterator findPkgid(rpmts ts, const char *arg)
{
    unsigned char md5[PKGID_SIZE];

    if (!isIdentifier("pkgid", arg, 2 * PKGID_SIZE))
        return NULL;
    for (int i = 0; i < PKGID_SIZE; i++)
        md5[i] = (unsigned char)(rnibble(arg[2 * i]) << 4 | rnibble(arg[2 * i + 1]));
    return findIdentifier(ts, RPMDBI_SIGMD5, "pkgid", arg, md5, sizeof(md5));
}

static rpmdbMatchIterator findHdrid(rpmts ts, const char *arg)
{
    if (!isIdentifier("hdrid", arg, 40))
        return NULL;
    return findIdentifier(ts, RPMDBI_SHA1HEADER, "hdrid", arg, arg, 0);
}

static bool isNumber(const char *arg, uint32_t *number)
{
    char *end = NULL;
    unsigned long value = strtoul(arg, &end, 0);

    *number = (uint32_t)value;
    return end != arg && *end == '\0' && value < UINT32_MAX;
}

static rpmdbMatchIterator findTid(rpmts ts, const char *arg)
{
    rpm_tid_t tid;

    if (!isNumber(arg, &tid)) {
        rpmlog(RPMLOG_ERR, "malformed tid: %s\n", arg);
        return NULL;
    }
    return findIdentifier(ts, RPMDBI_INSTALLTID, "tid", arg, &tid, sizeof(tid));
}

static rpmdbMatchIterator findNumber(rpmts ts, const char *arg)
{
    rpmdbMatchIterator mi;
    unsigned int number;

    if (!isNumber(arg, &number)) {
        rpmlog(RPMLOG_ERR, "invalid package number: %s\n", arg);
        return NULL;
    }
    mi = findReadable(ts, RPMDBI_PACKAGES, &number, sizeof(number));
    if (mi == NULL)
        rpmlog(RPMLOG_ERR, "record %u could not be read\n", number);
    return mi;
}

/* Absolute and tidy, without a look at the disk except for names like `..`. */
static char *absolutePath(const char *arg)
{
    char *path = NULL;

    if (arg[strspn(arg, "./")] == '\0') {
        path = realpath(arg, NULL);
    } else if (arg[0] != '/') {
        char *cwd = getcwd(NULL, 0);

        path = rstrscat(NULL, cwd != NULL ? cwd : "", "/", arg, NULL);
        free(cwd);
    }
    return rpmCleanPath(path != NULL ? path : rstrdup(arg));
}

static void sayNoOwner(rpmts ts, const char *path)
{
    char *real = rstrscat(NULL, rpmtsRootDir(ts), path, NULL);
    struct stat sb;

    if (lstat(real, &sb) != 0)
        rpmlog(RPMLOG_ERR, "file %s: %s\n", path, strerror(errno));
    else
        rpmlog(RPMLOG_NOTICE, "file %s is not owned by any package\n", path);
    rfree(real);
}

static rpmdbMatchIterator findPath(rpmts ts, rpmDbiTagVal index, const char *arg)
{
    char *path = absolutePath(arg);
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, index, path, 0);

    if (mi == NULL)
        mi = rpmtsInitIterator(ts, RPMDBI_PROVIDENAME, path, 0);
    if (mi == NULL)
        sayNoOwner(ts, path);
    rfree(path);
    return mi;
}

static rpmdbMatchIterator findOperand(rpmts ts, const char *arg)
{
    switch (opts.source) {
    case SOURCE_PKGID:
        return findPkgid(ts, arg);
    case SOURCE_HDRID:
        return findHdrid(ts, arg);
    case SOURCE_TID:
        return findTid(ts, arg);
    case SOURCE_NUMBER:
        return findNumber(ts, arg);
    case SOURCE_PATH:
        return findPath(ts, RPMDBI_BASENAMES, arg);
    case SOURCE_FILE:
        return findPath(ts, RPMDBI_INSTFILENAMES, arg);
    case SOURCE_WHATPROVIDES:
        if (arg[0] == '/' || arg[0] == '.')
            return findPath(ts, RPMDBI_INSTFILENAMES, arg);
        return findKey(ts, &keySources[opts.source], arg);
    case SOURCE_LABEL:
        return findReadable(ts, RPMDBI_LABEL, arg, 0);
    default:
        return findKey(ts, &keySources[opts.source], arg);
    }
}

/* -qa: patterns of names, or of TAG=PATTERN. */
static rpmdbMatchIterator findAll(rpmts ts, ARGV_const_t args)
{
    rpmdbMatchIterator mi = rpmtsInitIterator(ts, RPMDBI_PACKAGES, NULL, 0);

    for (; *args != NULL && mi != NULL; args++) {
        const char *equals = strchr(*args, '=');
        char *name = equals != NULL ? rstrndup(*args, (size_t)(equals - *args)) : rstrdup("name");
        rpmTagVal tag = rpmTagGetValue(name);

        if (tag == RPMTAG_NOT_FOUND) {
            rpmlog(RPMLOG_ERR, "unknown tag: \"%s\"\n", name);
            mi = rpmdbFreeIterator(mi);
        } else {
            rpmdbSetIteratorRE(mi, tag, RPMMIRE_DEFAULT, equals != NULL ? equals + 1 : *args);
        }
        rfree(name);
    }
    return mi;
}

static int showMatches(rpmts ts, rpmdbMatchIterator mi, packageFunction show)
{
    int rc = mi == NULL;
    Header h;

    while ((h = rpmdbNextIterator(mi)) != NULL) {
        int part = show(ts, h);

        if (part != 0)
            rc = part;
    }
    rpmdbFreeIterator(mi);
    return rc;
}

static bool isPackageName(const char *arg)
{
    size_t len = strlen(arg);

    return len >= 4 && rstreq(arg + len - 4, ".rpm");
}

static int showOperand(rpmts ts, const char *arg, packageFunction show)
{
    rpmdbMatchIterator mi = findOperand(ts, arg);

    if (mi == NULL && opts.source == SOURCE_LABEL) {
        const char *const file[] = { arg, NULL };

        if (isPackageName(arg))
            return eachPackageFile(ts, (ARGV_const_t)file, show);
        rpmlog(RPMLOG_NOTICE, "package %s is not installed\n", arg);
    }
    return showMatches(ts, mi, show);
}

int eachPackage(rpmts ts, ARGV_const_t args, packageFunction show)
{
    int rc = 0;

    if (opts.source == SOURCE_PACKAGE)
        return eachPackageFile(ts, args, show);
    if (opts.source == SOURCE_ALL)
        return showMatches(ts, findAll(ts, args), show);
    for (; *args != NULL; args++)
        rc += showOperand(ts, *args, show);
    return rc;
}
