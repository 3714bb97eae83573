/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream of XML nodes out of a file that libarchive decompresses. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <archive.h>
#include <archive_entry.h>
#include <rpm/rpmstring.h>

#include "rpmdigest_xml.h"

#define READ_SIZE 65536

/* Only the first error is the cause: what libxml2 says of a stream that broke off is not. */
static void setError(struct xmlStream *stream, const char *text, int line)
{
    size_t len = strcspn(text, "\n");

    if (stream->emsg != NULL)
        return;
    if (line > 0)
        rasprintf(&stream->emsg, "line %d: %.*s", line, (int)len, text);
    else
        rasprintf(&stream->emsg, "%.*s", (int)len, text);
}

#if LIBXML_VERSION >= 21200
typedef const xmlError *xmlErrorArgument;
#else
typedef xmlErrorPtr xmlErrorArgument;
#endif

static void takeXmlError(void *data, xmlErrorArgument error)
{
    if (error->level > XML_ERR_WARNING)
        setError(data, error->message != NULL ? error->message : "not XML", error->line);
}

static int readBytes(void *data, char *buffer, int len)
{
    struct xmlStream *stream = data;
    la_ssize_t n = archive_read_data(stream->archive, buffer, (size_t)len);

    if (n < 0) {
        const char *text = archive_error_string(stream->archive);

        setError(stream, text != NULL ? text : "decompression failed", 0);
        return -1;
    }
    stream->size += (uint64_t)n;
    if (stream->size > stream->maxSize) {
        setError(stream, "is larger, uncompressed, than it may be", 0);
        return -1;
    }
    return (int)n;
}

static int closeNothing(void *data)
{
    (void)data;
    return 0;
}

static xmlParserInputPtr refuseEntity(const char *url, const char *id, xmlParserCtxtPtr context)
{
    (void)url, (void)id, (void)context;
    return NULL;
}

static int openArchive(struct xmlStream *stream, int fdno)
{
    struct archive_entry *entry;

    archive_read_support_filter_gzip(stream->archive);
    archive_read_support_filter_xz(stream->archive);
    archive_read_support_filter_zstd(stream->archive);
    archive_read_support_filter_bzip2(stream->archive);
    archive_read_support_format_raw(stream->archive);
    archive_read_support_format_empty(stream->archive);
    switch (archive_read_open_fd(stream->archive, fdno, READ_SIZE)) {
    case ARCHIVE_OK:
    case ARCHIVE_WARN:
        break;
    default:
        return -1;
    }
    switch (archive_read_next_header(stream->archive, &entry)) {
    case ARCHIVE_OK:
    case ARCHIVE_WARN:
        return 0;
    case ARCHIVE_EOF:
        archive_set_error(stream->archive, 0, "is empty");
        return -1;
    default:
        return -1;
    }
}

int xmlStreamOpen(struct xmlStream *stream, int fdno, uint64_t maxSize)
{
    memset(stream, 0, sizeof(*stream));
    stream->maxSize = maxSize;
    xmlSetExternalEntityLoader(refuseEntity);
    stream->archive = archive_read_new();
    if (stream->archive == NULL)
        return -1;
    if (openArchive(stream, fdno) != 0) {
        const char *text = archive_error_string(stream->archive);

        setError(stream, text != NULL ? text : "decompression failed", 0);
        return -1;
    }
    /* Entities are not substituted, and none is loaded; XML_PARSE_HUGE would lift the limits. */
    stream->reader = xmlReaderForIO(readBytes, closeNothing, stream, NULL, NULL, XML_PARSE_NONET);
    if (stream->reader == NULL)
        return -1;
    xmlTextReaderSetStructuredErrorHandler(stream->reader, takeXmlError, stream);
    return 0;
}

int xmlStreamNext(struct xmlStream *stream)
{
    int rc = xmlTextReaderRead(stream->reader);

    if (rc == 1 && stream->emsg == NULL) {
        switch (xmlTextReaderNodeType(stream->reader)) {
        case XML_READER_TYPE_DOCUMENT_TYPE:
        case XML_READER_TYPE_ENTITY_REFERENCE:
            setError(stream, "declares or uses entities: refused", 0);
            break;
        }
    }
    if (stream->emsg != NULL)
        return -1;
    if (rc < 0)
        setError(stream, "not XML", 0);
    return rc;
}

char *xmlStreamClose(struct xmlStream *stream)
{
    xmlFreeTextReader(stream->reader);
    archive_read_free(stream->archive);
    return stream->emsg;
}
