/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iterators over headers.
 *
 * An iterator is a list of record numbers from the start; each header is read by a statement of
 * its own. So nothing that is kept open for long keeps writers from checkpointing, and what they
 * write in the meantime is seen. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"
#include "rpmdb_sql.h"

struct rpmdbMatchIterator_s {
    rpmdb db;
    int table;
    struct rpmdbSet_s set;
    unsigned int next;
    Header h;
    unsigned int prev;    /* record of h */
    unsigned int offset;
    unsigned int filenum;
    struct rpmdbPattern_s **pats;
    int npats;
    int rewrite;
    int modified;
    bool failed;          /* a record could not be read */
    rpmts ts;
    rpmRC (*hdrchk)(rpmts ts, const void *uh, size_t uc, char **msg);
};

struct blob {
    void *data;
    size_t size;
};

static void keepBlob(void *data, sqlite3_stmt *stmt)
{
    struct blob *b = data;
    const void *bytes = sqlite3_column_blob(stmt, 0);

    b->size = (size_t)sqlite3_column_bytes(stmt, 0);
    b->data = rmalloc(b->size);
    if (b->size > 0)
        memcpy(b->data, bytes, b->size);
}

static void dropBlob(void *data)
{
    struct blob *b = data;

    b->data = rfree(b->data);
    b->size = 0;
}

/* No data: there is no such record. */
static int readBlob(rpmdb db, unsigned int hdrNum, struct blob *b)
{
    sqlite3_stmt *stmt;
    int rc;

    if (db->sql == NULL)
        return 0;
    stmt = rpmdbStatement(db, 0, RPMDB_GET);
    if (stmt == NULL)
        return -1;
    sqlite3_bind_int64(stmt, 1, hdrNum);
    rpmswEnter(&db->ops[RPMDB_OP_DBGET], 0);
    rc = rpmdbQuery(db, stmt, keepBlob, dropBlob, b);
    rpmswExit(&db->ops[RPMDB_OP_DBGET], (ssize_t)b->size);
    return rc;
}

#define CHECKED_MAX (1 << 20) /* bytes: what is beyond is verified each time */

static bool wasChecked(rpmdb db, unsigned int hdrNum)
{
    return hdrNum / 8 < db->nchecked && db->checked[hdrNum / 8] & (1 << hdrNum % 8);
}

static void setChecked(rpmdb db, unsigned int hdrNum)
{
    unsigned int need = hdrNum / 8 + 1;

    if (need > CHECKED_MAX)
        return;
    if (need > db->nchecked) {
        db->checked = rrealloc(db->checked, need + 1024);
        memset(db->checked + db->nchecked, 0, need + 1024 - db->nchecked);
        db->nchecked = need + 1024;
    }
    db->checked[hdrNum / 8] |= (uint8_t)(1 << hdrNum % 8);
}

static int verifyBlob(rpmdbMatchIterator mi, const struct blob *b)
{
    char *msg = NULL;
    rpmRC rc;

    if (mi->hdrchk == NULL || b->size == 0 || wasChecked(mi->db, mi->offset))
        return 0;
    rc = mi->hdrchk(mi->ts, b->data, b->size, &msg);
    rpmlog(rc == RPMRC_FAIL ? RPMLOG_ERR : RPMLOG_DEBUG, "%s h#%8u %s\n",
        rc == RPMRC_FAIL ? "rpmdbNextIterator: skipping" : " read", mi->offset,
        msg != NULL ? msg : "");
    rfree(msg);
    if (rc != RPMRC_FAIL)
        setChecked(mi->db, mi->offset);
    return rc == RPMRC_FAIL ? -1 : 0;
}

/* The blob is the header's from now on, or gone. */
static Header importBlob(rpmdbMatchIterator mi, struct blob *b)
{
    struct hdrblob_s hblob;
    char *emsg = NULL;
    Header h = NULL;

    if (b->size > 0 && hdrblobInit(b->data, b->size, 0, 0, &hblob, &emsg) == RPMRC_OK)
        h = hdrblobImport(&hblob, &emsg);
    if (h != NULL)
        b->data = NULL;
    if (h != NULL && !headerIsEntry(h, RPMTAG_NAME)) {
        emsg = rstrdup("no name");
        h = headerFree(h);
    }
    if (h == NULL)
        rpmlog(RPMLOG_ERR, "rpmdb: damaged header #%u retrieved -- skipping: %s: %s\n",
            mi->offset, mi->db->file, emsg != NULL ? emsg : "hdr load: BAD");
    rfree(emsg);
    return h;
}

