/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_FILELIST_H
#define TESTS_FILELIST_H

/* What the tests of file lists share: a plain list, and loading lists that are right or wrong.
 * Include it after cmocka.h. */

#include <sys/stat.h>

#include <rpm/header.h>
#include <rpm/rpmutil.h>

#include "fileheader.h"
#include "rpmfiles_internal.h"

#define NFILES(_files) (int)(sizeof(_files) / sizeof((_files)[0]))
#define MD5 "0123456789abcdef0123456789ABCDEF"

static const struct testfile plain[] = {
    { "/usr/bin/", "tool", S_IFREG | 0755, 10, MD5, NULL, 0, 1 },
    { "/etc/", "tool.conf", S_IFREG | 0644, 20, MD5, NULL, RPMFILE_CONFIG, 2 },
    { "/usr/lib/", "tool", S_IFDIR | 0755, 4096, NULL, NULL, 0, 3 },
    { "/usr/lib/tool/", "link", S_IFLNK | 0777, 7, NULL, "../tool", 0, 4 },
    { "/var/log/", "tool", S_IFREG | 0600, 0, NULL, NULL, RPMFILE_GHOST, 5 },
};

/* Load the list of a header, which is freed. */
RPM_GNUC_UNUSED
static rpmfiles load(Header h, rpmfiFlags flags)
{
    char *emsg = NULL;
    rpmfiles fi = rpmfilesLoad(h, flags, &emsg);

    if (emsg != NULL)
        print_error("refused: %s\n", emsg);
    assert_non_null(fi);
    headerFree(h);
    return fi;
}

/* The header is refused for this reason; it is freed. */
RPM_GNUC_UNUSED
static void expectRefused(Header h, const char *reason)
{
    char *emsg = NULL;
    rpmfiles fi = rpmfilesLoad(h, 0, &emsg);

    assert_null(fi);
    assert_non_null(emsg);
    assert_string_equal(emsg, reason);
    rfree(emsg);
    headerFree(h);
}

/* A header of one file with this name. */
RPM_GNUC_UNUSED
static Header named(const char *dn, const char *bn)
{
    struct testfile f = plain[0];

    f.dn = dn;
    f.bn = bn;
    return fileHeader(&f, 1, 0);
}

#endif /* TESTS_FILELIST_H */
