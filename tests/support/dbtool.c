/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dbtool: package databases by this tree's library, without anything else of an installation. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rpm/header.h>
#include <rpm/rpmdb.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmstring.h>

#include "rpmdb_internal.h"
#include "rpmlock.h"
#include "rpmvs.h"

static const char help[] =
    "dbtool [options] COMMAND [arguments]\n"
    "  -r ROOT   -d DBPATH   -t TID and time   -n no sync   -k keep the WAL   -c one commit each\n"
    "commands: init, rebuild, verify, cookie\n"
    "  add PACKAGE...           remove NUMBER...\n"
    "  list FORMAT [PATTERN]    find INDEX KEY FORMAT    keys INDEX\n"
    "  state NUMBER INDEX STATE (rewrites the header)\n"
    "  hold SECONDS             takes the lock and begins a transaction; kill (as -9 in an add)\n";

static const char *root = NULL, *dbpath = "/.rpmdb";
static struct rpmdbPolicy_s policy = { .sync = true, .checkpoint = true };
static uint32_t tid = 1600000000;
static bool each = false;
static uint32_t nadded;

static rpmdb openDb(int mode)
{
    rpmdb db;

    if (rpmdbOpen(root, dbpath, &db, mode, &policy))
        exit(1);
    return db;
}

static int addPackage(rpmdb db, const char *name)
{
    struct rpmdbRecord_s record = { .tid = tid, .time = tid + nadded++, .color = 3 };
    FD_t fd = Fopen(name, "r.ufdio");
    Header h = NULL;
    rpmRC rc = rpmpkgReadHeader(0, fd, name, &h);
    struct rpmtd_s names;
    char *states;
    int failed;

    Fclose(fd);
    if (rc != RPMRC_OK && rc != RPMRC_NOKEY)
        return -1;
    headerGet(h, RPMTAG_BASENAMES, &names, HEADERGET_MINMEM);
    record.nstates = rpmtdCount(&names);
    record.states = states = rcalloc(record.nstates, 1);
    rpmtdFreeData(&names);
    failed = rpmdbRecordTags(h, &record) || rpmdbAdd(db, h);
    if (!failed)
        printf("%u\n", headerGetInstance(h));
    free(states);
    headerFree(h);
    return failed;
}

static int change(char **args, bool add)
{
    rpmdb db = openDb(O_RDWR | O_CREAT);
    int rc = each ? 0 : rpmdbBegin(db);

    for (; *args != NULL && rc == 0; args++)
        rc = add ? addPackage(db, *args) : rpmdbRemove(db, (unsigned int)atoi(*args));
    if (!each && rpmdbCommit(db))
        rc = -1;
    if (rpmdbClose(db))
        rc = -1;
    return rc != 0;
}

static int show(rpmdbMatchIterator mi, const char *format)
{
    int n = 0;
    Header h;

    while ((h = rpmdbNextIterator(mi)) != NULL) {
        errmsg_t error = NULL;
        char *text = headerFormat(h, format, &error);

        printf("%s", text != NULL ? text : error);
        rfree(text);
        n++;
    }
    rpmdbFreeIterator(mi);
    return n == 0;
}

static int list(rpmdb db, char **args)
{
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_PACKAGES, NULL, 0);

    if (args[0] != NULL && args[1] != NULL &&
        rpmdbSetIteratorRE(mi, RPMTAG_NAME, RPMMIRE_DEFAULT, args[1]))
        return 1;
    show(mi, args[0] != NULL ? args[0] : "%{NEVRA}\n");
    return 0;
}

static int find(rpmdb db, char **args)
{
    rpmDbiTagVal tag = strcmp(args[0], "label") ? rpmTagGetValue(args[0]) : RPMDBI_LABEL;

    return show(rpmdbInitIterator(db, tag, args[1], 0), args[2]);
}

