/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files being written. There are one or two at a time: the one that is being unpacked, and the
 * first of a set of hard links, whose content comes last. */

#include "preload_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <rpm/rpmutil.h>

struct shimFile *shimFileAdd(struct shimFile **list, int fdno, char *label)
{
    struct shimFile *file = rcalloc(1, sizeof(*file));

    file->next = *list;
    file->fdno = fdno;
    file->copy = -1;
    file->size = -1;
    file->label = label;
    *list = file;
    return file;
}

struct shimFile *shimFileFind(struct shimFile *list, int fdno)
{
    if (fdno < 0)
        return NULL;
    while (list != NULL && list->fdno != fdno && list->copy != fdno)
        list = list->next;
    return list;
}

/* The module gets to know a file at its first write: its size is known then. */
static int begin(rpmFlush flush, struct shimFile *file)
{
    if (file->file != NULL)
        return 0;
    return rpmFlushFileNew(flush, file->fdno, file->size, file->label, &file->file);
}

ssize_t shimFileWrite(rpmFlush flush, struct shimFile *file, const void *buf, size_t n)
{
    return begin(flush, file) ? -1 : rpmFlushFileWrite(file->file, buf, n);
}

int shimFileClose(rpmFlush flush, struct shimFile **list, struct shimFile *file)
{
    int rc;

    if (file->file == NULL)
        file->size = 0; /* nothing was written: an empty file needs no room */
    rc = begin(flush, file) ? close(file->fdno) : rpmFlushFileClose(file->file);
    shimFileDrop(list, file);
    return rc;
}

void shimFileDrop(struct shimFile **list, struct shimFile *file)
{
    int err = errno;

    while (*list != file)
        list = &(*list)->next;
    *list = file->next;
    rpmFlushFileFree(file->file);
    free(file->label);
    free(file);
    errno = err;
}