static Header readHeader(rpmdbMatchIterator mi)
{
    struct blob b = { 0 };
    Header h = NULL;

    if (readBlob(mi->db, mi->offset, &b))
        mi->failed = true;
    else if (b.data != NULL && verifyBlob(mi, &b) == 0)
        h = importBlob(mi, &b);
    rfree(b.data);
    if (h != NULL && !rpmdbPatternsMatch(mi->pats, mi->npats, h))
        h = headerFree(h);
    if (h != NULL)
        headerSetInstance(h, mi->offset);
    return h;
}

static void releaseHeader(rpmdbMatchIterator mi)
{
    if (mi->h != NULL && mi->rewrite && mi->modified)
        rpmdbRewrite(mi->db, mi->prev, mi->h);
    mi->h = headerFree(mi->h);
    mi->modified = 0;
}

Header rpmdbNextIterator(rpmdbMatchIterator mi)
{
    if (mi == NULL)
        return NULL;
    while (mi->next < mi->set.count) {
        const struct rpmdbEntry_s *entry = &mi->set.entries[mi->next++];

        mi->offset = entry->hdrNum;
        mi->filenum = entry->ix;
        if (mi->h != NULL && mi->prev == mi->offset)
            return mi->h;
        releaseHeader(mi);
        mi->h = readHeader(mi);
        mi->prev = mi->offset;
        if (mi->h != NULL)
            return mi->h;
    }
    releaseHeader(mi);
    return NULL;
}

rpmdbMatchIterator rpmdbNewIterator(rpmdb db, rpmDbiTagVal dbitag)
{
    int table = rpmdbTableOf(dbitag);
    rpmdbMatchIterator mi;

    if (db == NULL || table < 0)
        return NULL;
    mi = rcalloc(1, sizeof(*mi));
    mi->db = rpmdbLink(db);
    mi->table = table;
    return mi;
}

rpmdbMatchIterator rpmdbFreeIterator(rpmdbMatchIterator mi)
{
    if (mi != NULL) {
        releaseHeader(mi);
        for (int i = 0; i < mi->npats; i++)
            rpmdbPatternFree(mi->pats[i]);
        rfree(mi->pats);
        rpmdbSetFini(&mi->set);
        rpmdbClose(mi->db);
        rfree(mi);
    }
    return NULL;
}

static int findKey(rpmdb db, rpmDbiTagVal tag, int table, const void *key, size_t keylen,
    struct rpmdbSet_s *set)
{
    switch (tag) {
    case RPMDBI_LABEL:
        return rpmdbFindLabel(db, key, set);
    case RPMDBI_BASENAMES:
    case RPMDBI_INSTFILENAMES:
        return rpmdbFindFile(db, key, tag == RPMDBI_INSTFILENAMES, set);
    default:
        return rpmdbSetGet(db, table, key, keylen > 0 ? keylen : strlen(key), set);
    }
}

static rpmdbMatchIterator initPackages(rpmdb db, const void *keyp, size_t keylen)
{
    rpmdbMatchIterator mi;
    unsigned int hdrNum;

    if (keyp != NULL && keylen != sizeof(hdrNum))
        return NULL;
    mi = rpmdbNewIterator(db, RPMDBI_PACKAGES);
    if (keyp != NULL) {
        memcpy(&hdrNum, keyp, sizeof(hdrNum));
        rpmdbSetAdd(&mi->set, hdrNum, 0);
    } else if (rpmdbSetGetAll(db, 0, &mi->set)) {
        mi = rpmdbFreeIterator(mi);
    }
    return mi;
}

