/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blobs of headers: reading and checking. Nothing past this file sees an unchecked blob. */

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rpm/header.h>
#include <rpm/rpmio.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"

/* Blobs of this size and more are refused, whatever their parts. */
#define BLOB_MAX (256u << 20)

/* How much of a blob is asked for at first; more follows as that arrives. */
#define READ_STEP (1u << 20)

static uint32_t getUint32(const uint8_t *p)
{
    uint32_t value;

    memcpy(&value, p, sizeof(value));
    return be32toh(value);
}

static struct entryInfo_s decodeEntry(const uint8_t *p)
{
    return (struct entryInfo_s){
        .tag = (rpm_tag_t)getUint32(p),
        .type = getUint32(p + 4),
        .offset = (int32_t)getUint32(p + 8),
        .count = getUint32(p + 12),
    };
}

struct entryInfo_s hdrblobEntry(const struct hdrblob_s *blob, uint32_t ix)
{
    return decodeEntry(blob->pe + (size_t)ix * HEADER_ENTRY_SIZE);
}

void hdrblobFini(struct hdrblob_s *blob)
{
    free(blob->ei);
    memset(blob, 0, sizeof(*blob));
}

static rpmRC checkLengths(rpmTagVal regionTag, uint32_t il, uint32_t dl, char **emsg)
{
    bool sig = regionTag == RPMTAG_HEADERSIGNATURES;

    if (il > (sig ? HEADER_SIG_TAGS_MAX : HEADER_TAGS_MAX)) {
        rasprintf(emsg, "hdr tags: BAD, no. of tags(%" PRIu32 ") out of range", il);
        return RPMRC_FAIL;
    }
    if (dl > (sig ? HEADER_SIG_DATA_MAX : HEADER_DATA_MAX)) {
        rasprintf(emsg, "hdr data: BAD, no. of bytes(%" PRIu32 ") out of range", dl);
        return RPMRC_FAIL;
    }
    return RPMRC_OK;
}

/* Bytes of count strings in the first size bytes at data, -1 if they are not all terminated. */
static int64_t stringsLength(const uint8_t *data, size_t size, rpm_count_t count)
{
    const uint8_t *p = data, *end = data + size;

    for (; count > 0; count--) {
        const uint8_t *nul = memchr(p, '\0', (size_t)(end - p));
        if (nul == NULL)
            return -1;
        p = nul + 1;
    }
    return p - data;
}

/* Bytes of an entry's data, -1 if it does not fit. The offset is within the data. */
static int64_t entryLength(const struct hdrblob_s *blob, const struct entryInfo_s *info)
{
    size_t room = blob->dl - (uint32_t)info->offset;
    uint32_t size = headerTypeSize(info->type);
    uint64_t length = (uint64_t)size * info->count;

    if (info->type == RPM_STRING_TYPE && info->count != 1)
        return -1;
    if (size == 0)
        return stringsLength(blob->dataStart + info->offset, room, info->count);
    return length <= room ? (int64_t)length : -1;
}

/* Known tags must have their own type; strings of all kinds are one. */
static bool typeFits(const struct entryInfo_s *info)
{
    rpmTagType type = rpmTagGetTagType(info->tag);

    return type == RPM_NULL_TYPE || type == info->type ||
        (rpmTagTypeGetClass(type) == RPM_STRING_CLASS &&
            rpmTagTypeGetClass(info->type) == RPM_STRING_CLASS);
}

static bool entryIsSane(const struct hdrblob_s *blob, const struct entryInfo_s *info)
{
    uint32_t align = headerTypeSize(info->type);

    if (info->tag < HEADER_I18NTABLE || info->type < RPM_MIN_TYPE || info->type > RPM_MAX_TYPE)
        return false;
    if (info->count < 1 || info->count > blob->dl)
        return false;
    if (info->type != RPM_BIN_TYPE && info->count > HEADER_ARRAY_MAX)
        return false;
    if (info->offset < 0 || (uint32_t)info->offset > blob->dl)
        return false;
    if (align > 1 && (uint32_t)info->offset % align != 0)
        return false;
    /* Tags of a signature header share numbers with others, of other types. */
    return blob->regionTag != RPMTAG_HEADERIMMUTABLE || typeFits(info);
}

/* Check all entries: each in itself, behind the one before, and off the region's trailer. */
static rpmRC checkEntries(const struct hdrblob_s *blob, char **emsg)
{
    uint32_t first = blob->regionTag != 0 ? 1 : 0;
    uint32_t trailer = blob->rdl - (blob->regionTag != 0 ? HEADER_REGION_TRAILER_SIZE : 0);
    int64_t end = 0, length = 0;

    for (uint32_t i = first; i < blob->il; i++) {
        struct entryInfo_s info = hdrblobEntry(blob, i);
        bool sane = info.offset >= end && entryIsSane(blob, &info);

        if (sane) {
            length = entryLength(blob, &info);
            end = info.offset + length;
            sane = length > 0 &&
                !(blob->regionTag != 0 && end > trailer && info.offset < (int64_t)blob->rdl);
        }
        if (!sane) {
            rasprintf(emsg, "tag[%u]: BAD, tag %d type %d offset %d count %d len %" PRId64,
                i - first, info.tag, (int)info.type, info.offset, (int)info.count, length);
            return RPMRC_FAIL;
        }
    }
    return RPMRC_OK;
}

