/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The paths of a file list: this is where names from outside enter, and where they are checked. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "misc.h"
#include "rpmfiles_internal.h"

#define ESCAPE_MAX 200

char *rpmfilesEscape(const char *s)
{
    return rpmEscape(s, ESCAPE_MAX);
}

char **rpmfilesCopyStrings(rpmtd td)
{
    rpm_count_t count = rpmtdCount(td);
    char *const *from = td->data;
    size_t bytes = 0;
    char **to, *t;

    for (rpm_count_t i = 0; i < count; i++)
        bytes += strlen(from[i]) + 1;
    to = rmalloc(count * sizeof(*to) + bytes);
    t = (char *)(to + count);
    for (rpm_count_t i = 0; i < count; i++) {
        if (i > 0 && rstreq(from[i], to[i - 1])) {
            to[i] = to[i - 1];
            continue;
        }
        to[i] = t;
        t = stpcpy(t, from[i]) + 1;
    }
    return to;
}

static int refuse(char **emsg, const char *what, const char *name)
{
    char *shown = rpmfilesEscape(name);

    rasprintf(emsg, "%s: %s", what, shown);
    rfree(shown);
    return -1;
}

static int getStrings(Header h, rpmTagVal tag, rpmtd td)
{
    if (!headerGet(h, tag, td, HEADERGET_MINMEM))
        return 0;
    if (rpmtdType(td) == RPM_STRING_ARRAY_TYPE)
        return 1;
    rpmtdFreeData(td);
    return 0;
}

/* The lists of directories and of their numbers that go with fc base names. */
static int loadDirs(rpmfiles fi, Header h, char **emsg)
{
    struct rpmtd_s dn, di;
    int rc = -1;

    if (!getStrings(h, RPMTAG_DIRNAMES, &dn)) {
        *emsg = rstrdup("package has file names without directories");
        return -1;
    }
    if (!headerGet(h, RPMTAG_DIRINDEXES, &di, HEADERGET_MINMEM))
        rpmtdReset(&di);
    if (rpmtdType(&di) != RPM_INT32_TYPE || rpmtdCount(&di) != fi->fc) {
        rasprintf(emsg, "Wrong number of entries for tag %s: %u found but %u expected.",
                  "Dirindexes", rpmtdCount(&di), fi->fc);
        goto exit;
    }
    fi->dc = rpmtdCount(&dn);
    fi->dn = rpmfilesCopyStrings(&dn);
    fi->di = rmalloc(fi->fc * sizeof(*fi->di));
    memcpy(fi->di, di.data, fi->fc * sizeof(*fi->di));
    rc = 0;

exit:
    rpmtdFreeData(&dn);
    rpmtdFreeData(&di);
    return rc;
}

/* Split whole paths, as packages had them before rpm 3.0.4. Pointers and bytes of the directories
 * go to one block: a path's directory is never longer than the path and its NUL. */
static void splitPaths(rpmfiles fi, rpmtd td)
{
    char *const *paths = td->data;
    size_t bytes = 0;
    char *t;

    for (rpm_count_t i = 0; i < fi->fc; i++)
        bytes += strlen(paths[i]) + 1;
    fi->bn = rpmfilesCopyStrings(td);
    fi->di = rmalloc(fi->fc * sizeof(*fi->di));
    fi->dn = rmalloc(fi->fc * sizeof(*fi->dn) + bytes);
    t = (char *)(fi->dn + fi->fc);
    for (rpm_count_t i = 0; i < fi->fc; i++) {
        char *slash = strrchr(fi->bn[i], '/');
        size_t len = slash != NULL ? (size_t)(slash + 1 - fi->bn[i]) : 0;

        memcpy(t, fi->bn[i], len);
        t[len] = '\0';
        fi->bn[i] += len;
        if (fi->dc == 0 || !rstreq(fi->dn[fi->dc - 1], t)) {
            fi->dn[fi->dc++] = t;
            t += len + 1;
        }
        fi->di[i] = fi->dc - 1;
    }
}

