/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_FILEHEADER_H
#define TESTS_FILEHEADER_H

/* Headers with file lists, for the tests of what reads them. */

#include <stdint.h>

#include <rpm/header.h>
#include <rpm/rpmfiles.h>
#include <rpm/rpmutil.h>

struct testfile {
    const char *dn;
    const char *bn;
    uint16_t mode;
    uint64_t size;
    const char *digest;  /* NULL: "" */
    const char *link;    /* NULL: "" */
    uint32_t flags;
    uint32_t inode;
};

/* One list of the header: _expr for each file f at index i. */
#define FILE_LIST(_h, _put, _tag, _type, _files, _n, _expr) do { \
        _type *list_ = rcalloc((size_t)(_n) + 1, sizeof(*list_)); \
        for (int i = 0; i < (_n); i++) { \
            const struct testfile *f = &(_files)[i]; \
            (void)f; \
            list_[i] = (_expr); \
        } \
        if ((_n) > 0) \
            _put(_h, _tag, list_, (rpm_count_t)(_n)); \
        rfree(list_); \
    } while (0)

#define STRING_LIST(_tag, _expr) \
    FILE_LIST(h, headerPutStringArray, _tag, const char *, files, n, _expr)
#define UINT16_LIST(_tag, _expr) FILE_LIST(h, headerPutUint16, _tag, uint16_t, files, n, _expr)
#define UINT32_LIST(_tag, _expr) FILE_LIST(h, headerPutUint32, _tag, uint32_t, files, n, _expr)
#define UINT64_LIST(_tag, _expr) FILE_LIST(h, headerPutUint64, _tag, uint64_t, files, n, _expr)

/* A binary package's header with these files, each with a directory entry of its own. */
static Header fileHeader(const struct testfile *files, int n, int longsizes)
{
    Header h = headerNew();

    headerPutString(h, RPMTAG_NAME, "test");
    headerPutString(h, RPMTAG_SOURCERPM, "test-1-1.src.rpm");
    STRING_LIST(RPMTAG_DIRNAMES, f->dn);
    STRING_LIST(RPMTAG_BASENAMES, f->bn);
    UINT32_LIST(RPMTAG_DIRINDEXES, (uint32_t)i);
    UINT16_LIST(RPMTAG_FILEMODES, f->mode);
    if (longsizes)
        UINT64_LIST(RPMTAG_LONGFILESIZES, f->size);
    else
        UINT32_LIST(RPMTAG_FILESIZES, (uint32_t)f->size);
    STRING_LIST(RPMTAG_FILEDIGESTS, f->digest != NULL ? f->digest : "");
    STRING_LIST(RPMTAG_FILELINKTOS, f->link != NULL ? f->link : "");
    UINT32_LIST(RPMTAG_FILEFLAGS, f->flags);
    UINT32_LIST(RPMTAG_FILEINODES, f->inode);
    UINT32_LIST(RPMTAG_FILEDEVICES, 1);
    UINT32_LIST(RPMTAG_FILEMTIMES, 1000 + (uint32_t)i);
    UINT32_LIST(RPMTAG_FILEVERIFYFLAGS, 0xffffffff);
    UINT32_LIST(RPMTAG_FILECOLORS, 0);
    UINT16_LIST(RPMTAG_FILERDEVS, 0x0103);
    STRING_LIST(RPMTAG_FILELANGS, "");
    STRING_LIST(RPMTAG_FILEUSERNAME, "root");
    STRING_LIST(RPMTAG_FILEGROUPNAME, "bin");
    return h;
}

#endif /* TESTS_FILEHEADER_H */