rpmdbMatchIterator rpmdbInitIterator(rpmdb db, rpmDbiTagVal rpmtag, const void *keyp,
    size_t keylen)
{
    rpmDbiTagVal index = rpmtag;
    rpmdbMatchIterator mi;
    int rc;

    if (db == NULL)
        return NULL;
    if (rpmtag == RPMDBI_PACKAGES)
        return initPackages(db, keyp, keylen);
    if (rpmtag == RPMDBI_LABEL)
        index = RPMDBI_NAME;
    else if (rpmtag == RPMDBI_INSTFILENAMES)
        index = RPMDBI_BASENAMES;
    mi = rpmdbNewIterator(db, index);
    if (mi == NULL)
        return NULL;
    if (keyp != NULL)
        rc = findKey(db, rpmtag, mi->table, keyp, keylen, &mi->set);
    else
        rc = rpmdbSetGetAll(db, mi->table, &mi->set);
    if (rc != 0 || mi->set.count == 0)
        return rpmdbFreeIterator(mi);
    if (keyp != NULL)
        rpmdbSetSort(&mi->set);
    return mi;
}

int rpmdbExtendIterator(rpmdbMatchIterator mi, const void *keyp, size_t keylen)
{
    unsigned int before;

    if (mi == NULL || keyp == NULL)
        return 1;
    before = mi->set.count;
    if (rpmdbSetGet(mi->db, mi->table, keyp, keylen > 0 ? keylen : strlen(keyp), &mi->set))
        return 1;
    return mi->set.count == before;
}

int rpmdbAppendIterator(rpmdbMatchIterator mi, const unsigned int *hdrNums, unsigned int nHdrNums)
{
    if (mi == NULL || hdrNums == NULL || nHdrNums == 0)
        return 1;
    for (unsigned int i = 0; i < nHdrNums; i++)
        rpmdbSetAdd(&mi->set, hdrNums[i], 0);
    return 0;
}

void rpmdbSortIterator(rpmdbMatchIterator mi)
{
    if (mi != NULL)
        rpmdbSetSort(&mi->set);
}

bool rpmdbIteratorFailed(rpmdbMatchIterator mi)
{
    return mi != NULL && mi->failed;
}

unsigned int rpmdbGetIteratorOffset(rpmdbMatchIterator mi)
{
    return mi != NULL ? mi->offset : 0;
}

unsigned int rpmdbGetIteratorFileNum(rpmdbMatchIterator mi)
{
    return mi != NULL ? mi->filenum : 0;
}

int rpmdbGetIteratorCount(rpmdbMatchIterator mi)
{
    return mi != NULL ? (int)mi->set.count : 0;
}

int rpmdbSetIteratorRE(rpmdbMatchIterator mi, rpmTagVal tag, rpmMireMode mode,
    const char *pattern)
{
    struct rpmdbPattern_s *pat;

    if (mi == NULL || pattern == NULL)
        return 0;
    pat = rpmdbPatternNew(tag, mode, pattern);
    if (pat == NULL)
        return 1;
    mi->pats = rreallocn(mi->pats, (size_t)mi->npats + 1, sizeof(*mi->pats));
    mi->pats[mi->npats++] = pat;
    return 0;
}

int rpmdbSetIteratorRewrite(rpmdbMatchIterator mi, int rewrite)
{
    int previous = mi != NULL ? mi->rewrite : 0;

    if (mi != NULL)
        mi->rewrite = rewrite != 0;
    return previous;
}

int rpmdbSetIteratorModified(rpmdbMatchIterator mi, int modified)
{
    int previous = mi != NULL ? mi->modified : 0;

    if (mi != NULL)
        mi->modified = modified;
    return previous;
}

int rpmdbSetHdrChk(rpmdbMatchIterator mi, rpmts ts,
    rpmRC (*hdrchk)(rpmts ts, const void *uh, size_t uc, char **msg))
{
    if (mi != NULL) {
        mi->ts = ts;
        mi->hdrchk = hdrchk;
    }
    return 0;
}

Header rpmdbGetHeaderAt(rpmdb db, unsigned int hdrNum)
{
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_PACKAGES, &hdrNum, sizeof(hdrNum));
    Header h = headerLink(rpmdbNextIterator(mi));

    rpmdbFreeIterator(mi);
    return h;
}