static rpmRC badRegion(char **emsg, const char *what, const struct entryInfo_s *info)
{
    rasprintf(emsg, "region %s: BAD, tag %d type %d offset %d count %d", what, info->tag,
        (int)info->type, info->offset, (int)info->count);
    return RPMRC_FAIL;
}

static bool isRegionEntry(const struct entryInfo_s *info, rpmTagVal tag)
{
    return info->tag == tag && info->type == RPM_BIN_TYPE &&
        info->count == HEADER_REGION_TRAILER_SIZE;
}

/* Find out how many entries and bytes the region has, from its entry and its trailer. */
static rpmRC measureRegion(struct hdrblob_s *blob, rpmTagVal tag, char **emsg)
{
    struct entryInfo_s info = hdrblobEntry(blob, 0);
    struct entryInfo_s trailer;
    int64_t entries;

    if (!isRegionEntry(&info, tag))
        return badRegion(emsg, "tag", &info);
    if (info.offset < 0 || (uint64_t)info.offset + HEADER_REGION_TRAILER_SIZE > blob->dl)
        return badRegion(emsg, "offset", &info);
    trailer = decodeEntry(blob->dataStart + info.offset);
    /* Builders of old wrote another tag into the trailer of signature headers. */
    if (tag == RPMTAG_HEADERSIGNATURES && trailer.tag == RPMTAG_HEADERIMAGE)
        trailer.tag = RPMTAG_HEADERSIGNATURES;
    /* Its offset points back over the region's entries. */
    entries = -(int64_t)trailer.offset;
    trailer.offset = (int32_t)entries;
    if (!isRegionEntry(&trailer, tag))
        return badRegion(emsg, "trailer", &trailer);
    blob->rdl = (uint32_t)info.offset + HEADER_REGION_TRAILER_SIZE;
    if (entries % HEADER_ENTRY_SIZE != 0 || entries < HEADER_ENTRY_SIZE ||
            entries / HEADER_ENTRY_SIZE > blob->il) {
        rasprintf(emsg, "region %d size: BAD, ril %" PRId64 " il %u rdl %u dl %u", tag,
            entries / HEADER_ENTRY_SIZE, blob->il, blob->rdl, blob->dl);
        return RPMRC_FAIL;
    }
    blob->ril = (uint32_t)(entries / HEADER_ENTRY_SIZE);
    blob->regionTag = tag;
    return RPMRC_OK;
}

/* A blob without a region is not an error here. */
static rpmRC checkRegion(struct hdrblob_s *blob, rpmTagVal regionTag, int exact, char **emsg)
{
    rpm_tag_t tag;

    if (blob->il < 1) {
        rasprintf(emsg, "region: no tags");
        return RPMRC_FAIL;
    }
    tag = hdrblobEntry(blob, 0).tag;
    if (regionTag != 0 ? tag != regionTag :
            tag != RPMTAG_HEADERSIGNATURES && tag != RPMTAG_HEADERIMMUTABLE)
        return RPMRC_OK;
    if (measureRegion(blob, tag, emsg) != RPMRC_OK)
        return RPMRC_FAIL;
    if (exact && (blob->il != blob->ril || blob->dl != blob->rdl)) {
        rasprintf(emsg, "region %d: tag number mismatch il %u ril %u dl %u rdl %u", tag, blob->il,
            blob->ril, blob->dl, blob->rdl);
        return RPMRC_FAIL;
    }
    return RPMRC_OK;
}

rpmRC hdrblobInit(const void *uh, size_t uc, rpmTagVal regionTag, int exact,
    struct hdrblob_s *blob, char **emsg)
{
    memset(blob, 0, sizeof(*blob));
    if (uc != 0 && uc < 8) {
        rasprintf(emsg, "hdr length: BAD");
        return RPMRC_FAIL;
    }
    blob->ei = (uint8_t *)uh;
    blob->il = getUint32(blob->ei);
    blob->dl = getUint32(blob->ei + 4);
    if (checkLengths(regionTag, blob->il, blob->dl, emsg) != RPMRC_OK)
        return RPMRC_FAIL;
    blob->pvlen = 8 + (size_t)blob->il * HEADER_ENTRY_SIZE + blob->dl;
    if (blob->pvlen >= BLOB_MAX || (uc != 0 && blob->pvlen != uc)) {
        rasprintf(emsg, "blob size(%zu): BAD, 8 + 16 * il(%u) + dl(%u)", blob->pvlen, blob->il,
            blob->dl);
        return RPMRC_FAIL;
    }
    blob->pe = blob->ei + 8;
    blob->dataStart = blob->pe + (size_t)blob->il * HEADER_ENTRY_SIZE;
    if (checkRegion(blob, regionTag, exact, emsg) != RPMRC_OK)
        return RPMRC_FAIL;
    return checkEntries(blob, emsg);
}

