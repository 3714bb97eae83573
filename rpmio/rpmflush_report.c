/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the filesystems met could not do, and which barriers they had and why. */

#include "rpmflush_internal.h"

#include <stdlib.h>
#include <sys/sysmacros.h>

#include <rpm/rpmstring.h>

static const char *fsName(uint32_t type)
{
    static const struct {
        uint32_t type;
        const char *name;
    } names[] = {
        { FLUSH_EXT4, "ext4" },    { FLUSH_XFS, "xfs" },      { FLUSH_BTRFS, "btrfs" },
        { 0x01021994, "tmpfs" },   { FLUSH_OVERLAY, "overlay" }, { 0x2fc12fc1, "zfs" },
        { 0xca451a4e, "bcachefs" }, { 0x00006969, "nfs" },    { 0x65735546, "fuse" },
        { 0xf2f52010, "f2fs" },
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].type == type)
            return names[i].name;
    }
    return "other";
}

static void addLine(char **text, const char *before, const struct flushFs *fs, const char *after)
{
    char *line = NULL;

    rasprintf(&line, "%s on device %u:%u (%s)%s\n", before, major(fs->dev), minor(fs->dev),
              fsName(fs->type), after);
    rstrcat(text, line);
    free(line);
}

static void reportMissing(rpmFlush flush, char **text, const struct flushFs *fs)
{
    if (flush->policy.fallocate > 0 && (fs->missing & FLUSH_NO_ALLOC))
        addLine(text, "fallocate is not used", fs, "");
    if (flush->policy.dontneed && !flush->method->dropsBehind &&
        (fs->missing & FLUSH_NO_DONTCACHE))
        addLine(text, "RWF_DONTCACHE is not used", fs, "");
    if (fs->missing & FLUSH_NO_RANGE)
        addLine(text, "sync_file_range is not used", fs, "");
}

static void reportBarrier(char **text, const struct flushFs *fs, int second, int by)
{
    const char *name = by == RPMFLUSH_BARRIER_FSYNC ? "fsync" : "syncfs";
    char *after = NULL;

    if (fs->had[second][by].times == 0)
        return;
    if (second)
        rasprintf(&after, ": %s barrier of names (%s)", name, fs->had[second][by].why);
    else
        rasprintf(&after, ": %s barrier, %d files (%s)", name, fs->had[second][by].files,
                  fs->had[second][by].why);
    addLine(text, "batch", fs, after);
    free(after);
}

char *rpmFlushReport(rpmFlush flush)
{
    char *text = rstrdup("");

    pthread_mutex_lock(&flush->lock);
    for (const struct flushFs *fs = flush->fs; fs != NULL; fs = fs->next) {
        reportMissing(flush, &text, fs);
        for (int second = 0; second <= 1; second++) {
            reportBarrier(&text, fs, second, RPMFLUSH_BARRIER_FSYNC);
            reportBarrier(&text, fs, second, RPMFLUSH_BARRIER_SYNCFS);
        }
    }
    pthread_mutex_unlock(&flush->lock);
    return text;
}
