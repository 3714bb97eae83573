/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of index entries, and what an index has for a key. */

#include <stdlib.h>
#include <string.h>

#include "rpmdb_sql.h"

void rpmdbSetAdd(struct rpmdbSet_s *set, unsigned int hdrNum, unsigned int ix)
{
    if (set->count == set->alloced) {
        set->alloced = set->alloced > 0 ? set->alloced * 2 : 16;
        set->entries = rreallocn(set->entries, set->alloced, sizeof(*set->entries));
    }
    set->entries[set->count++] = (struct rpmdbEntry_s){ .hdrNum = hdrNum, .ix = ix };
}

static int compareEntries(const void *a, const void *b)
{
    const struct rpmdbEntry_s *x = a, *y = b;

    if (x->hdrNum != y->hdrNum)
        return x->hdrNum < y->hdrNum ? -1 : 1;
    return (x->ix > y->ix) - (x->ix < y->ix);
}

void rpmdbSetSort(struct rpmdbSet_s *set)
{
    if (set->count > 1)
        qsort(set->entries, set->count, sizeof(*set->entries), compareEntries);
}

void rpmdbSetFini(struct rpmdbSet_s *set)
{
    rfree(set->entries);
    *set = (struct rpmdbSet_s){ 0 };
}

struct collector {
    struct rpmdbSet_s *set;
    unsigned int before;
};

static void addRow(void *data, sqlite3_stmt *stmt)
{
    struct collector *c = data;
    unsigned int hdrNum = rpmdbColumnNumber(stmt, 0);

    if (hdrNum != 0)
        rpmdbSetAdd(c->set, hdrNum, (unsigned int)sqlite3_column_int64(stmt, 1));
}

static void startOver(void *data)
{
    struct collector *c = data;

    c->set->count = c->before;
}

static int collect(rpmdb db, sqlite3_stmt *stmt, struct rpmdbSet_s *set)
{
    struct collector c = { .set = set, .before = set->count };

    return stmt != NULL ? rpmdbQuery(db, stmt, addRow, startOver, &c) : -1;
}

int rpmdbSetGet(rpmdb db, int table, const void *key, size_t keylen, struct rpmdbSet_s *set)
{
    sqlite3_stmt *stmt;

    if (db->sql == NULL)
        return 0;
    stmt = rpmdbStatement(db, table, RPMDB_GET);
    if (stmt != NULL)
        rpmdbBindKey(stmt, table, key, keylen);
    return collect(db, stmt, set);
}

int rpmdbSetGetAll(rpmdb db, int table, struct rpmdbSet_s *set)
{
    if (db->sql == NULL)
        return 0;
    return collect(db, rpmdbStatement(db, table, RPMDB_ALL), set);
}

int rpmdbCountPackages(rpmdb db, const char *name)
{
    struct rpmdbSet_s set = { 0 };
    int count = -1;

    if (db != NULL && name != NULL &&
        rpmdbSetGet(db, rpmdbTableOf(RPMDBI_NAME), name, strlen(name), &set) == 0)
        count = (int)set.count;
    rpmdbSetFini(&set);
    return count;
}
