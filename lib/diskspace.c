/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether each filesystem has room for what the transaction puts on it. */

#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "rpmfate.h"
#include "rpmte_internal.h"
#include "rpmts_internal.h"

#define BLOCK_MAX 4096 /* larger ones are not what files are rounded up to */

/* Where the filesystem of path begins: above, another device or the root. */
static char *mountPoint(rpmRoot root, const char *path, dev_t dev)
{
    char *name = rstrscat(NULL, "/", path + strspn(path, "/"), NULL);
    char *at = rstrdup(name);
    char *slash;

    while ((slash = strrchr(at, '/')) != NULL) {
        struct stat sb;
        int other;
        int fd;

        *slash = '\0';
        fd = rpmRootNearestDir(root, at, NULL);
        if (fd < 0)
            break;
        other = fstat(fd, &sb) || sb.st_dev != dev;
        close(fd);
        if (other)
            break;
        name[slash == at ? 1 : slash - at] = '\0';
    }
    rfree(at);
    return name;
}

static void setSizes(struct fateFs *fs, const struct statvfs *sv)
{
    fs->readOnly = (sv->f_flag & ST_RDONLY) != 0;
    fs->blockSize = sv->f_frsize > 0 ? (int64_t) sv->f_frsize : 512;
    /* Filesystems without a size tell none: the first one after boot, for one. */
    fs->blocksFree = sv->f_blocks == 0 ? -1 : fs->readOnly ? 0 : (int64_t) sv->f_bavail;
    fs->inodesFree = sv->f_ffree == 0 && sv->f_files == 0 ? -1 : (int64_t) sv->f_ffree;
    if (fs->blockSize > BLOCK_MAX && fs->blocksFree > 0) {
        fs->blocksFree *= fs->blockSize / BLOCK_MAX;
        fs->blockSize = BLOCK_MAX;
    }
}

int rpmFateFilesystem(struct fate *fate, int fd, const char *path)
{
    struct stat sb;
    struct statvfs sv;
    struct fateFs *fs;

    if (fstat(fd, &sb))
        return -1;
    for (int i = 0; i < fate->nfs; i++) {
        if (fate->fs[i].dev == sb.st_dev)
            return i;
    }
    if (fstatvfs(fd, &sv))
        return -1;
    fate->fs = rreallocn(fate->fs, fate->nfs + 1, sizeof(*fate->fs));
    fs = &fate->fs[fate->nfs];
    memset(fs, 0, sizeof(*fs));
    fs->dev = sb.st_dev;
    fs->name = mountPoint(fate->ts->root, path, sb.st_dev);
    setSizes(fs, &sv);
    rpmlog(RPMLOG_DEBUG, "filesystem %s: %jd blocks of %jd and %jd inodes free\n", fs->name,
           (intmax_t) fs->blocksFree, (intmax_t) fs->blockSize, (intmax_t) fs->inodesFree);
    return fate->nfs++;
}

/* A twentieth more than is needed: some blocks hold names and maps of blocks. */
static int64_t withReserve(int64_t n)
{
    return n / 20 * 21 + n % 20 * 21 / 20;
}

static int64_t blocksOf(const struct fateFs *fs, rpm_loff_t size)
{
    return (int64_t) (size / fs->blockSize + (size % fs->blockSize != 0));
}

/* Only one file of a hard link set counts. */
static int isLastLink(rpmfiles files, int fx)
{
    const int *links = NULL;
    uint32_t n = rpmfilesFLinks(files, fx, &links);

    return n <= 1 || links[n - 1] == fx;
}

/* Blocks and an inode that are free again when the package is in place. */
static void addOver(struct fateFs *fs, uint64_t size)
{
    if (size > 0) {
        fs->blocksOver += blocksOf(fs, size - 1);
        fs->inodesOver++;
    }
}

static int addFile(struct fate *fate, int ix, int fx)
{
    rpmte te = fate->ts->elements[ix];
    struct fateFs *fs = &fate->fs[fate->dirs[ix][rpmfilesDI(te->files, fx)]->fs];
    uint64_t shared = fate->shared[ix][fx];
    int last = isLastLink(te->files, fx);
    int64_t blocks = last ? blocksOf(fs, rpmfilesFSize(te->files, fx)) : 0;

    if (rpmfilesFFlags(te->files, fx) & RPMFILE_GHOST)
        return 0;
    if (te->actions[fx] == FA_ERASE) {
        fs->blocks -= blocks;
        fs->inodes--;
    }
    if (!XFA_CREATING(te->actions[fx]) || te->type != TR_ADDED)
        return 0;
    if (fs->readOnly) {
        rpmlog(RPMLOG_ERR, "package %s cannot be installed: the %s filesystem is read-only\n",
               te->NEVRA, fs->name);
        return -1;
    }
    fs->blocks += blocks;
    fs->inodes++;
    if (te->actions[fx] == FA_CREATE) {
        addOver(fs, fate->replaced[ix][fx]);
        addOver(fs, shared > 0 && !last ? 1 : shared);
    }
    return 0;
}

/* What was said is not what is needed, when less is. */
static void sayLess(struct fateFs *fs)
{
    if (fs->blocks < fs->blocksSaid)
        fs->blocksSaid = fs->blocks;
    if (fs->inodes < fs->inodesSaid)
        fs->inodesSaid = fs->inodes;
}

static void checkFs(struct fateFs *fs, rpmte te, rpmprobFilterFlags ignore)
{
    int64_t blocks = withReserve(fs->blocks);
    int64_t inodes = withReserve(fs->inodes);

    if (fs->blocksFree >= 0 && blocks > fs->blocksFree && fs->blocks > fs->blocksSaid) {
        if (!(ignore & RPMPROB_FILTER_DISKSPACE))
            rpmteAddProblem(te, RPMPROB_DISKSPACE, NULL, fs->name,
                            (uint64_t) (blocks - fs->blocksFree) * fs->blockSize);
        fs->blocksSaid = fs->blocks;
    }
    if (fs->inodesFree >= 0 && inodes > fs->inodesFree && fs->inodes > fs->inodesSaid) {
        if (!(ignore & RPMPROB_FILTER_DISKNODES))
            rpmteAddProblem(te, RPMPROB_DISKNODES, NULL, fs->name,
                            (uint64_t) (inodes - fs->inodesFree));
        fs->inodesSaid = fs->inodes;
    }
    fs->blocks -= fs->blocksOver;
    fs->inodes -= fs->inodesOver;
    fs->blocksOver = fs->inodesOver = 0;
}

int rpmFateDiskSpace(struct fate *fate)
{
    for (int ix = 0; ix < fate->n; ix++) {
        rpmte te = fate->ts->elements[ix];
        for (int fx = 0; fx < (int) rpmfilesFC(te->files); fx++) {
            if (addFile(fate, ix, fx))
                return -1;
        }
        for (int i = 0; i < fate->nfs; i++)
            sayLess(&fate->fs[i]);
        for (int i = 0; i < fate->nfs && te->type == TR_ADDED; i++)
            checkFs(&fate->fs[i], te, fate->ts->ignoreSet);
    }
    return 0;
}
