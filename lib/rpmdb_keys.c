/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iterators over the keys of an index. The whole index is read at the start. */

#include <stdlib.h>
#include <string.h>

#include <rpm/rpmcrypto.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtd.h>

#include "rpmdb_sql.h"

struct key {
    size_t start; /* in text */
    size_t len;
    unsigned int entry; /* its first in set */
};

struct rpmdbIndexIterator_s {
    rpmdb db;
    rpmDbiTagVal tag;
    char *text;
    size_t textSize, textAlloced;
    struct key *keys;
    size_t nkeys, keysAlloced;
    size_t next;
    struct rpmdbSet_s set;
};

static void addText(rpmdbIndexIterator ii, const void *bytes, size_t len)
{
    if (ii->textSize + len > ii->textAlloced) {
        ii->textAlloced = 2 * ii->textAlloced + len;
        ii->text = rrealloc(ii->text, ii->textAlloced);
    }
    if (len > 0)
        memcpy(ii->text + ii->textSize, bytes, len);
    ii->textSize += len;
}

static bool isLastKey(rpmdbIndexIterator ii, const void *bytes, size_t len)
{
    const struct key *last = ii->nkeys > 0 ? &ii->keys[ii->nkeys - 1] : NULL;

    return last != NULL && last->len == len &&
        (len == 0 || memcmp(ii->text + last->start, bytes, len) == 0);
}

static void addKey(void *data, sqlite3_stmt *stmt)
{
    rpmdbIndexIterator ii = data;
    unsigned int hdrNum = rpmdbColumnNumber(stmt, 0);
    const void *bytes = sqlite3_column_blob(stmt, 2);
    size_t len = (size_t)sqlite3_column_bytes(stmt, 2);

    if (hdrNum == 0)
        return;
    if (!isLastKey(ii, bytes, len)) {
        if (ii->nkeys == ii->keysAlloced) {
            ii->keysAlloced = 2 * ii->keysAlloced + 16;
            ii->keys = rreallocn(ii->keys, ii->keysAlloced, sizeof(*ii->keys));
        }
        ii->keys[ii->nkeys++] = (struct key){ ii->textSize, len, ii->set.count };
        addText(ii, bytes, len);
    }
    rpmdbSetAdd(&ii->set, hdrNum, (unsigned int)sqlite3_column_int64(stmt, 1));
}

static void noKeys(void *data)
{
    rpmdbIndexIterator ii = data;

    ii->textSize = 0;
    ii->nkeys = 0;
    ii->set.count = 0;
}

rpmdbIndexIterator rpmdbIndexIteratorInit(rpmdb db, rpmDbiTag rpmtag)
{
    int table = rpmdbTableOf((rpmDbiTagVal)rpmtag);
    rpmdbIndexIterator ii;
    sqlite3_stmt *stmt;

    if (db == NULL || table <= 0)
        return NULL;
    ii = rcalloc(1, sizeof(*ii));
    ii->db = rpmdbLink(db);
    ii->tag = (rpmDbiTagVal)rpmtag;
    if (db->sql == NULL)
        return ii;
    stmt = rpmdbStatement(db, table, RPMDB_ALL);
    if (stmt == NULL || rpmdbQuery(db, stmt, addKey, noKeys, ii))
        ii = rpmdbIndexIteratorFree(ii);
    return ii;
}

rpmdbIndexIterator rpmdbIndexKeyIteratorInit(rpmdb db, rpmDbiTag rpmtag)
{
    return rpmdbIndexIteratorInit(db, rpmtag);
}

int rpmdbIndexIteratorNext(rpmdbIndexIterator ii, const void **key, size_t *keylen)
{
    if (ii == NULL || ii->next >= ii->nkeys)
        return -1;
    *key = ii->text + ii->keys[ii->next].start;
    *keylen = ii->keys[ii->next].len;
    ii->next++;
    return 0;
}

int rpmdbIndexIteratorNextTd(rpmdbIndexIterator ii, rpmtd keytd)
{
    const void *key;
    size_t len;
    char *copy;

    if (rpmdbIndexIteratorNext(ii, &key, &len))
        return -1;
    copy = rmalloc(len + 1);
    memcpy(copy, key, len);
    copy[len] = '\0';
    rpmtdReset(keytd);
    keytd->tag = ii->tag;
    keytd->type = rpmTagGetTagType(ii->tag);
    keytd->count = 1;
    if (rpmTagGetClass(ii->tag) == RPM_STRING_CLASS)
        keytd->type = RPM_STRING_TYPE;
    else if (rpmTagGetClass(ii->tag) == RPM_BINARY_CLASS)
        keytd->count = (rpm_count_t)len;
    keytd->data = copy;
    keytd->flags = RPMTD_ALLOCED;
    return 0;
}

/* Entry nr of the current key, or NULL. */
static const struct rpmdbEntry_s *entryOf(rpmdbIndexIterator ii, unsigned int nr)
{
    if (nr >= rpmdbIndexIteratorNumPkgs(ii))
        return NULL;
    return &ii->set.entries[ii->keys[ii->next - 1].entry + nr];
}

unsigned int rpmdbIndexIteratorNumPkgs(rpmdbIndexIterator ii)
{
    unsigned int end;

    if (ii == NULL || ii->next == 0)
        return 0;
    end = ii->next < ii->nkeys ? ii->keys[ii->next].entry : ii->set.count;
    return end - ii->keys[ii->next - 1].entry;
}

unsigned int rpmdbIndexIteratorPkgOffset(rpmdbIndexIterator ii, unsigned int nr)
{
    const struct rpmdbEntry_s *entry = entryOf(ii, nr);

    return entry != NULL ? entry->hdrNum : 0;
}

unsigned int rpmdbIndexIteratorTagNum(rpmdbIndexIterator ii, unsigned int nr)
{
    const struct rpmdbEntry_s *entry = entryOf(ii, nr);

    return entry != NULL ? entry->ix : 0;
}

rpmdbIndexIterator rpmdbIndexIteratorFree(rpmdbIndexIterator ii)
{
    if (ii != NULL) {
        rpmdbClose(ii->db);
        rfree(ii->text);
        rfree(ii->keys);
        rpmdbSetFini(&ii->set);
        rfree(ii);
    }
    return NULL;
}

char *rpmdbCookie(rpmdb db)
{
    rpmdbIndexIterator ii = rpmdbIndexIteratorInit(db, RPMDBI_NAME);
    DIGEST_CTX ctx;
    void *cookie = NULL;
    const void *key;
    size_t len;

    if (ii == NULL)
        return NULL;
    ctx = rpmDigestInit(RPM_HASH_SHA256, RPMDIGEST_NONE);
    while (rpmdbIndexIteratorNext(ii, &key, &len) == 0) {
        rpmDigestUpdate(ctx, key, len);
        for (unsigned int i = 0; i < rpmdbIndexIteratorNumPkgs(ii); i++) {
            unsigned int hdrNum = rpmdbIndexIteratorPkgOffset(ii, i);
            rpmDigestUpdate(ctx, &hdrNum, sizeof(hdrNum));
        }
    }
    rpmDigestFinal(ctx, &cookie, NULL, 1);
    rpmdbIndexIteratorFree(ii);
    return cookie;
}
