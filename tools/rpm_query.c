/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rpm -q: show what packages say of themselves. */

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtag.h>

#include "rpmtool.h"

static const char *stateText(rpmfileState state)
{
    switch (state) {
    case RPMFILE_STATE_NORMAL:
        return "normal        ";
    case RPMFILE_STATE_REPLACED:
        return "replaced      ";
    case RPMFILE_STATE_NOTINSTALLED:
        return "not installed ";
    case RPMFILE_STATE_NETSHARED:
        return "net shared    ";
    case RPMFILE_STATE_WRONGCOLOR:
        return "wrong color   ";
    case RPMFILE_STATE_MISSING:
        return "(no state)    ";
    }
    return "(unknown)     ";
}

/* The line of --dump: all that is known of a file, in a fixed order. */
static void showDump(rpmfiles files, int ix, const char *state, const char *fn)
{
    size_t length = 0;
    const unsigned char *digest = rpmfilesFDigest(files, ix, NULL, &length);
    char *hex = digest ? rpmhex(digest, length) : NULL;
    const char *link = rpmfilesFLink(files, ix);
    rpmfileAttrs attrs = rpmfilesFFlags(files, ix);

    rpmlog(RPMLOG_NOTICE, "%s%s %" PRIu64 " %d %s 0%o %s %s %d %d %u %s\n", state, fn,
           rpmfilesFSize(files, ix), (int)rpmfilesFMtime(files, ix), hex ? hex : "",
           (unsigned int)rpmfilesFMode(files, ix), rpmfilesFUser(files, ix),
           rpmfilesFGroup(files, ix), (attrs & RPMFILE_CONFIG) != 0, (attrs & RPMFILE_DOC) != 0,
           (unsigned int)rpmfilesFRdev(files, ix), link && *link ? link : "X");
    rfree(hex);
}

static char *permissions(rpm_mode_t mode)
{
    struct rpmtd_s td;
    uint16_t value = mode;

    rpmtdReset(&td);
    rpmtdFromUint16(&td, RPMTAG_FILEMODES, &value, 1);
    return rpmtdFormat(&td, RPMTD_FORMAT_PERMS, NULL);
}

/* Like ls: files of the last half year with the time of day, others with the year. An hour of
 * future is granted to the clocks of other machines. */
static void formatTime(time_t when, char *text, size_t size)
{
    static time_t now;
    const time_t halfYear = 6L * 30 * 24 * 60 * 60;
    struct tm tm;

    if (now == 0)
        now = time(NULL);
    text[0] = '\0';
    if (localtime_r(&when, &tm) == NULL)
        return;
    if (now > when + halfYear || now < when - 60 * 60)
        strftime(text, size, "%b %e  %Y", &tm);
    else
        strftime(text, size, "%b %e %H:%M", &tm);
}

/* The size of a file, the numbers of a device, nothing that a directory would mean. */
static void formatSize(rpmfiles files, int ix, char *text, size_t size)
{
    rpm_mode_t mode = rpmfilesFMode(files, ix);
    unsigned int rdev = rpmfilesFRdev(files, ix);

    if (S_ISCHR(mode) || S_ISBLK(mode))
        snprintf(text, size, "%3u, %3u", (rdev >> 8) & 0xff, rdev & 0xff);
    else
        snprintf(text, size, "%20" PRIu64, S_ISDIR(mode) ? 0 : rpmfilesFSize(files, ix));
}

static void showLong(rpmfiles files, int ix, const char *state, const char *fn)
{
    rpm_mode_t mode = rpmfilesFMode(files, ix);
    const char *link = S_ISLNK(mode) ? rpmfilesFLink(files, ix) : NULL;
    char *perms = permissions(mode);
    char size[32];
    char when[100];

    formatSize(files, ix, size, sizeof(size));
    formatTime(rpmfilesFMtime(files, ix), when, sizeof(when));
    rpmlog(RPMLOG_NOTICE, "%s%s %4d %-8.8s %-8.8s %10s %s %s%s%s\n", state, perms,
           (int)rpmfilesFNlink(files, ix) + (S_ISDIR(mode) ? 1 : 0), rpmfilesFUser(files, ix),
           rpmfilesFGroup(files, ix), size, when, fn, link ? " -> " : "", link ? link : "");
    free(perms);
}

static void showFile(rpmfiles files, int ix)
{
    const char *state =
        (opts.queryFlags & QUERY_STATE) ? stateText(rpmfilesFState(files, ix)) : "";
    char *fn = rpmfilesFN(files, ix);

    if (opts.queryFlags & QUERY_DUMP)
        showDump(files, ix, state, fn);
    else if (rpmIsVerbose())
        showLong(files, ix, state, fn);
    else
        rpmlog(RPMLOG_NOTICE, "%s%s\n", state, fn);
    rfree(fn);
}

static int showFiles(Header h)
{
    rpmfiles files = rpmfilesNew(NULL, h, RPMTAG_BASENAMES, RPMFI_FLAGS_QUERY);
    int count = (int)rpmfilesFC(files);

    if (files == NULL)
        return 1;
    if (count == 0)
        rpmlog(RPMLOG_NOTICE, "(contains no files)\n");
    for (int ix = 0; ix < count; ix++) {
        rpmfileAttrs attrs = rpmfilesFFlags(files, ix);

        if (opts.include && !(attrs & opts.include))
            continue;
        if (!(attrs & opts.exclude))
            showFile(files, ix);
    }
    rpmfilesFree(files);
    return 0;
}

static int showFormat(Header h, const char *format)
{
    errmsg_t fault = NULL;
    char *text = headerFormat(h, format, &fault);

    if (text == NULL) {
        rpmlog(RPMLOG_ERR, "incorrect format: %s\n", fault);
        return 1;
    }
    rpmlog(RPMLOG_NOTICE, "%s", text);
    free(text);
    return 0;
}

static int showPackage(rpmts ts, Header h)
{
    int rc = 0;

    (void)ts;
    if (opts.queryFormat != NULL)
        rc = showFormat(h, opts.queryFormat);
    if (rc == 0 && (opts.queryFlags & QUERY_LIST))
        rc = showFiles(h);
    return rc;
}

char *queryFormat(void)
{
    char *format = rpmExpand("%{?_query_all_fmt}\n", NULL);

    if (!rstreq(format, "\n"))
        return format;
    rfree(format);
    return rstrdup("%{nvra}\n");
}

int runQuery(rpmts ts, ARGV_const_t args)
{
    if (opts.include)
        opts.queryFlags |= QUERY_LIST;
    if (!(opts.queryFlags & QUERY_LIST) && opts.queryFormat == NULL)
        opts.queryFormat = queryFormat();
    rpmtsSetVSFlags(ts, rpmExpandNumeric("%{?_vsflags_query}") | opts.vsFlags);
    return eachPackage(ts, args, showPackage);
}