ssize_t Freadall(FD_t fd, void *buf, ssize_t size)
{
    ssize_t total = 0;

    while (total < size) {
        ssize_t nb = Fread((char *)buf + total, 1, (size_t)(size - total), fd);
        if (nb < 0)
            return -1;
        if (nb == 0)
            break;
        total += nb;
    }
    return total;
}

/* Read size bytes behind the head bytes that *buf has room for. A short file costs no more memory
 * than twice its own size. Returns the bytes read, -1 on error. */
static ssize_t readGrowing(FD_t fd, uint8_t **buf, size_t head, size_t size)
{
    size_t room = 0, total = 0;

    while (total < size) {
        ssize_t nb;

        if (total == room) {
            room = room == 0 ? READ_STEP : room * 2;
            if (room > size)
                room = size;
            *buf = rrealloc(*buf, head + room);
        }
        nb = Freadall(fd, *buf + head + total, (ssize_t)(room - total));
        if (nb < 0)
            return -1;
        total += (size_t)nb;
        if (total < room)
            break;
    }
    return (ssize_t)total;
}

/* Skip what fills a signature header up to a multiple of 8 bytes. */
static rpmRC skipPadding(FD_t fd, size_t size, char **emsg)
{
    uint8_t padding[8];
    ssize_t pad = (ssize_t)((8 - size % 8) % 8);
    ssize_t nb = pad > 0 ? Freadall(fd, padding, pad) : 0;

    if (nb != pad) {
        rasprintf(emsg, "sigh pad(%zd): BAD, read %zd bytes", pad, nb);
        return RPMRC_FAIL;
    }
    return RPMRC_OK;
}

static rpmRC readBlob(FD_t fd, int magic, rpmTagVal regionTag, uint8_t **ei, size_t *size,
    char **emsg)
{
    uint8_t intro[sizeof(rpm_header_magic) + 8];
    ssize_t skip = magic ? 0 : sizeof(rpm_header_magic);
    ssize_t length = (ssize_t)sizeof(intro) - skip;
    ssize_t nb = Freadall(fd, intro + skip, length);
    uint32_t il, dl;
    size_t rest;

    if (nb != length) {
        rasprintf(emsg, "hdr size(%zd): BAD, read returned %zd", length, nb);
        return RPMRC_FAIL;
    }
    if (magic && memcmp(intro, rpm_header_magic, sizeof(rpm_header_magic)) != 0) {
        rasprintf(emsg, "hdr magic: BAD");
        return RPMRC_FAIL;
    }
    il = getUint32(intro + sizeof(rpm_header_magic));
    dl = getUint32(intro + sizeof(rpm_header_magic) + 4);
    if (checkLengths(regionTag, il, dl, emsg) != RPMRC_OK)
        return RPMRC_FAIL;
    rest = (size_t)il * HEADER_ENTRY_SIZE + dl;
    *ei = rmalloc(8);
    memcpy(*ei, intro + sizeof(rpm_header_magic), 8);
    nb = readGrowing(fd, ei, 8, rest);
    if (nb != (ssize_t)rest) {
        rasprintf(emsg, "hdr blob(%zu): BAD, read returned %zd", rest, nb);
        return RPMRC_FAIL;
    }
    *size = 8 + rest;
    if (regionTag == RPMTAG_HEADERSIGNATURES)
        return skipPadding(fd, sizeof(rpm_header_magic) + *size, emsg);
    return RPMRC_OK;
}

rpmRC hdrblobRead(FD_t fd, int magic, int exact, rpmTagVal regionTag, struct hdrblob_s *blob,
    char **emsg)
{
    uint8_t *ei = NULL;
    size_t size = 0;
    char *msg = NULL;
    rpmRC rc;

    memset(blob, 0, sizeof(*blob));
    rc = readBlob(fd, magic, regionTag, &ei, &size, &msg);
    if (rc == RPMRC_OK)
        rc = hdrblobInit(ei, size, regionTag, exact, blob, &msg);
    if (rc != RPMRC_OK) {
        free(ei);
        memset(blob, 0, sizeof(*blob));
        rasprintf(emsg, "%s%s", regionTag == RPMTAG_HEADERSIGNATURES ? "signature " : "", msg);
    }
    free(msg);
    return rc;
}

rpmRC hdrblobGet(const struct hdrblob_s *blob, rpmTagVal tag, rpmtd td)
{
    rpmtdReset(td);
    for (uint32_t i = blob->regionTag != 0 ? 1 : 0; i < blob->il; i++) {
        struct entryInfo_s info = hdrblobEntry(blob, i);
        struct headerEntry_s entry;

        if (info.tag != tag)
            continue;
        if (headerTypeSize(info.type) > 1)
            return RPMRC_FAIL;
        entry = (struct headerEntry_s){
            .tag = tag,
            .type = info.type,
            .count = info.count,
            .length = (uint32_t)entryLength(blob, &info),
            .data = blob->dataStart + info.offset,
        };
        headerGetEntry(&entry, td, HEADERGET_MINMEM);
        return RPMRC_OK;
    }
    return RPMRC_NOTFOUND;
}
