/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMDIGEST_XML_H
#define RPMDIGEST_XML_H

/** @file
 * XML of strangers as a stream of nodes: decompressed on the way, without a document type, nothing
 * else opened for it, and with libxml2's own limits on depth and length.
 */

#include <stdint.h>

#include <libxml/xmlreader.h>

struct archive;

/** A stream. Fields are its own. */
struct xmlStream {
    struct archive *archive;
    xmlTextReaderPtr reader;
    uint64_t size;    /**< bytes so far */
    uint64_t maxSize;
    char *emsg;       /**< of the first error */
};

/** Begin to read from a descriptor, which stays the caller's.
 * @param maxSize  the most bytes that there may be, uncompressed
 * @return         0, or -1: see stream->emsg
 */
int xmlStreamOpen(struct xmlStream *stream, int fdno, uint64_t maxSize);

/** Go to the next node. @return  1, 0 at the end, or -1: see stream->emsg */
int xmlStreamNext(struct xmlStream *stream);

/** End it. @return  stream->emsg, the caller's to free(), or NULL */
char *xmlStreamClose(struct xmlStream *stream);

#endif /* RPMDIGEST_XML_H */
