/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blobs out of headers. */

#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmio.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"

/* A blob in the making. */
struct blobWriter {
    uint32_t il, dl; /* entries and bytes of data so far */
    uint8_t *pe;     /* where entries go, NULL while only counting */
    uint8_t *data;
};

static void putEntry(struct blobWriter *w, rpm_tag_t tag, rpm_tagtype_t type, uint32_t offset,
    rpm_count_t count)
{
    uint32_t fields[4] = { (uint32_t)tag, type, offset, count };

    if (w->pe != NULL)
        headerSwapCopy(RPM_INT32_TYPE, w->pe + (size_t)w->il * HEADER_ENTRY_SIZE, fields, 4);
    w->il++;
}

/* Add an entry behind zeros that align it. False if the blob would be too large. */
static bool putTag(struct blobWriter *w, const struct headerEntry_s *entry)
{
    uint32_t size = headerTypeSize(entry->type);
    uint32_t offset = size > 1 ? (w->dl + size - 1) / size * size : w->dl;

    if ((uint64_t)offset + entry->length > HEADER_DATA_MAX || w->il >= HEADER_TAGS_MAX)
        return false;
    putEntry(w, entry->tag, entry->type, offset, entry->count);
    if (w->pe != NULL) {
        memset(w->data + w->dl, 0, offset - w->dl);
        if (size > 0)
            headerSwapCopy(entry->type, w->data + offset, entry->data, entry->count);
        else
            memcpy(w->data + offset, entry->data, entry->length);
    }
    w->dl = offset + entry->length;
    return true;
}

/* The region as it came. */
static void putRegion(struct blobWriter *w, const struct hdrblob_s *blob)
{
    if (w->pe != NULL && blob->ril > 0) {
        memcpy(w->pe, blob->pe, (size_t)blob->ril * HEADER_ENTRY_SIZE);
        memcpy(w->data, blob->dataStart, blob->rdl);
    }
    w->il = blob->ril;
    w->dl = blob->rdl;
}

static bool putAll(struct blobWriter *w, Header h)
{
    putRegion(w, &h->blob);
    for (uint32_t i = 0; i < h->used; i++) {
        if (!h->index[i].inRegion && !putTag(w, &h->index[i]))
            return false;
    }
    return true;
}

/* A region around all tags: its entry first, its trailer last. */
static bool putAllAsRegion(struct blobWriter *w, Header h, rpmTagVal tag)
{
    uint32_t trailer[4] = { (uint32_t)tag, RPM_BIN_TYPE, 0, HEADER_REGION_TRAILER_SIZE };

    w->il = 1;
    for (uint32_t i = 0; i < h->used; i++) {
        if (!putTag(w, &h->index[i]))
            return false;
    }
    if (w->dl + HEADER_REGION_TRAILER_SIZE > HEADER_DATA_MAX)
        return false;
    if (w->pe != NULL) {
        uint32_t entry[4] = { (uint32_t)tag, RPM_BIN_TYPE, w->dl, HEADER_REGION_TRAILER_SIZE };

        trailer[2] = -(w->il * HEADER_ENTRY_SIZE);
        headerSwapCopy(RPM_INT32_TYPE, w->pe, entry, 4);
        headerSwapCopy(RPM_INT32_TYPE, w->data + w->dl, trailer, 4);
    }
    w->dl += HEADER_REGION_TRAILER_SIZE;
    return true;
}

/* regionTag 0: as the header is; else all tags in a new region. */
static uint8_t *exportBlob(Header h, rpmTagVal regionTag, unsigned int *bsize)
{
    struct blobWriter w = { 0 };
    uint32_t intro[2];
    size_t entries;
    uint8_t *ei;

    if (!(regionTag != 0 ? putAllAsRegion(&w, h, regionTag) : putAll(&w, h)))
        return NULL;
    entries = (size_t)w.il * HEADER_ENTRY_SIZE;
    *bsize = (unsigned int)(sizeof(intro) + entries + w.dl);
    ei = rmalloc(*bsize);
    intro[0] = w.il;
    intro[1] = w.dl;
    headerSwapCopy(RPM_INT32_TYPE, ei, intro, 2);
    w = (struct blobWriter){ .pe = ei + sizeof(intro), .data = ei + sizeof(intro) + entries };
    if (regionTag != 0)
        putAllAsRegion(&w, h, regionTag);
    else
        putAll(&w, h);
    return ei;
}

void *headerExport(Header h, unsigned int *bsize)
{
    unsigned int size = 0;
    void *blob = h != NULL ? exportBlob(h, 0, &size) : NULL;

    if (bsize != NULL)
        *bsize = size;
    return blob;
}

unsigned int headerSizeof(Header h, int magicp)
{
    struct blobWriter w = { 0 };

    if (h == NULL || !putAll(&w, h))
        return 0;
    return (unsigned int)((magicp == HEADER_MAGIC_YES ? sizeof(rpm_header_magic) : 0) + 8 +
        (size_t)w.il * HEADER_ENTRY_SIZE + w.dl);
}

Header headerReload(Header h, rpmTagVal tag)
{
    unsigned int size = 0;
    Header reloaded = NULL;
    uint8_t *blob = NULL;

    if (h != NULL && (tag == RPMTAG_HEADERIMMUTABLE || tag == RPMTAG_HEADERSIGNATURES))
        blob = exportBlob(h, tag, &size);
    if (blob != NULL)
        reloaded = headerImport(blob, size, 0);
    if (reloaded == NULL)
        free(blob);
    headerFree(h);
    return reloaded;
}

int headerWrite(FD_t fd, Header h, int magicp)
{
    unsigned int size = 0;
    void *blob = headerExport(h, &size);
    int rc = 1;

    if (blob == NULL)
        return 1;
    if (magicp == HEADER_MAGIC_YES &&
            Fwrite(rpm_header_magic, 1, sizeof(rpm_header_magic), fd) != sizeof(rpm_header_magic))
        goto exit;
    rc = Fwrite(blob, 1, size, fd) == (ssize_t)size ? 0 : 1;

exit:
    free(blob);
    return rc;
}
