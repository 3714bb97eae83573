/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repomd.xml and primary.xml: both are lists of elements with a checksum, a location and sizes.
 *
 *     <repomd>   <data type="primary">  <checksum type="sha256">HEX</checksum>
 *                                       <location href="repodata/..."/> <size>N</size> ...
 *     <metadata> <package type="rpm">   <checksum type="sha256" pkgid="YES">HEX</checksum>
 *                                       <location href="..."/> <size package="N" .../> ...
 */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmstring.h>
#include <rpm/rpmutil.h>

#include "rpmdigest.h"
#include "rpmdigest_xml.h"

/* More than any text that counts has. */
#define TEXT_MAX_BYTES 1024

struct repoReader {
    struct xmlStream stream;
    enum repoKind kind;
    struct repoEntry entry;
    char **text;    /* where the text of the current element goes, or NULL */
    char *space;    /* namespace of the root */
    char *declared; /* number of packages that the root declares */
    repoFound found;
    void *data;
};

static bool isElement(struct repoReader *r, const char *name)
{
    const char *space = (const char *)xmlTextReaderConstNamespaceUri(r->stream.reader);

    return rstreq((const char *)xmlTextReaderConstLocalName(r->stream.reader), name) &&
           rstreq(space != NULL ? space : "", r->space);
}

static void clearEntry(struct repoEntry *entry)
{
    free(entry->type);
    free(entry->href);
    free(entry->base);
    free(entry->sumType);
    free(entry->sum);
    free(entry->size);
    free(entry->openSize);
    *entry = (struct repoEntry) { .number = entry->number };
}

/* The first of several counts. */
static void takeAttribute(struct repoReader *r, const char *name, char **value)
{
    xmlChar *text;

    if (*value != NULL)
        return;
    text = xmlTextReaderGetAttribute(r->stream.reader, BAD_CAST name);
    if (text != NULL)
        *value = rstrdup((const char *)text);
    xmlFree(text);
}

static void beginText(struct repoReader *r, char **text)
{
    if (*text == NULL && !xmlTextReaderIsEmptyElement(r->stream.reader)) {
        *text = rstrdup("");
        r->text = text;
    }
}

static void takeText(struct repoReader *r)
{
    const char *text = (const char *)xmlTextReaderConstValue(r->stream.reader);

    if (r->text != NULL && text != NULL && strlen(*r->text) + strlen(text) <= TEXT_MAX_BYTES)
        rstrcat(r->text, text);
}

static void beginMember(struct repoReader *r)
{
    r->text = NULL;
    if (isElement(r, "checksum")) {
        takeAttribute(r, "type", &r->entry.sumType);
        beginText(r, &r->entry.sum);
    } else if (isElement(r, "location")) {
        takeAttribute(r, "href", &r->entry.href);
        takeAttribute(r, "xml:base", &r->entry.base);
    } else if (isElement(r, "size")) {
        takeAttribute(r, "package", &r->entry.size);
        beginText(r, &r->entry.size);
    } else if (isElement(r, "open-size")) {
        beginText(r, &r->entry.openSize);
    }
}

static void endEntry(struct repoReader *r)
{
    r->entry.number++;
    r->found(r->data, &r->entry);
    clearEntry(&r->entry);
}

static bool isEntry(struct repoReader *r)
{
    return isElement(r, r->kind == REPO_REPOMD ? "data" : "package");
}

static void beginEntry(struct repoReader *r)
{
    if (!isEntry(r))
        return;
    takeAttribute(r, "type", &r->entry.type);
    if (xmlTextReaderIsEmptyElement(r->stream.reader))
        endEntry(r);
}

static int beginRoot(struct repoReader *r)
{
    const char *space = (const char *)xmlTextReaderConstNamespaceUri(r->stream.reader);
    const char *wanted = r->kind == REPO_REPOMD ? "repomd" : "metadata";

    r->space = rstrdup(space != NULL ? space : "");
    takeAttribute(r, "packages", &r->declared);
    if (isElement(r, wanted))
        return 0;
    rasprintf(&r->stream.emsg, "is no %s: its root element is another",
              r->kind == REPO_REPOMD ? "repomd.xml" : "primary.xml");
    return -1;
}

/* Members of a package's <format> are deeper than those that count. */
static int takeNode(struct repoReader *r)
{
    int depth = xmlTextReaderDepth(r->stream.reader);

    switch (xmlTextReaderNodeType(r->stream.reader)) {
    case XML_READER_TYPE_ELEMENT:
        if (depth == 0)
            return beginRoot(r);
        if (depth == 1)
            beginEntry(r);
        else if (depth == 2)
            beginMember(r);
        break;
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA:
        if (depth == 3)
            takeText(r);
        break;
    case XML_READER_TYPE_END_ELEMENT:
        if (depth == 2)
            r->text = NULL;
        else if (depth == 1 && isEntry(r))
            endEntry(r);
        else if (depth == 1)
            clearEntry(&r->entry);
        break;
    }
    return 0;
}

static int checkCount(struct repoReader *r)
{
    if (r->declared == NULL || parseSize(r->declared) == r->entry.number)
        return 0;
    rasprintf(&r->stream.emsg, "declares %.20s packages and lists %lu", r->declared,
              r->entry.number);
    return -1;
}

int readRepodata(int fdno, enum repoKind kind, uint64_t maxSize, repoFound found, void *data,
                 char **emsg)
{
    struct repoReader r = { .kind = kind, .found = found, .data = data };
    int rc = xmlStreamOpen(&r.stream, fdno, maxSize);

    while (rc == 0 && (rc = xmlStreamNext(&r.stream)) == 1)
        rc = takeNode(&r);
    if (rc == 0)
        rc = checkCount(&r);
    clearEntry(&r.entry);
    free(r.space);
    free(r.declared);
    *emsg = xmlStreamClose(&r.stream);
    return rc;
}