static int keys(rpmdb db, char **args)
{
    rpmdbIndexIterator ii = rpmdbIndexIteratorInit(db, (rpmDbiTag)rpmTagGetValue(args[0]));
    bool text = rpmTagGetClass(rpmTagGetValue(args[0])) == RPM_STRING_CLASS;
    const void *key;
    size_t len;

    while (rpmdbIndexIteratorNext(ii, &key, &len) == 0) {
        for (unsigned int i = 0; i < rpmdbIndexIteratorNumPkgs(ii); i++) {
            char *hex = rpmhex(key, len);
            printf("%.*s|%u|%u\n", (int)(text ? len : 2 * len), text ? (const char *)key : hex,
                rpmdbIndexIteratorPkgOffset(ii, i), rpmdbIndexIteratorTagNum(ii, i));
            free(hex);
        }
    }
    rpmdbIndexIteratorFree(ii);
    return ii == NULL;
}

static int cookie(rpmdb db)
{
    char *text = rpmdbCookie(db);

    printf("%s\n", text != NULL ? text : "(none)");
    free(text);
    return text == NULL;
}

static int setState(char **args)
{
    rpmdb db = openDb(O_RDWR);
    unsigned int hdrNum = (unsigned int)atoi(args[0]);
    rpmdbMatchIterator mi = rpmdbInitIterator(db, RPMDBI_PACKAGES, &hdrNum, sizeof(hdrNum));
    struct rpmtd_s td;
    Header h;

    rpmdbSetIteratorRewrite(mi, 1);
    h = rpmdbNextIterator(mi);
    if (h != NULL && headerGet(h, RPMTAG_FILESTATES, &td, HEADERGET_ALLOC)) {
        ((char *)td.data)[atoi(args[1])] = (char)atoi(args[2]);
        headerMod(h, &td);
        rpmtdFreeData(&td);
        rpmdbSetIteratorModified(mi, 1);
    }
    rpmdbFreeIterator(mi);
    return rpmdbClose(db) || h == NULL;
}

static int hold(char **args)
{
    rpmlock lock = rpmlockNewAcquire(root, "/.rpmdb/.rpm.lock", "transaction");
    rpmdb db;

    if (lock == NULL)
        return 1;
    db = openDb(O_RDWR | O_CREAT);
    rpmdbBegin(db);
    printf("held\n");
    fflush(stdout);
    sleep((unsigned int)atoi(args[0]));
    rpmdbClose(db);
    rpmlockFree(lock);
    return 0;
}

static int reading(const char *command, char **args)
{
    rpmdb db = openDb(O_RDONLY);
    int rc = 2;

    if (strcmp(command, "list") == 0)
        rc = list(db, args);
    else if (strcmp(command, "find") == 0)
        rc = find(db, args);
    else if (strcmp(command, "keys") == 0)
        rc = keys(db, args);
    else if (strcmp(command, "cookie") == 0)
        rc = cookie(db);
    rpmdbClose(db);
    return rc;
}

static int run(const char *command, char **args)
{
    if (strcmp(command, "init") == 0)
        return rpmdbInit(root, dbpath, &policy) != 0;
    if (strcmp(command, "rebuild") == 0)
        return rpmdbRebuild(root, dbpath, NULL, NULL, &policy) != 0;
    if (strcmp(command, "verify") == 0)
        return rpmdbVerify(root, dbpath) != 0;
    if (strcmp(command, "add") == 0 || strcmp(command, "remove") == 0)
        return change(args, *command == 'a');
    if (strcmp(command, "state") == 0)
        return setState(args);
    if (strcmp(command, "hold") == 0)
        return hold(args);
    return reading(command, args);
}

int main(int argc, char **argv)
{
    int c;

    rpmReadConfigFiles(NULL, NULL);
    while ((c = getopt(argc, argv, "+r:d:t:nkc")) != -1) {
        if (c == 'r')
            root = optarg;
        else if (c == 'd')
            dbpath = optarg;
        else if (c == 't')
            tid = (uint32_t)strtoul(optarg, NULL, 10);
        else if (c == 'n')
            policy.sync = false;
        else if (c == 'k')
            policy.checkpoint = false;
        else
            each = true;
    }
    if (optind >= argc) {
        fputs(help, stderr);
        return 2;
    }
    return run(argv[optind], argv + optind + 1);
}
