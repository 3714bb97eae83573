/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* librpm's names, as the process sees them: where a transaction and the files of a package begin
 * and end. Types are opaque here; rpm has kept these calls the same from 4.16 to 4.20. */

#include "preload_internal.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#pragma GCC visibility push(default)
int rpmtsRun(void *ts, void *okProbs, unsigned ignoreSet);
int rpmPackageFilesInstall(void *ts, void *te, void *files, void *psm, char **failedFile);
int rpmPackageFilesRemove(void *ts, void *te, void *files, void *psm, char **failedFile);
uint64_t rpmfiFSize(void *fi);
int rpmcliVerify(void *ts, void *qva, char *const *argv);
int rpmluaRunScript(void *lua, const char *script, const char *name, const char *opts, void *args);
int cap_set_fd(int fd, void *caps);
#pragma GCC visibility pop

/* Scripts run in here. */
int rpmtsRun(void *ts, void *okProbs, unsigned ignoreSet)
{
    SHIM_STOCK(int, rpmtsRun, (void *, void *, unsigned));
    int rc;

    if (rpmtsRun_ == NULL || shimRunBegin())
        return -1;
    shimEnvHide();
    rc = shimRunEnd(rpmtsRun_(ts, okProbs, ignoreSet));
    shimEnvShow();
    return rc;
}

/* Here too: %verifyscript. */
int rpmcliVerify(void *ts, void *qva, char *const *argv)
{
    SHIM_STOCK(int, rpmcliVerify, (void *, void *, char *const *));
    int rc;

    if (rpmcliVerify_ == NULL)
        return -1;
    shimEnvHide();
    rc = rpmcliVerify_(ts, qva, argv);
    shimEnvShow();
    return rc;
}

/* Scripts in Lua run in this process. */
int rpmluaRunScript(void *lua, const char *script, const char *name, const char *opts, void *args)
{
    SHIM_STOCK(int, rpmluaRunScript, (void *, const char *, const char *, const char *, void *));

    if (shimRun != NULL)
        shimRun->scripts = true;
    return rpmluaRunScript_ ? rpmluaRunScript_(lua, script, name, opts, args) : -1;
}

int rpmPackageFilesInstall(void *ts, void *te, void *files, void *psm, char **failedFile)
{
    SHIM_STOCK(int, rpmPackageFilesInstall, (void *, void *, void *, void *, char **));

    if (rpmPackageFilesInstall_ == NULL)
        return -1;
    shimRunPackage();
    return shimRunPackageEnd(rpmPackageFilesInstall_(ts, te, files, psm, failedFile));
}

int rpmPackageFilesRemove(void *ts, void *te, void *files, void *psm, char **failedFile)
{
    SHIM_STOCK(int, rpmPackageFilesRemove, (void *, void *, void *, void *, char **));

    if (rpmPackageFilesRemove_ == NULL)
        return -1;
    shimRunPackage();
    return shimRunPackageEnd(rpmPackageFilesRemove_(ts, te, files, psm, failedFile));
}

/* rpm asks for a file's size after it has opened it, and before it writes. */
uint64_t rpmfiFSize(void *fi)
{
    SHIM_STOCK(uint64_t, rpmfiFSize, (void *));
    uint64_t size = rpmfiFSize_ ? rpmfiFSize_(fi) : 0;

    if (shimRun != NULL && shimRun->sizing != NULL) {
        shimRun->sizing->size = size <= INT64_MAX ? (int64_t)size : -1;
        shimRun->sizing = NULL;
    }
    return size;
}

/* libcap's: rpm takes capabilities away from what it is about to remove. */
int cap_set_fd(int fd, void *caps)
{
    SHIM_STOCK(int, cap_set_fd, (int, void *));

    if (cap_set_fd_ == NULL) {
        errno = ENOSYS;
        return -1;
    }
    if (shimRun != NULL && shimRun->stage == SHIM_FAILED) {
        errno = EIO;
        return -1;
    }
    return cap_set_fd_(fd, caps);
}