static int loadNames(rpmfiles fi, Header h, char **emsg)
{
    struct rpmtd_s td;
    int rc = 0;

    if (getStrings(h, RPMTAG_BASENAMES, &td)) {
        fi->fc = rpmtdCount(&td);
        fi->bn = rpmfilesCopyStrings(&td);
        rc = loadDirs(fi, h, emsg);
    } else if (getStrings(h, RPMTAG_OLDFILENAMES, &td)) {
        fi->fc = rpmtdCount(&td);
        splitPaths(fi, &td);
    } else {
        return 0;
    }
    rpmtdFreeData(&td);
    return rc;
}

/* Whether the len bytes at s may be a component of a path. */
static int isComponent(const char *s, size_t len)
{
    if (len == 0 || len > NAME_MAX)
        return 0;
    if (s[0] == '.' && (len == 1 || (len == 2 && s[1] == '.')))
        return 0;
    return memchr(s, '/', len) == NULL && memchr(s, '\n', len) == NULL;
}

static int isDirectory(const char *dn, int source)
{
    if (*dn == '\0')
        return source;
    if (*dn++ != '/')
        return 0;
    while (*dn != '\0') {
        const char *slash = strchr(dn, '/');

        if (slash == NULL || !isComponent(dn, (size_t)(slash - dn)))
            return 0;
        dn = slash + 1;
    }
    return 1;
}

static int checkFile(rpmfiles fi, rpm_count_t i, char **emsg)
{
    const char *dn, *bn = fi->bn[i];

    if (fi->di[i] >= fi->dc) {
        rasprintf(emsg, "directory index %u of %u is out of range", fi->di[i], fi->dc);
        return -1;
    }
    dn = fi->dn[fi->di[i]];
    /* An empty base name is the root directory, as the package that owns it lists it. */
    if (!isComponent(bn, strlen(bn)) && !(*bn == '\0' && rstreq(dn, "/")))
        return refuse(emsg, "bad file name", bn);
    if (strlen(dn) + strlen(bn) >= PATH_MAX)
        return refuse(emsg, "file name is too long", dn);
    return 0;
}

static int checkNames(rpmfiles fi, int source, char **emsg)
{
    for (rpm_count_t i = 0; i < fi->dc; i++) {
        if (!isDirectory(fi->dn[i], source))
            return refuse(emsg, "bad directory name", fi->dn[i]);
    }
    for (rpm_count_t i = 0; i < fi->fc; i++) {
        if (checkFile(fi, i, emsg) != 0)
            return -1;
    }
    return 0;
}

/* The order that rpmfilesFindFN() searches in: a directory's leading slash does not count. */
static int comparePaths(const void *a, const void *b, void *arg)
{
    int x = *(const int *)a, y = *(const int *)b;
    rpmfiles fi = arg;
    int cmp = 0;

    if (fi->di[x] != fi->di[y]) {
        const char *dx = fi->dn[fi->di[x]], *dy = fi->dn[fi->di[y]];

        cmp = strcmp(dx + (*dx == '/'), dy + (*dy == '/'));
    }
    return cmp != 0 ? cmp : strcmp(fi->bn[x], fi->bn[y]);
}

static int sortPaths(rpmfiles fi, char **emsg)
{
    fi->sorted = rmalloc(fi->fc * sizeof(*fi->sorted));
    for (rpm_count_t i = 0; i < fi->fc; i++)
        fi->sorted[i] = (int)i;
    qsort_r(fi->sorted, fi->fc, sizeof(*fi->sorted), comparePaths, fi);
    for (rpm_count_t i = 1; i < fi->fc; i++) {
        if (comparePaths(&fi->sorted[i - 1], &fi->sorted[i], fi) == 0) {
            char *fn = rpmfilesFN(fi, fi->sorted[i]);

            refuse(emsg, "file is listed twice", fn);
            rfree(fn);
            return -1;
        }
    }
    return 0;
}

int rpmfilesLoadPaths(rpmfiles fi, Header h, char **emsg)
{
    int rc = loadNames(fi, h, emsg);

    if (rc == 0)
        rc = checkNames(fi, headerIsSource(h), emsg);
    if (rc == 0)
        rc = sortPaths(fi, emsg);
    return rc;
}
