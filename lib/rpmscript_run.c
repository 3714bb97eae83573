/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running a scriptlet: its text in a file below the root, its child, its end.
 *
 * Everything that a child needs is made ready before fork(): see rpmscript_child.c. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rpm/rpmfileutil.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "rpmscript_internal.h"
#include "rpmts_internal.h"

extern char **environ;

struct run {
    rpmScript script;
    rpmts ts;
    struct scriptChild child;
    int tmpDir;       /* directory of the script file, -1 without */
    char tmpName[16]; /* its name there, "" while there is none */
    int reportEnd;    /* our end of the report pipe */
    pid_t pid;
};

/* -- the script file --------------------------------------------------------------------------- */

/* Six characters that nobody can guess. O_EXCL is what makes the file ours. */
static int makeName(char name[16])
{
    static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char random[6];
    size_t prefix = strlen("rpm-tmp.");

    if (getrandom(random, sizeof(random), 0) != sizeof(random))
        return -1;
    memcpy(name, "rpm-tmp.", prefix);
    for (size_t i = 0; i < sizeof(random); i++)
        name[prefix + i] = set[random[i] % (sizeof(set) - 1)];
    name[prefix + sizeof(random)] = '\0';
    return 0;
}

static int createFile(struct run *r)
{
    char name[16];
    int fd = -1;

    for (int tries = 0; fd < 0 && tries < 100; tries++) {
        if (makeName(name))
            return -1;
        fd = openat(r->tmpDir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    if (fd >= 0)
        memcpy(r->tmpName, name, sizeof(name));
    return fd;
}

static int writeAll(int fd, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        ssize_t n = write(fd, text, left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        text += n;
        left -= (size_t) n;
    }
    return 0;
}

/* Who wants to see everything sees what a shell does, too. */
static int isTraced(rpmScript script)
{
    return rpmIsDebug() &&
           (rstreq(script->args[0], "/bin/sh") || rstreq(script->args[0], "/bin/bash"));
}

static int writeBody(struct run *r)
{
    int fd = createFile(r);
    int rc = -1;

    if (fd < 0)
        return -1;
    if (!isTraced(r->script) || writeAll(fd, "set -x\n") == 0)
        rc = writeAll(fd, r->script->body);
    /* As with every file of ours, what close() says counts. */
    return close(fd) != 0 ? -1 : rc;
}

static int makeScriptFile(struct run *r)
{
    char *dir = rpmGetPath("/%{?_tmppath}%{!?_tmppath:/var/tmp}", NULL);
    int rc = -1;

    r->tmpDir = rpmRootOpenDir(r->ts->root, dir, 1);
    if (r->tmpDir >= 0)
        rc = writeBody(r);
    if (rc == 0) {
        char *path = rstrscat(NULL, dir, "/", r->tmpName, NULL);
        argvAdd(&r->child.argv, path);
        rfree(path);
    } else {
        rpmlog(RPMLOG_ERR, "Couldn't create temporary file for %s: %s\n", r->script->descr,
               strerror(errno));
    }
    rfree(dir);
    return rc;
}

/* -- what the child gets ----------------------------------------------------------------------- */

static int isNamed(const char *setting, const char *name)
{
    size_t length = strlen(name);

    return strncmp(setting, name, length) == 0 && setting[length] == '=';
}

static void setEnv(ARGV_t *envp, const char *name, const char *value)
{
    char *setting = rstrscat(NULL, name, "=", value, NULL);
    char **e = *envp;

    while (*e != NULL && !isNamed(*e, name))
        e++;
    if (*e != NULL) {
        free(*e);
        *e = setting;
    } else {
        argvAdd(envp, setting);
        rfree(setting);
    }
}

static ARGV_t environment(ARGV_const_t prefixes)
{
    char *path = rpmExpand("%{?_install_script_path}", NULL);
    ARGV_t envp = argvNew();

    argvAppend(&envp, environ);
    setEnv(&envp, "PATH",
           *path != '\0' ? path : "/sbin:/bin:/usr/sbin:/usr/bin:/usr/X11R6/bin");
    rfree(path);
    if (prefixes != NULL && *prefixes != NULL)
        setEnv(&envp, "RPM_INSTALL_PREFIX", *prefixes);
    for (int i = 0; prefixes != NULL && prefixes[i] != NULL; i++) {
        char name[64];

        snprintf(name, sizeof(name), "RPM_INSTALL_PREFIX%d", i);
        setEnv(&envp, name, prefixes[i]);
    }
    return envp;
}

/* Who uses the library may have closed its first three descriptors, and we may have got them. */
static int moveUp(int fd)
{
    int moved = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;

    if (fd >= 0)
        close(fd);
    return moved;
}

static int makePipe(int ends[2])
{
    int rc = pipe2(ends, O_CLOEXEC);

    if (rc == 0) {
        ends[0] = moveUp(ends[0]);
        ends[1] = moveUp(ends[1]);
        rc = ends[0] < 0 || ends[1] < 0 ? -1 : 0;
    }
    if (rc != 0)
        rpmlog(RPMLOG_ERR, "Couldn't create pipe: %s\n", strerror(errno));
    return rc;
}

/* A scriptlet that writes to a pipe without a reader is killed, and would fail its package. */
static int readerGone(int fd)
{
    struct pollfd pfd = { .fd = fd, .events = POLLOUT };

    return poll(&pfd, 1, 0) == 1 && (pfd.revents & (POLLERR | POLLNVAL));
}

static int outputTo(int fd)
{
    if (fd < 0 || readerGone(fd))
        return moveUp(open("/dev/null", O_WRONLY | O_CLOEXEC));
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* As far as can be told, a pipe that is at its end is what upstream's have for stdin. */
static int makeFds(struct run *r, FD_t scriptFd)
{
    struct scriptChild *child = &r->child;
    int in[2] = { -1, -1 }, report[2] = { -1, -1 };
    int out = STDOUT_FILENO, err = STDERR_FILENO;
    int rc;

    if (scriptFd != NULL) {
        err = Fileno(scriptFd);
        out = rpmIsVerbose() ? err : -1;
    }
    rc = makePipe(in) || makePipe(report) ? -1 : 0;
    if (in[1] >= 0)
        close(in[1]);
    child->fds[0] = in[0];
    child->report = report[1];
    r->reportEnd = report[0];
    if (rc != 0)
        return rc;
    child->fds[1] = outputTo(out);
    child->fds[2] = outputTo(err);
    if (child->fds[1] >= 0 && child->fds[2] >= 0)
        return 0;
    rpmlog(RPMLOG_ERR, "Couldn't duplicate file descriptor: %s: %s\n", r->script->descr,
           strerror(errno));
    return -1;
}

static int makeRoot(struct run *r)
{
    struct scriptChild *child = &r->child;

    if (rpmtsIsHost(r->ts))
        return 0;
    child->root = rpmRootOpenDir(r->ts->root, "/", 0);
    if (child->root < 0) {
        rpmlog(RPMLOG_ERR, "Unable to change root directory: %s\n", strerror(errno));
        return -1;
    }
    if (geteuid() != 0) {
        rasprintf(&child->uidMap, "0 %u 1\n", (unsigned) geteuid());
        rasprintf(&child->gidMap, "0 %u 1\n", (unsigned) getegid());
    }
    return 0;
}

static int makeReady(struct run *r, int arg1, int arg2, FD_t scriptFd, ARGV_const_t prefixes)
{
    struct scriptChild *child = &r->child;
    rpmScript script = r->script;

    if (script->fault != NULL) {
        rpmlog(RPMLOG_ERR, "%s: %s\n", script->descr, script->fault);
        return -1;
    }
    argvAppend(&child->argv, script->args);
    if (script->body != NULL) {
        if (makeScriptFile(r))
            return -1;
        if (arg1 >= 0)
            argvAddNum(&child->argv, arg1);
        if (arg2 >= 0)
            argvAddNum(&child->argv, arg2);
    }
    child->envp = environment(prefixes);
    child->nofile = r->ts->nofile;
    child->inTransaction = !script->isVerify;
    return makeRoot(r) || makeFds(r, scriptFd) ? -1 : 0;
}

static int closeFd(int fd)
{
    if (fd >= 0)
        close(fd);
    return -1;
}

static void cleanUp(struct run *r)
{
    struct scriptChild *child = &r->child;

    if (*r->tmpName != '\0')
        unlinkat(r->tmpDir, r->tmpName, 0);
    closeFd(r->tmpDir);
    closeFd(r->reportEnd);
    closeFd(child->report);
    closeFd(child->root);
    for (int i = 0; i < 3; i++)
        closeFd(child->fds[i]);
    argvFree(child->argv);
    argvFree(child->envp);
    rfree(child->uidMap);
    rfree(child->gidMap);
}

/* -- the child --------------------------------------------------------------------------------- */

static int startChild(struct run *r)
{
    sigset_t all, old;

    fflush(stdout);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    r->pid = fork();
    if (r->pid == 0)
        rpmScriptExec(&r->child);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    r->child.report = closeFd(r->child.report);
    if (r->pid > 0)
        return 0;
    rpmlog(RPMLOG_ERR, "Couldn't fork %s: %s\n", r->script->descr, strerror(errno));
    return -1;
}

/* What the child says on the pipe; nothing if its program runs. Returns -1 if it had no root. */
static int readReport(struct run *r)
{
    struct scriptReport report;
    ssize_t n;

    do {
        n = read(r->reportEnd, &report, sizeof(report));
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t) sizeof(report))
        return 0;
    if (report.atRoot)
        rpmlog(RPMLOG_ERR, "Unable to change root directory: %s\n", strerror(report.error));
    else
        rpmlog(RPMLOG_ERR, "failed to exec scriptlet interpreter %s: %s\n",
               r->script->args[0], strerror(report.error));
    return report.atRoot ? -1 : 0;
}

static rpmRC judge(struct run *r, pid_t reaped, int status)
{
    const char *descr = r->script->descr;
    rpmlogLvl lvl = r->script->flags & RPMSCRIPT_FLAG_CRITICAL ? RPMLOG_ERR : RPMLOG_WARNING;

    rpmlog(RPMLOG_DEBUG, "%s: waitpid(%d) rc %d status %x\n", descr, (int) r->pid, (int) reaped,
           (unsigned) status);
    if (reaped < 0)
        rpmlog(lvl, "%s scriptlet failed, waitpid(%d) rc %d: %s\n", descr, (int) r->pid,
               (int) reaped, strerror(errno));
    else if (WIFSIGNALED(status))
        rpmlog(lvl, "%s scriptlet failed, signal %d\n", descr, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        rpmlog(lvl, "%s scriptlet failed, exit status %d\n", descr, WEXITSTATUS(status));
    else
        return RPMRC_OK;
    return RPMRC_FAIL;
}

static rpmRC waitChild(struct run *r)
{
    int status = 0;
    pid_t reaped;
    int noRoot;

    rpmlog(RPMLOG_DEBUG, "%s: execv(%s) pid %d\n", r->script->descr, r->script->args[0],
           (int) r->pid);
    noRoot = readReport(r);
    do {
        reaped = waitpid(r->pid, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    return noRoot ? RPMRC_FAIL : judge(r, reaped, status);
}

rpmRC rpmScriptRun(rpmScript script, rpmts ts, int arg1, int arg2, FD_t scriptFd,
                   ARGV_const_t prefixes)
{
    struct run r = { .script = script, .ts = ts, .tmpDir = -1, .reportEnd = -1,
                     .child = { .root = -1, .fds = { -1, -1, -1 }, .report = -1 } };
    rpmRC rc = RPMRC_FAIL;

    if (script == NULL)
        return RPMRC_OK;
    rpmlog(RPMLOG_DEBUG, "%s: scriptlet start\n", script->descr);
    if (makeReady(&r, arg1, arg2, scriptFd, prefixes) == 0 && startChild(&r) == 0)
        rc = waitChild(&r);
    cleanUp(&r);
    return rc;
}
