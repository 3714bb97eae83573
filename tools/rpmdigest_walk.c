/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walking a directory in a fixed order. Only the names of the directories on the way down are
 * held, and none is held open. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmdigest.h"

struct entry {
    char *name; /* with a slash behind a directory's: so paths sort as `sort` would sort them */
    mode_t type;
};

struct listing {
    struct entry *entries;
    size_t count;
    size_t room;
};

char *joinPath(const char *dir, const char *name)
{
    size_t len = strlen(dir);

    return rstrscat(NULL, dir, len > 0 && dir[len - 1] == '/' ? "" : "/", name, NULL);
}

/* S_IFMT bits, or 0 for what is gone again. */
static mode_t entryType(int dirfd, const struct dirent *de)
{
    struct stat st;

    if (de->d_type != DT_UNKNOWN)
        return DTTOIF(de->d_type);
    return fstatat(dirfd, de->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode & S_IFMT : 0;
}

static void addEntry(struct listing *list, const char *name, mode_t type)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->entries = rrealloc(list->entries, list->room * sizeof(*list->entries));
    }
    list->entries[list->count].name = rstrscat(NULL, name, S_ISDIR(type) ? "/" : "", NULL);
    list->entries[list->count].type = type;
    list->count++;
}

static void readEntries(DIR *dir, struct listing *list)
{
    const struct dirent *de;

    for (errno = 0; (de = readdir(dir)) != NULL; errno = 0) {
        if (!rstreq(de->d_name, ".") && !rstreq(de->d_name, ".."))
            addEntry(list, de->d_name, entryType(dirfd(dir), de));
    }
}

static int compareEntries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* A directory below the operand may have been replaced by a link meanwhile: flags say whether
 * that is followed. */
static int listDirectory(const char *path, int flags, struct listing *list)
{
    int fdno = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    DIR *dir = fdno >= 0 ? fdopendir(fdno) : NULL;

    if (dir == NULL) {
        trouble(path, "%s", strerror(errno));
        if (fdno >= 0)
            close(fdno);
        return -1;
    }
    readEntries(dir, list);
    if (errno != 0)
        trouble(path, "reading the directory failed: %s", strerror(errno));
    closedir(dir);
    if (list->count > 0)
        qsort(list->entries, list->count, sizeof(*list->entries), compareEntries);
    return 0;
}

static void walk(const char *dir, int flags, walkFile file, void *data)
{
    struct listing list = { 0 };

    /* Depth is bounded: the system takes no path of more than PATH_MAX bytes. */
    listDirectory(dir, flags, &list);
    for (size_t i = 0; i < list.count; i++) {
        char *path = joinPath(dir, list.entries[i].name);

        if (S_ISDIR(list.entries[i].type)) {
            path[strlen(path) - 1] = '\0';
            walk(path, O_NOFOLLOW, file, data);
        } else if (list.entries[i].type != 0) {
            file(data, path, list.entries[i].type);
        }
        free(path);
        free(list.entries[i].name);
    }
    free(list.entries);
}

void walkTree(const char *dir, walkFile file, void *data)
{
    walk(dir, 0, file, data);
}
