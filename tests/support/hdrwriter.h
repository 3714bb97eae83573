/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes header blobs of rpm's format v4, right or wrong on purpose. Written from the format and
 * without a line of lib/, so that reader and writer cannot agree on a mistake.
 *
 *     struct hdr *h = hdrNew(63);
 *     hdrAddString(h, 1000, "hello");
 *     hdrPatch(h, 1000, PATCH_COUNT, 7);       (a lie)
 *     hdrWrite(h, &out);
 *     hdrFree(h);
 */
#ifndef HDRWRITER_H
#define HDRWRITER_H

#include "support.h"

enum hdrType {
    HDR_NULL = 0, HDR_CHAR, HDR_INT8, HDR_INT16, HDR_INT32, HDR_INT64, HDR_STRING, HDR_BIN,
    HDR_STRINGS, HDR_I18N
};

/** What of an index entry, of the region's trailer or of the intro a patch replaces. */
enum hdrField {
    PATCH_TAG, PATCH_TYPE, PATCH_OFFSET, PATCH_COUNT,
    PATCH_TRAILER_TAG, PATCH_TRAILER_TYPE, PATCH_TRAILER_OFFSET, PATCH_TRAILER_COUNT,
    PATCH_MAGIC, PATCH_NINDEX, PATCH_HSIZE
};

struct hdr;

/** A new header of one region: 62 (signatures), 63 (immutable) or 0 for none. */
struct hdr *hdrNew(uint32_t region);
void hdrFree(struct hdr *h);
void hdrSetRegion(struct hdr *h, uint32_t region);

/** Add a tag, in place of an older one of that number. Data of any type, as it will be stored: */
void hdrAdd(struct hdr *h, uint32_t tag, uint32_t type, uint32_t count, const void *data,
            size_t len);
void hdrAddString(struct hdr *h, uint32_t tag, const char *s);
void hdrAddI18n(struct hdr *h, uint32_t tag, const char *s);
void hdrAddBin(struct hdr *h, uint32_t tag, const void *data, size_t len);
void hdrAddNumber(struct hdr *h, uint32_t tag, uint32_t type, uint64_t value);
/** Numbers of a type HDR_INT8 to HDR_INT64; none at all adds no tag. */
void hdrAddNumbers(struct hdr *h, uint32_t tag, uint32_t type, const uint64_t *values, size_t num);
/** Strings; none at all adds no tag. */
void hdrAddStrings(struct hdr *h, uint32_t tag, char *const *strings, size_t num);
void hdrDrop(struct hdr *h, uint32_t tag);

/** Replaces one field when the header is written; tag counts only for the first four. */
void hdrPatch(struct hdr *h, uint32_t tag, enum hdrField field, uint32_t value);

/** Appends the blob: magic, counts, index, data. */
void hdrWrite(const struct hdr *h, struct bytes *out);

#endif
