/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of what waits for a barrier, in the order in which it came. */

#include "rpmflush_internal.h"

#include <stdlib.h>
#include <string.h>

void flushListInit(struct flushList *list)
{
    memset(list, 0, sizeof(*list));
    list->end = &list->first;
}

static struct flushItem **bucketOf(struct flushList *list, ino_t ino)
{
    return &list->buckets[(uint64_t)ino % FLUSH_BUCKETS];
}

void flushListAdd(struct flushList *list, struct flushItem *item)
{
    *list->end = item;
    list->end = &item->next;
    list->n++;
    list->held += item->fdno >= 0;
    if (item->ino != 0) {
        struct flushItem **bucket = bucketOf(list, item->ino);

        item->chain = *bucket;
        *bucket = item;
    }
}

struct flushItem *flushListFind(struct flushList *list, const struct flushFs *fs, ino_t ino)
{
    struct flushItem *item = *bucketOf(list, ino);

    while (item != NULL && (item->ino != ino || item->fs != fs))
        item = item->chain;
    return item;
}

static void unchain(struct flushList *list, struct flushItem *item)
{
    struct flushItem **at = bucketOf(list, item->ino);

    if (item->ino == 0)
        return;
    while (*at != item)
        at = &(*at)->chain;
    *at = item->chain;
}

struct flushItem *flushListTake(struct flushList *list, const struct flushFs *fs, int n)
{
    struct flushItem *taken = NULL, **end = &taken;
    struct flushItem **at = &list->first;
    int got = 0;

    while (*at != NULL && (n == 0 || got < n)) {
        struct flushItem *item = *at;

        if ((fs != NULL && item->fs != fs) || (n > 0 && item->fdno < 0)) {
            at = &item->next;
            continue;
        }
        *at = item->next;
        if (list->end == &item->next)
            list->end = at;
        item->next = NULL;
        *end = item;
        end = &item->next;
        got++;
        list->n--;
        list->held -= item->fdno >= 0;
        unchain(list, item);
    }
    return taken;
}

void flushItemsFree(rpmFlush flush, struct flushItem *items)
{
    while (items != NULL) {
        struct flushItem *item = items;
        struct rpmFlushFile_s file = { .flush = flush, .fdno = item->fdno };

        items = item->next;
        if (item->fdno >= 0) {
            (void)flushSysClose(&file);
            flushAddCounts(&file);
        }
        flushCleaned(flush, item->dirty);
        free(item->label);
        free(item);
    }
}
