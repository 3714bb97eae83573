/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Installing packages of manifests. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmio.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>

#include "pkgwriter.h"
#include "testinst.h"

rpmtransFlags instFlags;
rpmprobFilterFlags instIgnore;
const char *instRoot;
int instDb;
int instUpgrade;
char instLog[65536];
char instProblems[65536];
int instFailed;
void (*instHook)(const char *tree, rpmCallbackType what, rpm_loff_t amount, rpm_loff_t total);

static FD_t package;

static int onLog(rpmlogRec rec, rpmlogCallbackData data)
{
    (void) data;
    strncat(instLog, rpmlogLevelPrefix(rpmlogRecPriority(rec)),
            sizeof(instLog) - strlen(instLog) - 1);
    strncat(instLog, rpmlogRecMessage(rec), sizeof(instLog) - strlen(instLog) - 1);
    return 0;
}

void instReset(void)
{
    instFlags = 0;
    instIgnore = 0;
    instRoot = NULL;
    instDb = instUpgrade = 0;
    instHook = NULL;
}

int instSetup(void **state)
{
    instReset();
    rpmlogSetCallback(onLog, NULL);
    if (treeSetup(state))
        return -1;
    putDir(*state, "root");
    return 0;
}

int instTeardown(void **state)
{
    rpmlogSetCallback(NULL, NULL);
    rpmlogClose();
    return treeTeardown(state);
}

int instSetupDb(void **state)
{
    rpmPushMacro(NULL, "_dbpath", NULL, "/db", RMIL_CMDLINE);
    rpmPushMacro(NULL, "_rpmlock_path", NULL, "/db/lock", RMIL_CMDLINE);
    return instSetup(state);
}

int instTeardownDb(void **state)
{
    rpmPopMacro(NULL, "_rpmlock_path");
    rpmPopMacro(NULL, "_dbpath");
    return instTeardown(state);
}

static void *notify(const void *h, const rpmCallbackType what, const rpm_loff_t amount,
                    const rpm_loff_t total, fnpyKey key, rpmCallbackData data)
{
    (void) h;
    if (instHook != NULL)
        instHook(data, what, amount, total);
    if (what == RPMCALLBACK_INST_OPEN_FILE) {
        assert_null(package);
        package = Fopen(key, "r.ufdio");
        return package;
    }
    if (what == RPMCALLBACK_INST_CLOSE_FILE) {
        Fclose(package);
        package = NULL;
    }
    return NULL;
}

static char *packagePath(const char *tree, int ix)
{
    char *path = NULL;

    assert_true(asprintf(&path, "%s/pkg%d.rpm", tree, ix) > 0);
    return path;
}

void instBuild(const char *tree, int ix, const char *manifest)
{
    char *path = packagePath(tree, ix);

    remove(path);
    pkgBuild(manifest, path);
    free(path);
}

static int addPackage(rpmts ts, const char *path)
{
    FD_t fd = Fopen(path, "r.ufdio");
    Header h = NULL;
    int rc;

    assert_non_null(fd);
    rpmReadPackageFile(ts, fd, path, &h);
    Fclose(fd);
    assert_non_null(h);
    rc = rpmtsAddInstallElement(ts, h, path, instUpgrade, NULL);
    headerFree(h);
    return rc;
}

static void keepProblems(rpmts ts)
{
    rpmps ps = rpmtsProblems(ts);
    FILE *f = fmemopen(instProblems, sizeof(instProblems), "w");

    rpmpsPrint(f, ps);
    fclose(f);
    rpmpsFree(ps);
}

int instBuilt(const char *tree, int n)
{
    rpmts ts = rpmtsCreate();
    char **paths = calloc((size_t) n, sizeof(*paths));
    int rc = 0;

    instLog[0] = instProblems[0] = '\0';
    instFailed = 0;
    assert_int_equal(rpmtsSetRootDir(ts, instRoot != NULL ? instRoot : at(tree, "root")), 0);
    rpmtsSetFlags(ts, instFlags | (instDb ? 0 : RPMTRANS_FLAG_NODB));
    rpmtsSetVSFlags(ts, RPMVSF_NEEDPAYLOAD);
    rpmtsSetNotifyCallback(ts, notify, (void *) tree);
    for (int i = 0; i < n && rc == 0; i++) {
        paths[i] = packagePath(tree, i);
        rc = addPackage(ts, paths[i]);
    }
    if (rc != 0) {
        rc += 1000;
    } else {
        if (instUpgrade)
            assert_int_equal(rpmtsOrder(ts), 0);
        rc = rpmtsRun(ts, NULL, instIgnore);
        keepProblems(ts);
    }
    for (int i = 0; i < rpmtsNElements(ts); i++)
        instFailed += rpmteFailed(rpmtsElement(ts, i));
    rpmtsFree(ts);
    for (int i = 0; i < n; i++)
        free(paths[i]);
    free(paths);
    assert_null(package);
    return rc;
}

int inst(const char *tree, const char *first, ...)
{
    va_list ap;
    int n = 0;

    va_start(ap, first);
    for (const char *m = first; m != NULL; m = va_arg(ap, const char *))
        instBuild(tree, n++, m);
    va_end(ap);
    return instBuilt(tree, n);
}
